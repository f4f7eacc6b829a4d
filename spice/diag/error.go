package diag

import (
	"fmt"
	"strings"
)

// Error describes an invalid request or a failed simulation.
type Error struct {
	Code Code // kind of error
	// Field is the name of the invalid request field, such as "netlist", "analysis",
	// "temperature_c" or "options.reltol".
	Field   string
	Line    int    // 1-based line number in the netlist, or 0 for errors without a line
	Element string // name of the invalid element, or ""
	Node    string // name of the invalid node, or ""
	// Missing is the undefined name in lower case if a model, a subcircuit, a parameter or a
	// function is missing; otherwise it is "".
	Missing string
	Detail  string // one sentence that describes the error and, if possible, the remedy
	Cause   error  // cause outside the request, such as context.Canceled, or nil
	// Also holds the other errors of the netlist in the order of their lines. See Join.
	Also []*Error
}

// Error returns the detail, preceded by the line number if there is one. It leaves out the errors
// of Also.
func (e *Error) Error() string {
	if e.Line > 0 && !strings.HasPrefix(e.Detail, "line ") {
		return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
	}
	return e.Detail
}

// Unwrap returns the cause, so that errors.Is finds errors such as context.Canceled.
func (e *Error) Unwrap() error { return e.Cause }

// At returns an Error about one line of the netlist, or about the whole netlist if line is 0. The
// format and its arguments give the detail.
func At(code Code, line int, format string, args ...any) *Error {
	return &Error{Code: code, Field: "netlist", Line: line, Detail: fmt.Sprintf(format, args...)}
}

// On returns an Error about the element with the given name, which is defined on the given line.
// The format and its arguments give the detail.
func On(code Code, line int, element, format string, args ...any) *Error {
	e := At(code, line, format, args...)
	e.Element = element
	return e
}

// In returns an Error about a request field other than the netlist. The format and its arguments
// give the detail.
func In(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Detail: fmt.Sprintf(format, args...)}
}
