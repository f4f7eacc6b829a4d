package geom

import (
	"math"
	"slices"
	"testing"
)

// TestStrips verifies that the strips of a polygon cover it, and with little more area. A rectangle
// has one strip.
func TestStrips(t *testing.T) {
	turned := func(deg float64, g Polygon) Polygon {
		out := Polygon{}
		for _, p := range g {
			out = append(out, p.Rotated(deg))
		}
		return out
	}
	rectangle := Polygon{{X: 1e6, Y: 1e6}, {X: 9e6, Y: 1e6}, {X: 9e6, Y: 5e6}, {X: 1e6, Y: 5e6}}
	c := Polygon{{}, {X: 6e6}, {X: 6e6, Y: 1e6}, {X: 1e6, Y: 1e6}, {X: 1e6, Y: 5e6},
		{X: 6e6, Y: 5e6}, {X: 6e6, Y: 6e6}, {Y: 6e6}}
	for _, k := range []struct {
		name  string
		g     Polygon
		one   bool
		extra float64 // largest additional area [nm²]
	}{
		{"rectangle", rectangle, true, 0},
		{"turned by 90°", turned(90, rectangle), true, 0},
		{"turned by 30°", turned(30, rectangle), false, 4e12},
		{"C", c, false, 1.5e12},
		{"C turned by 45°", turned(45, c), false, 4e12},
	} {
		area, strips := 0.0, k.g.Strips(1e5, 200)
		for _, s := range strips {
			area += float64(s.Width()) * float64(s.Height())
		}
		if own := math.Abs(k.g.Area()); area < own*(1-1e-6) || area > own+k.extra ||
			(len(strips) == 1) != k.one {
			t.Errorf("%s: %d strips of %.2f mm² for %.2f mm²", k.name, len(strips), area/1e12,
				own/1e12)
		}
	}
}

// TestStripsOfComb verifies that the strips of a comb, which has many in a row, are not more than
// twice the number of rows.
func TestStripsOfComb(t *testing.T) {
	const teeth, most = 90, 32
	comb := Polygon{{X: 0, Y: -1e6}}
	for i := range int64(teeth) {
		comb = append(comb, Point{X: i * 1e6}, Point{X: i * 1e6, Y: 50e6},
			Point{X: i*1e6 + 5e5, Y: 50e6}, Point{X: i*1e6 + 5e5})
	}
	comb = append(comb, Point{X: 89.5e6, Y: -1e6})
	strips := comb.Strips(1e5, most)
	if len(strips) == 0 || len(strips) > 2*most {
		t.Errorf("%d strips", len(strips))
	}
	for _, p := range comb {
		in := func(r Rect) bool {
			return r.Min.X <= p.X && p.X <= r.Max.X && r.Min.Y <= p.Y && p.Y <= r.Max.Y
		}
		if !slices.ContainsFunc(strips, in) {
			t.Errorf("no strip covers %v", p)
		}
	}
}
