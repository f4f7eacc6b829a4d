package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slipstick/tools/quantity"
)

// shown is a result value on the page without JavaScript. With JavaScript, result.js replaces the
// results and draws pictures.
type shown struct {
	Field
	Text  string
	Full  string     // with all digits and the unit
	First bool       // this is the primary result
	Head  []string   // column headings of a table
	Cells [][]string // cells of a table
	Group []shown
}

// show returns the results in the order of the tool's fields, with the primary result first, and
// the warnings. It omits null and values that repeat an input or its default. A value repeats an
// input of the same name. A text also repeats an input if its name extends the input's name, as
// template_name extends template.
func (s *Site) show(t *Tool, input, result json.RawMessage) (list []shown, warnings []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(result, &object) != nil {
		return nil, nil
	}
	_ = json.Unmarshal(object["warnings"], &warnings)
	inputs := objectOf(input)
	defaults := map[string]string{}
	for _, f := range t.Input {
		defaults[f.Name] = f.Default
	}
	repeats := func(name string) bool {
		if inputs[name] != nil {
			return sameValue(inputs[name], object[name])
		}
		if defaults[name] != "" && object[name] != nil &&
			fieldText(object[name]) == defaults[name] {
			return true
		}
		return slices.ContainsFunc(t.Input, func(f Field) bool {
			if !strings.HasPrefix(name, f.Name+"_") || !isText(object[name]) {
				return false
			}
			if hasValue(inputs[f.Name]) {
				return sameValue(inputs[f.Name], object[name])
			}
			return f.Default != "" && fieldText(object[name]) == f.Default
		})
	}
	primary := t.primary(object, repeats)
	maps.DeleteFunc(object,
		func(name string, _ json.RawMessage) bool { return name != primary && repeats(name) })
	list = s.showFields(t.Output, object)
	if i := slices.IndexFunc(list, func(one shown) bool { return one.Name == primary }); i >= 0 {
		first := list[i]
		first.First = true
		list = slices.Insert(slices.Delete(list, i, i+1), 0, first)
	}
	return list, t.names.inAll(warnings)
}

func isText(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// sameValue reports whether two JSON values are equal, regardless of their formatting.
func sameValue(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// primary returns the name of the primary result. It is the first field of Primary, or else the
// first number, that has a value and does not repeat an input. If all of them repeat inputs, it is
// the first; if there are none, it is "".
func (t *Tool) primary(object map[string]json.RawMessage, repeats func(name string) bool) string {
	names := slices.Clone(t.Primary)
	for _, f := range t.Output {
		if f.Kind == Quantity {
			names = append(names, f.Name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		raw := string(object[name])
		return raw == "" || raw == "null" || raw == "[]"
	})
	if i := slices.IndexFunc(names, func(name string) bool { return !repeats(name) }); i >= 0 {
		return names[i]
	}
	return append(names, "")[0]
}

func (s *Site) showFields(fields []Field, object map[string]json.RawMessage) (list []shown) {
	for _, f := range fields {
		raw, ok := object[f.Name]
		if !ok || string(raw) == "null" {
			continue
		}
		f = f.in(object)
		one := shown{Field: f}
		switch f.Kind {
		case Group:
			one.Group = s.showFields(f.Fields, objectOf(raw))
		case Pairs:
			if f.Whole {
				one.Group = s.showFields(pairsAsFields(raw), objectOf(raw))
				break
			}
			one.Text = s.cell(f, raw)
		case Rows:
			one.Head, one.Cells = s.table(f.Fields, raw)
			if len(one.Cells) == 0 {
				continue
			}
		default:
			one.Text = s.cell(f, raw)
			if f.Kind == Quantity {
				one.Text, one.Full = brief(
					f, one.Text,
				), quantity.Join(string(raw), quantity.UnitText(f.Unit))
			}
		}
		list = append(list, one)
	}
	return list
}

// in returns the field with the unit that another result field selects.
func (f Field) in(result map[string]json.RawMessage) Field {
	if f.UnitFrom != nil {
		var value string
		_ = json.Unmarshal(result[f.UnitFrom.Field], &value)
		f.Unit = f.UnitFrom.Of(value)
	}
	return f
}

func objectOf(raw json.RawMessage) (object map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &object)
	return object
}

// pairsAsFields converts user-defined names with numbers to fields.
func pairsAsFields(raw json.RawMessage) []Field {
	var fields []Field
	for _, name := range slices.Sorted(maps.Keys(objectOf(raw))) {
		fields = append(fields, Field{Name: name, Label: name, Kind: Quantity})
	}
	return fields
}

func (s *Site) table(fields []Field, raw json.RawMessage) (head []string, cells [][]string) {
	var rows []map[string]json.RawMessage
	_ = json.Unmarshal(raw, &rows)
	// A list in a cell, such as the points of a curve, has no room. result.js has the same rule.
	fields = slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return f.Kind == Rows })
	prefixed := map[string]bool{} // keyed by field name
	for _, f := range fields {
		h := f.Label
		prefixed[f.Name] = needsPrefixes(f, rows)
		if unit := quantity.UnitText(f.Unit); unit != "" && !prefixed[f.Name] {
			h += " [" + unit + "]"
		}
		head = append(head, h)
	}
	for _, r := range rows {
		var line []string
		for _, f := range fields {
			var v float64
			if f.Kind == Quantity && json.Unmarshal(r[f.Name], &v) == nil &&
				string(r[f.Name]) != "null" {
				text := quantity.Digits(v, f.Unit) // the unit is in the heading
				if prefixed[f.Name] {
					text = s.units.Show(v, f.Unit)
				}
				line = append(line, brief(f, text))
			} else {
				line = append(line, s.cell(f, r[f.Name]))
			}
		}
		cells = append(cells, line)
	}
	return head, cells
}

