package place

import "slipstick/autorouter/board"

// leastSize returns the smallest size of a rectangular outline [nm] that leaves an orientation of a
// part a position on the grid of pad positions.
func (v *orientation) leastSize() (w, h int64) {
	// The origin is where the anchor pad is on the grid (see snapped).
	origin := func(low, anchor int64) int64 {
		return (anchor-low+snapGrid-1)/snapGrid*snapGrid - anchor
	}
	return origin(v.extent.Min.X, v.anchor.X) + v.extent.Max.X,
		origin(v.extent.Min.Y, v.anchor.Y) + v.extent.Max.Y
}

// fitParts enlarges an automatic outline [nm] in steps of 1 mm. In the end every movable part fits
// on it in one of its orientations, and the parts of each edge fit side by side. It grows by as
// little as possible for each part.
func (p *placer) fitParts(w, h int64) (int64, int64) {
	for i := range p.parts {
		q := &p.parts[i]
		if q.fixed {
			continue
		}
		bestW, bestH := Largest, Largest
		for _, k := range q.choices() {
			needW, needH := q.orientations[k].leastSize()
			needW, needH = wholeMillimetres(w, needW), wholeMillimetres(h, needH)
			if needW+needH < bestW+bestH {
				bestW, bestH = needW, needH
			}
		}
		w, h = min(bestW, Largest), min(bestH, Largest)
	}
	rowW, rowH := p.rowLengths()
	return min(wholeMillimetres(w, rowW), Largest), min(wholeMillimetres(h, rowH), Largest)
}

// rowLengths returns the lengths [nm] of the longest rows of movable parts on one horizontal and
// one vertical board edge, halos included. A part alone is no row.
func (p *placer) rowLengths() (w, h int64) {
	var length, row [board.BottomEdge + 1]int64
	for i := range p.parts {
		q := &p.parts[i]
		if q.fixed || q.edge == board.NoEdge || q.edge == board.AnyEdge {
			continue
		}
		valid := q.edgeOrientations(q.edge)
		if len(valid) == 0 {
			continue
		}
		courtyard := q.orientations[valid[0]].courtyard
		side := courtyard.Width()
		if q.edge == board.LeftEdge || q.edge == board.RightEdge {
			side = courtyard.Height()
		}
		if length[q.edge] > 0 {
			row[q.edge] = length[q.edge] + side + 2*q.halo
		}
		length[q.edge] += side + 2*q.halo
	}
	return max(row[board.TopEdge], row[board.BottomEdge]),
		max(row[board.LeftEdge], row[board.RightEdge])
}

// wholeMillimetres returns a side [nm] that is enlarged to a need in steps of 1 mm.
func wholeMillimetres(side, need int64) int64 {
	return side + max(0, need-side+board.Millimetre-1)/board.Millimetre*board.Millimetre
}

// choices returns the indices of the orientations that a part may have: all of them, or the valid
// ones at its board edges.
func (q *part) choices() []int {
	var out []int
	for _, c := range q.edgeChoices {
		out = append(out, c.orientations...)
	}
	if len(out) > 0 {
		return out
	}
	for k := range q.orientations {
		out = append(out, k)
	}
	return out
}
