package route

import (
	"cmp"
	"slices"
)

// sortNets sets the net ordering: by half perimeter, then by index. Short nets come first because
// they allow the fewest detours. Odd attempts reverse the order.
func (rt *router) sortNets() {
	slices.SortFunc(rt.order, func(i, j int) int {
		a, b := &rt.nets[i], &rt.nets[j]
		return cmp.Or(cmp.Compare(a.halfPerimeter, b.halfPerimeter), cmp.Compare(i, j))
	})
	if rt.opt.Attempt%2 == 1 {
		slices.Reverse(rt.order)
	}
}

func (rt *router) maxIterations() int {
	if rt.opt.Congested {
		return congestedIterations
	}
	switch rt.opt.Effort {
	case Fast:
		return 6
	case High:
		return 40
	}
	return 12
}

// negotiate implements negotiated congestion (McMurchie and Ebeling, "PathFinder: a
// negotiation-based performance-driven router for FPGAs", FPGA 1995). All nets are first routed
// with a cost for shared nodes. Conflicting nets are then rerouted while the present cost rises and
// shared nodes accumulate history cost. The loop ends when no conflict remains, when progress
// stops, or at the iteration limit.
func (rt *router) negotiate() {
	for k, i := range rt.order {
		rt.reroute(i, rt.softQuery(initialPresFac))
		if rt.cancelled() {
			return
		}
		rt.report(0.3*float64(k)/float64(len(rt.order)), 0)
	}
	if rt.opt.Provisional && rt.openCount() > 0 {
		rt.abandon(openConnections, rt.openCount())
		return
	}
	limits := negotiationLimits{rt.maxIterations(), negotiationPatience, maxPresFac,
		histFacNegotiate}
	if rt.opt.LongNegotiation {
		limits.patience, limits.maxPresFac, limits.histFac = longPatience, longMaxPresFac,
			longHistFac
	}
	rt.iterate(initialPresFac*3/2, limits)
}

// negotiationLimits contains the parameters of a negotiation.
type negotiationLimits struct {
	iterations int    // largest number of iterations
	patience   int    // iterations without progress that end the negotiation
	maxPresFac int64  // limit of the present cost [% of the step cost]
	histFac    uint16 // added to the history cost of a shared node [1/64 of the step cost]
}

// iterate reroutes the conflicting nets within the limits. The present cost starts at presFac [% of
// the step cost] and rises.
func (rt *router) iterate(presFac int64, limits negotiationLimits) {
	fewest, stale := len(rt.nets)+1, 0
	for iteration := range limits.iterations {
		conflicting := 0
		for _, i := range rt.order {
			if rt.penalizeConflicts(&rt.nets[i], limits.histFac) > 0 {
				conflicting++
			}
		}
		rt.report(0.3+0.7*float64(iteration)/float64(limits.iterations),
			1-float64(conflicting)/float64(max(1, len(rt.order))))
		if conflicting == 0 {
			return
		}
		if reason := rt.reasonToAbandon(iteration, conflicting); reason != notAbandoned {
			rt.abandon(reason, conflicting)
			return
		}
		if conflicting < fewest {
			fewest, stale = conflicting, 0
		} else if stale++; stale >= limits.patience {
			return
		}
		rt.passes++
		if rt.requestIslands != nil && requestsIslands(iteration) {
			rt.requestIslands(presFac)
		}
		// Every fourth iteration reroutes complete nets to find a different tree.
		if !rt.rerouteConflicting(presFac, iteration%4 == 3) {
			return
		}
		presFac = min(presFac*3/2, limits.maxPresFac)
	}
}

// rerouteConflicting reroutes the conflicting branches of each net, or with complete the
// conflicting nets, at the present cost presFac [% of the step cost]. It returns false if the run
// is cancelled; the net rerouted last then keeps its old route.
func (rt *router) rerouteConflicting(presFac int64, complete bool) bool {
	for _, i := range rt.order {
		n := &rt.nets[i]
		if i == rt.frozen || rt.countConflicts(n) == 0 {
			continue
		}
		old := n.copper
		if complete {
			rt.reroute(i, rt.softQuery(presFac))
		} else {
			rt.ripUpConflictingBranches(n)
			rt.rerouteBranches(n, rt.softQuery(presFac))
		}
		if rt.cancelled() {
			rt.ripUp(n)
			rt.restoreRoute(n, old)
			return false
		}
	}
	return true
}

// reasonToAbandon decides after an iteration of the negotiation whether to abandon the run, from
// the number of conflicting nets. Boards with fewer than minAbandonNets nets are exempt, because a
// few nets are a large percentage there and routing takes little time.
func (rt *router) reasonToAbandon(iteration, conflicting int) abandonReason {
	if len(rt.order) < minAbandonNets {
		return notAbandoned
	}
	share := float64(conflicting) / float64(len(rt.order))
	switch {
	case predictUnroutable(iteration, share) && rt.mayAbandon():
		return openConnections
	case rt.opt.AbandonConflicts && iteration == abandonIteration && share > abandonShare,
		rt.opt.Provisional && iteration == provisionalIterations && share > maxConflictShare:
		return netConflicts
	}
	return notAbandoned
}

// predictUnroutable predicts, from the share of conflicting nets after an iteration, that routing
// will not complete. The thresholds were measured on generated boards of 110 and 150 parts. Boards
// that completed had at most 49 % conflicting nets after iteration 1 and 19 % after iteration 3.
// The others had at least 60 % and 26 %.
func predictUnroutable(iteration int, share float64) bool {
	return iteration == 1 && share > 0.55 || iteration == 3 && share > 0.25
}

// abandon ends the run without tracks. The number opens counts open connections or conflicting
// nets.
func (rt *router) abandon(reason abandonReason, opens int) {
	rt.abandonReason, rt.abandonedOpens = reason, opens
}

// ripUpConflicts rips up conflicting branches, starting with the net that has the most conflicts,
// until no conflict remains. It then reroutes those nets with all other copper as obstacles.
func (rt *router) ripUpConflicts() {
	var rippedUp []int
	for !rt.ended() {
		worst, most := -1, 0
		for _, i := range rt.order {
			if c := rt.countConflicts(&rt.nets[i]); c > most && i != rt.frozen {
				worst, most = i, c
			}
		}
		if worst < 0 {
			break
		}
		rt.ripUpConflictingBranches(&rt.nets[worst])
		if !slices.Contains(rippedUp, worst) {
			rippedUp = append(rippedUp, worst)
		}
	}
	slices.Reverse(rippedUp)
	for _, i := range rippedUp {
		rt.rerouteBranches(&rt.nets[i], rt.hardQuery())
	}
}

// reroute rips up net i and routes it from scratch.
func (rt *router) reroute(i int, q searchQuery) {
	n := &rt.nets[i]
	rt.ripUp(n)
	rt.routeNet(n, q)
	rt.commit(n)
}
