package spice

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"
)

// TestLossyLine compares a lossy line with theory and with ngspice 39.
func TestLossyLine(t *testing.T) {
	// The front of a step on a matched line is attenuated by e^(-R/(2·z0)) = e^-0.2. Later the line
	// is equivalent to a resistance of 20 Ω, so the voltage is 50/(50 + 50 + 20).
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
	// The expected pulse on a mismatched line is the result of ngspice 39 with a largest step of 50
	// ps.
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
	// Without resistance the line is a lossless line with 50 Ω and 10 ns.
	r = run(t, "t\nV1 s 0 ac 1\nR1 s a 50\nO1 a 0 b 0 m\n.model m LTRA(L=250n C=100p LEN=2)\nR2 b 0 50\n.ac lin 1 10meg 10meg\n.end", "ac")
	wantNear(t, "phase", column(t, r, "v(b)_phase_deg")[0], -36, 1e-9)
	// For small signals the open line satisfies v(b)/v(a) = 1/cosh(gamma) with gamma² = (R +
	// jωL)·jωC·len².
	r = run(t, "t\nV1 a 0 ac 1\nR2 b 0 1t\n"+line+".ac lin 1 3meg 3meg\n.end", "ac")
	w := 2 * math.Pi * 3e6
	want := 1 / cmplx.Cosh(2*cmplx.Sqrt(complex(10, w*250e-9)*complex(0, w*100e-12)))
	wantNear(t, "open line", column(t, r, "v(b)_mag")[0], cmplx.Abs(want), 1e-6)
}

// lineCase is a line of 2 m with its resistance [Ω/m], inductance [H/m], conductance [S/m] and
// capacitance [F/m].
type lineCase struct{ r, l, g, c float64 }

func (k lineCase) netlist(between string) string {
	return fmt.Sprintf("t\n%s\nO1 a 0 b 0 m\n.model m ltra(r=%g l=%g g=%g c=%g len=2)\n.end",
		between, k.r, k.l, k.g, k.c)
}

// at returns the voltages [V] of both ports from the telegrapher's equations at an angular
// frequency [rad/s]. The source is 1 V with 50 Ω in series, and the load is 75 Ω.
func (k lineCase) at(omega float64) (a, b complex128) {
	omega = math.Max(omega, 1e-3) // avoids 0/0
	z, y := complex(k.r, omega*k.l), complex(k.g, omega*k.c)
	gamma, zc := 2*cmplx.Sqrt(z*y), cmplx.Sqrt(z/y)
	a = cmplx.Cosh(gamma) + zc/75*cmplx.Sinh(gamma) // voltage at port 1 if port 2 has 1 V
	current := cmplx.Sinh(gamma)/zc + cmplx.Cosh(gamma)/75
	return a / (a + 50*current), 1 / (a + 50*current)
}

