package route

import (
	"cmp"
	"slices"

	"slipstick/autorouter/board"
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

// Cost of a via as length of track [nm], while nets are routed and when they are refined, and the
// weight of the A* heuristic above admissible [%]; refinement uses 0.
const (
	viaCostRoute  = 2500 * board.Micrometre // -
	viaCostRefine = 4000 * board.Micrometre
	astarFactor   = 25
)

func (rt *router) viaCost(worth int64) int32 { return int32(worth / rt.grid.pitch * straightCost) }

func (rt *router) softQuery(presFac int64) searchQuery {
	return searchQuery{presFac: presFac, astarFactor: astarFactor, viaCost: rt.viaCost(viaCostRoute), maxNodes: 1 << 30}
}

func (rt *router) hardQuery() searchQuery {
	return searchQuery{hard: true, mayFail: true, astarFactor: astarFactor, viaCost: rt.viaCost(viaCostRoute), maxNodes: 200000}
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
	rt.iterate(initialPresFac*3/2, rt.maxIterations(), 3, 16)
}

// Present cost of a conflict, in percent of the step cost (VPR initial_pres_fac, max_pres_fac).
const (
	initialPresFac = 300
	maxPresFac     = 2000
)

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
		rt.report(0.3+0.7*float64(pass)/float64(limit), 1-float64(conflicting)/float64(max(1, len(rt.order))))
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

// legalize removes all conflicts and then tries to complete the nets.
func (rt *router) legalize() {
	rt.ripUpConflicts()
	for _, i := range rt.order {
		if rt.nets[i].copper.occupied == nil { // negotiation ended before its turn
			rt.reroute(i, rt.hardQuery())
		}
	}
	rt.ripUpAndReroute(0, 1)
}

// ripUpConflicts rips up conflicting branches, of the net with the most conflicts first, until
// there is no conflict. It reroutes those nets with all other copper as walls.
func (rt *router) ripUpConflicts() {
	var out []int
	for {
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

func (rt *router) openCount() int {
	total := 0
	for _, i := range rt.order {
		total += len(rt.nets[i].copper.open)
	}
	return total
}

// completion is the share of the connections that are made.
func (rt *router) completion() float64 { return 1 - float64(rt.openCount())/float64(rt.connections) }

func (rt *router) snapshot() []netRoute {
	saved := make([]netRoute, len(rt.nets))
	for k := range rt.nets {
		saved[k] = rt.nets[k].copper
	}
	return saved
}

// restoreAll puts a snapshot back; nets with unchanged occupancy are skipped.
func (rt *router) restoreAll(saved []netRoute) {
	for k := range saved {
		n := &rt.nets[k]
		if sameOccupied(n.copper.occupied, saved[k].occupied) {
			continue
		}
		rt.ripUp(n)
		rt.restoreRoute(n, saved[k])
	}
}

func sameOccupied(a, b [][]span) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
