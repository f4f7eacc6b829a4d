package geom

import "math"

// Vec is a position or direction in nanometres. Products are rounded by conversions before they are
// added, so machines with fused multiply-add get equal results.
type Vec struct{ X, Y float64 }

// VecOf converts a Point to a Vec.
func VecOf(p Point) Vec { return Vec{float64(p.X), float64(p.Y)} }

// Add returns a + b.
func (a Vec) Add(b Vec) Vec { return Vec{a.X + b.X, a.Y + b.Y} }

// Sub returns a - b.
func (a Vec) Sub(b Vec) Vec { return Vec{a.X - b.X, a.Y - b.Y} }

// Dot returns the dot product [nm²].
func (a Vec) Dot(b Vec) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) }

// Cross returns the z component of the cross product [nm²].
func (a Vec) Cross(b Vec) float64 { return float64(a.X*b.Y) - float64(a.Y*b.X) }

// Length returns the Euclidean length [nm].
func (a Vec) Length() float64 { return math.Hypot(a.X, a.Y) }

// Scale returns k·a.
func (a Vec) Scale(k float64) Vec { return Vec{float64(a.X * k), float64(a.Y * k)} }

// Lerp returns the point a + t·(b-a). It is a for t = 0 and b for t = 1.
func Lerp(a, b Vec, t float64) Vec { return a.Add(b.Sub(a).Scale(t)) }

// Box is an axis-parallel rectangle [nm].
type Box struct{ X0, Y0, X1, Y1 float64 }

// EmptyBox returns the bounding box of an empty set of points.
func EmptyBox() Box { return Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

// With returns the box extended to contain p.
func (b Box) With(p Vec) Box {
	return Box{min(b.X0, p.X), min(b.Y0, p.Y), max(b.X1, p.X), max(b.Y1, p.Y)}
}

// Union returns the smallest box that contains two boxes.
func (b Box) Union(o Box) Box {
	return Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
}

// Grown returns the box expanded by d [nm] on every side.
func (b Box) Grown(d float64) Box { return Box{b.X0 - d, b.Y0 - d, b.X1 + d, b.Y1 + d} }

// Intersects reports whether two boxes share at least one point.
func (b Box) Intersects(o Box) bool {
	return b.X0 <= o.X1 && o.X0 <= b.X1 && b.Y0 <= o.Y1 && o.Y0 <= b.Y1
}

// Contains reports whether p is in the box or on its border.
func (b Box) Contains(p Vec) bool {
	return p.X >= b.X0 && p.X <= b.X1 && p.Y >= b.Y0 && p.Y <= b.Y1
}

// nearestOnSegment returns the point on the segment ab closest to p.
func nearestOnSegment(p, a, b Vec) Vec {
	d := b.Sub(a)
	l := d.Dot(d)
	if l == 0 {
		return a
	}
	t := p.Sub(a).Dot(d) / l
	switch {
	case t <= 0:
		return a
	case t >= 1:
		return b
	}
	return Lerp(a, b, t)
}

// PointSegment returns the distance from p to the segment ab [nm]. If the foot of the perpendicular
// lies on the segment, the distance follows from the cross product. The coordinates of the foot
// would be rounded.
func PointSegment(p, a, b Vec) float64 {
	d := b.Sub(a)
	l := d.Dot(d)
	if l == 0 {
		return p.Sub(a).Length()
	}
	switch t := p.Sub(a).Dot(d); {
	case t <= 0:
		return p.Sub(a).Length()
	case t >= l:
		return p.Sub(b).Length()
	}
	return math.Abs(d.Cross(p.Sub(a))) / math.Sqrt(l)
}

// segmentDistance returns the distance between two segments [nm] and their closest points. If
// rounding hides a crossing, an end point lies on the other segment. The distance is then of the
// order of the rounding error.
func segmentDistance(a0, a1, b0, b1 Vec) (d float64, onA, onB Vec) {
	u, v := a1.Sub(a0), b1.Sub(b0)
	s0, s1 := u.Cross(b0.Sub(a0)), u.Cross(b1.Sub(a0))
	t0, t1 := v.Cross(a0.Sub(b0)), v.Cross(a1.Sub(b0))
	if (s0 < 0) != (s1 < 0) && s0 != 0 && s1 != 0 && (t0 < 0) != (t1 < 0) && t0 != 0 && t1 != 0 {
		at := Lerp(b0, b1, s0/(s0-s1))
		return 0, at, at
	}
	d = PointSegment(a0, b0, b1)
	onA, onB = a0, nearestOnSegment(a0, b0, b1)
	if e := PointSegment(a1, b0, b1); e < d {
		d, onA, onB = e, a1, nearestOnSegment(a1, b0, b1)
	}
	if e := PointSegment(b0, a0, a1); e < d {
		d, onA, onB = e, nearestOnSegment(b0, a0, a1), b0
	}
	if e := PointSegment(b1, a0, a1); e < d {
		d, onA, onB = e, nearestOnSegment(b1, a0, a1), b1
	}
	return d, onA, onB
}
