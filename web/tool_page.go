package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"

	"slipstick/tools"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// control is a field and its state in a form.
type control struct {
	Field
	Path   string
	Text   string
	Error  string
	Echo   string
	Rows   [][]control // rows of kinds Rows and Pairs
	Blank  []control   // template for new rows
	Picker *control    // control of the unit, if another field selects it
}

// blankRow is the placeholder for the row index in a template row.
const blankRow = "__"

type toolPage struct {
	Tool        *Tool
	Entry       *tools.Entry
	Open, More  []control
	MoreChanged bool
	FieldErrors []FieldError
	Result      []shown
	Conclusion  *statement
	Drawing     template.HTML // SVG
	Warnings    []string
	Problem     string
	API         []apiField
	AcceptsFrom []*Tool
	CategoryOf  string
}

// Outcome is the result of a submitted form.
type Outcome struct {
	Result      json.RawMessage     // nil if there is none
	FieldErrors []schema.FieldError // invalid fields reported by the tool
	Problem     string              // sentence that describes any other failure
}

// Tool returns a tool by name, or nil.
func (s *Site) Tool(name string) *Tool { return s.tools[name] }

// ToolPage returns the page of a tool with the given values or, without values, with its first
// example.
func (s *Site) ToolPage(
	r Request, t *Tool, v Values, mistakes []FieldError, out *Outcome,
) ([]byte, error) {
	if len(v) == 0 && len(t.Examples) > 0 {
		v = Query(t.Examples[0].Query)
	}
	v.moveAliases(t.Input)
	data := struct {
		*Tool
		Input  []Field `json:"input"` // the form has their documentation
		Worked *worked `json:"worked,omitempty"`
	}{Tool: t, Input: withoutDocs(t.Input)}
	var soon []string
	var result map[string]json.RawMessage
	if out == nil && len(mistakes) == 0 {
		if w := t.workedAs(v); w != nil {
			soon = w.pictures
			result = objectOf(w.raw)
			if !w.long {
				data.Worked = w
			}
		}
	}
	if out != nil {
		result = objectOf(out.Result)
	}
	v.pairsToRows(t.Input)
	page := toolPage{
		Tool: t, Entry: t.entry, API: apiFields(t.Input, ""), FieldErrors: mistakes,
	}
	for _, from := range t.entry.Chain.AcceptsFrom {
		page.AcceptsFrom = append(page.AcceptsFrom, s.tools[from])
	}
	for _, c := range s.sections {
		if c.Name == t.Section() {
			page.CategoryOf = c.Title
		}
	}
	if out != nil {
		page.Problem = out.Problem
		for _, f := range out.FieldErrors {
			page.FieldErrors = append(page.FieldErrors, FieldError{pathOf(f), s.labelAt(t, f),
				t.names.in(detailOf(f))})
		}
		if out.Result != nil {
			input, _ := s.Body(t, v)
			page.Result, page.Warnings = s.show(t, input, out.Result)
			page.Conclusion = s.conclude(t, result)
		}
	}
	valid := maps.Clone(v)
	for _, e := range page.FieldErrors {
		if valid[e.Path] != "" {
			valid[e.Path] = "?" // not a number, so its label in the drawing has no value
		}
	}
	page.Drawing = s.drawingOf(t, valid, result)
	page.Open, page.More = s.controls(
		"", t.Open(), v, page.FieldErrors,
	), s.controls("", t.More(), v, page.FieldErrors)
	s.addPickers(t, v, page.Open)
	s.addPickers(t, v, page.More)
	page.MoreChanged = slices.ContainsFunc(page.More,
		func(c control) bool { return c.Text != "" || c.Error != "" || len(c.Rows) > 0 })
	return s.render("tool", layout{
		Request: r, Title: t.Title, Description: t.Summary(), Module: "tool", Soon: soon,
		Style: "tool", Data: data, Page: page, Preview: preview(t.Name),
	})
}

// pathOf returns the form path of a field error: stages.1.nf_db for stages[1].nf_db.
func pathOf(f schema.FieldError) string {
	if p := f.Pointer(); p != "" {
		return string(slashesToDots([]byte(p[1:])))
	}
	return ""
}

// detailOf returns the detail of an error, preceded by its line number, if any.
func detailOf(f schema.FieldError) string {
	if f.Line > 0 {
		return fmt.Sprintf("line %d: %s", f.Line, f.Detail)
	}
	return f.Detail
}

