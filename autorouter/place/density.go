package place

import (
	"math"

	"slipstick/autorouter/board"
)

// density is the penalty for crowded parts on a board with much more area than the parts need.
// Wirelength alone would leave half of such a board empty. The board is divided into bins, and each
// part belongs to the bin of its centre. A bin whose total part area exceeds the target costs the
// square of the excess.
type density struct {
	min        board.Point
	side       float64 // side length of a bin [nm]
	cols, rows int
	targetArea float64   // part area per bin without penalty [mm²]
	area       []float64 // total part area, by bin [mm²]
	cost       float64   // total cost of all bins [nm of wire]
}

// newDensity returns the density penalty. It returns nil for an automatic outline, above
// maxUtilization, or if any part has an initial position.
func (p *placer) newDensity() *density {
	total := 0.0
	for i := range p.parts {
		if p.parts[i].initial != nil {
			return nil
		}
		total += p.parts[i].area / 1e12
	}
	size := math.Abs(p.outline.Area()) / 1e12
	if len(p.opt.Outline) == 0 || total > maxUtilization*size {
		return nil
	}
	w, h := float64(p.box.Width()), float64(p.box.Height())
	s := &density{min: p.box.Min, cols: max(1, int(math.Round(w/densityBin))),
		rows: max(1, int(math.Round(h/densityBin)))}
	s.side = max(w/float64(s.cols), h/float64(s.rows))
	s.area = make([]float64, s.cols*s.rows)
	s.targetArea = targetFactor * total / size * s.side * s.side / 1e12
	for i := range p.parts {
		q := &p.parts[i]
		if q.associated >= 0 {
			continue
		}
		s.add(q.centre(q.at, q.orientation), q.area/1e12)
	}
	return s
}

// centre returns the centre of a part's courtyard at a position and in orientation v.
func (q *part) centre(at board.Point, v int) board.Point {
	c := q.orientations[v].courtyard
	return board.Point{X: at.X + (c.Min.X+c.Max.X)/2, Y: at.Y + (c.Min.Y+c.Max.Y)/2}
}

func (s *density) bin(p board.Point) *float64 {
	col, row := int(float64(p.X-s.min.X)/s.side), int(float64(p.Y-s.min.Y)/s.side)
	return &s.area[max(0, min(row, s.rows-1))*s.cols+max(0, min(col, s.cols-1))]
}

// binCost returns the cost of a bin with the given total part area [nm of wire].
func (s *density) binCost(area float64) float64 {
	over := max(0, area-s.targetArea)
	return densityWeight * over * over / (s.side * s.side / 1e12)
}

// moveDensity updates the bins for a move of a part and returns the change of the cost [nm of
// wire].
func (p *placer) moveDensity(i int, from, to pose) float64 {
	if p.density == nil || p.parts[i].associated >= 0 {
		return 0
	}
	s, q := p.density, &p.parts[i]
	before := s.cost
	s.add(q.centre(from.at, from.orientation), -q.area/1e12)
	s.add(q.centre(to.at, to.orientation), q.area/1e12)
	return s.cost - before
}

// add adds the area of a part [mm²] to the bin at a position; a negative area removes the part.
func (s *density) add(at board.Point, area float64) {
	c := s.bin(at)
	s.cost -= s.binCost(*c)
	*c += area
	s.cost += s.binCost(*c)
}
