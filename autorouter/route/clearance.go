package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// kind selects the rule of an item.
type kind uint8

const (
	plainCopper  kind = iota // clearance is that of its net class
	boardEdge                // clearance is the distance of copper from the board edge
	unplatedHole             // clearance is the distance of copper from the wall
	trackKeepout
	viaKeepout
)

const (
	onTop  uint8 = 1
	onBot  uint8 = 2
	onBoth       = onTop | onBot
)

// copperItem is a fixed or routed object that copper must keep clear of.
type copperItem struct {
	shape      geom.Shape
	hole       geom.Shape
	box        board.Rect
	clearance  float64 // nm
	net        int32
	kind       kind
	layers     uint8
	hasHole    bool
	via        bool
	thermalPad bool  // a pad that may carry vias
	terminal   int32 // index of the pad among the terminals, -1 for routed copper
}

// spatialIndex finds the items near a place.
type spatialIndex struct {
	bins  geom.Bins
	items []copperItem
	seen  []uint32
	stamp uint32
	reach int64 // the largest distance of any rule [nm]
}

const binSize = 2 * board.Millimetre

func newSpatialIndex(area board.Rect, reach int64) *spatialIndex {
	return &spatialIndex{bins: geom.NewBins(area, binSize), reach: reach}
}

func (x *spatialIndex) add(it copperItem) int32 {
	it.box = it.shape.Bounds()
	id := int32(len(x.items))
	x.items = append(x.items, it)
	x.seen = append(x.seen, 0)
	x.bins.Add(id, it.box)
	return id
}

// remove takes an item out of its bins; its slot is not reused.
func (x *spatialIndex) remove(id int32) { x.bins.Remove(id, x.items[id].box) }

// near calls yield once for each item whose box is within reach of r, until yield returns false.
func (x *spatialIndex) near(r board.Rect, yield func(id int32, it *copperItem) bool) {
	x.stamp++
	r = r.Grown(x.reach + 1)
	c0, r0, c1, r1 := x.bins.Range(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, id := range x.bins.At(col, row) {
				if x.seen[id] == x.stamp {
					continue
				}
				x.seen[id] = x.stamp
				if it := &x.items[id]; it.box.Overlaps(r) && !yield(id, it) {
					return
				}
			}
		}
	}
}

// violates reports whether new copper n breaks a rule against an item o. Distances are exact; a
// distance equal to the rule passes.
func (rt *router) violates(n, o *copperItem) bool {
	const eps = 0.5 // nm: rounding of rotated pads
	switch o.kind {
	case trackKeepout:
		return !n.via && n.layers&o.layers != 0 && geom.Distance(&n.shape, &o.shape) < -eps
	case viaKeepout:
		return n.via && n.layers&o.layers != 0 && geom.Distance(&n.shape, &o.shape) < -eps
	case boardEdge, unplatedHole:
		if geom.Distance(&n.shape, &o.shape) < o.clearance-eps {
			return true
		}
		return o.kind == unplatedHole && n.hasHole && geom.Distance(&n.hole, &o.shape) < rt.holeToHole-eps
	}
	if n.hasHole && o.hasHole {
		if d := geom.Distance(&n.hole, &o.hole); d < rt.holeToHole-eps && !(n.net == o.net && n.hole == o.hole) {
			return true
		}
	}
	if n.net == o.net && n.net != board.NoNet {
		return false
	}
	if n.layers&o.layers != 0 && geom.Distance(&n.shape, &o.shape) < max(n.clearance, o.clearance)-eps {
		return true
	}
	if n.hasHole && geom.Distance(&n.hole, &o.shape) < rt.holeClearance-eps {
		return true
	}
	return o.hasHole && geom.Distance(&n.shape, &o.hole) < rt.holeClearance-eps
}

// isClear reports whether new copper keeps every rule against the indexed items.
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
	layer := onTop
	if s.layer == board.Bottom {
		layer = onBot
	}
	return copperItem{shape: geom.Segment(s.a, s.b, s.width), net: int32(net), clearance: rt.nets[net].clearance, layers: layer, terminal: -1}
}

func (rt *router) viaItem(net int, at board.Point) copperItem {
	n := &rt.nets[net]
	return copperItem{
		shape: geom.Disc(at, n.viaDiameter), hole: geom.Disc(at, n.viaDrill), hasHole: true, via: true,
		net: int32(net), clearance: n.clearance, layers: onBoth, terminal: -1,
	}
}

// addFixedItems adds everything that routing cannot move to the index.
func (rt *router) addFixedItems() {
	b := rt.board
	r := &b.Rules
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			rt.addPad(pi, i)
		}
	}
	for i, p := range b.Outline {
		q := b.Outline[(i+1)%len(b.Outline)]
		rt.index.add(copperItem{shape: geom.Segment(p, q, 0), kind: boardEdge, clearance: float64(r.EdgeClearance), net: board.NoNet, layers: onBoth, terminal: -1})
	}
	for _, h := range b.Holes {
		rt.index.add(copperItem{
			shape: geom.Disc(h.At, h.Diameter), kind: unplatedHole, clearance: float64(max(r.HoleClearance, h.Keepout)),
			net: board.NoNet, layers: onBoth, terminal: -1,
		})
	}
	for _, k := range b.Keepouts {
		it := copperItem{shape: geom.RectShape(k.Area), net: board.NoNet, layers: layerMask(k.Layers), terminal: -1}
		if k.Tracks || k.Copper {
			it.kind = trackKeepout
			rt.index.add(it)
		}
		if k.Vias || k.Copper {
			it.kind = viaKeepout
			rt.index.add(it)
		}
	}
}

func layerMask(layers []board.Layer) uint8 {
	var m uint8
	for _, l := range layers {
		m |= 1 << l
	}
	return m
}

func (rt *router) addPad(part, i int) {
	p := &rt.board.Parts[part].Pads[i]
	bore, hasBore := p.HoleShape()
	if !p.Plated && hasBore {
		rt.index.add(copperItem{shape: bore, kind: unplatedHole, clearance: rt.holeClearance, net: board.NoNet, layers: onBoth, terminal: -1})
		return
	}
	it := copperItem{shape: p.Copper(0), hole: bore, hasHole: hasBore, net: int32(p.Net), terminal: -1}
	it.clearance = float64(rt.board.Rules.Classes[0].Clearance)
	if p.Net != board.NoNet {
		it.clearance = rt.nets[p.Net].clearance
	}
	if p.OnTop {
		it.layers |= onTop
	}
	if p.OnBot {
		it.layers |= onBot
	}
	if it.layers == 0 {
		return
	}
	it.thermalPad = p.Net != board.NoNet && isExposedPad(rt.board.Parts[part].Pads, i, 2*rt.nets[p.Net].viaDiameter)
	if p.Net != board.NoNet {
		n := &rt.nets[p.Net]
		it.terminal = int32(len(n.terms))
		n.terms = append(n.terms, terminal{part: part, pad: i, at: p.At, shape: it.shape, layers: it.layers})
	}
	rt.index.add(it)
}

// isExposedPad reports whether a pad is the exposed pad below a package, which carries thermal
// vias: its size is at least minimum and it has other pads on all four sides. In any other surface
// pad the solder would drain into the hole.
func isExposedPad(pads []board.Pad, i int, least int64) bool {
	p := &pads[i]
	if min(p.Width, p.Height) < least {
		return false
	}
	var left, right, below, above bool
	for k := range pads {
		d := pads[k].At.Sub(p.At)
		left, right, below, above = left || d.X < 0, right || d.X > 0, below || d.Y < 0, above || d.Y > 0
	}
	return left && right && below && above
}
