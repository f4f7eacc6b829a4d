package autorouter

import (
	"fmt"
	"strings"
)

// InvalidField is one invalid field of a request.
type InvalidField struct {
	Path   string // place in the request: components[3].footprint
	Line   int    // of the netlist text, from 1; 0 without a line
	Detail string // one sentence with the value and the allowed values
}

// InvalidFields lists all invalid fields of a request.
type InvalidFields []InvalidField

// Error returns one line per field.
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

// err is nil for an empty list.
func (f InvalidFields) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
