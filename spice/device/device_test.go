package device

import (
	"math"
	"testing"

	"slipstick/spice/netlist"
)

// bench holds one device or several coupled devices, with the matrix and states for Load.
type bench struct {
	d      Device // first device
	all    []Device
	s      *Setup
	l      *Load
	a, b   []float64
	series []pair // entries of the series resistances
}

// part creates the devices of the netlist lines in body at the temperature celsius [°C].
func part(t *testing.T, body string, celsius float64) *bench {
	t.Helper()
	c, err := netlist.Parse("t\n"+body+"\n.op\n.end", netlist.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSetup(c.Nodes)
	var all []Device
	for i := range c.Elements {
		d, _, err := New(&c.Elements[i], Times{Step: 1, Stop: 1})
		if err != nil {
			t.Fatal(err)
		}
		d.Setup(s)
		d.Temperature(Env{Temp: celsius + Zero, Tnom: 27 + Zero, Reltol: 1e-6})
		all = append(all, d)
	}
	if err := s.Link(all); err != nil {
		t.Fatal(err)
	}
	var series []pair
	for _, r := range s.Series {
		series = append(series, newPair(s.Pattern, r.Outer, r.Inner))
	}
	s.Pattern.Freeze()
	n := s.Pattern.N() + 1
	k := &bench{d: all[0], all: all, s: s, a: make([]float64, s.Pattern.Slots()),
		b: make([]float64, n), series: series}
	k.l = &Load{X: make([]float64, n), RowTol: make([]float64, n), SourceScale: 1, Gmin: 1e-12,
		State: make([]float64, s.States), PrevState: make([]float64, s.States),
		History: make([]float64, s.States)}
	return k
}

// load adds the stamps of all devices and their series resistances.
func (k *bench) load() {
	for _, d := range k.all {
		d.Load(k.l)
	}
	for i, r := range k.s.Series {
		k.series[i].add(k.l.A, *r.Siemens)
	}
}

// at returns the residual at the present iterate, by row. It repeats the load until limiting ends.
func (k *bench) at() []float64 {
	n := len(k.b)
	f, scale := make([]float64, n), make([]float64, n)
	for range 60 {
		clear(k.a)
		clear(k.b)
		k.l.A, k.l.B, k.l.Limited = k.a, k.b, false
		k.load()
		if !k.l.Limited {
			break
		}
	}
	k.s.Pattern.Residual(k.a, k.l.X, k.b, f, scale, nil)
	return f
}

// column returns the derivatives of the residual with respect to unknown j, according to the
// stamps.
func (k *bench) column(j int) []float64 {
	n := len(k.b)
	f, scale, e := make([]float64, n), make([]float64, n), make([]float64, n)
	e[j] = 1
	k.s.Pattern.Residual(k.a, e, make([]float64, n), f, scale, nil)
	return f
}

// TestSlopes compares the matrices of nonlinear devices with difference quotients of their
// currents, at DC and with charges, in all regions.
func TestSlopes(t *testing.T) {
	for _, c := range []struct {
		name, body string
		points     [][]float64 // node voltages [V] in order of appearance, then internal nodes
	}{
		{"diode", "D1 a k d\n.model d d(is=1e-14 n=1.2 tt=5n cjo=10p m=.4 bv=6 ibv=1m)",
			[][]float64{{.3, 0}, {.7, 0}, {.8, .1}, {-.05, 0}, {-.2, 0}, {-3, 0},
				{-6.1, 0}, {.45, 0}}},
		{"diodes in series", "D1 a k d 2 n=3\n.model d d(is=1e-14 tt=5n cjo=10p m=.4 bv=6 cjsw=1p pj=2)",
			[][]float64{{.9, 0}, {2.1, 0}, {-.3, 0}, {-18.2, 0}, {1.4, 0}}},
		{"diode rs", "D1 a k d 2\n.model d d(rs=2 cjo=1p)", [][]float64{{.8, 0, .7}, {-1, 0, -1}}},
		{"diode, high injection and recombination",
			"D1 a k d 2\n.model d d(is=1e-14 ikf=1m isr=1n nr=2 vj=.7 m=.4 tt=5n cjo=10p)",
			[][]float64{{.3, 0}, {.7, 0}, {.8, .1}, {-.05, 0}, {-.2, 0}, {-3, 0}, {.55, 0}}},
		{"diode with a sidewall", "D1 a k d 2 pj=10\n.model d d(is=1e-14 n=1.2 jsw=1e-15 ns=1.6 " +
			"cjo=1p cjsw=1p php=.7 mjsw=.4 fcs=.4)",
			[][]float64{{.3, 0}, {.7, 0}, {-.2, 0}, {-3, 0}}},
		{"npn, excess phase",
			"Q1 c b e q\n.model q npn(is=1e-15 vaf=60 ikf=20m tf=.3n ptf=30 cje=1p)",
			[][]float64{{5, .8, 0}, {.1, .8, 0}, {3, -1, 0}}},
		{"npn in quasi-saturation", "Q1 c b e s q 2\n.model q npn(is=1e-15 bf=90 rb=50 rc=5 cjc=3p " +
			"cjs=2p xcjc=.6 tr=10n rco=20 vo=2 gamma=1e-8 qco=1n)", [][]float64{
			{5, .8, 0, -1, 4.9, .2, .75}, {.1, .8, 0, -1, .09, .05, .78},
			{.1, .8, 0, 0, .05, .06, .7}, {5, -1, 0, 0, 5, 5, -1},
			{-.2, .8, 0, -1, -.15, -.1, .78}}},
		{"pnp in quasi-saturation", "Q1 c b e q\n.model q pnp(is=1e-15 rco=20 gamma=1e-6 qco=1n)",
			[][]float64{{-5, -.7, 0, -.2}, {-.02, -.75, 0, -.01}, {.2, -.2, 0, .1}}},
		{"npn with nk",
			"Q1 c b e q\n.model q npn(is=1e-15 vaf=60 var=20 ikf=20m ikr=5m nk=.8 tf=.3n cje=1p)",
			[][]float64{{5, .8, 0}, {.1, .8, 0}, {-2, .7, 0}, {3, -1, 0}}},
		{"npn", "Q1 c b e q\n.model q npn(is=1e-15 bf=120 br=3 nf=1.01 vaf=60 var=20 ikf=20m ikr=5m ise=1e-13 isc=1e-13 rb=50 rbm=10 re=1 rc=5 cje=5p cjc=3p cjs=2p mjs=.4 xcjc=.6 tf=.3n tr=10n xtf=2 vtf=4 itf=.1)",
			[][]float64{{5, .8, 0, 4.9, .75, .01}, {.1, .8, 0, .15, .78, .02},
				{-2, .3, 0, -1.5, .28, 0}, {3, -1, 0, 3, -1, 0}, {0, .7, 2, .1, .65, 1.9}}},
		{"pnp lateral",
			"Q1 c b e s q\n.model q pnp(is=1e-15 bf=40 vaf=30 rb=100 cje=1p cjc=1p cjs=2p tf=1n)",
			[][]float64{{-5, -.7, 0, .3, -.69}, {-.1, -.75, 0, -1, -.72}}},
		{"substrate junctions", "Q1 c b e s q\nQ2 c b e s p\n.model q npn(is=1e-15 iss=1e-14 " +
			"ns=1.2 cjs=2p)\n.model p pnp(is=1e-15 iss=1e-14 cjs=2p)",
			[][]float64{{0, .6, 0, .7}, {5, .7, 0, 0}, {0, -.6, 0, -1.2}, {0, 0, 0, -.05}}},
		{"nmos", "M1 d g s b n w=20u l=2u ad=10p as=10p pd=9u ps=9u\n.model n nmos(vto=.7 kp=100u gamma=.5 lambda=.03 rd=10 rs=5 cj=1m cjsw=.5n cgbo=1n cgso=.3n cgdo=.3n)",
			[][]float64{{5, 2, 0, 0, 4.9, .1}, {.2, 3, 0, -1, .19, .01}, {0, 3, 1, -.5, .05, .9},
				{5, .2, 0, 0, 5, 0}, {1, 2, 0, .3, 1, 0}}},
		{"pmos", "M1 d g s b p\n.model p pmos(vto=-.7 kp=50u gamma=.5 lambda=.03 cbd=1p)",
			[][]float64{{-5, -2, 0, 0}, {-.2, -3, 0, 1}, {.4, -3, 0, 1}}},
		{"nmos, bulk at source", "M1 d g s s n w=20u l=2u ad=10p as=10p pd=9u ps=9u\n.model n nmos(vto=.7 kp=100u gamma=.5 lambda=.03 tox=14n cj=1m cjsw=.5n cgbo=1n cgso=.3n cgdo=.3n)",
			[][]float64{{5, 2, 0}, {.2, 3, .1}, {0, 3, .3}, {5, .2, 0}}},
		{"nmos, bulk and source grounded", "M1 d g 0 0 n w=20u l=2u ad=10p pd=9u\n.model n nmos(vto=.7 kp=100u tox=14n cj=1m cjsw=.5n)", [][]float64{{5, 2}, {.2, 3}, {5, .2}}},
		{"nmos, bulk grounded", "M1 d g s 0 n w=20u l=2u ad=10p pd=9u\n.model n nmos(vto=.7 kp=100u gamma=.5 tox=14n cj=1m cjsw=.5n)", [][]float64{{5, 3, .5}, {.2, 3, .1}, {.2, 3, 2}}},
		{"nmos, bulk at drain",
			"M1 d g s d n\n.model n nmos(vto=.7 kp=100u gamma=.5 cbs=1p cbd=1p cgbo=1n)",
			[][]float64{{5, 2, 5}, {.2, 3, .3}}},
		{"nmos, gate at drain",
			"M1 d d s b n\n.model n nmos(vto=.7 kp=100u gamma=.5 cbs=1p cbd=1p tox=14n)",
			[][]float64{{2, 0, 0}, {.3, .1, -1}}},
		{"nmos, only gate to bulk", "M1 d g s s n\n.model n nmos(vto=.7 kp=100u cgbo=1n)",
			[][]float64{{2, 1, 0}, {.3, 3, -1}}},
		{"nmos, level 2", "M1 d g s b n w=10u l=2u\n.model n nmos(level=2 vto=.8 tox=25n nsub=2e16 uo=550 ucrit=8e4 uexp=.15 xj=.3u ld=.2u delta=.5 nfs=1e11 neff=2)",
			[][]float64{{5, 2, 0, -.1}, {.2, 3, 0, -1}, {0, 3, 1, -.5}, {5, .7, 0, -.1},
				{1, 2, 0, .3}, {3, 1.2, 0, -1}}},
		{"nmos, level 2, velocity saturation", "M1 d g s b n w=10u l=2u\n.model n nmos(level=2 vto=.8 tox=25n nsub=2e16 vmax=6e4 xj=.2u)",
			[][]float64{{5, 2, 0, 0}, {.2, 3, 0, -1}, {0, 3, 1, -.5}, {1, 2, 0, .3}}},
		{"nmos, level 2, punch-through",
			"M1 d g s b n w=10u l=1u\n.model n nmos(level=2 vto=.8 tox=25n nsub=1e15)",
			[][]float64{{30, 2, 0, 0}, {9, 2, 0, -1}}},
		{"nmos, level 3", "M1 d g s b n w=10u l=.6u\n.model n nmos(level=3 phi=.7 tox=9.5n xj=.2u vto=.7 delta=.88 ld=50n uo=420 theta=.23 gamma=.62 nsub=1.4e17 nfs=7e11 vmax=1.8e5 eta=.02 kappa=.1)",
			[][]float64{{3, 2, 0, 0}, {.2, 3, 0, -1}, {0, 3, 1, -.5}, {3, .6, 0, 0}, {1, 2, 0, .3},
				{.05, .5, 0, 0}}},
		{"pmos, level 3", "M1 d g s b n w=10u l=2u\n.model n pmos(level=3 vto=-.9 nsub=2e16 tox=20n kappa=.5 theta=.05 wd=.1u xl=.1u)",
			[][]float64{{-3, -2, 0, 0}, {-.2, -3, 0, 1}, {-1, -2, 0, 0}}},
		{"vdmos", "M1 d g s v m=2\n.model v vdmos(rg=3 vto=4 rd=20m rs=10m rb=5m kp=30 lambda=.03 theta=.05 mtriode=1.2 cgdmax=1n cgdmin=.2n a=.5 cgs=1.2n cjo=1n is=50p tt=150n)",
			[][]float64{{12, 5, 0, 11.9, 5, .1, .1}, {.2, 9, 0, .15, 9, .02, 0},
				{-.8, 6, 0, -.7, 6, -.1, -.05}, {12, 3.5, 0, 12, 3.5, 0, 0}}},
		{"p-channel vdmos",
			"M1 d g s s v\n.model v vdmos(pchan vto=-3 kp=10 rds=1meg cgdmax=1n cgdmin=.2n cjo=1n)",
			[][]float64{{-12, -5, 0}, {-.2, -9, 0}, {.5, -4, 0}}},
		{"vdmos, quasi-saturation",
			"M1 d g s v m=2\n.model v vdmos(vto=4 rd=20m rs=10m rq=.5 vq=-30 kp=3 cgdmax=1n cgdmin=.2n cgs=1n cjo=1n)",
			[][]float64{{12, 8, 0, 9, 1}, {.2, 9, 0, .15, .02}, {-.8, 6, 0, -.7, -.05}}},
		{"p-channel vdmos, quasi-saturation",
			"M1 d g s v\n.model v vdmos(pchan vto=-3 rd=20m rq=.5 vq=10 kp=3 cgdmax=1n cgdmin=.2n cgs=1n cjo=1n)",
			[][]float64{{-12, -8, 0, -9}, {.5, -6, 0, .45}}},
		{"njf", "J1 d g s n 2\n.model n njf(vto=-2 beta=1m lambda=.02 rd=10 rs=5 cgs=5p cgd=2p b=.7 pb=.8)", [][]float64{{5, -1, 0, 4.9, .1}, {.2, 0, 0, .19, .01}, {-1, 0, .5, -.9, .4}, {5, -3, 0, 5, 0}, {1, .6, 0, 1, 0}}},
		{"pjf", "J1 d g s p\n.model p pjf(vto=-1.5 beta=2m cgs=1p)",
			[][]float64{{-5, 1, 0}, {-.2, .3, 0}, {.4, 0, 0}}},
		{"behavioural voltage", "B1 p n V=v(a)*v(b)^3/(1+abs(v(a,b)))+sqrt(v(b)+4)*tanh(v(p))+(v(a)>1 ? exp(v(b)) : v(a)**2)-pwr(v(a),1.5)+i(b1)*5+temper", [][]float64{{1, 2, 3, .5, .1}, {.2, -1, -2, -1.5, 3}, {0, 0, .5, 2, 0}}},
		{"behavioural current", "B1 p n I=min(v(p,n),3)*max(v(a),v(b))+log(1+v(a)^2)+atan(v(b))*1k^v(a)/asinh(2+v(b)**2)+cos(v(p))*sin(v(n))-ln(v(a)+3)", [][]float64{{1, 2, 3, .5}, {.2, -1, -2, -1.5}, {4, 0, .5, 2}}},
		{"value", "G1 p n VALUE={v(a)*v(b)+time}", [][]float64{{1, 2, 3, 4}}},
		{"poly", "E1 p n poly(2) a 0 b 0 1 2 3 4 5 6 7 8",
			[][]float64{{1, 2, 3, 4, 5}, {0, 0, -1, 2, 1}}},
		{"switch", "S1 p n a b s\n.model s sw(vt=1 vh=.2 ron=2 roff=1meg)",
			[][]float64{{1, 2, 3, .5}, {1, 2, .5, 3}}},
		{"current switch", "W1 p n V1 s\nV1 a 0 0\n.model s csw(it=1 ih=.2 ron=2 roff=1meg)",
			[][]float64{{1, 2, 3, .5}, {1, 2, 3, 2}}},
	} {
		k := part(t, c.body, 40)
		for _, p := range c.points {
			for _, a0 := range []float64{0, 1e9} {
				clear(k.l.X)
				copy(k.l.X[1:], p)
				k.l.A0 = a0
				clear(k.l.State)
				k.at()
				big := 0.0
				var cols [][]float64
				for j := 1; j < len(k.b); j++ {
					cols = append(cols, k.column(j))
				}
				for _, col := range cols {
					for _, v := range col {
						big = math.Max(big, math.Abs(v))
					}
				}
				for j := 1; j < len(k.b); j++ {
					const h = 1e-6
					x := k.l.X[j]
					k.l.X[j] = x + h
					up := k.at()
					k.l.X[j] = x - h
					down := k.at()
					k.l.X[j] = x
					for i := 1; i < len(k.b); i++ {
						got := cols[j-1][i]
						want := (up[i] - down[i]) / (2 * h)
						if math.Abs(got-want) > 1e-5*math.Abs(want)+1e-7*big {
							t.Errorf("%s at %v, a0 = %g: dF%d/dx%d = %g, differences %g", c.name, p,
								a0, i, j, got, want)
						}
					}
				}
			}
		}
	}
}

// TestSmallSignal compares the complex stamps with the matrix of the Newton system. At A0 = omega
// the derivatives of the charges are the imaginary parts.
func TestSmallSignal(t *testing.T) {
	for _, body := range []string{
		"D1 a k d\n.model d d(tt=5n cjo=10p)",
		"Q1 c b e q\n.model q npn(bf=120 vaf=60 cje=5p cjc=3p xcjc=.6 tf=.3n tr=10n xtf=2 vtf=4 itf=.1)",
		"Q1 c b e q\n.model q npn(bf=120 cjc=3p rc=2 rco=20 vo=2 gamma=1e-6 qco=1n)",
		"J1 a b c q\n.model q njf(rd=3 cgs=2p cgd=1p lambda=.1)",
		"M1 a b c v\n.model v vdmos(rd=1 rq=2 vq=9 kp=.3 vto=.2 cgdmax=1n cgdmin=.2n cgs=1n cjo=1n)",
		"M1 a b c v\n.model v vdmos(rg=3 rd=1 kp=.3 vto=.2 cgdmax=1n cgdmin=.2n a=.5 cgs=1.2n cjo=1n tt=1n)", "C1 a b 1u", "L1 a b 1m", "R1 a b 1k",
		"L1 a b 1m\nL2 c 0 4m\nL3 d 0 2m\nK1 L1 L2 L3 .5", "F1 a b V1 3\nV1 c 0 0",
		"H1 a b V1 3\nV1 c 0 0",
		"B1 a b V=v(a)^3*v(b,c)+i(V1)\nV1 c 0 0", "G1 a b cur='exp(v(a))'",
		"S1 p n a b s\n.model s sw(vt=.2)",
	} {
		k := part(t, body, 27)
		copy(k.l.X[1:], []float64{0.65, 0, 0})
		if len(k.b) > 3 {
			copy(k.l.X[1:], []float64{3, 0.7, 0})
		}
		const w = 1e8
		k.at()
		static := append([]float64(nil), k.a...)
		k.l.A0 = w
		k.at()
		ac := ACLoad{A: make([]complex128, len(k.a)), B: make([]complex128, len(k.b)), Omega: w,
			X: k.l.X, Gmin: 1e-12}
		for _, d := range k.all {
			d.LoadAC(&ac)
		}
		for i, r := range k.s.Series {
			k.series[i].addAC(ac.A, complex(*r.Siemens, 0))
		}
		for s := 1; s < len(k.a); s++ {
			want := complex(static[s], k.a[s]-static[s])
			if d := ac.A[s] - want; math.Hypot(real(d), imag(d)) > 1e-9*math.Hypot(real(want),
				imag(want))+1e-18 {
				t.Errorf("%s: entry %d is %g, want %g", body, s, ac.A[s], want)
			}
		}
	}
}

// TestBreakdown verifies that the reverse current at the reverse voltage bv is ibv, with a sidewall
// too.
func TestBreakdown(t *testing.T) {
	for _, body := range []string{"D1 a k d\n.model d d(bv=5.1 ibv=5m)",
		"D1 a k d pj=1e3\n.model d d(bv=5.1 ibv=5m jsw=1e-13)",
		"D1 a k d pj=1e3\n.model d d(bv=5.1 ibv=5m jsw=1e-13 ns=2)"} {
		k := part(t, body, 27)
		k.l.X[1] = -5.1
		if i := k.at()[1]; math.Abs(i+5e-3) > 1e-4 {
			t.Errorf("%s: %g A at -bv, want -5 mA", body, i)
		}
	}
}

// TestSaturationCurrent compares the saturation current at 77 °C with is(T) =
// is·exp((T/Tnom-1)·eg/(n·Vt))·(T/Tnom)^(xti/n).
func TestSaturationCurrent(t *testing.T) {
	k := part(t, "D1 a k d\n.model d d(is=1e-14)", 77)
	vt := 350.15 * 1.38064852e-23 / 1.6021766208e-19
	want := 1e-14 * math.Exp((350.15/300.15-1)*1.11/vt) * math.Pow(350.15/300.15, 3)
	if got := k.d.(*diode).isat; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("is(77 °C) = %g, want %g", got, want)
	}
}

