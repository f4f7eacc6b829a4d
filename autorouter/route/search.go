package route

import (
	"math"

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
	byNone  uint8 = 15 // a goal that no way has reached
	dirMask uint8 = 15
	thin    uint8 = 16 // the node was entered in the narrow plane
	closed  uint8 = 32 // the cheapest way to the node is known
	target  uint8 = 64 // the node is a goal
)

// cell is what a search knows of a node: the cost of the way to it and, in tag, how that way
// enters it (low 8 bits). It holds when the rest of tag is the number of the search. The cells of both layers
// of a place are neighbours in memory: every step looks at both.
type cell struct {
	cost int32
	tag  uint32
}

func (c cell) from() uint8 { return uint8(c.tag) }

// cell of a node.
func (rt *router) cell(node int32) *cell {
	if size := int32(rt.grid.size); node >= size {
		return &rt.cells[2*(node-size)+1]
	}
	return &rt.cells[2*node]
}

// markGoal makes a node a goal of the search.
func (rt *router) markGoal(node int32) {
	c := rt.cell(node)
	if c.tag>>8 != rt.visit {
		*c = cell{math.MaxInt32, rt.visit<<8 | uint32(byNone)}
	}
	c.tag |= uint32(target)
}

var moves = [8][2]int8{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// turns is what a change of direction costs, by eighths of a turn.
var turns = [8]int32{0, bend, corner, never, never, never, corner, bend}

// query is one search.
type query struct {
	net      *netState
	own      int16 // the number of the net
	hard     bool  // other nets' copper is a wall and not a price
	unsure   bool  // there may be no way: look whether an end is shut in first
	press    int64 // price of a conflict, in hundredths of the step's own cost
	haste    int32 // by how much more the way still to go counts, in percent: fewer nodes, a way a little longer
	viaCost  int32
	anyGoal  bool     // no single target: search without a bound
	fromPads bool     // from the joined pads alone, not from the tracks between them
	toPour   bool     // a via onto a poured layer is a goal
	limit    int      // nodes to expand
	goalBox  [4]int32 // in nodes
	goalOn   [2]bool  // layers the goals are on
}

// bound is the least cost from a node to the goals: the octile distance to the box around them.
func (q *query) bound(x, y, layer int32) int32 {
	if q.anyGoal {
		return 0
	}
	dx := max(0, q.goalBox[0]-x, x-q.goalBox[2])
	dy := max(0, q.goalBox[1]-y, y-q.goalBox[3])
	if dx < dy {
		dx, dy = dy, dx
	}
	c := straight*(dx-dy) + diagonal*dy
	if !q.goalOn[layer] {
		c += q.viaCost
	}
	return c
}

// price is what it costs to enter a node in a plane beyond the length of the step; never when
// it may not be entered.
func (rt *router) price(q *query, p *plane, node int32, step int32) int32 {
	use := p.nodes[node]
	if use.owner != nobody && use.owner != q.own {
		return never
	}
	switch {
	case q.hard && use.count == 0:
		return 0
	case q.hard:
		return never
	case use.count == 0:
		return step * int32(rt.history[node]) / 64
	}
	base := int64(step) * (64 + int64(rt.history[node])) / 64
	return int32(min(base*(100+q.press*int64(use.count))/100-int64(step), 1<<24))
}

// onward lists, for each way into a node, the directions that lead on and what the turns cost.
var onward = func() (out [bySeed + 1][]turn) {
	for from := range out {
		for d := range int32(8) {
			extra := int32(0)
			if from < 8 {
				extra = turns[(int(d)-from)&7]
			}
			if extra < never {
				out[from] = append(out[from], turn{d, extra, int32(moves[d][0]), int32(moves[d][1])})
			}
		}
	}
	return out
}()

type turn struct{ direction, cost, dx, dy int32 }

// search finds the cheapest way from the seeds (already queued by seed) to a goal (markGoal), by A*.
func (rt *router) search(q *query) (int32, bool) {
	g := &rt.grid
	net := q.net
	wide, narrow, drop := &g.planes[net.wide], &g.planes[net.narrow], &g.planes[net.drop]
	necks := net.wide != net.narrow
	width, size := int32(g.w), int32(g.size)
	right, top := width-1, int32(g.h)-1
	cells, nodes, history, visit := rt.cells, wide.nodes, rt.history, rt.visit
	var offsets [8]int32
	for d, m := range moves {
		offsets[d] = int32(m[1])*width + int32(m[0])
	}
	bottom := 100 + rt.bottomTax
	steps := [2][2]int32{{straight, diagonal}, {straight * bottom / 100, diagonal * bottom / 100}}
	for expanded := 0; !rt.queue.empty(); expanded++ {
		if expanded&1023 == 0 && rt.cancelled() || expanded > q.limit {
			return 0, false
		}
		rt.work++
		node := rt.queue.pop()
		flat, layer := node, int32(0)
		if flat >= size {
			flat, layer = flat-size, 1
		}
		here := &cells[2*flat+layer]
		if here.from()&closed != 0 {
			continue
		}
		from := here.from() & dirMask
		here.tag |= uint32(closed)
		if here.from()&target != 0 {
			return node, true
		}
		if q.toPour && from == byVia && rt.poured&(1<<layer) != 0 {
			return node, true
		}
		y := int32(uint32(flat) / uint32(width))
		x := flat - y*width
		inner := x > 0 && y > 0 && x < right && y < top
		spent, pace := here.cost, &steps[layer]
		list := onward[from]
		for i := range list {
			t := &list[i]
			d := t.direction & 7
			if !inner && (x+t.dx < 0 || y+t.dy < 0 || x+t.dx > right || y+t.dy > top) {
				continue
			}
			step := pace[d&1]
			next, cost := node+offsets[d], spent+step+t.cost
			at := 2*(flat+offsets[d]) + layer
			if c := &cells[at]; c.tag>>8 == visit && (c.cost <= cost || c.from()&closed != 0) {
				continue
			}
			c, mark := int32(0), uint8(d)
			if use := nodes[next]; use.owner != nobody || use.count > 0 || !q.hard && history[next] > 0 { // most nodes are free
				c = rt.price(q, wide, next, step)
			}
			if necks && c > 0 && rt.neck[next] == rt.neckMark {
				if t := rt.price(q, narrow, next, step); t < never && t+step/3 < c {
					c, mark = t+step/3, mark|thin
				}
			}
			if c < never {
				rt.relax(q, next, at, x+t.dx, y+t.dy, layer, cost+c, mark)
			}
		}
		if from == byVia {
			continue
		}
		at := 2*flat + 1 - layer
		if rt.settled(at, spent+q.viaCost) {
			continue
		}
		c := rt.price(q, drop, flat, q.viaCost)
		if c >= never || rt.tooNearOwnVia(net, board.Point{X: g.min.X + int64(x)*g.step, Y: g.min.Y + int64(y)*g.step}) {
			continue
		}
		mark, other := byVia, flat+size*(1-layer)
		landing := rt.price(q, wide, other, straight)
		if landing >= never {
			if !necks || rt.neck[other] != rt.neckMark || rt.price(q, narrow, other, straight) >= never {
				continue
			}
			mark |= thin
		}
		rt.relax(q, other, at, x, y, 1-layer, spent+q.viaCost+c, mark)
	}
	return 0, false
}

// settled reports whether a way of this cost at least cannot be better than the one known to a cell.
func (rt *router) settled(at, cost int32) bool {
	c := &rt.cells[at]
	return c.tag>>8 == rt.visit && (c.cost <= cost || c.from()&closed != 0)
}

// relax notes a way to the node at (x, y) of a layer, whose cell is given as well.
func (rt *router) relax(q *query, node, at, x, y, layer, cost int32, mark uint8) {
	tag := rt.visit<<8 | uint32(mark)
	if c := &rt.cells[at]; c.tag>>8 == rt.visit {
		if c.cost <= cost || c.from()&closed != 0 {
			return
		}
		tag |= c.tag & uint32(target)
	}
	rt.cells[at] = cell{cost, tag}
	rt.queue.push(node, cost+q.bound(x, y, layer)/100*(100+q.haste))
}

// seed makes a node a start of the search: narrow where other copper is too near for a wide track, and
// in a hard search not at all where it is too near for a narrow one.
func (rt *router) seed(q *query, node int32) {
	if c := rt.cell(node); c.tag>>8 == rt.visit && c.from()&dirMask != byNone {
		return
	}
	mark := bySeed
	planes := rt.grid.planes
	if use := planes[q.net.wide].nodes[node]; use.owner != nobody && use.owner != q.own || use.count > 0 {
		if q.hard && planes[q.net.narrow].nodes[node].count > 0 {
			return
		}
		mark |= thin
	}
	flat, layer := node, int32(0)
	if flat >= int32(rt.grid.size) {
		flat, layer = flat-int32(rt.grid.size), 1
	}
	rt.relax(q, node, 2*flat+layer, flat%int32(rt.grid.w), flat/int32(rt.grid.w), layer, 0, mark)
}

// tooNearOwnVia reports whether a new via would break into the hole of one the net has; the
// planes only know of other nets.
func (rt *router) tooNearOwnVia(n *netState, at board.Point) bool {
	least := n.viaDrill + int64(rt.holeToHole)
	for _, v := range n.copper.vias {
		d := v.Sub(at)
		if v != at && d.X*d.X+d.Y*d.Y < least*least {
			return true
		}
	}
	return false
}
