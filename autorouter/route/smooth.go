package route

import (
	"cmp"
	"slices"

	"slipstick/autorouter/board"
)

// smooth shortens and mitres the tracks of the given nets off the grid (pull-tight). Every change
// is checked with exact distances to all other copper. A run of segments lies between two fixed
// ends: a pad, a via, a branch or a change of width. A part of a run is replaced if a legal path of
// one straight and one 45-degree segment is shorter or has fewer corners.
func (rt *router) smooth(nets []int) {
	ids, drops := make([][]int32, len(rt.nets)), []int32(nil)
	for _, i := range rt.order {
		rt.nets[i].copper = rt.nets[i].copper.deduplicated()
		for _, s := range rt.nets[i].copper.segments {
			ids[i] = append(ids[i], rt.index.add(rt.trackItem(i, s)))
		}
		for _, v := range rt.nets[i].copper.vias {
			drops = append(drops, rt.index.add(rt.viaItem(i, v)))
		}
	}
	for round := range smoothRounds {
		for k, i := range nets {
			if rt.cancelled() {
				break
			}
			n := &rt.nets[i]
			for _, id := range ids[i] {
				rt.index.remove(id)
			}
			ids[i] = ids[i][:0]
			rt.smoothNet(n)
			for _, s := range n.copper.segments {
				ids[i] = append(ids[i], rt.index.add(rt.trackItem(i, s)))
			}
			rt.report((float64(round)+float64(k)/float64(len(nets)))/smoothRounds, rt.completion())
		}
	}
	for _, i := range rt.order {
		for _, id := range ids[i] {
			rt.index.remove(id)
		}
		rt.ripUp(&rt.nets[i])
		rt.commit(&rt.nets[i])
	}
	for _, id := range drops {
		rt.index.remove(id)
	}
}

// smoothNet smooths each run of a net. The runs follow the order of the segments, so equal input
// gives equal output.
func (rt *router) smoothNet(n *netState) {
	segs := n.copper.segments
	ends := map[layerPoint][]int{}
	for i, s := range segs {
		ends[layerPoint{s.a, s.layer}] = append(ends[layerPoint{s.a, s.layer}], i)
		ends[layerPoint{s.b, s.layer}] = append(ends[layerPoint{s.b, s.layer}], i)
	}
	fixed := func(p layerPoint) bool {
		e := ends[p]
		if len(e) != 2 || segs[e[0]].width != segs[e[1]].width ||
			slices.Contains(n.copper.vias, p.at) {
			return true
		}
		return n.padAt(p) >= 0 || rt.junctionAt(segs, p)
	}
	used := make([]bool, len(segs))
	var out []segment
	for i, s := range segs {
		if used[i] {
			continue
		}
		used[i] = true
		if rt.cancelled() {
			out = append(out, s)
			continue
		}
		run := []board.Point{s.a, s.b}
		grow := func() {
			for {
				p := layerPoint{run[len(run)-1], s.layer}
				if fixed(p) {
					return
				}
				next := ends[p][0]
				if used[next] {
					next = ends[p][1]
				}
				if used[next] {
					return
				}
				used[next] = true
				if segs[next].a == p.at {
					run = append(run, segs[next].b)
				} else {
					run = append(run, segs[next].a)
				}
			}
		}
		grow()
		slices.Reverse(run)
		grow()
		for _, piece := range rt.pullTight(n, run, s) {
			if piece.a != piece.b {
				out = append(out, piece)
			}
		}
	}
	n.copper.segments = out
}

// junctionAt reports whether a segment passes through p strictly between its two ends.
func (rt *router) junctionAt(segs []segment, p layerPoint) bool {
	for _, s := range segs {
		if s.layer != p.layer || s.a == p.at || s.b == p.at {
			continue
		}
		if onSegment(p.at, s) {
			return true
		}
	}
	return false
}

// pullTight returns the segments of a run after replacing parts of it, the longest first, as long
// as that shortens the run or removes corners. Points where other tracks or vias of the net connect
// do not move. The segment like gives the width and layer.
func (rt *router) pullTight(n *netState, run []board.Point, like segment) []segment {
	var out []segment
	for _, part := range n.fixedRuns(run, like.layer) {
		for i := 0; i+2 < len(part); i++ {
			for j := len(part) - 1; j >= i+2; j-- {
				old := 0.0
				for k := i; k < j; k++ {
					old += board.Distance(part[k], part[k+1])
				}
				path, ok := rt.shortcut(n, part[i], part[j], like, old, j-i)
				if ok {
					part = slices.Concat(part[:i+1], path, part[j:])
					break
				}
			}
		}
		out = append(out, segmentsOf(part, like)...)
	}
	return out
}

// fixedRuns splits a run where other copper of its net connects between two of its points. A
// connection inside the first or last pad of the run does not split it.
func (n *netState) fixedRuns(run []board.Point, layer board.Layer) [][]board.Point {
	var out [][]board.Point
	from := []board.Point{run[0]}
	first, last := n.padAt(layerPoint{run[0], layer}), n.padAt(layerPoint{run[len(run)-1], layer})
	for i := 1; i < len(run); i++ {
		part := segment{a: run[i-1], b: run[i]}
		var held []board.Point
		hold := func(p board.Point) {
			if !onSegment(p, part) || slices.Contains(run, p) { // a run may turn back on itself
				return
			}
			if k := n.padAt(layerPoint{p, layer}); k < 0 || k != first && k != last {
				held = append(held, p)
			}
		}
		for _, s := range n.copper.segments {
			if s.layer == layer {
				hold(s.a)
				hold(s.b)
			}
		}
		for _, v := range n.copper.vias {
			hold(v)
		}
		slices.SortFunc(held, func(p, q board.Point) int {
			return cmp.Compare(board.Distance(part.a, p), board.Distance(part.a, q))
		})
		for _, p := range slices.Compact(held) {
			out = append(out, append(from, p))
			from = []board.Point{p}
		}
		from = append(from, run[i])
	}
	return append(out, from)
}

func segmentsOf(run []board.Point, like segment) []segment {
	out := make([]segment, 0, len(run))
	for i := 1; i < len(run); i++ {
		out = append(out, segment{a: run[i-1], b: run[i], width: like.width, layer: like.layer})
	}
	return out
}

// shortcut returns the inner points of a legal path with at most one knee from a to b, and false if
// there is none. The path must be shorter than old [nm] or, at equal length, have fewer segments
// than parts.
func (rt *router) shortcut(n *netState, a, b board.Point, like segment, old float64,
	parts int) ([]board.Point, bool) {
	d := b.Sub(a)
	x, y := abs(d.X), abs(d.Y)
	m := min(x, y)
	diag := board.Point{X: sign(d.X) * m, Y: sign(d.Y) * m}
	for _, knee := range []board.Point{a.Add(diag), b.Sub(diag)} {
		path := []board.Point{knee}
		if knee == a || knee == b {
			path = nil
		}
		length := board.Distance(a, knee) + board.Distance(knee, b)
		if length > old+1 || length > old-100 && len(path)+1 >= parts {
			continue
		}
		first, second := like, like
		first.a, first.b, second.a, second.b = a, knee, knee, b
		p, q := rt.trackItem(n.index, first), rt.trackItem(n.index, second)
		if rt.isClear(&p) && rt.isClear(&q) {
			return path, true
		}
	}
	return nil, false
}
