package route

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// pairPath is a path between two fan-outs, as a sequence of search states.
type pairPath struct {
	start, goal *fanOut
	states      []int32
}

// pairSide is a side that the positive track can be on, with the fan-outs for paths on that side.
type pairSide struct {
	positive      float64 // 1 for the left of the path, -1 for the right
	starts, goals []*fanOut
}

// add appends the fan-outs that fit the side. A goal's direction is opposite to the path, so its
// positive track is on the other side.
func (s *pairSide) add(starts, goals []*fanOut) {
	for _, f := range starts {
		if f.side == s.positive {
			s.starts = append(s.starts, f)
		}
	}
	for _, f := range goals {
		if f.side == -s.positive {
			s.goals = append(s.goals, f)
		}
	}
}

// remove deletes the fan-outs that make a path violate the clearance to itself or to its legs.
// Another fan-out may be legal.
func (s *pairSide) remove(p pairPath) {
	same := func(f *fanOut) bool { return f == p.goal || f == p.start && f.cross != nil }
	s.starts, s.goals = slices.DeleteFunc(s.starts, same), slices.DeleteFunc(s.goals, same)
}

// state returns the index of a state: a node, a layer and the direction of the step into the node.
func (c *coupler) state(node, layer, direction int) int32 {
	return int32((layer*c.w*c.h+node)*8 + direction)
}

func (c *coupler) split(state int32) (node, layer, direction int) {
	s := int(state)
	return s / 8 % (c.w * c.h), s / 8 / (c.w * c.h), s & 7
}

// pairSearch is the state of one search for the path of a pair.
type pairSearch struct {
	*coupler
	starts, goals map[int32]*fanOut // fan-outs by state
	least         int32             // cost of the cheapest path so far
	bend, viaPair int32             // costs of a turn and of two vias
}

// search finds the cheapest path from any start to any goal by A*. It returns the path and its
// cost, and false if there is no path with a cost below least.
func (c *coupler) search(starts, goals []*fanOut, least int32) (pairPath, int32, bool) {
	if len(starts) == 0 || len(goals) == 0 {
		return pairPath{}, least, false
	}
	s := c.newPairSearch(starts, goals, least)
	rt, q, last := c.rt, &c.rt.queue, int32(-1)
	for expanded := 0; !q.empty() && expanded < maxPairNodes; {
		state := q.pop()
		if c.closed[state] {
			continue
		}
		c.closed[state] = true
		if expanded&1023 == 0 && rt.cancelled() {
			return pairPath{}, least, false
		}
		expanded++
		rt.nodesExpanded++
		node, layer, direction := c.split(state)
		cost := c.cost[state]
		if cost >= s.least-c.estimate(node, layer) {
			continue
		}
		if f := s.goals[state]; f != nil && cost+f.cost < s.least {
			s.least, last = cost+f.cost, state
		}
		s.expandSteps(state, node, layer, direction)
		s.expandLayers(state, node, layer, direction)
	}
	if last < 0 {
		return pairPath{}, least, false
	}
	return s.traceback(last), s.least, true
}

// newPairSearch returns a search whose queue contains the starts.
func (c *coupler) newPairSearch(starts, goals []*fanOut, least int32) *pairSearch {
	s := &pairSearch{coupler: c, starts: map[int32]*fanOut{}, goals: map[int32]*fanOut{},
		least: least, bend: c.costOf(float64(pairBendCost)),
		viaPair: c.costOf(float64(pairViaCost))}
	c.rt.queue.reset()
	for i := range c.cost {
		c.cost[i], c.from[i] = math.MaxInt32, -1
	}
	clear(c.closed)
	for _, f := range goals {
		state := c.state(f.node, f.layer, (f.direction+4)&7)
		if g := s.goals[state]; g == nil || f.cost < g.cost {
			s.goals[state] = f
		}
	}
	c.computeCostsToGoal(starts, goals, least)
	for _, f := range starts {
		if state := c.state(f.node, f.layer, f.direction); f.cost < c.cost[state] {
			s.starts[state] = f
		}
		s.relax(f.node, f.layer, f.direction, f.cost, -1)
	}
	return s
}

