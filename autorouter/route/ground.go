package route

// routeGround gives every surface pad that the pour cannot reach on its own layer a short track
// and a via, and lays the joins that a look at the pour asked for. Through pads and pads on a
// poured layer are left to the pour.
func (rt *router) routeGround(n *netState, q *query) {
	done := make([]bool, len(n.terms))
	needsVia := func(group int) bool {
		for i := range n.terms {
			if n.terms[i].group == group && n.terms[i].layers&rt.poured != 0 {
				return false
			}
		}
		return true
	}
	for i := range n.terms {
		if g := n.terms[i].group; !needsVia(g) {
			rt.join(n, done, g)
		}
	}
	for i := range n.terms {
		if done[i] {
			continue
		}
		if !rt.drain(n, q, i, done) {
			n.copper.missing = append(n.copper.missing, [2]int{-1, i})
		}
		rt.join(n, done, n.terms[i].group)
	}
	for _, e := range n.extra {
		joined := make([]bool, len(n.terms))
		joined[e[0]] = true
		between := *q
		between.fromPads = true
		if !rt.reach(n, &between, joined, e[1]) {
			n.copper.missing = append(n.copper.missing, e)
		}
	}
}

// drain leads one terminal to a via onto the pour or to copper that has one.
func (rt *router) drain(n *netState, q *query, at int, done []bool) bool {
	rt.begin()
	d := *q
	d.anyGoal, d.toPour = true, true
	d.limit = min(q.limit, 60000)
	d.goalBox = noBox
	for i := range n.terms {
		if done[i] {
			for _, a := range n.terms[i].access {
				rt.addGoal(&d, a.node)
			}
		}
	}
	for _, node := range n.copper.path {
		rt.addGoal(&d, plain(node))
	}
	for i := range n.terms {
		if n.terms[i].group == n.terms[at].group {
			for _, a := range n.terms[i].access {
				rt.seed(&d, a.node)
			}
		}
	}
	end, ok := rt.search(&d)
	if ok {
		rt.lay(n, end)
	}
	return ok
}
