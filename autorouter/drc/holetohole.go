package drc

import "slipstick/autorouter/geom"

// holeToHole reports holes whose walls are too close, whatever their nets, because the drill bit
// would break through (KiCad: hole_to_hole, holes_co_located).
var holeToHole = rule{name: "hole_to_hole", severity: Error,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.HoleToHole)
		g := geom.NewShapeIndex(len(s.holes), func(i int) *geom.Boxed { return &s.holes[i].shape })
		for i := range s.holes {
			h := &s.holes[i]
			if i%64 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			g.Near(&h.shape, limit, func(j int) {
				if j <= i {
					return
				}
				o := &s.holes[j]
				gap, at := h.shape.Gap(&o.shape.Shape)
				if !tooSmall(gap, limit) {
					return
				}
				gap = max(0, gap)
				f.add(violation{
					at: at, layer: "both", items: []string{h.name, o.name}, actual: gap,
					required: limit,
					message: "Drilled holes too close " + limits(limit, gap) + ": " + h.name +
						" and " + o.name,
				})
			})
		}
		return nil
	}}
