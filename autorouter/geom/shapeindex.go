package geom

import "math"

// ShapeIndex finds the shapes near a given shape. Uniform bins list the ids of the shapes that pass
// through them. A long slanted track is only in the bins along it, not in all bins of its bounding
// box.
type ShapeIndex struct {
	box        Box
	cell       float64
	cols, rows int
	first      []int32 // index in ids of the first entry of each bin, followed by len(ids)
	ids        []int32
	seen       []uint32 // number of the last query that found each shape
	query      uint32
}

const (
	cellSize = 0.5e6 // minimum bin size [nm], about the size of a pad with its clearance
	maxCells = 512   // maximum number of bins along x and along y
	// maxEntries limits the total number of entries of all bins, at 4 bytes each. If large shapes
	// need more entries, the bin size is doubled.
	maxEntries = 8_000_000
)

// NewShapeIndex returns an index of n shapes. The function shapeOf returns shape i, 0 <= i < n.
func NewShapeIndex(n int, shapeOf func(i int) *Boxed) *ShapeIndex {
	g := &ShapeIndex{box: EmptyBox(), seen: make([]uint32, n)}
	for i := range n {
		g.box = g.box.Union(shapeOf(i).Box)
	}
	if n == 0 {
		g.box = Box{}
	}
	w, h := g.box.X1-g.box.X0, g.box.Y1-g.box.Y0
	g.cell = max(cellSize, w/maxCells, h/maxCells)
	for {
		entries := 0.0
		for i := range n {
			b := shapeOf(i).Box
			entries += ((b.X1-b.X0)/g.cell + 1) * ((b.Y1-b.Y0)/g.cell + 1)
		}
		if entries <= max(maxEntries, 8*float64(n)) || g.cell > max(w, h) {
			break
		}
		g.cell *= 2
	}
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

// bins calls visit with the index of each bin that may be within reach [nm] of a shape. In each row
// it visits only the columns along the part of the shape at this height.
func (g *ShapeIndex) bins(s *Boxed, reach float64, visit func(bin int)) {
	around := s.R + reach
	if !s.Box.Grown(reach).Intersects(g.box) {
		return
	}
	for row := g.row(s.Box.Y0 - reach); row <= g.row(s.Box.Y1+reach); row++ {
		y0 := g.box.Y0 + float64(row)*g.cell - around
		lo, hi := s.widthAt(y0, y0+g.cell+2*around)
		if lo > hi {
			continue
		}
		for col := g.col(lo - around); col <= g.col(hi+around); col++ {
			visit(row*g.cols + col)
		}
	}
}

func (g *ShapeIndex) row(y float64) int { return clampCell((y-g.box.Y0)/g.cell, g.rows) }
func (g *ShapeIndex) col(x float64) int { return clampCell((x-g.box.X0)/g.cell, g.cols) }

func clampCell(v float64, n int) int { return int(max(0, min(v, float64(n-1)))) }

// widthAt returns a range of x that contains the part of the core between two values of y. If there
// is no part between them, lo is larger than hi.
func (s *Shape) widthAt(y0, y1 float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range s.Edges() {
		a, b := s.Edge(i)
		if a.Y > b.Y {
			a, b = b, a
		}
		if a.Y > y1+1 || b.Y < y0-1 {
			continue
		}
		p, q := a, b
		if p.Y < y0-1 {
			p = Lerp(a, b, (y0-1-a.Y)/(b.Y-a.Y))
		}
		if q.Y > y1+1 {
			q = Lerp(a, b, (y1+1-a.Y)/(b.Y-a.Y))
		}
		lo, hi = min(lo, p.X, q.X), max(hi, p.X, q.X)
	}
	return lo - 1, hi + 1
}

// Near calls visit once for each shape that may be within reach [nm] of s. It must not be called
// concurrently, nor from visit.
func (g *ShapeIndex) Near(s *Boxed, reach float64, visit func(id int)) {
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
