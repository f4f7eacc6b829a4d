package drawing

import (
	"fmt"
	"math"
	"strings"
)

// Classes of shapes. sketch.css defines their colours.
const (
	stroke = "w"  // wire or outline
	thin   = "t"  // dimension, hidden edge, axis
	dashed = "h"  // hidden or optional line
	filled = "f"  // body with an outline
	solid  = "s"  // arrow head, junction
	copper = "cu" // copper
	base   = "ba" // substrate, wall, ground
	metal  = "me" // metal
	glow   = "gl" // wave, light, air, heat
)

// path returns a shape from SVG path data.
func path(class, format string, args ...any) Element {
	return Element{class: class, path: fmt.Sprintf(format, args...)}
}

// wire returns a line through points x1, y1, x2, y2 and so on.
func wire(points ...int) Element { return line(stroke, points...) }

func line(class string, points ...int) Element {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		if i == 0 {
			fmt.Fprintf(&b, "M%d %d", points[0], points[1])
		} else {
			fmt.Fprintf(&b, "L%d %d", points[i], points[i+1])
		}
	}
	return Element{class: class, path: b.String()}
}

func rect(class string, x, y, w, h int) Element {
	return path(class, "M%d %dh%dv%dh%dz", x, y, w, h, -w)
}

func circle(class string, x, y, r int) Element {
	return path(class, "M%d %da%d %d 0 1 0 %d 0a%d %d 0 1 0 %d 0z", x-r, y, r, r, 2*r, r, r, -2*r)
}

func dot(x, y int) Element      { return circle(solid, x, y, 3) }
func terminal(x, y int) Element { return circle(filled, x, y, 3) }

// ground returns the symbol of the reference node below a point.
func ground(x, y int) Element { return path(stroke, "M%d %dv8m-10 0h20m-16 4h12m-8 4h4", x, y) }

// group combines several elements into one.
func group(parts ...Element) Element { return Element{parts: parts} }

// of associates elements with fields. The page highlights the elements while one of the fields has
// the focus.
func of(fields string, parts ...Element) Element {
	return Element{fields: strings.Fields(fields), parts: parts}
}

// when shows elements if a field has one of the given values, such as "astable".
func when(field, values string, parts ...Element) Element {
	return Element{when: &condition{field: field, is: strings.Fields(values)}, parts: parts}
}

// atLeast shows elements if the value of a field is a number of at least the given minimum.
func atLeast(field string, least int, parts ...Element) Element {
	return Element{when: &condition{field: field, min: least}, parts: parts}
}

// without shows elements if a field has no value.
func without(field string, parts ...Element) Element {
	return Element{when: &condition{field: field, is: []string{""}}, parts: parts}
}

// repeat shows n copies of a shape, where n is the value of a field, but at most max copies. If n
// is larger than max, repeat also shows the last argument.
func repeat(field string, max int, shape func(i int) Element, beyond Element) Element {
	var list []Element
	for i := range max {
		list = append(list, Element{when: &condition{field: field, min: i + 1},
			parts: []Element{shape(i)}})
	}
	list = append(list, Element{when: &condition{field: field, min: max + 1},
		parts: []Element{beyond}})
	return of(field, list...)
}

// text returns a label: the symbol of a quantity and, on the next line, the value of the first
// field that has one. If symbol is "", only the value is shown.
func text(x, y int, symbol, fields string) Element {
	return Element{label: &label{x: x, y: y, symbol: symbol}, fields: strings.Fields(fields)}
}

// note returns a short text without a value.
func note(x, y int, words string) Element { return Element{label: &label{x: x, y: y, note: words}} }

func (e Element) anchored(anchor string) Element {
	l := *e.label
	l.anchor = anchor
	e.label = &l
	return e
}

// middle centres a label at its x coordinate.
func (e Element) middle() Element { return e.anchored("middle") }

// end right-aligns a label at its x coordinate.
func (e Element) end() Element { return e.anchored("end") }

// inline puts the value of a label after its symbol, on the same line.
func (e Element) inline() Element {
	l := *e.label
	l.inline = true
	e.label = &l
	return e
}

// at moves a label to a point.
func (e Element) at(x, y int) Element {
	l := *e.label
	l.x, l.y = x, y
	e.label = &l
	return e
}

// arrow returns a line with an arrow head at its second point.
func arrow(class string, x1, y1, x2, y2 int) Element {
	return group(line(class, x1, y1, x2, y2), head(x1, y1, x2, y2))
}

