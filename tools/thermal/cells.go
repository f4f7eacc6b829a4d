package thermal

import "math"

// Cells defines the finite volumes along an axis: n cells have n+1 edges in ascending order,
// starting at 0.
type Cells []float64

// Uniform divides a length in metres into n equal cells.
func Uniform(length float64, n int) Cells {
	edges := make(Cells, n+1)
	for i := range edges {
		edges[i] = length * float64(i) / float64(n)
	}
	edges[n] = length
	return edges
}

// Graded divides a length into n cells that grow by a constant ratio of at most limit. The first
// cell is at most first wide if the limit allows it.
func Graded(length float64, n int, first, limit float64) Cells {
	sum := func(r float64) float64 { // returns 1 + r + ... + r^(n-1)
		s := 0.0
		for range n {
			s = s*r + 1
		}
		return s
	}
	if first <= 0 || first*float64(n) >= length {
		return Uniform(length, n)
	}
	ratio := Root(1, limit, func(r float64) float64 { return sum(r) - length/first })
	edges := make(Cells, n+1)
	width := length / sum(ratio)
	for i := range n {
		edges[i+1] = edges[i] + width
		width *= ratio
	}
	edges[n] = length
	return edges
}

// Count returns the number of cells.
func (c Cells) Count() int { return len(c) - 1 }

// Width returns the width of cell i.
func (c Cells) Width(i int) float64 { return c[i+1] - c[i] }

// Centre returns the centre of cell i.
func (c Cells) Centre(i int) float64 { return (c[i] + c[i+1]) / 2 }

// Centres returns the centres of all cells in millimetres, the unit of the tools.
func (c Cells) Centres() []float64 {
	out := make([]float64, c.Count())
	for i := range out {
		out[i] = c.Centre(i) * 1e3
	}
	return out
}

// Overlap returns the length that cell i shares with the interval from lo to hi.
func (c Cells) Overlap(i int, lo, hi float64) float64 {
	return math.Max(0, math.Min(c[i+1], hi)-math.Max(c[i], lo))
}

// Peak fits a parabola to three equally spaced values, of which the middle is the largest. It
// returns the offset of the maximum in steps (at most half) and its height above the middle value.
func Peak(left, middle, right float64) (offset, height float64) {
	slope, bend := (right-left)/2, left-2*middle+right
	if bend >= 0 {
		return 0, 0
	}
	offset = -slope / bend
	if math.Abs(offset) > 0.5 {
		return 0, 0
	}
	return offset, -slope * slope / (2 * bend)
}
