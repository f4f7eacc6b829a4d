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