// head returns an arrow head at (x2, y2) that points away from (x1, y1).
func head(x1, y1, x2, y2 int) Element {
	a := math.Atan2(float64(y2-y1), float64(x2-x1)) * 180 / math.Pi
	e := path(solid, "M0 0l-8-3v6z")
	e.turn = fmt.Sprintf("translate(%d %d)", x2, y2)
	if a != 0 {
		e.turn += fmt.Sprintf("rotate(%.4g)", a)
	}
	return e
}

// dimension returns a dimension line with the label of its quantity. The label is above a
// horizontal line and right of a vertical one.
func dimension(x1, y1, x2, y2 int, symbol, fields string) Element {
	e := text((x1+x2)/2, (y1+y2)/2-5, symbol, fields).middle().inline()
	ends := fmt.Sprintf("M%d %dv-8m0 4M%d %dv-8", x1, y1+4, x2, y2+4)
	if x1 == x2 {
		e = text(x1+8, (y1+y2)/2-3, symbol, fields)
		ends = fmt.Sprintf("M%d %dh8M%d %dh8", x1-4, y1, x2-4, y2)
	}
	e.parts = []Element{line(thin, x1, y1, x2, y2), path(thin, "%s", ends), head(x1, y1, x2, y2),
		head(x2, y2, x1, y1)}
	if symbol == "" && fields == "" {
		e.label = nil
	}
	return e
}

// left moves the label of a vertical dimension or component to the left side.
func (e Element) left() Element { return e.end().at(e.label.x-24, e.label.y) }

// sourceRadius is half the length of the body of a source.
const sourceRadius = 14

// part returns a two-terminal component on a line. Its label is above a horizontal component and
// right of a vertical one. half is half the length of the body.
func part(x1, y1, x2, y2, half int, symbol, fields string, body ...Element) Element {
	mx, my := (x1+x2)/2, (y1+y2)/2
	e := text(mx, my-30, symbol, fields).middle()
	turn := fmt.Sprintf("translate(%d %d)", mx, my)
	dx, dy := half, 0
	beside := mx + 15
	if half == sourceRadius {
		beside += 4
	}
	switch {
	case x1 == x2 && y2 > y1:
		e, turn, dx, dy = text(beside, my-2, symbol, fields), turn+"rotate(90)", 0, half
	case x1 == x2:
		e, turn, dx, dy = text(beside, my-2, symbol, fields), turn+"rotate(-90)", 0, -half
	case x2 < x1:
		turn, dx = turn+"rotate(180)", -half
	}
	e.parts = []Element{wire(x1, y1, mx-dx, my-dy), wire(mx+dx, my+dy, x2, y2)}
	for _, s := range body {
		s.turn = turn
		e.parts = append(e.parts, s)
	}
	if symbol == "" && fields == "" {
		e.label = nil
	}
	return e
}

// resistor returns a resistor with the symbols of IEC 60617 and ANSI Y32.2. The page shows one of
// them.
func resistor(x1, y1, x2, y2 int, symbol, fields string) Element {
	iec, ansi := path(filled, "M-18-6h36v12h-36z"),
		path(stroke, "M-18 0l3-6 6 12 6-12 6 12 6-12 6 12 3-6")
	iec.symbols, ansi.symbols = "iec", "ansi"
	return part(x1, y1, x2, y2, 18, symbol, fields, iec, ansi)
}

// impedance returns a box: a load or a two-terminal network.
func impedance(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, 18, symbol, fields, path(filled, "M-18-8h36v16h-36z"))
}

func capacitor(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, 3, symbol, fields, path(stroke, "M-3-11v22M3-11v22"))
}

func coil(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, 20, symbol, fields,
		path(stroke, "M-20 0a5 5 0 0 1 10 0a5 5 0 0 1 10 0a5 5 0 0 1 10 0a5 5 0 0 1 10 0"))
}

func diode(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, 7, symbol, fields, path(filled, "M-7-7v14l14-7z"),
		path(stroke, "M7-7v14"))
}

func led(x1, y1, x2, y2 int, symbol, fields string) Element {
	e := part(x1, y1, x2, y2, 7, symbol, fields, path(filled, "M-7-7v14l14-7z"),
		path(stroke, "M7-7v14"),
		path(glow, "M-2-10l5-7m-4 1l4-1 0 4M5-9l5-7m-4 1l4-1 0 4"))
	if e.label == nil {
		return e
	}
	return e.at(e.label.x+10, e.label.y) // keeps the label clear of the LED's arrows
}

// source returns a voltage source. The first point is its positive terminal.
func source(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, sourceRadius, symbol, fields,
		path(filled, "M-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0z"),
		path(stroke, "M-9 0h6m-3-3v6M6-3v6"))
}

