package device

import (
	"math"
	"math/rand"
	"testing"
)

// TestBypass moves devices of several kinds away from their linearization. If Bypass returns true,
// the evaluated currents and charges must agree with the tangent within a small multiple of the
// tolerance.
func TestBypass(t *testing.T) {
	for _, c := range []struct {
		name, body string
		at         [][]float64
	}{
		{"diode", "D1 a 0 d\n.model d d(is=1e-14 rs=0 cjo=5p tt=2n bv=10)",
			[][]float64{{.65}, {.3}, {-3}, {-10.1}}},
		{"npn",
			"Q1 c b 0 q\n.model q npn(is=1e-15 bf=100 vaf=60 ikf=50m cje=2p cjc=1p tf=.3n tr=10n)", [][]float64{{3, .7}, {.1, .75}, {5, -1}}},
		{"npn with nk", "Q1 c b 0 q\n" +
			".model q npn(is=1e-15 bf=100 vaf=60 ikf=5m nk=.9 cje=2p cjc=1p tf=.3n)",
			[][]float64{{3, .7}, {3, .8}, {.1, .75}, {5, -1}}},
		{"npn with a substrate junction", "Q1 c b 0 s q\n.model q npn(is=1e-15 bf=100 cje=2p cjs=2p " +
			"iss=1e-14 ns=1.2)", [][]float64{{3, .7, 0}, {.1, .75, .7}, {5, -1, 5.6}}},
		{"npn in quasi-saturation", "Q1 c b 0 q\n" +
			".model q npn(is=1e-15 bf=100 cjc=1p tf=.3n rco=20 gamma=1e-8 qco=1f)",
			[][]float64{{3, .7, 2}, {3, .75, .1}, {.5, .75, .1}, {5, -1, 1}}},
		{"nmos", "M1 d g 0 0 n w=10u l=1u\n.model n nmos(vto=.7 kp=100u gamma=.4 lambda=.03 tox=14n cgso=200p cgdo=200p cbd=10f cbs=10f)", [][]float64{{5, 2}, {.3, 3}, {2, .2}}},
		{"nmos with bulk", "M1 d g s b n w=10u l=1u ad=5p as=5p\n.model n nmos(vto=.7 kp=100u gamma=.4 lambda=.03 tox=14n cgso=200p cgdo=200p cj=1m)", [][]float64{{5, 2, 0, -1}, {.3, 3, 0, 0}, {2, .2, 0, -1}, {1, 3, 1.3, 0}}},
		{"power MOSFET", "M1 d g s m\n.model m vdmos(vto=3 kp=10 cgs=1n " +
			"cgdmin=50p cgdmax=1n a=.5 cjo=500p tt=20n is=1e-12 lambda=.01 mtriode=.8)",
			[][]float64{{12, 5, 0}, {.1, 10, 0}, {12, 0, 0}, {-.6, 0, 0}}},
		{"power MOSFET with quasi-saturation", "M1 d g s m\n.model m vdmos(vto=3 kp=10 rd=10m " +
			"rq=50m vq=5 cgs=1n cgdmin=50p cgdmax=1n cjo=500p)",
			[][]float64{{12, 5, 0, 11.5}, {.5, 10, 0, .4}, {12, 0, 0, 12}}},
		{"njf", "J1 d g 0 j\n.model j njf(vto=-2 beta=1m lambda=.02 cgs=3p cgd=2p is=1e-14)",
			[][]float64{{5, -1}, {.3, -.5}, {5, .6}}},
		{"current of an expression", "B1 a b i=1m*v(a)*v(a)*v(b)+1m*sin(v(b))",
			[][]float64{{1, .5}, {-2, 1}}},
		{"voltage of an expression", "B1 a b v=2*exp(v(b))", [][]float64{{1, .5, .1}}},
		{"switch", "S1 a b a b m\n.model m sw(vt=1 vh=.1 ron=1 roff=1meg)",
			[][]float64{{2, 0}, {.5, 0}}},
	} {
		k := part(t, c.body, 27)
		l := k.l
		r := rand.New(rand.NewSource(1))
		agreed := 0
		for _, p := range c.at {
			for range 400 {
				clear(l.State)
				clear(l.PrevState)
				clear(l.X)
				copy(l.X[1:], p)
				l.A0 = 0
				before := k.at() // repeated until limiting ends
				l.A0 = 1e8
				copy(l.PrevState, l.State)
				clear(k.a)
				clear(k.b)
				k.load()
				tol := 1e-5
				for i := range l.RowTol {
					l.RowTol[i] = tol * (1e-6 + math.Abs(before[i]))
				}
				l.RowTol[0] = math.Inf(1)
				size := math.Pow(10, -4*r.Float64())
				for i := 1; i < len(l.X); i++ {
					l.X[i] += size * r.NormFloat64()
				}
				tangent := k.residual()
				if !k.d.(BypassDevice).Bypass(l) {
					continue
				}
				agreed++
				followed := append([]float64(nil), l.State...)
				exact := k.at()
				for i := 1; i < len(exact); i++ {
					if lost := math.Abs(exact[i] - tangent[i]); lost > 4*l.RowTol[i]+1e-13 {
						t.Fatalf("%s at %v: row %d misses %g, tolerance %g", c.name, l.X, i, lost,
							l.RowTol[i])
					}
				}
				for _, q := range k.s.Charges {
					if d := math.Abs(followed[q] - l.State[q]); l.A0*d >
						8*tol*(1e-6+math.Abs(l.A0*l.State[q])) {
						t.Fatalf("%s at %v: charge %g followed as %g", c.name, l.X, l.State[q],
							followed[q])
					}
				}
			}
		}
		if agreed < 20 {
			t.Errorf("%s: followed %d times only", c.name, agreed)
		}
	}
}

// residual returns the residual of the last Load at the present iterate, by row.
func (k *bench) residual() []float64 {
	n := len(k.b)
	f, scale := make([]float64, n), make([]float64, n)
	k.s.Pattern.Residual(k.a, k.l.X, k.b, f, scale, nil)
	return f
}
