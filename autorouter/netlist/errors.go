package netlist

import (
	"errors"
	"fmt"
	"strings"

	"slipstick/spice/diag"
)

// Error describes one error in a request.
type Error struct {
	// Path is the request path, for example "components[3].footprint", "nets[2].pins[0]",
	// "footprint_overrides.R1" or "netlist".
	Path   string
	Line   int    // line of the netlist text, counted from 1; 0 without a line
	Detail string // sentence with the invalid name or value
}

// Error returns the path, the line unless it is 0, and the detail.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %s", e.Path, e.Line, e.Detail)
	}
	return e.Path + ": " + e.Detail
}

// Errors lists the errors of a request, at most maxErrors.
type Errors []*Error

// Error returns one line per error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the individual errors, for errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, x := range e {
		out[i] = x
	}
	return out
}

// maxErrors is the maximum number of errors in an Errors list.
const maxErrors = 20

// errorList collects the errors of a request.
type errorList struct{ list Errors }

func (f *errorList) add(path string, line int, format string, args ...any) {
	if len(f.list) < maxErrors {
		f.list = append(f.list, &Error{path, line, fmt.Sprintf(format, args...)})
	}
}

func (f *errorList) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return f.list
}

// singleError returns an Errors list with a single error.
func singleError(path string, line int, format string, args ...any) error {
	var f errorList
	f.add(path, line, format, args...)
	return f.err()
}

// fromSPICE converts an error of the simulator's parser to an Errors list.
func fromSPICE(err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		var f errorList
		for _, e := range d.All() {
			f.add("netlist", e.Line, "%s", e.Detail)
		}
		return f.err()
	}
	return singleError("netlist", 0, "%v", err)
}
