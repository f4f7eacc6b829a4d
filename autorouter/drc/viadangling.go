package drc

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// viaDangling reports vias that touch pads, tracks or pours of their net on fewer than two layers
// (KiCad: via_dangling).
var viaDangling = rule{name: "via_dangling", severity: Warning,
	check: func(s *checker, f *collector) error {
		for i := range s.items {
			it := &s.items[i]
			if it.kind != viaItem {
				continue
			}
			if i%64 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			var connected board.LayerSet
			for l := range it.on.All() {
				s.eachTouching(int(l), &it.shape, tolerance, i, func(j int, _ float64, _ geom.Vec) {
					if other := &s.items[j]; other.kind != viaItem && s.sameNet(it, other) {
						connected |= l.Bit()
					}
				})
			}
			where := "to nothing"
			switch connected.Count() {
			case 0:
			case 1:
				for l := range connected.All() {
					where = "only on the " + s.copper.Name(l) + " layer"
				}
			default:
				continue
			}
			f.add(violation{
				at: it.at, layer: s.layer(it), items: []string{s.name(i)},
				message: "Via of " + s.name(i) + " is connected " + where,
			})
		}
		return nil
	}}
