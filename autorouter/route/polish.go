package route

import (
	"cmp"
	"math"
	"slices"
)

// polish lays every net once more with the others as walls and keeps the better: a net that
// dodged a rival which has since moved away goes straight again.
func (rt *router) polish() {
	rounds := map[Effort]int{Fast: 1, Normal: 2, High: 4}[rt.opt.Effort]
	for round := range rounds {
		total, gained := 0.0, 0.0
		for k, i := range rt.order {
			if rt.cancelled() {
				return
			}
			n := &rt.nets[i]
			if n.straight() {
				continue
			}
			old := n.copper
			q := rt.hardQuery()
			q.viaCost, q.unsure, q.haste = rt.viaPrice(viaPolish), len(old.missing) > 0, 0
			rt.relay(i, q)
			total += old.worth()
			if gain := old.worth() - n.copper.worth(); gain < 1e3 || rt.cancelled() || rt.conflicts(n, 0) > 0 {
				rt.lift(n)
				rt.putBack(n, old)
			} else {
				gained += gain
			}
			rt.report((float64(round)+float64(k)/float64(len(rt.order)))/float64(rounds), rt.completion())
		}
		gained += rt.unwind()
		if gained < total/200 {
			return
		}
	}
}

// worth is what copper costs: its length [nm], with the vias and what is missing.
func (w *wired) worth() float64 {
	return w.length + float64(viaPolish)*float64(len(w.vias)) + 1e9*float64(len(w.missing))
}

// unwind lets the nets that go the longest ways round through, at the expense of those that force
// them to, where that makes the whole shorter. It returns by how much.
func (rt *router) unwind() float64 {
	total := func() float64 {
		sum := 0.0
		for _, i := range rt.order {
			sum += rt.nets[i].copper.worth()
		}
		return sum
	}
	var worst []int
	excess := make([]float64, len(rt.nets))
	for _, i := range rt.order {
		n := &rt.nets[i]
		excess[i] = n.copper.worth() - 1.2*n.tree
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
		saved := rt.save()
		rt.giveWay(i, insistence[1])
		if after := total(); after < now-1e4 && !rt.cancelled() {
			now = after
		} else {
			rt.restore(saved)
		}
	}
	return start - now
}

// straight reports whether a net cannot be shortened to speak of: two pads, on one layer, hardly
// farther than 45-degree tracks make it.
func (n *netState) straight() bool {
	if len(n.terms) != 2 || len(n.copper.vias) > 0 || len(n.copper.missing) > 0 {
		return false
	}
	d := n.terms[0].at.Sub(n.terms[1].at)
	x, y := float64(abs(d.X)), float64(abs(d.Y))
	return n.copper.length < 1.02*(max(x, y)+(math.Sqrt2-1)*min(x, y))
}
