package diag

import (
	"fmt"
	"strings"
)

// Error is a fault in what the user asked.
type Error struct {
	Code    Code   // what kind of fault
	Field   string // request field at fault: "netlist", "analysis", "temperature_c", "options.reltol"
	Line    int    // 1-based netlist line, 0 when the fault has no line
	Element string // element at fault, empty when none
	Node    string // node at fault, empty when none
	Detail  string // one sentence a user can act on
	Cause   error  // what provoked it when that was not the user, such as context.Canceled
}

// Error gives the sentence, led by the line number when there is one.
func (e *Error) Error() string {
	if e.Line > 0 && !strings.HasPrefix(e.Detail, "line ") {
		return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
	}
	return e.Detail
}

// Unwrap gives the cause, so that errors.Is finds context.Canceled.
func (e *Error) Unwrap() error { return e.Cause }

// At makes an Error about one line of the netlist.
func At(code Code, line int, format string, args ...any) *Error {
	return &Error{Code: code, Field: "netlist", Line: line, Detail: fmt.Sprintf(format, args...)}
}

// On makes an Error about one element.
func On(code Code, line int, element, format string, args ...any) *Error {
	e := At(code, line, format, args...)
	e.Element = element
	return e
}

// In makes an Error about a request field that is not the netlist.
func In(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Detail: fmt.Sprintf(format, args...)}
}
