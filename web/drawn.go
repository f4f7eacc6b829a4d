package web

import (
	"encoding/json"
	"html/template"
	"strings"

	"slipstick/web/drawing"
)

// drawingOf returns the drawing of a tool with the values of its form. For fields without a form
// value it uses the result or the default. It returns "" for a tool without a drawing. drawing.js
// implements the same rules.
func (s *Site) drawingOf(t *Tool, v Values, result map[string]json.RawMessage) template.HTML {
	if t.drawing == nil {
		return ""
	}
	return template.HTML(t.drawing.SVG(drawn{s, t, v, result})) // SVG escapes the values
}

// drawingsByTool returns the drawings, keyed by tool name.
func drawingsByTool() map[string]*drawing.Drawing {
	byTool := map[string]*drawing.Drawing{}
	for _, d := range drawing.All() {
		byTool[d.Tool] = &d
	}
	return byTool
}

// drawn provides the values for the labels of a drawing.
type drawn struct {
	site   *Site
	tool   *Tool
	values Values
	result map[string]json.RawMessage
}

func (d drawn) Raw(name string) string {
	f := fieldNamed(d.tool.Input, name)
	if f != nil {
		if text := strings.TrimSpace(d.values[name]); text != "" {
			return text
		}
	}
	if hasValue(d.result[name]) {
		return fieldText(d.result[name])
	}
	if f != nil {
		return f.Default
	}
	return ""
}

func (d drawn) Text(name string) string {
	in := fieldNamed(d.tool.Input, name)
	if in != nil && strings.TrimSpace(d.values[name]) != "" {
		return d.input(*in, strings.TrimSpace(d.values[name]))
	}
	if out := fieldNamed(d.tool.Output, name); out != nil && hasValue(d.result[name]) {
		f := out.in(d.result)
		return brief(f, d.site.cell(f, d.result[name]))
	}
	if in != nil && in.Default != "" {
		return d.input(*in, in.Default)
	}
	return ""
}

// input returns the text of an input value with its unit.
func (d drawn) input(f Field, text string) string {
	if f.UnitFrom != nil {
		f.Unit = f.UnitFrom.Of(d.Raw(f.UnitFrom.Field))
	}
	switch f.Kind {
	case Quantity:
		v, err := d.site.units.Quantity(text, f.Unit)
		if err != nil {
			return ""
		}
		raw, _ := json.Marshal(v)
		return brief(f, d.site.cell(f, raw))
	case Choice, Text, Literal:
		raw, _ := json.Marshal(text)
		return d.site.cell(f, raw)
	}
	return ""
}

func fieldNamed(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}
