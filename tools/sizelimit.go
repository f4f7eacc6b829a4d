package tools

import (
	"encoding/json"
	"strconv"
)

// SizeLimit is an integer input that bounds the size of the problem. The service sets and bounds it
// by the tier of the caller; in its own process a user has Max.
type SizeLimit struct {
	Input        string
	Default, Max int
}

// members returns the members of a JSON object, or nil.
func members(body []byte) (fields map[string]json.RawMessage) {
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	return fields
}

// WithSizeLimit returns body with a limit where it names none. It returns an *InputError for a body
// that names a larger one. A limit of 0 is the default. The tool checks everything else.
func (t *Tool) WithSizeLimit(body []byte, limit int) ([]byte, error) {
	if t.SizeLimit == nil {
		return body, nil
	}
	if limit <= 0 {
		limit = t.SizeLimit.Default
	}
	limit = min(limit, t.SizeLimit.Max)
	fields := members(body)
	if fields == nil {
		return body, nil
	}
	name := t.SizeLimit.Input
	given, found := fields[name]
	var value float64
	switch {
	case !found && limit == t.SizeLimit.Default:
		return body, nil
	case !found:
		fields[name] = strconv.AppendInt(nil, int64(limit), 10)
	case json.Unmarshal(given, &value) == nil && value > float64(limit):
		var faults FieldErrors
		faults.AddValue(name, value, "must be at most %d for this caller", limit)
		return nil, faults.Err()
	}
	// Encoded again: of two members of the same name the last is the one that was checked.
	return json.Marshal(fields)
}
