package place

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

func (p *placer) prepareOutline() {
	p.box = p.outline.Bounds()
	p.rectangular = len(p.outline) == 4
	for _, c := range p.outline {
		p.rectangular = p.rectangular && (c.X == p.box.Min.X || c.X == p.box.Max.X) &&
			(c.Y == p.box.Min.Y || c.Y == p.box.Max.Y)
	}
	p.bins = geom.NewBins(p.box, binSize)
	p.innerBins = make([]bool, p.bins.Cols*p.bins.Rows)
	for i := range p.innerBins {
		p.innerBins[i] = p.onBoard(p.bins.Area(i%p.bins.Cols, i/p.bins.Cols))
	}
}

// onBoard reports whether a rectangle lies within the outline. Its centre must be inside, and no
// edge of the outline may enter it.
func (p *placer) onBoard(r board.Rect) bool {
	if r.Min.X < p.box.Min.X || r.Min.Y < p.box.Min.Y || r.Max.X > p.box.Max.X ||
		r.Max.Y > p.box.Max.Y {
		return false
	}
	if p.rectangular || p.inInnerBins(r) {
		return true
	}
	for i, a := range p.outline {
		b := p.outline[(i+1)%len(p.outline)]
		if geom.SegmentEntersRect(a, b, r) {
			return false
		}
	}
	return p.outline.Contains(board.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2})
}

// inInnerBins reports whether a rectangle touches only bins that are entirely on the board. This
// avoids most tests against an outline with many sides.
func (p *placer) inInnerBins(r board.Rect) bool {
	c0, r0, c1, r1 := p.bins.Range(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			if !p.innerBins[row*p.bins.Cols+col] {
				return false
			}
		}
	}
	return true
}

// layers returns the layers that no other part may use where a part is in orientation v.
func (p *placer) layers(q *part, v int) board.LayerSet {
	if q.bothSides {
		return p.copper.All()
	}
	return p.copper.Outer(q.orientations[v].side).Bit()
}

// setPose moves part i to a position and orientation and updates its courtyard area.
func (p *placer) setPose(i int, where board.Point, v int) {
	q := &p.parts[i]
	if p.courtyards[i].layers != 0 {
		p.bins.Remove(int32(i), p.courtyards[i].wanted)
	}
	q.at, q.orientation, q.placed = where, v, true
	p.courtyards[i] = p.courtyardAt(i, where, v)
	p.bins.Add(int32(i), p.courtyards[i].wanted)
}

// isLegal reports whether a pose of part i is legal while all other parts keep their poses.
func (p *placer) isLegal(i int, where board.Point, v int) bool {
	p.opt.Meter.Add(budget.PlacementTrial, 1)
	return p.fitsBoard(i, where, v) && p.noOverlap(i, where, v, -1)
}

// fitsBoard reports whether a pose is within the board and clear of holes and keepouts.
func (p *placer) fitsBoard(i int, where board.Point, v int) bool {
	q := &p.parts[i]
	a := &q.orientations[v]
	if !p.onBoard(a.extent.Translated(where)) {
		return false
	}
	layers := p.layers(q, v)
	if a.boxes == nil {
		return p.clearOfHoles(a.courtyard.Translated(where), a.extent.Translated(where), layers)
	}
	for _, b := range a.boxes {
		area := b.area.Translated(where)
		if !b.keepout && !p.clearOfHoles(area, area.Grown(p.opt.Rules.EdgeClearance), layers) {
			return false
		}
	}
	return true
}

// noOverlap reports whether a part at a pose respects the required halos of all parts other than
// skip.
func (p *placer) noOverlap(i int, where board.Point, v, skip int) bool {
	own := p.courtyardAt(i, where, v)
	layers, courtyard := own.layers, own.courtyard
	core := own.required.Grown(p.opt.Rules.CourtyardMargin)
	c0, r0, c1, r1 := p.bins.Range(core)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, j := range p.bins.At(col, row) {
				y := &p.courtyards[j]
				if y.layers&layers == 0 || int(j) == i || int(j) == skip ||
					!core.Overlaps(y.required) {
					continue
				}
				associated := p.areAssociated(i, int(j))
				if own.boxes != nil || y.boxes != nil {
					mine, other := courtyard.Min.X-core.Min.X, y.courtyard.Min.X-y.required.Min.X
					if associated {
						mine = p.associatedGap(i, int(j)) + p.opt.Rules.CourtyardMargin
						other = 0
					}
					if own.boxOverlap(y, mine, other) > 0 {
						return false
					}
					continue
				}
				if !associated {
					return false
				}
				gap := p.associatedGap(i, int(j)) + p.opt.Rules.CourtyardMargin
				if courtyard.Grown(gap).Overlaps(y.courtyard) {
					return false
				}
			}
		}
	}
	return true
}

