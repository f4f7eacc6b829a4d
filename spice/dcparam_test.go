package spice

import (
	"math"
	"testing"
)

// TestSweepOfParameter compares .dc over a parameter with a divider, and with the hysteresis of a
// switch that a parameter controls.
func TestSweepOfParameter(t *testing.T) {
	const divided = "t\nV1 in 0 10\nR1 in out {r}\nR2 out 0 {r2}\n.param r=1k r2={2*r}\n"
	for _, card := range []string{".dc param r 1k 3k 500", ".dc r 1k 3k 500"} {
		r := run(t, divided+"R3 out 0 1k\n.meas dc half find v(out) at=2k\n"+card+"\n.end", "dc")
		at, out := column(t, r, "sweep"), column(t, r, "v(out)")
		if len(at) != 5 {
			t.Fatalf("%s: %d points", card, len(at))
		}
		for k, x := range at {
			below := 1 / (1/(2*x) + 1e-3)
			if want := 10 * below / (x + below); !near(out[k], want) {
				t.Errorf("%s: %g V at %g ohm, want %g V", card, out[k], x, want)
			}
		}
		if m := r.Measures[0].Value; m == nil || !near(*m, out[2]) {
			t.Errorf("%s: the measure is %s, want %g", card, show(m), out[2])
		}
	}
	// The state of a switch with hysteresis passes from point to point.
	for _, c := range []struct {
		card string
		on   func(v float64) bool
	}{
		{".dc v 0 1 0.1", func(v float64) bool { return v > 0.65 }},
		{".dc v 1 0 -0.1", func(v float64) bool { return v > 0.25 }},
	} {
		r := run(t, "t\nV1 c 0 {v}\nR1 c 0 1\nV2 a 0 1\nS1 a b c 0 s\nR2 b 0 1k\n.param v=0\n"+
			".model s sw(vt=0.45 vh=0.2 ron=1m roff=1g)\n"+c.card+"\n.end", "dc")
		for k, v := range column(t, r, "sweep") {
			if got := column(t, r, "v(b)")[k]; (got > 0.5) != c.on(v) {
				t.Errorf("%s: %g V at %g V", c.card, got, v)
			}
		}
	}
	// .step and .dc of different parameters.
	r := run(t, divided+".step param r2 list 1k 2k\n.dc r 1k 2k 1k\n.end", "dc")
	for k, one := range runsOf(r) {
		for i, want := range [2][2]float64{{5, 10. / 3}, {20. / 3, 5}}[k] {
			if got := one.Vectors[2].Values[i]; math.Abs(got-want) > 1e-9 {
				t.Errorf("run %d: %s is %g V, want %g V", k, one.Vectors[2].Name, got, want)
			}
		}
	}
}
