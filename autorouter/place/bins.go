package place

import "slipstick/autorouter/board"

// binIndex finds the courtyard areas near a place: bins of binSize over the board, each with the
// placed parts whose area reaches into it. Bins at the border include everything beyond the board.
type binIndex struct {
	min        board.Point
	cols, rows int
	parts      [][]int32
}

const binSize = 4 * board.Millimetre

func newBins(area board.Rect) binIndex {
	b := binIndex{min: area.Min, cols: int(area.Width()/binSize) + 1, rows: int(area.Height()/binSize) + 1}
	b.parts = make([][]int32, b.cols*b.rows)
	return b
}

// binArea returns the area of a bin.
func (b *binIndex) binArea(i int) board.Rect {
	corner := b.min.Add(board.Point{X: int64(i%b.cols) * binSize, Y: int64(i/b.cols) * binSize})
	return board.Rect{Min: corner, Max: corner.Add(board.Point{X: binSize, Y: binSize})}
}

func (b *binIndex) binRange(r board.Rect) (c0, r0, c1, r1 int) {
	clip := func(v int64, n int) int { return int(max(0, min(v/binSize, int64(n-1)))) }
	return clip(r.Min.X-b.min.X, b.cols), clip(r.Min.Y-b.min.Y, b.rows), clip(r.Max.X-b.min.X, b.cols), clip(r.Max.Y-b.min.Y, b.rows)
}

func (b *binIndex) add(part int, r board.Rect) {
	c0, r0, c1, r1 := b.binRange(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			b.parts[row*b.cols+col] = append(b.parts[row*b.cols+col], int32(part))
		}
	}
}

func (b *binIndex) remove(part int, r board.Rect) {
	c0, r0, c1, r1 := b.binRange(r)
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
