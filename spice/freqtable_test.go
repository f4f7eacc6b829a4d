package spice

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestFrequencyTable compares tables of E and G with their definition in the PSpice User's Guide.
// Between two entries the magnitude is interpolated logarithmically and the phase linearly. Outside
// the table the magnitude is 0. The low-pass of the guide has a constant delay of 3.2 ms.
func TestFrequencyTable(t *testing.T) {
	const source = "t\nV1 in 0 dc 2 ac 1\nR1 in 0 1k\n"
	const lowPass = "ELOFILT out 0 FREQ {V(in)} = (0,0,0) (5kHz,0,-5760) (6kHz,-60,-6912)\nR2 out 0 1k\n"
	r := run(t, source+lowPass+".op\n.end", "op")
	wantNear(t, ".op", column(t, r, "v(out)")[0], 2, 1e-12)
	delayed := "E1 out 0 FREQ {V(in)} = (0,0,0) (5kHz,0,0)\n+ (6kHz,-60,0) DELAY=3.2ms\nR2 out 0 1k\n"
	for name, text := range map[string]string{"phases": lowPass, "delay": delayed} {
		r = run(t, source+text+".ac lin 71 100 7100\n.end", "ac")
		for k, f := range column(t, r, "frequency") {
			db := 0.0
			if f > 5000 {
				db = -60 * (f - 5000) / 1000
			}
			want := cmplx.Rect(math.Pow(10, db/20), -2*math.Pi*f*3.2e-3)
			if f > 6000.001 {
				want = 0
			}
			got := cmplx.Rect(column(t, r, "v(out)_mag")[k],
				column(t, r, "v(out)_phase_deg")[k]*math.Pi/180)
			if cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
				t.Errorf("%s: %g at %g Hz, want %g", name, got, f, want)
			}
		}
	}
	// The cases are magnitude and phase in radians, real and imaginary parts, an expression, and a
	// current output. The last frequency of .ac is the last entry of the table.
	for text, want := range map[string]complex128{
		"E1 out 0 freq {3*v(in)**2} mag rad = (10,2,0) (1k,0.5,{-1})": 12 * 0.5 * cmplx.Exp(-1i),
		"G1 0 out freq {v(in)} = r_i (10,1m,0) (1k,-1m,-2m)":          -1 - 2i,
		"G1 0 out freq {1k*i(v1)} = db deg (1k,-60,90)":               -1i,
	} {
		r = run(t, source+text+"\nR2 out 0 1k\n.ac dec 7 10 1k\n.end", "ac")
		last := len(column(t, r, "frequency")) - 1
		got := cmplx.Rect(column(t, r, "v(out)_mag")[last],
			column(t, r, "v(out)_phase_deg")[last]*math.Pi/180)
		if cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
	// Halfway between the entries 1-1i and -1-1i, whose phases are -45° and -135°, the value has a
	// magnitude of sqrt(2) and a phase of -90°.
	r = run(t, source+"E1 out 0 freq {v(in)} = r_i (0,1,0) (1k,1,-1) (2k,-1,-1) (3k,-1,1)\n"+
		"R2 out 0 1k\n.ac lin 2 1.5k 2.5k\n.end", "ac")
	wantNear(t, "mean", column(t, r, "v(out)_phase_deg")[0], -90, 1e-6)
	wantNear(t, "next turn", math.Abs(column(t, r, "v(out)_phase_deg")[1]), 180, 1e-6)
}