// relax records a path to a state if it is cheaper than the known one and may end with a cost below
// s.least. The last step of the path begins at the state from.
func (s *pairSearch) relax(node, layer, direction int, cost, from int32) {
	state := s.state(node, layer, direction)
	if cost < s.cost[state] && cost < s.least-s.estimate(node, layer) {
		s.cost[state], s.from[state] = cost, from
		s.rt.queue.push(state, cost+s.estimate(node, layer)/100*(100+pairAstarFactor))
	}
}

// expandSteps relaxes the states that a step on the layer of a state reaches.
func (s *pairSearch) expandSteps(state int32, node, layer, direction int) {
	for turn := -1; turn <= 1; turn++ {
		d := (direction + turn) & 7
		next, ok := s.next(node, d, 1)
		// The first step must be straight, because a turn would overlap the legs.
		if !ok || turn != 0 && s.from[state] < 0 || !s.hasSpace(next, layer) {
			continue
		}
		cost := s.cost[state] + s.rt.stepCosts[layer][d]
		if turn != 0 {
			cost += s.bend
		}
		s.relax(next, layer, d, cost, state)
	}
}

// expandLayers relaxes the states that a layer change at a state reaches.
func (s *pairSearch) expandLayers(state int32, node, layer, direction int) {
	steps := 2 * s.leadSteps(direction)
	end, ok := s.next(node, direction, steps)
	if !ok {
		return
	}
	cost := s.cost[state] + s.viaPair + int32(steps)*s.rt.stepCosts[layer][direction]
	for to := range s.layers {
		// The costs are compared first because the clearance checks take longer.
		if to != layer && cost < s.cost[s.state(end, to, direction)] &&
			cost < s.least-s.estimate(end, to) &&
			s.fitsLayerChange(node, layer, end, to, direction) {
			s.relax(end, to, direction, cost, state)
		}
	}
}

// traceback returns the path that ends at a state.
func (s *pairSearch) traceback(last int32) pairPath {
	p := pairPath{goal: s.goals[last]}
	for state := last; state >= 0; state = s.from[state] {
		p.states = append(p.states, state)
	}
	slices.Reverse(p.states)
	p.start = s.starts[p.states[0]]
	return p
}

// computeCostsToGoal computes the heuristic of a search by Dijkstra's algorithm from the goals. It
// omits the cost of turns and the space of layer changes. It ends at the cheapest path to a start,
// or at the cost least. The last step of a path has the direction of its goal, so a goal without
// space ahead ends the search at once.
func (c *coupler) computeCostsToGoal(starts, goals []*fanOut, least int32) {
	rt, q, size := c.rt, &c.rt.queue, c.w*c.h
	for i := range c.costToGoal {
		c.costToGoal[i] = math.MaxInt32
	}
	isStart := map[int32]bool{}
	for _, f := range starts {
		isStart[int32(f.layer*size+f.node)] = true
	}
	relax := func(node, layer int, cost int32) {
		if at := layer*size + node; cost < c.costToGoal[at] {
			c.costToGoal[at] = cost
			q.push(int32(at), cost)
		}
	}
	viaPair := c.costOf(float64(pairViaCost))
	// enter relaxes the nodes from which a step or a layer change in a direction leads to a node.
	// With exact, a layer change must have space.
	enter := func(node, layer, direction int, cost int32, exact bool) {
		back := (direction + 4) & 7
		if before, ok := c.next(node, back, 1); ok {
			relax(before, layer, cost+rt.stepCosts[layer][direction])
		}
		steps := 2 * c.leadSteps(direction)
		before, ok := c.next(node, back, steps)
		for from := 0; ok && from < c.layers; from++ {
			if from != layer &&
				(!exact || c.fitsLayerChange(before, from, node, layer, direction)) {
				relax(before, from, cost+viaPair+int32(steps)*rt.stepCosts[from][direction])
			}
		}
	}
	for _, f := range goals {
		enter(f.node, f.layer, (f.direction+4)&7, f.cost, true)
	}
	c.maxCostToGoal = math.MaxInt32
	for pops := 0; !q.empty(); pops++ {
		if pops&1023 == 0 && rt.cancelled() {
			break
		}
		rt.nodesExpanded++
		at := q.pop()
		cost, node, layer := c.costToGoal[at], int(at)%size, int(at)/size
		if isStart[at] || cost >= least {
			c.maxCostToGoal = cost / (1 << bucketShift) * (1 << bucketShift)
			break
		}
		if !c.hasSpace(node, layer) {
			continue
		}
		for d := range 8 {
			enter(node, layer, d, cost, false)
		}
	}
	for _, f := range goals {
		at := f.layer*size + f.node
		c.costToGoal[at] = min(c.costToGoal[at], f.cost)
	}
	q.reset()
}

