package route

import (
	"cmp"
	"math"
	"slices"
)

// refine reroutes every net with the others as walls and keeps the better route: a net may have
// avoided copper that has since moved.
func (rt *router) refine() {
	rounds := map[Effort]int{Fast: 1, Normal: 2, High: 4}[rt.opt.Effort]
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
			q.viaCost, q.mayFail, q.astarFactor = rt.viaCost(viaCostRefine), len(old.open) > 0, 0
			rt.reroute(i, q)
			total += old.cost()
			if gain := old.cost() - n.copper.cost(); gain < 1e3 || rt.cancelled() || rt.conflicts(n, 0) > 0 {
				rt.ripUp(n)
				rt.restoreRoute(n, old)
			} else {
				gained += gain
			}
			rt.report((float64(round)+float64(k)/float64(len(rt.order)))/float64(rounds), rt.completion())
		}
		gained += rt.removeDetours()
		if gained < total/200 {
			return
		}
	}
}

// cost is the length of the copper [nm], with penalties for vias and open connections.
func (w *netRoute) cost() float64 {
	return w.length + float64(viaCostRefine)*float64(len(w.vias)) + 1e9*float64(len(w.open))
}

// removeDetours reroutes the nets with the longest detours through the nets that cause them, where
// that shortens the whole. It returns the decrease of the cost [nm].
func (rt *router) removeDetours() float64 {
	total := func() float64 {
		sum := 0.0
		for _, i := range rt.order {
			sum += rt.nets[i].copper.cost()
		}
		return sum
	}
	var worst []int
	excess := make([]float64, len(rt.nets))
	for _, i := range rt.order {
		n := &rt.nets[i]
		excess[i] = n.copper.cost() - 1.2*n.mstLength
		if !n.ground && excess[i] > 5e6 {
			worst = append(worst, i)
		}
	}
	slices.SortStableFunc(worst, func(i, j int) int { return cmp.Compare(excess[j], excess[i]) })
	start := total()
	now := start
	for _, i := range worst[:min(len(worst), 2+len(rt.order)/24)] {
		if rt.cancelled() {
			break
		}
		saved := rt.snapshot()
		rt.rerouteThrough(i, presentCostSchedule[1])
		if after := total(); after < now-1e4 && !rt.cancelled() {
			now = after
		} else {
			rt.restoreAll(saved)
		}
	}
	return start - now
}

// isDirect reports whether a net cannot be shortened by more than 2 %: two pads on one layer, near
// the length of a 45-degree path.
func (n *netState) isDirect() bool {
	if len(n.terms) != 2 || len(n.copper.vias) > 0 || len(n.copper.open) > 0 {
		return false
	}
	d := n.terms[0].at.Sub(n.terms[1].at)
	x, y := float64(abs(d.X)), float64(abs(d.Y))
	return n.copper.length < 1.02*(max(x, y)+(math.Sqrt2-1)*min(x, y))
}
