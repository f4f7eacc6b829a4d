package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/route/shape"
)

// kind says which rule an item brings with it.
type kind uint8

const (
	copper    kind = iota // clear is the clearance of its net class
	edgeLine              // clear is the distance copper keeps from the board edge
	plainHole             // clear is the distance copper keeps from the wall
	noTracks
	noVias
)

const (
	onTop  uint8 = 1
	onBot  uint8 = 2
	onBoth       = onTop | onBot
)

// item is a thing on the board that copper must keep away from.
type item struct {
	s       shape.Shape
	bore    shape.Shape
	box     board.Rect
	clear   float64 // nm
	net     int32
	kind    kind
	layers  uint8
	hasBore bool
	via     bool
	thermal bool  // a land that may carry vias
	owner   int32 // index of the pad among the terminals, -1 for routed copper
}

// index finds the items near a place: square bins of binSize, each with the items that touch it.
type index struct {
	min        board.Point
	cols, rows int
	bins       [][]int32
	items      []item
	seen       []uint32
	stamp      uint32
	reach      int64 // the largest distance any rule asks for
}

const binSize = 2 * board.Millimetre

func newIndex(area board.Rect, reach int64) *index {
	x := &index{min: area.Min, reach: reach}
	x.cols, x.rows = int(area.Width()/binSize)+1, int(area.Height()/binSize)+1
	x.bins = make([][]int32, x.cols*x.rows)
	return x
}

func (x *index) span(r board.Rect) (c0, r0, c1, r1 int) {
	c0, r0 = int((r.Min.X-x.min.X)/binSize), int((r.Min.Y-x.min.Y)/binSize)
	c1, r1 = int((r.Max.X-x.min.X)/binSize), int((r.Max.Y-x.min.Y)/binSize)
	clip := func(v, n int) int { return max(0, min(v, n-1)) }
	return clip(c0, x.cols), clip(r0, x.rows), clip(c1, x.cols), clip(r1, x.rows)
}

func (x *index) add(it item) int32 {
	it.box = it.s.Bounds()
	id := int32(len(x.items))
	x.items = append(x.items, it)
	x.seen = append(x.seen, 0)
	c0, r0, c1, r1 := x.span(it.box)
	for r := r0; r <= r1; r++ {
		for c := c0; c <= c1; c++ {
			x.bins[r*x.cols+c] = append(x.bins[r*x.cols+c], id)
		}
	}
	return id
}

// remove takes an item out of its bins; its slot is not used again.
func (x *index) remove(id int32) {
	c0, r0, c1, r1 := x.span(x.items[id].box)
	for r := r0; r <= r1; r++ {
		for c := c0; c <= c1; c++ {
			bin := x.bins[r*x.cols+c]
			for i, v := range bin {
				if v == id {
					bin[i] = bin[len(bin)-1]
					x.bins[r*x.cols+c] = bin[:len(bin)-1]
					break
				}
			}
		}
	}
}

