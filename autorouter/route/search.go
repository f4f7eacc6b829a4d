package route

import (
	"math"

	"slipstick/autorouter/board"
)

// Direction of the step into a node: 0..7 counter-clockwise from +x, then:
const (
	fromVia       uint8 = 8
	fromSource    uint8 = 9
	fromNone      uint8 = 15 // a goal that no path has reached
	directionMask uint8 = 15
	necked        uint8 = 16 // the path enters the node at neck width
	closed        uint8 = 32 // closed completes a footprint with its body and courtyard.
	goal          uint8 = 64 // the node is a goal
)

// record returns the A* record of a node.
func (rt *router) record(node int32) *searchNode {
	if size := int32(rt.grid.size); node >= size {
		return &rt.searchNodes[2*(node-size)+1]
	}
	return &rt.searchNodes[2*node]
}

// markGoal makes a node a goal of the search.
func (rt *router) markGoal(node int32) {
	c := rt.record(node)
	if c.tag>>8 != rt.searchID {
		*c = searchNode{math.MaxInt32, rt.searchID<<8 | uint32(fromNone)}
	}
	c.tag |= uint32(goal)
}

var directions = [8][2]int8{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// turnCosts is the cost of a change of direction, by eighths of a turn.
var turnCosts = [8]int32{0, bendCost, cornerCost, infinite, infinite, infinite, cornerCost, bendCost}

// searchQuery configures one search.
type searchQuery struct {
	net         *netState
	netID       int16 // number of the net
	hard        bool  // other nets' copper is a wall, not a price
	mayFail     bool  // there may be no path: test for enclosed ends first
	presFac     int64 // price of a conflict, in percent of the step cost (VPR pres_fac)
	astarFactor int32 // weight of the heuristic above admissible [%] (VPR astar_fac): fewer nodes, slightly longer paths
	viaCost     int32
	unguided    bool     // no single target: search without a heuristic
	padsOnly    bool     // start at the connected pads, not at the tracks between them
	toPour      bool     // a via onto a poured layer is a goal
	maxNodes    int      // limit of expanded nodes
	goalBox     [4]int32 // in nodes: x and y of the lower left and the upper right corner
	goalLayers  [2]bool  // layers that have goals
}

// heuristic returns a lower bound of the cost from a node to the goals: the octile distance to the
// box around them.
func (q *searchQuery) heuristic(x, y, layer int32) int32 {
	if q.unguided {
		return 0
	}
	dx := max(0, q.goalBox[0]-x, x-q.goalBox[2])
	dy := max(0, q.goalBox[1]-y, y-q.goalBox[3])
	if dx < dy {
		dx, dy = dy, dx
	}
	c := straightCost*(dx-dy) + diagonalCost*dy
	if !q.goalLayers[layer] {
		c += q.viaCost
	}
	return c
}

// enterCost returns the cost of entering a node beyond the length of the step, infinite for a
// blocked node. Present and history cost multiply as in PathFinder.
func (rt *router) enterCost(q *searchQuery, p *occupancy, node int32, step int32) int32 {
	use := p.cells[node]
	if use.fixedNet != unowned && use.fixedNet != q.netID {
		return infinite
	}
	switch {
	case q.hard && use.users == 0:
		return 0
	case q.hard:
		return infinite
	case use.users == 0:
		return step * int32(rt.historyCost[node]) / 64
	}
	base := int64(step) * (64 + int64(rt.historyCost[node])) / 64
	return int32(min(base*(100+q.presFac*int64(use.users))/100-int64(step), 1<<24))
}

// movesFrom lists the moves that continue each direction, with the cost of the turn.
var movesFrom = func() (out [fromSource + 1][]move) {
	for from := range out {
		for d := range int32(8) {
			extra := int32(0)
			if from < 8 {
				extra = turnCosts[(int(d)-from)&7]
			}
			if extra < infinite {
				out[from] = append(out[from], move{d, extra, int32(directions[d][0]), int32(directions[d][1])})
			}
		}
	}
	return out
}()

type move struct{ direction, cost, dx, dy int32 }

// search finds the cheapest path from the sources (addSource) to a goal (markGoal) by A* (Hart,
// Nilsson and Raphael 1968). It returns the goal; false when there is no path within q.maxNodes.
func (rt *router) search(q *searchQuery) (int32, bool) {
	g := &rt.grid
	net := q.net
	trackMap, neckMap, viaMap := &g.maps[net.trackMap], &g.maps[net.neckMap], &g.maps[net.viaMap]
	necks := net.trackMap != net.neckMap
	width, size := int32(g.w), int32(g.size)
	right, top := width-1, int32(g.h)-1
	cells, nodes, history, visit := rt.searchNodes, trackMap.cells, rt.historyCost, rt.searchID
	var offsets [8]int32
	for d, m := range directions {
		offsets[d] = int32(m[1])*width + int32(m[0])
	}
	bottom := 100 + rt.bottomCost
	steps := [2][2]int32{{straightCost, diagonalCost}, {straightCost * bottom / 100, diagonalCost * bottom / 100}}
	for expanded := 0; !rt.queue.empty(); expanded++ {
		if expanded&1023 == 0 && rt.cancelled() || expanded > q.maxNodes {
			return 0, false
		}
		rt.nodesExpanded++
		node := rt.queue.pop()
		flat, layer := node, int32(0)
		if flat >= size {
			flat, layer = flat-size, 1
		}
		here := &cells[2*flat+layer]
		if here.entry()&closed != 0 {
			continue
		}
		from := here.entry() & directionMask
		here.tag |= uint32(closed)
		if here.entry()&goal != 0 {
			return node, true
		}
		if q.toPour && from == fromVia && rt.pourLayers&(1<<layer) != 0 {
			return node, true
		}
		y := int32(uint32(flat) / uint32(width))
		x := flat - y*width
		inner := x > 0 && y > 0 && x < right && y < top
		spent, pace := here.cost, &steps[layer]
		moves := movesFrom[from]
		for i := range moves {
			t := &moves[i]
			d := t.direction & 7
			if !inner && (x+t.dx < 0 || y+t.dy < 0 || x+t.dx > right || y+t.dy > top) {
				continue
			}
			step := pace[d&1]
			next, cost := node+offsets[d], spent+step+t.cost
			at := 2*(flat+offsets[d]) + layer
			if c := &cells[at]; c.tag>>8 == visit && (c.cost <= cost || c.entry()&closed != 0) {
				continue
			}
			c, mark := int32(0), uint8(d)
			if use := nodes[next]; use.fixedNet != unowned || use.users > 0 || !q.hard && history[next] > 0 { // most nodes are free
				c = rt.enterCost(q, trackMap, next, step)
			}
			if necks && c > 0 && rt.neckNodes[next] == rt.neckStamp {
				if t := rt.enterCost(q, neckMap, next, step); t < infinite && t+step/neckCost < c {
					c, mark = t+step/neckCost, mark|necked
				}
			}
			if c < infinite {
				rt.relax(q, next, at, x+t.dx, y+t.dy, layer, cost+c, mark)
			}
		}
		if from == fromVia {
			continue
		}
		at := 2*flat + 1 - layer
		if rt.cannotImprove(at, spent+q.viaCost) {
			continue
		}
		c := rt.enterCost(q, viaMap, flat, q.viaCost)
		if c >= infinite || rt.tooNearOwnVia(net, board.Point{X: g.min.X + int64(x)*g.pitch, Y: g.min.Y + int64(y)*g.pitch}) {
			continue
		}
		mark, other := fromVia, flat+size*(1-layer)
		landing := rt.enterCost(q, trackMap, other, straightCost)
		if landing >= infinite {
			if !necks || rt.neckNodes[other] != rt.neckStamp || rt.enterCost(q, neckMap, other, straightCost) >= infinite {
				continue
			}
			mark |= necked
		}
		rt.relax(q, other, at, x, y, 1-layer, spent+q.viaCost+c, mark)
	}
	return 0, false
}

// cannotImprove reports whether a path of this cost is no better than the known one.
func (rt *router) cannotImprove(at, cost int32) bool {
	c := &rt.searchNodes[at]
	return c.tag>>8 == rt.searchID && (c.cost <= cost || c.entry()&closed != 0)
}

// relax records a path to the node at (x, y) of a layer, whose record has index at.
func (rt *router) relax(q *searchQuery, node, at, x, y, layer, cost int32, mark uint8) {
	tag := rt.searchID<<8 | uint32(mark)
	if c := &rt.searchNodes[at]; c.tag>>8 == rt.searchID {
		if c.cost <= cost || c.entry()&closed != 0 {
			return
		}
		tag |= c.tag & uint32(goal)
	}
	rt.searchNodes[at] = searchNode{cost, tag}
	rt.queue.push(node, cost+q.heuristic(x, y, layer)/100*(100+q.astarFactor))
}

// addSource makes a node a source of the search. It is necked where other copper is too near for a
// wide track. A hard search skips it where other copper is too near for a neck.
func (rt *router) addSource(q *searchQuery, node int32) {
	if c := rt.record(node); c.tag>>8 == rt.searchID && c.entry()&directionMask != fromNone {
		return
	}
	mark := fromSource
	planes := rt.grid.maps
	if use := planes[q.net.trackMap].cells[node]; use.fixedNet != unowned && use.fixedNet != q.netID || use.users > 0 {
		if q.hard && planes[q.net.neckMap].cells[node].users > 0 {
			return
		}
		mark |= necked
	}
	flat, layer := node, int32(0)
	if flat >= int32(rt.grid.size) {
		flat, layer = flat-int32(rt.grid.size), 1
	}
	rt.relax(q, node, 2*flat+layer, flat%int32(rt.grid.w), flat/int32(rt.grid.w), layer, 0, mark)
}

// tooNearOwnVia reports whether a new via violates the hole distance to a via of its own net; the
// occupancy maps cover other nets only.
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
