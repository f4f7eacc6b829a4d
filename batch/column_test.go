package batch

import (
	"math"
	"testing"
)

// TestReductions verifies reductions and interpolation of a piecewise linear vector with unequal
// steps against values computed by hand.
func TestReductions(t *testing.T) {
	x, y := []float64{0, 1, 3}, []float64{0, 2, -2}
	for name, want := range map[string]float64{"max": 2, "min": -2, "pp": 4, "mean": 1.0 / 3,
		"rms": math.Sqrt((4.0/3 + 2*4.0/3) / 3), "last": -2, "argmax": 1, "argmin": 3} {
		if got := reductions[name](x, y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %g, want %g", name, got, want)
		}
	}
	if got := reductions["mean"](nil, y); got != 0 {
		t.Errorf("mean without x %g", got)
	}
	if a, b := interpolate(x, y, 2), interpolate([]float64{3, 1, 0}, []float64{-2, 2, 0},
		0.5); a != 0 || b != 1 {
		t.Errorf("%g %g", a, b)
	}
	if got := interpolate(x, y, 4); !math.IsNaN(got) {
		t.Errorf("outside: %g", got)
	}
}
