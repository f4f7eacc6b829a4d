package spice

import "testing"

// TestTurnOn compares the peak currents of a voltage multiplier with ngspice 39 (reltol 1e-6,
// largest step 2 us). Nothing but the diodes limits the current of the source, and each diode turns
// on within a few percent of a step.
func TestTurnOn(t *testing.T) {
	r := run(t, `Cockcroft-Walton multiplier of three stages
V1 a0 0 SIN(0 34.84 199.9)
C1 a0 a1 2.77u
D1 0 a1 1n4007
D2 a1 b1 1n4007
C2 0 b1 2.77u
C3 a1 a2 2.77u
D3 b1 a2 1n4007
D4 a2 b2 1n4007
C4 b1 b2 2.77u
C5 a2 a3 2.77u
D5 b2 a3 1n4007
D6 a3 b3 1n4007
C6 b2 b3 2.77u
RL b3 0 215.8k
.tran 200.1u 100.1m
.meas tran high max i(v1) from=30m
.meas tran low min i(v1) from=30m
.end`, "tran")
	for k, want := range []float64{42.20e-3, -39.95e-3} {
		wantNear(t, r.Measures[k].Name, *r.Measures[k].Value, want, 0.01)
	}
}
