package route

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// viaReduction is the state of the reduction of vias.
type viaReduction struct {
	rt       *router
	maxNodes int                 // limit of nodesExpanded
	cost     float64             // cost of the board [nm]
	changed  []board.Rect        // bounds of the nets that changed, before and after each change
	failed   map[branchTrial]int // length of changed at the failure of a trial
}

// branchTrial is a reroute of a branch of a net at the present cost presFac [% of the step cost].
// With rerouteAll it reroutes all branches.
type branchTrial struct {
	net, branch int
	presFac     int64
}

// rerouteAll stands for all branches of a net.
const rerouteAll = -1

// reduceVias removes vias by rip-up and reroute. It reroutes each net with vias through one other
// net at a time, and then each branch with vias. It then reroutes the net in its way. It keeps the
// result if the cost of the board decreases, where a via costs as much as in refinement. Refinement
// alone cannot move a track that forces several other nets to the other layer.
//
// The function ends when a round at each present cost brings no decrease. It expands at most a
// fraction of the nodes that the run has expanded before.
func (rt *router) reduceVias() {
	if rt.opt.LongNegotiation {
		return // the negotiation may have taken most of the time limit
	}
	share := viaShare
	switch {
	case len(rt.pours) == 0:
		share = bareViaShare
	case rt.opt.Effort == Fast:
		share /= 2
	}
	rt.reducingVias = true
	defer func() { rt.reducingVias = false }()
	r := &viaReduction{rt: rt, cost: rt.totalCost(), failed: map[branchTrial]int{},
		maxNodes: rt.nodesExpanded + int(share*float64(rt.nodesExpanded))}
	for before := math.Inf(1); r.cost < before && !r.ended(); {
		before = r.cost
		for _, presFac := range viaReductionCosts() {
			r.round(presFac)
		}
	}
}

// ended reports whether the phase has ended or the limit of nodes is reached.
func (r *viaReduction) ended() bool { return r.rt.cancelled() || r.rt.nodesExpanded > r.maxNodes }

// round tries each net and each branch at the present cost presFac [% of the step cost].
func (r *viaReduction) round(presFac int64) {
	for _, i := range r.rt.order {
		n := &r.rt.nets[i]
		if n.pour != nil || len(n.copper.open) > 0 {
			continue
		}
		for a := rerouteAll; a < len(n.copper.branches) && !r.ended(); a++ {
			if t := (branchTrial{i, a, presFac}); n.mayLoseVias(a) && !r.failsAgain(t) {
				r.try(t)
			}
		}
	}
}

// failsAgain reports whether a trial has failed before and no net near it has changed since.
func (r *viaReduction) failsAgain(t branchTrial) bool {
	since, ok := r.failed[t]
	if !ok {
		return false
	}
	n := &r.rt.nets[t.net]
	near := n.bounds(&n.copper).Grown(rerouteReach)
	return !slices.ContainsFunc(r.changed[since:], near.Overlaps)
}

// try makes a trial and restores all nets unless the cost of the board falls.
func (r *viaReduction) try(t branchTrial) {
	rt, saved := r.rt, r.rt.snapshot()
	if !r.isCheaper(t) {
		rt.restoreAll(saved)
		r.failed[t] = len(r.changed)
		return
	}
	r.cost = rt.totalCost()
	for k := range saved {
		n := &rt.nets[k]
		if !sameOccupied(n.copper.occupied, saved[k].occupied) {
			r.changed = append(r.changed, n.bounds(&saved[k]), n.bounds(&n.copper))
		}
	}
}

// mayLoseVias reports whether a reroute of branch a may remove vias. In a net with one branch, the
// branch is the same as rerouteAll.
func (n *netState) mayLoseVias(a int) bool {
	w := &n.copper
	if a == rerouteAll {
		return len(w.vias) > 0
	}
	return len(w.branches) > 1 && w.branchEnd(a).vias > w.branches[a].vias
}

// bounds returns the bounds of the terminals of a net and of the copper w.
func (n *netState) bounds(w *netRoute) board.Rect {
	points := make(board.Polygon, 0, len(n.terms)+2*len(w.segments))
	for i := range n.terms {
		points = append(points, n.terms[i].at)
	}
	for _, s := range w.segments {
		points = append(points, s.a, s.b)
	}
	return points.Bounds()
}

// isCheaper reroutes a branch through the other nets, and then the blocking nets. It reports
// whether the cost of the board falls.
func (r *viaReduction) isCheaper(t branchTrial) bool {
	rt, n := r.rt, &r.rt.nets[t.net]
	opens, before := rt.openCount(), rt.cost(&n.copper)
	q := rt.softQuery(t.presFac)
	q.astarFactor = 0
	if t.branch == rerouteAll {
		rt.reroute(t.net, q)
	} else {
		rt.ripUp(n)
		n.copper = n.copper.filterBranches(func(b int) bool { return b != t.branch })
		rt.commit(n)
		rt.rerouteBranches(n, q)
	}
	if rt.cost(&n.copper) >= before-minReduction || !r.rerouteBlockers(t.net) {
		return false
	}
	rt.ripUpConflicts()
	return rt.totalCost() < r.cost-minReduction && rt.openCount() <= opens && !rt.cancelled()
}

// rerouteBlockers negotiates the conflicts of net i, which itself stays. It reports false if more
// than maxBlockers nets are in conflict with it, or if the board does not get cheaper.
func (r *viaReduction) rerouteBlockers(i int) bool {
	rt, presFac := r.rt, presentCosts()[0]
	for iteration := range blockerIterations {
		var blockers []int
		for _, k := range rt.order {
			if k != i && rt.penalizeConflicts(&rt.nets[k], histFacNegotiate) > 0 {
				blockers = append(blockers, k)
			}
		}
		if iteration == 0 && len(blockers) > maxBlockers {
			return false
		}
		for _, k := range blockers {
			n := &rt.nets[k]
			if rt.countConflicts(n) == 0 {
				continue
			}
			rt.ripUpConflictingBranches(n)
			rt.rerouteBranches(n, rt.softQuery(presFac))
			if rt.totalCost() > r.cost-minReduction || rt.cancelled() {
				return false
			}
		}
		presFac *= 2
	}
	return true
}
