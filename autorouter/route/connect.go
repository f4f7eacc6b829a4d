package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route/shape"
)

// findAccess chooses the nodes from which each pad is entered: the nearest lawful ones to its
// centre, or, where the pad lies between the lines of the grid and its neighbours are close, the
// ends of short tracks that leave along its axes and turn onto the grid by 45 degrees.
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
	o := rt.grid.planes[n.narrow].nodes[node].owner
	return o == nobody || o == int16(n.index)
}

func (rt *router) nodeAt(p board.Point, layer board.Layer) (int32, bool) {
	g := &rt.grid
	round := func(v int64) int { return int(math.Round(float64(v) / float64(g.step))) }
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
			node, ok := rt.nodeAt(t.at.Add(board.Point{X: dx * g.step, Y: dy * g.step}), layer)
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
		s := seg{a: t.at, b: at, width: n.neck, layer: layer}
		if it := rt.trackItem(n.index, s); rt.free(&it) {
			a.stub = []seg{s}
		}
	}
	t.access = append(t.access, a)
}

// accessByStub tries the four axes of the pad.
func (rt *router) accessByStub(n *netState, t *terminal, layer board.Layer) {
	g := &rt.grid
	p := &rt.board.Parts[t.part].Pads[t.pad]
	reach := max(p.Width, p.Height)/2 + 8*g.step
	for quarter := range 4 {
		unit := board.Point{X: g.step / 2}.Rotated(p.Rotation + float64(90*quarter))
		for k := int64(1); k*g.step/2 < reach; k++ {
			end := board.Point{X: t.at.X + unit.X*k, Y: t.at.Y + unit.Y*k}
			node, ok := rt.nodeAt(end, layer)
			if !ok || !rt.usable(n, node) {
				continue
			}
			at := g.at(node)
			stub := []seg{{a: t.at, b: at, width: n.neck, layer: layer}}
			if d := at.Sub(t.at); d.X != 0 && d.Y != 0 && abs(d.X) != abs(d.Y) {
				// Straight along the axis first, then the diagonal onto the node.
				knee := t.at
				if abs(d.X) > abs(d.Y) {
					knee.X += d.X - sign(d.X)*abs(d.Y)
				} else {
					knee.Y += d.Y - sign(d.Y)*abs(d.X)
				}
				stub = []seg{{a: t.at, b: knee, width: n.neck, layer: layer}, {a: knee, b: at, width: n.neck, layer: layer}}
			}
			lawful := true
			for _, s := range stub {
				it := rt.trackItem(n.index, s)
				lawful = lawful && rt.free(&it) && rt.besideStubs(&it)
			}
			if lawful {
				for _, s := range stub {
					it := rt.trackItem(n.index, s)
					it.box = it.s.Bounds().Grown(rt.index.reach + 1)
					rt.stubs = append(rt.stubs, it)
				}
				t.access = append(t.access, access{node: node, stub: stub})
				break
			}
		}
	}
}

