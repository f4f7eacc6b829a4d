package drc

import "slipstick/autorouter/geom"

// unrouted reports each missing connection between copper clusters of a net (KiCad:
// unconnected_items). The position of the violation is the first pad of the connection, and its
// actual value is the distance to the second pad.
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
