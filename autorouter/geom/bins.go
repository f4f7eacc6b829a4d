package geom

// Bins is a dynamic spatial index of rectangles. Square bins cover an area, and each bin lists the
// ids of the rectangles that touch it. Rectangles beyond the area are in the bins at its border.
type Bins struct {
	min        Point
	size       int64
	Cols, Rows int
	ids        [][]int32
}

// NewBins returns empty bins of the given size [nm] over an area of up to 4 m by 4 m.
func NewBins(area Rect, size int64) Bins {
	b := Bins{min: area.Min, size: size, Cols: int(area.Width()/size) + 1,
		Rows: int(area.Height()/size) + 1}
	b.ids = make([][]int32, b.Cols*b.Rows)
	return b
}

// Range returns the bins that a rectangle touches: columns c0 to c1 and rows r0 to r1, inclusive.
func (b *Bins) Range(r Rect) (c0, r0, c1, r1 int) {
	// Clamped lengths fit into 32 bits, for which division is faster.
	clip := func(v int64, n int) int {
		return int(uint32(max(0, min(v, int64(n-1)*b.size))) / uint32(b.size))
	}
	return clip(r.Min.X-b.min.X, b.Cols), clip(r.Min.Y-b.min.Y, b.Rows),
		clip(r.Max.X-b.min.X, b.Cols), clip(r.Max.Y-b.min.Y, b.Rows)
}

// Area returns the rectangle that the bin at a column and row covers.
func (b *Bins) Area(col, row int) Rect {
	corner := b.min.Add(Point{X: int64(col) * b.size, Y: int64(row) * b.size})
	return Rect{Min: corner, Max: corner.Add(Point{X: b.size, Y: b.size})}
}

// At returns the ids that are listed in the bin at a column and row.
func (b *Bins) At(col, row int) []int32 { return b.ids[row*b.Cols+col] }

// Add lists an id in every bin that its rectangle touches.
func (b *Bins) Add(id int32, r Rect) {
	c0, r0, c1, r1 := b.Range(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			b.ids[row*b.Cols+col] = append(b.ids[row*b.Cols+col], id)
		}
	}
}

// Remove removes an id from the index. Both arguments must equal those of Add.
func (b *Bins) Remove(id int32, r Rect) {
	c0, r0, c1, r1 := b.Range(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			bin := b.ids[row*b.Cols+col]
			for i, v := range bin {
				if v == id {
					bin[i] = bin[len(bin)-1]
					b.ids[row*b.Cols+col] = bin[:len(bin)-1]
					break
				}
			}
		}
	}
}
