package drc

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// holeClearance reports hole walls too close to copper of another net (KiCad: hole_clearance). For
// an unplated hole, all copper counts as another net. Pads of the hole's own footprint are included
// because drill positions have a tolerance. A hole and a pad of one footprint that is imported or
// has KiCad's dimensions are exempt unless they touch. The author of the footprint chose their
// distance.
var holeClearance = rule{name: "hole_clearance", severity: Error,
	check: func(s *checker, f *collector) error {
		for i := range s.holes {
			h := &s.holes[i]
			limit := float64(max(s.b.Rules.HoleClearance, h.clearance))
			if i%64 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			// done holds the items already reported, because an item can be on several layers.
			done := map[int]bool{}
			for l := range s.layers {
				s.eachTouching(l, &h.shape, limit, h.owner, func(j int, gap float64, at geom.Vec) {
					other := &s.items[j]
					if gap > tolerance && s.drawnTogether(h, other) || other.kind == padItem &&
						other.part == h.part && !tooSmall(gap, float64(s.b.Rules.HoleClearance)) {
						return
					}
					if done[j] || h.owner >= 0 && s.sameNet(&s.items[h.owner], other) ||
						!tooSmall(gap, limit) {
						return
					}
					done[j] = true
					gap = max(0, gap)
					f.add(violation{
						at: at, layer: s.copper.Name(board.Layer(l)),
						items: []string{h.name, s.name(j)}, actual: gap, required: limit,
						message: "Hole clearance violation " + limits(limit, gap) + ": " + h.name +
							" and " + s.describe(j),
					})
				})
			}
		}
		return nil
	}}

// drawnTogether reports whether a hole and a pad belong to the same footprint, which is imported or
// has KiCad's dimensions.
func (s *checker) drawnTogether(h *hole, it *item) bool {
	if it.kind != padItem || it.part != h.part {
		return false
	}
	f := s.b.Parts[it.part].Footprint
	return f != nil && (f.Drawing != nil || f.FromFigures)
}
