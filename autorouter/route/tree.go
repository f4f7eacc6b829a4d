package route

import "slices"

// routeNet routes a net from scratch. Like Prim's algorithm it grows one tree, always towards the
// pad closest to the tree. Branches start within tracks (Steiner points) where that is shorter.
// Necks may be longer than shortNeck only if the net stays open otherwise.
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
	if rt.needsLongNecks(n) {
		n.copper = netRoute{longNecks: true}
		rt.markNeckNodes(n)
		rt.growTree(n, &q, n.terms[0].group)
	}
}

// growTree grows a tree from one terminal group to all others. Further trees connect the groups
// that no path reaches with each other, so that one enclosed pad does not leave the whole net open.
// Each further tree adds one open connection to the first tree.
func (rt *router) growTree(n *netState, q *searchQuery, first int) {
	joined := make([]bool, len(n.terms))
	main := rt.growOne(n, q, joined, first)
	for i := range n.terms {
		if joined[i] {
			continue
		}
		n.copper.open = append(n.copper.open, [2]int{main.nearestPad[i], i})
		for a := range n.copper.branches {
			if n.copper.branches[a].group == rootTree {
				n.copper.branches[a].group = finishedTree
			}
		}
		if rt.cancelled() { // no track is left to find
			for k := range n.terms {
				joined[k] = joined[k] || n.terms[k].group == n.terms[i].group
			}
			continue
		}
		rt.growOne(n, q, joined, n.terms[i].group)
	}
}

// growOne grows one tree from a terminal group to those of the other groups that a path reaches.
// joined marks the terminals of the finished trees; growOne adds those of its tree.
func (rt *router) growOne(n *netState, q *searchQuery, joined []bool, first int) *sinkDistances {
	tried, tree := slices.Clone(joined), make([]bool, len(n.terms))
	f := newSinkDistances(n)
	f.addGroup(first, len(n.copper.branches))
	rt.addToTree(n, tree, first)
	for {
		target := f.nearest(tree, tried)
		if target < 0 {
			break
		}
		group, arms := n.terms[target].group, len(n.copper.branches)
		if !rt.cancelled() && rt.connectSink(n, q, tree, target) {
			f.addGroup(group, arms)
			rt.addToTree(n, tree, group)
			continue
		}
		for i := range n.terms {
			if n.terms[i].group == group {
				tried[i] = true
			}
		}
	}
	for i := range tree {
		joined[i] = joined[i] || tree[i]
	}
	return f
}
