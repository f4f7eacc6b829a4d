package money

import (
	"math"
	"testing"
)

// TestTurn verifies that Turn finds a point between two roots that lie between samples 0.2 apart.
// It finds none for a curve without a root or an extremum.
func TestTurn(t *testing.T) {
	for _, d := range []float64{0.05, 1e-2, 1e-4, 1e-6} {
		for _, sign := range []float64{1, -1} {
			f := func(x float64) float64 { return sign * ((x-0.3)*(x-0.3) - d*d/4) }
			x, ok := Turn(f, 0.1, 0.3+0.05, 0.5)
			if !ok || math.Abs(x-0.3) > d/2 {
				t.Errorf("gap %g: %g, %t", d, x, ok)
			}
		}
	}
	if x, ok := Turn(func(x float64) float64 { return x*x + 1e-6 }, -1, 0.1, 1); ok {
		t.Errorf("found %g where there is no root", x)
	}
	if x, ok := Turn(func(x float64) float64 { return x }, 1, 2, 3); ok {
		t.Errorf("found %g without an extremum", x)
	}
}
