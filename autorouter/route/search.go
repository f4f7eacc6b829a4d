package route

import (
	"math"

	"slipstick/autorouter/board"
)

// Directions of the step into a node: 0..7 counter-clockwise from +x, followed by special values,
// the direction mask and flag bits.
const (
	fromVia       uint8 = 8
	fromSource    uint8 = 9
	fromNone      uint8 = 15 // a goal not yet reached
	directionMask uint8 = 15
	necked        uint8 = 16 // the path enters the node at its neck width
	closed        uint8 = 32 // the cheapest path to the node is known
	goal          uint8 = 64 // the node is a goal
)

// record returns the A* record of a node.
func (rt *router) record(node int32) *searchNode {
	flat, layer := rt.grid.split(node)
	return &rt.searchNodes[flat*int32(rt.grid.layers)+layer]
}

// markGoal makes a node a goal of the search.
func (rt *router) markGoal(node int32) {
	c := rt.record(node)
	if c.tag>>searchShift != rt.searchID {
		*c = searchNode{math.MaxInt32, rt.searchID<<searchShift | uint32(fromNone)}
	}
	c.tag |= uint32(goal)
}

var directions = [8][2]int8{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// turnCosts holds the costs of a change of direction [hundredths of a grid step], indexed by
// multiples of 45 degrees.
var turnCosts = [8]int32{0, bendCost, cornerCost, infinite, infinite, infinite,
	cornerCost, bendCost}

// searchQuery holds the parameters of one search.
type searchQuery struct {
	net     *netState
	netID   int16 // number of the net
	hard    bool  // other nets' copper is an obstacle and not merely a cost
	mayFail bool  // a path may not exist, so test for enclosed ends first
	presFac int64 // cost of a conflict [% of the step cost] (VPR pres_fac)
	// weight of the A* heuristic minus 1 [%]; 0 is admissible (VPR: astar_fac - 1)
	astarFactor int32
	viaCost     int32
	unguided    bool // searches without a heuristic because there are many targets
	padsOnly    bool // starts at connected pads only, not at tracks
	toPour      bool // a via onto a poured layer is also a goal
	maxNodes    int  // limit on the number of expanded nodes
	// bounding box of the goals in grid coordinates: min x, min y, max x, max y
	goalBox    [4]int32
	goalLayers board.LayerSet // layers that have goals
}

// heuristic returns a lower bound on the cost from a node to any goal. It is the cost of the octile
// path to the bounding box of the goals, on the cheapest layer of each direction.
func (rt *router) heuristic(q *searchQuery, x, y, layer int32) int32 {
	if q.unguided {
		return 0
	}
	dx := max(0, q.goalBox[0]-x, x-q.goalBox[2])
	dy := max(0, q.goalBox[1]-y, y-q.goalBox[3])
	axis, rest, both := 0, dx-dy, dy
	if dx < dy {
		axis, rest, both = 1, dy-dx, dx
	}
	least := &rt.leastCosts
	c := least.straight[axis]*rest + least.diagonal*both
	if q.goalLayers&(1<<layer) == 0 {
		return c + q.viaCost
	}
	return c + min(least.excess[layer][axis]*rest, q.viaCost)
}

// enterCost returns the cost of entering a node in addition to the step cost, or infinite for a
// blocked node. Present and history cost are multiplied as in PathFinder.
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

// movesFrom lists, for each incoming direction, the possible next moves with their turn costs.
var movesFrom = func() (out [fromSource + 1][]move) {
	for from := range out {
		for d := range int32(8) {
			extra := int32(0)
			if from < 8 {
				extra = turnCosts[(int(d)-from)&7]
			}
			if extra < infinite {
				out[from] = append(out[from], move{d, extra, int32(directions[d][0]),
					int32(directions[d][1])})
			}
		}
	}
	return out
}()

type move struct{ direction, cost, dx, dy int32 }

// search finds the cheapest path from the sources (addSource) to a goal (markGoal) by A* (Hart,
// Nilsson and Raphael 1968). It returns the goal, and false if no path is found within q.maxNodes.
func (rt *router) search(q *searchQuery) (int32, bool) {
	g := &rt.grid
	net := q.net
	trackMap, neckMap, viaMap := &g.maps[net.trackMap], &g.maps[net.neckMap], &g.maps[net.viaMap]
	necks := net.trackMap != net.neckMap
	width, size := int32(g.w), int32(g.size)
	right, top := width-1, int32(g.h)-1
	cells, nodes, history, visit := rt.searchNodes, trackMap.cells, rt.historyCost, rt.searchID
	layers := int32(g.layers)
	// A via in conflict costs as much as a track in conflict that is as long as its diameter.
	viaSteps := int32(net.viaDiameter / g.pitch * straightCost)
	var offsets, records [8]int32 // offsets to neighbour nodes, and to their records
	for d, m := range directions {
		offsets[d] = int32(m[1])*width + int32(m[0])
		records[d] = layers * offsets[d]
	}
	for expanded := 0; !rt.queue.empty(); expanded++ {
		if expanded&1023 == 0 && rt.cancelled() || expanded > q.maxNodes {
			return 0, false
		}
		rt.nodesExpanded++
		node := rt.queue.pop()
		flat, layer := g.split(node)
		base := flat*layers + layer
		here := &cells[base]
		if here.entry()&closed != 0 {
			continue
		}
		from := here.entry() & directionMask
		here.tag |= uint32(closed)
		if here.entry()&goal != 0 {
			return node, true
		}
		if q.toPour && from == fromVia && net.pour.viaEnds&(1<<layer) != 0 {
			return node, true
		}
		y := int32(uint32(flat) / uint32(width))
		x := flat - y*width
		inner := x > 0 && y > 0 && x < right && y < top
		spent, costs := here.cost, &rt.stepCosts[layer]
		moves := movesFrom[from]
		since := here.stepsSinceVia()
		stepMark := min(since+1, noVia) << layerShift
		for i := range moves {
			t := &moves[i]
			d := t.direction & 7
			if !inner && (x+t.dx < 0 || y+t.dy < 0 || x+t.dx > right || y+t.dy > top) {
				continue
			}
			step := costs[d]
			next, cost := node+offsets[d], spent+step+t.cost
			at := base + records[d]
			if c := &cells[at]; c.tag>>searchShift == visit &&
				(c.cost <= cost || c.entry()&closed != 0) {
				continue
			}
			c, mark := int32(0), uint32(d)|stepMark
			// fast path, because most nodes are free
			if use := nodes[next]; use.fixedNet != unowned || use.users > 0 || !q.hard &&
				history[next] > 0 {
				c = rt.enterCost(q, trackMap, next, step)
			}
			if necks && c > 0 && rt.neckNodes[next] == rt.neckStamp {
				if t := rt.enterCost(q, neckMap, next, step); t < infinite && t+step/neckCost < c {
					c, mark = t+step/neckCost, mark|uint32(necked)
				}
			}
			if c < infinite {
				rt.relax(q, next, at, x+t.dx, y+t.dy, layer, cost+c, mark)
			}
		}
		if from == fromVia {
			continue
		}
		c := int32(-1) // cost of the via, equal for every target layer
		for to := range layers {
			at := flat*layers + to
			if to == layer || rt.cannotImprove(at, spent+q.viaCost) {
				continue
			}
			if c < 0 {
				if c = rt.enterCost(q, viaMap, flat, viaSteps); c < infinite &&
					(rt.tooNearOwnVia(net, g.at(node)) ||
						since < noVia && rt.tooNearPathVia(net, node)) {
					c = infinite
				}
			}
			if c >= infinite {
				break
			}
			mark, other := uint32(fromVia)|uint32(layer)<<layerShift, flat+size*to
			if rt.enterCost(q, trackMap, other, straightCost) >= infinite {
				if !necks || rt.neckNodes[other] != rt.neckStamp || rt.enterCost(q, neckMap, other,
					straightCost) >= infinite {
					continue
				}
				mark |= uint32(necked)
			}
			rt.relax(q, other, at, x, y, to, spent+q.viaCost+c, mark)
		}
	}
	return 0, false
}

// noVia is the largest number of steps since the last via. It also stands for more steps, and for a
// path without a via.
const noVia = 1<<(searchShift-layerShift) - 1

// stepsSinceVia returns the number of steps from the last via of a path to a node, at most noVia.
func (c searchNode) stepsSinceVia() uint32 {
	switch from := c.entry() & directionMask; {
	case from == fromVia:
		return 0
	case from >= fromSource:
		return noVia
	}
	return c.tag >> layerShift & noVia
}

// cannotImprove reports whether a path of the given cost is no cheaper than the known path to the
// node with record index at.
func (rt *router) cannotImprove(at, cost int32) bool {
	c := &rt.searchNodes[at]
	return c.tag>>searchShift == rt.searchID && (c.cost <= cost || c.entry()&closed != 0)
}

// relax records a path to the node at (x, y) of a layer; at is the index of the node's record. The
// mark holds the direction and flags of the last step, and the layer that a via comes from.
func (rt *router) relax(q *searchQuery, node, at, x, y, layer, cost int32, mark uint32) {
	tag := rt.searchID<<searchShift | mark
	if c := &rt.searchNodes[at]; c.tag>>searchShift == rt.searchID {
		if c.cost <= cost || c.entry()&closed != 0 {
			return
		}
		tag |= c.tag & uint32(goal)
	}
	rt.searchNodes[at] = searchNode{cost, tag}
	rt.queue.push(node, cost+rt.heuristic(q, x, y, layer)/100*(100+q.astarFactor))
}

// addSource makes a node a source of the search. The source is necked if other copper is too close
// for a wide track. A hard search skips it if other copper is too close even for a neck.
func (rt *router) addSource(q *searchQuery, node int32) {
	if c := rt.record(node); c.tag>>searchShift == rt.searchID &&
		c.entry()&directionMask != fromNone {
		return
	}
	mark := uint32(fromSource)
	planes := rt.grid.maps
	if use := planes[q.net.trackMap].cells[node]; use.fixedNet != unowned &&
		use.fixedNet != q.netID || use.users > 0 {
		if q.hard && planes[q.net.neckMap].cells[node].users > 0 {
			return
		}
		mark |= uint32(necked)
	}
	flat, layer := rt.grid.split(node)
	rt.relax(q, node, flat*int32(rt.grid.layers)+layer, flat%int32(rt.grid.w),
		flat/int32(rt.grid.w), layer, 0, mark)
}

// tooNearOwnVia reports whether a new via violates the hole-to-hole distance to a via that its net
// already has. The occupancy maps cover only other nets.
func (rt *router) tooNearOwnVia(n *netState, at board.Point) bool {
	for _, v := range n.copper.vias {
		if rt.tooNearVia(n, v, at) {
			return true
		}
	}
	return false
}

// tooNearPathVia reports whether a new via at a node violates the hole-to-hole distance to a via of
// the path to this node. It examines the vias that the path reaches after fewer than noVia steps
// each.
func (rt *router) tooNearPathVia(n *netState, node int32) bool {
	g := &rt.grid
	at := g.at(node)
	for {
		c := rt.record(node)
		since := c.stepsSinceVia()
		if since >= noVia {
			return false
		}
		for ; since > 0; since-- {
			m := directions[rt.record(node).entry()&directionMask]
			node -= int32(m[1])*int32(g.w) + int32(m[0])
		}
		if rt.tooNearVia(n, g.at(node), at) {
			return true
		}
		flat, _ := g.split(node)
		node = flat + rt.record(node).fromLayer()*int32(g.size)
	}
}

// tooNearVia reports whether two vias of a net violate the hole-to-hole distance. Vias in the same
// place are one via.
func (rt *router) tooNearVia(n *netState, v, at board.Point) bool {
	least := n.viaDrill + int64(rt.holeToHole)
	d := v.Sub(at)
	return v != at && d.X*d.X+d.Y*d.Y < least*least
}
