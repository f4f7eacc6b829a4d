package place

import (
	"cmp"
	"slices"

	"slipstick/autorouter/board"
)

// packEdge places edge part i where its edges have no gap for it. The movable parts at one edge
// become a row in the order of their positions. Each is as close to its position as the others
// permit. want is the wanted position of part i. packEdge reports whether such a row exists;
// otherwise all parts keep their poses.
func (p *placer) packEdge(i int, want pose) bool {
	for _, e := range p.parts[i].edges() {
		if p.packRow(i, want, e) {
			return true
		}
	}
	return false
}

// rowPart is a part of a row at a board edge.
type rowPart struct {
	part, orientation int
	want              int64 // wanted position along the edge [nm]
	latest            int   // last step at which all later parts of the row still fit
}

// packRow is packEdge for one board edge. It tries the positions of the router's grid.
func (p *placer) packRow(i int, want pose, e board.Edge) bool {
	horizontal := e == board.TopEdge || e == board.BottomEdge
	along := func(at board.Point) int64 {
		if horizontal {
			return at.X
		}
		return at.Y
	}
	size := func(r board.Rect) int64 { return along(r.Max) - along(r.Min) }
	valid := p.parts[i].edgeOrientations(e)
	if len(valid) == 0 {
		return false
	}
	if !slices.Contains(valid, want.orientation) {
		want.orientation = valid[0]
	}
	row := []rowPart{{part: i, orientation: want.orientation, want: along(want.at)}}
	for j := range p.parts {
		if q := &p.parts[j]; j != i && q.placed && !q.fixed && q.edge != board.NoEdge &&
			p.edgeOf(j) == e {
			row = append(row, rowPart{part: j, orientation: q.orientation, want: along(q.at)})
		}
	}
	total := int64(0)
	for _, r := range row {
		total += size(p.parts[r.part].orientations[r.orientation].courtyard)
	}
	if total > size(p.box) {
		return false
	}
	slices.SortStableFunc(row, func(a, b rowPart) int { return cmp.Compare(a.want, b.want) })
	old := p.snapshot(nil)
	if p.placeRow(row, e, int(size(p.box)/snapGrid), along) {
		return true
	}
	for _, r := range row {
		if p.unplace(r.part); r.part != i {
			p.setPose(r.part, old[r.part].at, old[r.part].orientation)
		}
	}
	return false
}

// placeRow places the parts of a row at a board edge in their order. The edge has the given number
// of steps. A first pass, from the end, finds the last step of each part. A second pass places each
// part at the legal step closest to its wanted position.
func (p *placer) placeRow(row []rowPart, e board.Edge, steps int,
	along func(board.Point) int64) bool {
	at := func(r *rowPart, step int) board.Point {
		return p.atEdge(r.part, r.orientation, e, float64(step)/float64(steps), 0)
	}
	unplaceRow := func() {
		for _, r := range row {
			p.unplace(r.part)
		}
	}
	unplaceRow()
	step := steps
	for k := len(row) - 1; k >= 0; k-- {
		r := &row[k]
		for step >= 0 && !p.isLegal(r.part, at(r, step), r.orientation) {
			step--
		}
		if step < 0 {
			return false
		}
		r.latest = step
		p.setPose(r.part, at(r, step), r.orientation)
	}
	unplaceRow()
	step = 0
	for k := range row {
		r, best := &row[k], -1
		distance := func(s int) int64 {
			d := along(at(r, s)) - r.want
			return max(d, -d)
		}
		for s := step; s <= r.latest; s++ {
			if (best < 0 || distance(s) < distance(best)) &&
				p.isLegal(r.part, at(r, s), r.orientation) {
				best = s
			}
		}
		if best < 0 {
			return false
		}
		p.setPose(r.part, at(r, best), r.orientation)
		step = best
	}
	return true
}

// unplace takes part i off the board.
func (p *placer) unplace(i int) {
	if p.courtyards[i].layers != 0 {
		p.bins.Remove(int32(i), p.courtyards[i].wanted)
	}
	p.courtyards[i], p.parts[i].placed = courtyardArea{}, false
}
