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
	d := &assemblyDrawing{side: side, box: j.Outline.Bounds().Grown(board.Millimetre)}
	size := short(d.box.Width()) + " " + short(d.box.Height())
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%smm" height="%smm" viewBox="0 0 %s">`,
		short(d.box.Width()), short(d.box.Height()), size)
	d.put("<title>%s, assembly of the %s</title>", xmlText(j.name), side)
	d.put(`<rect width="100%%" height="100%%" fill="#fff"/>`)
	d.put(`<g fill="none" stroke="#000" stroke-width="%s" font-family="sans-serif" text-anchor="middle">`, short(assemblyStroke))
	d.put(`<path d="%s" stroke-width="0.2"/>`, d.path(j.Outline))
	for _, c := range j.Cutouts() {
		d.put(`<path d="%s" stroke-width="0.2"/>`, d.path(c))
	}
	for _, h := range j.Holes {
		d.put(`<circle cx="%s" cy="%s" r="%s"/>`, d.x(h.At), d.y(h.At), short(h.Diameter/2))
	}
	for i := range j.Parts {
		if p := &j.Parts[i]; p.Side == side {
			d.part(p, j.Copper().Outer(side))
		}
	}
	d.put("</g>\n</svg>")
	return d.String()
}

// assemblyDrawing is the drawing of one side of a board. The bottom side is viewed from below.
type assemblyDrawing struct {
	strings.Builder
	side board.Side
	box  board.Rect // drawn part of the board
}

func (d *assemblyDrawing) put(format string, a ...any) { fmt.Fprintf(d, format+"\n", a...) }

// at converts a position from board to drawing coordinates [nm].
func (d *assemblyDrawing) at(p board.Point) board.Point {
	if d.side == board.BottomSide {
		return board.Point{X: d.box.Max.X - p.X, Y: d.box.Max.Y - p.Y}
	}
	return board.Point{X: p.X - d.box.Min.X, Y: d.box.Max.Y - p.Y}
}

func (d *assemblyDrawing) x(p board.Point) string { return short(d.at(p).X) }
func (d *assemblyDrawing) y(p board.Point) string { return short(d.at(p).Y) }

func (d *assemblyDrawing) path(g board.Polygon) string {
	out := make(board.Polygon, len(g))
	for i, p := range g {
		out[i] = d.at(p)
	}
	return path(out)
}

// part draws the pads of a part on a layer, its package, its first pad and its texts.
func (d *assemblyDrawing) part(p *board.Part, l board.Layer) {
	for k := range p.Pads {
		if pad := &p.Pads[k]; pad.On(l) {
			d.put(`<path d="%s" fill="#ccc" stroke="none"/>`, d.path(landOf(pad, 0).contour()))
		}
	}
	body := placed(p, p.Footprint.Body)
	d.put(`<path d="%s"><title>%s %s</title></path>`, d.path(body), xmlText(p.Ref),
		xmlText(p.Value))
	if p.DNP {
		d.put(`<path d="M%s %sL%s %sM%s %sL%s %s" stroke="#c00"/>`,
			d.x(body[0]), d.y(body[0]), d.x(body[2]), d.y(body[2]),
			d.x(body[1]), d.y(body[1]), d.x(body[3]), d.y(body[3]))
	}
	f := p.Footprint
	if len(f.Pads) > 0 && (len(f.Pads) >= 3 || f.Polar) {
		at := onBoard(p, f.Pads[0].At)
		d.put(`<circle cx="%s" cy="%s" r="%s" fill="#c00" stroke="none"/>`, d.x(at), d.y(at),
			short(assemblyPinMark/2))
		for _, name := range []string{"K", "+"} {
			if f.Aliases[name] == f.Pads[0].Number {
				d.put(`<text x="%s" y="%s" font-size="0.8" fill="#c00" stroke="none">%s</text>`,
					d.x(at), short(d.at(at).Y-assemblyPinMark/2), name)
			}
		}
	}
	d.texts(p, body.Bounds())
}

// texts writes the reference and the value of a part into the box of its package.
func (d *assemblyDrawing) texts(p *board.Part, r board.Rect) {
	mid := d.at(board.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2})
	lines := []string{p.Ref}
	if p.Value != "" {
		lines = append(lines, p.Value)
	}
	for n, text := range lines {
		height := min(assemblyText, r.Height()/int64(len(lines)),
			int64(float64(r.Width())/(assemblyRatio*float64(max(1, len([]rune(text)))))))
		height = max(height, assemblyLeast)
		// The lines of text share the height. The baseline of a line is a third of its height below
		// its centre.
		y := mid.Y + int64(2*n+1-len(lines))*height/2 + height/3
		d.put(`<text x="%s" y="%s" font-size="%s" fill="#00c" stroke="none">%s</text>`,
			short(mid.X), short(y), short(height), xmlText(text))
	}
}
