package route

import (
	"cmp"
	"slices"
)

// refine reroutes every net with the other nets as obstacles and keeps the better route. The first
// route may have avoided copper that has moved since.
func (rt *router) refine() {
	rounds := map[Effort]int{Fast: 1, Normal: 2, High: 4}[rt.opt.Effort]
	if rt.opt.Congested && rt.opt.Effort == Normal {
		rounds = congestedRefineRounds
	}
	for round := range rounds {
		total, gained := 0.0, 0.0
		for k, i := range rt.order {
			if rt.cancelled() {
				return
			}
			n := &rt.nets[i]
			if n.isDirect() {
				continue
			}
			old := n.copper
			q := rt.hardQuery()
			q.viaCost = rt.viaCost(rt.refineViaCost())
			q.mayFail, q.astarFactor = len(old.open) > 0, 0
			rt.reroute(i, q)
			total += rt.cost(&old)
			if gain := rt.cost(&old) - rt.cost(&n.copper); gain < 1e3 || rt.cancelled() ||
				rt.countConflicts(n) > 0 {
				rt.ripUp(n)
				rt.restoreRoute(n, old)
			} else {
				gained += gain
			}
			rt.report((float64(round)+float64(k)/float64(len(rt.order)))/float64(rounds),
				rt.completion())
		}
		gained += rt.removeDetours()
		if gained < total*minGain {
			return
		}
	}
}

// removeDetours reroutes the nets with the longest detours through the nets that cause them. It
// keeps the result if the total cost decreases, and returns the decrease [nm].
func (rt *router) removeDetours() float64 {
	var worst []int
	excess := make([]float64, len(rt.nets))
	for _, i := range rt.order {
		n := &rt.nets[i]
		excess[i] = rt.cost(&n.copper) - detourRatio*n.mstLength
		if n.pour == nil && excess[i] > minDetour {
			worst = append(worst, i)
		}
	}
	slices.SortStableFunc(worst, func(i, j int) int { return cmp.Compare(excess[j], excess[i]) })
	start := rt.totalCost()
	now := start
	for _, i := range worst[:min(len(worst), 2+len(rt.order)/24)] {
		if rt.cancelled() {
			break
		}
		saved := rt.snapshot()
		rt.rerouteThrough(i, presentCosts()[1])
		if after := rt.totalCost(); after < now-1e4 && !rt.cancelled() {
			now = after
		} else {
			rt.restoreAll(saved)
		}
	}
	return start - now
}
