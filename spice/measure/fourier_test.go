package measure_test

import (
	"math"
	"strings"
	"testing"
)

// TestSpectra compares spectra with Fourier series computed analytically.
func TestSpectra(t *testing.T) {
	// odd returns the magnitude as a function of n for a series with only odd harmonics.
	odd := func(f func(n float64) float64) func(int) float64 {
		return func(n int) float64 {
			if n%2 == 0 {
				return 0
			}
			return f(float64(n))
		}
	}
	for _, c := range []struct {
		name, source string
		magnitude    func(n int) float64
		phase1       float64 // phase of the fundamental [°]
		mean         float64
	}{
		// The coefficients are 4/(nπ). With edges of 1 ns the series agrees with that of the ideal
		// square wave within 1e-5.
		{"square", "PULSE(-1 1 0 1n 1n 0.499999m 1m)", odd(func(n float64) float64 {
			return 4 / (n * math.Pi)
		}), 0, 0},
		{"triangle", "PULSE(-1 1 0 0.5m 0.5m 1e-12 1m)", odd(func(n float64) float64 {
			return 8 / (n * n * math.Pi * math.Pi)
		}), -90, 0},
		{"sine with a bias and 30°", "SIN(2 3 1k 0 0 30)", func(n int) float64 {
			return map[int]float64{1: 3}[n]
		}, 30, 2},
		// The coefficients of a pulse from 0 to 1 with duty cycle 1/4 are 2/(nπ)·|sin(nπ/4)|.
		{"pulse of a quarter", "PULSE(0 1 0 1n 1n 0.249999m 1m)", func(n int) float64 {
			return math.Abs(2 / (float64(n) * math.Pi) * math.Sin(float64(n)*math.Pi/4))
		}, 45, 0.25},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := simulate(t,
				"t\nV1 a 0 "+c.source+"\nR1 a 0 1k\n.tran 10u 3m\n.four 1k v(a) i(v1)\n.end")
			if len(r.Fourier) != 2 {
				t.Fatal(r.Warnings)
			}
			f := r.Fourier[0]
			squares := 0.0
			for _, l := range f.Lines {
				want := c.magnitude(l.N)
				if math.Abs(l.Magnitude-want) > 1e-4*c.magnitude(1) {
					t.Errorf("harmonic %d: %g, want %g", l.N, l.Magnitude, want)
				}
				if l.N > 1 {
					squares += want * want
				}
				if l.Hz != float64(l.N)*1e3 ||
					math.Abs(*l.Normalized-l.Magnitude/f.Lines[0].Magnitude) > 1e-12 {
					t.Errorf("%+v", l)
				}
			}
			thd := 100 * math.Sqrt(squares) / c.magnitude(1)
			if math.Abs(*f.THDPct-thd) > 0.01 || math.Abs(f.Mean-c.mean) > 1e-4 ||
				math.Abs(f.Lines[0].PhaseDeg-c.phase1) > 0.1 {
				t.Errorf("THD %g %%, mean %g, phase %g; want %g, %g, %g", *f.THDPct, f.Mean,
					f.Lines[0].PhaseDeg, thd, c.mean, c.phase1)
			}
			if i := r.Fourier[1]; math.Abs(i.Lines[0].Magnitude-f.Lines[0].Magnitude/1e3) > 1e-9 {
				t.Errorf("current %g, voltage %g", i.Lines[0].Magnitude, f.Lines[0].Magnitude)
			}
			t.Logf("THD %.4f %%, on paper %.4f %%", *f.THDPct, thd)
		})
	}
}

// TestClippedSine compares the THD of a sine clipped at half its peak with the analytic value. With
// θ = asin(1/2) the harmonics of the odd, half-wave symmetric waveform are b(n) = 4/π·[∫0..θ sin
// φ·sin(nφ) + c·∫θ..π/2 sin(nφ)], where c = 1/2 is the clipping level.
func TestClippedSine(t *testing.T) {
	theta := math.Pi / 6
	b := func(n float64) float64 {
		own := theta/2 - math.Sin(2*theta)/4
		if n != 1 {
			own = math.Sin((n-1)*theta)/(2*(n-1)) - math.Sin((n+1)*theta)/(2*(n+1))
		}
		return 4 / math.Pi * (own + 0.5*math.Cos(n*theta)/n)
	}
	squares := 0.0
	for n := 3.0; n <= 9; n += 2 {
		squares += b(n) * b(n)
	}
	want := 100 * math.Sqrt(squares) / b(1)
	// The clamps are nearly ideal: 1 kΩ in series with diodes of emission coefficient 0.01.
	r := simulate(t, "t\nV1 a 0 SIN(0 1 1k)\nR1 a b 1k\nD1 b p d\nVP p 0 0.495\nD2 n b d\nVN 0 n 0.495\n.model d d(is=1e-13 n=0.01)\n.tran 5u 3m\n.four 1k v(b)\n.end")
	if got := *r.Fourier[0].THDPct; math.Abs(got-want) > 0.01*want {
		t.Errorf("THD %.4f %%, on paper %.4f %%", got, want)
	}
}

func TestFourierFailures(t *testing.T) {
	for card, want := range map[string]string{
		".tran 10u 1m\n.four 500 v(a)":                ".four v(a) failed: the analysis covers 0.001 s, less than the period 0.002 s",
		".tran 10u 1m\n.four 1e20 v(a)":               "has no time points inside",
		".tran 10u 1m\n.four 1k v(b)":                 "node b is not in the circuit",
		".tran 10u 1m\n.four 1k v(c)":                 ".four v(c) has no fundamental, so no distortion",
		".dc V1 0 1 1\n.four 1k v(a)":                 ".four needs .tran and is not evaluated for .dc",
		".tran 10u 1m 0.5m\n.four 1k v(a)":            "the analysis covers 0.0005 s",
		".tran 10u 1m\n.four 1k v(0)":                 "v(0) is always 0",
		".tran 10u 1m\n.four 1k i(c1)":                "i(c1) is not among the currents",
		".tran 10u 1m\n.four 1k v(a)\n.four 2k v(zz)": "node zz is not in the circuit",
	} {
		r := simulate(t, "t\nV1 a 0 SIN(0 1 1k)\nR1 a 0 1\nV2 c 0 3\nR2 c 0 1\n"+card+"\n.end")
		if !strings.Contains(strings.Join(r.Warnings, "|"), want) {
			t.Errorf("%q: %q, want %q", card, r.Warnings, want)
		}
	}
}

// TestLateTransient verifies that the last period has short time steps even if it is short compared
// with the run.
func TestLateTransient(t *testing.T) {
	r := simulate(t,
		"t\nV1 a 0 SIN(0 1 100k)\nR1 a b 1k\nR2 b 0 1k\n.tran 1m 20.003m\n.four 100k v(b)\n.end")
	if f := r.Fourier[0]; *f.THDPct > 0.01 || math.Abs(f.Lines[0].Magnitude-0.5) > 1e-4 {
		t.Errorf("THD %g %%, magnitude %g", *f.THDPct, f.Lines[0].Magnitude)
	}
}
