package drc

import "slipstick/autorouter/board"

// holeClearance: the wall of a hole is too near to copper that is not its own net's (KiCad:
// hole_clearance). All copper is foreign to a hole without plating. Pads of one footprint are not
// skipped: the drill wanders whoever drew the pads.
var holeClearance = rule{name: "hole_clearance", severity: Error, check: func(s *survey, f *findings) error {
	limit := float64(s.b.Rules.HoleClearance)
	for i := range s.holes {
		h := &s.holes[i]
		if i%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		done := map[int]bool{} // copper on both layers counts once
		for l := range s.layers {
			s.touch(l, &h.shape, limit, h.owner, func(j int, gap float64, at vec) {
				if done[j] || h.owner >= 0 && s.oneNet(&s.items[h.owner], &s.items[j]) || !tooSmall(gap, limit) {
					return
				}
				done[j] = true
				gap = max(0, gap)
				f.add(finding{
					at: at, layer: board.Layer(l).String(), items: []string{h.name, s.name(j)}, actual: gap, required: limit,
					message: "Hole clearance violation " + limits(limit, gap) + ": " + h.name + " and " + s.full(j),
				})
			})
		}
	}
	return nil
}}
