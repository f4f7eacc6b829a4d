package place

import "slipstick/autorouter/board"

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

// inCorner returns the legal position of a part that is closest to a corner of the box of the
// board, on the diagonal. ok is false if there is none within a quarter of the shorter side, or if
// a hole or a fixed mounting hole is there.
func (p *placer) inCorner(i int, corner board.Point) (at board.Point, ok bool) {
	const step = 250 * board.Micrometre
	reach := min(p.box.Width(), p.box.Height()) / 4
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
	box := p.parts[i].current().extent
	for inset := int64(0); inset <= reach; inset += step {
		at = board.Point{X: corner.X - box.Min.X + inset, Y: corner.Y - box.Min.Y + inset}
		if corner.X == p.box.Max.X {
			at.X = corner.X - box.Max.X - inset
		}
		if corner.Y == p.box.Max.Y {
			at.Y = corner.Y - box.Max.Y - inset
		}
		if p.isLegal(i, at, p.parts[i].orientation) {
			return at, true
		}
	}
	return at, false
}
