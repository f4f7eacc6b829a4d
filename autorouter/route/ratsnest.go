package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// ratsnest returns the open connections of a net as a minimum spanning tree over its clusters. Each
// connection is given by its two closest terminals. The function examines the finished copper,
// because a search may have been stopped at any point.
func (rt *router) ratsnest(n *netState) [][2]int {
	type reach struct {
		d    float64
		from int
		done bool
	}
	set, to := rt.clusterNumbers(n), make([]reach, len(n.terms))
	for i := range to {
		to[i].d = math.Inf(1)
	}
	take := func(island int) {
		for i := range n.terms {
			if to[i].done || set[i] != island {
				continue
			}
			to[i].done = true
			if rt.ended() {
				continue
			}
			for j := range n.terms {
				if d := board.Distance(n.terms[i].at, n.terms[j].at); !to[j].done && d < to[j].d {
					to[j].d, to[j].from = d, i
				}
			}
		}
	}
	var out [][2]int
	for next := 0; next >= 0 && next < len(to); {
		take(set[next])
		next = -1
		for i := range to {
			if !to[i].done && (next < 0 || to[i].d < to[next].d) {
				next = i
			}
		}
		if next >= 0 {
			out = append(out, [2]int{to[next].from, next})
		}
	}
	return out
}

// clusterNumbers returns a cluster number per terminal of a net; connected terminals have equal
// numbers.
func (rt *router) clusterNumbers(n *netState) []int {
	set := make([]int, len(n.terms))
	if n.pour != nil {
		for k, island := range n.pour.last.Islands {
			for _, p := range island {
				set[n.terminalOf(p)] = k
			}
		}
		return set
	}
	type metal struct {
		s      geom.Shape
		box    board.Rect
		layers board.LayerSet
	}
	var all []metal
	add := func(s geom.Shape, layers board.LayerSet) {
		all = append(all, metal{s, s.Bounds().Grown(1), layers})
	}
	for i := range n.terms {
		add(n.terms[i].shape, n.terms[i].layers)
	}
	for _, s := range n.copper.segments {
		add(geom.Segment(s.a, s.b, s.width), s.layer.Bit())
	}
	for _, v := range n.copper.vias {
		add(geom.Disc(v, n.viaDiameter), rt.layers)
	}
	parts := geom.NewUnionFind(len(all))
	for _, j := range n.coupled.joins {
		parts.Union(j[0], j[1])
	}
	// A left-to-right sweep compares each item only with items that begin before it ends.
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Compare(all[i].box.Min.X, all[j].box.Min.X)
	})
	for k, i := range order {
		if rt.ended() {
			break
		}
		for _, j := range order[k+1:] {
			a, b := &all[i], &all[j]
			if b.box.Min.X > a.box.Max.X {
				break
			}
			if a.layers&b.layers != 0 && a.box.Overlaps(b.box) &&
				parts.Find(i) != parts.Find(j) && geom.Distance(&a.s, &b.s) <= 0 {
				parts.Union(i, j)
			}
		}
	}
	for i := range set {
		set[i] = parts.Find(i)
	}
	return set
}
