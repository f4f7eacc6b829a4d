package tools

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"slipstick/tools/schema"
)

// unpack parses a text for a node that expects an object or a list: JSON, assignments, or a list of
// values. It returns other texts unchanged. The error is the reason why a text that has values
// cannot be read for certain.
func (r *reader) unpack(n *schema.Node, path, unit, written string) (v any, err error) {
	inside, outside := unfenced(strings.TrimSpace(written))
	if mayHaveValue(outside) {
		return nil, errors.New("may have values outside of the Markdown fences; write JSON alone")
	}
	switch {
	case strings.HasPrefix(inside, "{"), strings.HasPrefix(inside, "["):
		if v, err = r.unpackJSON(path, inside); err != nil {
			return nil, err
		}
	case n.Kind == schema.Object && assignments(inside) != nil:
		m := assignments(inside)
		r.note(path, "the text is read as %d fields", len(m))
		v = m
	case n.Kind == schema.Array && n.Elem.Kind != schema.Object:
		list, err := r.listed(n, unit, inside)
		if err != nil {
			return nil, err
		}
		r.note(path, "the text is read as a list of %d values", len(list))
		v = list
	default:
		return written, nil
	}
	if outside != "" {
		r.note(path, "the text outside of the Markdown fences is ignored")
	}
	return v, nil
}

// unpackJSON parses JSON with text after it that has no values.
func (r *reader) unpackJSON(path, written string) (any, error) {
	v, after, err := parseFirst([]byte(written))
	if err != nil {
		return nil, errors.New("is not valid JSON")
	}
	rest := strings.Trim(string(after), " \t\r\n.;,")
	_, isList := v.([]any)
	if rest != "" && (isList || mayHaveValue(rest)) {
		return nil, errors.New("may have values after the JSON; write JSON alone")
	}
	r.note(path, "the text is read as JSON")
	if rest != "" {
		r.note(path, "the text after the JSON is ignored")
	}
	return v, nil
}

// mayHaveValue reports whether a text beside JSON may have values. A colon at its end announces the
// JSON.
func mayHaveValue(beside string) bool {
	return strings.ContainsAny(strings.TrimRight(beside, ": \t\r\n"), "{[=:") ||
		strings.ContainsFunc(beside, unicode.IsDigit)
}

// assignments parses a text such as "freq_mhz=915, dist_km=5". It returns nil for other texts.
func assignments(written string) map[string]any {
	m := map[string]any{}
	split := func(c rune) bool { return c == ',' || c == ';' || c == '&' || c == '\n' }
	for _, part := range strings.FieldsFunc(written, split) {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			name, value, ok = strings.Cut(part, ":")
		}
		name = strings.TrimSpace(name)
		if _, twice := m[name]; !ok || name == "" || twice {
			return nil
		}
		m[name] = strings.TrimSpace(value)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// unfenced returns the text between the first two Markdown fences without the name of a language,
// and the text outside. A text without fences, or one that begins with JSON, is inside as a whole.
func unfenced(written string) (inside, outside string) {
	before, after, open := strings.Cut(written, "```")
	inside, rest, closed := strings.Cut(after, "```")
	if !open || !closed || strings.HasPrefix(before, "{") || strings.HasPrefix(before, "[") {
		return written, ""
	}
	inside = strings.TrimSpace(language.ReplaceAllString(inside, ""))
	return inside, strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(rest))
}

// language matches the name of a language after a Markdown fence.
var language = regexp.MustCompile(`^(?:[A-Za-z][\w+-]*[ \t\r]*\n|json\b)`)

// listed splits a text into the values of a list.
func (r *reader) listed(n *schema.Node, unit, written string) ([]any, error) {
	list := []any{}
	for _, part := range strings.FieldsFunc(written, func(c rune) bool {
		return c == ',' || c == ';' || unicode.IsSpace(c)
	}) {
		list = append(list, part)
	}
	return list, nil
}