// TestDepletion verifies that the charge is the integral of the capacitance, including above
// linearFrom, where the capacitance is linear.
func TestDepletion(t *testing.T) {
	for _, m := range [...]float64{0, 0.4, 0.5, 0.97, 0.99999, 1, 1.3} {
		d := newDepletion(1e-12, 0.8, m, 0.5)
		sum, v := 0.0, -3.0
		q0, _ := d.at(v)
		const h = 1e-4
		for v < 1.2 {
			_, c := d.at(v + h/2)
			sum += c * h
			v += h
			if q, _ := d.at(v); math.Abs(q-q0-sum) > 1e-6*1e-12 {
				t.Fatalf("m = %g: charge at %g V is %g, integral %g", m, v, q-q0, sum)
			}
		}
	}
}

func TestWaveforms(t *testing.T) {
	p := &pulse{v1: 1, v2: 5, delay: 1, rise: 1, fall: 2, width: 3, period: 10}
	// The period of 6 ends within the fall of 9 to 10.
	cut := &pulse{v2: 5, rise: 1, fall: 1, width: 8, period: 6}
	late := &pulse{v2: 5, delay: 1, rise: 1e-6, fall: 1e-6, width: 8e-6, period: 6e-6}
	triangle := &pulse{v2: 5, rise: 5, fall: 5, period: 10}
	s := &sine{offset: 1, ampl: 2, freq: 0.25, delay: 1, theta: 0.5}
	e := &exponential{v1: 0, v2: 1, td1: 1, tau1: 2, td2: 5, tau2: 3}
	w := &pwl{t: []float64{0, 1, 3}, v: []float64{0, 2, -2}}
	for _, c := range []struct {
		name string
		w    waveform
		t, v float64
	}{
		{"pulse before", p, 0, 1}, {"pulse rising", p, 1.5, 3}, {"pulse high", p, 4, 5},
		{"pulse falling", p, 6, 3}, {"pulse low", p, 9, 1}, {"pulse second", p, 11.5, 3},
		{"cut at the end of the first period", cut, 6, 5},
		{"cut at the end of the third period", cut, 18, 5}, {"cut behind it", cut, 18.2, 1},
		{"cut late", late, late.delay + 3*late.period, 5},
		{"triangle", triangle, 25, 5}, {"triangle falling", triangle, 27, 3},
		{"triangle low", triangle, 30, 0},
		{"sine before", s, 0.5, 1}, {"sine peak", s, 2, 1 + 2*math.Exp(-0.5)},
		{"exp before", e, 1, 0}, {"exp rising", e, 3, 1 - math.Exp(-1)},
		{"exp falling", e, 8, (1 - math.Exp(-3.5)) - (1 - math.Exp(-1))},
		{"pwl before", w, -1, 0}, {"pwl corner", w, 1, 2}, {"pwl middle", w, 2, 0},
		{"pwl after", w, 9, -2},
	} {
		if v := c.w.at(c.t); math.Abs(v-c.v) > 1e-12 {
			t.Errorf("%s: %g at %g s, want %g", c.name, v, c.t, c.v)
		}
	}
	at := 0.0
	for _, want := range []float64{1, 2, 5, 7, 11, 12, 15, 17, 21} {
		if at = p.nextBreak(at); at != want {
			t.Fatalf("pulse corner at %g, want %g", at, want)
		}
	}
}

