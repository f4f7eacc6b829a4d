package drc

import (
	"math"

	"slipstick/autorouter/geom"
)

// edgeClearance reports copper and holes too close to the edge of the board or of a cut-out (KiCad:
// copper_edge_clearance). The wall of a hole keeps the distance of copper, because the laminate
// beside it breaks. Copper outside the board is reported by outside_board instead.
var edgeClearance = rule{name: "edge_clearance", severity: Error,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.EdgeClearance)
		best := make([]approach, len(s.items)) // smallest gap of each item, by item index
		for i := range best {
			best[i].gap = math.Inf(1)
		}
		for l := range s.layers {
			for i := range s.layers[l].primitives {
				p := &s.layers[l].primitives[i]
				if i%256 == 0 && s.ctx.Err() != nil {
					return s.ctx.Err()
				}
				if gap, at := s.edgeGap(&p.shape, limit); gap < best[p.item].gap {
					best[p.item] = approach{p.item, gap, at}
				}
			}
		}
		for i, h := range best {
			if !tooSmall(h.gap, limit) {
				continue
			}
			if _, out := s.isOutside(i); out {
				continue
			}
			gap := max(0, h.gap)
			f.add(violation{
				at: h.at, layer: s.layer(&s.items[i]), items: []string{s.name(i)}, actual: gap,
				required: limit,
				message: "Board edge clearance violation " + limits(limit, gap) + ": " +
					s.describe(i),
			})
		}
		for i := range s.holes {
			h := &s.holes[i]
			gap, at := s.edgeGap(&h.shape, limit)
			if h.owner >= 0 || !tooSmall(gap, limit) || gap < -tolerance ||
				!s.outline.Contains(h.at()) {
				continue // the copper of a plated hole counts, and outside_board reports the others
			}
			gap = max(0, gap)
			f.add(violation{at: at, layer: "both", items: []string{h.name}, actual: gap,
				required: limit,
				message:  "Board edge clearance violation " + limits(limit, gap) + ": " + h.name})
		}
		return nil
	}}

// edgeGap returns the gap between a shape and the edge of the board or of a cut-out [nm], and its
// position. If the gap exceeds reach, the result may be +Inf.
func (s *checker) edgeGap(sh *geom.Boxed, reach float64) (float64, geom.Vec) {
	least, at := math.Inf(1), geom.Vec{}
	s.outlineGrid.Near(sh, reach, func(id int) {
		if !sh.Box.Grown(reach).Intersects(s.outlineSides[id].Box) {
			return
		}
		if g, p := sh.Gap(&s.outlineSides[id].Shape); g < least {
			least, at = g, p
		}
	})
	return least, at
}
