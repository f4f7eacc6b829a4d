package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

// connectPour pours, reads the pour islands, and connects separate islands by tracks and vias,
// until there is one island or no more can be connected. With force other nets are ripped up, which
// undoes their smoothing. The last pour is kept.
func (rt *router) connectPour(force bool) {
	b := rt.board
	if rt.pourLayers == 0 {
		return
	}
	n := &rt.nets[b.Rules.GroundNet]
	if len(n.terms) == 0 {
		return
	}
	const rounds, tries = 6, 3
	failed := map[[2]int]int{}
	for round := range rounds {
		rt.writeCopper()
		if !rt.probePour() {
			return
		}
		res := rt.poured
		n.copper.open = nil
		if len(res.Islands) < 2 {
			return
		}
		added := false
		for i, island := range res.Islands[1:] {
			pair := rt.closestPads(n, res.Islands, i+1, island)
			n.copper.open = append(n.copper.open, pair)
			if failed[pair] == tries || round == rounds-1 || rt.cancelled() {
				continue
			}
			if rt.connectIsland(n, &res, i+1, pair, force) {
				added = true
			} else {
				failed[pair]++ // conflicting nodes cost more the next time
			}
		}
		rt.report(float64(round+1)/rounds, rt.completion())
		if !added && (!force || round+1 >= tries) {
			return
		}
	}
}

// probePour pours the copper of the board and reports whether it finished.
func (rt *router) probePour() bool {
	rt.poured = pour.Result{}
	var err error
	if rt.pourSession == nil {
		rt.pourSession, err = pour.NewSession(rt.ctx, rt.board)
		if err == nil {
			rt.pourSession.Meter = rt.opt.Meter
		}
	}
	if err == nil {
		rt.poured, err = rt.pourSession.Probe(rt.ctx)
	}
	rt.stopped = rt.stopped || err != nil
	return err == nil
}

func (n *netState) terminalOf(p pour.Pin) int {
	for i := range n.terms {
		if n.terms[i].part == p.Part && n.terms[i].pad == p.Pad {
			return i
		}
	}
	return -1
}

// closestPads returns the nearest terminals between one island and all others: outside, then
// inside.
func (rt *router) closestPads(n *netState, islands [][]pour.Pin, own int, island []pour.Pin) [2]int {
	best, pair := math.Inf(1), [2]int{0, 0}
	for k, other := range islands {
		if k == own {
			continue
		}
		for _, p := range other {
			for _, q := range island {
				i, j := n.terminalOf(p), n.terminalOf(q)
				if d := board.Distance(n.terms[i].at, n.terms[j].at); d < best {
					best, pair = d, [2]int{i, j}
				}
			}
		}
	}
	return pair
}