func slashesToDots(p []byte) []byte {
	for i := range p {
		if p[i] == '/' {
			p[i] = '.'
		}
	}
	return p
}

func (s *Site) labelAt(t *Tool, f schema.FieldError) string {
	for _, in := range t.Input {
		if in.Name == f.Path {
			return in.Label
		}
	}
	return f.Path
}

// controls returns the controls for the fields below a path, with their texts and errors.
func (s *Site) controls(path string, fields []Field, v Values, mistakes []FieldError) []control {
	list := make([]control, 0, len(fields))
	for _, f := range fields {
		c := control{Field: f, Path: join(path, f.Name)}
		c.Text = v[c.Path]
		for _, m := range mistakes {
			if m.Path == c.Path {
				c.Error = m.Detail
			}
		}
		switch f.Kind {
		case Quantity:
			c.Echo = s.echo(c.Text, f.Unit)
		case Rows, Pairs:
			row := f.Fields
			if f.Kind == Pairs {
				row = pairFields(f)
			}
			c.Blank = s.controls(join(c.Path, blankRow), row, nil, nil)
			indices := (&reader{values: v}).indices(c.Path)
			if len(indices) == 0 && f.Required {
				indices = []int{0}
			}
			for _, i := range indices {
				c.Rows = append(c.Rows, s.controls(join(c.Path, strconv.Itoa(i)), row, v, mistakes))
			}
		case Choice, Switch:
			if c.Text == f.Default {
				c.Text = ""
			}
		}
		list = append(list, c)
	}
	return list
}

// addPickers sets the unit control of each number whose unit another field selects.
func (s *Site) addPickers(t *Tool, v Values, list []control) {
	for i, c := range list {
		if c.UnitFrom == nil {
			continue
		}
		for _, f := range t.Input {
			if f.Name == c.UnitFrom.Field {
				list[i].Picker = &s.controls("", []Field{f}, v, nil)[0]
			}
		}
	}
}

// pairFields returns the two columns for user-defined names and their values.
func pairFields(f Field) []Field {
	value := Field{Name: "value", Label: "Value", Kind: Text}
	if f.Whole {
		value.Kind, value.Unit = Quantity, f.Unit
	}
	return []Field{{Name: "name", Label: "Name", Kind: Text}, value}
}

// echo returns a number as the page interprets it, such as "= 4.70 kΩ". It returns "" for invalid
// text and for text that already shows the same.
func (s *Site) echo(text, unit string) string {
	v, err := s.units.Quantity(text, unit)
	if err != nil {
		return ""
	}
	shown := s.units.Show(v, unit)
	if shown == text || shown == text+" "+unit {
		return ""
	}
	return "= " + shown
}

// AddRow adds an empty row to a list of the form.
func (v Values) AddRow(t *Tool, name string) {
	for _, f := range t.Input {
		if f.Name != name || f.Kind != Rows && f.Kind != Pairs {
			continue
		}
		next := 0
		if used := (&reader{values: v}).indices(name); len(used) > 0 {
			next = used[len(used)-1] + 1
		}
		first := "name"
		if f.Kind == Rows {
			first = f.Fields[0].Name
		}
		v[fmt.Sprintf("%s.%d.%s", name, next, first)] = ""
	}
}

// apiField is a row in the table of request fields.
type apiField struct{ Path, Type, Unit, Allowed, Default, Doc string }

func apiFields(fields []Field, prefix string) (rows []apiField) {
	for _, f := range fields {
		r := apiField{
			Path: prefix + f.Name, Type: f.Type, Unit: f.Unit, Allowed: f.Hint,
			Default: f.Default,
			Doc:     f.Doc,
		}
		if r.Unit == "1" || r.Unit == quantity.AnyPrefix {
			r.Unit = ""
		}
		if f.Kind == Choice {
			for i, o := range f.Options {
				word := o.Value
				if word == "" {
					word = f.Default
				}
				if word != "" {
					if i > 0 && r.Allowed != "" {
						r.Allowed += ", "
					}
					r.Allowed += word
				}
			}
		}
		if f.Required {
			r.Default = "required"
		}
		rows = append(rows, r)
		if f.Kind == Rows {
			rows = append(rows, apiFields(f.Fields, r.Path+"[].")...)
		}
	}
	return rows
}
