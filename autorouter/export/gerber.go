package export

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"slipstick/autorouter/board"
)

// gerber collects a Gerber file (Ucamco, The Gerber Layer Format Specification 2024.05).
// Apertures get their numbers in the order of first use. Attributes are standard
// comments (section 5.1.1): viewers that know only X1, gerbv among them, then read without a warning.
type gerber struct {
	function, polarity string
	apertures          []string       // definitions, without number
	number             map[string]int // definition -> D code
	functions          []string       // TA.AperFunction of each aperture
	body               strings.Builder
	current            int
	attributes         string // object attributes in force
}

// macros draw turned pads. All arithmetic is done here, so that readers with a weak
// expression parser agree; circles carry their turned places for the same reason (section 4.5).
const macros = "%AMTURNEDRECT*21,1,$1,$2,0,0,$3*%\n" +
	"%AMTURNEDOVAL*21,1,$1,$2,0,0,$3*1,1,$2,$4,$5*1,1,$2,$6,$7*%\n" +
	"%AMROUNDRECT*21,1,$1,$4,0,0,$5*21,1,$3,$2,0,0,$5*1,1,$6,$7,$8*1,1,$6,$9,$10*1,1,$6,$11,$12*1,1,$6,$13,$14*%\n"

func newGerber(function, polarity string) *gerber {
	return &gerber{function: function, polarity: polarity, number: map[string]int{}}
}

// String is the finished file. A layer with nothing on it still defines an aperture.
func (g *gerber) String() string {
	if len(g.apertures) == 0 {
		g.aperture("C,0.100000", "")
	}
	var w strings.Builder
	w.WriteString("G04 #@! TF.GenerationSoftware,Slipstick,slipstick*\nG04 #@! TF.SameCoordinates,Original*\nG04 #@! TF.Part,Single*\n")
	fmt.Fprintf(&w, "G04 #@! TF.FileFunction,%s*\n", g.function)
	if g.polarity != "" {
		fmt.Fprintf(&w, "G04 #@! TF.FilePolarity,%s*\n", g.polarity)
	}
	w.WriteString("%FSLAX46Y46*%\n%MOMM*%\n%LPD*%\n")
	w.WriteString(macros)
	for i, a := range g.apertures {
		if g.functions[i] != "" {
			fmt.Fprintf(&w, "G04 #@! TA.AperFunction,%s*\n", g.functions[i])
		}
		fmt.Fprintf(&w, "%%ADD%d%s*%%\n", i+10, a)
		if g.functions[i] != "" {
			w.WriteString("G04 #@! TD*\n")
		}
	}
	w.WriteString("G01*\n")
	w.WriteString(g.body.String())
	if g.attributes != "" {
		w.WriteString("G04 #@! TD*\n")
	}
	w.WriteString("M02*\n")
	return w.String()
}

// aperture is the D code of a definition with a function.
func (g *gerber) aperture(definition, function string) int {
	key := definition + "\x00" + function
	n, ok := g.number[key]
	if !ok {
		n = len(g.apertures) + 10
		g.number[key] = n
		g.apertures, g.functions = append(g.apertures, definition), append(g.functions, function)
	}
	return n
}

func (g *gerber) choose(definition, function string) {
	if n := g.aperture(definition, function); n != g.current {
		fmt.Fprintf(&g.body, "D%d*\n", n)
		g.current = n
	}
}

// attribute sets the object attributes (section 5.4): pairs of a name and its escaped fields.
func (g *gerber) attribute(lines ...string) {
	all := ""
	for _, l := range lines {
		all += "G04 #@! TO." + l + "*\n"
	}
	if all == g.attributes {
		return
	}
	if g.attributes != "" {
		g.body.WriteString("G04 #@! TD*\n")
	}
	g.body.WriteString(all)
	g.attributes = all
}

func (g *gerber) at(p board.Point, op string) {
	fmt.Fprintf(&g.body, "X%dY%d%s*\n", p.X, p.Y, op)
}

func (g *gerber) flash(p board.Point, definition, function string) {
	g.choose(definition, function)
	g.at(p, "D03")
}

func (g *gerber) line(a, b board.Point, width int64, function string) {
	g.choose("C,"+mm(width), function)
	if a == b { // a draw of no length is legal, a flash says the same more plainly
		g.at(a, "D03")
		return
	}
	g.at(a, "D02")
	g.at(b, "D01")
}

