package geom_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"slipstick/autorouter/geom"
)

// notched is a square with sides of 40 nm and a triangular notch from above. Its area is 1100 nm².
var notched = geom.Polygon{{X: 0, Y: 0}, {X: 40, Y: 0}, {X: 40, Y: 40}, {X: 20, Y: 15},
	{X: 0, Y: 40}}

// TestContains verifies the result for points inside and outside the notched square, on its sides
// and on its corners.
func TestContains(t *testing.T) {
	for _, c := range []struct {
		x, y int64
		want bool
	}{
		{20, 10, true}, {20, 15, true}, {20, 16, false}, {0, 40, true}, {0, 20, true},
		{40, 40, true},
		{-1, 20, false}, {41, 0, false}, {20, 40, false}, {20, 0, true}, {5, 33, true},
		{5, 34, false},
	} {
		if got := notched.Contains(geom.Point{X: c.x, Y: c.y}); got != c.want {
			t.Errorf("%d, %d: %v", c.x, c.y, got)
		}
	}
}

// TestContainsIsExact verifies the result for a point 1 nm beside a slanted side of about 1 m. The
// products of these coordinates exceed the precision of float64.
func TestContainsIsExact(t *testing.T) {
	const m = 1e9
	g := geom.Polygon{{X: 0, Y: 0}, {X: m, Y: 0}, {X: m, Y: m - 1}}
	if !g.Contains(geom.Point{X: m / 2, Y: m/2 - 1}) || g.Contains(geom.Point{X: m / 2, Y: m / 2}) {
		t.Error("the side from 0, 0 is off by a nanometre")
	}
}

