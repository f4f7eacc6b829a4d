package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

// bondGround pours, looks which ground pads the copper joins, and lays tracks and vias between
// what is apart, until it is one or nothing more can be done. With force other nets give way, which
// undoes their finish. The last pour is kept.
func (rt *router) bondGround(force bool) {
	b := rt.board
	if rt.poured == 0 {
		return
	}
	n := &rt.nets[b.Rules.GroundNet]
	if len(n.terms) == 0 {
		return
	}
	const rounds, tries = 6, 3
	failed := map[[2]int]int{}
	for round := range rounds {
		rt.writeCopper()
		if !rt.look() {
			return
		}
		res := rt.pour
		n.copper.missing = nil
		if len(res.Islands) < 2 {
			return
		}
		laid := false
		for i, island := range res.Islands[1:] {
			pair := rt.closest(n, res.Islands, i+1, island)
			n.copper.missing = append(n.copper.missing, pair)
			if failed[pair] == tries || round == rounds-1 || rt.cancelled() {
				continue
			}
			if rt.bond(n, &res, i+1, pair, force) {
				laid = true
			} else {
				failed[pair]++ // what was in dispute is dearer the next time
			}
		}
		rt.report(float64(round+1)/rounds, rt.completion())
		if !laid && (!force || round+1 >= tries) {
			return
		}
	}
}

// look pours the copper on the board, and reports whether it came to an end.
func (rt *router) look() bool {
	rt.pour = pour.Result{}
	var err error
	if rt.ground == nil {
		rt.ground, err = pour.NewSession(rt.ctx, rt.board)
		if err == nil {
			rt.ground.Meter = rt.opt.Meter
		}
	}
	if err == nil {
		rt.pour, err = rt.ground.Probe(rt.ctx)
	}
	rt.stopped = rt.stopped || err != nil
	return err == nil
}

func (n *netState) terminalOf(p pour.Pin) int {
	for i := range n.terms {
		if n.terms[i].part == p.Part && n.terms[i].pad == p.Pad {
			return i
		}
	}
	return -1
}

// closest finds the nearest terminals between one island and all others: outside, then inside.
func (rt *router) closest(n *netState, islands [][]pour.Pin, own int, island []pour.Pin) [2]int {
	best, pair := math.Inf(1), [2]int{0, 0}
	for k, other := range islands {
		if k == own {
			continue
		}
		for _, p := range other {
			for _, q := range island {
				i, j := n.terminalOf(p), n.terminalOf(q)
				if d := board.Distance(n.terms[i].at, n.terms[j].at); d < best {
					best, pair = d, [2]int{i, j}
				}
			}
		}
	}
	return pair
}

// bond lays one join, from anywhere on an island's copper to anywhere on that of the others:
// between the other nets if there is a way, else, with force, by making them move.
func (rt *router) bond(n *netState, res *pour.Result, own int, pair [2]int, force bool) bool {
	ends := func(q *query) {
		q.anyGoal = true
		q.limit = 400000
		for i, island := range res.Islands {
			for _, p := range island {
				for _, a := range n.terms[n.terminalOf(p)].access {
					if i == own {
						rt.seed(q, a.node)
					} else {
						rt.markGoal(a.node)
					}
				}
			}
		}
		g := &rt.grid
		for layer := board.Top; layer <= board.Bottom; layer++ {
			res.IslandNodes(layer, g.min, g.step, g.w, g.h, func(i, j, island int) {
				node := int32(int(layer)*g.size + j*g.w + i)
				if island != own {
					rt.markGoal(node)
				} else if rt.usable(n, node) {
					rt.seed(q, node)
				}
			})
		}
	}
	if rt.tie(n, rt.hardQuery(), ends) {
		return true
	}
	if !force {
		return false
	}
	saved, before := rt.save(), rt.missing()
	kept := func() bool { return rt.missing() <= before && rt.conflicts(n, 0) == 0 && !rt.cancelled() }
	if rt.tieThrough(n, before, ends) && kept() {
		return true
	}
	rt.restore(saved)
	// The others did not give way: let the join itself be negotiated, from pad to pad.
	known := n.copper.missing
	n.extra = append(n.extra, pair)
	rt.giveWay(n.index, insistence[0])
	if rt.missing() > before {
		rt.insist(before, bondHurry)
	}
	if n.copper.missing == nil {
		n.copper.missing = known // for the count alone: the next pour tells
		if kept() {
			return true
		}
	}
	n.extra = n.extra[:len(n.extra)-1]
	rt.restore(saved)
	return false
}

