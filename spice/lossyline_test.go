package spice

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestLossyLine compares a lossy line with its theory and with ngspice 39.
func TestLossyLine(t *testing.T) {
	// On a matched line the front of a step is attenuated by e^(-R/(2·z0)) = e^-0.2. Later the line
	// is a resistance of 20 ohm: 50/(50 + 50 + 20).
	const line = "O1 a 0 b 0 lossy\n.model lossy LTRA(R=10 L=250n C=100p LEN=2)\n"
	r := run(t, "t\nV1 s 0 PULSE(0 1 0 1p 1p 1 2)\nR1 s a 50\nR2 b 0 50\n"+line+
		".meas tran none find v(b) at=9.9n\n.meas tran front find v(b) at=10.02n\n.meas tran end find v(b) at=2u\n.tran 1n 2u\n.end", "tran")
	for k, want := range []float64{0, 0.5 * math.Exp(-0.2), 50. / 120} {
		if got := *r.Measures[k].Value; math.Abs(got-want) > 2e-3 {
			t.Errorf("%s: %.6g V, want %.6g", r.Measures[k].Name, got, want)
		}
	}
	r = run(t, "t\nV1 s 0 3\nR1 s a 50\nR2 b 0 50\n"+line+".op\n.end", "op")
	wantNear(t, "DC", column(t, r, "v(b)")[0], 3*50./120, 1e-9)
	wantNear(t, "DC current", column(t, r, "i(v1)")[0], -3./120, 1e-9)
	// The expected pulse on a mismatched line is from ngspice 39 with a largest step of 50 ps.
	r = run(t,
		"t\nV1 s 0 PULSE(0 1 1n 0.2n 0.2n 20n 1)\nR1 s a 30\nR2 b 0 120\n"+line+`.tran 0.05n 60n
.meas tran m1 find v(b) at=15n
.meas tran m2 find v(a) at=25n
.meas tran m3 find v(b) at=30n
.meas tran m4 find v(b) at=45n
.meas tran m5 find v(a) at=55n
.end`, "tran")
	for k, want := range []float64{0.73184, 0.18970, 0.75531, -0.045832, -0.0094743} {
		if got := *r.Measures[k].Value; math.Abs(got-want) > 2e-3 {
			t.Errorf("%s: %.6g V, ngspice has %.6g", r.Measures[k].Name, got, want)
		}
	}
	// Without resistance it is the lossless line with 50 ohm and 10 ns.
	r = run(t, "t\nV1 s 0 ac 1\nR1 s a 50\nO1 a 0 b 0 m\n.model m LTRA(L=250n C=100p LEN=2)\nR2 b 0 50\n.ac lin 1 10meg 10meg\n.end", "ac")
	wantNear(t, "phase", column(t, r, "v(b)_phase_deg")[0], -36, 1e-9)
	// For small signals the open line satisfies v(b)/v(a) = 1/cosh(gamma) with gamma² = (R +
	// jwL)·jwC·len².
	r = run(t, "t\nV1 a 0 ac 1\nR2 b 0 1t\n"+line+".ac lin 1 3meg 3meg\n.end", "ac")
	w := 2 * math.Pi * 3e6
	want := 1 / cmplx.Cosh(2*cmplx.Sqrt(complex(10, w*250e-9)*complex(0, w*100e-12)))
	wantNear(t, "open line", column(t, r, "v(b)_mag")[0], cmplx.Abs(want), 1e-6)
}
