package route

import (
	"cmp"
	"slices"
)

// sortNets orders the nets by half perimeter: short nets first, as they have the fewest detours;
// ties by index. Odd attempts reverse the order.
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
	switch rt.opt.Effort {
	case Fast:
		return 6
	case High:
		return 40
	}
	return 12
}

// negotiate is the PathFinder loop (McMurchie and Ebeling, "PathFinder: a negotiation-based
// performance-driven router for FPGAs", FPGA 1995). All nets are routed at a price for shared
// nodes. Those in conflict are rerouted while the present cost rises and shared nodes gain history
// cost, until there is no conflict or the iterations are used up.
func (rt *router) negotiate() {
	for k, i := range rt.order {
		rt.reroute(i, rt.softQuery(initialPresFac))
		if rt.cancelled() {
			return
		}
		rt.report(0.3*float64(k)/float64(len(rt.order)), 0)
	}
	rt.iterate(initialPresFac*3/2, rt.maxIterations(), negotiationPatience, histFacNegotiate)
}

// predictUnroutable predicts from the conflicting nets after an iteration that routing will not
// complete. Measured on generated boards of 110 and 150 parts: complete ones had at most 49 % after
// iteration 1 and 19 % after iteration 3, incomplete ones at least 60 % and 26 %. Small boards are
// exempt: a few nets are a large share there, and routing takes little time.
func (rt *router) predictUnroutable(pass, conflicting int) bool {
	share := float64(conflicting) / float64(len(rt.order))
	return len(rt.order) >= 60 && (pass == 1 && share > 0.55 || pass == 3 && share > 0.25)
}

// iterate reroutes the nets in conflict, pass after pass. patience is the number of passes without
// progress that it allows; histFac is added to the history cost of a shared node per pass.
func (rt *router) iterate(presFac int64, limit, patience int, histFac uint16) {
	fewest, stale := len(rt.nets)+1, 0
	for pass := range limit {
		conflicting := 0
		for _, i := range rt.order {
			if rt.conflicts(&rt.nets[i], histFac) > 0 {
				conflicting++
			}
		}
		rt.report(0.3+0.7*float64(pass)/float64(limit),
			1-float64(conflicting)/float64(max(1, len(rt.order))))
		if conflicting == 0 {
			return
		}
		if rt.predictUnroutable(pass, conflicting) && rt.mayAbandon() {
			rt.abandonedOpens = conflicting
			return
		}
		if conflicting < fewest {
			fewest, stale = conflicting, 0
		} else if stale++; stale >= patience {
			return
		}
		rt.passes++
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
				rt.reroute(i, rt.softQuery(presFac)) // whole nets, for another tree
			}
			if rt.cancelled() {
				rt.ripUp(n)
				rt.restoreRoute(n, old)
				return
			}
		}
		presFac = min(presFac*3/2, maxPresFac)
	}
}

// ripUpConflicts rips up conflicting branches, of the net with the most conflicts first, until
// there is no conflict. It reroutes those nets with all other copper as walls.
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
