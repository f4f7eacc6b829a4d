package specctra

import (
	"fmt"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/geom"
)

// padsOf returns the pads of a padstack. Equal shapes on several layers become one pad. The frame
// at transforms the shapes, and middle is the pin position on the board [nm].
func (b *builder) padsOf(stack *padstack, at frame, middle board.Point) []board.Pad {
	var out []board.Pad
	for _, s := range stack.shapes {
		layers := b.design.layersOf(s.layer)
		if at.back {
			layers = b.mirrored(layers)
		}
		if layers == 0 {
			continue
		}
		for _, p := range b.pieces(s, at, middle) {
			p.Layers = layers
			same := slices.IndexFunc(out, func(q board.Pad) bool {
				q.Layers = p.Layers
				return samePad(&q, &p)
			})
			if same >= 0 {
				out[same].Layers |= layers
			} else {
				out = append(out, p)
			}
		}
	}
	if core, ok := coreOf(out, middle); ok {
		out = append(out, core)
	}
	b.count(len(out))
	// Pads at the pin position come first, because tracks end there.
	slices.SortStableFunc(
		out,
		func(p, q board.Pad) int { return rank(&p, middle) - rank(&q, middle) },
	)
	if len(out) > 1 {
		for i := range out {
			out[i].Group = 1
		}
	}
	return out
}

// coreOf returns a disc around the pin position that lies in the copper of several layers. As one
// pad on these layers it connects pads of different shapes. ok is false if one pad already covers
// the pin position on all layers, or if there is no such disc.
func coreOf(pads []board.Pad, middle board.Point) (core board.Pad, ok bool) {
	var all board.LayerSet
	for i := range pads {
		all |= pads[i].Layers
	}
	radius := math.Inf(1)
	for l := range all.All() {
		deepest := 0.0
		for i := range pads {
			if pads[i].Layers.Has(l) {
				c := pads[i].Copper(0)
				depth := depthIn(&c, geom.VecOf(middle))
				if depth > 0 && pads[i].Layers == all {
					return core, false
				}
				deepest = max(deepest, depth)
			}
		}
		if deepest > 0 {
			core.Layers, radius = core.Layers|l.Bit(), min(radius, deepest)
		}
	}
	if core.Layers&(core.Layers-1) == 0 { // fewer than two layers
		return core, false
	}
	core.At, core.Shape = middle, board.Circle
	core.Width = 2 * int64(radius)
	core.Height = core.Width
	return core, core.Width > 0
}

// depthIn returns the distance from a point in a shape to the border of the shape [nm]. The
// distance is negative outside of the shape.
func depthIn(s *geom.Shape, p geom.Vec) float64 {
	to := s.To(p.X, p.Y)
	if s.N < 4 || to > -s.R {
		return -to
	}
	side := math.Inf(1)
	for i := range 4 {
		side = min(side, geom.PointSegment(p, s.P[i], s.P[(i+1)%4]))
	}
	return side + s.R
}

func rank(p *board.Pad, at board.Point) int {
	if p.At == at {
		return 0
	}
	return 1
}

func samePad(p, q *board.Pad) bool {
	return p.At == q.At && p.Width == q.Width && p.Height == q.Height && p.Rotation == q.Rotation &&
		p.Shape == q.Shape && p.Outline == q.Outline && p.Layers == q.Layers
}

// mirrored returns the layers of a component on the back for layers s of the same component on the
// front.
func (b *builder) mirrored(s board.LayerSet) board.LayerSet {
	var out board.LayerSet
	for l := range s.All() {
		out |= board.Layer(len(b.Stackup) - 1 - int(l)).Bit()
	}
	return out
}

// pieces returns the convex pads that together form a shape. A pad that covers the pin position
// middle [nm] is placed at that position, with an offset of its copper.
func (b *builder) pieces(s shape, at frame, middle board.Point) []board.Pad {
	if !b.countSteps(1 + len(s.points)) {
		return nil
	}
	var points []geom.Vec
	for _, p := range s.points {
		points = append(points, at.apply(p))
	}
	switch {
	case len(points) == 1:
		return []board.Pad{
			b.centred(
				board.Pad{
					At: b.point(points[0]),
					Padstack: board.Padstack{
						Width:  nm(s.width),
						Height: nm(s.width),
						Shape:  board.Circle,
					},
				},
				middle,
			),
		}
	case !s.filled:
		var out []board.Pad
		for i := 1; i < len(points); i++ {
			out = append(out, b.centred(b.stroke(points[i-1], points[i], s.width), middle))
		}
		return out
	}
	if p, ok := b.rectangle(points, s.width); ok {
		return []board.Pad{b.centred(p, middle)}
	}
	var corners []board.Point
	for _, p := range points {
		corners = append(corners, b.point(p))
	}
	parts, err := footprint.ConvexPads(corners, nm(s.width/2), &b.steps)
	if !b.countSteps(0) {
		return nil
	}
	if err != nil {
		box := board.Polygon(corners).Bounds().Grown(nm(s.width / 2))
		centre := board.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
		if b.boxes++; b.boxes <= maxListed {
			b.warn("the polygon at %s %v; its bounding box is used", b.position(centre), err)
		}
		return []board.Pad{{
			At:       centre,
			Padstack: board.Padstack{Width: box.Width(), Height: box.Height()},
		}}
	}
	var out []board.Pad
	for _, p := range parts {
		out = append(
			out,
			board.Pad{
				At: p.At,
				Padstack: board.Padstack{
					Width:   p.Width,
					Height:  p.Height,
					Shape:   p.Shape,
					Outline: p.Outline,
				},
			},
		)
	}
	return out
}

