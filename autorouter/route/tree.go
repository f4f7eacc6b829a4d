package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// findAccess chooses the nodes at which tracks enter each pad: the legal node nearest to its
// centre. Where a pad lies between grid lines and its neighbours are close, the ends of short stubs
// are chosen; they leave along the pad's axes and turn onto the grid by 45 degrees.
func (rt *router) findAccess(n *netState) {
	for i := range n.terms {
		if rt.cancelled() {
			return
		}
		t := &n.terms[i]
		for layer := board.Top; layer <= board.Bottom; layer++ {
			if t.layers&(1<<layer) == 0 {
				continue
			}
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
	g := &rt.grid
	best, bestD := int32(-1), math.Inf(1)
	for dy := int64(-2); dy <= 2; dy++ {
		for dx := int64(-2); dx <= 2; dx++ {
			node, ok := rt.nodeAt(t.at.Add(board.Point{X: dx * g.pitch, Y: dy * g.pitch}), layer)
			if !ok || !rt.usable(n, node) {
				continue
			}
			at := g.at(node)
			if t.shape.To(float64(at.X), float64(at.Y)) > -min(t.shape.R, 20e3) {
				continue
			}
			if d := board.Distance(at, t.at); d < bestD {
				best, bestD = node, d
			}
		}
	}
	if best < 0 {
		return
	}
	a := access{node: best}
	if at := g.at(best); at != t.at {
		s := segment{a: t.at, b: at, width: n.neckWidth, layer: layer}
		if it := rt.trackItem(n.index, s); rt.isClear(&it) {
			a.stub = []segment{s}
		}
	}
	t.access = append(t.access, a)
}

// accessByStub tries stubs along the four axes of the pad.
func (rt *router) accessByStub(n *netState, t *terminal, layer board.Layer) {
	g := &rt.grid
	p := &rt.board.Parts[t.part].Pads[t.pad]
	reach := max(p.Width, p.Height)/2 + 8*g.pitch
	for quarter := range 4 {
		unit := board.Point{X: g.pitch / 2}.Rotated(p.Rotation + float64(90*quarter))
		for k := int64(1); k*g.pitch/2 < reach; k++ {
			end := board.Point{X: t.at.X + unit.X*k, Y: t.at.Y + unit.Y*k}
			node, ok := rt.nodeAt(end, layer)
			if !ok || !rt.usable(n, node) {
				continue
			}
			at := g.at(node)
			stub := []segment{{a: t.at, b: at, width: n.neckWidth, layer: layer}}
			if d := at.Sub(t.at); d.X != 0 && d.Y != 0 && abs(d.X) != abs(d.Y) {
				// Straight along the axis first, then the diagonal onto the node.
				knee := t.at
				if abs(d.X) > abs(d.Y) {
					knee.X += d.X - sign(d.X)*abs(d.Y)
				} else {
					knee.Y += d.Y - sign(d.Y)*abs(d.X)
				}
				stub = []segment{{a: t.at, b: knee, width: n.neckWidth, layer: layer}, {a: knee, b: at, width: n.neckWidth, layer: layer}}
			}
			legal := true
			for _, s := range stub {
				it := rt.trackItem(n.index, s)
				legal = legal && rt.isClear(&it) && rt.clearOfStubs(&it)
			}
			if legal {
				for _, s := range stub {
					it := rt.trackItem(n.index, s)
					it.box = it.shape.Bounds().Grown(rt.index.reach + 1)
					rt.stubs = append(rt.stubs, it)
				}
				t.access = append(t.access, access{node: node, stub: stub})
				break
			}
		}
	}
}

// clearOfStubs reports whether a stub is clear of those of other nets. The grid checks nodes only,
// so the stubs of neighbouring pads must be compatible from the start.
func (rt *router) clearOfStubs(n *copperItem) bool {
	box := n.shape.Bounds()
	for i := range rt.stubs {
		if rt.stubs[i].box.Overlaps(box) && rt.violates(n, &rt.stubs[i]) {
			return false
		}
	}
	return true
}

func abs(v int64) int64 { return max(v, -v) }

func sign(v int64) int64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// groupTerminals puts pads of a net whose copper overlaps into one group.
func groupTerminals(n *netState) {
	for i := range n.terms {
		n.terms[i].group = i
		for j := range i {
			a, b := &n.terms[i], &n.terms[j]
			if a.group != b.group && a.layers&b.layers != 0 && geom.Distance(&a.shape, &b.shape) <= 0 {
				n.mergeGroups(i, j)
			}
		}
	}
}

func (n *netState) mergeGroups(i, j int) {
	from, to := n.terms[i].group, n.terms[j].group
	for k := range n.terms {
		if n.terms[k].group == from {
			n.terms[k].group = to
		}
	}
}

// routeNet routes the net from scratch. Like Prim's algorithm it grows one tree, always towards the
// pad nearest to the tree, so that branches start within tracks (Steiner points) where that is
// shorter.
func (rt *router) routeNet(n *netState, q searchQuery) {
	n.copper = netRoute{}
	q.net, q.netID = n, int16(n.index)
	rt.markNeckNodes(n)
	if n.ground {
		rt.routePouredNet(n, &q)
		return
	}
	if len(n.terms) < 2 {
		return
	}
	rt.growTree(n, &q, n.terms[0].group)
}

func (rt *router) addToTree(n *netState, joined []bool, group int) {
	for i := range n.terms {
		if n.terms[i].group == group {
			joined[i] = true
		}
	}
	for a := range n.copper.branches {
		if n.copper.branches[a].group == group {
			n.copper.branches[a].group = rootTree
		}
	}
}

// growTree grows a tree from the terminals of one group to all others.
func (rt *router) growTree(n *netState, q *searchQuery, first int) {
	joined, tried := make([]bool, len(n.terms)), make([]bool, len(n.terms))
	f := newSinkDistances(n)
	f.addGroup(first, len(n.copper.branches))
	rt.addToTree(n, joined, first)
	for {
		target := f.nearest(joined, tried)
		if target < 0 {
			return
		}
		group, arms := n.terms[target].group, len(n.copper.branches)
		if rt.connectSink(n, q, joined, target) {
			f.addGroup(group, arms)
			rt.addToTree(n, joined, group)
			continue
		}
		for i := range n.terms {
			if n.terms[i].group == group {
				tried[i] = true
			}
		}
		n.copper.open = append(n.copper.open, [2]int{f.nearestPad[target], target})
	}
}

// connectSink searches from the tree to the group of one terminal and adds the path.
func (rt *router) connectSink(n *netState, q *searchQuery, joined []bool, target int) bool {
	rt.beginSearch()
	q.goalBox = emptyBox
	q.goalLayers = [2]bool{}
	group := n.terms[target].group
	var ends [2][]int32
	for i := range n.terms {
		for _, a := range n.terms[i].access {
			switch {
			case n.terms[i].group == group:
				ends[0] = append(ends[0], a.node)
			case joined[i]:
				ends[1] = append(ends[1], a.node)
			}
		}
	}
	for a := range n.copper.branches {
		side := 1
		switch g := n.copper.branches[a].group; {
		case g == group:
			side = 0
		case g != rootTree || q.padsOnly:
			continue
		}
		for _, node := range n.copper.nodesOf(a) {
			ends[side] = append(ends[side], nodeOf(node))
		}
	}
	if len(ends[0]) == 0 {
		return false
	}
	for _, node := range ends[0] {
		rt.addGoal(q, node)
	}
	if q.mayFail && rt.isEnclosed(q, ends) {
		return false
	}
	for _, node := range ends[1] {
		rt.addSource(q, node)
	}
	end, ok := rt.search(q)
	if ok {
		rt.traceback(n, end)
	}
	return ok
}

func (rt *router) beginSearch() {
	rt.searchID++
	if rt.searchID>>24 > 0 { // the search number has 24 bits in a record
		clear(rt.searchNodes)
		rt.searchID = 1
	}
	rt.queue.reset()
}

// emptyBox is the bounding box of no goals.
var emptyBox = [4]int32{math.MaxInt32, math.MaxInt32, -1, -1}

func (rt *router) addGoal(q *searchQuery, node int32) {
	g := &rt.grid
	rt.markGoal(node)
	flat := int(node) % g.size
	x, y := int32(flat%g.w), int32(flat/g.w)
	q.goalBox = [4]int32{min(q.goalBox[0], x), min(q.goalBox[1], y), max(q.goalBox[2], x), max(q.goalBox[3], y)}
	q.goalLayers[int(node)/g.size] = true
}

// traceback turns the path that ends at a node into copper, from the goal back to the source.
func (rt *router) traceback(n *netState, end int32) {
	g := &rt.grid
	w := &n.copper
	w.branches = append(w.branches, branch{len(w.segments), len(w.vias), len(w.nodes), len(w.viaNodes), rootTree})
	var nodes []int32
	for node := end; ; {
		nodes = append(nodes, node)
		from := rt.record(node).entry() & directionMask
		if from == fromSource {
			break
		}
		if from == fromVia {
			if int(node) >= g.size {
				node -= int32(g.size)
			} else {
				node += int32(g.size)
			}
			continue
		}
		m := directions[from]
		node -= int32(m[1])*int32(g.w) + int32(m[0])
	}
	isThin := func(node int32) bool { return rt.record(node).entry()&necked != 0 }
	for i, node := range nodes {
		if isThin(node) {
			w.nodes = append(w.nodes, -1-node)
		} else {
			w.nodes = append(w.nodes, node)
		}
		if i == 0 {
			continue
		}
		prev := nodes[i-1]
		a, b := g.at(prev), g.at(node)
		if a == b {
			w.vias = append(w.vias, a)
			w.viaNodes = append(w.viaNodes, int32(int(node)%g.size))
			continue
		}
		s := segment{a: a, b: b, width: n.trackWidth, layer: g.layer(node)}
		if isThin(prev) || isThin(node) {
			s.width = n.neckWidth
		}
		w.addSegment(s, i > 1)
	}
	rt.addStubs(n, nodes[0])
	rt.addStubs(n, nodes[len(nodes)-1])
}

// addSegment appends a segment, or extends the last one when both are collinear.
func (w *netRoute) addSegment(s segment, follows bool) {
	if k := len(w.segments) - 1; follows && k >= 0 {
		l := &w.segments[k]
		if l.b == s.a && l.width == s.width && l.layer == s.layer {
			d, e := l.b.Sub(l.a), s.b.Sub(s.a)
			if d.X*e.Y == d.Y*e.X && d.X*e.X+d.Y*e.Y > 0 {
				l.b = s.b
				return
			}
		}
	}
	w.segments = append(w.segments, s)
}

func (rt *router) addStubs(n *netState, node int32) {
	for i := range n.terms {
		for _, a := range n.terms[i].access {
			if a.node == node {
				n.copper.segments = append(n.copper.segments, a.stub...)
			}
		}
	}
}

// markNeckNodes marks the nodes where a wide net may narrow.
func (rt *router) markNeckNodes(n *netState) {
	rt.neckStamp++
	if n.trackMap == n.neckMap {
		return
	}
	g := &rt.grid
	reach := float64(rt.board.Rules.NeckLength - 2*g.pitch)
	for i := range n.terms {
		disc := geom.Disc(n.terms[i].at, 0)
		g.eachNode(&disc, reach, func(node int32) {
			rt.neckNodes[node] = rt.neckStamp
			rt.neckNodes[node+int32(g.size)] = rt.neckStamp
		})
	}
}