// sine returns an AC source.
func sine(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, sourceRadius, symbol, fields,
		path(filled, "M-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0z"),
		path(stroke, "M0-8q-8 4 0 8t0 8"))
}

// cell returns a battery of two cells from its positive terminal down to y = 140.
func cell(x, y int, symbol, fields string) Element {
	return part(x, y, x, 140, 8, symbol, fields, path(stroke, "M-8-11v22M-3-6v12M3-11v22M8-6v12"))
}

// contact returns an open switch.
func contact(x1, y1, x2, y2 int, symbol, fields string) Element {
	return part(x1, y1, x2, y2, 12, symbol, fields, path(stroke, "M-12 0l22-9"),
		path(filled, "M-15 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0zM9 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"))
}

// opamp returns an op-amp with its output at (x, y) and its inputs at (x-60, y-15) and (x-60,
// y+15). inverting is -1 if the upper input is the inverting one, otherwise 1.
func opamp(x, y, inverting int) Element {
	return group(path(filled, "M%d %dv60l60-30z", x-60, y-30),
		path(stroke, "M%d %dh8M%d %dh8m-4-4v8", x-55, y+15*inverting, x-55, y-15*inverting))
}

// amplifier returns a triangle with its input at (x, y) and its output at (x+40, y).
func amplifier(x, y int) Element { return path(filled, "M%d %dv40l40-20z", x, y-20) }

// block returns a labelled box.
func block(x, y, w, h int, words string) Element {
	return group(rect(filled, x, y, w, h), note(x+w/2, y+h/2+4, words).middle())
}

// antenna returns an antenna with its base at a point.
func antenna(x, y int) Element { return path(stroke, "M%d %dv-36m-11 0l11 12l11-12z", x, y) }

// mast returns a lattice mast of the given height with an antenna on top and its base at a point.
func mast(x, y, height int) Element {
	return group(path(thin, "M%d %dl7-%d 7 %dM%d %dh10M%d %dh7", x-7, y, height, height, x-5,
		y-height/4, x-4, y-height/2), path(stroke, "M%d %dv-14M%d %dh12", x, y-height, x-6,
		y-height-14))
}

// waves returns three arcs that propagate to the right from a point.
func waves(x, y int) Element {
	return path(glow, "M%d %da12 12 0 0 1 0 16M%d %da20 20 0 0 1 0 28M%d %da28 28 0 0 1 0 40", x,
		y-8,
		x+7, y-14, x+14, y-20)
}

// earth returns a hatched ground line.
func earth(x1, x2, y int) Element {
	var b strings.Builder
	for x := x1 + 6; x <= x2; x += 12 {
		fmt.Fprintf(&b, "M%d %dl-6 6", x, y)
	}
	return group(wire(x1, y, x2, y), path(thin, "%s", b.String()))
}

// panel returns a photovoltaic module.
func panel(x, y int) Element {
	return group(path(filled, "M%d %dh30v44h-30z", x, y),
		path(thin, "M%d %dv44m10 0v-44M%d %dh30m0 11h-30m0 11h30", x+10, y, x, y+11))
}

// sun returns the symbol of the sun, with eight rays, at a point.
func sun(x, y int) Element {
	var b strings.Builder
	for i := range 8 {
		s, c := math.Sincos(float64(i) * math.Pi / 4)
		fmt.Fprintf(&b, "M%.3g %.3gL%.3g %.3g", float64(x)+13*c, float64(y)+13*s, float64(x)+19*c,
			float64(y)+19*s)
	}
	return group(circle(glow, x, y, 9), path(glow, "%s", b.String()))
}

// drive returns a disk drive.
func drive(x, y int) Element {
	return group(rect(filled, x, y, 20, 28), circle(thin, x+10, y+11, 6),
		line(thin, x+4, y+23, x+16, y+23))
}

// jar returns a battery block with terminals.
func jar(x, y int) Element {
	return group(rect(filled, x, y, 34, 26), path(solid, "M%d %dh6v-4h-6zM%d %dh6v-4h-6z", x+5, y,
		x+23, y), path(stroke, "M%d %dh6m-3-3v6M%d %dh6", x+5, y+9, x+23, y+9))
}

// person returns a standing person of the given height with the feet at a point.
func person(x, y, height int) Element {
	r := height / 8
	hip, neck := y-height*9/20, y-height+2*r
	return group(circle(filled, x, y-height+r, r), wire(x, neck, x, hip),
		wire(x-2*r, hip-r, x, neck+r, x+2*r, hip-r), wire(x-r, y, x, hip, x+r, y))
}
