package route

import (
	"slices"
	"sort"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/route/shape"
)

// trim takes up the tracks that lead nowhere: one of their ends is on no pad, via, other track or
// pour of the net. What holds both ends of a short track counts for the end that it begins or
// has its centre nearest to, and the pour, all its pieces together, for the end nearer to the first corner
// of the board, as KiCad has it; so a crumb within wider copper, or within the pour, is held at one end only. A track that
// joins others stays: where it ends within the length of one, that one is divided there, else it is stretched.
func (rt *router) trim() {
	for _, i := range rt.order {
		if rt.cancelled() {
			return
		}
		n := &rt.nets[i]
		rt.trimWhole(n)
		rt.takeIsolated(n)
		// Without a via the track to it leads nowhere, and without that track another via may.
		for round := 0; round < viaRounds && rt.trimVias(n) && !rt.cancelled(); round++ {
			rt.trimWhole(n)
			rt.takeIsolated(n)
		}
	}
}

// viaRounds is how often a net is trimmed for the sake of its vias.
const viaRounds = 4

// takeIsolated takes up the copper of a net that no pad is joined to, such as a tie between two pieces of pour
// that a later look did not find again.
func (rt *router) takeIsolated(n *netState) {
	before, missing := n.copper, len(rt.open(n))
	f, pads := rt.joined(n, -1), len(n.terms)
	var segs []seg
	for i, s := range before.segs {
		if f.root(pads+i) < pads {
			segs = append(segs, s)
		}
	}
	var vias []board.Point
	for i, v := range before.vias {
		if f.root(pads+len(before.segs)+i) < pads {
			vias = append(vias, v)
		}
	}
	if len(segs) == len(before.segs) && len(vias) == len(before.vias) {
		return
	}
	n.copper.segs, n.copper.vias = segs, vias
	rt.lookAgain(n)
	if len(rt.open(n)) > missing {
		n.copper = before
		rt.lookAgain(n)
	}
}

// trimWhole trims a net as far as it stays whole. A track that seems to lead nowhere may be one of two
// things that a small piece of pour is kept for; such a one is found by halving and stays.
func (rt *router) trimWhole(n *netState) {
	const guilty = 4 // so many are looked for
	before, missing := n.copper, len(rt.open(n))
	whole := func(segs []seg) bool {
		n.copper.segs = segs
		rt.lookAgain(n)
		return len(rt.open(n)) <= missing
	}
	stay, looked := map[seg]bool{}, false
	for range guilty {
		n.copper.segs = slices.Clone(before.segs)
		gone, changed := rt.trimNet(n, stay, missing)
		if !changed {
			break
		}
		looked = true
		if whole(n.copper.segs) || rt.cancelled() {
			return
		}
		if len(gone) == 0 {
			break
		}
		first := sort.Search(len(gone), func(k int) bool {
			return !whole(slices.DeleteFunc(slices.Clone(before.segs), func(s seg) bool { return slices.Contains(gone[:k+1], s) }))
		})
		stay[gone[min(first, len(gone)-1)]] = true
		if rt.cancelled() {
			break
		}
	}
	n.copper = before
	if looked {
		rt.lookAgain(n)
	}
}

// lookAgain pours anew after a change to the ground.
func (rt *router) lookAgain(n *netState) {
	if !n.ground || rt.stopped {
		return
	}
	rt.writeCopper()
	rt.look()
}

// trimNet takes up what leads nowhere, but for what has to stay, and reports what that was and whether it
// changed anything. What leads elsewhere then may not cut the pour, so that more joins than those missing before
// are open. What finds no such way has to stay from then on.
func (rt *router) trimNet(n *netState, stay map[seg]bool, missing int) (gone []seg, changed bool) {
	for i := 0; i < len(n.copper.segs) && !rt.cancelled(); {
		s := n.copper.segs[i]
		p, loose := rt.looseEnd(n, i)
		switch {
		case !loose || stay[s]:
			i++
		case rt.spare(n, i):
			gone = append(gone, s)
			n.copper.segs = slices.Delete(n.copper.segs, i, i+1)
			changed, i = true, 0 // what led to it may lead nowhere now
		case divide(n, p, s):
			changed = true
			i++
		case rt.stretch(n, i, p, missing):
			changed = true
			i++
		default:
			stay[s] = true // and is not tried again
			i++
		}
	}
	return gone, changed
}

// grip is how deep an end must lie in what holds it [nm]: of a mere touch KiCad says that it does not.
const grip = 1000

