package fabrication

import (
	"math"

	"slipstick/autorouter/board"
)

// vec is a position or vector in nanometres.
type vec struct{ x, y float64 }

func vecOf(p board.Point) vec { return vec{float64(p.X), float64(p.Y)} }

func (a vec) add(b vec) vec       { return vec{a.x + b.x, a.y + b.y} }
func (a vec) sub(b vec) vec       { return vec{a.x - b.x, a.y - b.y} }
func (a vec) dot(b vec) float64   { return a.x*b.x + a.y*b.y }
func (a vec) cross(b vec) float64 { return a.x*b.y - a.y*b.x }
func (a vec) length() float64     { return math.Hypot(a.x, a.y) }

func (a vec) turned(degrees float64) vec {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return vec{a.x*cos - a.y*sin, a.x*sin + a.y*cos}
}

// shape is a filled polygon expanded by a radius [nm]: one point gives a disc, two points a
// stadium. Discs and rounded ends are exact.
type shape struct {
	points []vec
	radius float64
	box    box
}

// box is an axis-parallel rectangle [nm].
type box struct{ x0, y0, x1, y1 float64 }

func (b box) grown(d float64) box { return box{b.x0 - d, b.y0 - d, b.x1 + d, b.y1 + d} }

func (b box) intersects(o box) bool {
	return b.x0 <= o.x1 && o.x0 <= b.x1 && b.y0 <= o.y1 && o.y0 <= b.y1
}

func boxOf(points []vec, radius float64) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		b = box{min(b.x0, p.x), min(b.y0, p.y), max(b.x1, p.x), max(b.y1, p.y)}
	}
	return b.grown(radius)
}

func newShape(radius float64, points ...vec) shape {
	return shape{points, radius, boxOf(points, radius)}
}

// sides calls f with the end points of every side. A disc has one side of zero length, and a
// stadium has one side.
func (s *shape) sides(f func(a, b vec)) {
	if len(s.points) < 3 {
		f(s.points[0], s.points[len(s.points)-1])
		return
	}
	for i, a := range s.points {
		f(a, s.points[(i+1)%len(s.points)])
	}
}

// inside reports whether a point is inside the polygon, by the even-odd rule.
func (s *shape) inside(p vec) bool {
	in := false
	if len(s.points) > 2 {
		for i, a := range s.points {
			b := s.points[(i+1)%len(s.points)]
			if (a.y > p.y) != (b.y > p.y) && (p.x-a.x)*(b.y-a.y) < (b.x-a.x)*(p.y-a.y) ==
				(b.y > a.y) {
				in = !in
			}
		}
	}
	return in
}

// to returns the distance from the shape to a point [nm]. It is 0 inside the shape.
func (s *shape) to(p vec) float64 {
	if s.inside(p) {
		return 0
	}
	best := math.Inf(1)
	s.sides(func(a, b vec) { best = min(best, toSegment(p, a, b)) })
	return max(0, best-s.radius)
}

// gap returns the distance between two shapes [nm]. It is 0 if they touch or overlap.
func (s *shape) gap(o *shape) float64 {
	if s.inside(o.points[0]) || o.inside(s.points[0]) {
		return 0
	}
	best := math.Inf(1)
	s.sides(func(a, b vec) {
		o.sides(func(c, d vec) { best = min(best, between(a, b, c, d)) })
	})
	return max(0, best-s.radius-o.radius)
}

// toSegment returns the distance from the point p to the segment ab [nm].
func toSegment(p, a, b vec) float64 {
	d, q := b.sub(a), p.sub(a)
	if l := d.dot(d); l > 0 {
		t := min(1, max(0, q.dot(d)/l))
		q = q.sub(vec{d.x * t, d.y * t})
	}
	return q.length()
}

// between returns the distance between the segments ab and cd [nm]. It is 0 if they cross, and
// otherwise the smallest distance from an end point to the other segment.
func between(a, b, c, d vec) float64 {
	ab, cd := b.sub(a), d.sub(c)
	if ab.cross(c.sub(a))*ab.cross(d.sub(a)) < 0 && cd.cross(a.sub(c))*cd.cross(b.sub(c)) < 0 {
		return 0
	}
	return min(toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b))
}
