package spice

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestLaplace compares the AC response of LAPLACE sources with their transfer functions. It also
// compares their step responses with tabulated Laplace transforms.
func TestLaplace(t *testing.T) {
	for _, c := range []struct {
		card string
		h    func(s complex128) complex128
	}{
		{"E1 o 0 LAPLACE {v(i)} {1/(1+s*1m)}", func(s complex128) complex128 {
			return 1 / (1 + s*1e-3)
		}},
		{"E1 o 0 LAPLACE {2*v(i,0)} = {s/(s+{w})}", func(s complex128) complex128 {
			return 2 * s / (s + 1e4)
		}},
		{"E1 o 0 i 0 Laplace=-3*(s^2+1e8)/(s^2+2e3*s+1e8)", func(s complex128) complex128 {
			return -3 * (s*s + 1e8) / (s*s + 2e3*s + 1e8)
		}},
		{"G1 0 o LAPLACE {v(i)} {1/(1+s/1e3)**3/1k}", func(s complex128) complex128 {
			return 1 / ((1 + s/1e3) * (1 + s/1e3) * (1 + s/1e3))
		}},
		{"G1 0 o i 0 Laplace={1m/(1+s/1e9)+2m/(1+s/1e9)}", func(s complex128) complex128 {
			return 3 / (1 + s/1e9)
		}},
		{"E1 o 0 i 0 Laplace(1/(1+s*1m))", func(s complex128) complex128 {
			return 1 / (1 + s*1e-3)
		}},
		{"E1 o 0 (i,0)\n+ LAPLACE {2/\n+ (1+s*1m)}", func(s complex128) complex128 {
			return 2 / (1 + s*1e-3)
		}},
		{"G1 0 o i 0 laplace 1m/(1+s*1m) m=2", func(s complex128) complex128 {
			return 2 / (1 + s*1e-3)
		}},
		{"E1 o 0 laplace 0 laplace 2/(1+s*1m)\nE2 laplace 0 i 0 1",
			func(s complex128) complex128 { return 2 / (1 + s*1e-3) }},
		{"X1 i o h\n.subckt h a b\nE1 b 0 LAPLACE {v(a)} {5}\n.ends", func(complex128) complex128 {
			return 5
		}},
	} {
		deck := "t\n.param w=10k\nV1 i 0 dc 1 ac 1\nR1 o 0 1k\n" + c.card +
			"\n.op\n.ac dec 2 10 1meg\n.end"
		r := run(t, deck, "ac")
		for k, f := range column(t, r, "frequency") {
			got := cmplx.Rect(column(t, r, "v(o)_mag")[k],
				column(t, r, "v(o)_phase_deg")[k]*math.Pi/180)
			if want := c.h(complex(0, 2*math.Pi*f)); cmplx.Abs(got-want) >
				1e-9*(cmplx.Abs(want)+1e-3) {
				t.Errorf("%s at %g Hz: %.9g, want %.9g", c.card, f, got, want)
			}
		}
		if got, want := column(t, run(t, deck, "op"), "v(o)")[0],
			real(c.h(0)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s at DC: %g, want %g", c.card, got, want)
		}
	}
	// The second-order step response with damping 0.5 at 1 krad/s is 1 - exp(-x/2)·(cos(wx) +
	// sin(wx)/(2w)) with w = sqrt(3)/2 and x = 1000·t/s.
	r := run(t, "t\nV1 i 0 PULSE(0 1 0 1n 1n 1 2)\nE1 o 0 LAPLACE {v(i)} {1/(1+s/1k+(s/1k)^2)}\nR1 o 0 1k\n.tran 10u 12m\n.end", "tran")
	w := math.Sqrt(3) / 2
	for k, s := range column(t, r, "time") {
		x := s * 1e3
		want := 1 - math.Exp(-x/2)*(math.Cos(w*x)+math.Sin(w*x)/(2*w))
		if got := column(t, r, "v(o)")[k]; math.Abs(got-want) > 2e-3 {
			t.Fatalf("v(o) = %g at %g s, want %g", got, s, want)
		}
	}
	// With uic the integrator starts from 0.
	r = run(t, "t\nV1 i 0 2\nE1 o 0 LAPLACE {v(i)} {1/s}\nR1 o 0 1k\n.tran 10u 3 uic\n.end", "tran")
	if got := value(t, r, "v(o)"); math.Abs(got-6) > 1e-3 {
		t.Errorf("the integral of 2 V over 3 s is %g", got)
	}
}
