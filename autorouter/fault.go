package autorouter

import (
	"fmt"
	"strings"
)

// Fault is one thing wrong with a request.
type Fault struct {
	Path   string // place in the request: components[3].footprint
	Line   int    // of the netlist text, from 1; 0 when the fault has none
	Detail string // one sentence that names the offender
}

// Faults are all the things wrong with a request.
type Faults []Fault

// Error gives one line a fault.
func (f Faults) Error() string {
	parts := make([]string, len(f))
	for i, x := range f {
		parts[i] = x.Path + ": " + x.Detail
	}
	return strings.Join(parts, "\n")
}

func (f *Faults) add(path string, line int, format string, args ...any) {
	*f = append(*f, Fault{path, line, fmt.Sprintf(format, args...)})
}

// err is nil when there are none.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