// bondHurry is by how much less than for a join of their own the other nets are pressed for the sake of
// one join of the ground, of which there may be many.
const bondHurry = 5

// tie adds a track between two ends to what a net has.
func (rt *router) tie(n *netState, q query, ends func(*query)) bool {
	q.net, q.own = n, int16(n.index)
	rt.markNeck(n)
	rt.begin()
	ends(&q)
	end, ok := rt.search(&q)
	if ok {
		rt.lift(n)
		rt.lay(n, end)
		rt.commit(n)
	}
	return ok
}

// tieThrough adds a track through the other nets and makes these move; before is how many joins
// may be missing afterwards.
func (rt *router) tieThrough(n *netState, before int, ends func(*query)) bool {
	if !rt.tie(n, rt.softQuery(insistence[0]), ends) {
		return false
	}
	rt.frozen = n.index
	rt.makeRoom(n.index)
	if rt.missing() > before {
		rt.insist(before, bondHurry)
	}
	rt.frozen = board.NoNet
	return true
}

// finishWhole finishes the tracks and pours. Straightening moves tracks, which can cut the pour in
// two where it was one; then what came apart gets a track of its own on the grid, which the
// finish keeps, and everything is finished again.
func (rt *router) finishWhole() {
	const rounds = 4
	whole := rt.poured != 0 && len(rt.nets[rt.board.Rules.GroundNet].copper.missing) == 0
	for round := range rounds {
		saved := rt.save()
		rt.finish(rt.order)
		rt.bondGround(false)
		if rt.poured == 0 || rt.cancelled() {
			return
		}
		n := &rt.nets[rt.board.Rules.GroundNet]
		apart := n.copper.missing
		switch {
		case len(apart) == 0:
			return
		case round == rounds-1 && whole:
			rt.restore(saved)
			rt.finishSome(n)
			return
		case round == rounds-1:
			return
		}
		finished := rt.save()
		rt.restore(saved)
		n.copper.missing = nil
		tied := false
		for _, pair := range apart {
			at, before := rt.save(), rt.missing()
			ends := func(q *query) {
				q.goalBox = noBox
				for _, a := range n.terms[pair[0]].access {
					rt.addGoal(q, a.node)
				}
				for _, a := range n.terms[pair[1]].access {
					rt.seed(q, a.node)
				}
			}
			ok := rt.tie(n, rt.hardQuery(), ends) || rt.tieThrough(n, before, ends)
			if ok && rt.missing() <= before && rt.conflicts(n, 0) == 0 && !rt.cancelled() {
				tied = true
			} else {
				rt.restore(at)
			}
		}
		if !tied {
			if whole {
				rt.finishSome(n)
				return
			}
			rt.restore(finished)
			rt.bondGround(false)
			return
		}
	}
}

// finishSome finishes the nets but those that would cut the pour, which is whole before. Groups of nets
// are tried together; one that cuts it is tried again by halves.
func (rt *router) finishSome(n *netState) {
	const groups = 8
	var todo [][]int
	for k := range groups {
		var nets []int
		for i := k; i < len(rt.order); i += groups {
			nets = append(nets, rt.order[i])
		}
		todo = append(todo, nets)
	}
	whole := true
	for len(todo) > 0 {
		nets := todo[0]
		todo = todo[1:]
		if len(nets) == 0 {
			continue
		}
		saved := rt.save()
		rt.finish(nets)
		rt.bondGround(false)
		if rt.cancelled() {
			return
		}
		if whole = len(n.copper.missing) == 0; whole {
			continue
		}
		rt.restore(saved)
		if half := len(nets) / 2; half > 0 {
			todo = append([][]int{nets[:half], nets[half:]}, todo...)
		}
	}
	if !whole {
		rt.bondGround(false)
	}
}
