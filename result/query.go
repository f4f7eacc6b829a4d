package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools/schema"
)

// MaxBytes is the maximum size of a part in bytes, unless Query.Whole is set.
const MaxBytes = 256_000

// MaxPoints is the maximum value of Query.Points.
const MaxPoints = 1_000_000

// Query selects points of vectors. The zero value selects all vectors, with as many points as fit
// into MaxBytes.
type Query struct {
	Vectors  []string // names, without _mag and _phase_deg for complex values; empty: all
	From, To *float64 // sweep range in the unit of the sweep (time [s], frequency [Hz]), inclusive
	Points   int      // maximum number of points, including extremes; 0: as many as fit
	Whole    bool     // disables the limit MaxBytes
}

// QueryError reports an invalid parameter. Its text names the parameter, the value and the allowed
// values.
type QueryError struct{ Parameter, Problem string }

// Error returns the parameter and its problem.
func (e *QueryError) Error() string { return e.Parameter + ": " + e.Problem }

// ErrNoPart indicates that a result has no part with the given name.
var ErrNoPart = errors.New("the result has no part of that name")

// Parameters returns the names of the parameters that ParseQuery accepts.
func Parameters() []string { return []string{"vectors", "from", "to", "points", "whole"} }

// ParseQuery parses vectors (names separated by commas), from, to, points and whole (true or
// false). It returns a *QueryError for an unknown, repeated or invalid parameter.
func ParseQuery(values url.Values) (q Query, err error) {
	for name, list := range values {
		if !slices.Contains(Parameters(), name) {
			return q, &QueryError{
				cut(name), "unknown; the parameters are " + strings.Join(Parameters(), ", "),
			}
		}
		if len(list) > 1 {
			return q, &QueryError{name, "must be given once"}
		}
	}
	if v := values.Get("vectors"); v != "" {
		q.Vectors = splitNames(v)
	}
	for name, bound := range map[string]**float64{"from": &q.From, "to": &q.To} {
		if written := values.Get(name); written != "" {
			v, err := strconv.ParseFloat(written, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return q, &QueryError{name, fmt.Sprintf(
					"must be a number in the unit of the sweep such as 1e-3, got %q", cut(written))}
			}
			*bound = &v
		}
	}
	if q.From != nil && q.To != nil && *q.From > *q.To {
		return q, &QueryError{"from", fmt.Sprintf("must be at most to (%g), got %g",
			*q.To, *q.From)}
	}
	if written := values.Get("points"); written != "" {
		q.Points, err = strconv.Atoi(written)
		if err != nil || q.Points < 2 || q.Points > MaxPoints {
			return q, &QueryError{"points", fmt.Sprintf(
				"must be a whole number from 2 to %d, got %q", MaxPoints, cut(written))}
		}
	}
	switch whole := values.Get("whole"); whole {
	case "", "false":
	case "true":
		q.Whole = true
	default:
		return q, &QueryError{"whole", fmt.Sprintf("must be true or false, got %q", cut(whole))}
	}
	return q, nil
}

// maxEcho is the maximum number of bytes of client text that an error repeats.
const maxEcho = 64

// ReadPart parses the path of a part, with escaped steps between slashes, and its query string. The
// error is a *QueryError.
func ReadPart(path, query string) (steps []string, q Query, err error) {
	for path != "" {
		var step string
		step, path, _ = strings.Cut(path, "/")
		if step, err = url.PathUnescape(step); err != nil {
			return nil, q, &QueryError{"path", "is not well formed"}
		}
		steps = append(steps, step)
	}
	// A plus sign in a vector name must not be decoded as a space.
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil {
		return nil, q, &QueryError{"query", "is not well formed"}
	}
	q, err = ParseQuery(values)
	return steps, q, err
}

// cut truncates client text for use in an error.
func cut(s string) string { return text.Truncate(s, maxEcho) }

// splitNames splits a list at commas outside parentheses because v(a,b) is a single name.
func splitNames(list string) (names []string) {
	depth, begin := 0, 0
	add := func(end int) {
		if name := strings.ToLower(strings.TrimSpace(list[begin:end])); name != "" {
			names = append(names, name)
		}
		begin = end + 1
	}
	for i, c := range []byte(list) {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			add(i)
		}
	}
	add(len(list))
	return names
}

// ofVectors reports whether the query selects vectors, a range or a number of points.
func (q *Query) ofVectors() bool {
	return len(q.Vectors) > 0 || q.From != nil || q.To != nil || q.Points > 0
}

// Select returns the part of a result at a path and applies a query to its vectors. A path step is
// a member name or a list index. uri is the address of the complete result, node is its schema.
//
// Unless q.Whole is set, a result above MaxBytes loses points and entries, which its warnings list.
// Vectors above MaxBytes lose points, as their remark states. For any other part above MaxBytes,
// Select returns a *QueryError. It returns an error that wraps ErrNoPart for a path that does not
// exist, and a *QueryError for an invalid query.
func Select(
	node *schema.Node, raw json.RawMessage, path []string, q Query, uri string,
) (json.RawMessage, error) {
	part := raw
	for _, step := range path {
		if part = child(part, step); part == nil {
			return nil, fmt.Errorf("%w: %s", ErrNoPart, cut(step))
		}
	}
	named := len(path) > 0 && path[len(path)-1] == "vectors"
	switch {
	case q.ofVectors():
		return selectVectors(part, named, q)
	case len(part) <= MaxBytes || q.Whole:
		return part, nil
	case len(path) == 0:
		short, remarks := Shorten(node, part, MaxBytes-maxNotes*maxNote, uri)
		return withRemarks(short, remarks), nil
	case named:
		return selectVectors(part, named, q)
	}
	return nil, &QueryError{"whole", fmt.Sprintf(
		"must be true for this part, which has %d kB: a part above %d kB is read as a whole only on "+
			"request; parts of vectors are selected by vectors, from, to and points",
		len(part)/1000, MaxBytes/1000)}
}

// child returns a member of an object or an entry of a list, or nil if it does not exist.
func child(raw json.RawMessage, step string) (found json.RawMessage) {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{':
		rawjson.Members(raw, func(name, value []byte) {
			if string(name) == step {
				found = value
			}
		})
	case '[':
		if i, err := strconv.Atoi(step); err == nil && i >= 0 {
			if items := rawjson.Elements(raw); i < len(items) {
				found = items[i]
			}
		}
	}
	return found
}

// withRemarks adds remarks to the warnings of a result.
func withRemarks(raw json.RawMessage, remarks []string) json.RawMessage {
	var object map[string]json.RawMessage
	if len(remarks) == 0 || json.Unmarshal(raw, &object) != nil {
		return raw
	}
	var warnings []string
	_ = json.Unmarshal(object["warnings"], &warnings) // absent: none
	list, err := rawjson.Marshal(append(warnings, remarks...))
	if err != nil {
		return raw
	}
	object["warnings"] = list
	if with, err := rawjson.Marshal(object); err == nil {
		return with
	}
	return raw
}
