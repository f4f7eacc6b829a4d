package geom_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// um converts micrometres to nanometres.
func um(v int64) int64 { return 1000 * v }

// randomPad returns a surface pad of random shape (except Convex), size and angle. Its centre is in
// the square with corners at (0, 0) and (6, 6) mm.
func randomPad(r *rand.Rand) board.Pad {
	p := board.Pad{
		At: board.Point{X: r.Int64N(um(6000)), Y: r.Int64N(um(6000))},
		Padstack: board.Padstack{
			Width: um(100) + r.Int64N(um(3000)), Height: um(100) + r.Int64N(um(3000)),
		},
	}
	p.Shape = board.Shape(r.IntN(4))
	if p.Shape == board.Circle {
		p.Height = p.Width
	}
	p.Rotation = r.Float64() * 360
	if r.IntN(3) == 0 {
		p.Rotation = float64(r.IntN(8)) * 45
	}
	return p
}

// rimOf samples the outline of a pad at intervals of at most step [nm]. It uses the definition of
// the shape instead of the code under test.
func rimOf(p *board.Pad, step float64) []geom.Vec {
	w, h := float64(p.Width)/2, float64(p.Height)/2
	r := 0.0
	switch p.Shape {
	case board.Circle, board.Oval:
		r = min(w, h)
	case board.RoundRect:
		r = float64(board.CornerRadius(p.Width, p.Height))
	}
	var local []geom.Vec
	line := func(x0, y0, x1, y1 float64) {
		n := int(math.Hypot(x1-x0, y1-y0)/step) + 1
		for i := range n + 1 {
			t := float64(i) / float64(n)
			local = append(local, geom.Vec{X: x0 + t*(x1-x0), Y: y0 + t*(y1-y0)})
		}
	}
	arc := func(cx, cy, from float64) {
		n := int(r*math.Pi/2/step) + 1
		for i := range n + 1 {
			a := (from + 90*float64(i)/float64(n)) * math.Pi / 180
			local = append(local, geom.Vec{X: cx + r*math.Cos(a), Y: cy + r*math.Sin(a)})
		}
	}
	line(-w+r, -h, w-r, -h)
	arc(w-r, -h+r, 270)
	line(w, -h+r, w, h-r)
	arc(w-r, h-r, 0)
	line(w-r, h, -w+r, h)
	arc(-w+r, h-r, 90)
	line(-w, h-r, -w, -h+r)
	arc(-w+r, -h+r, 180)
	sin, cos := math.Sincos(p.Rotation * math.Pi / 180)
	for i, q := range local {
		local[i] = geom.Vec{X: float64(p.At.X) + q.X*cos - q.Y*sin,
			Y: float64(p.At.Y) + q.X*sin + q.Y*cos}
	}
	return local
}

// holds reports whether a point is on a pad, by the definition of its shape.
func holds(p *board.Pad, q geom.Vec) bool {
	sin, cos := math.Sincos(-p.Rotation * math.Pi / 180)
	dx, dy := q.X-float64(p.At.X), q.Y-float64(p.At.Y)
	x, y := math.Abs(dx*cos-dy*sin), math.Abs(dx*sin+dy*cos)
	w, h := float64(p.Width)/2, float64(p.Height)/2
	r := 0.0
	switch p.Shape {
	case board.Circle, board.Oval:
		r = min(w, h)
	case board.RoundRect:
		r = float64(board.CornerRadius(p.Width, p.Height))
	}
	if x > w || y > h {
		return false
	}
	return x <= w-r || y <= h-r || math.Hypot(x-w+r, y-h+r) <= r
}

// TestGapAgainstSampling compares the gap of two pads with the distance of their outlines, sampled
// every 20 µm. The gap is never larger than the sampled distance and at most one step smaller.
func TestGapAgainstSampling(t *testing.T) {
	const step = 20e3
	r := rand.New(rand.NewPCG(1, 1))
	apart, touching := 0, 0
	for range 400 {
		p, q := randomPad(r), randomPad(r)
		a, b := p.Copper(0), q.Copper(0)
		gap, at := a.Gap(&b)
		back, _ := b.Gap(&a)
		if math.Abs(gap-back) > 1e-6 {
			t.Fatalf("not symmetric: %v and %v for %+v %+v", gap, back, p, q)
		}
		rimP, rimQ := rimOf(&p, step), rimOf(&q, step)
		sampled, overlap := math.Inf(1), false
		for _, u := range rimP {
			overlap = overlap || holds(&q, u)
			for _, v := range rimQ {
				sampled = min(sampled, math.Hypot(u.X-v.X, u.Y-v.Y))
			}
		}
		for _, v := range rimQ {
			overlap = overlap || holds(&p, v)
		}
		if overlap {
			touching++
			if gap > 0 {
				t.Fatalf("overlapping pads %v apart: %+v %+v", gap, p, q)
			}
			continue
		}
		apart++
		if sampled < gap-1e-3 || sampled > max(0, gap)+step {
			t.Fatalf("gap %v, sampled %v: %+v %+v", gap, sampled, p, q)
		}
		if da, db := -a.Depth(at), -b.Depth(at); gap > 0 &&
			math.Abs(da-gap/2)+math.Abs(db-gap/2) > 1e-3 {
			t.Fatalf("the place is %v and %v from the pads, half the gap is %v", da, db, gap/2)
		}
	}
	if apart < 100 || touching < 20 {
		t.Errorf("%d apart, %d touching: a poor sample", apart, touching)
	}
}

