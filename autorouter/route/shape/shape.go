// Package shape holds the exact forms of copper: every pad, track, via and slot of a board is a
// convex core of one to four corners, swept by a disc. The distance between two of them is the
// distance between the cores less both radii, so clearances come out in nanometres without
// flattening any arc.
package shape

import (
	"math"

	"slipstick/autorouter/board"
)

// Vec is a point in nanometres.
type Vec struct{ X, Y float64 }

// Shape is a convex core with corners P[:N], swept by a disc of radius R [nm].
type Shape struct {
	P [4]Vec
	N int
	R float64
}

func vec(p board.Point) Vec { return Vec{float64(p.X), float64(p.Y)} }

// Disc is a via, a round pad or a hole.
func Disc(at board.Point, diameter int64) Shape {
	return Shape{P: [4]Vec{vec(at)}, N: 1, R: float64(diameter) / 2}
}

// Segment is a straight track with round ends.
func Segment(a, b board.Point, width int64) Shape {
	if a == b {
		return Disc(a, width)
	}
	return Shape{P: [4]Vec{vec(a), vec(b)}, N: 2, R: float64(width) / 2}
}

// Box is an axis-parallel rectangle.
func Box(r board.Rect) Shape {
	return Shape{P: [4]Vec{vec(r.Min), {float64(r.Max.X), float64(r.Min.Y)}, vec(r.Max), {float64(r.Min.X), float64(r.Max.Y)}}, N: 4}
}

// Pad is the copper of a pad.
func Pad(p *board.Pad) Shape {
	switch p.Shape {
	case board.Circle:
		return Disc(p.At, min(p.Width, p.Height))
	case board.Oval:
		return turned(p.At, p.Width, p.Height, min(p.Width, p.Height)/2, p.Rotation)
	case board.RoundRect:
		return turned(p.At, p.Width, p.Height, board.CornerRadius(p.Width, p.Height), p.Rotation)
	}
	return turned(p.At, p.Width, p.Height, 0, p.Rotation)
}

// Bore is the hole of a pad; false when it has none.
func Bore(p *board.Pad) (Shape, bool) {
	switch {
	case p.SlotW > 0 && p.SlotH > 0:
		return turned(p.At, p.SlotW, p.SlotH, min(p.SlotW, p.SlotH)/2, p.Rotation), true
	case p.Drill > 0:
		return Disc(p.At, p.Drill), true
	}
	return Shape{}, false
}

// turned is a w by h rectangle with corners of radius r, rotated about its centre.
func turned(at board.Point, w, h, r int64, degrees float64) Shape {
	x, y := float64(w)/2-float64(r), float64(h)/2-float64(r)
	s := Shape{R: float64(r)}
	switch {
	case x <= 0 && y <= 0:
		s.N = 1
	case x <= 0:
		s.P[0], s.P[1], s.N = Vec{0, -y}, Vec{0, y}, 2
	case y <= 0:
		s.P[0], s.P[1], s.N = Vec{-x, 0}, Vec{x, 0}, 2
	default:
		s.P, s.N = [4]Vec{{-x, -y}, {x, -y}, {x, y}, {-x, y}}, 4
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	switch math.Mod(math.Mod(degrees, 360)+360, 360) {
	case 0:
		sin, cos = 0, 1
	case 90:
		sin, cos = 1, 0
	case 180:
		sin, cos = 0, -1
	case 270:
		sin, cos = -1, 0
	}
	c := vec(at)
	for i, p := range s.P[:s.N] {
		s.P[i] = Vec{c.X + float64(p.X*cos) - float64(p.Y*sin), c.Y + float64(p.X*sin) + float64(p.Y*cos)}
	}
	return s
}

// Bounds is the smallest rectangle around the shape, rounded outwards.
func (s *Shape) Bounds() board.Rect {
	lo, hi := s.P[0], s.P[0]
	for _, p := range s.P[1:s.N] {
		lo.X, lo.Y = min(lo.X, p.X), min(lo.Y, p.Y)
		hi.X, hi.Y = max(hi.X, p.X), max(hi.Y, p.Y)
	}
	return board.Rect{
		Min: board.Point{X: int64(math.Floor(lo.X - s.R)), Y: int64(math.Floor(lo.Y - s.R))},
		Max: board.Point{X: int64(math.Ceil(hi.X + s.R)), Y: int64(math.Ceil(hi.Y + s.R))},
	}
}

// To is the distance from a point to the shape's edge [nm], negative inside the swept rim; the
// core itself counts as -R throughout.
func (s *Shape) To(x, y float64) float64 {
	p := Vec{x, y}
	switch s.N {
	case 1:
		return math.Sqrt(square(p, s.P[0])) - s.R
	case 2:
		return math.Sqrt(toSegment(p, s.P[0], s.P[1])) - s.R
	}
	best, inside := math.Inf(1), true
	for i := range 4 {
		a, b := s.P[i], s.P[(i+1)&3]
		inside = inside && float64((b.X-a.X)*(y-a.Y))-float64((b.Y-a.Y)*(x-a.X)) >= 0
		best = min(best, toSegment(p, a, b))
	}
	if inside {
		return -s.R
	}
	return math.Sqrt(best) - s.R
}

// Distance between the edges of two shapes [nm]; zero or less when they overlap.
func Distance(a, b *Shape) float64 {
	if a.N > b.N {
		a, b = b, a
	}
	if a.N == 1 {
		return b.To(a.P[0].X, a.P[0].Y) - a.R
	}
	if b.N == 4 && contains(b, a.P[0]) || a.N == 4 && contains(a, b.P[0]) {
		return -a.R - b.R
	}
	best := math.Inf(1)
	for i := range sides(a) {
		for j := range sides(b) {
			best = min(best, between(a.P[i], a.P[(i+1)%a.N], b.P[j], b.P[(j+1)%b.N]))
		}
	}
	return math.Sqrt(best) - a.R - b.R
}

func sides(s *Shape) int {
	if s.N == 2 {
		return 1
	}
	return s.N
}

func contains(s *Shape, p Vec) bool {
	for i := range 4 {
		a, b := s.P[i], s.P[(i+1)&3]
		if float64((b.X-a.X)*(p.Y-a.Y))-float64((b.Y-a.Y)*(p.X-a.X)) < 0 {
			return false
		}
	}
	return true
}

func square(a, b Vec) float64 {
	x, y := a.X-b.X, a.Y-b.Y
	return float64(x*x) + float64(y*y)
}

// toSegment is the squared distance from p to the segment ab.
func toSegment(p, a, b Vec) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := (float64((p.X-a.X)*dx) + float64((p.Y-a.Y)*dy)) / (float64(dx*dx) + float64(dy*dy))
	switch {
	case t <= 0:
		return square(p, a)
	case t >= 1:
		return square(p, b)
	}
	return square(p, Vec{a.X + float64(t*dx), a.Y + float64(t*dy)})
}

// between is the squared distance of two segments.
func between(a, b, c, d Vec) float64 {
	if side(a, b, c)*side(a, b, d) < 0 && side(c, d, a)*side(c, d, b) < 0 {
		return 0
	}
	return min(toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b))
}

func side(a, b, p Vec) float64 {
	v := float64((b.X-a.X)*(p.Y-a.Y)) - float64((b.Y-a.Y)*(p.X-a.X))
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
