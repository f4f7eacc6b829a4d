package route

// reduceVias removes vias by rip-up and reroute. It reroutes each net with vias, and then each
// branch with vias, through one other net at a time, and reroutes the net in its way. It keeps the
// result if the cost of the board decreases, where a via costs as much as in refinement. Refinement
// alone cannot move a track that forces several other nets to the other layer.
//
// The function expands at most a fraction of the nodes that the run has expanded before.
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
	limit := rt.nodesExpanded + int(share*float64(rt.nodesExpanded))
	ended := func() bool { return rt.cancelled() || rt.nodesExpanded > limit }
	rt.reducingVias = true
	defer func() { rt.reducingVias = false }()
	costs, now := viaReductionCosts(), rt.totalCost()
	for round := 0; !ended(); round++ {
		before := now
		for _, i := range rt.order {
			n := &rt.nets[i]
			if n.pour != nil || len(n.copper.open) > 0 {
				continue
			}
			for a := rerouteAll; a < len(n.copper.branches) && !ended(); a++ {
				if n.mayLoseVias(a) {
					now = rt.tryFewerVias(i, a, costs[round%len(costs)], now)
				}
			}
		}
		if round%len(costs) == len(costs)-1 && before-now <= before*minGain {
			return
		}
	}
}

// rerouteAll stands for all branches of a net.
const rerouteAll = -1

// mayLoseVias reports whether a reroute of branch a may remove vias. In a net with one branch, the
// branch is the same as rerouteAll.
func (n *netState) mayLoseVias(a int) bool {
	w := &n.copper
	if a == rerouteAll {
		return len(w.vias) > 0
	}
	return len(w.branches) > 1 && w.branchEnd(a).vias > w.branches[a].vias
}

// tryFewerVias reroutes branch a of net i through the other nets, at the present cost presFac [% of
// the step cost], and then the nets in its way. It restores all nets unless the cost of the board
// falls below best, and returns the cost [nm].
func (rt *router) tryFewerVias(i, a int, presFac int64, best float64) float64 {
	n := &rt.nets[i]
	saved, opens, before := rt.snapshot(), rt.openCount(), rt.cost(&n.copper)
	q := rt.softQuery(presFac)
	q.astarFactor = 0
	if a == rerouteAll {
		rt.reroute(i, q)
	} else {
		rt.ripUp(n)
		n.copper = n.copper.filterBranches(func(b int) bool { return b != a })
		rt.commit(n)
		rt.rerouteBranches(n, q)
	}
	if rt.cost(&n.copper) < before-minReduction && rt.rerouteBlockers(i, best) {
		rt.ripUpConflicts()
		if now := rt.totalCost(); now < best-minReduction && rt.openCount() <= opens &&
			!rt.cancelled() {
			return now
		}
	}
	rt.restoreAll(saved)
	return best
}

// rerouteBlockers negotiates the conflicts of net i, which itself stays. It reports false if more
// than maxBlockers nets are in conflict with it, or if the cost of the board reaches best [nm].
func (rt *router) rerouteBlockers(i int, best float64) bool {
	presFac := presentCosts()[0]
	for pass := range blockerPasses {
		var blockers []int
		for _, k := range rt.order {
			if k != i && rt.conflicts(&rt.nets[k], histFacNegotiate) > 0 {
				blockers = append(blockers, k)
			}
		}
		if pass == 0 && len(blockers) > maxBlockers {
			return false
		}
		for _, k := range blockers {
			n := &rt.nets[k]
			if rt.conflicts(n, 0) == 0 {
				continue
			}
			rt.ripUpConflictingBranches(n)
			rt.rerouteBranches(n, rt.softQuery(presFac))
			if rt.totalCost() > best-minReduction || rt.cancelled() {
				return false
			}
		}
		presFac *= 2
	}
	return true
}