// connectIsland adds one connection from any copper of an island to any copper of the others:
// between the other nets where there is a path, else, with force, by rip-up.
func (rt *router) connectIsland(n *netState, res *pour.Result, own int, pair [2]int, force bool) bool {
	ends := func(q *searchQuery) {
		q.unguided = true
		q.maxNodes = 400000
		for i, island := range res.Islands {
			for _, p := range island {
				for _, a := range n.terms[n.terminalOf(p)].access {
					if i == own {
						rt.addSource(q, a.node)
					} else {
						rt.markGoal(a.node)
					}
				}
			}
		}
		g := &rt.grid
		for layer := board.Top; layer <= board.Bottom; layer++ {
			res.IslandNodes(layer, g.min, g.pitch, g.w, g.h, func(i, j, island int) {
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
	kept := func() bool { return rt.openCount() <= before && rt.conflicts(n, 0) == 0 && !rt.cancelled() }
	if rt.addConnectionThrough(n, before, ends) && kept() {
		return true
	}
	rt.restoreAll(saved)
	// Rip-up failed: negotiate the connection itself, from pad to pad.
	known := n.copper.open
	n.extraConnections = append(n.extraConnections, pair)
	rt.rerouteThrough(n.index, presentCostSchedule[0])
	if rt.openCount() > before {
		rt.ripUpAndReroute(before, pourPatienceDivisor)
	}
	if n.copper.open == nil {
		n.copper.open = known // for the count alone: the next pour decides
		if kept() {
			return true
		}
	}
	n.extraConnections = n.extraConnections[:len(n.extraConnections)-1]
	rt.restoreAll(saved)
	return false
}

// pourPatienceDivisor divides the rip-up patience for one pour connection.
const pourPatienceDivisor = 5

// addConnection adds a track to a net between the sources and goals that ends sets.
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

// addConnectionThrough adds a track through the other nets and reroutes those in conflict; before
// is the number of connections that may be open afterwards.
func (rt *router) addConnectionThrough(n *netState, before int, ends func(*searchQuery)) bool {
	if !rt.addConnection(n, rt.softQuery(presentCostSchedule[0]), ends) {
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

// smoothAndRepour smooths the tracks and pours. Smoothing moves tracks, which can split the pour;
// the separate islands then get a track on the grid, which smoothing keeps, and all nets are
// smoothed again.
func (rt *router) smoothAndRepour() {
	const rounds = 4
	intact := rt.pourLayers != 0 && len(rt.nets[rt.board.Rules.GroundNet].copper.open) == 0
	for round := range rounds {
		saved := rt.snapshot()
		rt.smooth(rt.order)
		rt.connectPour(false)
		if rt.pourLayers == 0 || rt.cancelled() {
			return
		}
		n := &rt.nets[rt.board.Rules.GroundNet]
		open := n.copper.open
		switch {
		case len(open) == 0:
			return
		case round == rounds-1 && intact:
			rt.restoreAll(saved)
			rt.smoothKeepingPour(n)
			return
		case round == rounds-1:
			return
		}
		finished := rt.snapshot()
		rt.restoreAll(saved)
		n.copper.open = nil
		added := false
		for _, pair := range open {
			at, before := rt.snapshot(), rt.openCount()
			ends := func(q *searchQuery) {
				q.goalBox = emptyBox
				for _, a := range n.terms[pair[0]].access {
					rt.addGoal(q, a.node)
				}
				for _, a := range n.terms[pair[1]].access {
					rt.addSource(q, a.node)
				}
			}
			ok := rt.addConnection(n, rt.hardQuery(), ends) || rt.addConnectionThrough(n, before, ends)
			if ok && rt.openCount() <= before && rt.conflicts(n, 0) == 0 && !rt.cancelled() {
				added = true
			} else {
				rt.restoreAll(at)
			}
		}
		if !added {
			if intact {
				rt.smoothKeepingPour(n)
				return
			}
			rt.restoreAll(finished)
			rt.connectPour(false)
			return
		}
	}
}

// smoothKeepingPour smooths all nets except those whose smoothing would split the (so far unbroken)
// pour. Groups of nets are tried together; a group that splits it is bisected.
func (rt *router) smoothKeepingPour(n *netState) {
	const groups = 8
	var queue [][]int
	for k := range groups {
		var nets []int
		for i := k; i < len(rt.order); i += groups {
			nets = append(nets, rt.order[i])
		}
		queue = append(queue, nets)
	}
	intact := true
	for len(queue) > 0 {
		nets := queue[0]
		queue = queue[1:]
		if len(nets) == 0 {
			continue
		}
		saved := rt.snapshot()
		rt.smooth(nets)
		rt.connectPour(false)
		if rt.cancelled() {
			return
		}
		if intact = len(n.copper.open) == 0; intact {
			continue
		}
		rt.restoreAll(saved)
		if half := len(nets) / 2; half > 0 {
			queue = append([][]int{nets[:half], nets[half:]}, queue...)
		}
	}
	if !intact {
		rt.connectPour(false)
	}
}
