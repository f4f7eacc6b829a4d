package route

import (
	"slipstick/autorouter/board"
)

// Costs are in hundredths of a grid step.
const (
	straight = 100
	diagonal = 141
	bend     = 15 // a turn of 45 degrees
	corner   = 60 // a turn of 90 degrees
	never    = 1 << 30
)

// direction of the step into a node: 0..7 counter-clockwise from +x, then:
const (
	byVia   uint8 = 8
	bySeed  uint8 = 9
	dirMask uint8 = 15
	thin    uint8 = 16 // the node was entered in the narrow plane
)

var moves = [8][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// query is one search.
type query struct {
	net     *netState
	hard    bool  // other nets' copper is a wall and not a price
	press   int64 // price of a conflict, in hundredths of the step's own cost
	viaCost int32
	anyGoal bool    // no single target: search without a bound
	toPour  bool    // a via onto a poured layer is a goal
	limit   int     // nodes to expand
	goalBox [4]int  // in nodes
	goalOn  [2]bool // layers the goals are on
}

// heapItem holds the estimate f of the whole way in the high half of its key and, so that of
// equal estimates the one nearest the goal comes first, the complement of the way so far in the
// low half.
type heapItem struct {
	key  uint64
	node int32
	g    int32
}

func entry(f, g, node int32) heapItem {
	return heapItem{uint64(f)<<32 | uint64(^uint32(g)), node, g}
}

func less(a, b heapItem) bool { return a.key < b.key }

func (rt *router) push(it heapItem) {
	h := append(rt.heap, it)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !less(it, h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = it
	rt.heap = h
}

func (rt *router) pop() heapItem {
	h := rt.heap
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		best := child
		for c := child + 1; c < min(child+4, len(h)); c++ {
			if less(h[c], h[best]) {
				best = c
			}
		}
		if !less(h[best], last) {
			break
		}
		h[i] = h[best]
		i = best
	}
	if len(h) > 0 {
		h[i] = last
	}
	rt.heap = h
	return top
}

// bound is the least cost from a node to the goals: the octile distance to the box around them.
func (q *query) bound(g *grid, node int32) int32 {
	if q.anyGoal {
		return 0
	}
	n := int(node)
	onLayer := 0
	if n >= g.size {
		n, onLayer = n-g.size, 1
	}
	x, y := n%g.w, n/g.w
	dx := max(0, q.goalBox[0]-x, x-q.goalBox[2])
	dy := max(0, q.goalBox[1]-y, y-q.goalBox[3])
	if dx < dy {
		dx, dy = dy, dx
	}
	c := int32(straight*(dx-dy) + diagonal*dy)
	if !q.goalOn[onLayer] {
		c += q.viaCost
	}
	return c
}

// price is what it costs to enter a node in a plane beyond the length of the step; never when
// it may not be entered.
func (rt *router) price(q *query, p *plane, node int32, step int32) int32 {
	if o := p.owner[node]; o != nobody && o != int16(q.net.index) {
		return never
	}
	n := p.count[node]
	if n == 0 {
		if q.hard {
			return 0
		}
		return int32(int64(step) * int64(rt.history[node]) / 64)
	}
	if q.hard {
		return never
	}
	base := int64(step) * (64 + int64(rt.history[node])) / 64
	return int32(min(base*(100+q.press*int64(n))/100-int64(step), 1<<24))
}

// search finds the cheapest way from the seeds (already pushed by seed) to a node of goal mark.
// It is A* on flat arrays: reached, cost and from are valid where reached equals the epoch.
func (rt *router) search(q *query) (int32, bool) {
	g := &rt.grid
	net := q.net
	wide, narrow, drop := &g.planes[net.wide], &g.planes[net.narrow], &g.planes[net.drop]
	necks := net.wide != net.narrow
	for expanded := 0; len(rt.heap) > 0; expanded++ {
		if expanded&1023 == 0 && rt.cancelled() {
			return 0, false
		}
		if expanded > q.limit {
			return 0, false
		}
		it := rt.pop()
		node := it.node
		if rt.cost[node] != it.g || rt.done[node] == rt.visit {
			continue
		}
		rt.done[node] = rt.visit
		from := rt.from[node] & dirMask
		if rt.goal[node] == rt.goalMark {
			return node, true
		}
		layer := 0
		flat := int(node)
		if flat >= g.size {
			flat, layer = flat-g.size, 1
		}
		if q.toPour && from == byVia && rt.poured&(1<<layer) != 0 {
			return node, true
		}
		x, y := flat%g.w, flat/g.w
		for d, m := range moves {
			nx, ny := x+m[0], y+m[1]
			if nx < 0 || ny < 0 || nx >= g.w || ny >= g.h {
				continue
			}
			step := int32(straight)
			if d&1 == 1 {
				step = diagonal
			}
			if layer == 1 {
				step += step * rt.bottomTax / 100
			}
			extra := int32(0)
			if from < 8 {
				turn := (d - int(from) + 8) & 7
				switch turn {
				case 0:
				case 1, 7:
					extra = bend
				case 2, 6:
					extra = corner
				default:
					continue
				}
			}
			next := node + int32(m[1]*g.w+m[0])
			if rt.done[next] == rt.visit {
				continue
			}
			c, mark := rt.price(q, wide, next, step), uint8(d)
			if necks && c > 0 && rt.neck[next] == rt.neckMark {
				if t := rt.price(q, narrow, next, step); t < never && t+step/3 < c {
					c, mark = t+step/3, mark|thin
				}
			}
			if c >= never {
				continue
			}
			rt.relax(q, next, it.g+step+extra+c, mark)
		}
		if from == byVia {
			continue
		}
		other := int32(flat)
		if layer == 0 {
			other += int32(g.size)
		}
		if rt.done[other] == rt.visit {
			continue
		}
		c := rt.price(q, drop, int32(flat), q.viaCost)
		if c >= never {
			continue
		}
		if rt.tooNearOwnVia(net, g.at(node)) {
			continue
		}
		mark := byVia
		landing := rt.price(q, wide, other, straight)
		if landing >= never {
			if !necks || rt.neck[other] != rt.neckMark || rt.price(q, narrow, other, straight) >= never {
				continue
			}
			mark |= thin
		}
		rt.relax(q, other, it.g+q.viaCost+c, mark)
	}
	return 0, false
}

func (rt *router) relax(q *query, node, cost int32, mark uint8) {
	if rt.reached[node] == rt.visit && rt.cost[node] <= cost {
		return
	}
	rt.reached[node] = rt.visit
	rt.cost[node] = cost
	rt.from[node] = mark
	rt.push(entry(cost+q.bound(&rt.grid, node), cost, node))
}

// seed makes a node a start of the search.
func (rt *router) seed(q *query, node int32) {
	if rt.reached[node] == rt.visit {
		return
	}
	mark := bySeed
	p := &rt.grid.planes[q.net.wide]
	if o := p.owner[node]; o != nobody && o != int16(q.net.index) {
		mark |= thin
	}
	rt.relax(q, node, 0, mark)
}

// tooNearOwnVia reports whether a new via would break into the hole of one the net has; the
// planes only know of other nets.
func (rt *router) tooNearOwnVia(n *netState, at board.Point) bool {
	least := float64(n.viaDrill) + rt.holeToHole
	for _, v := range n.copper.vias {
		if v != at && board.Distance(v, at) < least {
			return true
		}
	}
	return false
}
