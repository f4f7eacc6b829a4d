package place

import "slipstick/autorouter/board"

// bins find the yards near a place: squares of binSize over the board, each with the placed parts
// whose yard reaches into it. What is off the board counts for the squares at the rim.
type bins struct {
	min        board.Point
	cols, rows int
	parts      [][]int32
}

const binSize = 4 * board.Millimetre

func newBins(area board.Rect) bins {
	b := bins{min: area.Min, cols: int(area.Width()/binSize) + 1, rows: int(area.Height()/binSize) + 1}
	b.parts = make([][]int32, b.cols*b.rows)
	return b
}

// square is the area of a bin.
func (b *bins) square(i int) board.Rect {
	corner := b.min.Add(board.Point{X: int64(i%b.cols) * binSize, Y: int64(i/b.cols) * binSize})
	return board.Rect{Min: corner, Max: corner.Add(board.Point{X: binSize, Y: binSize})}
}

func (b *bins) span(r board.Rect) (c0, r0, c1, r1 int) {
	clip := func(v int64, n int) int { return int(max(0, min(v/binSize, int64(n-1)))) }
	return clip(r.Min.X-b.min.X, b.cols), clip(r.Min.Y-b.min.Y, b.rows), clip(r.Max.X-b.min.X, b.cols), clip(r.Max.Y-b.min.Y, b.rows)
}

func (b *bins) add(part int, r board.Rect) {
	c0, r0, c1, r1 := b.span(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			b.parts[row*b.cols+col] = append(b.parts[row*b.cols+col], int32(part))
		}
	}
}

func (b *bins) remove(part int, r board.Rect) {
	c0, r0, c1, r1 := b.span(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			bin := b.parts[row*b.cols+col]
			for i, v := range bin {
				if v == int32(part) {
					bin[i] = bin[len(bin)-1]
					b.parts[row*b.cols+col] = bin[:len(bin)-1]
					break
				}
			}
		}
	}
}
