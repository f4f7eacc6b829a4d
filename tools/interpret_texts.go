package tools

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slipstick/tools/quantity"
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

// listed splits a text into the values of a list: at semicolons, at commas and line ends, or else
// at spaces. A comma between two digits may also be a decimal comma or separate thousands. The
// error names both readings if the list accepts both.
func (r *reader) listed(n *schema.Node, unit, written string) ([]any, error) {
	isNumeric := n.Elem.Kind == schema.Number || n.Elem.Kind == schema.Integer
	if !isNumeric || strings.Contains(written, "\x00") {
		return entriesOf(strings.FieldsFunc(written, func(c rune) bool {
			return c == ',' || c == ';' || unicode.IsSpace(c)
		})), nil
	}
	if strings.Contains(written, ";") {
		return entriesOf(trimmedFields(written, ";\n")), nil
	}
	whole := betweenDigits.ReplaceAllString(written, "$1\x00") // hides the commas between digits
	parts := strings.Fields(whole)
	if strings.Contains(whole, ",") {
		parts = trimmedFields(whole, ",\n")
	}
	if slices.ContainsFunc(parts, zeros.MatchString) {
		return nil, errors.New("could have spaces between thousands; write a JSON list")
	}
	separate := trimmedFields(strings.Join(parts, ","), ",\x00")
	if len(separate) > maxValues {
		return nil, fmt.Errorf("has more than %d values; write a JSON list", maxValues)
	}
	if len(separate) == len(parts) {
		return entriesOf(parts), nil
	}
	joined := make([]string, 0, len(parts))
	for _, part := range parts {
		joined = append(joined, withoutComma(part))
	}
	if unit == "" || unit == "1" {
		unit = quantity.AnyPrefix
	}
	switch {
	case !r.acceptsAll(n, unit, joined):
		return entriesOf(separate), nil
	case r.acceptsAll(n, unit, separate):
		return nil, fmt.Errorf("could mean %s or %s; write a JSON list", shownList(separate),
			shownList(joined))
	}
	return entriesOf(joined), nil
}

var (
	// betweenDigits matches a comma between two digits, without the second one.
	betweenDigits = regexp.MustCompile(`(\d),\b`)
	// zeros matches the second group of digits of a number such as 1 000.
	zeros = regexp.MustCompile(`^0\d\d$`)
	// grouped matches a number with commas, hidden as zero bytes, between thousands.
	grouped = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(\x00\d{3})+\b`)
)

// withoutComma returns a number whose hidden commas separate thousands or stand for the decimal
// point.
func withoutComma(part string) string {
	if grouped.MatchString(part) {
		return strings.ReplaceAll(part, "\x00", "")
	}
	return strings.ReplaceAll(part, "\x00", ".")
}

// acceptsAll reports whether texts are numbers that a list accepts.
func (r *reader) acceptsAll(n *schema.Node, unit string, values []string) bool {
	if len(values) < n.MinItems || n.MaxItems > 0 && len(values) > n.MaxItems {
		return false
	}
	return !slices.ContainsFunc(values, func(value string) bool {
		v, err := r.quantity(value, unit)
		return err != nil || !n.Elem.Accepts(strconv.AppendFloat(nil, v, 'g', -1, 64))
	})
}

// trimmedFields splits a text at characters and returns the parts that are not blank.
func trimmedFields(written, separators string) (fields []string) {
	for f := range strings.FieldsFuncSeq(written, func(c rune) bool {
		return strings.ContainsRune(separators, c)
	}) {
		if f = strings.TrimSpace(f); f != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// entriesOf returns texts as the entries of a list.
func entriesOf(texts []string) []any {
	list := make([]any, 0, len(texts))
	for _, t := range texts {
		list = append(list, t)
	}
	return list
}

// shownList returns the first values of a list as an error shows them.
func shownList(values []string) string {
	const shown = 4
	if len(values) > shown {
		values = append(slices.Clone(values[:shown]), "...")
	}
	return "[" + strings.Join(values, ", ") + "]"
}
