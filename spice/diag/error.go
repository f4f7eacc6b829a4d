package diag

import (
	"fmt"
	"strings"
)

// Error is an error in a request.
type Error struct {
	Code Code // kind of error
	// Field is the invalid request field: "netlist", "analysis", "temperature_c", "options.reltol".
	Field   string
	Line    int    // 1-based netlist line, or 0 for errors without a line
	Element string // invalid element, or ""
	Node    string // invalid node, or ""
	Detail  string // one sentence with the remedy
	Cause   error  // cause outside the request, such as context.Canceled
}

// Error returns the detail, preceded by the line number if there is one.
func (e *Error) Error() string {
	if e.Line > 0 && !strings.HasPrefix(e.Detail, "line ") {
		return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
	}
	return e.Detail
}

// Unwrap returns the cause, which lets errors.Is find context.Canceled.
func (e *Error) Unwrap() error { return e.Cause }

// At returns an Error about one line of the netlist.
func At(code Code, line int, format string, args ...any) *Error {
	return &Error{Code: code, Field: "netlist", Line: line, Detail: fmt.Sprintf(format, args...)}
}

// On returns an Error about one element.
func On(code Code, line int, element, format string, args ...any) *Error {
	e := At(code, line, format, args...)
	e.Element = element
	return e
}

// In returns an Error about a request field other than the netlist.
func In(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Detail: fmt.Sprintf(format, args...)}
}
