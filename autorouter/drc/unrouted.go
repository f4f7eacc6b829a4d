package drc

import "slipstick/autorouter/geom"

// unrouted: the copper of a net is in several islands (KiCad: unconnected_items). One violation per
// missing connection, at its first pad; the actual value is its length.
var unrouted = rule{name: "unrouted", severity: Error, check: func(s *checker, f *collector) error {
	for _, j := range s.unconnected {
		f.add(violation{
			at: geom.VecOf(j.At), layer: "both", items: []string{j.From, j.To}, actual: j.Distance,
			message: "Missing connection on " + s.netName(j.Net) + " between " + j.From + " and " +
				j.To + ", " + mm(j.Distance) + " apart",
		})
	}
	return s.ctx.Err()
}}
