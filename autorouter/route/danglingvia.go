package route

import (
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// removeDanglingVias removes the vias of a net that touch its copper on fewer than two layers
// (KiCad: via_dangling). An example is a via that the pour does not reach. A via between two tracks
// of the same layer stays if the net needs it. The result reports whether any via was removed.
func (rt *router) removeDanglingVias(n *netState) bool {
	before, missing := n.copper.vias, len(rt.ratsnest(n))
	isDangling := func(v board.Point) bool { return rt.isDanglingVia(n, v) }
	n.copper.vias = slices.DeleteFunc(slices.Clone(before), isDangling)
	if len(n.copper.vias) == len(before) {
		n.copper.vias = before
		return false
	}
	rt.repour(n)
	if len(rt.ratsnest(n)) <= missing {
		return true
	}
	// At least one of the vias is needed, so try to remove each separately.
	n.copper.vias = before
	rt.repour(n)
	for _, v := range before {
		if rt.cancelled() {
			break
		}
		if !isDangling(v) {
			continue
		}
		kept := n.copper.vias
		n.copper.vias = slices.DeleteFunc(slices.Clone(kept), func(o board.Point) bool {
			return o == v
		})
		rt.repour(n)
		if len(rt.ratsnest(n)) > missing {
			n.copper.vias = kept
			rt.repour(n)
		}
	}
	return len(n.copper.vias) < len(before)
}

// isDanglingVia reports whether a via touches pads, tracks and pours of its net on fewer than two
// layers.
func (rt *router) isDanglingVia(n *netState, v board.Point) bool {
	form := geom.Disc(v, n.viaDiameter)
	box := form.Bounds()
	var touched board.LayerSet
	touch := func(o *geom.Shape, layers board.LayerSet) {
		if o.Bounds().Overlaps(box) && geom.Distance(&form, o) <= -overlapMin {
			touched |= layers
		}
	}
	for i := range n.terms {
		touch(&n.terms[i].shape, n.terms[i].layers)
	}
	for _, s := range n.copper.segments {
		o := geom.Segment(s.a, s.b, s.width)
		touch(&o, s.layer.Bit())
	}
	for layer := range rt.layers.All() {
		if n.pour != nil && n.pour.last.FilledNear(rt.numbers.board[layer], v, n.viaDiameter/2) {
			touched |= layer.Bit()
		}
	}
	return touched.Count() < 2
}
