package thermal

import "math"

// Cells are the finite volumes along one axis: n cells have n+1 edges, rising from 0.
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

// Graded divides a length into n cells that grow by a constant ratio of at most limit, so that the
// first is no wider than first (when the limit allows).
func Graded(length float64, n int, first, limit float64) Cells {
	sum := func(r float64) float64 { // of 1 + r + ... + r^(n-1)
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

// Count is the number of cells.
func (c Cells) Count() int { return len(c) - 1 }

// Width of cell i.
func (c Cells) Width(i int) float64 { return c[i+1] - c[i] }

// Centre of cell i.
func (c Cells) Centre(i int) float64 { return (c[i] + c[i+1]) / 2 }

// Centres of all cells, in millimetres as the tools show them.
func (c Cells) Centres() []float64 {
	out := make([]float64, c.Count())
	for i := range out {
		out[i] = c.Centre(i) * 1e3
	}
	return out
}

// Overlap is the length that cell i shares with the interval from lo to hi.
func (c Cells) Overlap(i int, lo, hi float64) float64 {
	return math.Max(0, math.Min(c[i+1], hi)-math.Max(c[i], lo))
}

// Peak refines the largest of three values on equal steps: the top of the parabola through them,
// as its offset in steps (at most half) and its height over the middle one. The middle is the
// largest.
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
