package drc

// clearance: copper of two nets is nearer than the larger clearance of their classes, or than the pour
// clearance where one of them is poured (KiCad: clearance). Pads of one footprint are skipped.
var clearance = rule{name: "clearance", severity: Error, check: func(s *survey, f *findings) error {
	for _, e := range s.tooClose {
		f.add(finding{
			at: e.at, layer: e.layer, items: []string{s.name(e.a), s.name(e.b)}, actual: e.gap, required: e.required,
			message: "Clearance violation " + limits(e.required, e.gap) + ": " + s.full(e.a) + " and " + s.full(e.b),
		})
	}
	f.count += s.lost[1]
	return nil
}}
