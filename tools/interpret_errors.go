package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// maxProblemValue is the maximum size in bytes of an invalid value in an error.
const maxProblemValue = 200

// unreadable records why a text is no number of a field: the error of the parser. A type with its
// own decoder has a better one, unless it has amounts or a physical unit.
func (r *reader) unreadable(n *schema.Node, path string, given any, cause error) {
	isAmount := strings.HasPrefix(n.Unit, "currency")
	if n.Kind == schema.CustomT && !isAmount && r.units.Base(n.Unit) == "" {
		r.problem(n, path, given, "")
		return
	}
	r.problem(n, path, given, " (the text "+cause.Error()+")")
}

// otherType records that a value is neither a number nor a text. given is the value as written,
// which may be a list with v alone.
func (r *reader) otherType(n *schema.Node, path string, v, given any) {
	switch v := v.(type) {
	case []any:
		r.problem(n, path, given, fmt.Sprintf(" (a list of %d values was given)", len(v)))
	case map[string]any:
		r.problem(n, path, given, " (an object was given; write the number alone)")
	case bool:
		r.problem(n, path, given, " (a boolean was given)")
	}
}

// outOfRange records a number that a field does not accept, and that a text or an object means.
func (r *reader) outOfRange(n *schema.Node, path, unit string, given any, number json.Number) {
	kind := "text"
	if _, ok := given.(string); !ok {
		kind = "value"
	}
	r.problem(n, path, given, fmt.Sprintf(" (the %s means %s)", kind,
		quantity.Join(number.String(), quantity.UnitText(unit))))
}

// problem records the error of a number as written. The strict decoder sees only its type, or the
// number that replaced it. The first error of a path remains.
func (r *reader) problem(n *schema.Node, path string, given any, remark string) {
	raw, err := rawjson.Marshal(given)
	if _, known := r.problems[path]; known || err != nil {
		return
	}
	detail := remark // of a type with its own decoder, which has the detail
	if n.Kind != schema.CustomT {
		detail = "must be " + n.Requirement() + remark
	}
	if len(raw) > maxProblemValue {
		raw = nil
	}
	if r.problems == nil {
		r.problems = map[string]schema.FieldError{}
	}
	r.problems[path] = schema.FieldError{Path: path, Detail: detail, Value: raw}
}

// renamed records the name under which the value of a field was given.
func (r *reader) renamed(path, field, written string) {
	if r.written == nil {
		r.written = map[string]string{}
	}
	r.written[at(path, field)] = written
}

// fieldErrors returns the errors of an input that the certain changes leave. strict are the errors
// of the input as written. left are those after the changes, among them guesses. A guess has its
// strict error if there is one. Missing fields of an object with an unreadable wrapper are no
// errors, because the wrapper may have them.
func (r *reader) fieldErrors(strict, left []schema.FieldError) []schema.FieldError {
	list := slices.Clone(r.errs)
	named := map[string]bool{} // names that the errors of their fields contain
	for _, f := range left {
		named[parentOf(f.Path)+r.written[f.Path]] = r.written[f.Path] != ""
	}
	isTwice := func(f schema.FieldError) bool {
		return slices.ContainsFunc(r.errs, func(d schema.FieldError) bool {
			return d.Path == f.Path || strings.HasPrefix(d.Path, f.Path+".") ||
				named[d.Path] && d.Path == parentOf(f.Path)+r.written[f.Path]
		})
	}
	for _, guess := range r.guesses {
		if named[guess.Path] || isTwice(guess) {
			continue
		}
		i := slices.IndexFunc(strict, func(f schema.FieldError) bool {
			return f.Path == guess.Path && f.Value != nil
		})
		if i >= 0 {
			guess = strict[i]
		}
		list = append(list, r.described(guess))
	}
	for _, f := range left {
		isMissing := f.Value == nil && strings.HasPrefix(f.Detail, schema.Missing)
		if !isTwice(f) && !(isMissing && r.incomplete[parentOf(f.Path)]) {
			list = append(list, r.described(f))
		}
	}
	return list
}

// parentOf returns the path of the enclosing object with a final dot, or "" at the top.
func parentOf(path string) string { return path[:strings.LastIndexByte(path, '.')+1] }

// described adds to an error the value and the name as written, and the cause.
func (r *reader) described(f schema.FieldError) schema.FieldError {
	if problem, ok := r.problems[f.Path]; ok {
		if problem.Detail == "" || strings.HasPrefix(problem.Detail, " ") {
			problem.Detail = f.Detail + problem.Detail
		}
		f = problem
	}
	if name := r.written[f.Path]; name != "" {
		f.Detail = fmt.Sprintf("given as %q; %s", name, f.Detail)
	}
	return f
}

// unreadableName returns the error of a valid input with an unknown member that certainly means a
// field. The member has an invalid value, or its field is given twice. It returns nil if there is
// no such member.
func (t *Tool) unreadableName(body []byte) *InputError {
	r := &reader{
		sources: t.sources, unsupported: t.Unsupported, noGuess: true, guessUnits: true,
	}
	v, ok := r.read(t.Input, "", body)
	raw, err := json.Marshal(v)
	if !ok || err != nil {
		return nil //nolint:nilerr // a body that is not an object has another error
	}
	if len(r.errs) > 0 {
		return &InputError{Fields: r.errs, certain: true}
	}
	_, err = t.Canonical(raw)
	left := AsInputError(err)
	if left == nil || !slices.ContainsFunc(left.Fields, func(f schema.FieldError) bool {
		return r.written[f.Path] != ""
	}) {
		return nil
	}
	return &InputError{Fields: r.fieldErrors(nil, left.Fields), certain: true}
}
