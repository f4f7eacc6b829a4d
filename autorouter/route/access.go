package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// findAccess chooses the grid nodes at which tracks enter each pad of a net, preferably the legal
// node closest to the pad's centre. A pad between grid lines with close neighbours gets the ends of
// short stubs instead. A stub leaves the pad along one of its axes and turns onto the grid by 45
// degrees.
func (rt *router) findAccess(n *netState) {
	for i := range n.terms {
		if rt.cancelled() {
			return
		}
		t := &n.terms[i]
		if rt.board.Parts[t.part].Pads[t.pad].Tie {
			continue
		}
		for layer := range (t.layers & rt.grid.all()).All() {
			before := len(t.access)
			rt.accessInside(n, t, layer)
			if len(t.access) == before {
				rt.accessByStub(n, t, layer)
			}
		}
	}
}

func (rt *router) usable(n *netState, node int32) bool {
	o := rt.grid.maps[n.neckMap].cells[node].fixedNet
	return o == unowned || o == int16(n.index)
}

func (rt *router) nodeAt(p board.Point, layer board.Layer) (int32, bool) {
	g := &rt.grid
	round := func(v int64) int { return int(math.Round(float64(v) / float64(g.pitch))) }
	x, y := round(p.X-g.min.X), round(p.Y-g.min.Y)
	if x < 0 || y < 0 || x >= g.w || y >= g.h {
		return 0, false
	}
	return int32(y*g.w + x + int(layer)*g.size), true
}

func (rt *router) accessInside(n *netState, t *terminal, layer board.Layer) {
	best, bestD := int32(-1), math.Inf(1)
	for _, node := range rt.nodesInside(n, t, layer) {
		if d := board.Distance(rt.grid.at(node), t.at); d < bestD {
			best, bestD = node, d
		}
	}
	if best >= 0 {
		t.access = append(t.access, rt.accessAt(n, t, layer, best))
	}
}

// nodesInside returns the legal nodes in a pad within two grid steps of its centre.
func (rt *router) nodesInside(n *netState, t *terminal, layer board.Layer) []int32 {
	g := &rt.grid
	var out []int32
	for dy := int64(-2); dy <= 2; dy++ {
		for dx := int64(-2); dx <= 2; dx++ {
			node, ok := rt.nodeAt(t.at.Add(board.Point{X: dx * g.pitch, Y: dy * g.pitch}), layer)
			if !ok || !rt.usable(n, node) {
				continue
			}
			if t.contains(g.at(node)) {
				out = append(out, node)
			}
		}
	}
	return out
}

// accessAt returns the access of a terminal at a node in its pad, with a stub from the centre if
// the stub is clear.
func (rt *router) accessAt(n *netState, t *terminal, layer board.Layer, node int32) access {
	a := access{node: node}
	if at := rt.grid.at(node); at != t.at {
		s := segment{a: t.at, b: at, width: n.neckWidth, layer: layer}
		if it := rt.trackItem(n.index, s); rt.isClear(&it) {
			a.stub = []segment{s}
			a.exposed = !t.covers(s.a, s.width) || !t.covers(s.b, s.width)
		}
	}
	return a
}

// contains reports whether a point lies in the pad of the terminal, far enough from its edge for
// the end of a track.
func (t *terminal) contains(p board.Point) bool {
	return t.shape.To(float64(p.X), float64(p.Y)) <= -min(t.shape.R, 20e3)
}

// covers reports whether a disc with its centre at p lies in the pad of the terminal.
func (t *terminal) covers(p board.Point, diameter int64) bool {
	return t.shape.To(float64(p.X), float64(p.Y)) <= -float64(diameter)/2
}

// isStubClear reports whether the stub of an access satisfies every rule against the routed copper
// of other nets. The occupancy maps show that of the node only.
func (rt *router) isStubClear(n *netState, a *access) bool {
	if !a.exposed {
		return true
	}
	return !slices.ContainsFunc(a.stub, func(s segment) bool {
		it := rt.trackItem(n.index, s)
		return !rt.clearOfOtherNets(n, &it)
	})
}

// eachAccess calls yield for the access nodes of a terminal at which a search may begin or end.
func (rt *router) eachAccess(q *searchQuery, t *terminal, yield func(node int32)) {
	for k := range t.access {
		if a := &t.access[k]; rt.isEnterable(q, a) {
			yield(a.node)
		}
	}
}

