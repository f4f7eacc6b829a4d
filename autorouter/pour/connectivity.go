package pour

import (
	"cmp"
	"context"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// connectivity holds the clusters of pads, tracks and vias of the poured net.
type connectivity struct {
	shapes []geom.Shape
	layers []board.LayerSet
	pads   []Pin // pads of the net; pads[i] has the shape shapes[i]
	// ends holds the ends of each track, by the index of its shape. An item without ends touches
	// the pour with its whole shape.
	ends map[int][2]board.Point
	sets geom.UnionFind
}

func newConnectivity(ctx context.Context, b *board.Board, net int) (*connectivity, error) {
	j := &connectivity{ends: map[int][2]board.Point{}}
	add := func(s geom.Shape, layers board.LayerSet) {
		j.shapes, j.layers = append(j.shapes, s), append(j.layers, layers)
		j.sets.Add()
	}
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			p := &b.Parts[pi].Pads[i]
			if p.Net != net {
				continue
			}
			j.pads = append(j.pads, Pin{pi, i})
			add(p.Copper(0), p.Layers)
		}
	}
	for _, t := range b.Tracks {
		if t.Net == net {
			j.ends[len(j.shapes)] = [2]board.Point{t.A, t.B}
			add(geom.Segment(t.A, t.B, t.Width), t.Layer.Bit())
		}
	}
	for _, v := range b.Vias {
		if v.Net == net {
			add(geom.Disc(v.At, v.Diameter), b.ViaLayers(&v))
		}
	}
	boxes, order := make([]board.Rect, len(j.shapes)), make([]int, len(j.shapes))
	for i := range j.shapes {
		boxes[i], order[i] = j.shapes[i].Bounds().Grown(1), i
	}
	// A left-to-right sweep compares each item only with items that begin before it ends.
	slices.SortFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(boxes[i].Min.X, boxes[k].Min.X), cmp.Compare(i, k))
	})
	for at, i := range order {
		if at&15 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, k := range order[at+1:] {
			if boxes[k].Min.X > boxes[i].Max.X {
				break
			}
			if j.layers[i]&j.layers[k] != 0 && boxes[i].Overlaps(boxes[k]) &&
				j.sets.Find(i) != j.sets.Find(k) && geom.Distance(&j.shapes[i], &j.shapes[k]) <= 0 {
				j.sets.Union(i, k)
			}
		}
	}
	return j, nil
}

func (j *connectivity) unionAll(items []int) {
	for _, i := range items[1:] {
		j.sets.Union(items[0], i)
	}
}

// islands returns the pads of each cluster that has pads, sorted by decreasing size and then by the
// first pad. The map gives the index in that list for the representative item of each cluster.
func (j *connectivity) islands() ([][]Pin, map[int]int) {
	sets := map[int]int{}
	var out [][]Pin
	for i, p := range j.pads {
		r := j.sets.Find(i)
		k, ok := sets[r]
		if !ok {
			k = len(out)
			sets[r] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], p)
	}
	slices.SortStableFunc(out, func(a, b []Pin) int { return cmp.Compare(len(b), len(a)) })
	rootOf := map[Pin]int{}
	for i, p := range j.pads {
		rootOf[p] = j.sets.Find(i)
	}
	for k, set := range out {
		sets[rootOf[set[0]]] = k
	}
	return out, sets
}

// contacts returns, for each of the n fragments of a layer, the indices of the items that it
// touches. A track touches a fragment only if one of its ends is in the fragment, as in KiCad
// (CN_VISITOR::checkZoneItemConnection).
func (f *clearanceField) contacts(ctx context.Context, j *connectivity, labels []int32,
	n int) ([][]int, error) {
	out := make([][]int, n)
	for k := range j.shapes {
		if !j.layers[k].Has(f.layer) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if ends, ok := j.ends[k]; ok {
			for _, p := range ends {
				if v := f.fragmentAt(labels, p); v >= 0 &&
					(len(out[v]) == 0 || out[v][len(out[v])-1] != k) {
					out[v] = append(out[v], k)
				}
			}
			continue
		}
		s := &j.shapes[k]
		i0, j0, i1, j1 := f.sampleRange(s, 0)
		for jj := j0; jj <= j1; jj++ {
			for ii := i0; ii <= i1; ii++ {
				v := labels[jj*f.w+ii]
				if v < 0 || len(out[v]) > 0 && out[v][len(out[v])-1] == k ||
					s.To(f.x(ii), f.y(jj)) > 0 {
					continue
				}
				out[v] = append(out[v], k)
			}
		}
	}
	return out, nil
}
