package board

import "math"

// Units of length in nanometres.
const (
	Micrometre int64 = 1e3
	Millimetre int64 = 1e6
)

// MM is a length in millimetres as nanometres, rounded to the nearest.
func MM(mm float64) int64 { return int64(math.Round(mm * 1e6)) }

// ToMM is a length in nanometres as millimetres.
func ToMM(nm int64) float64 { return float64(nm) / 1e6 }

// Point is a position on the board, or a vector.
type Point struct{ X, Y int64 }

// Add moves a point.
func (p Point) Add(d Point) Point { return Point{p.X + d.X, p.Y + d.Y} }

// Sub is the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Rotated turns a point about the origin, in degrees counter-clockwise. Quarter turns are exact.
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
	return Point{int64(math.Round(float64(x*cos) - float64(y*sin))), int64(math.Round(float64(x*sin) + float64(y*cos)))}
}

// Distance between two points in nanometres.
func Distance(p, q Point) float64 {
	return math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y))
}

// Rect is an axis-parallel rectangle, Min inclusive and Max inclusive.
type Rect struct{ Min, Max Point }

// Width and Height of a rectangle.
func (r Rect) Width() int64 { return r.Max.X - r.Min.X }

// Height of a rectangle.
func (r Rect) Height() int64 { return r.Max.Y - r.Min.Y }

// Grown is the rectangle with d more on every side.
func (r Rect) Grown(d int64) Rect {
	return Rect{Point{r.Min.X - d, r.Min.Y - d}, Point{r.Max.X + d, r.Max.Y + d}}
}

// Overlaps reports whether two rectangles share area; touching is not overlapping.
func (r Rect) Overlaps(o Rect) bool {
	return r.Min.X < o.Max.X && o.Min.X < r.Max.X && r.Min.Y < o.Max.Y && o.Min.Y < r.Max.Y
}

// Contains reports whether a point lies in the rectangle or on its sides.
func (r Rect) Contains(p Point) bool {
	return r.Min.X <= p.X && p.X <= r.Max.X && r.Min.Y <= p.Y && p.Y <= r.Max.Y
}

// Polygon is a closed outline, the last point joined to the first, counter-clockwise.
type Polygon []Point

// Area is the polygon's area in nm² by the shoelace formula, negative when it runs clockwise and
// 0 for fewer than three points.
func (g Polygon) Area() float64 {
	sum := 0.0
	for i, p := range g {
		// From the first corner, so that the products keep their digits far from the origin.
		q := g[(i+1)%len(g)]
		sum += float64(p.X-g[0].X)*float64(q.Y-g[0].Y) - float64(q.X-g[0].X)*float64(p.Y-g[0].Y)
	}
	return sum / 2
}

// Bounds is the smallest rectangle around a polygon; the zero Rect for an empty one.
func (g Polygon) Bounds() Rect {
	if len(g) == 0 {
		return Rect{}
	}
	r := Rect{g[0], g[0]}
	for _, p := range g {
		r.Min.X, r.Min.Y = min(r.Min.X, p.X), min(r.Min.Y, p.Y)
		r.Max.X, r.Max.Y = max(r.Max.X, p.X), max(r.Max.Y, p.Y)
	}
	return r
}
