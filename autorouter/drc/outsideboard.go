package drc

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// outsideBoard reports copper, unplated holes and courtyards that are not entirely inside the board
// outline. Copper counts as outside if its centre line or a corner is outside. If only its width
// crosses the edge, edge_clearance reports it. The courtyard of a part with a mating side or with
// keepouts may extend beyond the edge: connectors and antennas overhang by design. So may that of a
// part with a cut-out, which is within it.
var outsideBoard = rule{name: "outside_board", severity: Error,
	check: func(s *checker, f *collector) error {
		for i := range s.items {
			if i%64 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if at, out := s.isOutside(i); out {
				f.add(violation{at: at, layer: s.layer(&s.items[i]), items: []string{s.name(i)},
					message: "Outside the board: " + s.describe(i)})
			}
		}
		for i := range s.holes {
			h := &s.holes[i]
			if h.owner >= 0 {
				continue
			}
			gap, _ := s.edgeGap(&h.shape, 1)
			if !s.outline.Contains(h.at()) || gap < -tolerance {
				f.add(violation{at: h.at(), layer: "both", items: []string{h.name},
					message: "Outside the board: " + h.name})
			}
		}
		edge := geom.NewRegion(s.b.Outline)
		for i := range s.b.Parts {
			p := &s.b.Parts[i]
			for _, g := range p.Cutouts() {
				outside := func(c board.Point) bool { return !edge.Contains(geom.VecOf(c)) }
				if k := slices.IndexFunc(g, outside); k >= 0 {
					f.add(violation{at: geom.VecOf(g[k]), layer: "both", items: []string{p.Ref},
						message: "Outside the board: cut-out of " + p.Ref})
				}
			}
			if p.Footprint == nil || p.Footprint.MatingSide != board.NoEdge ||
				len(p.Footprint.Keepouts) > 0 || len(p.Cutouts()) > 0 {
				continue
			}
			by := 0.0
			for _, courtyard := range courtyards(p) {
				by = max(by, s.protrusion(&courtyard))
			}
			if by > tolerance {
				f.add(violation{
					at: geom.VecOf(p.At), layer: p.Side.String(), items: []string{p.Ref},
					actual:  -by,
					message: "Outside the board: courtyard of " + p.Ref + " by " + mm(by),
				})
			}
		}
		return nil
	}}

// courtyards returns the rectangles that form the courtyard of a part. There are none for a part
// without a footprint or a courtyard without area.
func courtyards(p *board.Part) []geom.Boxed {
	if p.Footprint == nil {
		return nil
	}
	var out []geom.Boxed
	for _, g := range board.CourtyardsOf(p) {
		if s, ok := geom.Quad(g); ok {
			out = append(out, s.Boxed())
		}
	}
	return out
}

// isOutside returns a corner of the copper of item i that is outside the outline, and whether there
// is one.
func (s *checker) isOutside(i int) (geom.Vec, bool) {
	it := &s.items[i]
	corners := it.shape.P[:it.shape.N]
	if it.kind == zoneItem {
		corners = it.area.Rings[0]
	}
	for _, p := range corners {
		if s.offBoard(p) > tolerance {
			return p, true
		}
	}
	return geom.Vec{}, false
}

// offBoard returns the distance from a point to the outline [nm]. It is zero inside the board.
func (s *checker) offBoard(p geom.Vec) float64 {
	if s.outline.Contains(p) {
		return 0
	}
	d := math.Inf(1)
	s.outline.Sides(func(a, b geom.Vec) { d = min(d, geom.PointSegment(p, a, b)) })
	return d
}

// protrusion returns the distance by which a convex polygon extends beyond the outline [nm]. If an
// outline edge crosses the polygon between its corners, the depth of that edge's end points counts
// too.
func (s *checker) protrusion(sh *geom.Boxed) float64 {
	by := 0.0
	for _, p := range sh.P[:sh.N] {
		by = max(by, s.offBoard(p))
	}
	s.outline.Sides(func(a, b geom.Vec) {
		if sh.CrossedBy(a, b, tolerance) {
			by = max(by, sh.Depth(a), sh.Depth(b), 2*tolerance)
		}
	})
	return by
}
