package drc

// clearance reports copper of two nets that is closer than the required clearance (KiCad:
// clearance). The requirement depends on the net classes, pads and pours. Pads of one footprint are
// skipped.
var clearance = rule{name: "clearance", severity: Error,
	check: func(s *checker, f *collector) error {
		for _, e := range s.tooClose {
			f.add(violation{
				at: e.at, layer: e.layer, items: []string{s.name(e.a), s.name(e.b)},
				actual:   e.distance,
				required: e.required,
				message: "Clearance violation " + limits(e.required, e.distance) + ": " +
					s.describe(e.a) + " and " + s.describe(e.b),
			})
		}
		f.count += s.dropped[1]
		return nil
	}}
