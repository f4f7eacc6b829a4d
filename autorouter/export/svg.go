package export

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/board"
)

func xmlText(s string) string {
	var w strings.Builder
	_ = xml.EscapeText(&w, []byte(s)) // also replaces characters not allowed in XML 1.0
	return w.String()
}

func path(g board.Polygon) string {
	var w strings.Builder
	for i, p := range g {
		c := "L"
		if i == 0 {
			c = "M"
		}
		w.WriteString(c + short(p.X) + " " + short(p.Y))
	}
	return w.String() + "Z"
}

// svg returns a picture of one side of the board, with copper under green mask, bare pads and
// silkscreen.
func (j *job) svg(side board.Side) string {
	l := j.Copper().Outer(side)
	var w strings.Builder
	put := func(f string, a ...any) { fmt.Fprintf(&w, f+"\n", a...) }
	r := j.Outline.Bounds()
	box := r.Grown(1_000_000)
	put(`<svg xmlns="http://www.w3.org/2000/svg" width="%smm" height="%smm" viewBox="0 0 %s %s">`,
		short(box.Width()), short(box.Height()), short(box.Width()), short(box.Height()))
	put("<title>%s, %s</title>", xmlText(j.name), side)
	outline := path(j.Outline)
	// A cut-out in the opposite direction of the outline is a hole by the rule nonzero.
	for _, c := range j.Cutouts() {
		if (c.Area() > 0) == (j.Outline.Area() > 0) {
			slices.Reverse(c)
		}
		outline += path(c)
	}
	put(`<defs><clipPath id="board-shape"><path d="%s"/></clipPath></defs>`, outline)
	if side == board.TopSide {
		put(`<g transform="matrix(1 0 0 -1 %s %s)">`, short(-box.Min.X), short(box.Max.Y))
	} else {
		put(`<g transform="matrix(-1 0 0 -1 %s %s)">`, short(box.Max.X), short(box.Max.Y))
	}
	put(`<g id="mask"><path d="%s" fill="#0b5d2e"/></g>`, outline)
	put(`<g clip-path="url(#board-shape)">`)
	j.svgCopper(put, l)
	put(`</g><g id="openings" fill="#a98d55">`)
	for _, c := range j.openings[side].contours {
		put(`<path d="%s"/>`, path(c))
	}
	put(`</g><g id="pads" fill="#dcc27a">`)
	for i := range j.Parts {
		for k := range j.Parts[i].Pads {
			if p := &j.Parts[i].Pads[k]; p.On(l) {
				fill := ""
				if p.Tie { // under the mask
					fill = ` fill="#17803f"`
				}
				put(`<path d="%s"%s><title>%s.%s</title></path>`,
					path(landOf(p, 0).contour()), fill, xmlText(j.Parts[i].Ref), xmlText(p.Number))
			}
		}
	}
	put(`</g><g id="silk" stroke="#f4f4ee" stroke-linecap="round">`)
	for _, s := range j.silkscreens[side].all() {
		put(`<path d="M%s %sL%s %s" stroke-width="%s"/>`, short(s.a.X), short(s.a.Y), short(s.b.X),
			short(s.b.Y), short(s.width))
	}
	put(`</g></g><g id="holes" stroke="#1b1d1f" stroke-linecap="round">`)
	for _, h := range append(j.hits(true), j.hits(false)...) {
		put(`<path d="M%s %sL%s %s" stroke-width="%s"/>`, short(h.a.X), short(h.a.Y), short(h.b.X),
			short(h.b.Y), short(h.tool))
	}
	put(`</g><g id="edge" fill="none" stroke="#06351a" stroke-width="0.1"><path d="%s"/></g>`,
		outline)
	put("</g>\n</svg>")
	return w.String()
}

// svgCopper opens a group and draws the zones, tracks and vias of a layer in it.
func (j *job) svgCopper(put func(format string, a ...any), l board.Layer) {
	put(`<g id="copper" fill="#17803f" stroke="#17803f" stroke-linecap="round">`)
	for _, z := range j.Zones {
		for _, f := range z.Pieces {
			if z.Layer == l {
				d := path(f.Outline)
				for _, h := range f.Holes {
					d += path(h)
				}
				put(`<path d="%s" fill-rule="evenodd" fill="#12713a" stroke="none"/>`, d)
			}
		}
	}
	for _, t := range j.Tracks {
		if t.Layer == l {
			put(`<path d="M%s %sL%s %s" stroke-width="%s"/>`, short(t.A.X), short(t.A.Y),
				short(t.B.X), short(t.B.Y), short(t.Width))
		}
	}
	for _, v := range j.Vias {
		put(`<circle cx="%s" cy="%s" r="%s" stroke="none"/>`, short(v.At.X), short(v.At.Y),
			short(v.Diameter/2))
	}
}
