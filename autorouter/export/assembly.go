package export

import (
	"fmt"
	"strings"

	"slipstick/autorouter/board"
)

// Text and line sizes of assembly drawings.
const (
	assemblyText    = 1200 * board.Micrometre // largest text height [nm]
	assemblyLeast   = 250 * board.Micrometre  // smallest text height [nm]
	assemblyRatio   = 0.62                    // ratio of character width to text height
	assemblyStroke  = 100 * board.Micrometre
	assemblyPinMark = 500 * board.Micrometre
)

// assembly returns an SVG drawing of a side for assembly: packages with references and values,
// pads, pin 1 and polarity. The text height adapts to the package, so references that do not fit on
// the silkscreen also appear. Unpopulated parts are crossed out.
func (j *job) assembly(side board.Side) string {
	l := j.Copper().Outer(side)
	var w strings.Builder
	put := func(f string, a ...any) { fmt.Fprintf(&w, f+"\n", a...) }
	box := j.Outline.Bounds().Grown(board.Millimetre)
	size := short(box.Width()) + " " + short(box.Height())
	put(`<svg xmlns="http://www.w3.org/2000/svg" width="%smm" height="%smm" viewBox="0 0 %s">`,
		short(box.Width()), short(box.Height()), size)
	put("<title>%s, assembly of the %s</title>", xmlText(j.name), side)
	put(`<rect width="100%%" height="100%%" fill="#fff"/>`)
	// x and y convert board to drawing coordinates; the bottom side is viewed from below.
	x := func(p board.Point) int64 {
		if side == board.BottomSide {
			return box.Max.X - p.X
		}
		return p.X - box.Min.X
	}
	y := func(p board.Point) int64 { return box.Max.Y - p.Y }
	shape := func(g board.Polygon) string {
		out := make(board.Polygon, len(g))
		for i, p := range g {
			out[i] = board.Point{X: x(p), Y: y(p)}
		}
		return path(out)
	}
	put(`<g fill="none" stroke="#000" stroke-width="%s" font-family="sans-serif" text-anchor="middle">`, short(assemblyStroke))
	put(`<path d="%s" stroke-width="0.2"/>`, shape(j.Outline))
	for _, c := range j.Cutouts() {
		put(`<path d="%s" stroke-width="0.2"/>`, shape(c))
	}
	for _, h := range j.Holes {
		put(`<circle cx="%s" cy="%s" r="%s"/>`, short(x(h.At)), short(y(h.At)), short(h.Diameter/2))
	}
	for i := range j.Parts {
		p := &j.Parts[i]
		if p.Side != side {
			continue
		}
		for k := range p.Pads {
			if pad := &p.Pads[k]; pad.On(l) {
				put(`<path d="%s" fill="#ccc" stroke="none"/>`, shape(landOf(pad, 0).contour()))
			}
		}
		body := placed(p, p.Footprint.Body)
		put(`<path d="%s"><title>%s %s</title></path>`, shape(body), xmlText(p.Ref),
			xmlText(p.Value))
		if p.DNP {
			put(`<path d="M%s %sL%s %sM%s %sL%s %s" stroke="#c00"/>`,
				short(x(body[0])), short(y(body[0])), short(x(body[2])), short(y(body[2])),
				short(x(body[1])), short(y(body[1])), short(x(body[3])), short(y(body[3])))
		}
		f := p.Footprint
		if len(f.Pads) > 0 && (len(f.Pads) >= 3 || f.Polar) {
			at := onBoard(p, f.Pads[0].At)
			put(`<circle cx="%s" cy="%s" r="%s" fill="#c00" stroke="none"/>`, short(x(at)),
				short(y(at)), short(assemblyPinMark/2))
			for _, name := range []string{"K", "+"} {
				if f.Aliases[name] == f.Pads[0].Number {
					put(`<text x="%s" y="%s" font-size="0.8" fill="#c00" stroke="none">%s</text>`,
						short(x(at)), short(y(at)-assemblyPinMark/2), name)
				}
			}
		}
		r := body.Bounds()
		mid := board.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
		lines := []string{p.Ref}
		if p.Value != "" {
			lines = append(lines, p.Value)
		}
		for n, text := range lines {
			height := min(assemblyText, r.Height()/int64(len(lines)),
				int64(float64(r.Width())/(assemblyRatio*float64(max(1, len([]rune(text)))))))
			height = max(height, assemblyLeast)
			// The lines of text share the height. The baseline of a line is a third of its height
			// below its centre.
			at := y(mid) + int64(2*n+1-len(lines))*height/2 + height/3
			put(`<text x="%s" y="%s" font-size="%s" fill="#00c" stroke="none">%s</text>`,
				short(x(mid)), short(at), short(height), xmlText(text))
		}
	}
	put("</g>\n</svg>")
	return w.String()
}
