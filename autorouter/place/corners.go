package place

import "slipstick/autorouter/board"

// fiducialInset is the preferred distance from the board edge to the centre of a fiducial [nm], as
// on the rails of panels (JLCPCB, How to add edge rails/fiducials).
const fiducialInset = 3580 * board.Micrometre

// isFreeHole reports whether part i is a mounting hole without a position of the request.
func (p *placer) isFreeHole(i int) bool {
	q := &p.parts[i]
	return p.nl.Components[i].IsMountingHole() && !q.fixed && q.initial == nil
}

// hasFreeHoles reports whether a part is a mounting hole without a position of the request.
func (p *placer) hasFreeHoles() bool {
	for i := range p.parts {
		if p.isFreeHole(i) {
			return true
		}
	}
	return false
}

// placeInCorners places the mounting holes without a position of the request in the corners of the
// board, where they stay. Two take opposite corners. Holes beyond the number of free corners are
// placed like other parts.
func (p *placer) placeInCorners() {
	corners := []board.Point{p.box.Min, p.box.Max, {X: p.box.Max.X, Y: p.box.Min.Y},
		{X: p.box.Min.X, Y: p.box.Max.Y}}
	for i := range p.parts {
		for k := 0; p.isFreeHole(i) && k < len(corners); k++ {
			if at, ok := p.inCorner(i, corners[k]); ok {
				p.setPose(i, at, p.parts[i].orientation)
				p.parts[i].corner = true
				corners = append(corners[:k], corners[k+1:]...)
				break
			}
		}
	}
}

// placeFiducials places up to three fiducials without nets and without a position of the request
// near corners of the board, where they stay. Three corners make the orientation of the board clear
// to a placement machine, and the distances between them as long as possible.
func (p *placer) placeFiducials() {
	corners := []board.Point{p.box.Min, p.box.Max, {X: p.box.Max.X, Y: p.box.Min.Y},
		{X: p.box.Min.X, Y: p.box.Max.Y}}
	for i := range p.parts {
		q := &p.parts[i]
		if !p.nl.Components[i].IsFiducial() || q.stays() || q.initial != nil ||
			len(p.netOf[i]) > 0 {
			continue
		}
		inset := max(0, fiducialInset-q.current().extent.Max.X)
		for k := 0; k < len(corners) && len(corners) > 1; k++ {
			if at, ok := p.besideCorner(i, corners[k], inset); ok {
				p.setPose(i, at, q.orientation)
				q.corner = true
				corners = append(corners[:k], corners[k+1:]...)
				break
			}
		}
	}
}

// inCorner returns the legal position of a part that is closest to a corner of the box of the
// board, on the diagonal. ok is false if there is none within a quarter of the shorter side, or if
// a hole or a fixed mounting hole is there.
func (p *placer) inCorner(i int, corner board.Point) (at board.Point, ok bool) {
	reach := p.cornerReach()
	near := func(o board.Point) bool {
		return max(o.X-corner.X, corner.X-o.X) <= reach && max(o.Y-corner.Y, corner.Y-o.Y) <= reach
	}
	for _, h := range p.opt.Holes {
		if near(h.At) {
			return at, false
		}
	}
	for j := range p.parts {
		if q := &p.parts[j]; q.fixed && p.nl.Components[j].IsMountingHole() && near(q.at) {
			return at, false
		}
	}
	return p.onDiagonal(i, corner, 0)
}

// cornerReach is the largest distance in x and y between a part in a corner and the corner [nm].
func (p *placer) cornerReach() int64 { return min(p.box.Width(), p.box.Height()) / 4 }

// onDiagonal returns the legal position of a part on the diagonal of a corner that is closest to
// it, with at least the given distance [nm] to both edges. ok is false if there is none.
func (p *placer) onDiagonal(i int, corner board.Point, from int64) (at board.Point, ok bool) {
	return p.fromCorner(i, corner, board.Point{X: from, Y: from}, board.Point{X: 1, Y: 1})
}

// besideCorner returns the legal position of a part that is closest to a corner, on the diagonal or
// at the given distance [nm] from an edge. A mounting hole in the corner leaves only these. If
// there is none, it returns one on the diagonal closer to the edges.
func (p *placer) besideCorner(i int, corner board.Point, inset int64) (at board.Point, ok bool) {
	from := board.Point{X: inset, Y: inset}
	for _, step := range [...]board.Point{{X: 1, Y: 1}, {X: 1}, {Y: 1}} {
		q, legal := p.fromCorner(i, corner, from, step)
		if legal && (!ok || board.Distance(q, corner) < board.Distance(at, corner)) {
			at, ok = q, true
		}
	}
	if !ok {
		return p.onDiagonal(i, corner, 0)
	}
	return at, ok
}

// fromCorner returns the first legal position of a part on a line of positions from a corner. The
// vectors from [nm] and step are the distances from both edges of the first one, and their
// direction. ok is false if there is none within the reach of the corner, or up to the middle of an
// edge.
func (p *placer) fromCorner(i int, corner, from, step board.Point) (at board.Point, ok bool) {
	const length = 250 * board.Micrometre
	box, reach := p.parts[i].current().extent, p.cornerReach()
	if step.X != step.Y {
		reach = max(p.box.Width()*step.X, p.box.Height()*step.Y) / 2
	}
	for d := int64(0); max(from.X*step.X, from.Y*step.Y)+d <= reach; d += length {
		inset := board.Point{X: from.X + step.X*d, Y: from.Y + step.Y*d}
		at = board.Point{X: corner.X - box.Min.X + inset.X, Y: corner.Y - box.Min.Y + inset.Y}
		if corner.X == p.box.Max.X {
			at.X = corner.X - box.Max.X - inset.X
		}
		if corner.Y == p.box.Max.Y {
			at.Y = corner.Y - box.Max.Y - inset.Y
		}
		if p.isLegal(i, at, p.parts[i].orientation) {
			return at, true
		}
	}
	return at, false
}
