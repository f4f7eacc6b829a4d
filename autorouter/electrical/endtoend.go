package electrical

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// pairEnd is an end of a differential pair. It has the indices of the pads of each net in the list
// of the net's pads. Doubled contacts, as those of USB-C, are one end.
type pairEnd [2][]int

// endToEnd returns the lengths of the tracks of a pair between its two ends that are farthest apart
// along the tracks [nm]. Tracks to other pads, such as a pull-up or the second contact of USB-C, do
// not count. ok is false if the tracks connect no two ends. The error is that of the context.
func endToEnd(ctx context.Context, b *board.Board, pair board.Pair) (lengths [2]float64, ok bool,
	err error) {
	var nets [2]*netPaths
	for i, net := range [2]int{pair.Positive, pair.Negative} {
		if nets[i], err = newNetPaths(ctx, b, net); err != nil {
			return lengths, false, err
		}
	}
	ends, err := pairEnds(ctx, nets)
	if err != nil {
		return lengths, false, err
	}
	for i := range ends {
		if ctx.Err() != nil {
			return lengths, false, ctx.Err()
		}
		from := [2][]float64{nets[0].lengths(ends[i][0]), nets[1].lengths(ends[i][1])}
		for k := range i {
			var found [2]float64
			for net := range found {
				found[net] = math.Inf(1)
				for _, pad := range ends[k][net] {
					found[net] = min(found[net], from[net][pad])
				}
			}
			if sum := found[0] + found[1]; !math.IsInf(sum, 1) && sum > lengths[0]+lengths[1] {
				lengths, ok = found, true
			}
		}
	}
	return lengths, ok, nil
}

// pairEnds returns the ends of a pair: the pads of both nets on one part, and the closest pads of
// two other parts. The error is that of the context.
func pairEnds(ctx context.Context, nets [2]*netPaths) ([]pairEnd, error) {
	parts := [2]map[int][]int{{}, {}} // pads by part
	for net, n := range nets {
		for i, p := range n.pads {
			parts[net][p.part] = append(parts[net][p.part], i)
		}
	}
	index := pointIndex(len(nets[1].pads), func(k int) board.Point {
		return nets[1].pads[k].pad.CopperAt()
	})
	var out []pairEnd
	done := map[int]bool{}
	for _, p := range nets[0].pads {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if done[p.part] {
			continue
		}
		done[p.part] = true
		if other := parts[1][p.part]; len(other) > 0 {
			out = append(out, pairEnd{parts[0][p.part], other})
			continue
		}
		nearest, least := -1, float64(board.MaxPairEndGap)
		center := geom.Disc(p.pad.CopperAt(), 0).Boxed()
		index.Near(&center, least, func(k int) {
			q := nets[1].pads[k]
			d := board.Distance(p.pad.CopperAt(), q.pad.CopperAt())
			if len(parts[0][q.part]) == 0 && (d < least || d == least && k < nearest) {
				nearest, least = k, d
			}
		})
		if nearest >= 0 {
			out = append(out, pairEnd{parts[0][p.part], parts[1][nets[1].pads[nearest].part]})
		}
	}
	return out, nil
}

// pointIndex returns an index of n points. The function at returns point i, 0 <= i < n.
func pointIndex(n int, at func(i int) board.Point) *geom.ShapeIndex {
	points := make([]geom.Boxed, n)
	for i := range points {
		points[i] = geom.Disc(at(i), 0).Boxed()
	}
	return geom.NewShapeIndex(n, func(i int) *geom.Boxed { return &points[i] })
}

// netPaths is the graph of the copper of a net. Its nodes are the pads, and the ends of the tracks
// and vias on each layer.
type netPaths struct {
	pads  []netPad
	nodes []layerPoint
	index *geom.ShapeIndex // of the nodes
	edges [][]pathEdge     // by node; the pads follow the other nodes
}

type netPad struct {
	part int
	pad  *board.Pad
}

type layerPoint struct {
	at    board.Point
	layer board.Layer
}

// pathEdge leads to a node over a length [nm].
type pathEdge struct {
	to     int
	length float64
}

