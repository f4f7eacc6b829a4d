package route

import (
	"cmp"
	"slices"
)

// sortNets orders the nets by half perimeter, then by index. Short nets come first because they
// allow the fewest detours. Odd attempts reverse the order.
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

// negotiate implements the PathFinder loop (McMurchie and Ebeling, "PathFinder: a negotiation-based
// performance-driven router for FPGAs", FPGA 1995). All nets are first routed with a cost for
// shared nodes. Conflicting nets are then rerouted while the present cost rises and shared nodes
// accumulate history cost. The loop ends when no conflict remains, when progress stops, or at the
// iteration limit.
func (rt *router) negotiate() {
	for k, i := range rt.order {
		rt.reroute(i, rt.softQuery(initialPresFac))
		if rt.cancelled() {
			return
		}
		rt.report(0.3*float64(k)/float64(len(rt.order)), 0)
	}
	if rt.opt.Provisional && rt.openCount() > 0 {
		rt.abandonedOpens = rt.openCount()
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

// predictUnroutable predicts, from the number of conflicting nets after an iteration, that routing
// will not complete. The thresholds were measured on generated boards of 110 and 150 parts. Boards
// that completed had at most 49 % conflicting nets after iteration 1 and 19 % after iteration 3;
// the others had at least 60 % and 26 %. Small boards are exempt, because a few nets are a large
// percentage there and routing takes little time.
func (rt *router) predictUnroutable(pass, conflicting int) bool {
	share := float64(conflicting) / float64(len(rt.order))
	return len(rt.order) >= 60 && (pass == 1 && share > 0.55 || pass == 3 && share > 0.25)
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
	for pass := range limits.iterations {
		conflicting := 0
		for _, i := range rt.order {
			if rt.conflicts(&rt.nets[i], limits.histFac) > 0 {
				conflicting++
			}
		}
		rt.report(0.3+0.7*float64(pass)/float64(limits.iterations),
			1-float64(conflicting)/float64(max(1, len(rt.order))))
		if conflicting == 0 {
			return
		}
		if rt.predictUnroutable(pass, conflicting) && rt.mayAbandon() {
			rt.abandonedOpens = conflicting
			return
		}
		if rt.opt.AbandonConflicts && pass == abandonIteration && len(rt.order) >= 60 &&
			float64(conflicting) > abandonShare*float64(len(rt.order)) {
			rt.abandonedOpens, rt.hasConflicts = conflicting, true
			return
		}
		if rt.opt.Provisional && pass == provisionalIterations && len(rt.order) >= 60 &&
			float64(conflicting) > maxConflictShare*float64(len(rt.order)) {
			rt.abandonedOpens, rt.hasConflicts = conflicting, true
			return
		}
		if conflicting < fewest {
			fewest, stale = conflicting, 0
		} else if stale++; stale >= limits.patience {
			return
		}
		rt.passes++
		if passes := islandPasses(); rt.requestIslands != nil && slices.Contains(passes[:], pass) {
			rt.requestIslands(presFac)
		}
		for _, i := range rt.order {
			n := &rt.nets[i]
			if i == rt.frozen || rt.conflicts(n, 0) == 0 {
				continue
			}
			old := n.copper
			if pass%4 < 3 {
				rt.ripUpConflictingBranches(n)
				rt.rerouteBranches(n, rt.softQuery(presFac))
			} else {
				// Every fourth pass reroutes complete nets to find a different tree.
				rt.reroute(i, rt.softQuery(presFac))
			}
			if rt.cancelled() {
				rt.ripUp(n)
				rt.restoreRoute(n, old)
				return
			}
		}
		presFac = min(presFac*3/2, limits.maxPresFac)
	}
}

// ripUpConflicts rips up conflicting branches, starting with the net that has the most conflicts,
// until no conflict remains. It then reroutes those nets with all other copper as obstacles.
func (rt *router) ripUpConflicts() {
	var out []int
	for !rt.ended() {
		worst, most := -1, 0
		for _, i := range rt.order {
			if c := rt.conflicts(&rt.nets[i], 0); c > most && i != rt.frozen {
				worst, most = i, c
			}
		}
		if worst < 0 {
			break
		}
		rt.ripUpConflictingBranches(&rt.nets[worst])
		if !slices.Contains(out, worst) {
			out = append(out, worst)
		}
	}
	slices.Reverse(out)
	for _, i := range out {
		rt.rerouteBranches(&rt.nets[i], rt.hardQuery())
	}
}

func (rt *router) reroute(i int, q searchQuery) {
	n := &rt.nets[i]
	rt.ripUp(n)
	rt.routeNet(n, q)
	rt.commit(n)
}
