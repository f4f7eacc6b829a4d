package route

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
)

// pairPath is a path between two fan-outs, as a sequence of search states.
type pairPath struct {
	start, goal *fanOut
	states      []int32
}

// search finds the cheapest path from any start to any goal by A*, and returns false if there is
// none. It runs once for each side that the positive track can be on.
func (c *coupler) search(starts, goals []*fanOut) (pairPath, bool) {
	var best pairPath
	least := int32(math.MaxInt32)
	for _, side := range []float64{1, -1} {
		own := func(list []*fanOut, side float64) []*fanOut {
			return slices.DeleteFunc(slices.Clone(list), func(f *fanOut) bool {
				return f.side != side
			})
		}
		// A goal's direction is opposite to the path, so its positive track is on the other side.
		if p, cost, ok := c.searchSide(own(starts, side), own(goals, -side), least); ok {
			best, least = p, cost
		}
	}
	return best, least < math.MaxInt32
}

// state returns the index of a state: a node, a layer and the direction of the step into the node.
func (c *coupler) state(node, layer, direction int) int32 {
	return int32((layer*c.w*c.h+node)*8 + direction)
}

func (c *coupler) split(state int32) (node, layer, direction int) {
	s := int(state)
	return s / 8 % (c.w * c.h), s / 8 / (c.w * c.h), s & 7
}

func (c *coupler) searchSide(starts, goals []*fanOut, least int32) (pairPath, int32, bool) {
	if len(starts) == 0 || len(goals) == 0 {
		return pairPath{}, least, false
	}
	rt, q := c.rt, &c.rt.queue
	q.reset()
	for i := range c.cost {
		c.cost[i], c.from[i] = math.MaxInt32, -1
	}
	clear(c.closed)
	ends, begins := map[int32]*fanOut{}, map[int32]*fanOut{}
	reach := int32(0)
	target := pointOf(c.ends[1].middle)
	for _, f := range goals {
		s := c.state(f.node, f.layer, (f.direction+4)&7)
		if e := ends[s]; e == nil || f.cost < e.cost {
			ends[s] = f
		}
		reach = max(reach, c.worth(octile(pointOf(c.at(f.node)), target)))
	}
	estimate := func(node int) int32 {
		return max(0, c.worth(octile(pointOf(c.at(node)), target))-reach)
	}
	relax := func(node, layer, direction int, cost, from int32) {
		s := c.state(node, layer, direction)
		if cost < c.cost[s] {
			c.cost[s], c.from[s] = cost, from
			q.push(s, cost+estimate(node)/100*(100+pairAstarFactor))
		}
	}
	for _, f := range starts {
		if s := c.state(f.node, f.layer, f.direction); f.cost < c.cost[s] {
			begins[s] = f
		}
		relax(f.node, f.layer, f.direction, f.cost, -1)
	}
	bend, drop := c.worth(float64(pairBendCost)), c.worth(float64(pairViaCost))
	last, found := int32(-1), false
	for expanded := 0; !q.empty() && expanded < maxPairNodes; {
		s := q.pop()
		if c.closed[s] {
			continue
		}
		c.closed[s] = true
		if expanded&1023 == 0 && rt.cancelled() {
			return pairPath{}, least, false
		}
		expanded++
		rt.nodesExpanded++
		node, layer, direction := c.split(s)
		cost := c.cost[s]
		if cost+estimate(node) >= least {
			continue
		}
		if f := ends[s]; f != nil && cost+f.cost < least {
			least, last, found = cost+f.cost, s, true
		}
		for turn := -1; turn <= 1; turn++ {
			d := (direction + turn) & 7
			next, ok := c.next(node, d, 1)
			// The first step must be straight, because a turn would overlap the legs.
			if !ok || turn != 0 && c.from[s] < 0 || !c.hasSpace(next, layer) {
				continue
			}
			price := rt.stepCosts[layer][d]
			if turn != 0 {
				price += bend
			}
			relax(next, layer, d, cost+price, s)
		}
		for to := range c.layers {
			if next, ok := c.drop(node, layer, to, direction); ok && to != layer {
				way := int32(2*c.leadSteps(direction)) * rt.stepCosts[layer][direction]
				relax(next, to, direction, cost+way+drop, s)
			}
		}
	}
	if !found {
		return pairPath{}, least, false
	}
	p := pairPath{goal: ends[last]}
	for s := last; s >= 0; s = c.from[s] {
		p.states = append(p.states, s)
	}
	slices.Reverse(p.states)
	p.start = begins[p.states[0]]
	return p, least, true
}

// leadSteps returns the number of steps from the start of a layer change to its vias.
func (c *coupler) leadSteps(direction int) int {
	long := float64(c.step)
	if direction&1 == 1 {
		long *= math.Sqrt2
	}
	return int(math.Ceil(c.lead/long)) + 1
}

// drop returns the end node of a layer change that starts at the given node, and reports whether
// the layer change fits.
func (c *coupler) drop(node, layer, to, direction int) (int, bool) {
	steps := c.leadSteps(direction)
	at, ok := c.next(node, direction, steps)
	end, inside := c.next(node, direction, 2*steps)
	return end, ok && inside && to != layer && c.hasDrop(at, direction) && c.hasSpace(end, to) &&
		c.hasLead(at, layer, direction, node) && c.hasLead(at, to, (direction+4)&7, end)
}

// hasLead reports whether the tracks from a node to the two vias at another node fit on a layer.
func (c *coupler) hasLead(at, layer, direction, node int) bool {
	known := &c.leads[8*(layer*c.w*c.h+at)+direction]
	if *known == 0 {
		*known = hasSpace
		for k := range 2 {
			for _, side := range []float64{1, -1} { // either net may be on either side
				if !c.isClearWay(k, c.leadOf(node, at, direction, side), layer) {
					*known = noSpace
				}
			}
		}
	}
	return *known == hasSpace
}

// hasDrop reports whether two vias fit at a node, side by side across a direction.
func (c *coupler) hasDrop(node, direction int) bool {
	known := &c.drops[4*node+direction&3]
	if *known == 0 {
		*known = hasSpace
		for _, side := range []float64{1, -1} {
			at := pointOf(c.at(node).Add(left(direction).Scale(side * c.spread)))
			for k := range 2 { // either net may be on either side
				it := c.rt.viaItem(c.nets[k].index, at)
				it.net = board.NoNet // forbids a via in the nets' own pads
				if !c.rt.isClear(&it) {
					*known = noSpace
				}
			}
		}
		c.rt.opt.Meter.Add(budget.ClearanceCheck, 4)
	}
	return *known == hasSpace
}

// leadOf returns the points of the track from a node to the via beside the node with index at. The
// side is 1 for the via on the left of the direction and -1 for the via on the right.
func (c *coupler) leadOf(node, at, direction int, side float64) []board.Point {
	along, across := unit(direction), left(direction).Scale(side)
	return []board.Point{pointOf(c.at(node).Add(across.Scale(c.half))),
		pointOf(c.at(at).Add(across.Scale(c.half)).Sub(along.Scale(c.lead))),
		pointOf(c.at(at).Add(across.Scale(c.spread)))}
}
