package drc

// short: copper of two nets touches (KiCad: shorting_items). Unlike the clearance rule it looks at
// the pads of one footprint too.
var short = rule{name: "short", severity: Error, check: func(s *checker, f *collector) error {
	for _, e := range s.shorts {
		f.add(violation{
			at: e.at, layer: e.layer, items: []string{s.name(e.a), s.name(e.b)},
			required: e.required,
			message:  "Items shorting two nets: " + s.describe(e.a) + " and " + s.describe(e.b),
		})
	}
	f.count += s.dropped[0]
	return nil
}}
