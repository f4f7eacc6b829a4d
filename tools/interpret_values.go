package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"slipstick/internal/text"
	"slipstick/tools/schema"
)

// array interprets a list. A single value that is not a text becomes a list with one entry. An
// object may also become a list of its members, see entries.
func (r *reader) array(n *schema.Node, path, unit string, v any) any {
	list, ok := v.([]any)
	if !ok {
		if _, isText := v.(string); isText || v == nil {
			return v
		}
		if m, ok := v.(map[string]any); ok {
			if list, ok := entries(n.Elem, m); ok {
				r.duplicates(path, m)
				r.note(path, "the object is read as a list of its %d members", len(list))
				return r.array(n, path, unit, list)
			}
		}
		r.note(path, "the single value is read as a list of one")
		list = []any{v}
	}
	for i, inner := range list {
		list[i] = r.value(n.Elem, fmt.Sprintf("%s[%d]", path, i), unit, inner)
	}
	return list
}

// entries converts the members of an object to a list of objects. The name of a member becomes the
// value of the first field, a text. If its value is an object, the members of this object become
// further fields. Any other value becomes the value of the first other field that is a list or
// required, or else of the second field. ok is false if the name of a member is itself a field of
// the entries, or if an object contains no known field.
func entries(n *schema.Node, m map[string]any) (list []any, ok bool) {
	if n.Kind != schema.Object || len(n.Fields) < 2 || n.Fields[0].Kind != schema.String {
		return nil, false
	}
	key := n.Fields[0]
	rest := slices.Clone(n.Fields[1:])
	if i := slices.IndexFunc(rest, func(f *schema.Field) bool {
		return f.Kind == schema.Array || f.Required
	}); i > 0 {
		rest[0] = rest[i]
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		entry := map[string]any{}
		switch v := m[name].(type) {
		case map[string]any:
			known := false
			for member, inner := range v {
				known = known || n.Field(member) != nil
				entry[member] = inner
			}
			if !known {
				return nil, false
			}
		default:
			entry[rest[0].Name] = v
		}
		if n.Field(name) != nil || entry[key.Name] != nil {
			return nil, false
		}
		entry[key.Name] = name
		list = append(list, entry)
	}
	return list, len(list) > 0
}

// text interprets an enum value in another case or spelling, a list of lines as one text, and a
// number as its digits.
func (r *reader) text(n *schema.Node, path string, v any) any {
	switch x := v.(type) {
	case json.Number:
		v = x.String()
		if raw, err := json.Marshal(v); err == nil && n.Accepts(raw) {
			r.note(path, "the number is read as the text %q", v)
			return v
		}
	case []any:
		var lines []string
		for _, l := range x {
			line, ok := l.(string)
			if !ok {
				return v
			}
			lines = append(lines, line)
		}
		if len(n.Enum) == 0 && len(lines) > 0 {
			r.note(path, "the list is read as a text of %d lines", len(lines))
			return strings.Join(lines, "\n")
		}
		if len(lines) == 1 {
			v = lines[0]
		}
	}
	word, ok := v.(string)
	if !ok || len(n.Enum) == 0 {
		return v
	}
	for _, e := range n.Enum {
		if squeezed(e) == squeezed(word) {
			r.note(path, "%q is read as %q", text.Truncate(word, 60), e)
			return e
		}
	}
	if e := synonym(text.Truncate(word, 60), n.Enum); e != "" {
		r.note(path, "%q is read as %q", text.Truncate(word, 60), e)
		return e
	}
	if near := misspelt(word, n.Enum); near != "" {
		r.guess(path, "%q is unknown; was %q meant?", text.Truncate(word, 60), near)
		return near
	}
	if among := withWord(word, n.Enum); len(among) > 0 {
		r.guess(path, "%q is unknown; was %s meant?", text.Truncate(word, 60),
			strings.Join(among, " or "))
		return among[0]
	}
	return v
}

// dateLayouts are the unambiguous formats of a date.
var dateLayouts = []string{
	"January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006",
	"2006/1/2", "2006.1.2", "2006-1-2", "20060102", time.RFC3339, "2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// date interprets a date in a format other than YYYY-MM-DD, for a field whose example is a date. ok
// is false for other fields and values.
func (r *reader) date(n *schema.Node, path string, v any) (date string, ok bool) {
	written, isText := v.(string)
	if !isText || !takesDate(n) || isDate(written) {
		return "", false
	}
	written = strings.TrimSpace(written)
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, written); err == nil {
			date = t.Format(time.DateOnly)
			r.note(path, "%q is read as %s", written, date)
			return date, true
		}
	}
	for _, layout := range []string{"2.1.2006", "1/2/2006", "2/1/2006"} {
		if t, err := time.Parse(layout, written); err == nil {
			date = t.Format(time.DateOnly)
			r.guess(path, "%q: day and month are ambiguous; was %s meant?", written, date)
			return date, true
		}
	}
	return "", false
}

// takesDate reports whether the example of a field is a date.
func takesDate(n *schema.Node) bool {
	return n.Kind == schema.String && len(n.Example) == len(`"2006-01-02"`) &&
		isDate(strings.Trim(string(n.Example), `"`))
}

// isDate reports whether a text is a date in the format of the tools.
func isDate(written string) bool {
	_, err := time.Parse(time.DateOnly, written)
	return err == nil
}

// squeezed returns a word in lower case without separators.
func squeezed(word string) string {
	separators := strings.NewReplacer("_", "", "-", "", " ", "", "/", "", ".", "")
	return strings.ToLower(separators.Replace(word))
}

// boolean interprets words and numbers that mean true or false.
func (r *reader) boolean(path string, v any) any {
	var truth bool
	switch strings.ToLower(fmt.Sprint(v)) {
	case "true", "yes", "on", "1", "y":
		truth = true
	case "false", "no", "off", "0", "n":
	default:
		return v
	}
	r.note(path, "%v is read as %t", text.Truncate(fmt.Sprint(v), 60), truth)
	return truth
}
