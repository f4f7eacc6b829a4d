package device

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"slipstick/spice/interval"
)

// enclosed returns bounds over the box x: f of the residual and j of the matrix. l is the load from
// which they are computed.
func (k *bench) enclosed(x []interval.I) (f []interval.I, j [][]interval.I, l *IntervalLoad) {
	n := len(k.b)
	l = &IntervalLoad{X: x, Gmin: k.l.Gmin}
	for _, d := range k.all {
		d.(IntervalModel).LoadInterval(l)
	}
	f, j = make([]interval.I, n), make([][]interval.I, n)
	for i := range j {
		j[i] = make([]interval.I, n)
	}
	for _, t := range l.Branches {
		v := t.Value.Interval()
		f[t.P], f[t.N] = f[t.P].Add(v), f[t.N].Sub(v)
		for _, c := range t.Controls[:t.Count] {
			if c.P == c.N {
				continue
			}
			for _, e := range [...]struct {
				i, j int
				g    interval.I
			}{{t.P, c.P, c.Slope}, {t.P, c.N, c.Slope.Neg()}, {t.N, c.P, c.Slope.Neg()},
				{t.N, c.N, c.Slope}} {
				j[e.i][e.j] = j[e.i][e.j].Add(e.g)
			}
		}
	}
	return f, j, l
}

