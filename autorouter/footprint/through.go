package footprint

import (
	"fmt"
	"strconv"

	"slipstick/autorouter/board"
)

// inch is a tenth of an inch [mm], the usual pitch of through-hole parts.
const inch = 2.54

// pin returns a pad with a plated round hole; all lengths are in [mm].
func pin(number string, x, y, width, height, drill float64) board.FootprintPad {
	p := board.FootprintPad{
		Number: number, At: board.Point{X: board.MM(x), Y: board.MM(y)},
		Padstack: board.Padstack{
			Width: board.MM(width), Height: board.MM(height), Drill: board.MM(drill),
			Shape: board.Circle,
		},
	}
	if p.Width != p.Height {
		p.Shape = board.Oval
	}
	return p
}

// markFirst makes pad 1 rectangular, which identifies pin 1 on both sides of the board.
func markFirst(f *board.Footprint) {
	f.Polar = true
	f.Pads[0].Shape = board.RectShape
}

// dip returns the footprint of a dual in-line package with the given row spacing [mm].
func dip(name string, pins int, row float64) *board.Footprint {
	rows := pins / 2
	f := board.Footprint{Name: name, Body: box(row-inch/2, float64(rows)*inch)}
	for i := range pins {
		x, at := -row/2, i
		if i >= rows {
			x, at = row/2, pins-1-i
		}
		f.Pads = append(f.Pads, pin(strconv.Itoa(i+1), x, -float64(at)*inch+float64(rows-1)*inch/2,
			1.6, 1.6, .8))
	}
	markFirst(&f)
	return finish(f, false)
}

// header returns the footprint of a pin header with one or two columns, numbered row by row from
// the top.
func header(columns, rows int) *board.Footprint {
	f := board.Footprint{Name: fmt.Sprintf("PinHeader_%dx%02d", columns, rows),
		Body: box(float64(columns)*inch, float64(rows)*inch)}
	for i := range columns * rows {
		x := (float64(i%columns) - float64(columns-1)/2) * inch
		y := (float64(rows-1)/2 - float64(i/columns)) * inch
		f.Pads = append(f.Pads, pin(strconv.Itoa(i+1), x, y, 1.7, 1.7, 1.0))
	}
	markFirst(&f)
	return finish(f, false)
}

// terminalBlock returns the footprint of a row of screw terminals. The wire entries face the bottom
// edge of the footprint.
func terminalBlock(poles int) *board.Footprint {
	const pitch = 5.08
	f := board.Footprint{Name: fmt.Sprintf("TerminalBlock_1x%02d", poles),
		Body: box(float64(poles)*pitch, 10),
		Edge: board.AnyEdge, MatingSide: board.BottomEdge}
	for i := range poles {
		f.Pads = append(f.Pads, pin(strconv.Itoa(i+1), (float64(i)-float64(poles-1)/2)*pitch, 0,
			2.6, 2.6, 1.3))
	}
	markFirst(&f)
	return finish(f, false)
}

// inline returns the footprint of a part with three pins in a row along x; lengths are in [mm].
func inline(name string, pitch, w, h, drill float64, body board.Rect) *board.Footprint {
	f := board.Footprint{Name: name, Body: body}
	for i := range 3 {
		f.Pads = append(f.Pads, pin(strconv.Itoa(i+1), float64(i-1)*pitch, 0, w, h, drill))
	}
	markFirst(&f)
	return finish(f, false)
}

// twoWire returns the footprint of a through-hole part with two leads; lengths are in [mm].
func twoWire(name string, pitch, pad, drill, bodyW, body float64, p polarity) *board.Footprint {
	f := board.Footprint{Name: name, Body: box(bodyW, body), Pads: []board.FootprintPad{
		pin("1", -pitch/2, 0, pad, pad, drill), pin("2", pitch/2, 0, pad, pad, drill)}}
	p.apply(&f)
	if p != unpolar {
		markFirst(&f)
	}
	return finish(f, false)
}
