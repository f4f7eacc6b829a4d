package geom

import (
	"cmp"
	"math"
	"slices"
)

// Polygon is a closed outline in counter-clockwise order; its last point connects to the first.
type Polygon []Point

// Area returns the area [nm²] by the shoelace formula. It is negative for clockwise order and 0 for
// fewer than three points.
func (g Polygon) Area() float64 {
	sum := 0.0
	for i, p := range g {
		// Subtracting the first corner preserves precision far from the origin.
		q := g[(i+1)%len(g)]
		sum += float64(p.X-g[0].X)*float64(q.Y-g[0].Y) - float64(q.X-g[0].X)*float64(p.Y-g[0].Y)
	}
	return sum / 2
}

// Bounds returns the bounding box of a polygon, or the zero Rect for an empty polygon.
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

// Translated returns the polygon moved by d.
func (g Polygon) Translated(d Point) Polygon {
	out := make(Polygon, len(g))
	for i, p := range g {
		out[i] = p.Add(d)
	}
	return out
}

// Contains reports whether a point is inside a polygon or on its sides, by the even-odd rule. It is
// exact for coordinates within ±1 m.
func (g Polygon) Contains(p Point) bool {
	inside := false
	for i, a := range g {
		b := g[(i+1)%len(g)]
		if onSegment(a, b, p) {
			return true
		}
		if (a.Y > p.Y) != (b.Y > p.Y) && (Turn(a, b, p) > 0) == (b.Y > a.Y) {
			inside = !inside
		}
	}
	return inside
}

// SideDistance returns the distance from a point to the nearest side [nm], or +Inf for an empty
// polygon.
func (g Polygon) SideDistance(p Point) float64 {
	best := math.Inf(1)
	for i, a := range g {
		best = min(best, PointSegment(VecOf(p), VecOf(a), VecOf(g[(i+1)%len(g)])))
	}
	return best
}

// Distance returns the distance from a point to a polygon [nm]. It is 0 inside the polygon.
func (g Polygon) Distance(p Point) float64 {
	if g.Contains(p) {
		return 0
	}
	return g.SideDistance(p)
}

// Covers reports whether a polygon covers an outline up to a margin [nm] at the sides of the
// outline. It must have 90 % of the area of the outline.
func (g Polygon) Covers(outline Polygon, margin float64) bool {
	return math.Abs(g.Area()) >= 0.9*math.Abs(outline.Area()) &&
		!slices.ContainsFunc(outline, func(p Point) bool { return g.Distance(p) > margin })
}