// isEnterable reports whether a search may begin or end at an access. A hard search needs a clear
// stub.
func (rt *router) isEnterable(q *searchQuery, a *access) bool {
	return !q.hard || !a.outside || rt.isStubClear(q.net, a)
}

// addAlternatives adds the legal corners of the grid cell around the centre of a pad to its access
// nodes. It does so if an access node is too close to one of another net for the necked tracks of
// both. Between pads off the grid, rip-up could otherwise never resolve the conflict.
func (rt *router) addAlternatives() {
	type accessNode struct {
		net, term int
		at        board.Point
		layer     board.Layer
	}
	g := &rt.grid
	var all []accessNode
	maxSpacing := 0.0
	for _, i := range rt.order {
		n := &rt.nets[i]
		maxSpacing = max(maxSpacing, float64(n.neckWidth)+n.clearance)
		for k := range n.terms {
			for _, a := range n.terms[k].access {
				all = append(all, accessNode{i, k, g.at(a.node), g.layer(a.node)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b accessNode) int { return cmp.Compare(a.at.X, b.at.X) })
	maxSpacing += g.margin(maxSpacing)
	type padLayer struct {
		net, term int
		layer     board.Layer
	}
	tooClose := map[padLayer]bool{}
	for i, a := range all {
		if rt.cancelled() {
			return
		}
		for _, b := range all[i+1:] {
			if float64(b.at.X-a.at.X) >= maxSpacing {
				break
			}
			if a.net == b.net || a.layer != b.layer {
				continue
			}
			m, n := &rt.nets[a.net], &rt.nets[b.net]
			need := float64(m.neckWidth+n.neckWidth)/2 + max(m.clearance, n.clearance)
			if board.Distance(a.at, b.at) < need+g.margin(need) {
				tooClose[padLayer{a.net, a.term, a.layer}] = true
				tooClose[padLayer{b.net, b.term, b.layer}] = true
			}
		}
	}
	for _, i := range rt.order {
		n := &rt.nets[i]
		for k := range n.terms {
			t := &n.terms[k]
			for layer := range (t.layers & g.all()).All() {
				if !tooClose[padLayer{i, k, layer}] {
					continue
				}
				for _, node := range rt.nodesInside(n, t, layer) {
					d := g.at(node).Sub(t.at)
					isNode := func(a access) bool { return a.node == node }
					if abs(d.X) < g.pitch && abs(d.Y) < g.pitch &&
						!slices.ContainsFunc(t.access, isNode) {
						t.access = append(t.access, rt.accessAt(n, t, layer, node))
					}
				}
			}
		}
	}
}

// accessByStub tries stubs from the centre of a pad in both directions along both of its axes. If
// none is legal, it tries stubs beside the centre. The shortest legal stub of each direction
// becomes an access of the terminal.
func (rt *router) accessByStub(n *netState, t *terminal, layer board.Layer) {
	before := len(t.access)
	for quarter := range 4 {
		rt.addStub(n, t, layer, t.at, board.Point{}, quarter)
	}
	if len(t.access) > before {
		return
	}
	for quarter := range 4 {
		from, outwards, ok := rt.besideCentre(n, t, layer, quarter)
		if ok && !rt.addStub(n, t, layer, from, outwards, quarter) {
			rt.addStub(n, t, layer, from, board.Point{}, quarter)
		}
	}
}

// besideCentre returns a point in a pad from which a stub keeps its clearances to the copper on
// both sides. The stub has the given direction, in quarter turns from the axis of the pad. The
// point lies midway between them, or only as far from the centre as the copper on one side
// requires. The vector outwards leads to the closer copper and is 3/4 of the pitch long. The result
// is false if the centre is such a point or if the pad has none.
//
// The pads of a resistor array differ in width, so the middle between the neighbours of a pad is
// beside its centre. Its stub should end on the side of the wider neighbour. The stub of the other
// neighbour has the least legal distance, which no node beside it keeps.
func (rt *router) besideCentre(n *netState, t *terminal, layer board.Layer,
	quarter int) (from, outwards board.Point, ok bool) {
	p := &rt.board.Parts[t.part].Pads[t.pad]
	sin, cos := math.Sincos((p.Rotation + float64(90*quarter)) * math.Pi / 180)
	end := rt.trackItem(n.index, segment{a: t.at, b: t.at, width: n.neckWidth, layer: layer})
	// The excess of the distance over the clearance, to the right and to the left of the stub [nm].
	excess, checks := [2]float64{math.Inf(1), math.Inf(1)}, 0
	rt.index.near(end.shape.Bounds(), func(_ int32, it *copperItem) bool {
		checks++
		if it.kind != plainCopper || !it.layers.Has(layer) || it.net == end.net {
			return true
		}
		d := geom.VecOf(it.box.Min.Add(it.box.Max)).Scale(0.5).Sub(geom.VecOf(t.at))
		along, across := d.X*cos+d.Y*sin, d.Y*cos-d.X*sin
		if math.Abs(across) <= math.Abs(along) {
			return true
		}
		side := 0
		if across > 0 {
			side = 1
		}
		excess[side] = min(excess[side], geom.Distance(&end.shape, &it.shape)-
			it.required(n.clearance, rt.isNeck(end.shape.R)))
		return true
	})
	rt.opt.Meter.Add(budget.ClearanceCheck, checks)
	tight, wide := min(excess[0], excess[1]), max(excess[0], excess[1])
	if tight >= 0 || tight+wide < -1 { // 1 nm allows for rounding
		return from, outwards, false
	}
	offset := -tight
	if !math.IsInf(wide, 1) {
		offset = (wide - tight) / 2
	}
	length := float64(rt.grid.pitch) * 3 / 4
	if excess[1] == tight {
		offset, length = -offset, -length
	}
	across := func(d float64) board.Point {
		return board.Point{X: int64(math.Round(-sin * d)), Y: int64(math.Round(cos * d))}
	}
	from = nearLine(t.at.Add(across(offset)), func(q board.Point) float64 {
		d := q.Sub(t.at)
		return float64(d.Y)*cos - float64(d.X)*sin - offset
	}, isSlanted(p))
	return from, across(-length), t.contains(from)
}

// isSlanted reports whether the axes of a pad are at no multiple of 45 degrees.
func isSlanted(p *board.Pad) bool { return math.Mod(p.Rotation, 45) != 0 }

// nearLine returns the point at p or next to it with the least distance to a line, which off
// returns [nm]. Beside slanted pads, tracks may fit to a fraction of a nanometre, so it compares
// more points.
func nearLine(p board.Point, off func(board.Point) float64, slanted bool) board.Point {
	best, least := p, math.Abs(off(p))
	try := func(x, y int64) {
		q := p.Add(board.Point{X: x, Y: y})
		if e := math.Abs(off(q)); e < least-1e-6 {
			best, least = q, e
		}
	}
	if !slanted {
		for _, d := range [...]int64{1, -1} {
			try(d, 0)
		}
		for _, d := range [...]int64{1, -1} {
			try(0, d)
		}
		return best
	}
	const reach = 6 // [nm]
	for x := int64(-reach); x <= reach; x++ {
		for y := int64(-reach); y <= reach; y++ {
			try(x, y)
		}
	}
	return best
}

// addStub adds the shortest legal stub from a point in a pad to the accesses of the terminal, and
// reports whether there is one. The direction is in quarter turns from the axis of the pad. The
// stub ends at a node closest to that line moved by the vector shift. The stub of a slanted pad
// follows the line.
func (rt *router) addStub(n *netState, t *terminal, layer board.Layer, from, shift board.Point,
	quarter int) bool {
	g := &rt.grid
	p := &rt.board.Parts[t.part].Pads[t.pad]
	reach := max(p.Width, p.Height)/2 + 8*g.pitch
	diagonal := math.Mod(p.Rotation, 90) == 45
	unit := board.Point{X: g.pitch / 2}.Rotated(p.Rotation + float64(90*quarter))
	for k := int64(1); k*g.pitch/2 < reach; k++ {
		if k%16 == 0 && rt.cancelled() {
			return false
		}
		end := from.Add(shift).Add(board.Point{X: unit.X * k, Y: unit.Y * k})
		node, ok := rt.nodeAt(end, layer)
		if !ok || !rt.usable(n, node) {
			continue
		}
		stub := stubTo(segment{a: from, b: g.at(node), width: n.neckWidth, layer: layer}, diagonal)
		if isSlanted(p) {
			stub = stubAlong(stub[0], from.Add(board.Point{X: unit.X * k, Y: unit.Y * k}),
				p.Rotation+float64(90*quarter), g.at(node))
		}
		if !rt.isLegalStub(n, stub) {
			continue
		}
		for _, s := range stub {
			it := rt.trackItem(n.index, s)
			it.box = it.shape.Bounds().Grown(rt.index.reach + 1)
			rt.stubs = append(rt.stubs, it)
		}
		t.access = append(t.access, access{node: node, stub: stub, outside: true, exposed: true})
		return true
	}
	return false
}

// stubTo returns the stub between the ends of a segment. It runs straight along the longer distance
// first, then diagonally to the end. If diagonal is true, as for a pad at an odd multiple of 45
// degrees, the diagonal comes first.
func stubTo(s segment, diagonal bool) []segment {
	d := s.b.Sub(s.a)
	if d.X == 0 || d.Y == 0 || abs(d.X) == abs(d.Y) {
		return []segment{s}
	}
	straight := board.Point{X: d.X - sign(d.X)*abs(d.Y)}
	if abs(d.X) < abs(d.Y) {
		straight = board.Point{Y: d.Y - sign(d.Y)*abs(d.X)}
	}
	first, second := s, s
	if first.b = s.a.Add(straight); diagonal {
		first.b = s.b.Sub(straight)
	}
	second.a = first.b
	return []segment{first, second}
}

// stubAlong returns the stub from the start of a segment along a direction [degrees] to a point
// close to exit, and from there to a node. Beside the pads of a slanted part, only this line keeps
// its clearance.
func stubAlong(s segment, exit board.Point, degrees float64, node board.Point) []segment {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	exit = nearLine(exit, func(q board.Point) float64 {
		d := q.Sub(s.a)
		return float64(d.Y)*cos - float64(d.X)*sin
	}, true)
	first, second := s, s
	first.b, second.a, second.b = exit, exit, node
	if exit == node {
		return []segment{first}
	}
	return []segment{first, second}
}

// isLegalStub reports whether a stub is clear of the fixed items and of the stubs of other nets.
func (rt *router) isLegalStub(n *netState, stub []segment) bool {
	for _, s := range stub {
		if it := rt.trackItem(n.index, s); !rt.isClear(&it) || !rt.clearOfStubs(&it) {
			return false
		}
	}
	return true
}

// clearOfStubs reports whether a stub is clear of the stubs of other nets. The grid checks only
// nodes, so it does not detect violations between the stubs of neighbouring pads.
func (rt *router) clearOfStubs(n *copperItem) bool {
	box := n.shape.Bounds()
	for i := range rt.stubs {
		if rt.stubs[i].box.Overlaps(box) && rt.violates(n, &rt.stubs[i]) {
			return false
		}
	}
	return true
}

// groupTerminals puts pads of a net into one group if their copper overlaps or coupled tracks
// connect them.
func (rt *router) groupTerminals(n *netState) {
	boxes, order := make([]board.Rect, len(n.terms)), make([]int, len(n.terms))
	for i := range n.terms {
		boxes[i], order[i] = n.terms[i].shape.Bounds().Grown(1), i
	}
	groups := geom.NewUnionFind(len(n.terms))
	// A left-to-right sweep compares each pad only with pads that begin before it ends.
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(boxes[i].Min.X, boxes[j].Min.X), cmp.Compare(i, j))
	})
	for k, i := range order {
		if rt.cancelled() {
			break
		}
		for _, j := range order[k+1:] {
			if boxes[j].Min.X > boxes[i].Max.X {
				break
			}
			a, b := &n.terms[i], &n.terms[j]
			if a.layers&b.layers != 0 && boxes[i].Overlaps(boxes[j]) &&
				groups.Find(i) != groups.Find(j) &&
				geom.Distance(&a.shape, &b.shape) <= 0 {
				groups.Union(i, j)
			}
		}
	}
	for _, j := range n.coupled.joins {
		groups.Union(j[0], j[1])
	}
	for i := range n.terms {
		n.terms[i].group = groups.Find(i)
	}
}
