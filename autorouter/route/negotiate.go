package route

import (
	"cmp"
	"slices"

	"slipstick/autorouter/board"
)

// sortOrder puts the nets in the order they are laid: short ones first, which have fewest ways
// round; ties by index. Every other attempt takes the long ones first.
func (rt *router) sortOrder() {
	slices.SortFunc(rt.order, func(i, j int) int {
		a, b := &rt.nets[i], &rt.nets[j]
		return cmp.Or(cmp.Compare(a.span, b.span), cmp.Compare(i, j))
	})
	if rt.opt.Attempt%2 == 1 {
		slices.Reverse(rt.order)
	}
}

func (rt *router) passLimit() int {
	switch rt.opt.Effort {
	case Fast:
		return 6
	case High:
		return 40
	}
	return 12
}

// A via is worth this much track: little while nets still look for any way, more when the ways
// found are polished.
const (
	viaCost   = 2500 * board.Micrometre
	viaPolish = 4000 * board.Micrometre
	haste     = 25 // while ways are sought; polishing takes its time
)

func (rt *router) viaPrice(worth int64) int32 { return int32(worth / rt.grid.step * straight) }

func (rt *router) softQuery(press int64) query {
	return query{press: press, haste: haste, viaCost: rt.viaPrice(viaCost), limit: 1 << 30}
}

func (rt *router) hardQuery() query {
	return query{hard: true, unsure: true, haste: haste, viaCost: rt.viaPrice(viaCost), limit: 200000}
}

// negotiate is the PathFinder loop (McMurchie and Ebeling, "PathFinder: a negotiation-based
// performance-driven router for FPGAs", FPGA 1995): all nets are laid as if alone, at a price for
// coming too near to another; then those in conflict again and again, the price rising and
// every disputed place remembering that it was, until nobody is in conflict or the passes are
// used up.
func (rt *router) negotiate() {
	for k, i := range rt.order {
		rt.relay(i, rt.softQuery(firstPress))
		if rt.cancelled() {
			return
		}
		rt.report(0.3*float64(k)/float64(len(rt.order)), 0)
	}
	rt.bargain(firstPress*3/2, rt.passLimit(), 3, 16)
}

const (
	firstPress = 300 // a conflict costs three times the step it is on
	lastPress  = 2000
)

// lost reports whether a board with so many nets in conflict after a pass will hardly be completed.
// Measured on generated boards of 110 and 150 parts: those that were completed had at most 49 percent
// after pass 1 and 19 after pass 3, those that lacked joins in the end had 60 and 26 at least. On a small
// board a few nets are a large share, and finding out takes little time.
func (rt *router) lost(pass, bad int) bool {
	share := float64(bad) / float64(len(rt.order))
	return len(rt.order) >= 60 && (pass == 1 && share > 0.55 || pass == 3 && share > 0.25)
}

// bargain lays the nets in conflict again, pass after pass; patience is how many passes without
// progress it allows, and raise what a disputed node's history gains each pass.
func (rt *router) bargain(press int64, limit, patience int, raise uint16) {
	fewest, since := len(rt.nets)+1, 0
	for pass := range limit {
		bad := 0
		for _, i := range rt.order {
			if rt.conflicts(&rt.nets[i], raise) > 0 {
				bad++
			}
		}
		rt.report(0.3+0.7*float64(pass)/float64(limit), 1-float64(bad)/float64(max(1, len(rt.order))))
		if bad == 0 {
			return
		}
		if rt.lost(pass, bad) && rt.early() {
			rt.hopeless = bad
			return
		}
		if bad < fewest {
			fewest, since = bad, 0
		} else if since++; since >= patience {
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
				rt.prune(n)
				rt.regrow(n, rt.softQuery(press))
			} else {
				rt.relay(i, rt.softQuery(press)) // all of it, for another tree
			}
			if rt.cancelled() {
				rt.lift(n)
				rt.putBack(n, old)
				return
			}
		}
		press = min(press*3/2, lastPress)
	}
}

// settle makes the result lawful and then tries to complete it.
func (rt *router) settle() {
	rt.evict()
	for _, i := range rt.order {
		if rt.nets[i].copper.cover == nil { // the bargaining was stopped before its turn
			rt.relay(i, rt.hardQuery())
		}
	}
	rt.insist(0, 1)
}

// evict takes up what is in conflict, of the most disputed nets first, until nothing is, and lays
// it again with all else as walls.
func (rt *router) evict() {
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
		rt.prune(&rt.nets[worst])
		if !slices.Contains(out, worst) {
			out = append(out, worst)
		}
	}
	slices.Reverse(out)
	for _, i := range out {
		rt.regrow(&rt.nets[i], rt.hardQuery())
	}
}

func (rt *router) relay(i int, q query) {
	n := &rt.nets[i]
	rt.lift(n)
	rt.routeNet(n, q)
	rt.commit(n)
}

func (rt *router) missing() int {
	total := 0
	for _, i := range rt.order {
		total += len(rt.nets[i].copper.missing)
	}
	return total
}

// completion is the share of the joins that stand.
func (rt *router) completion() float64 { return 1 - float64(rt.missing())/float64(rt.joins) }

func (rt *router) save() []wired {
	saved := make([]wired, len(rt.nets))
	for k := range rt.nets {
		saved[k] = rt.nets[k].copper
	}
	return saved
}

// restore puts back saved copper; records with the same cover are left alone.
func (rt *router) restore(saved []wired) {
	for k := range saved {
		n := &rt.nets[k]
		if sameCover(n.copper.cover, saved[k].cover) {
			continue
		}
		rt.lift(n)
		rt.putBack(n, saved[k])
	}
}

func sameCover(a, b [][]run) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