// besideStubs reports whether a stub is clear of those of other nets: the grid sees nodes and not
// what lies between them, so stubs of neighbouring pads must suit each other from the start.
func (rt *router) besideStubs(n *item) bool {
	box := n.s.Bounds()
	for i := range rt.stubs {
		if rt.stubs[i].box.Overlaps(box) && rt.clash(n, &rt.stubs[i]) {
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

// groupTerminals joins the pads of a net whose copper overlaps as it is.
func groupTerminals(n *netState) {
	for i := range n.terms {
		n.terms[i].group = i
		for j := range i {
			a, b := &n.terms[i], &n.terms[j]
			if a.group != b.group && a.layers&b.layers != 0 && shape.Distance(&a.shape, &b.shape) <= 0 {
				n.merge(i, j)
			}
		}
	}
}

func (n *netState) merge(i, j int) {
	from, to := n.terms[i].group, n.terms[j].group
	for k := range n.terms {
		if n.terms[k].group == from {
			n.terms[k].group = to
		}
	}
}

// routeNet lays the net anew. Like Prim's algorithm it grows one tree, always towards the pad
// that is nearest to the copper laid so far, so that branches start in the middle of tracks
// (Steiner points) where that is shorter.
func (rt *router) routeNet(n *netState, q query) {
	n.copper = wired{}
	q.net, q.own = n, int16(n.index)
	rt.markNeck(n)
	if n.ground {
		rt.routeGround(n, &q)
		return
	}
	if len(n.terms) < 2 {
		return
	}
	rt.grow(n, &q, n.terms[0].group)
}

func (rt *router) join(n *netState, joined []bool, group int) {
	for i := range n.terms {
		if n.terms[i].group == group {
			joined[i] = true
		}
	}
	for a := range n.copper.arms {
		if n.copper.arms[a].group == group {
			n.copper.arms[a].group = home
		}
	}
}

// grow lays a tree from the terminals of one group to all others.
func (rt *router) grow(n *netState, q *query, first int) {
	joined, tried := make([]bool, len(n.terms)), make([]bool, len(n.terms))
	f := newFrontier(n)
	f.take(first, len(n.copper.arms))
	rt.join(n, joined, first)
	for {
		target := f.nearest(joined, tried)
		if target < 0 {
			return
		}
		group, arms := n.terms[target].group, len(n.copper.arms)
		if rt.reach(n, q, joined, target) {
			f.take(group, arms)
			rt.join(n, joined, group)
			continue
		}
		for i := range n.terms {
			if n.terms[i].group == group {
				tried[i] = true
			}
		}
		n.copper.missing = append(n.copper.missing, [2]int{f.partner[target], target})
	}
}

// reach searches from the tree to one terminal's group and lays the path.
func (rt *router) reach(n *netState, q *query, joined []bool, target int) bool {
	rt.begin()
	q.goalBox = noBox
	q.goalOn = [2]bool{}
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
	for a := range n.copper.arms {
		side := 1
		switch g := n.copper.arms[a].group; {
		case g == group:
			side = 0
		case g != home || q.fromPads:
			continue
		}
		for _, node := range n.copper.way(a) {
			ends[side] = append(ends[side], plain(node))
		}
	}
	if len(ends[0]) == 0 {
		return false
	}
	for _, node := range ends[0] {
		rt.addGoal(q, node)
	}
	if q.unsure && rt.enclosed(q, ends) {
		return false
	}
	for _, node := range ends[1] {
		rt.seed(q, node)
	}
	end, ok := rt.search(q)
	if ok {
		rt.lay(n, end)
	}
	return ok
}

func (rt *router) begin() {
	rt.visit++
	if rt.visit>>24 > 0 { // the number of the search has 24 bits in a cell
		clear(rt.cells)
		rt.visit = 1
	}
	rt.queue.reset()
}

// noBox is the box around no goals.
var noBox = [4]int32{math.MaxInt32, math.MaxInt32, -1, -1}

func (rt *router) addGoal(q *query, node int32) {
	g := &rt.grid
	rt.markGoal(node)
	flat := int(node) % g.size
	x, y := int32(flat%g.w), int32(flat/g.w)
	q.goalBox = [4]int32{min(q.goalBox[0], x), min(q.goalBox[1], y), max(q.goalBox[2], x), max(q.goalBox[3], y)}
	q.goalOn[int(node)/g.size] = true
}

// lay turns the path that ends at a node into copper.
func (rt *router) lay(n *netState, end int32) {
	g := &rt.grid
	w := &n.copper
	w.arms = append(w.arms, arm{len(w.segs), len(w.vias), len(w.path), len(w.drops), home})
	var nodes []int32
	for node := end; ; {
		nodes = append(nodes, node)
		from := rt.cell(node).from() & dirMask
		if from == bySeed {
			break
		}
		if from == byVia {
			if int(node) >= g.size {
				node -= int32(g.size)
			} else {
				node += int32(g.size)
			}
			continue
		}
		m := moves[from]
		node -= int32(m[1])*int32(g.w) + int32(m[0])
	}
	isThin := func(node int32) bool { return rt.cell(node).from()&thin != 0 }
	for i, node := range nodes {
		if isThin(node) {
			w.path = append(w.path, -1-node)
		} else {
			w.path = append(w.path, node)
		}
		if i == 0 {
			continue
		}
		prev := nodes[i-1]
		a, b := g.at(prev), g.at(node)
		if a == b {
			w.vias = append(w.vias, a)
			w.drops = append(w.drops, int32(int(node)%g.size))
			continue
		}
		s := seg{a: a, b: b, width: n.width, layer: g.layer(node)}
		if isThin(prev) || isThin(node) {
			s.width = n.neck
		}
		w.add(s, i > 1)
	}
	rt.layStub(n, nodes[0])
	rt.layStub(n, nodes[len(nodes)-1])
}

// add appends a piece of track, lengthening the last one when it goes straight on.
func (w *wired) add(s seg, follows bool) {
	if k := len(w.segs) - 1; follows && k >= 0 {
		l := &w.segs[k]
		if l.b == s.a && l.width == s.width && l.layer == s.layer {
			d, e := l.b.Sub(l.a), s.b.Sub(s.a)
			if d.X*e.Y == d.Y*e.X && d.X*e.X+d.Y*e.Y > 0 {
				l.b = s.b
				return
			}
		}
	}
	w.segs = append(w.segs, s)
}

func (rt *router) layStub(n *netState, node int32) {
	for i := range n.terms {
		for _, a := range n.terms[i].access {
			if a.node == node {
				n.copper.segs = append(n.copper.segs, a.stub...)
			}
		}
	}
}

// markNeck notes the nodes where a wide net may narrow.
func (rt *router) markNeck(n *netState) {
	rt.neckMark++
	if n.wide == n.narrow {
		return
	}
	g := &rt.grid
	reach := float64(rt.board.Rules.NeckLength - 2*g.step)
	for i := range n.terms {
		disc := shape.Disc(n.terms[i].at, 0)
		g.each(&disc, reach, func(node int32) {
			rt.neck[node] = rt.neckMark
			rt.neck[node+int32(g.size)] = rt.neckMark
		})
	}
}
