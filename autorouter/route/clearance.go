package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// violates reports whether new copper n violates a clearance rule against an existing item o.
// Distances are exact; a distance equal to the required clearance is legal.
func (rt *router) violates(n, o *copperItem) bool {
	const eps = 0.5 // tolerance for the rounding of rotated pads [nm]
	switch o.kind {
	case trackKeepout:
		return !n.via && n.layers&o.layers != 0 && geom.Distance(&n.shape, &o.shape) < -eps
	case viaKeepout:
		return n.via && n.layers&o.layers != 0 && geom.Distance(&n.shape, &o.shape) < -eps
	case boardEdge, unplatedHole:
		if geom.Distance(&n.shape, &o.shape) < o.clearance-eps {
			return true
		}
		return o.kind == unplatedHole && n.hasHole && geom.Distance(&n.hole,
			&o.shape) < rt.holeToHole-eps
	}
	if n.hasHole && o.hasHole {
		if d := geom.Distance(&n.hole, &o.hole); d < rt.holeToHole-eps &&
			!(n.net == o.net && n.hole == o.hole) {
			return true
		}
	}
	if n.net == o.net && n.net != board.NoNet {
		return false
	}
	if n.layers&o.layers != 0 &&
		geom.Distance(&n.shape, &o.shape) <
			o.required(n.clearance, !n.via && rt.isNeck(n.shape.R))-eps {
		return true
	}
	if n.hasHole && geom.Distance(&n.hole, &o.shape) < rt.holeClearance-eps {
		return true
	}
	return o.hasHole && geom.Distance(&n.shape, &o.hole) < rt.holeClearance-eps
}

// isNeck reports whether a track with the half width r [nm] is as narrow as a necked track.
func (rt *router) isNeck(r float64) bool { return 2*r <= float64(rt.board.Rules.NeckWidth) }

// isClear reports whether new copper satisfies every clearance rule against the indexed items.
func (rt *router) isClear(n *copperItem) bool {
	ok, checks := true, 1
	rt.index.near(n.shape.Bounds(), func(_ int32, o *copperItem) bool {
		checks++
		ok = !rt.violates(n, o)
		return ok
	})
	rt.opt.Meter.Add(budget.ClearanceCheck, checks)
	return ok
}

func (rt *router) trackItem(net int, s segment) copperItem {
	return copperItem{shape: geom.Segment(s.a, s.b, s.width), net: int32(net),
		clearance: rt.nets[net].clearance, layers: s.layer.Bit(), terminal: -1}
}

func (rt *router) viaItem(net int, at board.Point) copperItem {
	n := &rt.nets[net]
	return copperItem{
		shape: geom.Disc(at, n.viaDiameter), hole: geom.Disc(at, n.viaDrill),
		hasHole: true, via: true,
		net: int32(net), clearance: n.clearance, layers: rt.layers, terminal: -1,
	}
}

// clearOfOtherNets reports whether a track satisfies every rule against the routed copper of all
// other nets.
func (rt *router) clearOfOtherNets(n *netState, it *copperItem) bool {
	box := it.shape.Bounds().Grown(rt.index.reach + 1)
	near := func(a, b board.Point, width int64) bool {
		r := width / 2
		return min(a.X, b.X)-r <= box.Max.X && max(a.X, b.X)+r >= box.Min.X &&
			min(a.Y, b.Y)-r <= box.Max.Y && max(a.Y, b.Y)+r >= box.Min.Y
	}
	for k := range rt.nets {
		o := &rt.nets[k]
		if o == n {
			continue
		}
		for _, s := range o.copper.segments {
			if near(s.a, s.b, s.width) {
				if x := rt.trackItem(k, s); rt.violates(it, &x) {
					return false
				}
			}
		}
		for _, v := range o.copper.vias {
			if near(v, v, o.viaDiameter) {
				if x := rt.viaItem(k, v); rt.violates(it, &x) {
					return false
				}
			}
		}
		rt.opt.Meter.Add(budget.ClearanceCheck, 1)
	}
	return true
}
