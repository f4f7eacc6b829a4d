package export

import (
	"math"

	"slipstick/autorouter/board"
)

// Tabs of a panel with routed slots. JLCPCB (Mouse bite panelization guide, 2026) recommends rows
// of 5 to 8 holes of 0.6 mm with 0.35 to 0.4 mm between their edges. A third of each hole is in the
// board, gaps between boards are 1.6 or 2 mm, and tabs are 50 to 60 mm apart. PCBWay recommends
// gaps of 1.6 mm and holes of 0.55 to 0.6 mm with at least 0.25 mm between their edges.
const (
	// slotWidth is the gap between boards, equal to the diameter of the router bit [nm].
	slotWidth = 1600 * board.Micrometre
	tabWidth  = 5 * board.Millimetre // distance between two slots along a side [nm]
	tabHole   = 600 * board.Micrometre
	tabPitch  = 1 * board.Millimetre // pitch of the tab holes [nm]
	tabReach  = 55 * board.Millimetre
	// singleTab is the longest straight side that has only one tab [nm].
	singleTab = 30 * board.Millimetre
	// MinTabSide is the shortest straight part of a side that has space for a tab [nm].
	MinTabSide = 5 * board.Millimetre
	// TabHoleDepth is the depth to which the tab holes enter the board [nm]: a third of their
	// diameter.
	TabHoleDepth = tabHole / 3
)

// slotArc is the number of chords of the semicircle at a slot end. The chords are within 4 µm of
// the arc.
const slotArc = 16

// tabs returns the centre positions of the tabs along a side and the width of the tabs [nm]. Both
// depend on the corner radius of the board. Tabs on short sides are narrower and have fewer holes.
func tabs(side, corner int64) (at []int64, width int64) {
	straight := side - 2*corner
	n := int64(1)
	if straight > singleTab {
		n = max(2, (straight+tabReach-1)/tabReach)
	}
	for k := range n {
		at = append(at, corner+straight*(2*k+1)/(2*n))
	}
	return at, min(tabWidth, (straight-slotWidth-board.Millimetre)/tabPitch*tabPitch)
}

// tabHoles returns the hole positions across a tab, relative to its centre [nm]. The outer holes
// are 0.38 mm from the round ends of the slots.
func tabHoles(width int64) []int64 {
	n := width / tabPitch
	var out []int64
	for k := range n {
		out = append(out, (2*k-n+1)*tabPitch/2)
	}
	return out
}

// mouseBites returns the holes of all tabs, one row per tab along the edge of each board.
func (p *panel) mouseBites() []board.Hole {
	var out []board.Hole
	outwards := tabHole/2 - TabHoleDepth // distance from the board edge to the hole centre [nm]
	for _, d := range p.offsets() {
		add := func(x, y int64) {
			at := d.Add(board.Point{X: x, Y: y})
			out = append(out, board.Hole{At: at, Diameter: tabHole})
		}
		along, width := tabs(p.unit.X, p.Corner)
		for _, x := range along {
			for _, hole := range tabHoles(width) {
				add(x+hole, -outwards)
				add(x+hole, p.unit.Y+outwards)
			}
		}
		along, width = tabs(p.unit.Y, p.Corner)
		for _, y := range along {
			for _, hole := range tabHoles(width) {
				add(-outwards, y+hole)
				add(p.unit.X+outwards, y+hole)
			}
		}
	}
	return out
}

// slots returns the contours of the routed slots, counter-clockwise. One contour surrounds each
// crossing of the gaps between the boards; the others lie between the tabs of one side.
func (p *panel) slots(outline board.Polygon) []board.Polygon {
	var out []board.Polygon
	step := p.step()
	for row := range p.Rows + 1 {
		for column := range p.Columns + 1 {
			crossing := board.Point{X: int64(column)*step.X - slotWidth/2,
				Y: int64(row)*step.Y - slotWidth/2}
			out = append(out, p.crossing(crossing, outline, [4]bool{column < p.Columns,
				row < p.Rows, column > 0, row > 0}))
			for direction, n := range [2]int{p.Columns - column, p.Rows - row} {
				if n > 0 {
					out = append(out, p.betweenTabs(crossing, direction)...)
				}
			}
		}
	}
	return out
}

