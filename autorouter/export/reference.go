package export

import (
	"slipstick/autorouter/board"
)

// refText is the reference text of a part on the silkscreen.
type refText struct {
	part   int
	height int64
	at     board.Point
	turned bool // whether the text reads upwards
}

// refHeights lists the text heights of references [nm], in order of preference. Fabs do not
// guarantee legibility below 0.8 mm.
var refHeights = []int64{1000 * board.Micrometre, 800 * board.Micrometre}

// reference writes the reference of a part at the first free position: above or below the part,
// then along its sides, then on the part. Positions over vias come last, because a via leaves a gap
// in the letters. Without a free position the part remains unlabelled.
func (g *silkscreen) reference(i int) {
	for _, overVias := range []bool{false, true} {
		for _, height := range refHeights {
			for _, c := range g.refPositions(i, height) {
				box := c.box(g.b.Parts[i].Ref)
				if g.isFree(box, i) && (overVias || !g.drilledIn(box)) {
					g.refTexts = append(g.refTexts, c)
					g.taken = append(g.taken, box)
					return
				}
			}
		}
	}
}

// refPositions returns the candidate positions of a reference, best first.
func (g *silkscreen) refPositions(i int, height int64) []refText {
	box := g.own[i].Grown(silkWidth/2 + silkGap)
	w, h := textWidth(g.b.Parts[i].Ref, height)/2+silkWidth, height/2+silkWidth
	mid := board.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	var out []refText
	put := func(x, y int64, turned bool) {
		out = append(out, refText{i, height, board.Point{X: x, Y: y}, turned})
	}
	// along returns positions along a side: centred, flush with either end, and in between.
	along := func(low, high, half int64) []int64 {
		m := (low + high) / 2
		return []int64{m, low + half, high - half, (m + low + half) / 2, (m + high - half) / 2}
	}
	for _, gap := range []int64{0, 250 * board.Micrometre, 600 * board.Micrometre} {
		for _, x := range along(box.Min.X, box.Max.X, w) {
			put(x, box.Max.Y+h+gap, false)
			put(x, box.Min.Y-h-gap, false)
		}
		for _, y := range along(box.Min.Y, box.Max.Y, h) {
			put(box.Max.X+w+gap, y, false)
			put(box.Min.X-w-gap, y, false)
		}
		for _, y := range along(box.Min.Y, box.Max.Y, w) {
			put(box.Min.X-h-gap, y, true)
			put(box.Max.X+h+gap, y, true)
		}
	}
	put(mid.X, mid.Y, false)
	put(mid.X, mid.Y, true)
	return out
}

// isFree reports whether a text box is on the board and clear of openings, other strokes and other
// packages.
func (g *silkscreen) isFree(box board.Rect, part int) bool {
	for _, c := range []board.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max,
		{X: box.Min.X, Y: box.Max.Y}} {
		if !g.onBoard(c, silkEdge) {
			return false
		}
	}
	for _, o := range g.openings.boxes {
		if box.Overlaps(o.Grown(silkGap)) {
			return false
		}
	}
	for _, c := range g.openings.cutouts {
		if box.Overlaps(c.Bounds().Grown(silkEdge)) {
			return false
		}
	}
	for _, t := range g.taken {
		if box.Overlaps(t) {
			return false
		}
	}
	for i, body := range g.bodies {
		if i != part && box.Overlaps(body) {
			return false
		}
	}
	return !g.drawnIn(box)
}

func (g *silkscreen) drilledIn(box board.Rect) bool {
	for _, v := range g.b.Vias {
		if box.Overlaps(board.Rect{Min: v.At, Max: v.At}.Grown(v.Drill / 2)) {
			return true
		}
	}
	return false
}

// box returns the bounding box of the text plus a margin of silkWidth.
func (c refText) box(ref string) board.Rect {
	w, h := textWidth(ref, c.height)/2, c.height/2
	if c.turned {
		w, h = h, w
	}
	return board.Rect{Min: board.Point{X: c.at.X - w, Y: c.at.Y - h},
		Max: board.Point{X: c.at.X + w, Y: c.at.Y + h}}.Grown(silkWidth)
}

// strokes returns the strokes of the letters, mirrored on the bottom side.
func (c refText) strokes(ref string, mirrored bool) []stroke {
	turn := 0.0
	if c.turned {
		turn = 90
	}
	var out []stroke
	for _, line := range textStrokes(ref, c.height) {
		for k := range line {
			if mirrored {
				line[k].X = -line[k].X
			}
			line[k] = c.at.Add(line[k].Rotated(turn))
			if k > 0 {
				out = append(out, stroke{line[k-1], line[k], silkWidth, c.part})
			}
		}
	}
	return out
}