// near calls yield once for each item whose box comes within reach of r, until it says false.
func (x *index) near(r board.Rect, yield func(id int32, it *item) bool) {
	x.stamp++
	r = r.Grown(x.reach + 1)
	c0, r0, c1, r1 := x.span(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, id := range x.bins[row*x.cols+col] {
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

// clash reports whether new copper n breaks a rule against a standing item o. Both are exact;
// a distance equal to the rule is enough.
func (rt *router) clash(n, o *item) bool {
	const eps = 0.5 // nm: rounding of turned pads
	switch o.kind {
	case noTracks:
		return !n.via && n.layers&o.layers != 0 && shape.Distance(&n.s, &o.s) < -eps
	case noVias:
		return n.via && n.layers&o.layers != 0 && shape.Distance(&n.s, &o.s) < -eps
	case edgeLine, plainHole:
		if shape.Distance(&n.s, &o.s) < o.clear-eps {
			return true
		}
		return o.kind == plainHole && n.hasBore && shape.Distance(&n.bore, &o.s) < rt.holeToHole-eps
	}
	if n.hasBore && o.hasBore {
		if d := shape.Distance(&n.bore, &o.bore); d < rt.holeToHole-eps && !(n.net == o.net && n.bore == o.bore) {
			return true
		}
	}
	if n.net == o.net && n.net != board.NoNet {
		return false
	}
	if n.layers&o.layers != 0 && shape.Distance(&n.s, &o.s) < max(n.clear, o.clear)-eps {
		return true
	}
	if n.hasBore && shape.Distance(&n.bore, &o.s) < rt.holeClear-eps {
		return true
	}
	return o.hasBore && shape.Distance(&n.s, &o.bore) < rt.holeClear-eps
}

// free reports whether new copper keeps every rule against all that stands.
func (rt *router) free(n *item) bool {
	ok, checks := true, 1
	rt.index.near(n.s.Bounds(), func(_ int32, o *item) bool {
		checks++
		ok = !rt.clash(n, o)
		return ok
	})
	rt.opt.Meter.Add(budget.ClearanceCheck, checks)
	return ok
}

func (rt *router) trackItem(net int, s seg) item {
	layer := onTop
	if s.layer == board.Bottom {
		layer = onBot
	}
	return item{s: shape.Segment(s.a, s.b, s.width), net: int32(net), clear: rt.nets[net].clear, layers: layer, owner: -1}
}

func (rt *router) viaItem(net int, at board.Point) item {
	n := &rt.nets[net]
	return item{
		s: shape.Disc(at, n.viaDiameter), bore: shape.Disc(at, n.viaDrill), hasBore: true, via: true,
		net: int32(net), clear: n.clear, layers: onBoth, owner: -1,
	}
}

// standing puts everything that routing cannot move into the index.
func (rt *router) standing() {
	b := rt.board
	r := &b.Rules
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			rt.standingPad(pi, i)
		}
	}
	for i, p := range b.Outline {
		q := b.Outline[(i+1)%len(b.Outline)]
		rt.index.add(item{s: shape.Segment(p, q, 0), kind: edgeLine, clear: float64(r.EdgeClearance), net: board.NoNet, layers: onBoth, owner: -1})
	}
	for _, h := range b.Holes {
		rt.index.add(item{
			s: shape.Disc(h.At, h.Diameter), kind: plainHole, clear: float64(max(r.HoleClearance, h.Keepout)),
			net: board.NoNet, layers: onBoth, owner: -1,
		})
	}
	for _, k := range b.Keepouts {
		it := item{s: shape.Box(k.Area), net: board.NoNet, layers: layerMask(k.Layers), owner: -1}
		if k.Tracks || k.Copper {
			it.kind = noTracks
			rt.index.add(it)
		}
		if k.Vias || k.Copper {
			it.kind = noVias
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

func (rt *router) standingPad(part, i int) {
	p := &rt.board.Parts[part].Pads[i]
	bore, hasBore := shape.Bore(p)
	if !p.Plated && hasBore {
		rt.index.add(item{s: bore, kind: plainHole, clear: rt.holeClear, net: board.NoNet, layers: onBoth, owner: -1})
		return
	}
	it := item{s: shape.Pad(p), bore: bore, hasBore: hasBore, net: int32(p.Net), owner: -1}
	it.clear = float64(rt.board.Rules.Classes[0].Clearance)
	if p.Net != board.NoNet {
		it.clear = rt.nets[p.Net].clear
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
	it.thermal = p.Net != board.NoNet && exposed(rt.board.Parts[part].Pads, i, 2*rt.nets[p.Net].viaDiameter)
	if p.Net != board.NoNet {
		n := &rt.nets[p.Net]
		it.owner = int32(len(n.terms))
		n.terms = append(n.terms, terminal{part: part, pad: i, at: p.At, shape: it.s, layers: it.layers})
	}
	rt.index.add(it)
}

// exposed reports whether a land is the exposed pad below a package, which carries thermal vias:
// it is that large at least and has other lands on all four sides. From any other surface land the
// solder would run down the hole.
func exposed(pads []board.Pad, i int, least int64) bool {
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
