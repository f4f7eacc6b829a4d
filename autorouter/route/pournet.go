package route

// routePouredNet gives every surface-mount pad outside the poured layers a short track and a via.
// It also adds the connections that a pour probe requested. Through-hole pads and pads on a poured
// layer are left to the pour.
func (rt *router) routePouredNet(n *netState, q *searchQuery) {
	done := make([]bool, len(n.terms))
	needsVia := func(group int) bool {
		for i := range n.terms {
			if n.terms[i].group == group && n.terms[i].layers&n.pour.layers != 0 {
				return false
			}
		}
		return true
	}
	for i := range n.terms {
		if g := n.terms[i].group; !needsVia(g) {
			rt.addToTree(n, done, g)
		}
	}
	for i := range n.terms {
		if done[i] {
			continue
		}
		if rt.cancelled() || !rt.connectToPour(n, q, i, done) {
			n.copper.open = append(n.copper.open, [2]int{-1, i})
		}
		rt.addToTree(n, done, n.terms[i].group)
	}
	for _, e := range n.extraConnections {
		joined := make([]bool, len(n.terms))
		joined[e[0]] = true
		between := *q
		between.padsOnly = true
		if rt.cancelled() || !rt.connectSink(n, &between, joined, e[1]) {
			n.copper.open = append(n.copper.open, e)
		}
	}
}

// connectToPour routes the terminal with index at to a new via into the pour, or to copper that
// already has a via. It reports whether it found a path.
func (rt *router) connectToPour(n *netState, q *searchQuery, at int, done []bool) bool {
	rt.beginSearch()
	d := *q
	d.unguided, d.toPour = true, true
	d.maxNodes = min(q.maxNodes, maxNodesPour)
	d.goalBox = emptyBox
	for i := range n.terms {
		if done[i] {
			rt.eachAccess(&d, &n.terms[i], func(node int32) { rt.addGoal(&d, node) })
		}
	}
	for _, node := range n.copper.nodes {
		rt.addGoal(&d, nodeOf(node))
	}
	for i := range n.terms {
		if n.terms[i].group == n.terms[at].group {
			rt.eachAccess(&d, &n.terms[i], func(node int32) { rt.addSource(&d, node) })
		}
	}
	end, ok := rt.search(&d)
	if ok {
		rt.traceback(n, end)
	}
	return ok
}
