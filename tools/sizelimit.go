package tools

import (
	"encoding/json"
	"strconv"

	"slipstick/internal/rawjson"
)

// SizeLimit is an integer input that limits the size of the problem. The service sets it and limits
// it by the caller's tier. A user who runs the tool locally may use Max.
type SizeLimit struct {
	Input        string
	Default, Max int
}

// WithSizeLimit sets the limit in a body that lacks it. It returns an *InputError if the body
// contains a larger limit. A limit of 0 means the default. The tool checks everything else.
func (t *Tool) WithSizeLimit(body []byte, limit int) ([]byte, error) {
	if t.SizeLimit == nil {
		return body, nil
	}
	if limit <= 0 {
		limit = t.SizeLimit.Default
	}
	limit = min(limit, t.SizeLimit.Max)
	fields := rawjson.Object(body)
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
		var errs FieldErrors
		errs.AddValue(name, value, "must be at most %d for this caller", limit)
		return nil, errs.Err()
	}
	// Re-encoding removes duplicate members; the last one was checked.
	return json.Marshal(fields)
}
