package drc

import (
	"math"

	"slipstick/autorouter/board"
)

// outsideBoard: copper, a hole without plating or the courtyard of a part is not wholly on the board.
// Copper counts as outside when its centre line or a corner is; a rim that only reaches over the edge
// is a matter of edge_clearance.
var outsideBoard = rule{name: "outside_board", severity: Error, check: func(s *checker, f *collector) error {
	for i := range s.items {
		if i%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if at, out := s.isOutside(i); out {
			f.add(violation{at: at, layer: s.items[i].layer(), items: []string{s.name(i)}, message: "Outside the board: " + s.describe(i)})
		}
	}
	for i := range s.holes {
		h := &s.holes[i]
		if h.owner >= 0 {
			continue
		}
		gap, _ := s.edgeGap(&h.shape, 1)
		if !s.outline.contains(h.at()) || gap < -tolerance {
			f.add(violation{at: h.at(), layer: "both", items: []string{h.name}, message: "Outside the board: " + h.name})
		}
	}
	for i := range s.b.Parts {
		p := &s.b.Parts[i]
		court, ok := courtyard(p)
		if !ok {
			continue
		}
		if by := s.protrusion(&court); by > tolerance {
			f.add(violation{
				at: vecOf(p.At), layer: p.Side.String(), items: []string{p.Ref}, actual: -by,
				message: "Outside the board: courtyard of " + p.Ref + " by " + mm(by),
			})
		}
	}
	return nil
}}

// courtyard of a part, when it has one.
func courtyard(p *board.Part) (shape, bool) {
	if p.Footprint == nil {
		return shape{}, false
	}
	return quad(board.CourtyardOf(p))
}

// isOutside finds a corner of an item's copper that is outside the outline.
func (s *checker) isOutside(i int) (vec, bool) {
	it := &s.items[i]
	corners := it.shape.core[:it.shape.n]
	if it.kind == zoneItem {
		corners = it.area.rings[0]
	}
	for _, p := range corners {
		if s.offBoard(p) > tolerance {
			return p, true
		}
	}
	return vec{}, false
}

// offBoard is how far a point is outside the outline, zero inside.
func (s *checker) offBoard(p vec) float64 {
	if s.outline.contains(p) {
		return 0
	}
	d := math.Inf(1)
	s.outline.sides(func(a, b vec) { d = min(d, pointSegment(p, a, b)) })
	return d
}

// protrusion is how far a convex polygon leaves the outline. A notch of the board that only cuts
// into it, between its corners, counts by how deep its corners are inside.
func (s *checker) protrusion(sh *shape) float64 {
	by := 0.0
	for _, p := range sh.core[:sh.n] {
		by = max(by, s.offBoard(p))
	}
	s.outline.sides(func(a, b vec) {
		if sh.crossedBy(a, b) {
			by = max(by, sh.depth(a), sh.depth(b), 2*tolerance)
		}
	})
	return by
}
