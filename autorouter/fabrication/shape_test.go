package fabrication

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGap compares distances with values computed by hand, in both argument orders. Lengths have no
// unit here.
func TestGap(t *testing.T) {
	square := newShape(0, vec{0, 0}, vec{10, 0}, vec{10, 10}, vec{0, 10})
	hollow := newShape(0, // a frame of 20 by 20 with a square hole of 10, keyholed from the right
		vec{-10, -10}, vec{10, -10}, vec{10, 5}, vec{5, 5}, vec{5, -5}, vec{-5, -5}, vec{-5, 5},
		vec{5, 5}, vec{10, 5}, vec{10, 10}, vec{-10, 10})
	for _, c := range []struct {
		name string
		a, b shape
		want float64
	}{
		{"two discs: 3-4-5 less both radii", newShape(1, vec{0, 0}), newShape(0.5, vec{3, 4}), 3.5},
		{"a disc in a disc", newShape(5, vec{0, 0}), newShape(1, vec{1, 0}), 0},
		{"a disc beside a stadium", newShape(1, vec{0, 0}, vec{10, 0}), newShape(1, vec{5, 7}), 5},
		{"a disc beyond its end", newShape(1, vec{0, 0}, vec{10, 0}), newShape(1, vec{13, 4}), 3},
		{"crossing stadiums", newShape(0, vec{0, 0}, vec{10, 10}),
			newShape(0, vec{0, 10}, vec{10, 0}), 0},
		{"stadiums end to end", newShape(1, vec{0, 0}, vec{4, 0}),
			newShape(1, vec{6, 0}, vec{9, 0}), 0},
		{"a point in a square", square, newShape(0, vec{5, 5}), 0},
		{"a corner to a disc: 3-4-5", square, newShape(2, vec{13, 14}), 3},
		{"in the hole of a frame", hollow, newShape(1, vec{0, 0}), 4},
		{"in the frame beside the cut", hollow, newShape(1, vec{7.5, 5}), 0},
	} {
		for _, got := range []float64{c.a.gap(&c.b), c.b.gap(&c.a)} {
			if math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s: %g, want %g", c.name, got, c.want)
			}
		}
	}
}

// TestGapSampled compares the distance of random shapes with that of sampled points, which is never
// smaller and only slightly larger.
func TestGapSampled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() shape {
		at := vec{r.Float64() * 100, r.Float64() * 100}
		points := make([]vec, 1+r.IntN(4))
		for i := range points { // in angular order, so sides do not cross
			a := (float64(i) + r.Float64()*.8) / float64(len(points)) * 2 * math.Pi
			points[i] = at.add(vec{math.Cos(a) * 20, math.Sin(a) * 20})
		}
		return newShape(r.Float64()*5, points...)
	}
	sample := func(s *shape) (out []vec) {
		s.sides(func(a, b vec) {
			for i := range 101 {
				out = append(out, vec{a.x + (b.x-a.x)*float64(i)/100,
					a.y + (b.y-a.y)*float64(i)/100})
			}
		})
		return out
	}
	apart := 0
	for range 300 {
		a, b := random(), random()
		gap := a.gap(&b)
		if gap == 0 {
			continue
		}
		apart++
		nearest := math.Inf(1)
		for _, p := range sample(&a) {
			for _, q := range sample(&b) {
				nearest = min(nearest, p.sub(q).length()-a.radius-b.radius)
			}
		}
		if gap > nearest+1e-9 || gap < nearest-0.5 {
			t.Fatalf("%v and %v: %g apart, sampled %g", a, b, gap, nearest)
		}
	}
	if apart < 100 {
		t.Errorf("only %d pairs were apart", apart)
	}
}
