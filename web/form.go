package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Values maps field paths of a form to texts: freq_mhz, stages.0.nf_db, and params.0.name with
// params.0.value for a user-defined name.
type Values map[string]string

// Query parses a query string or a posted form. It skips invalid parts and keeps the first value of
// a repeated name.
func Query(raw string) Values {
	parsed, _ := url.ParseQuery(raw) // skips invalid parts
	v := Values{}
	for name, all := range parsed {
		v[name] = all[0]
	}
	return v
}

// Encode encodes the values as a query string, sorted by path.
func (v Values) Encode() string {
	q := url.Values{}
	for name, text := range v {
		q.Set(name, text)
	}
	return q.Encode()
}

// fill adds the values of a JSON input below a path.
func (v Values) fill(path string, raw json.RawMessage) {
	at := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && object != nil {
		for name, one := range object {
			v.fill(at(name), one)
		}
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 &&
		bytes.HasPrefix(bytes.TrimSpace(list[0]), []byte("{")) {
		for i, one := range list {
			v.fill(at(strconv.Itoa(i)), one)
		}
		return
	}
	v[path] = fieldText(raw)
}

// pairsToRows converts params.r_ohms=1000 to params.0.name=r_ohms and params.0.value=1000 because
// the form has a row per user-defined name.
func (v Values) pairsToRows(fields []Field) {
	for _, f := range fields {
		if f.Kind != Pairs {
			continue
		}
		var names []string
		for path := range v {
			if name, ok := strings.CutPrefix(path, f.Name+"."); ok && !pairPath.MatchString(name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for i, name := range names {
			v[fmt.Sprintf("%s.%d.name", f.Name, i)] = name
			v[fmt.Sprintf("%s.%d.value", f.Name, i)] = v[f.Name+"."+name]
			delete(v, f.Name+"."+name)
		}
	}
}

// moveAliases moves values of an alias to its field and adds the unit: c_nf=100 becomes c_f=100 nF.
// If both have a value, they remain and the tool reports the conflict.
func (v Values) moveAliases(fields []Field) {
	for _, f := range fields {
		text := strings.TrimSpace(v[f.Name])
		if f.Alias == "" || text == "" || v[f.Alias] != "" {
			continue
		}
		if jsonNumber.MatchString(text) {
			text += " " + f.Unit
		}
		v[f.Alias] = text
		delete(v, f.Name)
	}
}

var pairPath = regexp.MustCompile(`^\d+\.(name|value)$`)

// FieldError is an error in the field at a path. The path "" denotes the whole form.
type FieldError struct {
	Path   string
	Label  string
	Detail string
}

// largestRow is the largest valid row index. Paths with a larger index are ignored.
const largestRow = 2000

// Body converts the values to the JSON input of a tool. It omits empty fields.
func (s *Site) Body(t *Tool, v Values) (json.RawMessage, []FieldError) {
	r := reader{site: s, values: v}
	body := r.object("", t.Input)
	return json.RawMessage(body), r.mistakes
}

type reader struct {
	site     *Site
	values   Values
	mistakes []FieldError
}

func (r *reader) wrong(path, label, format string, args ...any) {
	r.mistakes = append(r.mistakes, FieldError{path, label, fmt.Sprintf(format, args...)})
}

// object converts the fields below a path. If all of them are empty, it returns "", or {} for the
// whole form.
func (r *reader) object(path string, fields []Field) string {
	var parts []string
	for _, f := range fields {
		if one := r.field(join(path, f.Name), f); one != "" {
			parts = append(parts, quoted(f.Name)+":"+one)
		}
	}
	if len(parts) == 0 && path != "" {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(b.String())
}

// field returns a field as JSON, or "" if it is empty.
func (r *reader) field(path string, f Field) string {
	switch f.Kind {
	case Group:
		return r.object(path, f.Fields)
	case Rows:
		return r.rows(path, f)
	case Pairs:
		return r.pairs(path, f)
	}
	text := r.values[path]
	if f.Kind != Text {
		text = strings.TrimSpace(text)
	}
	if text == "" {
		return ""
	}
	switch f.Kind {
	case Quantity:
		unit := f.Unit
		if f.UnitFrom != nil {
			if picked := r.values[strings.TrimSuffix(path, f.Name)+f.UnitFrom.Field]; picked != "" {
				unit = f.UnitFrom.Of(picked)
			}
		}
		return r.number(path, f.Label, text, unit)
	case Literal:
		if plainNumber.MatchString(text) || f.Number && jsonNumber.MatchString(text) {
			return text
		}
		return quoted(text)
	case Switch:
		if text != "true" && text != "false" {
			r.wrong(path, f.Label, "must be yes or no")
			return ""
		}
		return text
	case Numbers:
		var parts []string
		for _, one := range listSplit.Split(text, -1) {
			if one != "" {
				parts = append(parts, r.number(path, f.Label, one, f.Unit))
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	case Words:
		var parts []string
		for _, one := range wordSplit.Split(text, -1) {
			if one != "" {
				parts = append(parts, quoted(one))
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return quoted(text)
}

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)
	// plainNumber matches texts that a JSON number represents without loss. "0.0450" would lose its
	// last digit.
	plainNumber = regexp.MustCompile(`^(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?$`)
	listSplit   = regexp.MustCompile(`[\s;]+|,\s+|,$`)
	wordSplit   = regexp.MustCompile(`[\s,;]+`)
)

func (r *reader) number(path, label, text, unit string) string {
	v, err := r.site.units.Quantity(text, unit)
	if err != nil {
		r.wrong(path, label, "%s", err)
		return "null"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// rows converts a list of objects. It skips empty rows.
func (r *reader) rows(path string, f Field) string {
	var parts []string
	for _, i := range r.indices(path) {
		if one := r.object(join(path, strconv.Itoa(i)), f.Fields); one != "" {
			parts = append(parts, one)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (r *reader) pairs(path string, f Field) string {
	var parts []string
	for _, i := range r.indices(path) {
		at := join(path, strconv.Itoa(i))
		name, text := strings.TrimSpace(r.values[at+".name"]),
			strings.TrimSpace(r.values[at+".value"])
		switch {
		case name == "" && text == "":
			continue
		case name == "":
			r.wrong(at+".name", f.Label, "needs a name for the value %s", text)
			continue
		case text == "":
			r.wrong(at+".value", f.Label, "needs a value for %s", name)
			continue
		}
		value := quoted(text)
		if f.Whole {
			value = r.number(at+".value", name, text, f.Unit)
		} else if jsonNumber.MatchString(text) || text == "true" || text == "false" {
			value = text
		}
		parts = append(parts, quoted(name)+":"+value)
	}
	if len(parts) == 0 && !f.Required {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// indices returns the row numbers below a path in ascending order.
func (r *reader) indices(path string) []int {
	found := map[int]bool{}
	for name := range r.values {
		rest, ok := strings.CutPrefix(name, path+".")
		if !ok {
			continue
		}
		index, _, _ := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(index); err == nil && i >= 0 && i <= largestRow {
			found[i] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
