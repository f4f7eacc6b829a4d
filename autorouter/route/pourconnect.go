package route

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

// connectPours connects the islands of each pour as far as possible. With force, other nets may be
// ripped up. Copper added for one pour may split another, so all pours are probed again at the end.
func (rt *router) connectPours(force bool) {
	for i := range rt.pours {
		rt.connectPour(&rt.pours[i], force)
	}
	if len(rt.pours) < 2 || rt.stopped {
		return
	}
	rt.writeCopper()
	if !rt.probePours() {
		return
	}
	for i := range rt.pours {
		p := &rt.pours[i]
		n := &rt.nets[p.net]
		n.copper.open = nil
		for k := 1; k < len(p.last.Islands); k++ {
			pair := rt.closestPads(n, p.last.Islands, k, p.last.Islands[k])
			n.copper.open = append(n.copper.open, pair)
		}
	}
}

// connectPour fills the pour and connects its separate islands by tracks and vias. It repeats this
// until one island remains or no more connections succeed. With force, other nets may be ripped up,
// which discards their smoothing. The last fill is kept.
func (rt *router) connectPour(p *poured, force bool) {
	n := &rt.nets[p.net]
	if len(n.terms) == 0 {
		return
	}
	failed := map[[2]int]int{}
	for round := range pourRounds {
		rt.writeCopper()
		if !rt.probePour(p) {
			return
		}
		res := p.last
		n.copper.open = nil
		if len(res.Islands) < 2 {
			return
		}
		added := false
		for i, island := range res.Islands[1:] {
			pair := rt.closestPads(n, res.Islands, i+1, island)
			n.copper.open = append(n.copper.open, pair)
			if failed[pair] == pourTries || round == pourRounds-1 || rt.cancelled() {
				continue
			}
			if rt.connectIsland(n, &res, i+1, pair, force) {
				added = true
			} else {
				failed[pair]++ // a retry can succeed because conflicting nodes now cost more
			}
		}
		rt.report(float64(round+1)/pourRounds, rt.completion())
		if rt.stopped || !added && (!force || round+1 >= pourTries) {
			return
		}
	}
}

// requestIslandConnections adds connections between the islands of each pour and reroutes the nets
// of the pours at the present cost presFac. The connections then take part in the negotiation.
func (rt *router) requestIslandConnections(presFac int64) {
	rt.writeCopper()
	for i := range rt.pours {
		p := &rt.pours[i]
		n := &rt.nets[p.net]
		if len(n.terms) == 0 || !rt.probePour(p) || len(p.last.Islands) < 2 {
			continue
		}
		for k, island := range p.last.Islands[1:] {
			pair := rt.closestPads(n, p.last.Islands, k+1, island)
			if !slices.Contains(n.extraConnections, pair) {
				n.extraConnections = append(n.extraConnections, pair)
			}
		}
		rt.reroute(p.net, rt.softQuery(presFac))
	}
}

// closestPads returns the closest pair of terminals between the island with index own and all other
// islands. The terminal outside the island comes first.
func (rt *router) closestPads(n *netState, islands [][]pour.Pin, own int,
	island []pour.Pin) [2]int {
	best, pair := math.Inf(1), [2]int{0, 0}
	terms := make([]int, len(island))
	for i, q := range island {
		terms[i] = n.terminalOf(q)
	}
	for k, other := range islands {
		if k == own {
			continue
		}
		if rt.ended() {
			break
		}
		for _, p := range other {
			i := n.terminalOf(p)
			for _, j := range terms {
				if d := board.Distance(n.terms[i].at, n.terms[j].at); d < best {
					best, pair = d, [2]int{i, j}
				}
			}
		}
	}
	return pair
}

// connectIsland adds one connection between any copper of the island with index own and any copper
// of another island, and reports whether it succeeded. It first searches for a path between the
// other nets; with force, it then tries rip-up.
func (rt *router) connectIsland(n *netState, res *pour.Result, own int, pair [2]int,
	force bool) bool {
	ends := func(q *searchQuery) {
		q.unguided = true
		q.maxNodes = maxNodesLink
		for i, island := range res.Islands {
			for _, p := range island {
				rt.eachAccess(q, &n.terms[n.terminalOf(p)], func(node int32) {
					if i == own {
						rt.addSource(q, node)
					} else {
						rt.markGoal(node)
					}
				})
			}
		}
		g := &rt.grid
		for layer := range g.all().All() {
			res.IslandNodes(rt.numbers.board[layer], g.min, g.pitch, g.w, g.h,
				func(i, j, island int) {
					node := int32(int(layer)*g.size + j*g.w + i)
					if island != own {
						rt.markGoal(node)
					} else if rt.usable(n, node) {
						rt.addSource(q, node)
					}
				})
		}
	}
	if rt.addConnection(n, rt.hardQuery(), ends) {
		return true
	}
	if !force {
		return false
	}
	saved, before := rt.snapshot(), rt.openCount()
	kept := func() bool {
		return rt.openCount() <= before && rt.countConflicts(n) == 0 && !rt.cancelled()
	}
	if rt.addConnectionThrough(n, before, ends) && kept() {
		return true
	}
	rt.restoreAll(saved)
	// Rip-up failed, so negotiate the connection from pad to pad.
	known := n.copper.open
	n.extraConnections = append(n.extraConnections, pair)
	rt.rerouteThrough(n.index, presentCosts()[0])
	if rt.openCount() > before {
		rt.ripUpAndReroute(before, pourPatienceDivisor)
	}
	if n.copper.open == nil {
		// updates only the open count; the next pour probe finds the open connections
		n.copper.open = known
		if kept() {
			return true
		}
	}
	n.extraConnections = n.extraConnections[:len(n.extraConnections)-1]
	rt.restoreAll(saved)
	return false
}

// addConnection adds a track to a net and reports whether it found a path. The function ends adds
// the sources and goals to the query.
func (rt *router) addConnection(n *netState, q searchQuery, ends func(*searchQuery)) bool {
	q.net, q.netID = n, int16(n.index)
	rt.markNeckNodes(n)
	rt.beginSearch()
	ends(&q)
	end, ok := rt.search(&q)
	if ok {
		rt.ripUp(n)
		rt.traceback(n, end)
		rt.commit(n)
	}
	return ok
}

// addConnectionThrough adds a track through the other nets, reroutes the conflicting nets and
// reports whether it found a path. If the number of open connections then exceeds before, it also
// runs rip-up and reroute.
func (rt *router) addConnectionThrough(n *netState, before int, ends func(*searchQuery)) bool {
	if !rt.addConnection(n, rt.softQuery(presentCosts()[0]), ends) {
		return false
	}
	rt.frozen = n.index
	rt.ripUpBlockers(n.index)
	if rt.openCount() > before {
		rt.ripUpAndReroute(before, pourPatienceDivisor)
	}
	rt.frozen = board.NoNet
	return true
}