// TestGapIsExactFarOut verifies the gap of two parallel stadiums of random direction far from the
// origin. Their gap is known by construction.
func TestGapIsExactFarOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 1000 {
		a := geom.Vec{X: float64(r.Int64N(400e6)), Y: float64(r.Int64N(400e6))}
		angle := r.Float64() * 2 * math.Pi
		u, v := geom.Vec{X: math.Cos(angle), Y: math.Sin(angle)},
			geom.Vec{X: -math.Sin(angle), Y: math.Cos(angle)}
		length, apart := 1e5+r.Float64()*2e8, 3e5+r.Float64()*1e6
		s := geom.Stadium(a, a.Add(u.Scale(length)), 125e3)
		o := geom.Stadium(a.Add(v.Scale(apart)), a.Add(v.Scale(apart)).Add(u.Scale(length)), 125e3)
		if gap, _ := s.Gap(&o); math.Abs(gap-(apart-250e3)) > 1e-5 {
			t.Fatalf("gap %.9f, want %.9f", gap, apart-250e3)
		}
	}
}

func TestDepthAgainstSampling(t *testing.T) {
	const step = 5e3
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		p := randomPad(r)
		s := p.Copper(0)
		rim := rimOf(&p, step)
		for range 20 {
			q := geom.Vec{X: float64(p.At.X) + (r.Float64()-0.5)*3e6,
				Y: float64(p.At.Y) + (r.Float64()-0.5)*3e6}
			d := math.Inf(1)
			for _, u := range rim {
				d = min(d, u.Sub(q).Length())
			}
			if !holds(&p, q) {
				d = -d
			}
			if got := s.Depth(q); math.Abs(got-d) > step {
				t.Fatalf("depth %v, sampled %v of %v in %+v", got, d, q, p)
			}
		}
	}
}

// TestShapeIndexMissesNothing verifies that the index visits every shape within reach, including
// tracks at any angle.
func TestShapeIndexMissesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		list := make([]geom.Boxed, 200)
		for i := range list {
			a := geom.Vec{X: r.Float64() * 50e6, Y: r.Float64() * 50e6}
			switch i % 3 {
			case 0:
				list[i] = geom.Stadium(a, geom.Vec{X: r.Float64() * 50e6, Y: r.Float64() * 50e6},
					125e3).Boxed()
			case 1:
				p := randomPad(r)
				p.At = board.Point{X: int64(a.X), Y: int64(a.Y)}
				list[i] = p.Copper(0).Boxed()
			default:
				list[i] = geom.Stadium(a, a, 300e3).Boxed()
			}
		}
		g := geom.NewShapeIndex(len(list), func(i int) *geom.Boxed { return &list[i] })
		for i := range list {
			reach := r.Float64() * 1e6
			met := map[int]int{}
			g.Near(&list[i], reach, func(j int) { met[j]++ })
			for j := range list {
				gap, _ := list[i].Gap(&list[j].Shape)
				if gap <= reach && met[j] != 1 || met[j] > 1 {
					t.Fatalf("shape %d with gap %v within %v visited %d times", j, gap,
						reach, met[j])
				}
			}
		}
	}
	empty := geom.NewShapeIndex(0, nil)
	s := geom.Disc(board.Point{}, um(600)).Boxed()
	empty.Near(&s, 1e9, func(int) { t.Error("a shape from nowhere") })
}

// TestRegionContains compares the containment test with winding numbers: a point is in a region if
// it is in the outline and in no hole.
func TestRegionContains(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		star := func(c geom.Vec, lo, hi float64) board.Polygon {
			var g board.Polygon
			n := 3 + r.IntN(40)
			for i := range n {
				a, d := 2*math.Pi*float64(i)/float64(n), lo+(hi-lo)*r.Float64()
				g = append(g, board.Point{X: int64(c.X + d*math.Cos(a)),
					Y: int64(c.Y + d*math.Sin(a))})
			}
			return g
		}
		outline, hole := star(geom.Vec{}, 5e6, 20e6),
			reverse(star(geom.Vec{X: 5e5, Y: 5e5}, 1e6, 3e6))
		g := geom.NewRegion(outline, hole)
		for range 500 {
			q := geom.Vec{X: (r.Float64() - 0.5) * 44e6, Y: (r.Float64() - 0.5) * 44e6}
			if want := winding(outline, q) != 0 && winding(hole, q) == 0; g.Contains(q) != want {
				t.Fatalf("%v inside: %v, want %v", q, g.Contains(q), want)
			}
		}
	}
}

// winding returns the winding number of a polygon around a point, from the sum of the angles that
// its sides subtend.
func winding(g board.Polygon, q geom.Vec) int {
	sum := 0.0
	for i := range g {
		a, b := geom.VecOf(g[i]).Sub(q), geom.VecOf(g[(i+1)%len(g)]).Sub(q)
		sum += math.Atan2(a.Cross(b), a.Dot(b))
	}
	return int(math.Round(sum / (2 * math.Pi)))
}

// reverse returns a polygon with the opposite orientation.
func reverse(g board.Polygon) board.Polygon {
	g = slices.Clone(g)
	slices.Reverse(g)
	return g
}
