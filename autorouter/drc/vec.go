package drc

import (
	"math"

	"slipstick/autorouter/board"
)

// tolerance of every comparison, in nanometres: half of the smallest step of the exported files.
const tolerance = 0.5

// vec is a place or a direction in nanometres. Products are rounded before they are summed
// (the conversions), so that machines with a fused multiply-add give the same answer.
type vec struct{ x, y float64 }

func vecOf(p board.Point) vec         { return vec{float64(p.X), float64(p.Y)} }
func (a vec) add(b vec) vec           { return vec{a.x + b.x, a.y + b.y} }
func (a vec) sub(b vec) vec           { return vec{a.x - b.x, a.y - b.y} }
func (a vec) dot(b vec) float64       { return float64(a.x*b.x) + float64(a.y*b.y) }
func (a vec) cross(b vec) float64     { return float64(a.x*b.y) - float64(a.y*b.x) }
func (a vec) length() float64         { return math.Hypot(a.x, a.y) }
func (a vec) times(k float64) vec     { return vec{float64(a.x * k), float64(a.y * k)} }
func between(a, b vec, t float64) vec { return a.add(b.sub(a).times(t)) }

// box is an axis-parallel rectangle.
type box struct{ x0, y0, x1, y1 float64 }

func emptyBox() box { return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

func (b box) with(p vec) box {
	return box{min(b.x0, p.x), min(b.y0, p.y), max(b.x1, p.x), max(b.y1, p.y)}
}

func (b box) union(o box) box {
	return box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}

func (b box) grown(d float64) box { return box{b.x0 - d, b.y0 - d, b.x1 + d, b.y1 + d} }

// meets reports whether two boxes share a point.
func (b box) meets(o box) bool {
	return b.x0 <= o.x1 && o.x0 <= b.x1 && b.y0 <= o.y1 && o.y0 <= b.y1
}

func (b box) contains(p vec) bool { return p.x >= b.x0 && p.x <= b.x1 && p.y >= b.y0 && p.y <= b.y1 }

// onSegment is the point of the segment a-b that is nearest to p.
func onSegment(p, a, b vec) vec {
	d := b.sub(a)
	l := d.dot(d)
	if l == 0 {
		return a
	}
	t := p.sub(a).dot(d) / l
	switch {
	case t <= 0:
		return a
	case t >= 1:
		return b
	}
	return between(a, b, t)
}

// pointSegment is the distance of p from the segment a-b. Beside the segment it comes from the
// cross product, not from the foot of the perpendicular, whose coordinates are rounded.
func pointSegment(p, a, b vec) float64 {
	d := b.sub(a)
	l := d.dot(d)
	if l == 0 {
		return p.sub(a).length()
	}
	switch t := p.sub(a).dot(d); {
	case t <= 0:
		return p.sub(a).length()
	case t >= l:
		return p.sub(b).length()
	}
	return math.Abs(d.cross(p.sub(a))) / math.Sqrt(l)
}

// segments is the distance of two segments and their nearest points. Where rounding hides that
// they cross, an end lies on the other segment and the distance is as small as the rounding.
func segments(a0, a1, b0, b1 vec) (d float64, onA, onB vec) {
	u, v := a1.sub(a0), b1.sub(b0)
	s0, s1 := u.cross(b0.sub(a0)), u.cross(b1.sub(a0))
	t0, t1 := v.cross(a0.sub(b0)), v.cross(a1.sub(b0))
	if (s0 < 0) != (s1 < 0) && s0 != 0 && s1 != 0 && (t0 < 0) != (t1 < 0) && t0 != 0 && t1 != 0 {
		at := between(b0, b1, s0/(s0-s1))
		return 0, at, at
	}
	d = pointSegment(a0, b0, b1)
	onA, onB = a0, onSegment(a0, b0, b1)
	if e := pointSegment(a1, b0, b1); e < d {
		d, onA, onB = e, a1, onSegment(a1, b0, b1)
	}
	if e := pointSegment(b0, a0, a1); e < d {
		d, onA, onB = e, onSegment(b0, a0, a1), b0
	}
	if e := pointSegment(b1, a0, a1); e < d {
		d, onA, onB = e, onSegment(b1, a0, a1), b1
	}
	return d, onA, onB
}
