package route

import (
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route/shape"
)

// trimVias takes up the vias of a net that touch its copper on fewer than two layers, such as those
// led to a place where the pour was expected and does not reach. One that the net needs to hold
// together, as its copper may lie between two tracks of one layer, stays. It reports whether there
// was one.
func (rt *router) trimVias(n *netState) bool {
	before, missing := n.copper.vias, len(rt.open(n))
	gone := func(v board.Point) bool { return rt.viaDangles(n, v) }
	n.copper.vias = slices.DeleteFunc(slices.Clone(before), gone)
	if len(n.copper.vias) == len(before) {
		n.copper.vias = before
		return false
	}
	rt.lookAgain(n)
	if len(rt.open(n)) <= missing {
		return true
	}
	// One of them is needed: each is tried alone.
	n.copper.vias = before
	rt.lookAgain(n)
	for _, v := range before {
		if rt.cancelled() {
			break
		}
		if !gone(v) {
			continue
		}
		kept := n.copper.vias
		n.copper.vias = slices.DeleteFunc(slices.Clone(kept), func(o board.Point) bool { return o == v })
		rt.lookAgain(n)
		if len(rt.open(n)) > missing {
			n.copper.vias = kept
			rt.lookAgain(n)
		}
	}
	return len(n.copper.vias) < len(before)
}

// viaDangles reports whether a via touches pads, tracks and pours of its net on fewer than two
// layers.
func (rt *router) viaDangles(n *netState, v board.Point) bool {
	form := shape.Disc(v, n.viaDiameter)
	box := form.Bounds()
	var touched uint8
	touch := func(o *shape.Shape, layers uint8) {
		if o.Bounds().Overlaps(box) && shape.Distance(&form, o) <= -grip {
			touched |= layers
		}
	}
	for i := range n.terms {
		touch(&n.terms[i].shape, n.terms[i].layers)
	}
	for _, s := range n.copper.segs {
		o := shape.Segment(s.a, s.b, s.width)
		touch(&o, 1<<s.layer)
	}
	for layer := board.Top; n.ground && layer <= board.Bottom; layer++ {
		if rt.pour.FilledNear(layer, v, n.viaDiameter/2) {
			touched |= 1 << layer
		}
	}
	return touched != onBoth
}