// TestJoinedBulk compares a transistor whose bulk is tied to the source with a transistor
// that has a separate bulk node at the same voltage. It checks DC and a time step.
func TestJoinedBulk(t *testing.T) {
	const model = "w=20u l=2u ad=10p as=10p pd=9u ps=9u\n.model n nmos(vto=.7 kp=100u gamma=.5 lambda=.03 tox=14n cj=1m cjsw=.5n cgbo=1n cgso=.3n cgdo=.3n)"
	one, two := part(t, "M1 d g s s n "+model, 40), part(t, "M1 d g s b n "+model, 40)
	at := func(k *bench, v [3]float64, a0 float64) []float64 {
		copy(k.l.X[1:], v[:])
		if len(k.b) > 4 {
			k.l.X[4] = v[2]
		}
		k.l.A0 = a0
		return k.at()
	}
	for _, from := range [][3]float64{{5, 2, 0}, {5, -1, 0}, {.1, 3, 1}} {
		for _, to := range [][3]float64{{4.9, 2.2, .1}, {.2, .9, 0}, {0, 3, .3}} {
			for _, a0 := range []float64{0, 1e9} {
				var f [2][]float64
				for i, k := range []*bench{one, two} {
					at(k, from, 0)
					copy(k.l.PrevState, k.l.State)
					f[i] = at(k, to, a0)
				}
				want := []float64{0, f[1][1], f[1][2], f[1][3] + f[1][4]}
				for n := 1; n <= 3; n++ {
					if math.Abs(f[0][n]-want[n]) >
						1e-12*(math.Abs(want[1])+math.Abs(want[2])+math.Abs(want[3])) {
						t.Errorf("%v to %v, a0 = %g: row %d draws %g, want %g", from, to, a0, n,
							f[0][n], want[n])
					}
				}
			}
		}
	}
	if n := len(one.s.Charges); n != 3 {
		t.Errorf("%d charges, want 3: gate to source and bulk, gate to drain, drain to bulk", n)
	}
}

