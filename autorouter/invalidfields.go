package autorouter

import (
	"fmt"
	"strings"
)

// InvalidField describes one invalid field of a request.
type InvalidField struct {
	Path   string // path in the request, for example components[3].footprint
	Line   int    // line of the netlist text, counted from 1; 0 without a line
	Detail string // sentence with the value and the allowed range
}

// InvalidFields is an error that lists all invalid fields of a request.
type InvalidFields []InvalidField

// Error returns one line per invalid field, with its path and detail.
func (f InvalidFields) Error() string {
	parts := make([]string, len(f))
	for i, x := range f {
		parts[i] = x.Path + ": " + x.Detail
	}
	return strings.Join(parts, "\n")
}

func (f *InvalidFields) add(path string, line int, format string, args ...any) {
	*f = append(*f, InvalidField{path, line, fmt.Sprintf(format, args...)})
}

// err returns f as an error, or nil if f is empty.
func (f InvalidFields) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
