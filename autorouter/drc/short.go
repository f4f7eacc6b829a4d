package drc

// short reports touching copper of two nets (KiCad: shorting_items). Unlike clearance it also
// checks the pads of one footprint.
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
