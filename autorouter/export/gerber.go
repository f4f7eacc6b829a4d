package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"slipstick/autorouter/board"
)

// gerber builds a Gerber file (Ucamco, The Gerber Layer Format Specification 2024.05). Apertures
// are numbered in the order of first use.
type gerber struct {
	function, polarity string
	part               string         // part attribute: Single for one board, Array for a panel
	comments           bool           // write attributes as comments
	apertures          []string       // aperture definitions without number
	number             map[string]int // D code by aperture definition
	functions          []string       // .AperFunction attribute, by aperture index
	body               strings.Builder
	current            int
	attributes         []string // current object attributes, such as N,GND
}

// macros defines apertures for rotated pads. All parameters are precomputed, because expression
// parsers differ between readers. For the same reason, circles have rotated positions instead of a
// rotation (Gerber, section 4.5).
const macros = "%AMTURNEDRECT*21,1,$1,$2,0,0,$3*%\n" +
	"%AMTURNEDOVAL*21,1,$1,$2,0,0,$3*1,1,$2,$4,$5*1,1,$2,$6,$7*%\n" +
	"%AMROUNDRECT*21,1,$1,$4,0,0,$5*21,1,$3,$2,0,0,$5*1,1,$6,$7,$8*1,1,$6,$9,$10*1,1,$6,$11,$12*1,1,$6,$13,$14*%\n"

// convexMacros defines apertures for Convex pads. Files without Convex pads omit it.
const convexMacros = "%AMCONVEX*4,1,4,$1,$2,$3,$4,$5,$6,$7,$8,$1,$2,0*%\n" +
	"%AMROUNDCONVEX*4,1,4,$1,$2,$3,$4,$5,$6,$7,$8,$1,$2,0*" +
	"20,1,$9,$1,$2,$3,$4,0*20,1,$9,$3,$4,$5,$6,0*20,1,$9,$5,$6,$7,$8,0*20,1,$9,$7,$8,$1,$2,0*" +
	"1,1,$9,$1,$2*1,1,$9,$3,$4*1,1,$9,$5,$6*1,1,$9,$7,$8*%\n"

func (j *job) gerber(function, polarity string) *gerber {
	part := "Single"
	if j.panel != nil {
		part = "Array"
	}
	return &gerber{function: function, polarity: polarity, part: part, comments: j.comments,
		number: map[string]int{}}
}

// meta writes an attribute as a command (Gerber, section 5.1) or as the equivalent comment (section
// 5.1.1).
func (g *gerber) meta(w *strings.Builder, command string) {
	if g.comments {
		w.WriteString("G04 #@! " + command + "*\n")
		return
	}
	w.WriteString("%" + command + "*%\n")
}

// String returns the complete file. Even an empty layer defines one aperture.
func (g *gerber) String() string {
	if len(g.apertures) == 0 {
		g.aperture("C,0.100000", "Other,Unused")
	}
	var w strings.Builder
	for _, a := range []string{"GenerationSoftware,Slipstick,slipstick", "SameCoordinates,Original",
		"Part," + g.part, "FileFunction," + g.function} {
		g.meta(&w, "TF."+a)
	}
	if g.polarity != "" {
		g.meta(&w, "TF.FilePolarity,"+g.polarity)
	}
	w.WriteString("%FSLAX46Y46*%\n%MOMM*%\n%LPD*%\n")
	w.WriteString(macros)
	if slices.ContainsFunc(g.apertures, func(a string) bool {
		return strings.Contains(a, "CONVEX,")
	}) {
		w.WriteString(convexMacros)
	}
	function := ""
	for i, a := range g.apertures {
		if f := g.functions[i]; f != function {
			g.meta(&w, "TA.AperFunction,"+f)
			function = f
		}
		fmt.Fprintf(&w, "%%ADD%d%s*%%\n", i+10, a)
	}
	if function != "" {
		g.meta(&w, "TD")
	}
	w.WriteString("G01*\n")
	w.WriteString(g.body.String())
	if g.attributes != nil {
		g.meta(&w, "TD")
	}
	w.WriteString("M02*\n")
	return w.String()
}

// aperture returns the D code of an aperture with a definition and a function. It adds the aperture
// if it is new.
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

func (g *gerber) selectAperture(definition, function string) {
	if n := g.aperture(definition, function); n != g.current {
		fmt.Fprintf(&g.body, "D%d*\n", n)
		g.current = n
	}
}

// attribute sets the object attributes (Gerber, section 5.4), each given as a name and escaped
// fields. It does not repeat unchanged attributes.
func (g *gerber) attribute(wanted ...string) {
	name := func(a string) string { return a[:strings.IndexByte(a, ',')] }
	for _, old := range g.attributes {
		if !slices.ContainsFunc(wanted, func(a string) bool { return name(a) == name(old) }) {
			g.meta(&g.body, "TD."+name(old))
		}
	}
	for _, a := range wanted {
		if !slices.Contains(g.attributes, a) {
			g.meta(&g.body, "TO."+a)
		}
	}
	g.attributes = wanted
}

func (g *gerber) at(p board.Point, op string) {
	fmt.Fprintf(&g.body, "X%dY%d%s*\n", p.X, p.Y, op)
}

func (g *gerber) flash(p board.Point, definition, function string) {
	g.selectAperture(definition, function)
	g.at(p, "D03")
}

func (g *gerber) line(a, b board.Point, width int64, function string) {
	g.selectAperture("C,"+mm(width), function)
	if a == b { // A zero-length draw would be legal, but a flash is the usual form.
		g.at(a, "D03")
		return
	}
	g.at(a, "D02")
	g.at(b, "D01")
}

// region fills a closed contour (Gerber, section 4.10).
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

// mm formats a length [nm] in millimetres with six decimals.
func mm(nm int64) string {
	sign := ""
	if nm < 0 {
		sign, nm = "-", -nm
	}
	return fmt.Sprintf("%s%d.%06d", sign, nm/1e6, nm%1e6)
}

// short is like mm but omits trailing zeros.
func short(nm int64) string {
	return strings.TrimSuffix(strings.TrimRight(mm(nm), "0"), ".")
}

func degrees(d float64) string { return strconv.FormatFloat(d, 'f', -1, 64) }

// gerberText escapes an attribute field. Delimiters and everything other than printable ASCII
// become \u and four hex digits (Gerber, section 3.4.3).
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
