package device

import (
	"math"
	"testing"
)

// TestVariation compares the charge derivatives of VaryCharges with difference quotients of the
// charges. It compares the companion currents of LoadHistory with their effect on the right-hand
// side of Load.
func TestVariation(t *testing.T) {
	for _, c := range []struct {
		name, body string
		points     [][]float64 // node voltages [V] in order of appearance, then internal nodes
	}{
		{"diode", "D1 a k d\n.model d d(is=1e-14 rs=2 tt=5n cjo=10p bv=6)",
			[][]float64{{.7, 0, .65}, {-3, 0, -3}}},
		{"npn", "Q1 c b e s q\n.model q npn(is=1e-15 vaf=60 ikf=20m rb=50 re=1 rc=5 cje=5p cjc=3p cjs=2p xcjc=.6 tf=.3n " +
			"tr=10n xtf=2 vtf=4 itf=.1)", [][]float64{{5, .8, 0, -1, 4.9, .75, .01},
			{.1, .8, 0, -1, .15, .78, .02}}},
		{"npn, excess phase", "Q1 c b e q\n.model q npn(is=1e-15 vaf=60 tf=.3n ptf=30 cje=1p)",
			[][]float64{{5, .8, 0}, {.1, .8, 0}}},
		{"pnp lateral", "Q1 c b e s q\n.model q pnp(is=1e-15 bf=40 cje=1p cjc=1p cjs=2p tf=1n)",
			[][]float64{{-5, -.7, 0, .3}}},
		{"nmos", "M1 d g s b n w=20u l=2u ad=10p as=10p\n.model n nmos(vto=.7 kp=100u gamma=.5 rd=10 rs=5 tox=14n cj=1m " +
			"cgbo=1n cgso=.3n cgdo=.3n)", [][]float64{{5, 2, 0, 0, 4.9, .1},
			{.2, 3, 0, -1, .19, .01}}},
		{"pmos, bulk at source", "M1 d g s s p\n.model p pmos(vto=-.7 kp=50u cbd=1p tox=14n)",
			[][]float64{{-5, -2, 0}, {.4, -3, 0}}},
		{"vdmos", "M1 d g s v\n.model v vdmos(vto=3 kp=20 rd=10m rg=5 cgdmin=20p cgdmax=1n a=.5 cgs=1n cjo=500p tt=1n)",
			[][]float64{{12, 5, 0, 11.9, 4.9}, {.1, 6, 0, .08, 6}}},
		{"vdmos, p-channel", "M1 d g s v\n.model v vdmos(pchan vto=-3 kp=20 cgdmin=20p cgdmax=1n a=.5 cgs=1n cjo=500p)",
			[][]float64{{-12, -5, 0}}},
		{"pjf", "J1 d g s p\n.model p pjf(vto=-1.5 beta=2m cgs=1p cgd=2p)",
			[][]float64{{-5, 1, 0}, {.4, 0, 0}}},
	} {
		k := part(t, c.body, 40)
		n := len(k.b)
		d := k.d.(VariationalDevice)
		for _, p := range c.points {
			clear(k.l.X)
			clear(k.l.State)
			copy(k.l.X[1:], p)
			k.l.A0 = 0
			k.at()
			k.l.A0 = 1e9
			copy(k.l.PrevState, k.l.State)
			k.at()
			vary := Load{A0: k.l.A0, X: make([]float64, n), B: make([]float64, n), Gmin: k.l.Gmin,
				State: make([]float64, k.s.States), PrevState: make([]float64, k.s.States),
				History: make([]float64, k.s.States)}
			d.VaryCharges(&vary) // stores the gate capacitances of the last point
			copy(vary.PrevState, vary.State)

			for h, q := range k.s.Charges {
				vary.History[q] = 1e-3 * float64(h+1)
			}
			d.LoadHistory(&vary)
			without := append([]float64(nil), k.b...)
			copy(k.l.History, vary.History)
			k.at()
			for i := 1; i < n; i++ {
				if want := k.b[i] - without[i]; math.Abs(vary.B[i]-want) > 1e-9 {
					t.Errorf("%s at %v: companion currents change row %d by %g, in Load by %g",
						c.name, p, i, vary.B[i], want)
				}
			}
			clear(k.l.History)
			clear(vary.History)

			for j := 1; j < n; j++ {
				const h = 1e-5
				x := k.l.X[j]
				k.l.X[j] = x + h
				k.at()
				up := append([]float64(nil), k.l.State...)
				k.l.X[j] = x - h
				k.at()
				down := append([]float64(nil), k.l.State...)
				k.l.X[j] = x
				k.at()
				clear(vary.X)
				vary.X[j] = 1
				d.VaryCharges(&vary)
				for _, q := range k.s.Charges {
					want := (up[q] - down[q]) / (2 * h)
					if got := vary.State[q]; math.Abs(got-want) > 1e-4*math.Abs(want)+1e-18 {
						t.Errorf("%s at %v: dq%d/dx%d = %g, differences %g", c.name, p, q,
							j, got, want)
					}
				}
			}
		}
	}
}

// TestGateChargeError compares the error of a step with the integral of c·v' for parabolas.
func TestGateChargeError(t *testing.T) {
	c := func(t float64) float64 { return 1e-15 * (3 - 0.8*t + 0.3*t*t) }
	v := func(t float64) float64 { return 0.2 + 1.5*t - 0.4*t*t }
	at := [3]float64{2.5, 1.7, 0.2} // times [s] of the present point and the last two points
	steps := [2]float64{at[0] - at[1], at[1] - at[2]}
	var states [3]gateState
	for k, t := range at {
		states[k] = gateState{0, 0, c(t) / 2, v(t)}
	}
	exact, n := 0.0, 1000
	for k := range n { // midpoint rule
		h := steps[0] / float64(n)
		t := at[1] + (float64(k)+0.5)*h
		exact += c(t) * (1.5 - 0.8*t) * h
	}
	want := (c(at[0])+c(at[1]))/2*(v(at[0])-v(at[1])) - exact
	got := gateChargeError(&states[0], &states[1], &states[2], steps)
	if math.Abs(got-want) > 1e-4*math.Abs(want) {
		t.Errorf("error of the gate charge %g C, want %g C", got, want)
	}
	from, to := gateState{0, 0, 1e-15, 1}, gateState{0, 0, 1e-15, 2}
	if got := gateChargeError(&to, &from, &from, steps); got != 0 {
		t.Errorf("error of the gate charge at a constant capacitance %g C, want 0", got)
	}
}
