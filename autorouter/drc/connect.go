package drc

import (
	"math"

	"slipstick/autorouter/board"
)

// join makes one island of two.
func (s *survey) join(i, j int) {
	i, j = s.island(i), s.island(j)
	s.parent[max(i, j)] = min(i, j)
}

// island is the item that stands for all copper connected with an item. Pads with a plated hole
// and vias are one item on both layers, and so join them.
func (s *survey) island(i int) int {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

// padsByNet lists the pads of every net.
func (s *survey) padsByNet() [][]int {
	pads := make([][]int, len(s.b.Nets))
	for i := range s.items {
		if it := &s.items[i]; it.kind == padItem && it.net != board.NoNet {
			pads[it.net] = append(pads[it.net], i)
		}
	}
	return pads
}

// missingJoins are the connections that would make one island of each net: a minimum spanning
// tree over its islands, so one entry less than there are islands. Copper without a pad is no island
// here; isolated_copper reports it.
func (s *survey) missingJoins() []Join {
	var list []Join
	for net, pads := range s.padsByNet() {
		list = append(list, s.joinsOf(net, pads)...)
	}
	return list
}

// joinsOf grows the tree from the island of the first pad (Prim), an island at a time.
func (s *survey) joinsOf(net int, pads []int) []Join {
	if len(pads) == 0 {
		return nil
	}
	type reach struct {
		d    float64
		from int
		done bool
	}
	to := make([]reach, len(pads))
	for i := range to {
		to[i].d = math.Inf(1)
	}
	left := len(pads)
	take := func(island int) {
		for i, p := range pads {
			if to[i].done || s.island(p) != island {
				continue
			}
			to[i].done = true
			left--
			for j, q := range pads {
				if d := s.items[p].at.sub(s.items[q].at).length(); !to[j].done && d < to[j].d {
					to[j].d, to[j].from = d, p
				}
			}
		}
	}
	take(s.island(pads[0]))
	var list []Join
	for left > 0 {
		best := -1
		for i := range to {
			if !to[i].done && (best < 0 || to[i].d < to[best].d) {
				best = i
			}
		}
		from := to[best].from
		list = append(list, Join{Net: net, From: s.name(from), To: s.name(pads[best]), Distance: to[best].d, At: s.pad(&s.items[from]).At})
		take(s.island(pads[best]))
	}
	return list
}

// spanning is the length of the Euclidean minimum spanning tree of some items' places (Prim; the
// nets of a board are small enough for n²).
func (s *survey) spanning(pads []int) float64 {
	if len(pads) == 0 {
		return 0
	}
	d := make([]float64, len(pads))
	for i := range d {
		d[i] = math.Inf(1)
	}
	total, at := 0.0, 0
	for range len(pads) - 1 {
		d[at] = -1 // in the tree
		next := -1
		for i, p := range pads {
			if d[i] < 0 {
				continue
			}
			d[i] = min(d[i], s.items[p].at.sub(s.items[pads[at]].at).length())
			if next < 0 || d[i] < d[next] {
				next = i
			}
		}
		total += d[next]
		at = next
	}
	return total
}
