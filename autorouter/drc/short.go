package drc

// short: copper of two nets touches (KiCad: shorting_items). Unlike the clearance rule it looks at
// the pads of one footprint too.
var short = rule{name: "short", severity: Error, check: func(s *survey, f *findings) error {
	for _, e := range s.shorts {
		f.add(finding{
			at: e.at, layer: e.layer, items: []string{s.name(e.a), s.name(e.b)}, required: e.required,
			message: "Items shorting two nets: " + s.full(e.a) + " and " + s.full(e.b),
		})
	}
	f.count += s.lost[0]
	return nil
}}
