// Package drawing contains the drawings of tools: schematics, cross-sections and layouts. Their
// labels show the symbols and values of fields. A drawing is a list of elements built from the
// shapes in symbols.go. The drawings are in one file per category (rf.go, mesh.go, pcb.go,
// power.go, homelab.go, general.go). SVG renders a drawing; static/drawing.js updates the values
// and highlights the focused field.
package drawing

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// Drawing is the drawing of a tool. Lengths are in CSS pixels; x points right and y points down.
type Drawing struct {
	Tool          string
	Title         string // accessible name
	Width, Height int
	Elements      []Element
}

// Element is a shape, a label, or a group of elements.
type Element struct {
	class   string // class of the strokes and fills, see sketch.css
	path    string // SVG path data
	turn    string // SVG transform of the path
	symbols string // "iec" or "ansi" if the shape belongs to one symbol standard only
	label   *label
	fields  []string // the element is highlighted while one of these fields has the focus
	when    *condition
	parts   []Element
}

// label is either a note, or a symbol with a value. The value is taken from the first field of the
// label's element that has one.
type label struct {
	x, y   int
	anchor string // "", "middle" or "end"
	symbol string // in V_in, "in" is a subscript
	note   string // text without a value
	inline bool   // the value follows the symbol on the same line
}

// condition shows an element if a field has one of the values, or is a number of at least min. The
// value "*" matches any value, and "" matches a field without a value.
type condition struct {
	field string
	is    []string
	min   int
}

// Values provides the current values of fields.
type Values interface {
	// Raw returns the form value of a field, such as "astable", "true" or "4"; "" if it has no
	// value.
	Raw(field string) string
	// Text returns the value of a field with its unit, such as "10 kΩ"; "" if it has no value.
	Text(field string) string
}

// All returns the drawings of every category, sorted by tool.
func All() []Drawing {
	list := slices.Concat(rf(), mesh(), pcb(), power(), homelab(), general())
	slices.SortFunc(list, func(a, b Drawing) int { return cmp.Compare(a.Tool, b.Tool) })
	return list
}

// Fields returns the sorted names of all fields that labels, conditions and highlighting use.
func (d *Drawing) Fields() (names []string) {
	var walk func(list []Element)
	walk = func(list []Element) {
		for _, e := range list {
			names = append(names, e.fields...)
			if e.when != nil {
				names = append(names, e.when.field)
			}
			walk(e.parts)
		}
	}
	walk(d.Elements)
	slices.Sort(names)
	return slices.Compact(names)
}

// HasResistor reports whether the drawing depends on the choice between IEC and ANSI symbols.
func (d *Drawing) HasResistor() bool { return hasResistor(d.Elements) }

func hasResistor(list []Element) bool {
	return slices.ContainsFunc(list,
		func(e Element) bool { return e.symbols != "" || hasResistor(e.parts) })
}

// SVG renders the drawing with the given values. It hides elements whose condition is false, so
// that the page can show them when a value changes.
func (d *Drawing) SVG(v Values) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg class="sketch" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`,
		d.Width, d.Height, d.Width, d.Height, html.EscapeString(d.Title))
	write(&b, d.Elements, v)
	b.WriteString("</svg>")
	return b.String()
}

func write(b *strings.Builder, list []Element, v Values) {
	for _, e := range list {
		e.write(b, v)
	}
}

func (e Element) write(b *strings.Builder, v Values) {
	isGroup := len(e.fields) > 0 || e.when != nil || len(e.parts) > 0
	if isGroup {
		b.WriteString("<g")
		if len(e.fields) > 0 {
			fmt.Fprintf(b, ` data-f="%s"`, strings.Join(e.fields, " "))
		}
		if e.when != nil {
			e.when.write(b, v)
		}
		b.WriteByte('>')
	}
	if e.path != "" {
		b.WriteString(`<path class="` + e.class)
		if e.symbols != "" {
			b.WriteString(" " + e.symbols)
		}
		b.WriteString(`" d="` + e.path + `"`)
		if e.turn != "" {
			b.WriteString(` transform="` + e.turn + `"`)
		}
		b.WriteString("/>")
	}
	write(b, e.parts, v)
	if e.label != nil {
		e.label.write(b, e.fields, v)
	}
	if isGroup {
		b.WriteString("</g>")
	}
}

func (c *condition) write(b *strings.Builder, v Values) {
	fmt.Fprintf(b, ` data-if="%s"`, c.field)
	if c.min > 0 {
		fmt.Fprintf(b, ` data-min="%d"`, c.min)
	} else {
		fmt.Fprintf(b, ` data-is="%s"`, strings.Join(c.is, " "))
	}
	if !c.holds(v.Raw(c.field)) {
		b.WriteString(" hidden")
	}
}

func (c *condition) holds(value string) bool {
	if c.min > 0 {
		n, err := strconv.ParseFloat(value, 64)
		return err == nil && n >= float64(c.min)
	}
	return slices.Contains(c.is, value) || value != "" && slices.Contains(c.is, "*")
}

// lineHeight is the distance from a symbol to the value below it.
const lineHeight = 15

func (l *label) write(b *strings.Builder, fields []string, v Values) {
	fmt.Fprintf(b, `<text x="%d" y="%d"`, l.x, l.y)
	if l.anchor != "" {
		fmt.Fprintf(b, ` text-anchor="%s"`, l.anchor)
	}
	if l.note != "" {
		b.WriteString(` class="note">` + html.EscapeString(l.note) + "</text>")
		return
	}
	b.WriteByte('>')
	name, sub, _ := strings.Cut(l.symbol, "_")
	b.WriteString(html.EscapeString(name))
	if sub != "" {
		b.WriteString(`<tspan class="sub" dy="3">` + html.EscapeString(sub) + "</tspan>")
	}
	if len(fields) > 0 {
		b.WriteString(`<tspan class="v"`)
		switch {
		case !l.inline && l.symbol != "":
			dy := lineHeight
			if sub != "" {
				dy -= 3
			}
			fmt.Fprintf(b, ` x="%d" dy="%d"`, l.x, dy)
		case sub != "":
			b.WriteString(` dy="-3"`)
		}
		b.WriteByte('>')
		if text := firstText(fields, v); text != "" {
			if l.inline && l.symbol != "" {
				b.WriteString(" = ")
			}
			b.WriteString(html.EscapeString(text))
		}
		b.WriteString("</tspan>")
	}
	b.WriteString("</text>")
}

func firstText(fields []string, v Values) string {
	for _, f := range fields {
		if text := v.Text(f); text != "" {
			return text
		}
	}
	return ""
}
