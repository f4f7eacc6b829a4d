package spice

import (
	"math"
	"testing"
)

// TestLastingResonance simulates a resonance with a quality factor of 3,000 in a circuit with a
// diode. It compares the voltage after 300 and 1,500 periods with the decay e^(-t/(2·R·C)). BDF of
// order 3 would sustain the oscillation.
func TestLastingResonance(t *testing.T) {
	r := run(t, `a resonance beside a rectifier
V1 s 0 sin(0 1 1meg)
R1 s d 1k
D1 d 0 dm
.model dm d(is=1f)
L1 a 0 25.3303u
C1 a 0 1n ic=1
R2 a 0 477.46k
.tran 0.1u 1.5m uic
.meas tran early max v(a) from=299u to=301u
.meas tran late max v(a) from=1.498m to=1.5m
.end`, "tran")
	for k, at := range []float64{299e-6, 1.498e-3} {
		wantNear(t, r.Measures[k].Name, *r.Measures[k].Value, math.Exp(-at/(2*477.46e3*1e-9)), 0.01)
	}
}

// TestResonanceDecays simulates resonances without a sine. A pulse excites them, and after
// thousands of periods nothing is left of them. BDF of order 3 or 4 sustained the first with 34 %
// and the second with 9 % of the first amplitude.
func TestResonanceDecays(t *testing.T) {
	for _, c := range []struct {
		name, text string
		most       float64 // largest part of the first amplitude that may be left
		iterations int
	}{
		{"quality factor of 95 beside a diode", `V1 a 0 PULSE(0 100 1u 10n 10n 1 2)
C0 a t 1p
L1 t 0 1u
C1 t 0 1n
R2 t 0 3k
D1 x 0 dm
R3 a x 1k
.model dm D(IS=1e-14)
.tran 1u 10m
.meas tran first max v(t) from=0 to=10u
.meas tran last max v(t) from=4m to=10m`, 1e-4, 60_000},
		{"too fast for the steps", `V1 a 0 PULSE(0 5 1u 5n 5n 5u 1)
G1 0 t VALUE={V(a)*1m}
L1 t 0 1n
C1 t 0 2.533n
R2 t 0 19
D1 a x dm
R3 x 0 1k
.model dm D(IS=1e-14)
.tran 1u 1m
.meas tran first max v(t) from=0 to=10u
.meas tran last max v(t) from=500u to=1m`, 1e-3, 40_000},
	} {
		r := run(t, "t\n"+c.text+"\n.end", "tran")
		first, last := *r.Measures[0].Value, *r.Measures[1].Value
		if !(last < c.most*first) {
			t.Errorf("%s: amplitude %g V of %g V is left", c.name, last, first)
		}
		if n := r.Statistics.NewtonIterations; n > c.iterations {
			t.Errorf("%s: %d iterations, limit %d", c.name, n, c.iterations)
		}
	}
}