// needsPrefixes reports whether a table column shows each number with its own prefix and unit, such
// as 5.679 GB. This is the case if a number is too large or too small for the unit of the field.
// result.js implements the same rule.
func needsPrefixes(f Field, rows []map[string]json.RawMessage) bool {
	if f.Kind != Quantity || f.InUnit || f.UnitFrom != nil || quantity.UnitText(f.Unit) == "" {
		return false
	}
	return slices.ContainsFunc(rows, func(r map[string]json.RawMessage) bool {
		var v float64
		size := 0.0
		if json.Unmarshal(r[f.Name], &v) == nil {
			size = math.Abs(v)
		}
		return size >= 1e6 || size > 0 && size < 1e-3
	})
}

// digitsShown is the number of significant digits that a result shows for a physical quantity.
const digitsShown = 4

// isPrecise reports whether results show six digits of a field or more. This applies to plain
// numbers but not ratios, to conversions, instants, and radio frequencies such as 869.525 MHz.
func isPrecise(f Field) bool {
	isRadio := len(f.Unit) == 3 && strings.HasSuffix(f.Unit, "Hz")
	last := f.Name[strings.LastIndexByte(f.Name, '_')+1:]
	isPlain := quantity.UnitText(f.Unit) == "" && last != "ratio" && last != "factor"
	return f.UnitFrom != nil || isPlain || isRadio || f.Instant
}

// brief rounds a displayed value to four significant digits, but keeps all digits before the
// decimal point. It returns the text of a precise field unchanged, with up to six digits.
// quantity.js implements the same rule.
func brief(f Field, text string) string {
	if isPrecise(f) {
		return text
	}
	return quantity.Shorten(text, digitsShown)
}

// groupCell returns the values of an object as one line for a table cell.
func (s *Site) groupCell(fields []Field, raw json.RawMessage) string {
	object, parts := objectOf(raw), []string{}
	for _, f := range fields {
		if v := object[f.Name]; len(v) > 0 && string(v) != "null" && string(v) != `""` {
			parts = append(parts, brief(f, s.cell(f, v)))
		}
	}
	return strings.Join(parts, ", ")
}

// cell returns a value as text.
func (s *Site) cell(f Field, raw json.RawMessage) string {
	var number float64
	var text string
	var yes bool
	var list []json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "–"
	case json.Unmarshal(raw, &text) == nil:
		switch unit := quantity.UnitText(f.Unit); {
		case f.Kind == Choice:
			return choiceText(text)
		// A text with letters already contains its unit: 250 kcmil.
		case f.Kind == Literal && unit != "" && !strings.ContainsFunc(text, unicode.IsLetter):
			return quantity.Join(text, unit)
		}
		return text
	case json.Unmarshal(raw, &yes) == nil:
		return map[bool]string{true: "yes", false: "no"}[yes]
	case json.Unmarshal(raw, &number) == nil:
		if f.Instant {
			return quantity.Group(strconv.FormatFloat(number, 'f', -1, 64)) + " " + f.Unit
		}
		if f.InUnit && f.Whole && math.Abs(number) < 1<<53 {
			return quantity.Group(strconv.FormatInt(int64(number), 10)) + " " + f.Unit
		}
		if f.InUnit || f.UnitFrom != nil && f.Unit != "" { // without SI prefixes
			return quantity.Join(quantity.Digits(number, f.Unit), f.Unit)
		}
		return s.units.Show(number, f.Unit)
	case f.Kind == Group:
		return s.groupCell(f.Fields, raw)
	case f.Kind == Rows:
		var rows, parts = []json.RawMessage{}, []string{}
		_ = json.Unmarshal(raw, &rows)
		for _, row := range rows {
			parts = append(parts, s.groupCell(f.Fields, row))
		}
		return strings.Join(parts, "; ")
	case f.Kind == Grid:
		return "a field of numbers; see the JSON response"
	case json.Unmarshal(raw, &list) == nil:
		var parts []string
		for i, one := range list {
			if i == 200 {
				parts = append(parts, fmt.Sprintf("… %d in all", len(list)))
				break
			}
			parts = append(parts, s.cell(Field{Unit: f.Unit}, one))
		}
		return strings.Join(parts, ", ")
	}
	return string(raw)
}
