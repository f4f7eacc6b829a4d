package export

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// openings holds the solder mask openings of a side.
type openings struct {
	lands    []land
	bridges  []board.Polygon // openings that replace mask webs below the minimum width
	contours []board.Polygon // contours of all openings
	boxes    []board.Rect    // bounding boxes of the contours
	cutouts  []board.Polygon // cut-outs of the board
}

func openingsOf(b *board.Board, side board.Side) openings {
	var d openings
	l := b.Copper().Outer(side)
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			p := &b.Parts[i].Pads[k]
			if p.On(l) {
				if !p.NoMask {
					d.open(landOf(p, p.MaskExpansion(&b.Rules)))
				}
			} else if !p.Plated && p.Drill > 0 {
				d.open(round(p.At, p.Drill+2*b.Rules.MaskExpansion))
			}
		}
	}
	for i := range b.Parts {
		for _, o := range aperturesOf(&b.Parts[i]) {
			if o.mask && o.On(board.TwoLayers().Outer(side)) {
				by := o.MaskExpansion(&b.Rules)
				if o.drawn {
					by = 0
				}
				d.open(landOf(&o.Pad, by))
			}
		}
	}
	for _, h := range b.Holes {
		d.open(round(h.At, h.Diameter+2*b.Rules.MaskExpansion))
	}
	d.merge(b.Rules.MaskWeb)
	d.cutouts = b.Cutouts()
	return d
}

// aperture is a mask or stencil opening that has no copper.
type aperture struct {
	board.Pad
	mask, paste, drawn bool
}

// aperturesOf returns the openings of a placed part that have no copper.
func aperturesOf(p *board.Part) []aperture {
	d := p.Footprint.Drawing
	if d == nil || len(d.Apertures) == 0 {
		return nil
	}
	f := board.Footprint{}
	for _, a := range d.Apertures {
		f.Pads = append(f.Pads, a.FootprintPad)
	}
	free := func(string) int { return board.NoNet }
	var out []aperture
	for i, pad := range board.Place(board.Component{Footprint: &f}, p.Placement, free).Pads {
		a := d.Apertures[i]
		out = append(out, aperture{pad, a.Mask, a.Paste, a.Drawn})
	}
	return out
}

func round(at board.Point, diameter int64) land {
	return land{at: at, w: diameter, h: diameter, radius: diameter / 2}
}

func (d *openings) open(o land) {
	d.lands = append(d.lands, o)
	d.add(o.contour())
}

func (d *openings) add(contour board.Polygon) {
	d.contours = append(d.contours, contour)
	d.boxes = append(d.boxes, contour.Bounds())
}

// merge opens the mask webs narrower than web [nm]. Between two openings that are this close, it
// adds the convex hull of their facing border points. Overlapping openings need no addition.
func (d *openings) merge(web int64) {
	n := len(d.contours)
	for i := range n {
		for k := i + 1; k < n; k++ {
			if web <= 0 || !d.boxes[i].Grown(web).Overlaps(d.boxes[k]) {
				continue
			}
			a, apart := borderNear(d.contours[i], d.contours[k], float64(web))
			if !apart {
				continue
			}
			b, apart := borderNear(d.contours[k], d.contours[i], float64(web))
			if g := geom.Hull(append(a, b...)); apart && len(g) > 2 {
				d.bridges = append(d.bridges, g)
				d.add(g)
			}
		}
	}
}

// borderNear returns points on the border of g that are closer to o than limit [nm], sampled at
// intervals of at most 20 µm. The result apart is false if a point of the border lies inside o.
func borderNear(g, o board.Polygon, limit float64) (near []board.Point, apart bool) {
	for i, a := range g {
		b := g[(i+1)%len(g)]
		steps := int64(board.Distance(a, b)/20e3) + 1
		for s := range steps {
			p := board.Point{X: a.X + (b.X-a.X)*s/steps, Y: a.Y + (b.Y-a.Y)*s/steps}
			switch d := o.Distance(p); {
			case d == 0:
				return nil, false
			case d < limit:
				near = append(near, p)
			}
		}
	}
	return near, true
}
