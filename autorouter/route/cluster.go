package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// isRedundant reports whether the removal of segment i leaves the number of pad clusters unchanged.
func (rt *router) isRedundant(n *netState, i int) bool {
	return rt.padClusters(n, i) <= rt.padClusters(n, -1)
}

// padClusters returns the number of clusters of a net that contain pads. Unless without is -1, it
// ignores the segment with that index.
func (rt *router) padClusters(n *netState, without int) int {
	f, pieces := rt.clusters(n, without), 0
	// Terminals have the lowest indices, and Find returns the lowest index of a cluster.
	for i := range n.terms {
		if f.Find(i) == i {
			pieces++
		}
	}
	return pieces
}

// clusters groups the terminals, segments and vias of a net, in this index order, into connected
// clusters (KiCad: CN_CLUSTER). Unless without is -1, it ignores the segment with that index. Two
// items are connected if an end or the centre of one lies inside the other. This criterion, common
// to CAD tools, is stricter than touching.
func (rt *router) clusters(n *netState, without int) geom.UnionFind {
	type metal struct {
		s      geom.Shape
		box    board.Rect
		layers board.LayerSet
		ends   [2]board.Point
	}
	var all []metal
	add := func(s geom.Shape, layers board.LayerSet, a, b board.Point) {
		all = append(all, metal{s, s.Bounds().Grown(1), layers, [2]board.Point{a, b}})
	}
	for i := range n.terms {
		t := &n.terms[i]
		add(t.shape, t.layers, t.at, t.at)
	}
	for i, s := range n.copper.segments {
		layers := s.layer.Bit()
		if i == without {
			layers = 0
		}
		add(geom.Segment(s.a, s.b, s.width), layers, s.a, s.b)
	}
	for _, v := range n.copper.vias {
		add(geom.Disc(v, n.viaDiameter), rt.layers, v, v)
	}
	rt.opt.Meter.Add(budget.ClearanceCheck, len(all)*len(all)/pairsPerCheck)
	within := func(p board.Point, m *metal) bool {
		return m.box.Contains(p) && m.s.To(float64(p.X), float64(p.Y)) <= 0
	}
	// fragments holds the index of the first pour fragment of each layer.
	fragments, total := make([]int, rt.layers.Count()), len(all)
	for l := range fragments {
		fragments[l] = total
		if n.pour != nil {
			total += n.pour.last.Fragments(rt.numbers.board[l])
		}
	}
	f := geom.NewUnionFind(total)
	for _, j := range n.coupled.joins {
		f.Union(j[0], j[1])
	}
	for i := range all {
		if rt.ended() {
			break
		}
		for _, p := range all[i].ends {
			for k := range all {
				if k != i && all[i].layers&all[k].layers != 0 && within(p, &all[k]) {
					f.Union(i, k)
				}
			}
			for layer := range all[i].layers.All() {
				if k := rt.fragmentAt(n, layer, p); k >= 0 {
					f.Union(i, fragments[layer]+k)
				}
			}
		}
	}
	return f
}