// unitVector returns the unit vector of a direction: 0 is right, and higher numbers follow
// counter-clockwise.
func unitVector(direction int) board.Point {
	return [4]board.Point{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}}[direction&3]
}

func scaled(p board.Point, by int64) board.Point { return board.Point{X: p.X * by, Y: p.Y * by} }

// arc returns the chords of an arc of the router bit. It starts at direction from and spans a
// number of quarter turns.
func arc(centre board.Point, from, quarters int) board.Polygon {
	var out board.Polygon
	n := slotArc / 2 * quarters
	for i := range n + 1 {
		sin, cos := math.Sincos((float64(from) + float64(quarters*i)/float64(n)) * math.Pi / 2)
		out = append(out, centre.Add(board.Point{
			X: int64(math.Round(cos * float64(slotWidth) / 2)),
			Y: int64(math.Round(sin * float64(slotWidth) / 2))}))
	}
	return out
}

// side returns the side length of the board along a direction [nm].
func (p *panel) side(direction int) int64 {
	if direction%2 == 0 {
		return p.unit.X
	}
	return p.unit.Y
}

// crossing returns the contour of the slots that meet at a crossing. A slot leads in direction d if
// arms[d] is true, and ends at the first tab.
func (p *panel) crossing(centre board.Point, outline board.Polygon, arms [4]bool) board.Polygon {
	var out board.Polygon
	for d, has := range arms {
		next := arms[(d+1)%4]
		if has {
			at, width := tabs(p.side(d), p.Corner)
			end := centre.Add(scaled(unitVector(d), at[0]-width/2))
			out = append(out, arc(end, d-1, 2)...)
		}
		switch {
		case has && next:
			out = append(out, p.boardCorner(centre, outline, d)...)
		case !has && !next:
			out = append(out, arc(centre, d, 1)...)
		}
	}
	return out
}

// boardCorner returns the board corner between direction d and the next one, as seen from a
// crossing. Its points run clockwise around the board.
func (p *panel) boardCorner(crossing board.Point, outline board.Polygon, d int) board.Polygon {
	own := board.Point{} // corner of the board at the crossing; lower left for d = 0
	if d == 1 || d == 2 {
		own.X = p.unit.X
	}
	if d >= 2 {
		own.Y = p.unit.Y
	}
	corner := crossing.Add(scaled(unitVector(d).Add(unitVector(d+1)), slotWidth/2))
	var out board.Polygon
	for i := len(outline) - 1; i >= 0; i-- {
		q := outline[i].Sub(own)
		if max(q.X, -q.X) <= p.Corner && max(q.Y, -q.Y) <= p.Corner {
			out = append(out, corner.Add(q))
		}
	}
	return startAt(out, corner.Add(scaled(unitVector(d), p.Corner)))
}

// startAt rotates a list of points to begin with the point nearest to a position.
func startAt(points board.Polygon, at board.Point) board.Polygon {
	first := 0
	for i, q := range points {
		if board.Distance(q, at) < board.Distance(points[first], at) {
			first = i
		}
	}
	return append(append(board.Polygon{}, points[first:]...), points[:first]...)
}

// betweenTabs returns the slots between adjacent tabs of the side that leads in a direction from a
// crossing.
func (p *panel) betweenTabs(crossing board.Point, direction int) []board.Polygon {
	var out []board.Polygon
	at, width := tabs(p.side(direction), p.Corner)
	ahead := unitVector(direction)
	for k := 1; k < len(at); k++ {
		from := crossing.Add(scaled(ahead, at[k-1]+width/2+slotWidth))
		to := crossing.Add(scaled(ahead, at[k]-width/2))
		out = append(out, append(arc(to, direction-1, 2), arc(from, direction+1, 2)...))
	}
	return out
}