// looseEnd finds an end of a segment that nothing holds.
func (rt *router) looseEnd(n *netState, i int) (board.Point, bool) {
	rt.opt.Meter.Add(budget.ClearanceCheck, len(n.copper.segs)+len(n.terms)+len(n.copper.vias))
	s := n.copper.segs[i]
	a, b := shape.Disc(s.a, s.width), shape.Disc(s.b, s.width)
	heldA, heldB := false, false
	hold := func(o *shape.Shape, anchors ...board.Point) {
		onA, onB := shape.Distance(&a, o) <= -grip, shape.Distance(&b, o) <= -grip
		if onA && onB {
			toA, toB := nearest(anchors, s.a), nearest(anchors, s.b)
			onA, onB = toA < toB, toB <= toA
		}
		heldA, heldB = heldA || onA, heldB || onB
	}
	for k, o := range n.copper.segs {
		if k != i && o.layer == s.layer {
			form := shape.Segment(o.a, o.b, o.width)
			hold(&form, o.a, o.b)
		}
		if heldA && heldB {
			return board.Point{}, false
		}
	}
	for k := range n.terms {
		if t := &n.terms[k]; t.layers&(1<<s.layer) != 0 {
			hold(&t.shape, t.at)
		}
	}
	for _, v := range n.copper.vias {
		form := shape.Disc(v, n.viaDiameter)
		hold(&form, v)
	}
	if n.ground {
		const margin = 60 * board.Micrometre // an outline may be so far beyond its samples
		corner := rt.board.ZoneCorner()
		firstA := board.Distance(corner, s.a) < board.Distance(corner, s.b)
		poured := func(p board.Point, more int64) bool { return rt.pour.FilledNear(s.layer, p, s.width/2+more) }
		heldA = heldA || poured(s.a, 0) && (firstA || !poured(s.b, margin))
		heldB = heldB || poured(s.b, 0) && (!firstA || !poured(s.a, margin))
	}
	switch {
	case heldA && heldB:
		return board.Point{}, false
	case heldA:
		return s.b, true
	}
	return s.a, true
}

func nearest(anchors []board.Point, p board.Point) float64 {
	best := board.Distance(anchors[0], p)
	for _, a := range anchors[1:] {
		best = min(best, board.Distance(a, p))
	}
	return best
}

// inPour is the piece of the net's pour at a place, -1 for none.
func (rt *router) inPour(n *netState, layer board.Layer, p board.Point) int {
	if !n.ground {
		return -1
	}
	return rt.pour.FragmentAt(layer, p)
}

// spare reports whether a net holds together without one of its segments: it falls into no more
// pieces with pads than with it.
func (rt *router) spare(n *netState, i int) bool {
	return rt.padPieces(n, i) <= rt.padPieces(n, -1)
}

// padPieces counts the pieces of a net that have pads, without one of its segments.
func (rt *router) padPieces(n *netState, without int) int {
	f, pieces := rt.joined(n, without), 0
	for i := range n.terms { // the first of all, and a piece is known by its first
		if f.root(i) == i {
			pieces++
		}
	}
	return pieces
}

// joinedSpared is how many of the pairs that joined looks at take the time of one check of a clearance: most
// boxes are apart.
const joinedSpared = 8

// joined tells which terminals, segments and vias of a net, in this order, are joined, without one of the
// segments. Copper is joined where the end or the centre of one piece lies in another, which is less than
// that they touch, but what every reader of a board agrees on.
func (rt *router) joined(n *netState, without int) forest {
	type metal struct {
		s      shape.Shape
		box    board.Rect
		layers uint8
		ends   [2]board.Point
	}
	var all []metal
	add := func(s shape.Shape, layers uint8, a, b board.Point) {
		all = append(all, metal{s, s.Bounds().Grown(1), layers, [2]board.Point{a, b}})
	}
	for i := range n.terms {
		t := &n.terms[i]
		add(t.shape, t.layers, t.at, t.at)
	}
	for i, s := range n.copper.segs {
		layers := uint8(1) << s.layer
		if i == without {
			layers = 0
		}
		add(shape.Segment(s.a, s.b, s.width), layers, s.a, s.b)
	}
	for _, v := range n.copper.vias {
		add(shape.Disc(v, n.viaDiameter), onBoth, v, v)
	}
	rt.opt.Meter.Add(budget.ClearanceCheck, len(all)*len(all)/joinedSpared)
	within := func(p board.Point, m *metal) bool {
		return m.box.Contains(p) && m.s.To(float64(p.X), float64(p.Y)) <= 0
	}
	poured := [2]int{len(all), len(all) + rt.pour.Fragments(board.Top)} // where the pieces of each layer begin
	f := newForest(poured[1] + rt.pour.Fragments(board.Bottom))
	for i := range all {
		for _, p := range all[i].ends {
			for k := range all {
				if k != i && all[i].layers&all[k].layers != 0 && within(p, &all[k]) {
					f.join(i, k)
				}
			}
			for layer := board.Top; layer <= board.Bottom; layer++ {
				if all[i].layers&(1<<layer) == 0 {
					continue
				}
				if k := rt.inPour(n, layer, p); k >= 0 {
					f.join(i, poured[layer]+k)
				}
			}
		}
	}
	return f
}

