package device

import (
	"math"
	"testing"
)

// variation evaluates the variational equation of a device.
type variation struct {
	d    Device
	l    *Load // tangent of the device
	list []TwoTerminalCharge
	c    []float64
}

func newVariation(d Device, l *Load) *variation {
	v := &variation{d: d, l: l}
	if t := d.(TwoTerminalCharges); t.Charges() != nil {
		v.list = t.Charges()
		v.c = make([]float64, len(v.list))
		t.Capacitances(v.c)
		for k, c := range v.list {
			if c.Gate { // the halves at both ends of a step are equal
				v.c[k] *= 2
			}
		}
	}
	return v
}

// loadHistory adds the companion currents to b.
func (v *variation) loadHistory(history, b []float64) {
	for _, c := range v.list {
		b[c.From] -= history[c.State]
		b[c.To] += history[c.State]
	}
	if d, ok := v.d.(VariationalDevice); ok && v.list == nil {
		states := make([]float64, len(history))
		d.LoadHistory(&Load{A0: v.l.A0, B: b, History: history, State: states})
	}
}

// vary returns the charge changes for the change x of the unknowns, by state.
func (v *variation) vary(x []float64) []float64 {
	states := make([]float64, len(v.l.State))
	for k, c := range v.list {
		states[c.State] = v.c[k] * (x[c.From] - x[c.To])
	}
	if v.list == nil {
		if d, ok := v.d.(VariationalDevice); ok {
			d.VaryCharges(&Load{A0: v.l.A0, X: x, History: make([]float64, len(states)),
				State: states})
		}
	} else if d, ok := v.d.(CrossCharge); ok && d.CrossCharge().State >= 0 {
		c := d.CrossCharge()
		states[c.State] += d.CrossCapacitance() * (x[c.From] - x[c.To])
	}
	return states
}

// TestVariation compares the charge derivatives of the variational equation with difference
// quotients of the charges. It compares the companion currents with their effect on the right-hand
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
		{"npn in quasi-saturation", "Q1 c b e s q\n.model q npn(is=1e-15 vaf=60 rb=50 rc=5 cje=5p " +
			"cjs=2p rco=20 vo=2 gamma=1e-8 qco=1n)", [][]float64{
			{5, .8, 0, -1, 4.9, .2, .75}, {.1, .8, 0, -1, .09, .05, .78}}},
		{"pnp in quasi-saturation, excess phase", "Q1 c b e q\n" +
			".model q pnp(is=1e-15 tf=.3n ptf=30 rco=20 gamma=1e-6 qco=1n)",
			[][]float64{{-5, -.7, 0, -.2}, {-.02, -.75, 0, -.01}}},
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
		{"capacitor", "C1 a b 2p", [][]float64{{1, 2}}},
		{"inductor", "L1 a b 2u", [][]float64{{1, 2, 3}}},
		{"pjf", "J1 d g s p\n.model p pjf(vto=-1.5 beta=2m cgs=1p cgd=2p)",
			[][]float64{{-5, 1, 0}, {.4, 0, 0}}},
	} {
		k := part(t, c.body, 40)
		n := len(k.b)
		load := func() {
			k.at()
			if s, ok := k.d.(ChargeStorage); ok {
				s.Update(k.l)
			}
		}
		for _, p := range c.points {
			clear(k.l.X)
			clear(k.l.State)
			copy(k.l.X[1:], p)
			k.l.A0 = 0
			load()
			k.l.A0 = 1e9
			copy(k.l.PrevState, k.l.State)
			load()
			v := newVariation(k.d, k.l)
			for h, q := range k.s.Charges {
				k.l.History[q] = 1e-3 * float64(h+1)
			}
			without, got := append([]float64(nil), k.b...), make([]float64, n)
			v.loadHistory(k.l.History, got)
			load()
			for i := 1; i < n; i++ {
				if want := k.b[i] - without[i]; math.Abs(got[i]-want) > 1e-9 {
					t.Errorf("%s at %v: companion currents change row %d by %g, in Load by %g",
						c.name, p, i, got[i], want)
				}
			}
			clear(k.l.History)

			for j := 1; j < n; j++ {
				const h = 1e-5
				x := k.l.X[j]
				k.l.X[j] = x + h
				load()
				up := append([]float64(nil), k.l.State...)
				k.l.X[j] = x - h
				load()
				down := append([]float64(nil), k.l.State...)
				k.l.X[j] = x
				load()
				unit := make([]float64, n)
				unit[j] = 1
				got := v.vary(unit)
				for _, q := range k.s.Charges {
					want := (up[q] - down[q]) / (2 * h)
					if math.Abs(got[q]-want) > 1e-4*math.Abs(want)+1e-18 {
						t.Errorf("%s at %v: dq%d/dx%d = %g, differences %g", c.name, p, q,
							j, got[q], want)
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
	exact, n, h := 0.0, 1000, at[0]-at[1]
	for k := range n { // midpoint rule
		t := at[1] + (float64(k)+0.5)*h/float64(n)
		exact += c(t) * (1.5 - 0.8*t) * h / float64(n)
	}
	want := (c(at[0])+c(at[1]))/2*(v(at[0])-v(at[1])) - exact
	got := GateChargeError(GateErrorWeight(h, at[1]-at[2]), c(at[0])-c(at[1]), c(at[1])-c(at[2]),
		v(at[0])-v(at[1]), v(at[1])-v(at[2]))
	if math.Abs(got-want) > 1e-4*math.Abs(want) {
		t.Errorf("error of the gate charge %g C, want %g C", got, want)
	}
	if got := GateChargeError(1, 0, 0, 1, 2); got != 0 {
		t.Errorf("error of the gate charge at a constant capacitance %g C, want 0", got)
	}
}
