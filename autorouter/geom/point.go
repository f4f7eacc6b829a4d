package geom

import "math"

// Point is a position or a vector in whole nanometres.
type Point struct{ X, Y int64 }

// Add returns p translated by d.
func (p Point) Add(d Point) Point { return Point{p.X + d.X, p.Y + d.Y} }

// Sub returns the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Dot returns the dot product of two vectors [nm²].
func (p Point) Dot(q Point) int64 { return p.X*q.X + p.Y*q.Y }

// Cross returns the cross product of two vectors [nm²].
func (p Point) Cross(q Point) int64 { return p.X*q.Y - p.Y*q.X }

// Rotated returns p rotated about the origin by an angle in degrees, counter-clockwise. Multiples
// of 90 degrees are exact.
func (p Point) Rotated(degrees float64) Point {
	switch math.Mod(math.Mod(degrees, 360)+360, 360) {
	case 0:
		return p
	case 90:
		return Point{-p.Y, p.X}
	case 180:
		return Point{-p.X, -p.Y}
	case 270:
		return Point{p.Y, -p.X}
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	x, y := float64(p.X), float64(p.Y)
	return Point{int64(math.Round(float64(x*cos) - float64(y*sin))),
		int64(math.Round(float64(x*sin) + float64(y*cos)))}
}

// Distance returns the distance between two points [nm].
func (p Point) Distance(q Point) float64 {
	return math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y))
}

// Rect is an axis-parallel rectangle; Min and Max are both inclusive.
type Rect struct{ Min, Max Point }

// Width returns the size in x [nm].
func (r Rect) Width() int64 { return r.Max.X - r.Min.X }

// Height returns the size in y [nm].
func (r Rect) Height() int64 { return r.Max.Y - r.Min.Y }

// Grown returns the rectangle expanded by d [nm] on every side.
func (r Rect) Grown(d int64) Rect {
	return Rect{Point{r.Min.X - d, r.Min.Y - d}, Point{r.Max.X + d, r.Max.Y + d}}
}

// Overlaps reports whether the interiors of two rectangles intersect; touching does not count.
func (r Rect) Overlaps(o Rect) bool {
	return r.Min.X < o.Max.X && o.Min.X < r.Max.X && r.Min.Y < o.Max.Y && o.Min.Y < r.Max.Y
}

// Contains reports whether a point lies in the rectangle or on its sides.
func (r Rect) Contains(p Point) bool {
	return r.Min.X <= p.X && p.X <= r.Max.X && r.Min.Y <= p.Y && p.Y <= r.Max.Y
}

// Translated returns the rectangle translated by d.
func (r Rect) Translated(d Point) Rect { return Rect{r.Min.Add(d), r.Max.Add(d)} }

// Union returns the smallest rectangle that contains two rectangles.
func (r Rect) Union(o Rect) Rect {
	r.Min.X, r.Min.Y = min(r.Min.X, o.Min.X), min(r.Min.Y, o.Min.Y)
	r.Max.X, r.Max.Y = max(r.Max.X, o.Max.X), max(r.Max.Y, o.Max.Y)
	return r
}

// Corners returns the corners in counter-clockwise order from the lower left.
func (r Rect) Corners() Polygon {
	return Polygon{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
