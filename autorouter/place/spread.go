package place

import (
	"math"

	"slipstick/autorouter/board"
)

// spread is what it costs that parts crowd together on a board with much more room than they need: wire
// alone would leave half of it empty. The board is divided into cells; a cell in which parts, by their
// centres, take a larger share of the area than on the board as a whole is dear by the square of that.
type spread struct {
	min        board.Point
	side       float64 // of a cell [nm]
	cols, rows int
	fair       float64   // area of parts a cell may have for nothing [mm²]
	area       []float64 // of the parts in each cell [mm²]
	cost       float64   // of all cells [nm of wire]
}

const (
	roomyBelow = 0.30 // utilisation of an outline that is given
	cellSide   = 12e6 // nm, about
	fairShare  = 1.15 // of the mean
	crowding   = 4e6  // nm of wire that 1 mm² of parts is worth, times twice the share by which its cell is too full
)

// spreading is nil where wire alone decides.
func (p *placer) spreading() *spread {
	total := 0.0
	for i := range p.parts {
		if p.parts[i].hint != nil {
			return nil
		}
		total += p.parts[i].area / 1e12
	}
	size := math.Abs(p.outline.Area()) / 1e12
	if len(p.opt.Outline) == 0 || total > roomyBelow*size {
		return nil
	}
	w, h := float64(p.box.Width()), float64(p.box.Height())
	s := &spread{min: p.box.Min, cols: max(1, int(math.Round(w/cellSide))), rows: max(1, int(math.Round(h/cellSide)))}
	s.side = max(w/float64(s.cols), h/float64(s.rows))
	s.area = make([]float64, s.cols*s.rows)
	s.fair = fairShare * total / size * s.side * s.side / 1e12
	for i := range p.parts {
		q := &p.parts[i]
		if q.mate >= 0 {
			continue
		}
		s.put(q.centre(q.at, q.v), q.area/1e12)
	}
	return s
}

// centre of a part's courtyard.
func (q *part) centre(at board.Point, v int) board.Point {
	c := q.variants[v].court
	return board.Point{X: at.X + (c.Min.X+c.Max.X)/2, Y: at.Y + (c.Min.Y+c.Max.Y)/2}
}

func (s *spread) cell(p board.Point) *float64 {
	col, row := int(float64(p.X-s.min.X)/s.side), int(float64(p.Y-s.min.Y)/s.side)
	return &s.area[max(0, min(row, s.rows-1))*s.cols+max(0, min(col, s.cols-1))]
}

// dear is the cost of a cell.
func (s *spread) dear(area float64) float64 {
	over := max(0, area-s.fair)
	return crowding * over * over / (s.side * s.side / 1e12)
}

// crowd moves a part from one cell to another and returns by how much that raises the cost.
func (p *placer) crowd(i int, from, to stand) float64 {
	if p.spread == nil || p.parts[i].mate >= 0 {
		return 0
	}
	s, q := p.spread, &p.parts[i]
	before := s.cost
	s.put(q.centre(from.at, from.v), -q.area/1e12)
	s.put(q.centre(to.at, to.v), q.area/1e12)
	return s.cost - before
}

// put adds a part, or with a negative area takes it away.
func (s *spread) put(at board.Point, area float64) {
	c := s.cell(at)
	s.cost -= s.dear(*c)
	*c += area
	s.cost += s.dear(*c)
}
