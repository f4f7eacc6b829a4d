package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
// and the text outside. A text without fences or with JSON at its start is all inside.
func unfenced(written string) (inside, outside string) {
	before, after, open := strings.Cut(written, "```")
	inside, rest, closed := strings.Cut(after, "```")
	if !open || !closed || strings.HasPrefix(before, "{") || strings.HasPrefix(before, "[") {
		return written, ""
	}
	inside = strings.TrimSpace(withoutLanguage(inside))
	return inside, strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(rest))
}

// withoutLanguage removes the name of a language after a Markdown fence. Another first line is a
// value of a list, unless JSON or assignments follow it.
func withoutLanguage(inside string) string {
	name := language.FindString(inside)
	after := strings.TrimSpace(inside[len(name):])
	isJSON := strings.HasPrefix(after, "{") || strings.HasPrefix(after, "[")
	if slices.Contains(languages, strings.ToLower(strings.TrimSpace(name))) || isJSON ||
		assignments(after) != nil {
		return after
	}
	return inside
}

var (
	// language matches a first line that may be the name of a language.
	language = regexp.MustCompile(`^(?:[A-Za-z][\w+-]*[ \t\r]*\n|json\b)`)
	// languages are the languages of texts without JSON or assignments.
	languages = strings.Fields("json text txt plaintext spice csv tsv yaml")
)

// listed splits a text into the values of a list, which are numbers or words.
func (r *reader) listed(n *schema.Node, unit, written string) ([]any, error) {
	isNumeric := isNumber(n.Elem) || n.Elem.Kind == schema.CustomT
	if !isNumeric || strings.Contains(written, "\x00") {
		return entriesOf(words(written)), nil
	}
	if unit == "" || unit == "1" {
		unit = quantity.AnyPrefix
	}
	values, err := r.numbers(n, unit, written)
	if err == nil && r.mixesUnits(unit, values) {
		err = errors.New("has a unit behind some values alone; write it behind each")
	}
	return entriesOf(values), err
}

// words splits a text at commas, semicolons and spaces outside of parentheses: v(in,out) is one
// vector.
func words(written string) []string {
	depth := 0
	return strings.FieldsFunc(written, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (c == ',' || c == ';' || unicode.IsSpace(c))
	})
}

// numbers splits a text into numbers: at semicolons, at commas and line ends, or else at spaces. A
// comma between two digits may also be a decimal comma or separate thousands, and so may a space
// before three digits. The error names both readings if the list accepts both.
func (r *reader) numbers(n *schema.Node, unit, written string) ([]string, error) {
	if strings.Contains(written, ";") {
		return trimmedFields(written, ";\n"), nil
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
	var joined []string
	if len(separate) == len(parts) {
		joined = withGroups(parts)
		if !r.isMoreEven(unit, joined, parts) {
			return parts, nil
		}
	} else {
		for _, part := range parts {
			joined = append(joined, withoutComma(part))
		}
	}
	switch {
	case !r.acceptsAll(n, unit, joined):
		return separate, nil
	case r.acceptsAll(n, unit, separate):
		return nil, fmt.Errorf("could mean %s or %s; write a JSON list", shownList(separate),
			shownList(joined))
	}
	return joined, nil
}

// withGroups joins groups of three digits with the digits before them, as in 1 200.
func withGroups(parts []string) (joined []string) {
	for _, part := range parts {
		last := len(joined) - 1
		if last >= 0 && leading.MatchString(joined[last]) && group.MatchString(part) {
			joined[last] += " " + part
			continue
		}
		joined = append(joined, part)
	}
	return joined
}

// isMoreEven reports whether the numbers of a reading differ less in size than those of another
// reading, which are in no order. 1 200, 1 300 and 1 250 are more probable than 1, 200, 1, 300, 1
// and 250. Values such as 98, 102, 99 and 103, or 1, 10 and 100, are no groups of digits.
func (r *reader) isMoreEven(unit string, joined, separate []string) bool {
	if len(joined) < 2 || len(joined) == len(separate) {
		return false
	}
	const clearly = 3
	spread, _ := r.spread(unit, joined)
	wider, isSorted := r.spread(unit, separate)
	return !isSorted && spread*clearly < wider
}

// spread returns the ratio of the greatest to the least magnitude above 0 of numbers, and whether
// the numbers are in ascending order. It ignores other texts.
func (r *reader) spread(unit string, written []string) (ratio float64, isSorted bool) {
	var values []float64
	least, greatest := math.Inf(1), 0.0
	for _, w := range written {
		v, err := r.quantity(w, unit)
		if err != nil {
			continue
		}
		values = append(values, v)
		if v = math.Abs(v); v > 0 {
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	return greatest / least, slices.IsSorted(values)
}

// mixesUnits reports whether a list has numbers without a unit beside ones in another unit than the
// field's. It is uncertain to which numbers this unit belongs. A prefix belongs to its number.
func (r *reader) mixesUnits(unit string, values []string) bool {
	var without, with bool
	for _, value := range values {
		behind := strings.TrimSpace(value[strings.LastIndexFunc(value, unicode.IsDigit)+1:])
		if behind == "" {
			number, err := r.quantity(value, unit)
			without = without || err == nil && number != 0
			continue
		}
		size, err := r.quantity("1 "+behind, unit)
		with = with || err == nil && size != 1 && !r.isPrefix(behind, unit)
	}
	return with && without
}

// isPrefix reports whether a text behind a number is a prefix of the field's unit rather than a
// unit. For a length, m is the meter.
func (r *reader) isPrefix(behind, unit string) bool {
	_, err := r.units.Quantity("1"+behind, quantity.AnyPrefix)
	return err == nil && behind != r.units.Base(unit)
}

var (
	// betweenDigits matches a comma between a digit and another digit or a letter. It leaves this
	// character to the next match: 1,2,3 has two matches.
	betweenDigits = regexp.MustCompile(`(\d),\b`)
	// zeros matches the second group of digits of a number such as 1 000.
	zeros = regexp.MustCompile(`^0\d\d$`)
	// leading matches the digits of a number before a space between thousands.
	leading = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}( \d{3})*$`)
	// group matches three digits after a space between thousands.
	group = regexp.MustCompile(`^\d{3}(\D|$)`)
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
		if raw, err := json.Marshal(value); err == nil && n.Elem.Accepts(raw) {
			return false
		}
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
