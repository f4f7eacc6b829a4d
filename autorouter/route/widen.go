package route

import (
	"slices"

	"slipstick/autorouter/board"
)

// widenNecks widens the necked pieces of wide tracks where smoothAndRepour has not done so, one net
// at a time. Nets whose wider tracks would split a pour stay unchanged.
func (rt *router) widenNecks() {
	islands := rt.pourIslands()
	for _, i := range rt.order {
		if rt.cancelled() {
			return
		}
		saved := rt.snapshot()
		if !rt.widen([]int{i}) || len(rt.pours) == 0 {
			continue
		}
		rt.writeCopper()
		if !rt.probePours() || rt.pourIslands() > islands {
			rt.restoreAll(saved)
			rt.writeCopper()
			rt.probePours()
		}
	}
}

// isNecked reports whether a segment is narrower than the tracks of its net.
func (n *netState) isNecked(s segment) bool { return s.width < n.trackWidth }

// pourIslands returns the number of islands of all pours.
func (rt *router) pourIslands() int {
	total := 0
	for i := range rt.pours {
		total += len(rt.pours[i].last.Islands)
	}
	return total
}

// widen widens the necked segments of the given nets as far as the clearances allow. It reports
// whether any became wider. The grid has maps for the full width and the neck width alone. The
// search and pull-tight therefore leave necks where a track of a width between them fits.
func (rt *router) widen(nets []int) (changed bool) {
	if !slices.ContainsFunc(nets, func(i int) bool {
		return slices.ContainsFunc(rt.nets[i].copper.segments, rt.nets[i].isNecked)
	}) {
		return false
	}
	var ids []int32
	for _, i := range rt.order {
		for _, s := range rt.nets[i].copper.segments {
			ids = append(ids, rt.index.add(rt.trackItem(i, s)))
		}
		for _, v := range rt.nets[i].copper.vias {
			ids = append(ids, rt.index.add(rt.viaItem(i, v)))
		}
	}
	for _, i := range nets {
		n := &rt.nets[i]
		var out []segment
		wider := false
		for _, s := range n.copper.segments {
			if !n.isNecked(s) || rt.cancelled() {
				out = append(out, s)
				continue
			}
			for _, piece := range rt.widened(n, s) {
				out = append(out, piece)
				ids = append(ids, rt.index.add(rt.trackItem(i, piece)))
				wider = wider || piece.width > s.width
			}
		}
		if wider {
			rt.ripUp(n)
			n.copper.segments = out
			rt.commit(n)
			changed = true
		}
	}
	for _, id := range ids {
		rt.index.remove(id)
	}
	return changed
}

// widened returns a necked segment as pieces with the largest legal width each. Equal widths of
// adjacent pieces form one piece.
func (rt *router) widened(n *netState, s segment) []segment {
	if s.width = rt.widest(n, s); !n.isNecked(s) {
		return []segment{s}
	}
	var out []segment
	for _, piece := range pieces(s) {
		piece.width = rt.widest(n, piece)
		if k := len(out) - 1; k >= 0 && out[k].width == piece.width {
			out[k].b = piece.b
		} else {
			out = append(out, piece)
		}
	}
	return out
}

// widest returns the largest legal width of a segment in steps of widenStep above its own width.
func (rt *router) widest(n *netState, s segment) int64 {
	legal := func(width int64) bool {
		wide := s
		wide.width = width
		it := rt.trackItem(n.index, wide)
		return rt.isClear(&it)
	}
	if legal(n.trackWidth) {
		return n.trackWidth
	}
	low, high := int64(0), (n.trackWidth-s.width+widenStep-1)/widenStep
	for high-low > 1 {
		if middle := (low + high) / 2; legal(s.width + middle*widenStep) {
			low = middle
		} else {
			high = middle
		}
	}
	return s.width + low*widenStep
}

// pieces splits a segment at multiples of 45 degrees into pieces of about widenPiece. The ends of
// the pieces are exactly on the segment. A segment at another angle is one piece.
func pieces(s segment) []segment {
	d := s.b.Sub(s.a)
	x, y := abs(d.X), abs(d.Y)
	long := max(x, y)
	count := long / widenPiece
	if count < 2 || x != 0 && y != 0 && x != y {
		return []segment{s}
	}
	out := []segment{s}
	for k := range count - 1 {
		at := long * (k + 1) / count
		at -= at % (10 * board.Micrometre)
		middle := s.a.Add(board.Point{X: sign(d.X) * at, Y: sign(d.Y) * at})
		out[k].b = middle
		next := s
		next.a = middle
		out = append(out, next)
	}
	return out
}