// position formats a board position in design coordinates [mm].
func (b *builder) position(p board.Point) string {
	p = p.Add(b.origin)
	return fmt.Sprintf("%.3f, %.3f mm", board.ToMM(p.X), board.ToMM(p.Y))
}

// centred moves the position of a pad to the pin position middle if the copper of the pad covers
// it. The copper does not move.
func (b *builder) centred(p board.Pad, middle board.Point) board.Pad {
	c := p.Copper(0)
	if p.At == middle || c.To(float64(middle.X), float64(middle.Y)) > 0 {
		return p
	}
	offset := turned(-p.Rotation).vector(geom.VecOf(p.At.Sub(middle)))
	moved := p
	moved.At = middle
	moved.Offset = board.Point{X: int64(math.Round(offset.X)), Y: int64(math.Round(offset.Y))}
	if moved.CopperAt() != p.At { // the rounded offset would move the copper
		return p
	}
	return moved
}

// stroke returns a line with round ends and the given width [nm] as a pad.
func (b *builder) stroke(from, to geom.Vec, width float64) board.Pad {
	d := to.Sub(from)
	p := board.Pad{
		At: b.point(
			geom.Lerp(from, to, 0.5),
		), Rotation: angle(d),
		Padstack: board.Padstack{
			Width: nm(d.Length() + width), Height: nm(width), Shape: board.Oval,
		},
	}
	if d.Length() < 1 {
		p.Shape, p.Width, p.Rotation = board.Circle, p.Height, 0
	}
	return p
}

// angle returns the angle of a direction in the range [0, 360) degrees.
func angle(d geom.Vec) float64 {
	switch {
	case d.Y == 0 && d.X >= 0:
		return 0
	case d.Y == 0:
		return 180
	case d.X == 0 && d.Y > 0:
		return 90
	case d.X == 0:
		return 270
	}
	return math.Mod(math.Atan2(d.Y, d.X)*180/math.Pi+360, 360)
}

// shapeTolerance is the largest distance from the corners of a polygon to the rounded rectangle
// that replaces the polygon [nm]. It is required because files represent arcs by chords.
const shapeTolerance = 3e3

// rectangle returns the polygon as a rectangular pad, possibly with rounded corners, expanded by
// half of width [nm]. The bool is false if the polygon is not a rectangle.
func (b *builder) rectangle(points []geom.Vec, width float64) (board.Pad, bool) {
	// The longest side determines the rotation.
	var side geom.Vec
	for i, p := range points {
		if d := points[(i+1)%len(points)].Sub(p); d.Length() > side.Length() {
			side = d
		}
	}
	if side.Length() < 1 {
		return board.Pad{}, false
	}
	degrees := angle(side)
	if nearest := math.Round(degrees*100) / 100; math.Abs(nearest-degrees) < 2e-3 {
		degrees = nearest
	}
	back := turned(-degrees)
	box := geom.EmptyBox()
	var local []geom.Vec
	for _, p := range points {
		v := back.vector(p.Sub(points[0]))
		local, box = append(local, v), box.With(v)
	}
	w, h := box.X1-box.X0, box.Y1-box.Y0
	// The area of a rounded rectangle is w·h - (4 - π)·r².
	r := math.Sqrt(max(0, (w*h-math.Abs(polygonOf(local).Area()))/(4-math.Pi)))
	if r > min(w, h)/2+shapeTolerance {
		return board.Pad{}, false
	}
	if r = min(r, min(w, h)/2); r < shapeTolerance {
		r = 0
	}
	middle := geom.Vec{X: (box.X0 + box.X1) / 2, Y: (box.Y0 + box.Y1) / 2}
	core := geom.RoundedRect(middle, w/2-r, h/2-r, 0, r)
	for _, v := range local {
		if d := core.To(v.X, v.Y); d > shapeTolerance || d < -shapeTolerance {
			return board.Pad{}, false
		}
		if deep := inside(v, box, r); deep > shapeTolerance {
			return board.Pad{}, false
		}
	}
	out := turned(degrees).vector(middle)
	p := board.Pad{
		At: b.point(
			points[0].Add(out),
		), Rotation: degrees,
		Padstack: board.Padstack{
			Width: nm(w + width), Height: nm(h + width), Shape: board.RectShape,
		},
	}
	if r += width / 2; r > 0 {
		p.Shape, p.Radius = board.RoundRect, int64(r)
	}
	return p, true
}

// inside returns the distance from a point in a rounded rectangle with corner radius r to its sides
// [nm].
func inside(v geom.Vec, box geom.Box, r float64) float64 {
	x, y := min(v.X-box.X0, box.X1-v.X), min(v.Y-box.Y0, box.Y1-v.Y)
	if x < r && y < r {
		return r - math.Hypot(r-x, r-y)
	}
	return min(x, y)
}
