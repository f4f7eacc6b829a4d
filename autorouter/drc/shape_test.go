package drc

import (
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/autorouter/board"
)

// randomPad is a surface pad of any shape, size and angle within 6 mm of the origin.
func randomPad(r *rand.Rand) board.Pad {
	p := smd("1", 0, board.Point{X: r.Int64N(um(6000)), Y: r.Int64N(um(6000))}, um(100)+r.Int64N(um(3000)), um(100)+r.Int64N(um(3000)))
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

// rimOf walks the rim of a pad in steps of at most step, from the definition of its shape and not
// from the code under test.
func rimOf(p *board.Pad, step float64) []vec {
	w, h := float64(p.Width)/2, float64(p.Height)/2
	r := 0.0
	switch p.Shape {
	case board.Circle, board.Oval:
		r = min(w, h)
	case board.RoundRect:
		r = float64(board.CornerRadius(p.Width, p.Height))
	}
	var local []vec
	line := func(x0, y0, x1, y1 float64) {
		n := int(math.Hypot(x1-x0, y1-y0)/step) + 1
		for i := range n + 1 {
			t := float64(i) / float64(n)
			local = append(local, vec{x0 + t*(x1-x0), y0 + t*(y1-y0)})
		}
	}
	arc := func(cx, cy, from float64) {
		n := int(r*math.Pi/2/step) + 1
		for i := range n + 1 {
			a := (from + 90*float64(i)/float64(n)) * math.Pi / 180
			local = append(local, vec{cx + r*math.Cos(a), cy + r*math.Sin(a)})
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
		local[i] = vec{float64(p.At.X) + q.x*cos - q.y*sin, float64(p.At.Y) + q.x*sin + q.y*cos}
	}
	return local
}

// holds reports whether a point is on a pad, from the definition of its shape.
func holds(p *board.Pad, q vec) bool {
	sin, cos := math.Sincos(-p.Rotation * math.Pi / 180)
	dx, dy := q.x-float64(p.At.X), q.y-float64(p.At.Y)
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

// The gap of two pads is the distance of their rims, sampled every 20 µm; the distance is never above
// that of two samples and misses it by at most one step.
func TestGapAgainstSampling(t *testing.T) {
	const step = 20e3
	r := rand.New(rand.NewPCG(1, 1))
	apart, touching := 0, 0
	for range 400 {
		p, q := randomPad(r), randomPad(r)
		a, b := padShape(&p, 0), padShape(&q, 0)
		gap, at := a.gap(&b)
		back, _ := b.gap(&a)
		if math.Abs(gap-back) > 1e-6 {
			t.Fatalf("not symmetric: %v and %v for %+v %+v", gap, back, p, q)
		}
		rimP, rimQ := rimOf(&p, step), rimOf(&q, step)
		sampled, overlap := math.Inf(1), false
		for _, u := range rimP {
			overlap = overlap || holds(&q, u)
			for _, v := range rimQ {
				sampled = min(sampled, math.Hypot(u.x-v.x, u.y-v.y))
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
		if da, db := -a.depth(at), -b.depth(at); gap > 0 && math.Abs(da-gap/2)+math.Abs(db-gap/2) > 1e-3 {
			t.Fatalf("the place is %v and %v from the pads, half the gap is %v", da, db, gap/2)
		}
	}
	if apart < 100 || touching < 20 {
		t.Errorf("%d apart, %d touching: a poor sample", apart, touching)
	}
}

// Far from the origin and at any angle, two stadiums whose gap is known by construction.
func TestGapIsExactFarOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 1000 {
		a := vec{float64(r.Int64N(400e6)), float64(r.Int64N(400e6))}
		angle := r.Float64() * 2 * math.Pi
		u, v := vec{math.Cos(angle), math.Sin(angle)}, vec{-math.Sin(angle), math.Cos(angle)}
		length, apart := 1e5+r.Float64()*2e8, 3e5+r.Float64()*1e6
		s := stadium(a, a.add(u.times(length)), 250e3)
		o := stadium(a.add(v.times(apart)), a.add(v.times(apart)).add(u.times(length)), 250e3)
		if gap, _ := s.gap(&o); math.Abs(gap-(apart-250e3)) > 1e-5 {
			t.Fatalf("gap %.9f, want %.9f", gap, apart-250e3)
		}
	}
}

func TestDepthAgainstSampling(t *testing.T) {
	const step = 5e3
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		p := randomPad(r)
		s := padShape(&p, 0)
		rim := rimOf(&p, step)
		for range 20 {
			q := vec{float64(p.At.X) + (r.Float64()-0.5)*3e6, float64(p.At.Y) + (r.Float64()-0.5)*3e6}
			d := math.Inf(1)
			for _, u := range rim {
				d = min(d, u.sub(q).length())
			}
			if !holds(&p, q) {
				d = -d
			}
			if got := s.depth(q); math.Abs(got-d) > step {
				t.Fatalf("depth %v, sampled %v of %v in %+v", got, d, q, p)
			}
		}
	}
}

// The index visits every shape within reach, tracks at all angles among them.
func TestGridMissesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		list := make([]shape, 200)
		for i := range list {
			a := vec{r.Float64() * 50e6, r.Float64() * 50e6}
			switch i % 3 {
			case 0:
				list[i] = stadium(a, vec{r.Float64() * 50e6, r.Float64() * 50e6}, 250e3)
			case 1:
				p := randomPad(r)
				p.At = board.Point{X: int64(a.x), Y: int64(a.y)}
				list[i] = padShape(&p, 0)
			default:
				list[i] = disc(a, um(600))
			}
		}
		g := newGrid(len(list), func(i int) *shape { return &list[i] })
		for i := range list {
			reach := r.Float64() * 1e6
			met := map[int]int{}
			g.near(&list[i], reach, func(j int) { met[j]++ })
			for j := range list {
				gap, _ := list[i].gap(&list[j])
				if gap <= reach && met[j] != 1 || met[j] > 1 {
					t.Fatalf("shape %d with gap %v within %v visited %d times", j, gap, reach, met[j])
				}
			}
		}
	}
	empty := newGrid(0, nil)
	s := disc(vec{}, um(600))
	empty.near(&s, 1e9, func(int) { t.Error("a shape from nowhere") })
}

// A point is in a region when it is in the outline and in no hole; by the winding number.
func TestRegionHas(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		star := func(c vec, lo, hi float64) board.Polygon {
			var g board.Polygon
			n := 3 + r.IntN(40)
			for i := range n {
				a, d := 2*math.Pi*float64(i)/float64(n), lo+(hi-lo)*r.Float64()
				g = append(g, board.Point{X: int64(c.x + d*math.Cos(a)), Y: int64(c.y + d*math.Sin(a))})
			}
			return g
		}
		outline, hole := star(vec{}, 5e6, 20e6), reversed(star(vec{5e5, 5e5}, 1e6, 3e6))
		g := newRegion(outline, hole)
		for range 500 {
			q := vec{(r.Float64() - 0.5) * 44e6, (r.Float64() - 0.5) * 44e6}
			if want := winding(outline, q) != 0 && winding(hole, q) == 0; g.contains(q) != want {
				t.Fatalf("%v inside: %v, want %v", q, g.contains(q), want)
			}
		}
	}
}

// winding sums the angles under which a point sees the sides.
func winding(g board.Polygon, q vec) int {
	sum := 0.0
	for i := range g {
		a, b := vecOf(g[i]).sub(q), vecOf(g[(i+1)%len(g)]).sub(q)
		sum += math.Atan2(a.cross(b), a.dot(b))
	}
	return int(math.Round(sum / (2 * math.Pi)))
}
