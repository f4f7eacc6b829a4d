package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"slipstick/tools/schema"
)

// InputError says everything that is wrong with an input. It is the caller's mistake (400),
// never retried.
type InputError struct {
	Fields []schema.FieldError
}

// Error names each field with its problem.
func (e *InputError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Sentence()
	}
	return strings.Join(parts, "; ")
}

// Invalid is an InputError about one field. The path is dotted with indices
// (stages[1].nf_db); the detail says what is wrong and what is allowed.
func Invalid(path, format string, args ...any) error {
	var f FieldErrors
	f.Add(path, format, args...)
	return f.Err()
}

// InvalidLine is Invalid for a text field of several lines, such as a netlist; line counts
// from 1, and 0 says that no single line is at fault.
func InvalidLine(path string, line int, format string, args ...any) error {
	return &InputError{Fields: []schema.FieldError{{Path: path, Line: line, Detail: fmt.Sprintf(format, args...)}}}
}

// FieldErrors collects what is wrong with an input, so that the user hears all of it at once.
type FieldErrors struct {
	list []schema.FieldError
}

// Add notes a fault of a field.
func (f *FieldErrors) Add(path, format string, args ...any) {
	f.list = append(f.list, schema.FieldError{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// AddValue notes a fault together with the value that was given.
func (f *FieldErrors) AddValue(path string, value any, format string, args ...any) {
	raw, err := json.Marshal(value)
	if err != nil || len(raw) > 200 {
		raw = nil
	}
	f.list = append(f.list, schema.FieldError{Path: path, Detail: fmt.Sprintf(format, args...), Value: raw})
}

// AddLine notes a fault in a text of several lines; line counts from 1, 0 is no line.
func (f *FieldErrors) AddLine(path string, line int, format string, args ...any) {
	f.list = append(f.list, schema.FieldError{Path: path, Line: line, Detail: fmt.Sprintf(format, args...)})
}

// Err is nil when nothing was added, else an *InputError.
func (f *FieldErrors) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &InputError{Fields: f.list}
}

// AsInputError gives the InputError in err's chain, or nil.
func AsInputError(err error) *InputError {
	var in *InputError
	if errors.As(err, &in) {
		return in
	}
	return nil
}