// TestLineKinds compares every kind of lossy line with the telegrapher's equations in .op, in .ac,
// and in the steady state of a sine in .tran. The front of a step on a line with inductance is
// attenuated by e^(-(R/z0 + G·z0)/2).
func TestLineKinds(t *testing.T) {
	const driven = "R1 s a 50\nR2 b 0 75\n"
	for name, k := range map[string]lineCase{
		"RLC":                   {5, 250e-9, 0, 100e-12},
		"RLGC":                  {5, 250e-9, 0.5e-3, 100e-12},
		"RLGC, R/L near G/C":    {5, 250e-9, 1.99e-3, 100e-12},
		"RLGC, no distortion":   {5, 250e-9, 2e-3, 100e-12},
		"RLGC, G/C above R/L":   {5, 250e-9, 5e-3, 100e-12},
		"LGC":                   {0, 250e-9, 5e-3, 100e-12},
		"RC":                    {50, 0, 0, 100e-12},
		"RGC":                   {50, 0, 2e-3, 100e-12},
		"RGC, nearly without G": {50, 0, 1e-12, 100e-12},
		"RG":                    {50, 0, 2e-3, 0},
		"RG, long":              {500, 0, 0.5, 0},
		"RLC, slight":           {1e-4, 250e-9, 0, 100e-12},
	} {
		r := run(t, k.netlist("V1 s 0 3\n"+driven+".op"), "op")
		a, b := k.at(0)
		wantNear(t, name+": v(a) at DC", column(t, r, "v(a)")[0]/(3*real(a)), 1, 1e-9)
		wantNear(t, name+": v(b) at DC", column(t, r, "v(b)")[0]/(3*real(b)), 1, 1e-9)
		r = run(t, k.netlist("V1 s 0 ac 1\n"+driven+".ac dec 1 1 10g"), "ac")
		for i, f := range column(t, r, "frequency") {
			a, b = k.at(2 * math.Pi * f)
			wantNear(t, fmt.Sprintf("%s: |v(a)| at %g Hz", name, f),
				column(t, r, "v(a)_mag")[i]/cmplx.Abs(a), 1, 1e-7)
			if cmplx.Abs(b) > 1e-100 {
				wantNear(t, fmt.Sprintf("%s: |v(b)| at %g Hz", name, f),
					column(t, r, "v(b)_mag")[i]/cmplx.Abs(b), 1, 1e-7)
			}
		}
		// Both the DC offset and the sine reach their steady state.
		const f = 20e6
		r = run(t, k.netlist("V1 s 0 sin(1 1 20meg)\n"+driven+`.tran 1n 1u
.meas tran a0 find v(a) at=0.95u
.meas tran a1 find v(a) at=0.9625u
.meas tran b0 find v(b) at=0.95u
.meas tran b1 find v(b) at=0.9625u`), "tran")
		a0, b0 := k.at(0)
		a, b = k.at(2 * math.Pi * f)
		for i, want := range []float64{real(a0) + imag(a), real(a0) + real(a), real(b0) + imag(b),
			real(b0) + real(b)} {
			wantNear(t, name+": "+r.Measures[i].Name, *r.Measures[i].Value, want, 2e-3)
		}
		if k.l > 0 {
			r = run(t, k.netlist("V1 s 0 pulse(0 1 0 1p 1p 1 2)\nR1 s a 50\nR2 b 0 50\n"+
				".tran 0.1n 12n\n.meas tran front find v(b) at=10.02n"), "tran")
			wantNear(t, name+": front", *r.Measures[0].Value,
				0.5*math.Exp(-(k.r/50+k.g*50)), 2e-3)
		}
	}
}

// TestOpenRCLine compares the step response of an open RC line with its series 1 - 4/pi·sum of
// (-1)^n/(2n+1)·e^(-((2n+1)·pi/2)²·t/tau). The times are from 0.03·tau to 9·tau.
func TestOpenRCLine(t *testing.T) {
	const tau = 100e-9 // R·C of 1 kΩ and 100 pF [s]
	text := "t\nV1 a 0 pulse(0 1 0 1f 1f 1 2)\nO1 a 0 b 0 m\nR1 b 0 1t\n" +
		".model m ltra(r=1k c=100p len=1)\n.tran 1n 1u\n"
	times := []float64{0.03, 0.1, 0.3, 1, 3, 9}
	for _, at := range times {
		text += fmt.Sprintf(".meas tran m find v(b) at=%g\n", at*tau)
	}
	r := run(t, text+".end", "tran")
	for i, at := range times {
		want, sign := 1.0, 4/math.Pi
		for n := 1.0; n < 60; n += 2 {
			want -= sign / n * math.Exp(-n*n*math.Pi*math.Pi/4*at)
			sign = -sign
		}
		if got := *r.Measures[i].Value; math.Abs(got-want) > 1e-3 {
			t.Errorf("at %g tau: %g V, want %g V", at, got, want)
		}
	}
}
