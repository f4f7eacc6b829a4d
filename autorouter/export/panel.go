package export

import (
	"fmt"

	"slipstick/autorouter/board"
)

// Panel is an array of identical rectangular boards with rails around it. The boards are separated
// by V-scores without gaps, or by routed slots with tabs.
type Panel struct {
	Columns, Rows int
	Rail          int64 // width of the rails [nm], at least 5 mm
	Tabs          bool
	Corner        int64 // corner radius of the board [nm]; 0 with V-scores
}

// Marks in the rails, as recommended by JLCPCB (Specifications for adding process edges and
// positioning holes, 2024; How to add edge rails/fiducials, 2023).
const (
	toolingHole     = 2 * board.Millimetre
	fiducial        = 1 * board.Millimetre
	fiducialOpening = 2 * board.Millimetre
	// fiducialInset is the distance from the panel edge to the centre of a fiducial [nm].
	fiducialInset = 3580 * board.Micrometre
	// toolingInset is the distance from a fiducial to a tooling hole along the rail [nm].
	toolingInset = 10 * board.Millimetre
)

// panel is a Panel together with the size of its board.
type panel struct {
	Panel
	unit board.Point // width and height of one board [nm]
}

// Gap returns the distance between two boards, and between a board and a rail [nm].
func (p *Panel) Gap() int64 {
	if p.Tabs {
		return slotWidth
	}
	return 0
}

// Box returns the outline of a panel of boards of the given size, in the coordinates of the first
// board.
func (p *Panel) Box(size board.Point) board.Rect {
	margin := p.Gap() + p.Rail
	return board.Rect{
		Min: board.Point{X: -margin, Y: -margin},
		Max: board.Point{X: int64(p.Columns)*(size.X+p.Gap()) + p.Rail,
			Y: int64(p.Rows)*(size.Y+p.Gap()) + p.Rail},
	}
}

// step returns the offset between adjacent boards in x and y [nm].
func (p *panel) step() board.Point { return p.unit.Add(board.Point{X: p.Gap(), Y: p.Gap()}) }

func (p *panel) box() board.Rect { return p.Box(p.unit) }

// fiducials returns the positions of three fiducials. With only three of the corners occupied, the
// orientation of the panel is unique.
func (p *panel) fiducials() []board.Point {
	b := p.box()
	lo := board.Point{X: b.Min.X + fiducialInset, Y: b.Min.Y + fiducialInset}
	hi := board.Point{X: b.Max.X - fiducialInset, Y: b.Max.Y - fiducialInset}
	return []board.Point{lo, {X: hi.X, Y: lo.Y}, {X: lo.X, Y: hi.Y}}
}

// toolingHoles returns the holes in the rails, one near each corner. On a narrow panel they are at
// a third of the width, clear of each other and of the fiducials.
func (p *panel) toolingHoles() []board.Hole {
	b := p.box()
	inset := min(fiducialInset+toolingInset, b.Width()/3)
	var out []board.Hole
	for _, y := range []int64{b.Min.Y + p.Rail/2, b.Max.Y - p.Rail/2} {
		for _, x := range []int64{b.Min.X + inset, b.Max.X - inset} {
			out = append(out, board.Hole{At: board.Point{X: x, Y: y}, Diameter: toolingHole})
		}
	}
	return out
}

// offsets returns the positions of all boards relative to the first [nm], row by row.
func (p *panel) offsets() []board.Point {
	var out []board.Point
	for row := range p.Rows {
		for column := range p.Columns {
			out = append(out, board.Point{X: int64(column) * p.step().X,
				Y: int64(row) * p.step().Y})
		}
	}
	return out
}

// repeat copies the objects drawn so far to every board of the panel (Gerber, section 4.11). It
// then adds fiducials of the given diameter; 0 adds none.
func (g *gerber) repeat(p *panel, diameter int64) {
	if g.attributes != nil {
		g.meta(&g.body, "TD")
		g.attributes = nil
	}
	unit := g.body.String()
	g.body.Reset()
	if unit != "" {
		fmt.Fprintf(&g.body, "%%SRX%dY%dI%sJ%s*%%\n%s%%SR*%%\n", p.Columns, p.Rows, mm(p.step().X),
			mm(p.step().Y), unit)
	}
	g.current = 0
	if diameter == 0 {
		return
	}
	function := "FiducialPad,Panel"
	if diameter == fiducialOpening {
		function = "Material"
	}
	for _, at := range p.fiducials() {
		g.flash(at, "C,"+mm(diameter), function)
	}
}

// panelOutline draws the panel edge and, with tabs, the slots.
func (j *job) panelOutline() string {
	g := j.gerber("Profile,NP", "")
	b := j.panel.box()
	contours := []board.Polygon{{b.Min, {X: b.Max.X, Y: b.Min.Y}, b.Max,
		{X: b.Min.X, Y: b.Max.Y}}}
	if j.panel.Tabs {
		contours = append(contours, j.panel.slots(j.Outline)...)
	}
	for _, c := range j.Cutouts() {
		for row := range j.panel.Rows {
			for column := range j.panel.Columns {
				contours = append(contours, c.Translated(board.Point{
					X: int64(column) * j.panel.unit.X, Y: int64(row) * j.panel.unit.Y}))
			}
		}
	}
	for _, c := range contours {
		for i, a := range c {
			g.line(a, c[(i+1)%len(c)], board.MM(0.1), "Profile")
		}
	}
	return g.String()
}

// vScores draws the score lines of the panel. Each line crosses the panel from edge to edge.
func (j *job) vScores() string {
	g := j.gerber("Vcut", "")
	b := j.panel.box()
	for column := range j.panel.Columns + 1 {
		x := int64(column) * j.panel.unit.X
		g.line(board.Point{X: x, Y: b.Min.Y}, board.Point{X: x, Y: b.Max.Y}, board.MM(0.1),
			"Other,V-score")
	}
	for row := range j.panel.Rows + 1 {
		y := int64(row) * j.panel.unit.Y
		g.line(board.Point{X: b.Min.X, Y: y}, board.Point{X: b.Max.X, Y: y}, board.MM(0.1),
			"Other,V-score")
	}
	return g.String()
}
