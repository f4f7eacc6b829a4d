package spice

import "testing"

// TestTurnOn compares the peak currents of voltage multipliers with ngspice 39 (reltol 1e-6,
// largest steps 2 us and 20 ns). Nothing but the diodes limits the current of the source, and each
// diode turns on within a few percent of a step. In the first circuit this step follows a far
// longer one. In the second the diode turns on at the end of a step, and the error shows only in
// the next.
func TestTurnOn(t *testing.T) {
	for _, c := range []struct {
		netlist   string
		high, low float64
	}{
		{`three stages
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
.end`, 42.20e-3, -39.95e-3},
		{`two stages
V1 a0 0 SIN(0 24.72 9112)
C1 a0 a1 55.04n
D1 0 a1 1n4007
D2 a1 b1 1n4007
C2 0 b1 55.04n
C3 a1 a2 55.04n
D3 b1 a2 1n4007
D4 a2 b2 1n4007
C4 b1 b2 55.04n
RL b2 0 12.53k
.tran 4.39u 2.195m
.meas tran high max i(v1) from=0.5m
.meas tran low min i(v1) from=0.5m
.end`, 50.02e-3, -36.35e-3},
	} {
		r := run(t, c.netlist, "tran")
		wantNear(t, r.Measures[0].Name, *r.Measures[0].Value, c.high, 0.01)
		wantNear(t, r.Measures[1].Name, *r.Measures[1].Value, c.low, 0.01)
	}
}