// TestEnclosures computes interval bounds over boxes of random sizes in all regions. The bounds
// must contain the currents of the simulator at random points and their difference quotients. The
// curvature must bound the changes of the derivatives. Rounding errors are allowed.
func TestEnclosures(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	for _, c := range []struct {
		name, body string
		lo, hi     []float64 // range of each unknown [V or A], internal nodes last
	}{
		{"resistor", "R1 a b 47k tc1=1m tc2=-2u", []float64{-5, -5}, []float64{5, 5}},
		{"resistor with tce", "R1 a b 47k tce=-1.5", []float64{-5, -5}, []float64{5, 5}},
		{"switch with vser", "S1 a b a b m\n.model m sw(vt=100 vser=.7 ron=2 roff=100)",
			[]float64{1, -5}, []float64{5, -1}},
		{"sources", "V1 a b 5", []float64{-5, -5, -1}, []float64{5, 5, 1}},
		{"vcvs", "E1 a b c d 12", []float64{-5, -5, -5, -5, -1}, []float64{5, 5, 5, 5, 1}},
		{"vccs", "G1 a b c d -3m", []float64{-5, -5, -5, -5}, []float64{5, 5, 5, 5}},
		{"cccs", "F1 a b V1 -4\nV1 c 0 2", []float64{-5, -5, -5, -1}, []float64{5, 5, 5, 1}},
		{"ccvs", "H1 a b V1 2k\nV1 c 0 2", []float64{-5, -5, -5, -1, -1}, []float64{5, 5, 5, 1, 1}},
		{"coupled", "L1 a b 1m\nL2 c 0 1m\nK1 L1 L2 1", []float64{-5, -5, -5, -1, -1},
			[]float64{5, 5, 5, 1, 1}},
		{"inductor", "L1 a b 1m", []float64{-5, -5, -1}, []float64{5, 5, 1}},
		{"current", "I1 a b 1m", []float64{-5, -5}, []float64{5, 5}},
		{"diode", "D1 a k d\n.model d d(is=1e-14 n=1.2 bv=6 ibv=1m)", []float64{-7, 0},
			[]float64{0.8, 0}},
		{"diodes in series", "D1 a k d n=2\n.model d d(is=1e-14 rs=2 bv=6)", []float64{-7, 0, -7},
			[]float64{1.5, 0, 1.5}},
		{"diode near 0", "D1 a k d 3\n.model d d(is=1e-9 n=2 rs=2)", []float64{-.3, -.1, -.3},
			[]float64{.5, .1, .5}},
		{"diode overflow", "D1 a k d\n.model d d(is=1e-14)", []float64{4, 0}, []float64{9, 0}},
		{"npn", "Q1 c b e q\n.model q npn(is=1e-15 bf=120 br=3 nf=1.01 vaf=60 var=20 ikf=20m ikr=5m ise=1e-13 isc=1e-13 rb=50 rbm=10 re=1 rc=5)",
			[]float64{-1, -.4, -.1, -1, -.4, -.1}, []float64{5, .8, .1, 5, .8, .1}},
		{"npn in quasi-saturation",
			"Q1 c b e q 2\n.model q npn(is=1e-15 rc=5 rco=20 vo=.3 gamma=1e-6)",
			[]float64{-1, -.4, -.1, -1, -1}, []float64{3, .8, .1, 2, 1}},
		{"pnp in quasi-saturation", "Q1 c b e q\n.model q pnp(is=1e-15 rco=20 gamma=1e-9)",
			[]float64{-1, -.8, -.1, -1}, []float64{.4, .3, .1, .4}},
		{"npn with nk", "Q1 c b e q\n.model q npn(is=1e-15 bf=120 vaf=60 ikf=20m ikr=5m nk=.8)",
			[]float64{-1, -.4, -.1}, []float64{5, .8, .1}},
		{"npn with nk=0", "Q1 c b e q\n.model q npn(is=1e-6 bf=120 vaf=60 ikf=.2u ikr=.2u nk=0)",
			[]float64{-.01, -.8, -.1}, []float64{.01, -.2, .1}},
		{"pnp", "Q1 c b e q 2\n.model q pnp(is=1e-15 bf=40 vaf=30 rb=100)",
			[]float64{-5, -.8, -.1, -.8}, []float64{1, .3, .1, .3}},
		{"npn with a substrate junction", "Q1 c b e s q\n.model q npn(iss=1e-14 ns=1.2)",
			[]float64{-1, -.4, -.1, -1}, []float64{2, .8, .1, .8}},
		{"lateral pnp with a substrate junction", "Q1 c b e s q\n.model q pnp(iss=1e-14)",
			[]float64{-2, -.8, -.1, -1}, []float64{1, .3, .1, 1}},
		{"npn simple", "Q1 c b e q\n.model q npn", []float64{-1, -.4, -.1}, []float64{5, .8, .1}},
		{"njf",
			"J1 d g s j 2\n.model j njf(vto=-2 beta=1m lambda=.02 b=.7 pb=.9 rd=10 rs=5 is=1e-13)", []float64{-3, -4, -1, -3, -1}, []float64{6, .6, 1, 6, 1}},
		{"pjf", "J1 d g s j\n.model j pjf(vto=-1.5 beta=.5m lambda=.03)", []float64{-6, -.6, -1},
			[]float64{3, 4, 1}},
		{"njf diode", "J1 d d s j\n.model j njf(vto=-1 beta=2m lambda=.05 b=1.4)",
			[]float64{-2, -2}, []float64{.6, .6}},
		{"line", "T1 a b c d z0=75 td=2n", []float64{-5, -5, -5, -5, -1, -1},
			[]float64{5, 5, 5, 5, 1, 1}},
		{"lossy line", "O1 a b c d o\n.model o ltra(r=12 l=250n c=100p len=.3)",
			[]float64{-5, -5, -5, -5, -1, -1}, []float64{5, 5, 5, 5, 1, 1}},
		{"nmos",
			"M1 d g s b n w=20u l=2u\n.model n nmos(vto=.7 kp=100u gamma=.5 lambda=.03 rd=10 rs=5)", []float64{-1, -1, -1, -3, -1, -1}, []float64{5, 5, 1, .3, 5, 1}},
		{"nmos body", "M1 d g 0 b n\n.model n nmos(vto=.7 kp=100u gamma=.5)",
			[]float64{-.5, .5, -.4}, []float64{.5, 2, .4}},
		{"pmos", "M1 d g s b p\n.model p pmos(vto=-.7 kp=50u gamma=.5 lambda=.03)",
			[]float64{-5, -5, -.5, -.5}, []float64{.5, 0, .5, 3}},
	} {
		k := part(t, c.body, 40)
		n := len(k.b)
		current := func(x []float64) []float64 {
			copy(k.l.X, x)
			clear(k.l.State)
			return k.at()
		}
		kinks, checked := 0, 0
		for range 1500 {
			r := math.Pow(10, uniform(-9, -0.5))
			if rng.IntN(8) == 0 {
				r = 0
			}
			mid, box := make([]float64, n), make([]interval.I, n)
			for i := 1; i < n; i++ {
				mid[i] = uniform(c.lo[i-1], c.hi[i-1])
				box[i] = interval.Around(mid[i], r*rng.Float64())
			}
			point := func() []float64 {
				x := make([]float64, n)
				for i := 1; i < n; i++ {
					x[i] = uniform(box[i].Lo, box[i].Hi)
				}
				return x
			}
			f, j, l := k.enclosed(box)
			if l.Kink != "" {
				kinks++
				continue
			}
			checked++
			x := point()
			v := current(x)
			if k.l.Limited {
				continue // limiting does not converge far along an exponential
			}
			size, scrap := make([]float64, n), make([]float64, n)
			k.s.Pattern.Residual(k.a, k.l.X, k.b, scrap, size, nil)
			big := slices.Max(size) // rounding errors scale with the largest term of all rows
			for i := 1; i < n; i++ {
				slack := 1e-13 * big
				if !(v[i] >= f[i].Lo-slack && v[i] <= f[i].Hi+slack) {
					t.Fatalf("%s at %v, r = %g: the simulator's F%d = %v is not in %v", c.name, x,
						r, i, v[i], f[i])
				}
			}
			if r < 1e-6 {
				continue
			}
			m := 1 + rng.IntN(n-1)
			y := append([]float64(nil), x...)
			y[m] = uniform(box[m].Lo, box[m].Hi)
			h := y[m] - x[m]
			if math.Abs(h) < 1e-7 {
				continue
			}
			w := current(y)
			if k.l.Limited {
				continue
			}
			for i := 1; i < n; i++ {
				slack := 4e-13 * big / math.Abs(h)
				if g := (w[i] - v[i]) / h; g < j[i][m].Lo-slack || g > j[i][m].Hi+slack {
					t.Fatalf("%s at %v, r = %g: the slope F%d by x%d is %v and not in %v", c.name,
						x, r, i, m, g, j[i][m])
				}
			}
			// The derivatives at two points differ by at most the curvature bound.
			pt := func(x []float64) []IntervalTerm {
				p := make([]interval.I, n)
				for i := range p {
					p[i] = interval.Point(x[i])
				}
				_, _, e := k.enclosed(p)
				return e.Branches
			}
			a, b := pt(x), pt(y)
			for q := range a {
				span := [interval.Vars]float64{}
				for s, u := range a[q].Controls[:a[q].Count] {
					span[s] = math.Abs((y[u.P] - y[u.N]) - (x[u.P] - x[u.N]))
				}
				at := [interval.Vars][interval.Vars]int{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}
				for s := range a[q].Count {
					most := 0.0
					for u := range a[q].Count {
						most += l.Branches[q].Curvature[at[s][u]].Mag() * span[u]
					}
					ga, gb := a[q].Controls[s].Slope, b[q].Controls[s].Slope
					if d := math.Abs(ga.Mid() - gb.Mid()); d >
						most*(1+1e-9)+ga.Radius()+gb.Radius()+1e-13*(ga.Mag()+gb.Mag()) {
						t.Fatalf("%s from %v to %v: slope %d of term %d changes by %v, the bends allow %v", c.name, x, y, s, q, d, most)
					}
				}
			}
		}
		if checked < 300 {
			t.Errorf("%s: only %d boxes without a kink, %d with", c.name, checked, kinks)
		}
	}
}

