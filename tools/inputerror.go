package tools

import (
	"encoding/json"
	"errors"
	"strings"

	"slipstick/tools/schema"
)

// InputError is returned for an invalid input (HTTP status 400). It contains all field errors. A
// retry with the same input fails again.
type InputError struct {
	Fields []schema.FieldError
	// Corrected is a corrected input, or nil if none is known. See Interpret.
	Corrected json.RawMessage
	// Changes describes how Corrected differs from the input, one sentence per change.
	Changes []string
	// Assumed lists the fields of Corrected with values of an example, which the caller must
	// replace.
	Assumed []string
	// Omitted lists the optional fields with an invalid value that Corrected lacks.
	Omitted []OmittedField
	// LeftOut lists the unknown names whose values Corrected lacks. It then has another meaning
	// than the input.
	LeftOut []string
	unknown map[string]any // the values of these names

	// certain reports that a recognized field has an invalid value, although the input is valid
	// because the field is written under an unknown name.
	certain bool
}

// OmittedField is an optional field whose invalid value a corrected input lacks.
type OmittedField struct {
	Path       string
	HasDefault bool
}

// Error lists the field errors.
func (e *InputError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Sentence()
	}
	return strings.Join(parts, "; ")
}

// Invalid returns an InputError for one field. The path is dotted, with indices (stages[1].nf_db).
// The detail states the error and the allowed values.
func Invalid(path, format string, args ...any) error {
	var f FieldErrors
	f.Add(path, format, args...)
	return f.Err()
}

// InvalidValue returns an InputError for one field with its invalid value, as AddValue does.
func InvalidValue(path string, value any, format string, args ...any) error {
	var f FieldErrors
	f.AddValue(path, value, format, args...)
	return f.Err()
}

// InvalidLine is the variant of Invalid for a text field of several lines, such as a netlist. Lines
// are counted from 1; 0 means no particular line.
func InvalidLine(path string, line int, format string, args ...any) error {
	return &InputError{
		Fields: []schema.FieldError{{Path: path, Line: line, Detail: sentence(format, args...)}},
	}
}

// FieldErrors collects all errors of an input, so the user receives them together.
type FieldErrors struct {
	list []schema.FieldError
}

// Add adds an error for the field at path. See Invalid for the path and the detail.
func (f *FieldErrors) Add(path, format string, args ...any) {
	f.list = append(f.list, schema.FieldError{Path: path, Detail: sentence(format, args...)})
}

// AddValue adds an error for the field at path with its invalid value. It omits a value whose JSON
// exceeds 200 bytes.
func (f *FieldErrors) AddValue(path string, value any, format string, args ...any) {
	raw, err := json.Marshal(value)
	if err != nil || len(raw) > 200 {
		raw = nil
	}
	f.list = append(f.list,
		schema.FieldError{Path: path, Detail: sentence(format, args...), Value: raw})
}

// AddLine adds an error for one line of a multi-line text. Lines are counted from 1; 0 means no
// particular line.
func (f *FieldErrors) AddLine(path string, line int, format string, args ...any) {
	f.list = append(f.list,
		schema.FieldError{Path: path, Line: line, Detail: sentence(format, args...)})
}

// Err returns an *InputError, or nil if there are no errors.
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
