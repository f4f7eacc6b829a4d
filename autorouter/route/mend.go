package route

import (
	"slices"

	"slipstick/autorouter/board"
)

// arm is what one search laid: where it begins in the lists of its net's copper, and which part
// of the net it belongs to while the net is put together again.
type arm struct {
	segs, vias, path, drops int
	group                   int
}

// home is the group of arms that belong to the tree that grows.
const home = -1

// ends of the lists of an arm.
func (w *wired) ends(a int) arm {
	if a+1 < len(w.arms) {
		return w.arms[a+1]
	}
	return arm{segs: len(w.segs), vias: len(w.vias), path: len(w.path), drops: len(w.drops)}
}

// way gives the nodes of an arm.
func (w *wired) way(a int) []int32 { return w.path[w.arms[a].path:w.ends(a).path] }

func plain(node int32) int32 {
	if node < 0 {
		return -1 - node
	}
	return node
}

// only is the copper of some of the arms.
func (w *wired) only(keep func(a int) bool) wired {
	var out wired
	for a, from := range w.arms {
		if !keep(a) {
			continue
		}
		to := w.ends(a)
		out.arms = append(out.arms, arm{len(out.segs), len(out.vias), len(out.path), len(out.drops), from.group})
		out.segs = append(out.segs, w.segs[from.segs:to.segs]...)
		out.vias = append(out.vias, w.vias[from.vias:to.vias]...)
		out.path = append(out.path, w.path[from.path:to.path]...)
		out.drops = append(out.drops, w.drops[from.drops:to.drops]...)
	}
	return out
}

// prune takes up the arms of a net that are in conflict. Small nets, nets with little left and the
// ground, whose drains lean on each other, are taken up altogether.
func (rt *router) prune(n *netState) {
	var kept wired
	if !n.ground && len(n.terms) > 3 {
		kept = n.copper.only(func(a int) bool {
			to, from := n.copper.ends(a), n.copper.arms[a]
			return rt.disputed(n, n.copper.way(a), n.copper.drops[from.drops:to.drops], 0) == 0
		})
		if 2*len(kept.arms) < len(n.copper.arms) {
			kept = wired{}
		}
	}
	rt.lift(n)
	n.copper = kept
	rt.commit(n)
}

// regrow completes what prune has left of a net.
func (rt *router) regrow(n *netState, q query) {
	rt.lift(n)
	defer func() { rt.commit(n) }()
	if len(n.copper.arms) == 0 {
		rt.routeNet(n, q)
		return
	}
	q.net, q.own = n, int16(n.index)
	rt.markNeck(n)
	whole := make([]int, len(n.terms)) // the groups of the pads alone
	for i := range n.terms {
		whole[i] = n.terms[i].group
	}
	rt.regroup(n)
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
	rt.grow(n, &q, first)
	for i := range n.terms {
		n.terms[i].group = whole[i]
	}
}

// regroup gives terminals and arms that are joined the same group, and drops arms that no terminal
// is on. A terminal is joined to the arms that end at it; arms are joined where they share a node.
func (rt *router) regroup(n *netState) {
	w, terms := &n.copper, len(n.terms)
	f := newForest(terms + len(w.arms))
	for i := range n.terms {
		f.join(i, n.terms[i].group)
	}
	base := rt.epoch + 1
	rt.epoch += uint32(len(w.arms)) + 1
	for a := range w.arms {
		for _, node := range w.way(a) {
			node = plain(node)
			if m := rt.mark[node]; m >= base {
				f.join(terms+int(m-base), terms+a)
			} else {
				rt.mark[node] = base + uint32(a)
			}
		}
	}
	for a := range w.arms {
		way := w.way(a)
		for _, node := range [2]int32{plain(way[0]), plain(way[len(way)-1])} {
			for i := range n.terms {
				if slices.ContainsFunc(n.terms[i].access, func(c access) bool { return c.node == node }) {
					f.join(i, terms+a)
				}
			}
		}
	}
	for a := range w.arms {
		w.arms[a].group = f.root(terms + a)
	}
	*w = w.only(func(a int) bool { return w.arms[a].group < terms })
	for i := range n.terms {
		n.terms[i].group = f.root(i)
	}
}

// distinct is the copper with every track and via once: arms that meet at a pad or a via each
// have their own. It is no longer divided into arms.
func (w *wired) distinct() wired {
	out := *w
	out.arms, out.segs, out.vias = nil, nil, nil
	seen, drilled := map[seg]bool{}, map[board.Point]bool{}
	for _, s := range w.segs {
		if !seen[s] {
			seen[s] = true
			out.segs = append(out.segs, s)
		}
	}
	for _, v := range w.vias {
		if !drilled[v] {
			drilled[v] = true
			out.vias = append(out.vias, v)
		}
	}
	return out
}
