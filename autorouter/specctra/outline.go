package specctra

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// setOutline selects the largest boundary as the outline of the board. Boundaries inside it become
// cutouts.
func (b *builder) setOutline() {
	outlines := b.design.boundaries
	isSignal := func(o boundary) bool { return o.layer == "signal" }
	if slices.ContainsFunc(outlines, isSignal) {
		outlines = slices.DeleteFunc(
			slices.Clone(outlines),
			func(o boundary) bool { return !isSignal(o) },
		)
	}
	largest := 0
	var areas []float64
	for i, o := range outlines {
		areas = append(areas, math.Abs(polygonOf(o.outline).Area()))
		if areas[i] > areas[largest] {
			largest = i
		}
	}
	corners := polygonOf(outlines[largest].outline)
	// The origin is a whole number of steps from the origin of the design. Positions in a session
	// are therefore exact to one step.
	low, step := corners.Bounds().Min, b.design.step
	whole := func(v int64) int64 { return int64(math.Round(math.Floor(float64(v)/step) * step)) }
	b.origin = board.Point{X: whole(low.X), Y: whole(low.Y)}
	for _, p := range corners {
		b.Outline = append(b.Outline, p.Sub(b.origin))
	}
	b.Outline = b.Outline.Simple()
	outside := 0
	for i, o := range outlines {
		switch {
		case i == largest || !b.countSteps(len(o.outline)*len(corners)):
		case !slices.ContainsFunc(polygonOf(o.outline), corners.Contains):
			outside++
		case areas[i] <= 0.98*areas[largest]:
			b.obstacleAt(shape{points: o.outline, filled: true}, b.Copper().All(), identity())
		}
	}
	if outside > 0 {
		b.warn("the design has %d more outlines; only the largest is routed", outside)
	}
}

// polygonOf converts corners [nm] to a polygon with coordinates rounded to 1 nm.
func polygonOf(points []geom.Vec) board.Polygon {
	var g board.Polygon
	for _, p := range points {
		g = append(g, board.Point{X: int64(math.Round(p.X)), Y: int64(math.Round(p.Y))})
	}
	return g
}

// checkOutline replaces an outline that contains no connected pad by the box of the connected pads
// with a margin. In some files from KiCad the boundary is only a slot or notch of the board.
func (b *builder) checkOutline() {
	const margin = 5 * board.Millimetre
	outline := b.Outline.Bounds()
	var pads board.Polygon
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if p := &b.Parts[i].Pads[k]; p.Net != board.NoNet {
				if !b.countSteps(len(b.Outline)) || b.Outline.Contains(p.At) {
					return
				}
				s := p.Copper(0)
				box := s.Bounds()
				pads = append(pads, box.Min, box.Max)
			}
		}
	}
	if len(pads) == 0 {
		return
	}
	box := pads.Bounds().Grown(margin)
	b.Outline = board.Polygon{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max,
		{X: box.Min.X, Y: box.Max.Y}}
	b.warn("no connected pad lies in the boundary of %g by %g mm: the box of the pads with %g mm on all sides is the outline",
		board.ToMM(outline.Width()), board.ToMM(outline.Height()), board.ToMM(margin))
}
