package geom

import (
	"cmp"
	"math"
	"slices"
)

// IsRectangle reports whether a polygon is a rectangle with horizontal and vertical sides.
func (g Polygon) IsRectangle() bool {
	box := g.Bounds()
	whole := float64(box.Width()) * float64(box.Height())
	return len(g) == 4 && math.Abs(g.Area()) >= whole*(1-1e-9)
}

// Strips returns rectangles that cover a polygon: its bounding box if it is a rectangle, or else
// horizontal strips. The strips have at most the given height [nm]. They are higher if this
// requires more than most rows, or more than twice as many strips, as for the teeth of a comb.
func (g Polygon) Strips(height, most int64) []Rect {
	box := g.Bounds()
	if g.IsRectangle() {
		return []Rect{box}
	}
	for n := max(1, min(most, 1+box.Height()/height)); ; n /= 2 {
		if out := g.rows(n); n == 1 || int64(len(out)) <= 2*most {
			return out
		}
	}
}

// rows returns the strips of a polygon in n rows of equal height.
func (g Polygon) rows(n int64) []Rect {
	var out []Rect
	box := g.Bounds()
	for i := range n {
		low := box.Min.Y + box.Height()*i/n
		high := box.Min.Y + box.Height()*(i+1)/n
		for _, s := range g.spans(float64(low), float64(high)) {
			out = append(out, Rect{Min: Point{X: int64(math.Floor(s[0])), Y: low},
				Max: Point{X: int64(math.Ceil(s[1])), Y: high}})
		}
	}
	return out
}

// spans returns the x intervals [nm] that a polygon covers for at least one y from low to high.
func (g Polygon) spans(low, high float64) [][2]float64 {
	var all [][2]float64
	var cuts [2][]float64
	for i, p := range g {
		a, c := VecOf(p), VecOf(g[(i+1)%len(g)])
		if a.Y > c.Y {
			a, c = c, a
		}
		if c.Y < low || a.Y > high {
			continue
		}
		at := func(y float64) float64 {
			if c.Y == a.Y {
				return a.X
			}
			return a.X + (c.X-a.X)*(max(a.Y, min(c.Y, y))-a.Y)/(c.Y-a.Y)
		}
		x0, x1 := at(low), at(high)
		if c.Y == a.Y {
			x0, x1 = a.X, c.X
		}
		all = append(all, [2]float64{min(x0, x1), max(x0, x1)})
		for k, y := range []float64{low, high} {
			if (a.Y > y) != (c.Y > y) {
				cuts[k] = append(cuts[k], at(y))
			}
		}
	}
	for _, c := range cuts {
		slices.Sort(c)
		for i := 0; i+1 < len(c); i += 2 {
			all = append(all, [2]float64{c[i], c[i+1]})
		}
	}
	slices.SortFunc(all, func(p, q [2]float64) int { return cmp.Compare(p[0], q[0]) })
	var out [][2]float64
	for _, s := range all {
		if k := len(out) - 1; k >= 0 && s[0] <= out[k][1] {
			out[k][1] = max(out[k][1], s[1])
		} else {
			out = append(out, s)
		}
	}
	return out
}
