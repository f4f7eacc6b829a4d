package route

// routeNet routes a net from scratch. Like Prim's algorithm it grows one tree, always towards the
// pad closest to the tree. Branches start within tracks (Steiner points) where that is shorter.
func (rt *router) routeNet(n *netState, q searchQuery) {
	n.copper = netRoute{}
	q.net, q.netID = n, int16(n.index)
	rt.markNeckNodes(n)
	if n.pour != nil {
		rt.routePouredNet(n, &q)
		return
	}
	if len(n.terms) < 2 {
		return
	}
	rt.growTree(n, &q, n.terms[0].group)
}

// growTree grows a tree from one terminal group to all others.
func (rt *router) growTree(n *netState, q *searchQuery, first int) {
	joined, tried := make([]bool, len(n.terms)), make([]bool, len(n.terms))
	f := newSinkDistances(n)
	f.addGroup(first, len(n.copper.branches))
	rt.addToTree(n, joined, first)
	for {
		target := f.nearest(joined, tried)
		if target < 0 {
			return
		}
		group, arms := n.terms[target].group, len(n.copper.branches)
		if !rt.cancelled() && rt.connectSink(n, q, joined, target) {
			f.addGroup(group, arms)
			rt.addToTree(n, joined, group)
			continue
		}
		for i := range n.terms {
			if n.terms[i].group == group {
				tried[i] = true
			}
		}
		n.copper.open = append(n.copper.open, [2]int{f.nearestPad[target], target})
	}
}
