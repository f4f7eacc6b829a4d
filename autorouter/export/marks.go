package export

import "slipstick/autorouter/board"

// mark draws the pin 1 mark of part i. It is a bracket around the cathode of a diode, a plus next
// to the positive terminal, or else a dot next to pin 1. Parts with two equivalent terminals have
// no mark.
func (g *silkscreen) mark(i int) {
	f := g.b.Parts[i].Footprint
	switch {
	// A drawing with silkscreen contains the pin 1 marks.
	case len(f.Pads) == 0 || drawnOn(f, board.SilkLayer):
	case !f.Polar && (len(f.Pads) < 3 || len(f.Ties) > 0):
	case len(f.Pads) == 2 && f.Aliases["K"] == f.Pads[0].Number:
		g.bracket(i)
	case len(f.Pads) == 2 && f.Aliases["+"] == f.Pads[0].Number:
		const arm = 350 * board.Micrometre
		g.markNearPin1(i, 2*arm+silkWidth, func(c board.Point) []stroke {
			return []stroke{
				{c.Add(board.Point{X: -arm}), c.Add(board.Point{X: arm}), silkWidth, i},
				{c.Add(board.Point{Y: -arm}), c.Add(board.Point{Y: arm}), silkWidth, i},
			}
		})
	default:
		g.markNearPin1(i, markSize, func(c board.Point) []stroke {
			return []stroke{{c, c, markSize, i}}
		})
	}
}

// bracket draws a bracket around the cathode end of a diode. It encloses the end of the package and
// the outer end of pad 1.
func (g *silkscreen) bracket(i int) {
	p := &g.b.Parts[i]
	f, body := p.Footprint.Pads[0], bodyOf(p.Footprint)
	off := silkWidth/2 + silkGap + g.b.Rules.MaskExpansion + 20*board.Micrometre
	x := min(f.At.X-f.Width/2-off, body.Min.X-2*silkWidth)
	low, high := min(f.At.Y-f.Height/2-off, body.Min.Y), max(f.At.Y+f.Height/2+off, body.Max.Y)
	at := func(x, y int64) board.Point { return onBoard(p, board.Point{X: x, Y: y}) }
	g.line(i, at(x, low), at(x, high))
	for _, y := range []int64{low, high} {
		g.line(i, at(x, y), at(max(f.At.X, body.Min.X), y))
	}
}

// markNearPin1 draws a mark of the given size [nm] at the first suitable position near pin 1 of
// part i. The position must be clear of openings and, if possible, of all other silkscreen.
func (g *silkscreen) markNearPin1(i int, size int64, draw func(at board.Point) []stroke) {
	p := &g.b.Parts[i]
	f := p.Footprint.Pads[0]
	var places []board.Point
	for gap := int64(0); gap <= 1200*board.Micrometre; gap += 100 * board.Micrometre {
		x, y := f.Width/2+size/2+gap+g.b.Rules.MaskExpansion+silkGap,
			f.Height/2+size/2+gap+g.b.Rules.MaskExpansion+silkGap
		if int(f.Rotation)%180 == 90 {
			x, y = y, x
		}
		for _, v := range []board.Point{{X: -x}, {Y: y}, {X: -x, Y: y}, {Y: -y}, {X: x},
			{X: -x, Y: -y}} {
			places = append(places, onBoard(p, f.At.Add(v)))
		}
	}
	for _, crossing := range []bool{false, true} {
		for _, c := range places {
			box := board.Rect{Min: c, Max: c}.Grown(size / 2)
			if !g.clear(c, size) || g.overlapsOtherPart(box, i) || !crossing &&
				g.drawnIn(box.Grown(silkGap)) {
				continue
			}
			g.strokes = append(g.strokes, draw(c)...)
			return
		}
	}
}

// overlapsOtherPart reports whether a box overlaps the package or pads of another part. A mark
// there would seem to belong to that part.
func (g *silkscreen) overlapsOtherPart(box board.Rect, part int) bool {
	for i, o := range g.own {
		if i != part && box.Overlaps(o) {
			return true
		}
	}
	return false
}

// drawnIn reports whether a box already contains silkscreen.
func (g *silkscreen) drawnIn(box board.Rect) bool {
	for _, s := range g.strokes {
		if box.Overlaps(s.box()) {
			return true
		}
	}
	return false
}