// TestSwitchEnclosure verifies that bounds without a kink hold for every earlier state of the
// switch. Between the thresholds the state depends on the history, so no bound for a single state
// holds there.
func TestSwitchEnclosure(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, body := range []string{
		"S1 a b c d m\n.model m sw(vt=.5 vh=.2 ron=10 roff=1k)",
		"S1 a b c d m on\n.model m sw(vt=.5 vh=.2 ron=10 roff=1k)",
		"S1 a b c d m\n.model m sw(vt=.5 ron=10 roff=1k)",
		"W1 a b V1 m on\nV1 c d 0\n.model m csw(it=.5 ih=.2 ron=10 roff=1k)",
	} {
		k := part(t, body, 27)
		n, state := len(k.b), k.all[0].(*controlledSwitch).state
		at := func(x []float64, was float64) []float64 {
			copy(k.l.X, x)
			k.l.State[state] = was
			return append([]float64(nil), k.at()...)
		}
		bounded := 0
		for range 2000 {
			mid, box := make([]float64, n), make([]interval.I, n)
			r := math.Pow(10, -4*rng.Float64())
			for i := 1; i < n; i++ {
				mid[i] = 2*rng.Float64() - .5
				box[i] = interval.Around(mid[i], r*rng.Float64())
			}
			at(mid, 0)
			f, _, l := k.enclosed(box)
			if l.Kink != "" {
				continue
			}
			bounded++
			x := make([]float64, n)
			for i := 1; i < n; i++ {
				x[i] = box[i].Lo + (box[i].Hi-box[i].Lo)*rng.Float64()
			}
			for _, was := range [...]float64{0, switchOff, switchOn} {
				for i, v := range at(x, was) {
					if i > 0 && !(v >= f[i].Lo-1e-12 && v <= f[i].Hi+1e-12) {
						t.Fatalf("%s at %v after state %g: F%d = %v is not in %v", body, x, was, i,
							v, f[i])
					}
				}
			}
		}
		if bounded < 300 {
			t.Errorf("%s: only %d boxes without a kink", body, bounded)
		}
	}
}