// stretch gives a segment that the net needs, as two pieces of pour do that it lies between, ends that are
// held: it is led from the held end to the nearest pad or, where that cannot be, divided at a knee away
// from the corner that zones count from, so that they hold both outer ends. More joins than those missing
// must not be open then, as they are where it cuts the pour.
func (rt *router) stretch(n *netState, i int, loose board.Point, missing int) bool {
	const far = 2e6 // nm
	looks := 8      // at the pour, which are dear
	old, before := n.copper.segs[i], len(n.copper.segs)
	held := old.a
	if loose == old.a {
		held = old.b
	}
	try := func(way ...board.Point) bool {
		var segs []seg
		for k := 1; k < len(way); k++ {
			segs = append(segs, seg{a: way[k-1], b: way[k], width: old.width, layer: old.layer})
		}
		for _, s := range segs {
			if s.a == s.b || !rt.clearOfAll(n, s) {
				return false
			}
		}
		n.copper.segs[i] = segs[0]
		n.copper.segs = append(n.copper.segs, segs[1:]...)
		_, still := rt.looseEnd(n, i)
		for k := before; k < len(n.copper.segs) && !still; k++ {
			_, still = rt.looseEnd(n, k)
		}
		cut := false
		if !still && n.ground {
			looks--
			rt.lookAgain(n)
			cut = len(rt.open(n)) > missing
		}
		if still || cut {
			n.copper.segs = n.copper.segs[:before]
			n.copper.segs[i] = old
		}
		if cut {
			rt.lookAgain(n)
		}
		return !still && !cut
	}
	pad, best := -1, far
	for k := range n.terms {
		if d := board.Distance(n.terms[k].at, loose); n.terms[k].layers&(1<<old.layer) != 0 && d < best {
			pad, best = k, d
		}
	}
	if pad >= 0 && try(held, n.terms[pad].at) {
		return true
	}
	corner := rt.board.ZoneCorner()
	for k := int64(1); k <= 10; k++ {
		for _, dir := range moves {
			if looks == 0 {
				return false
			}
			knee := board.Point{X: (held.X + loose.X) / 2, Y: (held.Y + loose.Y) / 2}.Add(board.Point{X: int64(dir[0]) * k * board.MM(0.1), Y: int64(dir[1]) * k * board.MM(0.1)})
			if d := board.Distance(corner, knee); d > board.Distance(corner, held) && d > board.Distance(corner, loose) && try(held, knee, loose) {
				return true
			}
		}
	}
	return false
}

// clearOfAll reports whether a segment keeps every rule against what stands and the copper of all other
// nets.
func (rt *router) clearOfAll(n *netState, s seg) bool {
	it := rt.trackItem(n.index, s)
	if !rt.free(&it) {
		return false
	}
	for k := range rt.nets {
		o := &rt.nets[k]
		if o == n {
			continue
		}
		for _, other := range o.copper.segs {
			if x := rt.trackItem(k, other); rt.clash(&it, &x) {
				return false
			}
		}
		for _, v := range o.copper.vias {
			if x := rt.viaItem(k, v); rt.clash(&it, &x) {
				return false
			}
		}
	}
	return true
}

// divide cuts another segment in two where a point lies within its length.
func divide(n *netState, p board.Point, s seg) bool {
	for k, o := range n.copper.segs {
		if o.layer == s.layer && p != o.a && p != o.b && o != s && onSegment(p, o) {
			n.copper.segs[k].b = p
			o.a = p
			n.copper.segs = append(n.copper.segs, o)
			return true
		}
	}
	return false
}
