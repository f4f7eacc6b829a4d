package drc

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// viaDangling: a via touches pads, tracks or pours of its net on fewer than two layers (KiCad:
// via_dangling).
var viaDangling = rule{name: "via_dangling", severity: Warning, check: func(s *checker, f *collector) error {
	for i := range s.items {
		it := &s.items[i]
		if it.kind != viaItem {
			continue
		}
		if i%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		var joined [2]bool
		for l := range joined {
			s.eachTouching(l, &it.shape, tolerance, i, func(j int, _ float64, _ geom.Vec) {
				other := &s.items[j]
				joined[l] = joined[l] || other.kind != viaItem && s.sameNet(it, other)
			})
		}
		where := ""
		switch joined {
		case [2]bool{true, true}:
			continue
		case [2]bool{}:
			where = "to nothing"
		case [2]bool{board.Top: true}:
			where = "only on the top layer"
		default:
			where = "only on the bottom layer"
		}
		f.add(violation{
			at: it.at, layer: it.layer(), items: []string{s.name(i)},
			message: "Via of " + s.name(i) + " is connected " + where,
		})
	}
	return nil
}}
