package tools

import (
	"encoding/json"
	"errors"
	"strings"

	"slipstick/tools/schema"
)

// InputError is the error of an invalid input (400), with all its field errors. It is never
// retried.
type InputError struct {
	Fields []schema.FieldError
	// Corrected is the input as it was probably meant; nil if that is unknown. See Interpret.
	Corrected json.RawMessage
	// Changes describe how Corrected differs from the input, a sentence each.
	Changes []string
	// Assumed are the fields of Corrected with the values of an example, which the caller has to
	// replace.
	Assumed []string
}

// Error lists the field errors.
func (e *InputError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Sentence()
	}
	return strings.Join(parts, "; ")
}

// Invalid returns an InputError for one field. The path is dotted with indices (stages[1].nf_db);
// the detail contains the error and the allowed values.
func Invalid(path, format string, args ...any) error {
	var f FieldErrors
	f.Add(path, format, args...)
	return f.Err()
}

// InvalidLine is Invalid for a text field of several lines, such as a netlist; line counts
// from 1; 0 is no single line.
func InvalidLine(path string, line int, format string, args ...any) error {
	return &InputError{
		Fields: []schema.FieldError{{Path: path, Line: line, Detail: sentence(format, args...)}},
	}
}

// FieldErrors collects the errors of an input, so that the user gets all of them at once.
type FieldErrors struct {
	list []schema.FieldError
}

// Add adds an error of a field.
func (f *FieldErrors) Add(path, format string, args ...any) {
	f.list = append(f.list, schema.FieldError{Path: path, Detail: sentence(format, args...)})
}

// AddValue adds an error of a field with its value.
func (f *FieldErrors) AddValue(path string, value any, format string, args ...any) {
	raw, err := json.Marshal(value)
	if err != nil || len(raw) > 200 {
		raw = nil
	}
	f.list = append(f.list,
		schema.FieldError{Path: path, Detail: sentence(format, args...), Value: raw})
}

// AddLine adds an error in a text of several lines. line counts from 1; 0 is no single line.
func (f *FieldErrors) AddLine(path string, line int, format string, args ...any) {
	f.list = append(f.list,
		schema.FieldError{Path: path, Line: line, Detail: sentence(format, args...)})
}

// Err returns an *InputError, or nil without errors.
func (f *FieldErrors) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &InputError{Fields: f.list}
}

// AsInputError returns the InputError in err's chain, or nil.
func AsInputError(err error) *InputError {
	var in *InputError
	if errors.As(err, &in) {
		return in
	}
	return nil
}
