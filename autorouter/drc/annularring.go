package drc

import "math"

// annularRing reports plated holes whose annular ring is narrower than the fab allows (KiCad:
// annular_width; IPC-2221 section 9.1.2). The width of the ring is the smallest distance between
// the wall of the hole or slot and the edge of the copper.
var annularRing = rule{name: "annular_ring", severity: Error,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.MinRing)
		for i := range s.holes {
			h := &s.holes[i]
			if h.owner < 0 {
				continue
			}
			copper := &s.items[h.owner]
			ring := math.Inf(1)
			// The depth is concave, so its minimum is at a corner.
			for _, p := range h.shape.P[:h.shape.N] {
				ring = min(ring, copper.shape.Depth(p)-h.shape.R)
			}
			if tooSmall(ring, limit) {
				f.add(violation{
					at: copper.at, layer: "both", items: []string{h.name}, actual: ring,
					required: limit,
					message:  "Annular width " + limits(limit, ring) + ": " + s.describe(h.owner),
				})
			}
		}
		return nil
	}}
