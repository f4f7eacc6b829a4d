package device

import (
	"math"
	"testing"
)

// TestEpitaxialCurrent compares the current of the collector region with the equation of Kull et
// al., in both directions. The temperature exponents are those of the PSpice reference manual.
func TestEpitaxialCurrent(t *testing.T) {
	const rco, vo, gamma = 20.0, 2.0, 1e-9
	for _, c := range []struct {
		body            string
		sign, celsius   float64
		cn, d, vg, area float64
	}{
		{"Q1 c b 0 q\n.model q npn(rco=20 vo=2 gamma=1e-9)", 1, 27, 0, 0, 0, 1},
		{"Q1 c b 0 q\n.model q npn(rco=20 vo=2 gamma=1e-9)", 1, 125, 0, 0, 0, 1},
		{"Q1 c b 0 q 3\n.model q npn(rco=20 vo=2 gamma=1e-9 quasimod=1)", 1, -40, 2.42, .87,
			1.206, 3},
		{"Q1 c b 0 q m=2\n.model q pnp(rco=20 vo=2 gamma=1e-9 quasimod=1)", -1, 125, 2.2, .52,
			1.206, 2},
		{"Q1 c b 0 q\n.model q npn(rco=20 vo=2 gamma=1e-9 quasimod=1 cn=2 d=1 vg=1.1)", 1, 85, 2, 1,
			1.1, 1},
	} {
		k := part(t, c.body, c.celsius)
		vt := 8.617330e-5 * (c.celsius + 273.15)
		r, v, g := rco/c.area, vo, gamma
		if c.cn > 0 {
			warm := (c.celsius + 273.15) / 300.15
			r *= math.Pow(warm, c.cn)
			v *= math.Pow(warm, c.cn-c.d)
			g *= math.Pow(warm, 3) * math.Exp(-c.vg/vt*(1-warm))
		}
		for _, p := range [][2]float64{{2, .1}, {.2, .1}, {.1, .05}, {0, 0}, {-.3, -.1}, {0, .4}} {
			base, collector, inner := .75, p[0], p[1]
			clear(k.l.State)
			copy(k.l.X[1:], []float64{c.sign * collector, c.sign * base, c.sign * inner})
			kc := math.Sqrt(1 + g*math.Exp((base-inner)/vt))
			kx := math.Sqrt(1 + g*math.Exp((base-collector)/vt))
			vrc := collector - inner
			want := (vrc + vt*(kc-kx-math.Log((1+kc)/(1+kx)))) / r / (1 + math.Abs(vrc)/v)
			if got := c.sign * k.at()[1]; math.Abs(got-want) > 1e-5*math.Abs(want)+1e-12 {
				t.Errorf("%s at %v: %g A, want %g A", c.body, p, got, want)
			}
		}
	}
}
