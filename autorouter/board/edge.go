package board

// BoardEdge returns the side of a footprint that faces out of the board where its part is placed at
// an edge, or NoEdge. If the position of the board edge is known, it also returns the distance to
// it from the origin towards that side [nm]. The drawing may mark it; the pads of an edge-mount
// connector and the antenna of a module end at the edge.
func (f *Footprint) BoardEdge() (side Edge, distance int64, known bool) {
	if f.MatingSide != NoEdge {
		return f.MatingSide, f.EdgeDistance, f.MarksEdge || f.EdgeMount
	}
	if side = f.antennaSide(); side != NoEdge {
		return side, Outward(f.Body, side), true
	}
	return NoEdge, 0, false
}

// HasAntenna reports whether a footprint is a module whose antenna needs a board edge: its only
// keepout for copper is on both sides of the board and at one side of the module. A keepout on one
// side is below a switch or a potentiometer, and power modules have several.
func (f *Footprint) HasAntenna() bool {
	count := 0
	for _, k := range f.Keepouts {
		if !k.Copper && !k.Pour && !k.Tracks {
			continue
		}
		if count++; count > 1 || !k.Front || !k.Back {
			return false
		}
	}
	return count == 1 && f.MatingSide == NoEdge && f.antennaSide() != NoEdge
}

// antennaSide returns the side of a module with its antenna, or NoEdge. The antenna is within a
// keepout for copper that ends far before the opposite side of the module. The keepout extends to
// the side of the antenna or beyond it.
func (f *Footprint) antennaSide() Edge {
	const (
		most  = 500 * Micrometre // by which the keepout may end before the side of the antenna
		least = 3 * Millimetre   // by which it ends before the opposite side
	)
	opposite := map[Edge]Edge{LeftEdge: RightEdge, RightEdge: LeftEdge, BottomEdge: TopEdge,
		TopEdge: BottomEdge}
	for _, k := range f.Keepouts {
		if !k.Copper && (!k.Pour || !k.Tracks) {
			continue
		}
		found := NoEdge
		for side, other := range opposite {
			if Outward(f.Body, side)-Outward(k.Area, side) <= most &&
				Outward(f.Body, other)-Outward(k.Area, other) >= least {
				if found != NoEdge {
					return NoEdge // an antenna in a corner
				}
				found = side
			}
		}
		if found != NoEdge {
			return found
		}
	}
	return NoEdge
}

// Outward returns the distance [nm] from the origin to a side of a rectangle, towards that side.
func Outward(r Rect, side Edge) int64 {
	switch side {
	case LeftEdge:
		return -r.Min.X
	case RightEdge:
		return r.Max.X
	case BottomEdge:
		return -r.Min.Y
	}
	return r.Max.Y
}

// CourtyardAtEdge returns the bounding box of the courtyard without the area beyond the board edge,
// for a part that is placed at an edge.
func (f *Footprint) CourtyardAtEdge() Rect {
	r := f.Courtyard
	side, distance, known := f.BoardEdge()
	if !known {
		return r
	}
	switch side {
	case LeftEdge:
		r.Min.X = max(r.Min.X, -distance)
	case RightEdge:
		r.Max.X = min(r.Max.X, distance)
	case BottomEdge:
		r.Min.Y = max(r.Min.Y, -distance)
	case TopEdge:
		r.Max.Y = min(r.Max.Y, distance)
	}
	return r
}

// AreaAtEdge returns the area of the courtyard [nm²] without that beyond the board edge, for a part
// that is placed at an edge.
func (f *Footprint) AreaAtEdge() float64 {
	total, board := 0.0, f.CourtyardAtEdge()
	for _, r := range f.CourtyardBoxes() {
		w := min(r.Max.X, board.Max.X) - max(r.Min.X, board.Min.X)
		h := min(r.Max.Y, board.Max.Y) - max(r.Min.Y, board.Min.Y)
		total += float64(max(0, w)) * float64(max(0, h))
	}
	return total
}

// BoardEdgeAt returns a point of the board edge that the footprint of a placed part marks, in board
// coordinates, and whether it marks one.
func (p *Part) BoardEdgeAt() (Point, bool) {
	side, distance, known := p.Footprint.BoardEdge()
	at := map[Edge]Point{LeftEdge: {X: -distance}, RightEdge: {X: distance},
		BottomEdge: {Y: -distance}, TopEdge: {Y: distance}}[side]
	return p.onBoard(Polygon{at})[0], known
}