// newNetPaths returns the graph of a net. The error is that of the context.
func newNetPaths(ctx context.Context, b *board.Board, net int) (*netPaths, error) {
	g := &netPaths{}
	index := map[layerPoint]int{}
	node := func(p layerPoint) int {
		k, ok := index[p]
		if !ok {
			k = len(g.nodes)
			index[p] = k
			g.nodes = append(g.nodes, p)
		}
		return k
	}
	var tracks []board.Track
	for _, t := range b.Tracks {
		if t.Net == net {
			tracks = append(tracks, t)
			node(layerPoint{t.A, t.Layer})
			node(layerPoint{t.B, t.Layer})
		}
	}
	type barrel struct {
		from, to int
		length   float64
	}
	var barrels []barrel
	for _, v := range b.Vias {
		if v.Net != net {
			continue
		}
		layers := slices.Collect(b.ViaLayers(&v).All())
		for i, l := range layers[1:] {
			barrels = append(barrels, barrel{node(layerPoint{v.At, layers[i]}),
				node(layerPoint{v.At, l}), float64(b.Copper().Barrel(layers[i], l))})
		}
	}
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if p := &b.Parts[i].Pads[k]; p.Net == net {
				g.pads = append(g.pads, netPad{i, p})
			}
		}
	}
	g.index = pointIndex(len(g.nodes), func(i int) board.Point { return g.nodes[i].at })
	g.edges = make([][]pathEdge, len(g.nodes)+len(g.pads))
	connect := func(i, k int, length float64) {
		g.edges[i] = append(g.edges[i], pathEdge{k, length})
		g.edges[k] = append(g.edges[k], pathEdge{i, length})
	}
	for _, v := range barrels {
		connect(v.from, v.to, v.length)
	}
	for _, t := range tracks {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		g.connectTrack(t, connect)
	}
	for i, p := range g.pads {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		copper := p.pad.Copper(0).Boxed()
		g.index.Near(&copper, 0, func(k int) {
			n := g.nodes[k]
			if p.pad.Layers.Has(n.layer) && copper.To(float64(n.at.X), float64(n.at.Y)) <= 0 {
				connect(len(g.nodes)+i, k, 0)
			}
		})
	}
	return g, nil
}

// connectTrack connects the nodes in the copper of a track in their order along it.
func (g *netPaths) connectTrack(t board.Track, connect func(i, k int, length float64)) {
	type stop struct {
		node int
		at   float64 // distance from the start of the track [nm]
	}
	var stops []stop
	a, length := geom.VecOf(t.A), board.Distance(t.A, t.B)
	along := geom.VecOf(t.B).Sub(a)
	copper := geom.Segment(t.A, t.B, t.Width).Boxed()
	g.index.Near(&copper, 0, func(k int) {
		n := g.nodes[k]
		p := geom.VecOf(n.at)
		if n.layer != t.Layer || geom.PointSegment(p, a, geom.VecOf(t.B)) > float64(t.Width)/2 {
			return
		}
		at := 0.0
		if d := p.Sub(a); length > 0 {
			at = min(max((d.X*along.X+d.Y*along.Y)/length, 0), length)
		}
		stops = append(stops, stop{k, at})
	})
	slices.SortFunc(stops, func(x, y stop) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.node, y.node))
	})
	for k := 1; k < len(stops); k++ {
		connect(stops[k-1].node, stops[k].node, stops[k].at-stops[k-1].at)
	}
}

// lengths returns the length of the shortest path from the given pads to each pad (Dijkstra) [nm],
// infinite without a path.
func (g *netPaths) lengths(from []int) []float64 {
	dist := make([]float64, len(g.edges))
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	var queue pathQueue
	for _, pad := range from {
		dist[len(g.nodes)+pad] = 0
		queue = append(queue, pathEdge{len(g.nodes) + pad, 0})
	}
	for len(queue) > 0 {
		next := heap.Pop(&queue).(pathEdge)
		if next.length > dist[next.to] { // a shorter path has been found
			continue
		}
		for _, e := range g.edges[next.to] {
			if length := next.length + e.length; length < dist[e.to] {
				dist[e.to] = length
				heap.Push(&queue, pathEdge{e.to, length})
			}
		}
	}
	return dist[len(g.nodes):]
}

// pathQueue orders nodes by the lengths of the paths to them, for container/heap.
type pathQueue []pathEdge

func (q pathQueue) Len() int           { return len(q) }
func (q pathQueue) Less(i, k int) bool { return q[i].length < q[k].length }
func (q pathQueue) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }

func (q *pathQueue) Push(x any) { *q = append(*q, x.(pathEdge)) }

func (q *pathQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
