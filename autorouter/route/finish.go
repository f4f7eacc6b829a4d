package route

import (
	"cmp"
	"slices"

	"slipstick/autorouter/board"
)

// finish shortens, straightens and mitres the tracks of some nets off the grid, every change checked
// exactly against all other copper. A run of tracks between two fixed ends (a pad, a via, a branch, a
// change of width) is replaced piece by piece by the shorter of the two ways between two of its
// points that have one straight and one 45-degree part.
func (rt *router) finish(nets []int) {
	ids, drops := make([][]int32, len(rt.nets)), []int32(nil)
	for _, i := range rt.order {
		rt.nets[i].copper = rt.nets[i].copper.distinct()
		for _, s := range rt.nets[i].copper.segs {
			ids[i] = append(ids[i], rt.index.add(rt.trackItem(i, s)))
		}
		for _, v := range rt.nets[i].copper.vias {
			drops = append(drops, rt.index.add(rt.viaItem(i, v)))
		}
	}
	for round := range 2 {
		for k, i := range nets {
			if rt.cancelled() {
				break
			}
			n := &rt.nets[i]
			for _, id := range ids[i] {
				rt.index.remove(id)
			}
			ids[i] = ids[i][:0]
			rt.straighten(n)
			for _, s := range n.copper.segs {
				ids[i] = append(ids[i], rt.index.add(rt.trackItem(i, s)))
			}
			rt.report((float64(round)+float64(k)/float64(len(nets)))/2, rt.completion())
		}
	}
	for _, i := range rt.order {
		for _, id := range ids[i] {
			rt.index.remove(id)
		}
		rt.lift(&rt.nets[i])
		rt.commit(&rt.nets[i])
	}
	for _, id := range drops {
		rt.index.remove(id)
	}
}

// spot is a place on a layer.
type spot struct {
	at    board.Point
	layer board.Layer
}

// straighten works on each run of a net. Runs are found in the order of the segments, so the
// result is the same every time.
func (rt *router) straighten(n *netState) {
	segs := n.copper.segs
	ends := map[spot][]int{}
	for i, s := range segs {
		ends[spot{s.a, s.layer}] = append(ends[spot{s.a, s.layer}], i)
		ends[spot{s.b, s.layer}] = append(ends[spot{s.b, s.layer}], i)
	}
	fixed := func(p spot) bool {
		e := ends[p]
		if len(e) != 2 || segs[e[0]].width != segs[e[1]].width || slices.Contains(n.copper.vias, p.at) {
			return true
		}
		return n.padAt(p) >= 0 || rt.branchAt(segs, p)
	}
	used := make([]bool, len(segs))
	var out []seg
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
				p := spot{run[len(run)-1], s.layer}
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
		for _, piece := range rt.tighten(n, run, s) {
			if piece.a != piece.b {
				out = append(out, piece)
			}
		}
	}
	n.copper.segs = out
}

// padAt is the terminal whose land holds a spot, -1 for none.
func (n *netState) padAt(p spot) int {
	for i := range n.terms {
		t := &n.terms[i]
		if t.layers&(1<<p.layer) != 0 && (t.at == p.at || t.shape.To(float64(p.at.X), float64(p.at.Y)) <= 0) {
			return i
		}
	}
	return -1
}

// branchAt reports whether another segment passes through a point between its own ends.
func (rt *router) branchAt(segs []seg, p spot) bool {
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

func onSegment(p board.Point, s seg) bool {
	d, e := s.b.Sub(s.a), p.Sub(s.a)
	if d.X*e.Y != d.Y*e.X {
		return false
	}
	dot := d.X*e.X + d.Y*e.Y
	return dot >= 0 && dot <= d.X*d.X+d.Y*d.Y
}

// tighten replaces stretches of a run, the longest first, as long as that shortens it or takes
// out corners. Points where other tracks or vias of the net join stay.
func (rt *router) tighten(n *netState, run []board.Point, like seg) []seg {
	var out []seg
	for _, part := range n.stretches(run, like.layer) {
		for i := 0; i+2 < len(part); i++ {
			for j := len(part) - 1; j >= i+2; j-- {
				old := 0.0
				for k := i; k < j; k++ {
					old += board.Distance(part[k], part[k+1])
				}
				way, ok := rt.shortcut(n, part[i], part[j], like, old, j-i)
				if ok {
					part = slices.Concat(part[:i+1], way, part[j:])
					break
				}
			}
		}
		out = append(out, pieces(part, like)...)
	}
	return out
}

// stretches divides a run where something else of its net joins it between two of its points, but for
// what the land joins anyway that it begins or ends in.
func (n *netState) stretches(run []board.Point, layer board.Layer) [][]board.Point {
	var out [][]board.Point
	from := []board.Point{run[0]}
	first, last := n.padAt(spot{run[0], layer}), n.padAt(spot{run[len(run)-1], layer})
	for i := 1; i < len(run); i++ {
		part := seg{a: run[i-1], b: run[i]}
		var held []board.Point
		hold := func(p board.Point) {
			if !onSegment(p, part) || slices.Contains(run, p) { // a run may turn back on itself
				return
			}
			if k := n.padAt(spot{p, layer}); k < 0 || k != first && k != last {
				held = append(held, p)
			}
		}
		for _, s := range n.copper.segs {
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

func pieces(run []board.Point, like seg) []seg {
	out := make([]seg, 0, len(run))
	for i := 1; i < len(run); i++ {
		out = append(out, seg{a: run[i-1], b: run[i], width: like.width, layer: like.layer})
	}
	return out
}

// shortcut looks for a lawful way between two points with at most one knee.
func (rt *router) shortcut(n *netState, a, b board.Point, like seg, old float64, parts int) ([]board.Point, bool) {
	d := b.Sub(a)
	x, y := abs(d.X), abs(d.Y)
	m := min(x, y)
	diag := board.Point{X: sign(d.X) * m, Y: sign(d.Y) * m}
	for _, knee := range []board.Point{a.Add(diag), b.Sub(diag)} {
		way := []board.Point{knee}
		if knee == a || knee == b {
			way = nil
		}
		length := board.Distance(a, knee) + board.Distance(knee, b)
		if length > old+1 || length > old-100 && len(way)+1 >= parts {
			continue
		}
		first, second := like, like
		first.a, first.b, second.a, second.b = a, knee, knee, b
		p, q := rt.trackItem(n.index, first), rt.trackItem(n.index, second)
		if rt.free(&p) && rt.free(&q) {
			return way, true
		}
	}
	return nil, false
}
