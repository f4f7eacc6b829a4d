package route

import (
	"math"

	"slipstick/autorouter/board"
)

func (rt *router) viaCost(worth int64) int32 { return int32(worth / rt.grid.pitch * straightCost) }

// routeViaCost returns the cost of a via during routing [nm].
func (rt *router) routeViaCost() int64 {
	if rt.reducingVias {
		return rt.refineViaCost()
	}
	if rt.opt.Congested && rt.grid.layers <= 2 {
		return viaCostCongested
	}
	return viaCostRoute
}

// refineViaCost returns the cost of a via during refinement [nm].
func (rt *router) refineViaCost() int64 {
	if len(rt.pours) == 0 {
		return bareViaCostRefine
	}
	return viaCostRefine
}

// cost returns the length of the copper of a net [nm], with penalties for vias and open
// connections.
func (rt *router) cost(w *netRoute) float64 {
	return w.length + float64(rt.refineViaCost())*float64(len(w.vias)) + 1e9*float64(len(w.open))
}

// totalCost returns the cost of all nets [nm].
func (rt *router) totalCost() float64 {
	sum := 0.0
	for _, i := range rt.order {
		sum += rt.cost(&rt.nets[i].copper)
	}
	return sum
}

// heuristicWeight returns the weight of the A* heuristic minus 1 during routing [%].
func (rt *router) heuristicWeight() int32 {
	if rt.opt.LongNegotiation {
		return longAstarFactor
	}
	return astarFactor
}

func (rt *router) softQuery(presFac int64) searchQuery {
	return searchQuery{presFac: presFac, astarFactor: rt.heuristicWeight(),
		viaCost: rt.viaCost(rt.routeViaCost()), maxNodes: 1 << 30}
}

func (rt *router) hardQuery() searchQuery {
	return searchQuery{hard: true, mayFail: true, astarFactor: rt.heuristicWeight(),
		viaCost: rt.viaCost(rt.routeViaCost()), maxNodes: maxNodesHard}
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

// connectSink searches for a path from the tree to the group of terminal target. It adds the path
// to the tree and reports whether it found one. The slice joined marks the terminals in the tree.
func (rt *router) connectSink(n *netState, q *searchQuery, joined []bool, target int) bool {
	rt.beginSearch()
	q.goalBox = emptyBox
	q.goalLayers = 0
	group := n.terms[target].group
	var ends [2][]int32
	for i := range n.terms {
		for k := range n.terms[i].access {
			a := &n.terms[i].access[k]
			switch {
			case n.terms[i].group != group && !joined[i] || !rt.isEnterable(q, a):
			case n.terms[i].group == group:
				ends[0] = append(ends[0], a.node)
			default:
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
	if len(ends[0]) == 0 || len(ends[1]) == 0 {
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
	if rt.searchID>>(32-searchShift) > 0 { // the search number no longer fits into a tag
		clear(rt.searchNodes)
		rt.searchID = 1
	}
	rt.queue.reset()
}

// emptyBox is the bounding box (min x, min y, max x, max y) of an empty set of goals.
var emptyBox = [4]int32{math.MaxInt32, math.MaxInt32, -1, -1}

func (rt *router) addGoal(q *searchQuery, node int32) {
	g := &rt.grid
	rt.markGoal(node)
	flat := int(node) % g.size
	x, y := int32(flat%g.w), int32(flat/g.w)
	q.goalBox = [4]int32{min(q.goalBox[0], x), min(q.goalBox[1], y), max(q.goalBox[2], x),
		max(q.goalBox[3], y)}
	q.goalLayers |= g.layer(node).Bit()
}

// traceback converts the path that ends at a node into copper, from the goal back to the source.
func (rt *router) traceback(n *netState, end int32) {
	g := &rt.grid
	w := &n.copper
	w.branches = append(w.branches, branch{len(w.segments), len(w.vias), len(w.nodes),
		len(w.viaNodes), rootTree})
	var nodes []int32
	for node := end; ; {
		nodes = append(nodes, node)
		from := rt.record(node).entry() & directionMask
		if from == fromSource {
			break
		}
		if from == fromVia {
			flat, _ := g.split(node)
			node = flat + rt.record(node).fromLayer()*int32(g.size)
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
		if knee, ok := kneeBetween(a, b, !g.isShifted(prev)); ok {
			s.b = knee
			w.addSegment(s, i > 1)
			s.a, s.b = knee, b
		}
		w.addSegment(s, i > 1)
	}
	rt.addStubs(n, nodes[0])
	rt.addStubs(n, nodes[len(nodes)-1])
}

// kneeBetween returns the corner of the path of a diagonal and a straight segment from a to b, and
// false if one segment suffices. With first, the diagonal segment comes first.
func kneeBetween(a, b board.Point, first bool) (board.Point, bool) {
	d := b.Sub(a)
	x, y := abs(d.X), abs(d.Y)
	if x == 0 || y == 0 || x == y {
		return a, false
	}
	m := min(x, y)
	diag := board.Point{X: sign(d.X) * m, Y: sign(d.Y) * m}
	if first {
		return a.Add(diag), true
	}
	return b.Sub(diag), true
}

// addStubs adds the stubs of the accesses at a node. A stub inside a pad only leads the track to
// the centre of the pad. It is omitted if it is too close to other nets.
func (rt *router) addStubs(n *netState, node int32) {
	for i := range n.terms {
		for k := range n.terms[i].access {
			a := &n.terms[i].access[k]
			if a.node == node && (a.outside || rt.isStubClear(n, a)) {
				n.copper.segments = append(n.copper.segments, a.stub...)
			}
		}
	}
}

// markNeckNodes marks the nodes near the pads of a wide net, where the net may use its neck width.
func (rt *router) markNeckNodes(n *netState) {
	rt.neckStamp++
	if n.trackMap == n.neckMap {
		return
	}
	g, reach := &rt.grid, rt.maxNeck()
	if !n.copper.longNecks {
		reach = min(reach, shortNeck)
	}
	for i := range n.terms {
		g.eachNode(&n.terms[i].shape, float64(reach), func(node int32) {
			for k := int(node); k < len(rt.neckNodes); k += g.size {
				rt.neckNodes[k] = rt.neckStamp
			}
		})
	}
}

// maxNeck returns the largest distance of a necked node from the copper of its pad [nm].
func (rt *router) maxNeck() int64 { return max(0, rt.board.Rules.NeckLength-2*rt.grid.pitch) }

// needsLongNecks reports whether a net with open connections may connect more if its necks are
// longer than shortNeck.
func (rt *router) needsLongNecks(n *netState) bool {
	return len(n.copper.open) > 0 && n.trackMap != n.neckMap && rt.maxNeck() > shortNeck &&
		!rt.cancelled()
}