// estimate returns a lower bound on the cost from a node to a goal.
func (c *coupler) estimate(node, layer int) int32 {
	return min(c.costToGoal[layer*c.w*c.h+node], c.maxCostToGoal)
}

// leadSteps returns the number of steps from the start of a layer change to its vias.
func (c *coupler) leadSteps(direction int) int {
	long := float64(c.step)
	if direction&1 == 1 {
		long *= math.Sqrt2
	}
	return int(math.Ceil(c.lead/long)) + 1
}

// fitsLayerChange reports whether a change between two layers fits on the straight line between two
// nodes.
func (c *coupler) fitsLayerChange(node, layer, end, to, direction int) bool {
	at, _ := c.next(node, direction, c.leadSteps(direction))
	return c.fitsViaPair(at, direction) && c.hasSpace(end, to) &&
		c.fitsLead(at, layer, direction, node) && c.fitsLead(at, to, (direction+4)&7, end)
}

// fitsLead reports whether the tracks from a node to the two vias at another node fit on a layer.
func (c *coupler) fitsLead(at, layer, direction, node int) bool {
	known := &c.leads[8*(layer*c.w*c.h+at)+direction]
	if *known == 0 {
		*known = noSpace
		if c.isClearLead(at, layer, direction, node) {
			*known = hasSpace
		}
	}
	return *known == hasSpace
}

func (c *coupler) isClearLead(at, layer, direction, node int) bool {
	for _, side := range [2]float64{1, -1} { // either net may be on either side
		lead := c.leadOf(node, at, direction, side)
		for k := range 2 {
			if !c.isClearPath(k, lead, layer) {
				return false
			}
		}
	}
	return true
}

// fitsViaPair reports whether two vias fit at a node, side by side across a direction.
func (c *coupler) fitsViaPair(node, direction int) bool {
	known := &c.viaPairs[4*node+direction&3]
	if *known == 0 {
		*known = noSpace
		if c.areClearVias(node, direction) {
			*known = hasSpace
		}
	}
	return *known == hasSpace
}

func (c *coupler) areClearVias(node, direction int) bool {
	for _, side := range [2]float64{1, -1} {
		at := pointOf(c.at(node).Add(left(direction).Scale(side * c.spread)))
		for k := range 2 { // either net may be on either side
			if !c.isClearVia(k, at) {
				return false
			}
		}
	}
	return true
}

// leadOf returns the points of the track from a node to the via beside the node with index at. The
// side is 1 for the via on the left of the direction and -1 for the via on the right.
func (c *coupler) leadOf(node, at, direction int, side float64) []board.Point {
	along, across := unit(direction), left(direction).Scale(side)
	return []board.Point{pointOf(c.at(node).Add(across.Scale(c.half))),
		pointOf(c.at(at).Add(across.Scale(c.half)).Sub(along.Scale(c.lead))),
		pointOf(c.at(at).Add(across.Scale(c.spread)))}
}
