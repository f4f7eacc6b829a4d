package geom

import "math"

// Shape is the set of points within R of a convex core with the corners P[:N] in counter-clockwise
// order. A core of one corner gives a disc, two give a stadium, and four give a rectangle or
// rounded rectangle. Every pad, track, via and slot of a board has this form, so distances are
// exact and no arc is approximated.
type Shape struct {
	P [4]Vec
	N int
	R float64 // [nm]
}

// Disc returns the shape of a via, a round pad or a hole of the given diameter [nm].
func Disc(at Point, diameter int64) Shape {
	return Shape{P: [4]Vec{VecOf(at)}, N: 1, R: float64(diameter) / 2}
}

// Segment returns the shape of a straight track with round ends and the given width [nm].
func Segment(a, b Point, width int64) Shape { return Stadium(VecOf(a), VecOf(b), float64(width)/2) }

// Stadium returns the set of points within r [nm] of the segment ab. A zero-length segment gives a
// disc.
func Stadium(a, b Vec, r float64) Shape {
	if a == b {
		return Shape{P: [4]Vec{a}, N: 1, R: r}
	}
	return Shape{P: [4]Vec{a, b}, N: 2, R: r}
}

// RectShape returns the shape of an axis-parallel rectangle.
func RectShape(r Rect) Shape {
	return Shape{P: [4]Vec{VecOf(r.Min), {float64(r.Max.X), float64(r.Min.Y)}, VecOf(r.Max),
		{float64(r.Min.X), float64(r.Max.Y)}}, N: 4}
}

// RoundedRect returns the set of points within r [nm] of a rectangle with centre at and half sizes
// hw and hh [nm]. The rectangle is rotated counter-clockwise by an angle in degrees. With a half
// size of zero the core is a segment or a point.
func RoundedRect(at Vec, hw, hh, degrees, r float64) Shape {
	u, v := axes(degrees)
	u, v = u.Scale(hw), v.Scale(hh)
	switch {
	case hw <= 0 && hh <= 0:
		return Shape{P: [4]Vec{at}, N: 1, R: r}
	case hh <= 0:
		return Shape{P: [4]Vec{at.Sub(u), at.Add(u)}, N: 2, R: r}
	case hw <= 0:
		return Shape{P: [4]Vec{at.Sub(v), at.Add(v)}, N: 2, R: r}
	}
	return Shape{P: [4]Vec{at.Sub(u).Sub(v), at.Add(u).Sub(v), at.Add(u).Add(v), at.Sub(u).Add(v)},
		N: 4, R: r}
}