// region fills a contour (section 4.10).
func (g *gerber) region(p board.Polygon) {
	if len(p) < 3 {
		return
	}
	g.body.WriteString("G36*\n")
	g.at(p[0], "D02")
	for _, q := range p[1:] {
		g.at(q, "D01")
	}
	if p[len(p)-1] != p[0] {
		g.at(p[0], "D01")
	}
	g.body.WriteString("G37*\n")
}

// mm is a length in millimetres with all six decimals.
func mm(nm int64) string {
	sign := ""
	if nm < 0 {
		sign, nm = "-", -nm
	}
	return fmt.Sprintf("%s%d.%06d", sign, nm/1e6, nm%1e6)
}

// short is mm without idle zeros.
func short(nm int64) string {
	return strings.TrimSuffix(strings.TrimRight(mm(nm), "0"), ".")
}

func degrees(d float64) string { return strconv.FormatFloat(d, 'f', -1, 64) }

// land is a pad's copper, or an opening: a shape with its turn.
type land struct {
	at     board.Point
	w, h   int64
	radius int64 // of the corners
	turn   float64
}

// landOf gives a pad's copper grown by d on every side.
func landOf(p *board.Pad, d int64) land {
	l := land{at: p.At, w: p.Width + 2*d, h: p.Height + 2*d, turn: p.Rotation}
	switch p.Shape {
	case board.Circle:
		l.w = min(p.Width, p.Height) + 2*d
		l.h, l.radius = l.w, l.w/2
	case board.Oval:
		l.radius = min(l.w, l.h) / 2
	case board.RoundRect:
		l.radius = board.CornerRadius(p.Width, p.Height) + d
	}
	return l
}

// aperture is the Gerber definition of a land.
func (l land) aperture() string {
	quarter := math.Mod(l.turn, 90) == 0
	w, h := l.w, l.h
	if quarter && math.Mod(l.turn, 180) != 0 {
		w, h = h, w
	}
	switch {
	case l.radius > 0 && l.w == l.h && l.radius >= l.w/2:
		return "C," + mm(l.w)
	case l.radius == 0 && quarter:
		return "R," + mm(w) + "X" + mm(h)
	case l.radius == 0:
		return "TURNEDRECT," + mm(w) + "X" + mm(h) + "X" + degrees(l.turn)
	case l.radius >= min(w, h)/2 && quarter:
		return "O," + mm(w) + "X" + mm(h)
	case l.radius >= min(w, h)/2:
		turn := l.turn
		if h > w {
			w, h, turn = h, w, turn+90
		}
		e := board.Point{X: (w - h) / 2}.Rotated(turn)
		return "TURNEDOVAL," + join(mm(w-h), mm(h), degrees(turn), mm(e.X), mm(e.Y), mm(-e.X), mm(-e.Y))
	}
	turn := l.turn
	if quarter {
		turn = 0
	}
	parts := []string{mm(w), mm(h), mm(w - 2*l.radius), mm(h - 2*l.radius), degrees(turn), mm(2 * l.radius)}
	x, y := w/2-l.radius, h/2-l.radius
	for _, c := range []board.Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}} {
		c = c.Rotated(turn)
		parts = append(parts, mm(c.X), mm(c.Y))
	}
	return "ROUNDRECT," + join(parts...)
}

func join(parts ...string) string { return strings.Join(parts, "X") }

// contour is the land as a polygon, its round corners as chords.
func (l land) contour() board.Polygon {
	const chords = 8 // a quarter circle: 0.5 % of the radius off
	var g board.Polygon
	x, y := l.w/2-l.radius, l.h/2-l.radius
	for q, c := range []board.Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}} {
		for i := 0; i <= chords; i++ {
			d := board.Point{X: l.radius}.Rotated(float64(90*q) + 90*float64(i)/chords)
			g = append(g, l.at.Add(c.Add(d).Rotated(l.turn)))
			if l.radius == 0 {
				break
			}
		}
	}
	return g
}

// gerberText escapes a field of an attribute: the delimiters and everything that is not
// printable ASCII as \u and four hex digits (section 3.4.3).
func gerberText(s string) string {
	var w strings.Builder
	for _, r := range s {
		if r >= ' ' && r <= '~' && !strings.ContainsRune("%*,\\", r) {
			w.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&w, "\\u%04X", u)
		}
	}
	return w.String()
}
