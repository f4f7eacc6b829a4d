package export

import (
	"slipstick/autorouter/board"
)

func sideName(side board.Side) string {
	if side == board.TopSide {
		return "Top"
	}
	return "Bot"
}

// unconnected is the net name of unconnected copper in Gerber (section 5.6.13) and IPC-D-356A
// files.
const unconnected = "N/C"

// netOf returns the escaped net name of copper. An escaped slash distinguishes a net named N/C from
// unconnected copper.
func (j *job) netOf(net int) string {
	switch {
	case net < 0 || net >= len(j.Nets):
		return unconnected
	case j.Nets[net].Name == unconnected:
		return `N\u002FC`
	}
	return gerberText(j.Nets[net].Name)
}

// copper draws a copper layer. Zones come first because their keyhole cuts must not cover other
// objects.
func (j *job) copper(l board.Layer) string {
	g := j.gerber("Copper,"+j.Copper()[l].Gerber, "Positive")
	for _, p := range j.poured {
		if z := &j.Zones[p.zone]; z.Layer == l {
			g.attribute("N," + j.netOf(z.Net))
			g.region(p.outline)
		}
	}
	for _, t := range j.Tracks {
		if t.Layer == l {
			g.attribute("N," + j.netOf(t.Net))
			g.line(t.A, t.B, t.Width, "Conductor")
		}
	}
	for _, v := range j.Vias {
		if !j.ViaLayers(&v).Has(l) {
			continue
		}
		g.attribute("N," + j.netOf(v.Net))
		g.flash(v.At, "C,"+mm(v.Diameter), "ViaPad")
	}
	for i := range j.Parts {
		part := &j.Parts[i]
		for k := range part.Pads {
			p := &part.Pads[k]
			if !p.On(l) {
				continue
			}
			function := "SMDPad,CuDef"
			switch {
			case p.Tie:
				function = "Conductor"
			case p.Plated:
				function = "ComponentPad"
			}
			ref := gerberText(part.Ref)
			g.attribute("N,"+j.netOf(p.Net), "P,"+ref+","+gerberText(p.Number), "C,"+ref)
			g.flash(p.CopperAt(), landOf(p, 0).aperture(), function)
		}
	}
	if j.panel != nil {
		diameter := fiducial
		if l != board.Top && l != j.Copper().Bottom() {
			diameter = 0
		}
		g.repeat(j.panel, diameter)
	}
	return g.String()
}

func (j *job) mask(side board.Side) string {
	g := j.gerber("Soldermask,"+sideName(side), "Negative")
	d := &j.openings[side]
	for _, o := range d.lands {
		g.flash(o.at, o.aperture(), "Material")
	}
	for _, w := range d.bridges {
		g.region(w)
	}
	if j.panel != nil {
		g.repeat(j.panel, fiducialOpening)
	}
	return g.String()
}

func (j *job) paste(side board.Side) string {
	g := j.gerber("Paste,"+sideName(side), "Positive")
	l := j.Copper().Outer(side)
	for i := range j.Parts {
		for k := range j.Parts[i].Pads {
			if p := &j.Parts[i].Pads[k]; p.On(l) && !p.NoPaste && !p.Plated && p.Drill == 0 &&
				p.SlotW == 0 {
				for _, w := range panes(landOf(p, 0)) {
					g.flash(w.at, w.aperture(), "Material")
				}
			}
		}
		// The footprint drawing can have stencil openings without copper.
		for _, o := range aperturesOf(&j.Parts[i]) {
			if o.paste && o.On(board.TwoLayers().Outer(side)) {
				w := landOf(&o.Pad, 0)
				g.flash(w.at, w.aperture(), "Material")
			}
		}
	}
	if j.panel != nil {
		g.repeat(j.panel, 0)
	}
	return g.String()
}

// panes divides the paste of a land above 4 mm² into panes that cover 64 % of it (IPC-7525: 50 to
// 80 %). The gaps keep the part from floating on the solder and let gas escape. A round land has
// one round pane, because corners of square panes would lie outside it.
func panes(l land) []land {
	if l.convex || l.area() <= 4e12 {
		return []land{l}
	}
	if 2*l.radius >= min(l.w, l.h) {
		return []land{{at: l.at, w: l.w * 8 / 10, h: l.h * 8 / 10, radius: l.radius * 8 / 10,
			turn: l.turn}}
	}
	nx, ny := (l.w+1_999_999)/2_000_000, (l.h+1_999_999)/2_000_000
	px, py := l.w/nx, l.h/ny
	var panes []land
	for y := range ny {
		for x := range nx {
			c := board.Point{X: px*x + px/2 - l.w/2, Y: py*y + py/2 - l.h/2}
			panes = append(panes, land{at: l.at.Add(c.Rotated(l.turn)), w: px * 8 / 10,
				h: py * 8 / 10, turn: l.turn})
		}
	}
	return panes
}

func (j *job) silk(side board.Side) string {
	g := j.gerber("Legend,"+sideName(side), "Positive")
	for _, s := range j.silkscreens[side].all() {
		g.line(s.a, s.b, s.width, "Material")
	}
	if j.panel != nil {
		g.repeat(j.panel, 0)
	}
	return g.String()
}

func (j *job) profile() string {
	g := j.gerber("Profile,NP", "")
	for _, c := range append([]board.Polygon{j.Outline}, j.Cutouts()...) {
		for i, a := range c {
			g.line(a, c[(i+1)%len(c)], board.MM(0.1), "Profile")
		}
	}
	return g.String()
}
