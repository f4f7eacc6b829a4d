package drc

import "math"

// grid finds the shapes near a shape. Uniform bins hold the numbers of the shapes that pass through
// them; a long slanted track is in the bins along its way, not in all of its bounding box.
type grid struct {
	box        box
	cell       float64
	cols, rows int
	first      []int32 // first entry of each bin in ids, one more at the end
	ids        []int32
	seen       []uint32 // per shape, the query that met it last
	query      uint32
}

const (
	cellSize = 0.5e6 // 0.5 mm: about a pad with its clearance
	maxCells = 512   // along a side
)

// newGrid indexes n shapes.
func newGrid(n int, shapeOf func(i int) *shape) *grid {
	g := &grid{box: emptyBox(), seen: make([]uint32, n)}
	for i := range n {
		g.box = g.box.union(shapeOf(i).box)
	}
	if n == 0 {
		g.box = box{}
	}
	w, h := g.box.x1-g.box.x0, g.box.y1-g.box.y0
	g.cell = max(cellSize, w/maxCells, h/maxCells)
	g.cols, g.rows = int(w/g.cell)+1, int(h/g.cell)+1
	g.first = make([]int32, g.cols*g.rows+1)
	for i := range n {
		g.bins(shapeOf(i), 0, func(bin int) { g.first[bin+1]++ })
	}
	for i := 1; i < len(g.first); i++ {
		g.first[i] += g.first[i-1]
	}
	g.ids = make([]int32, g.first[len(g.first)-1])
	next := append([]int32(nil), g.first...)
	for i := range n {
		g.bins(shapeOf(i), 0, func(bin int) {
			g.ids[next[bin]] = int32(i)
			next[bin]++
		})
	}
	return g
}

// bins visits the bins within reach of a shape, row by row, with the width the shape has there.
func (g *grid) bins(s *shape, reach float64, visit func(bin int)) {
	around := s.r + reach
	if !s.box.grown(reach).meets(g.box) {
		return
	}
	for row := g.row(s.box.y0 - reach); row <= g.row(s.box.y1+reach); row++ {
		y0 := g.box.y0 + float64(row)*g.cell - around
		lo, hi := s.widthAt(y0, y0+g.cell+2*around)
		if lo > hi {
			continue
		}
		for col := g.col(lo - around); col <= g.col(hi+around); col++ {
			visit(row*g.cols + col)
		}
	}
}

func (g *grid) row(y float64) int { return clampCell((y-g.box.y0)/g.cell, g.rows) }
func (g *grid) col(x float64) int { return clampCell((x-g.box.x0)/g.cell, g.cols) }

func clampCell(v float64, n int) int { return int(max(0, min(v, float64(n-1)))) }

// widthAt is the range of x that the core covers between two heights, a little more than less.
func (s *shape) widthAt(y0, y1 float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range s.edges() {
		a, b := s.edge(i)
		if a.y > b.y {
			a, b = b, a
		}
		if a.y > y1+1 || b.y < y0-1 {
			continue
		}
		p, q := a, b
		if p.y < y0-1 {
			p = between(a, b, (y0-1-a.y)/(b.y-a.y))
		}
		if q.y > y1+1 {
			q = between(a, b, (y1+1-a.y)/(b.y-a.y))
		}
		lo, hi = min(lo, p.x, q.x), max(hi, p.x, q.x)
	}
	return lo - 1, hi + 1
}

// near visits each shape that may be within reach of s, once. It is not safe for use by two
// goroutines, nor from inside visit.
func (g *grid) near(s *shape, reach float64, visit func(id int)) {
	if len(g.ids) == 0 {
		return
	}
	g.query++
	g.bins(s, reach+1, func(bin int) {
		for _, id := range g.ids[g.first[bin]:g.first[bin+1]] {
			if g.seen[id] != g.query {
				g.seen[id] = g.query
				visit(int(id))
			}
		}
	})
}