// TestClippedArea compares ClippedArea with areas computed by hand. The notch has an area of 500
// nm², of which 20 nm² are below y = 20 nm.
func TestClippedArea(t *testing.T) {
	box := func(x0, y0, x1, y1 int64) geom.Polygon {
		return geom.Rect{Min: geom.Point{X: x0, Y: y0}, Max: geom.Point{X: x1, Y: y1}}.Corners()
	}
	for _, c := range []struct {
		name   string
		window geom.Polygon
		want   float64
	}{
		{"all", box(-5, -5, 50, 50), 1100}, {"left half", box(0, 0, 20, 40), 550},
		{"below the notch", box(0, 0, 40, 15), 600},
		{"with the tip of the notch", box(0, 0, 40, 20), 780}, {"apart", box(50, 0, 60, 10), 0},
		{"inside", box(1, 1, 3, 4), 6},
	} {
		if got := notched.ClippedArea(c.window); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestConvexOverlap(t *testing.T) {
	square := geom.Rect{Max: geom.Point{X: 10, Y: 10}}.Corners()
	diamond := func(x, y int64) geom.Polygon {
		return geom.Polygon{{X: x, Y: y - 5}, {X: x + 5, Y: y}, {X: x, Y: y + 5}, {X: x - 5, Y: y}}
	}
	for _, c := range []struct {
		name string
		g    geom.Polygon
		want bool
	}{
		{"inside", diamond(5, 5), true}, {"corner inside", diamond(14, 5), true},
		{"corner touches", diamond(15, 5), false},
		{"beside a corner, boxes overlap", diamond(13, 13), false},
		{"over a corner", diamond(12, 12), true}, {"apart", diamond(30, 0), false},
	} {
		if got := geom.ConvexOverlap(square, c.g); got != c.want ||
			geom.ConvexOverlap(c.g, square) != got {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestSegmentEntersRect verifies that a segment that only touches a rectangle from outside does not
// enter it.
func TestSegmentEntersRect(t *testing.T) {
	r := geom.Rect{Max: geom.Point{X: 10, Y: 10}}
	for _, c := range []struct {
		x0, y0, x1, y1 int64
		want           bool
	}{
		{-5, 5, 15, 5, true}, {-5, 0, 15, 0, false}, {0, -5, 0, 15, false}, {2, 2, 3, 3, true},
		{-5, 5, 5, 15, false}, {-4, 5, 5, 14, true}, {11, 0, 20, 9, false}, {-5, 5, 0, 5, false},
	} {
		if got := geom.SegmentEntersRect(geom.Point{X: c.x0, Y: c.y0}, geom.Point{X: c.x1, Y: c.y1},
			r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestCrossing(t *testing.T) {
	for _, c := range []struct {
		name string
		g    geom.Polygon
		i, j int
	}{
		{"a notched rectangle", notched, -1, -1},
		{"a bow tie", geom.Polygon{{X: 0, Y: 0}, {X: 4, Y: 4}, {X: 4, Y: 0}, {X: 0, Y: 4}}, 0, 2},
		{"a repeated point", geom.Polygon{{X: 0, Y: 0}, {X: 0, Y: 0}, {X: 4, Y: 0}}, 0, 1},
		{"a spike", geom.Polygon{{X: 0, Y: 0}, {X: 4, Y: 0}, {X: 8, Y: 0}, {X: 4, Y: 0},
			{X: 4, Y: 4}}, 0, 2},
		{"a corner on another side", geom.Polygon{{X: 0, Y: 0}, {X: 8, Y: 0}, {X: 8, Y: 8},
			{X: 4, Y: 0}, {X: 0, Y: 8}}, 0, 2},
	} {
		if i, j := c.g.Crossing(); i != c.i || j != c.j {
			t.Errorf("%s: sides %d and %d, want %d and %d", c.name, i, j, c.i, c.j)
		}
	}
}

// TestUnionFind compares the sets with an array of labels, which every union updates.
func TestUnionFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var u geom.UnionFind
	var label []int
	for i := range 60 {
		if u.Add() != i {
			t.Fatal("numbers are not consecutive")
		}
		label = append(label, i)
	}
	for range 50 {
		i, j := rng.IntN(60), rng.IntN(60)
		u.Union(i, j)
		from, to := max(label[i], label[j]), min(label[i], label[j])
		for k := range label {
			if label[k] == from {
				label[k] = to
			}
		}
		for k := range label {
			if u.Find(k) != label[k] {
				t.Fatalf("%d is in set %d, want %d", k, u.Find(k), label[k])
			}
		}
	}
}

// TestBins verifies that overlapping rectangles share a bin, even outside the indexed area, and
// that a removed rectangle is in no bin.
func TestBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	bins := geom.NewBins(geom.Rect{Max: geom.Point{X: 100, Y: 60}}, 10)
	var rects []geom.Rect
	found := func(id int32, probe geom.Rect) bool {
		c0, r0, c1, r1 := bins.Range(probe)
		for row := r0; row <= r1; row++ {
			for col := c0; col <= c1; col++ {
				for _, v := range bins.At(col, row) {
					if v == id {
						return true
					}
				}
			}
		}
		return false
	}
	for id := range int32(100) {
		low := geom.Point{X: rng.Int64N(160) - 30, Y: rng.Int64N(120) - 30}
		r := geom.Rect{Min: low, Max: low.Add(geom.Point{X: rng.Int64N(40), Y: rng.Int64N(40)})}
		rects = append(rects, r)
		bins.Add(id, r)
	}
	for id, r := range rects {
		for other, probe := range rects {
			if r.Overlaps(probe) && !found(int32(id), probe) {
				t.Fatalf("rectangle %d is not found by %d", id, other)
			}
		}
	}
	for id, r := range rects {
		bins.Remove(int32(id), r)
		if found(int32(id), r.Grown(1000)) {
			t.Fatalf("rectangle %d is found after its removal", id)
		}
	}
}

// TestDistanceAndHull compares the distances to a square of 10 mm with values computed by hand. The
// hull of its corners, of points inside and of points on its sides is the square.
func TestDistanceAndHull(t *testing.T) {
	square := geom.Polygon{at(0, 0), at(10, 0), at(10, 10), at(0, 10)}
	for _, c := range []struct {
		name          string
		p             geom.Point
		side, polygon float64 // mm
	}{
		{"inside", at(4, 5), 4, 0},
		{"beside a side", at(13, 5), 3, 3},
		{"beside a corner, 3-4-5", at(13, 14), 5, 5},
		{"on a side", at(10, 5), 0, 0},
	} {
		if got := square.SideDistance(c.p) / 1e6; got != c.side {
			t.Errorf("%s: %g mm from the sides, want %g", c.name, got, c.side)
		}
		if got := square.Distance(c.p) / 1e6; got != c.polygon {
			t.Errorf("%s: %g mm, want %g", c.name, got, c.polygon)
		}
	}
	points := []geom.Point{at(5, 5), at(10, 10), at(5, 0), at(0, 10), at(10, 0), at(0, 0),
		at(10, 10), at(2, 7)}
	if got := geom.Hull(points); !slices.Equal(got, square) {
		t.Errorf("hull %v", got)
	}
	if got := geom.Hull(points[:1]); got != nil {
		t.Errorf("hull of a point %v", got)
	}
}

// TestBoxes compares the rectangles of a T, a U, and a rectangle with a redundant corner with
// divisions made by hand.
func TestBoxes(t *testing.T) {
	box := func(x0, y0, x1, y1 int64) geom.Rect {
		return geom.Rect{Min: geom.Point{X: x0, Y: y0}, Max: geom.Point{X: x1, Y: y1}}
	}
	for _, c := range []struct {
		name    string
		outline geom.Polygon
		want    []geom.Rect
	}{
		{"T", geom.Polygon{{X: 3}, {X: 5}, {X: 5, Y: 6}, {X: 8, Y: 6}, {X: 8, Y: 9}, {X: 0, Y: 9},
			{X: 0, Y: 6}, {X: 3, Y: 6}}, []geom.Rect{box(3, 0, 5, 6), box(0, 6, 8, 9)}},
		{"U", geom.Polygon{{}, {Y: 9}, {X: 2, Y: 9}, {X: 2, Y: 3}, {X: 6, Y: 3}, {X: 6, Y: 7},
			{X: 8, Y: 7}, {X: 8}},
			[]geom.Rect{box(0, 0, 8, 3), box(0, 3, 2, 9), box(6, 3, 8, 7)}},
		{"rectangle", geom.Polygon{{}, {X: 4}, {X: 4, Y: 2}, {X: 4, Y: 5}, {Y: 5}},
			[]geom.Rect{box(0, 0, 4, 5)}},
		{"none", nil, nil},
	} {
		if got := c.outline.Boxes(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestInset(t *testing.T) {
	p := func(x, y int64) geom.Point { return geom.Point{X: x, Y: y} }
	square := geom.Polygon{p(0, 0), p(40, 0), p(40, 40), p(0, 40)}
	for _, c := range []struct {
		name string
		g    geom.Polygon
		d    int64
		want geom.Polygon
	}{
		{"square", square, 5, geom.Polygon{p(5, 5), p(35, 5), p(35, 35), p(5, 35)}},
		{"corner cut by less than the inset", geom.Polygon{p(0, 0), p(40, 0), p(40, 39), p(39, 40),
			p(0, 40)}, 5, geom.Polygon{p(5, 5), p(35, 5), p(35, 35), p(5, 35)}},
		{"point on a side", geom.Polygon{p(0, 0), p(20, 0), p(40, 0), p(40, 40), p(0, 40)}, 5,
			geom.Polygon{p(5, 5), p(35, 5), p(35, 35), p(5, 35)}},
		{"nothing left", square, 21, nil},
		{"L", geom.Polygon{p(0, 0), p(40, 0), p(40, 15), p(15, 15), p(15, 40), p(0, 40)}, 5,
			geom.Polygon{p(5, 5), p(35, 5), p(35, 10), p(10, 10), p(10, 35), p(5, 35)}},
		{"U with a point on a side", geom.Polygon{p(0, 0), p(25, 0), p(50, 0), p(50, 40),
			p(35, 40), p(35, 15), p(15, 15), p(15, 40), p(0, 40)}, 5,
			geom.Polygon{p(5, 5), p(45, 5), p(45, 35), p(40, 35), p(40, 10), p(10, 10), p(10, 35),
				p(5, 35)}},
		{"L with a corner cut by less than the inset", geom.Polygon{p(0, 0), p(39, 0), p(40, 1),
			p(40, 15), p(15, 15), p(15, 40), p(0, 40)}, 5,
			geom.Polygon{p(5, 5), p(35, 5), p(35, 10), p(10, 10), p(10, 35), p(5, 35)}},
		{"first point on a side", geom.Polygon{p(20, 0), p(40, 0), p(40, 15), p(15, 15), p(15, 40),
			p(0, 40), p(0, 0)}, 5,
			geom.Polygon{p(5, 5), p(35, 5), p(35, 10), p(10, 10), p(10, 35), p(5, 35)}},
		{"L with its corners twice", geom.Polygon{p(0, 0), p(0, 0), p(40, 0), p(40, 15), p(40, 15),
			p(15, 15), p(15, 15), p(15, 40), p(0, 40), p(0, 40)}, 5,
			geom.Polygon{p(5, 5), p(35, 5), p(35, 10), p(10, 10), p(10, 35), p(5, 35)}},
		{"two parts are left", geom.Polygon{p(0, 0), p(60, 0), p(60, 40), p(40, 40), p(40, 8),
			p(20, 8), p(20, 40), p(0, 40)}, 5, nil},
		{"arm narrower than twice the inset", geom.Polygon{p(0, 0), p(40, 0), p(40, 30), p(8, 30),
			p(8, 60), p(0, 60)}, 5, nil},
	} {
		got := c.g.Inset(c.d)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for _, q := range c.want {
			if !slices.Contains(got, q) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}
