package drc

import "slipstick/autorouter/geom"

// drillSize reports holes and slots narrower than the fab's smallest drill bit (KiCad:
// drill_out_of_range).
var drillSize = rule{name: "drill_size", severity: Error,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.MinDrill)
		for i := range s.holes {
			h := &s.holes[i]
			if width := float64(h.width); tooSmall(width, limit) {
				f.add(violation{
					at: h.at(), layer: "both", items: []string{h.name}, actual: width,
					required: limit,
					message:  "Hole size " + limits(limit, width) + ": " + h.name,
				})
			}
		}
		return nil
	}}

// at returns the centre of a hole.
func (h *hole) at() geom.Vec {
	if h.shape.N == 2 {
		return geom.Lerp(h.shape.P[0], h.shape.P[1], 0.5)
	}
	return h.shape.P[0]
}