// clearOfHoles reports whether a part with the given courtyard and extent is clear of holes and
// keepouts.
func (p *placer) clearOfHoles(courtyard, extent board.Rect, layers board.LayerSet) bool {
	for _, h := range p.opt.Holes {
		x := max(0, courtyard.Min.X-h.At.X, h.At.X-courtyard.Max.X)
		y := max(0, courtyard.Min.Y-h.At.Y, h.At.Y-courtyard.Max.Y)
		reach := h.Diameter/2 + max(h.Keepout, p.opt.Rules.HoleClearance)
		if x*x+y*y < reach*reach {
			return false
		}
	}
	for _, k := range p.opt.Keepouts {
		if board.LayersOf(k.Layers...)&layers == 0 {
			continue
		}
		if k.Components && courtyard.Overlaps(k.Area) {
			return false
		}
		if k.Copper && extent.Grown(-p.opt.Rules.EdgeClearance).Overlaps(k.Area) {
			return false
		}
	}
	return true
}

// snapped aligns a position to the router's grid: in x for the pad narrowest in x, and in y for the
// pad narrowest in y. Tracks can then leave a row of fine-pitch pads in a straight line.
func (q *part) snapped(where board.Point, v int) board.Point {
	d := q.orientations[v].anchor
	round := func(x int64) int64 { return (x + snapGrid/2) / snapGrid * snapGrid }
	return board.Point{X: round(where.X+d.X) - d.X, Y: round(where.Y+d.Y) - d.Y}
}

// edges returns the board edges that a part may be placed at.
func (q *part) edges() []board.Edge {
	if q.edge == board.AnyEdge {
		return []board.Edge{board.LeftEdge, board.RightEdge, board.TopEdge, board.BottomEdge}
	}
	return []board.Edge{q.edge}
}

// edgeOrientations returns the indices of the valid orientations of a part at an edge. The mating
// side faces outwards; a part without one has its longer side along the edge.
func (q *part) edgeOrientations(e board.Edge) []int {
	var out []int
	for i := range q.orientations {
		v := &q.orientations[i]
		if v.matingSide != board.NoEdge {
			if v.matingSide == e {
				out = append(out, i)
			}
			continue
		}
		along := v.courtyard.Width() >= v.courtyard.Height()
		if e == board.LeftEdge || e == board.RightEdge {
			along = v.courtyard.Height() >= v.courtyard.Width()
		}
		if along {
			out = append(out, i)
		}
	}
	return out
}

// maxEdgeGap is the largest distance from a courtyard to its board edge [nm].
const maxEdgeGap = board.Millimetre

// isOffEdge reports whether an edge part that is not fixed is away from its edge, or whether its
// mating side faces elsewhere.
func (p *placer) isOffEdge(i int) bool {
	q := &p.parts[i]
	return q.edge != board.NoEdge && !q.fixed && p.edgeOf(i) == board.NoEdge
}

// edgeOf returns the edge among those of an edge part at which it stands, with its mating side
// outwards, or NoEdge.
func (p *placer) edgeOf(i int) board.Edge {
	q := &p.parts[i]
	c := q.current().courtyard.Translated(q.at)
	edgeGap := map[board.Edge]int64{
		board.LeftEdge: c.Min.X - p.box.Min.X, board.RightEdge: p.box.Max.X - c.Max.X,
		board.BottomEdge: c.Min.Y - p.box.Min.Y, board.TopEdge: p.box.Max.Y - c.Max.Y,
	}
	for _, e := range q.edges() {
		if m := q.current().matingSide; edgeGap[e] <= maxEdgeGap && (m == board.NoEdge || m == e) {
			return e
		}
	}
	return board.NoEdge
}

// atEdge returns the position of a part at board edge e. s is the relative position along the edge,
// 0 to 1, and inset is the distance from the edge to the part's extent [nm].
func (p *placer) atEdge(i, v int, e board.Edge, s float64, inset int64) board.Point {
	q := &p.parts[i]
	b := q.orientations[v].extent
	along := func(lo, hi int64) int64 { return lo + int64(s*float64(hi-lo)) }
	x := along(p.box.Min.X-b.Min.X, p.box.Max.X-b.Max.X)
	y := along(p.box.Min.Y-b.Min.Y, p.box.Max.Y-b.Max.Y)
	w := q.snapped(board.Point{X: x, Y: y}, v)
	switch e {
	case board.LeftEdge:
		w.X = p.box.Min.X - b.Min.X + inset
	case board.RightEdge:
		w.X = p.box.Max.X - b.Max.X - inset
	case board.BottomEdge:
		w.Y = p.box.Min.Y - b.Min.Y + inset
	case board.TopEdge:
		w.Y = p.box.Max.Y - b.Max.Y - inset
	}
	return w
}