// axes returns the unit vectors of the x and y axes after a counter-clockwise rotation by an angle
// in degrees. Multiples of 90 degrees are exact.
func axes(degrees float64) (u, v Vec) {
	switch math.Mod(math.Mod(degrees, 360)+360, 360) {
	case 0:
		return Vec{1, 0}, Vec{0, 1}
	case 90:
		return Vec{0, 1}, Vec{-1, 0}
	case 180:
		return Vec{-1, 0}, Vec{0, -1}
	case 270:
		return Vec{0, -1}, Vec{1, 0}
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return Vec{cos, sin}, Vec{-sin, cos}
}

// Quad returns the shape of a convex polygon with four counter-clockwise corners. It returns false
// for another number of corners, or if the polygon does not turn left at its first corner.
func Quad(g Polygon) (Shape, bool) {
	if len(g) != 4 {
		return Shape{}, false
	}
	s := Shape{P: [4]Vec{VecOf(g[0]), VecOf(g[1]), VecOf(g[2]), VecOf(g[3])}, N: 4}
	return s, s.P[1].Sub(s.P[0]).Cross(s.P[3].Sub(s.P[0])) > 0
}

// Bounds returns the bounding box of the shape, rounded outwards.
func (s *Shape) Bounds() Rect {
	lo, hi := s.P[0], s.P[0]
	for _, p := range s.P[1:s.N] {
		lo.X, lo.Y = min(lo.X, p.X), min(lo.Y, p.Y)
		hi.X, hi.Y = max(hi.X, p.X), max(hi.Y, p.Y)
	}
	return Rect{
		Min: Point{X: int64(math.Floor(lo.X - s.R)), Y: int64(math.Floor(lo.Y - s.R))},
		Max: Point{X: int64(math.Ceil(hi.X + s.R)), Y: int64(math.Ceil(hi.Y + s.R))},
	}
}

// Boxed is a shape with its bounding box, for use in an index.
type Boxed struct {
	Shape
	Box Box
}

// Boxed returns the shape with its bounding box.
func (s Shape) Boxed() Boxed {
	box := EmptyBox()
	for _, p := range s.P[:s.N] {
		box = box.With(p)
	}
	return Boxed{s, box.Grown(s.R)}
}

// To returns the signed distance [nm] from a point to the boundary of the shape, negative inside.
// Inside a core with area it returns -R instead of the actual depth.
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

// Distance returns the distance between two shapes [nm]. It is zero or negative if they overlap;
// its magnitude is then at most the sum of the radii and not the penetration depth. Gap also
// returns the position but is slower.
func Distance(a, b *Shape) float64 {
	if a.N > b.N {
		a, b = b, a
	}
	if a.N == 1 {
		return b.To(a.P[0].X, a.P[0].Y) - a.R
	}
	if b.N == 4 && b.inCore(a.P[0]) || a.N == 4 && a.inCore(b.P[0]) {
		return -a.R - b.R
	}
	best := math.Inf(1)
	for i := range a.Edges() {
		for j := range b.Edges() {
			best = min(best, segmentsSquared(a.P[i], a.P[(i+1)%a.N], b.P[j], b.P[(j+1)%b.N]))
		}
	}
	return math.Sqrt(best) - a.R - b.R
}

// Edge returns the end points of the i-th side of the core. A core of one point has one side of
// zero length.
func (s *Shape) Edge(i int) (a, b Vec) {
	if i+1 < s.N {
		return s.P[i], s.P[i+1]
	}
	return s.P[i], s.P[0]
}

// Edges returns the number of sides of the core, at least 1.
func (s *Shape) Edges() int {
	if s.N > 2 {
		return s.N
	}
	return 1
}

// inCore reports whether p is inside a core that has area.
func (s *Shape) inCore(p Vec) bool {
	if s.N < 3 {
		return false
	}
	for i := range s.N {
		a, b := s.Edge(i)
		if b.Sub(a).Cross(p.Sub(a)) < 0 {
			return false
		}
	}
	return true
}

// Gap returns the distance between two shapes [nm] and a position midway between them. The distance
// is zero or negative if the shapes touch; its magnitude is then at most the sum of the radii.
func (s *Shape) Gap(o *Shape) (float64, Vec) {
	if o.inCore(s.P[0]) {
		return -s.R - o.R, s.P[0]
	}
	if s.inCore(o.P[0]) {
		return -s.R - o.R, o.P[0]
	}
	d := math.Inf(1)
	var p, q Vec
	for i := range s.Edges() {
		a0, a1 := s.Edge(i)
		for j := range o.Edges() {
			b0, b1 := o.Edge(j)
			if e, pe, qe := segmentDistance(a0, a1, b0, b1); e < d {
				d, p, q = e, pe, qe
			}
		}
	}
	g := d - s.R - o.R
	t := 0.5
	if d > 0 {
		t = min(1, max(0, (s.R+g/2)/d))
	}
	return g, Lerp(p, q, t)
}

// Depth returns the distance from a point p inside the shape to its border [nm], negative outside.
func (s *Shape) Depth(p Vec) float64 {
	d := math.Inf(1)
	for i := range s.Edges() {
		a, b := s.Edge(i)
		d = min(d, PointSegment(p, a, b))
	}
	if s.inCore(p) {
		return s.R + d
	}
	return s.R - d
}

// Overlap returns the penetration depth of two convex polygons without radius [nm], by the
// separating axis theorem. The depth is the length of the shortest translation along a side normal
// that separates the polygons. It is negative if they are apart.
func (s *Shape) Overlap(o *Shape) float64 {
	return min(s.penetration(o), o.penetration(s))
}

// penetration returns the depth to which o extends behind a side of s [nm], minimized over all
// sides of s. It is negative if a side separates the polygons.
func (s *Shape) penetration(o *Shape) float64 {
	least := math.Inf(1)
	for i := range s.Edges() {
		a, b := s.Edge(i)
		d := b.Sub(a)
		deepest := math.Inf(-1)
		for _, p := range o.P[:o.N] {
			deepest = max(deepest, d.Cross(p.Sub(a))/d.Length())
		}
		least = min(least, deepest)
	}
	return least
}

// CrossedBy reports whether the segment ab enters a convex polygon by more than a margin [nm]
// (Cyrus–Beck clipping against inset sides).
func (s *Shape) CrossedBy(a, b Vec, margin float64) bool {
	from, to := 0.0, 1.0
	for i := range s.Edges() {
		p, q := s.Edge(i)
		d := q.Sub(p)
		l := d.Length()
		ha, hb := d.Cross(a.Sub(p))/l-margin, d.Cross(b.Sub(p))/l-margin
		switch {
		case ha <= 0 && hb <= 0:
			return false
		case ha <= 0:
			from = max(from, ha/(ha-hb))
		case hb <= 0:
			to = min(to, ha/(ha-hb))
		}
	}
	return from < to
}

// square returns the squared distance between two points [nm²].
func square(a, b Vec) float64 {
	x, y := a.X-b.X, a.Y-b.Y
	return float64(x*x) + float64(y*y)
}

// toSegment returns the squared distance from p to the segment ab [nm²].
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

// segmentsSquared returns the squared distance between two segments [nm²].
func segmentsSquared(a, b, c, d Vec) float64 {
	if turnSign(a, b, c)*turnSign(a, b, d) < 0 && turnSign(c, d, a)*turnSign(c, d, b) < 0 {
		return 0
	}
	return min(toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b))
}

// turnSign returns the direction of the turn from a via b to p: 1 for left, -1 for right, and 0 for
// collinear points.
func turnSign(a, b, p Vec) float64 {
	v := float64((b.X-a.X)*(p.Y-a.Y)) - float64((b.Y-a.Y)*(p.X-a.X))
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