// TestQuasiSaturation compares the drain resistance of a VDMOS with its formula at 127 °C, where rd
// is constant and rq increases by (T/Tnom)^texp1. A voltage of 1 V between drain and internal drain
// makes the current equal to the drain conductance.
func TestQuasiSaturation(t *testing.T) {
	k := part(t, "M1 d g s v m=4\n.model v vdmos(rd=2 rq=3 vq=5 texp1=.3)", 127)
	for _, vds := range []float64{10, 0.5, 0, -0.1} {
		clear(k.l.X)
		k.l.X[1], k.l.X[4] = vds, vds-1
		rd := 2.0
		if vds > 0 {
			rd += 3 * math.Pow(400.15/300.15, 0.3) * vds / (vds + 5)
		}
		with := k.at()[1]
		k.l.X[4] = vds // only the body diode and rds conduct
		without := k.at()[1]
		if got := with - without; math.Abs(got*rd/4-1) > 1e-9 {
			t.Errorf("%g V: %g A, want %g A", vds, got, 4/rd)
		}
	}
}

// TestHoldAtDC verifies that the initial value of an integral stays when the right-hand side is
// loaded again.
func TestHoldAtDC(t *testing.T) {
	k := part(t, "B1 o 0 V=idt(v(a),2.5)\nR1 a 0 1", 27)
	for _, d := range k.all {
		h, ok := d.(*dcHold)
		if !ok {
			continue
		}
		for a0, want := range map[float64]float64{0: 2.5, 1e6: 0} {
			clear(k.b)
			k.l.A, k.l.B, k.l.A0 = k.a, k.b, a0
			h.Load(k.l)
			loaded := k.b[h.i]
			clear(k.b)
			h.LoadRHS(k.l)
			if loaded != want || k.b[h.i] != want {
				t.Errorf("A0 = %g: %g, then %g, want %g", a0, loaded, k.b[h.i], want)
			}
		}
		return
	}
	t.Error("no dcHold")
}
