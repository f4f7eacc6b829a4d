package drc

import (
	"math"

	"slipstick/autorouter/board"
)

// cluster returns the representative item of all copper connected to an item. A via, or a pad with
// a plated hole, is one item on all its layers and therefore connects them.
func (s *checker) cluster(i int) int { return s.sets.Find(i) }

// padsByNet returns the item indices of the pads of each net, by net index.
func (s *checker) padsByNet() [][]int {
	pads := make([][]int, len(s.b.Nets))
	for i := range s.items {
		if it := &s.items[i]; it.kind == padItem && it.net != board.NoNet {
			pads[it.net] = append(pads[it.net], i)
		}
	}
	return pads
}

// ratsnest returns the missing connections of each net: a minimum spanning tree over its clusters,
// with one edge fewer than there are clusters. Copper without a pad is ignored here;
// isolated_copper reports it.
func (s *checker) ratsnest() []Unconnected {
	var list []Unconnected
	for net, pads := range s.padsByNet() {
		list = append(list, s.netRatsnest(net, pads)...)
	}
	return list
}

// netRatsnest returns the missing connections of a net, whose pads are given as item indices.
// Prim's algorithm adds one cluster at a time, starting with the cluster of the first pad. If the
// context is cancelled, the result is incomplete.
func (s *checker) netRatsnest(net int, pads []int) []Unconnected {
	if len(pads) == 0 {
		return nil
	}
	type reach struct {
		d    float64
		from int
		done bool
	}
	to, island := make([]reach, len(pads)), make([]int, len(pads))
	for i, p := range pads {
		to[i].d, island[i] = math.Inf(1), s.cluster(p)
	}
	left := len(pads)
	take := func(next int) {
		for i, p := range pads {
			if to[i].done || island[i] != next {
				continue
			}
			to[i].done = true
			left--
			if s.ctx.Err() != nil {
				continue
			}
			for j, q := range pads {
				if d := s.items[p].at.Sub(s.items[q].at).Length(); !to[j].done && d < to[j].d {
					to[j].d, to[j].from = d, p
				}
			}
		}
	}
	take(island[0])
	var list []Unconnected
	for left > 0 && s.ctx.Err() == nil {
		best := -1
		for i := range to {
			if !to[i].done && (best < 0 || to[i].d < to[best].d) {
				best = i
			}
		}
		from := to[best].from
		list = append(list, Unconnected{Net: net, From: s.name(from), To: s.name(pads[best]),
			Distance: to[best].d, At: s.pad(&s.items[from]).At})
		take(island[best])
	}
	return list
}

// mstLength returns the length of the Euclidean minimum spanning tree of pads [nm], given as item
// indices (Prim's algorithm, O(n²)).
func (s *checker) mstLength(pads []int) float64 {
	if len(pads) == 0 {
		return 0
	}
	d := make([]float64, len(pads))
	for i := range d {
		d[i] = math.Inf(1)
	}
	total, at := 0.0, 0
	for range len(pads) - 1 {
		if s.ctx.Err() != nil {
			return total
		}
		d[at] = -1 // marks the pad as connected
		next := -1
		for i, p := range pads {
			if d[i] < 0 {
				continue
			}
			d[i] = min(d[i], s.items[p].at.Sub(s.items[pads[at]].at).Length())
			if next < 0 || d[i] < d[next] {
				next = i
			}
		}
		total += d[next]
		at = next
	}
	return total
}
