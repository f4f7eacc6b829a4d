package route

import (
	"slices"

	"slipstick/autorouter/geom"
)

// ripUpConflictingBranches removes the conflicting branches of a net (Dees and Karger, "Automated
// rip-up and reroute techniques", DAC 1982). Nets with a pour, nets with at most three terminals,
// and nets that would keep less than half of their branches are ripped up completely.
func (rt *router) ripUpConflictingBranches(n *netState) {
	var kept netRoute
	if n.pour == nil && len(n.terms) > 3 {
		kept = n.copper.filterBranches(func(a int) bool {
			to, from := n.copper.branchEnd(a), n.copper.branches[a]
			conflicts := 0
			rt.eachConflict(n, n.copper.nodesOf(a), n.copper.viaNodes[from.viaNodes:to.viaNodes],
				func(int32) { conflicts++ })
			return conflicts == 0
		})
		if 2*len(kept.branches) < len(n.copper.branches) {
			kept = netRoute{}
		}
	}
	rt.ripUp(n)
	n.copper = kept
	rt.commit(n)
}

// rerouteBranches reconnects the terminals and the kept branches of a net after
// ripUpConflictingBranches. The query q configures its searches.
func (rt *router) rerouteBranches(n *netState, q searchQuery) {
	rt.ripUp(n)
	defer func() { rt.commit(n) }()
	if len(n.copper.branches) == 0 {
		rt.routeNet(n, q)
		return
	}
	q.net, q.netID = n, int16(n.index)
	rt.markNeckNodes(n)
	whole := make([]int, len(n.terms)) // terminal groups that disregard routed copper
	for i := range n.terms {
		whole[i] = n.terms[i].group
	}
	rt.rebuildTree(n)
	first, most := 0, 0
	for i := range n.terms {
		size := 0
		for j := range n.terms {
			if n.terms[j].group == n.terms[i].group {
				size++
			}
		}
		if size > most {
			first, most = n.terms[i].group, size
		}
	}
	rt.growTree(n, &q, first)
	for i := range n.terms {
		n.terms[i].group = whole[i]
	}
}

// rebuildTree assigns one group to all terminals and branches that are connected, and drops
// branches without a terminal. A branch connects to a terminal if it ends at an access node of the
// terminal. Two branches connect if they share a node.
func (rt *router) rebuildTree(n *netState) {
	w, terms := &n.copper, len(n.terms)
	f := geom.NewUnionFind(terms + len(w.branches))
	for i := range n.terms {
		f.Union(i, n.terms[i].group)
	}
	base := rt.epoch + 1
	rt.epoch += uint32(len(w.branches)) + 1
	for a := range w.branches {
		for _, node := range w.nodesOf(a) {
			node = nodeOf(node)
			if m := rt.marks[node]; m >= base {
				f.Union(terms+int(m-base), terms+a)
			} else {
				rt.marks[node] = base + uint32(a)
			}
		}
	}
	for a := range w.branches {
		path := w.nodesOf(a)
		for _, node := range [2]int32{nodeOf(path[0]), nodeOf(path[len(path)-1])} {
			for i := range n.terms {
				if slices.ContainsFunc(n.terms[i].access, func(c access) bool {
					return c.node == node
				}) {
					f.Union(i, terms+a)
				}
			}
		}
	}
	for a := range w.branches {
		w.branches[a].group = f.Find(terms + a)
	}
	*w = w.filterBranches(func(a int) bool { return w.branches[a].group < terms })
	for i := range n.terms {
		n.terms[i].group = f.Find(i)
	}
}