// Hull returns the convex hull in counter-clockwise order (Andrew's monotone chain), or nil for
// fewer than three points. It sorts the points in place.
func Hull(p []Point) Polygon {
	slices.SortFunc(p, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	p = slices.Compact(p)
	if len(p) < 3 {
		return nil
	}
	half := func(p []Point) Polygon {
		var h Polygon
		for _, q := range p {
			for len(h) > 1 && Turn(h[len(h)-2], h[len(h)-1], q) <= 0 {
				h = h[:len(h)-1]
			}
			h = append(h, q)
		}
		return h[:len(h)-1]
	}
	lower := half(p)
	slices.Reverse(p)
	return append(lower, half(p)...)
}

// Crossing returns the indices of two sides of a polygon that touch other than at a common corner,
// or -1, -1 for a simple polygon. A side of zero length is also reported.
func (g Polygon) Crossing() (int, int) {
	n := len(g)
	for i := range n {
		if g[i] == g[(i+1)%n] {
			return i, (i + 1) % n
		}
		for j := i + 1; j < n; j++ {
			a, b, c, d := g[i], g[(i+1)%n], g[j], g[(j+1)%n]
			if j == i+1 || (i == 0 && j == n-1) {
				// Adjacent sides share a point, but folding back onto each other also counts as
				// touching.
				shared, p, r := b, a, d
				if i == 0 && j == n-1 {
					shared, p, r = a, b, c
				}
				if Turn(p, shared, r) == 0 && p.Sub(shared).Dot(r.Sub(shared)) > 0 {
					return i, j
				}
				continue
			}
			if SegmentsIntersect(a, b, c, d) {
				return i, j
			}
		}
	}
	return -1, -1
}

// ClippedArea returns the area of the intersection of a polygon and a convex counter-clockwise
// window [nm²] (Sutherland–Hodgman clipping). If clipping splits the polygon, the edges that
// connect its parts enclose no area.
func (g Polygon) ClippedArea(window Polygon) float64 {
	rest := g.vecs()
	for i, a := range window {
		rest = clip(rest, VecOf(a), VecOf(window[(i+1)%len(window)]))
	}
	sum := 0.0
	for k, p := range rest {
		q := rest[(k+1)%len(rest)]
		sum += (p.X-rest[0].X)*(q.Y-rest[0].Y) - (q.X-rest[0].X)*(p.Y-rest[0].Y)
	}
	return math.Abs(sum) / 2
}

// Inset returns a simple counter-clockwise polygon with all sides moved inwards by d [nm]. It
// returns nil if nothing is left, and if the rest of a polygon that is not convex has several
// parts.
func (g Polygon) Inset(d int64) Polygon {
	g = slices.Compact(slices.Clone(g)) // a corner that is there twice hides its turn
	if n := len(g); n > 1 && g[0] == g[n-1] {
		g = g[:n-1]
	}
	rest := g.vecs()
	for i, a := range g {
		b, c := g[(i+1)%len(g)], g[(i+2)%len(g)]
		if Turn(a, b, c) < 0 {
			return g.mitredInset(float64(d))
		}
		along := VecOf(b.Sub(a))
		length := math.Hypot(along.X, along.Y)
		if length == 0 {
			continue
		}
		move := Vec{X: -along.Y / length * float64(d), Y: along.X / length * float64(d)}
		from := Vec{X: float64(a.X) + move.X, Y: float64(a.Y) + move.Y}
		rest = clip(rest, from, Vec{X: from.X + along.X, Y: from.Y + along.Y})
	}
	return rounded(rest)
}

// rounded returns a polygon with corners in whole nanometres, or nil for fewer than three corners.
func rounded(g []Vec) Polygon {
	var out Polygon
	for _, p := range g {
		at := Point{int64(math.Round(p.X)), int64(math.Round(p.Y))}
		if len(out) == 0 || out[len(out)-1] != at && out[0] != at {
			out = append(out, at)
		}
	}
	if len(out) < 3 {
		return nil
	}
	return out
}

func (g Polygon) vecs() []Vec {
	out := make([]Vec, len(g))
	for i, p := range g {
		out[i] = VecOf(p)
	}
	return out
}

// clip returns the part of a polygon on the left side of the line from a to b.
func clip(g []Vec, a, b Vec) []Vec {
	inward := func(p Vec) float64 { return (b.X-a.X)*(p.Y-a.Y) - (b.Y-a.Y)*(p.X-a.X) }
	var kept []Vec
	for k, p := range g {
		q := g[(k+1)%len(g)]
		u, v := inward(p), inward(q)
		if u >= 0 {
			kept = append(kept, p)
		}
		if (u >= 0) != (v >= 0) {
			kept = append(kept, Lerp(p, q, u/(u-v)))
		}
	}
	return kept
}

// Turn returns the direction of the turn from p via q to r: 1 for left, -1 for right, and 0 for
// collinear points. It is exact for coordinates within ±1 m.
func Turn(p, q, r Point) int {
	u, v := q.Sub(p), r.Sub(p)
	switch cross := u.X*v.Y - u.Y*v.X; {
	case cross > 0:
		return 1
	case cross < 0:
		return -1
	}
	return 0
}

// onSegment reports whether r is on the closed segment pq.
func onSegment(p, q, r Point) bool {
	return min(p.X, q.X) <= r.X && r.X <= max(p.X, q.X) &&
		min(p.Y, q.Y) <= r.Y && r.Y <= max(p.Y, q.Y) && Turn(p, q, r) == 0
}

// SegmentsIntersect reports whether two closed segments share a point.
func SegmentsIntersect(a, b, c, d Point) bool {
	t1, t2, t3, t4 := Turn(a, b, c), Turn(a, b, d), Turn(c, d, a), Turn(c, d, b)
	if t1 != t2 && t3 != t4 {
		return true
	}
	on := func(p, q, r Point) bool {
		return Turn(p, q, r) == 0 && min(p.X, q.X) <= r.X && r.X <= max(p.X, q.X) &&
			min(p.Y, q.Y) <= r.Y && r.Y <= max(p.Y, q.Y)
	}
	return on(a, b, c) || on(a, b, d) || on(c, d, a) || on(c, d, b)
}

// SegmentEntersRect reports whether the segment ab enters the open rectangle (Liang–Barsky
// clipping).
func SegmentEntersRect(a, b Point, r Rect) bool {
	if max(a.X, b.X) <= r.Min.X || min(a.X, b.X) >= r.Max.X || max(a.Y, b.Y) <= r.Min.Y ||
		min(a.Y, b.Y) >= r.Max.Y {
		return false // most segments are far from the rectangle
	}
	t0, t1 := 0.0, 1.0
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	for _, e := range [4][2]float64{
		{-dx, float64(a.X - r.Min.X)}, {dx, float64(r.Max.X - a.X)}, {-dy, float64(a.Y - r.Min.Y)},
		{dy, float64(r.Max.Y - a.Y)},
	} {
		switch {
		case e[0] == 0:
			if e[1] <= 0 {
				return false
			}
		case e[0] < 0:
			t0 = max(t0, e[1]/e[0])
		default:
			t1 = min(t1, e[1]/e[0])
		}
	}
	return t0 < t1
}

// ConvexOverlap reports whether the interiors of two convex counter-clockwise polygons intersect
// (separating axis theorem). Touching does not count.
func ConvexOverlap(p, q Polygon) bool { return !p.separates(q) && !q.separates(p) }

// separates reports whether a side of g separates the polygons, so that every corner of q lies
// beyond its line or on it.
func (g Polygon) separates(q Polygon) bool {
	for i, a := range g {
		b, apart := g[(i+1)%len(g)], true
		for _, c := range q {
			apart = apart && Turn(a, b, c) <= 0
		}
		if apart {
			return true
		}
	}
	return false
}

// Simple returns the polygon in counter-clockwise order, without consecutive equal corners.
func (g Polygon) Simple() Polygon {
	out := slices.Compact(slices.Clone(g))
	for len(out) > 1 && out[0] == out[len(out)-1] {
		out = out[:len(out)-1]
	}
	if out.Area() < 0 {
		slices.Reverse(out)
	}
	return out
}

// Boxes divides a polygon with horizontal and vertical sides into disjoint rectangles. The polygon
// must not cross itself.
func (g Polygon) Boxes() []Rect {
	var rows []int64
	for _, p := range g {
		rows = append(rows, p.Y)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	var out []Rect
	for i := range max(0, len(rows)-1) {
		low, high := rows[i], rows[i+1]
		var sides []int64 // x of the vertical sides in this row
		for k, a := range g {
			b := g[(k+1)%len(g)]
			if a.X == b.X && min(a.Y, b.Y) <= low && max(a.Y, b.Y) >= high {
				sides = append(sides, a.X)
			}
		}
		slices.Sort(sides)
		for k := 0; k+1 < len(sides); k += 2 {
			below := slices.IndexFunc(out, func(r Rect) bool {
				return r.Max.Y == low && r.Min.X == sides[k] && r.Max.X == sides[k+1]
			})
			if below >= 0 {
				out[below].Max.Y = high
				continue
			}
			out = append(out, Rect{Min: Point{X: sides[k], Y: low},
				Max: Point{X: sides[k+1], Y: high}})
		}
	}
	return out
}
