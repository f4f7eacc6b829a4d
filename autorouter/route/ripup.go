package route

import "slipstick/autorouter/board"

// ripUpAndReroute completes nets one at a time (rip-up and reroute, Dees and Karger 1982). An open
// net is routed through other nets at a high cost. The conflicting nets are ripped up and rerouted;
// nets without a path wait for a later turn. Conflicting nodes accumulate history cost, which
// prevents two nets from displacing each other forever. The state with the fewest open connections
// is kept. The function stops at targetOpens open connections, or when fixed items block all open
// nets; patienceDivisor reduces the number of turns allowed without progress.
func (rt *router) ripUpAndReroute(targetOpens, patienceDivisor int) {
	if len(rt.order) == 0 {
		return
	}
	patience := minPatience + netPatience/len(rt.order)
	switch rt.opt.Effort {
	case Fast:
		patience /= 3
	case High:
		patience *= 4
	}
	patience /= patienceDivisor
	costs, best, stale := presentCosts(), rt.openCount(), 0
	saved := rt.snapshot()
	for turn := 0; best > targetOpens && stale < patience && !rt.cancelled(); turn++ {
		i := rt.nextOpenNet(turn)
		if i < 0 {
			break
		}
		rt.passes++
		n, q := &rt.nets[i], rt.softQuery(costs[turn%len(costs)])
		q.mayFail = n.unreachable.failures > 0
		rt.reroute(i, q)
		if !rt.cancelled() {
			n.unreachable.add(len(n.copper.open))
		}
		rt.ripUpBlockers(i)
		now := rt.openCount()
		if now < best && !rt.cancelled() {
			best, stale, saved = now, 0, rt.snapshot()
		} else {
			stale++
		}
		rt.report(float64(stale)/float64(patience), 1-float64(best)/float64(rt.connections))
	}
	rt.restoreAll(saved)
}

// nextOpenNet returns the index of the open net for a turn, or board.NoNet if no net is open.
// Successive turns cycle through the open nets, except nets that only fixed items block.
func (rt *router) nextOpenNet(turn int) int {
	var open []int
	for _, i := range rt.order {
		if n := &rt.nets[i]; n.mayComplete() && i != rt.frozen {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return board.NoNet
	}
	return open[turn%len(open)]
}

// rerouteThrough routes a net through other nets at the present cost presFac [% of the step cost]
// and then reroutes the conflicting nets.
func (rt *router) rerouteThrough(i int, presFac int64) {
	rt.reroute(i, rt.softQuery(presFac))
	rt.ripUpBlockers(i)
}

// add records the number of open connections of a route through all other nets.
func (u *unreachable) add(opens int) {
	if u.opens = opens; opens == 0 {
		u.failures = 0
	} else {
		u.failures++
	}
}

// mayComplete reports whether a net has open connections that rip-up may complete.
func (n *netState) mayComplete() bool {
	known := 0
	if n.unreachable.failures >= presentCostCount {
		known = n.unreachable.opens
	}
	return len(n.copper.open) > known
}

// ripUpBlockers rips up and reroutes the nets that conflict with net i.
func (rt *router) ripUpBlockers(i int) {
	rt.penalizeConflicts(&rt.nets[i], historyIncrement)
	var out []int
	for _, k := range rt.order {
		if k != i && k != rt.frozen && rt.penalizeConflicts(&rt.nets[k], historyIncrement) > 0 {
			out = append(out, k)
		}
	}
	for _, k := range out {
		rt.ripUpConflictingBranches(&rt.nets[k])
	}
	for _, k := range out {
		rt.rerouteBranches(&rt.nets[k], rt.hardQuery())
	}
	rt.ripUpConflicts()
}

// legalize removes all conflicts and then tries to complete the open nets.
func (rt *router) legalize() {
	rt.ripUpConflicts()
	for _, i := range rt.order {
		if rt.nets[i].copper.occupied == nil { // negotiation ended before it reached these nets
			rt.reroute(i, rt.hardQuery())
		}
	}
	rt.ripUpAndReroute(0, 1)
}
