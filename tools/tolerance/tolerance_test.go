package tolerance

import (
	"math"
	"testing"
)

func TestLimits(t *testing.T) {
	sum := 0.1 + 0.2 // 0.30000000000000004
	if Above(sum, 0.3) || Below(0.3, sum) || !Above(0.3001, 0.3) || !Below(0.2999, 0.3) ||
		!Above(1, 0) {
		t.Error("comparison")
	}
	if Ceil(sum*10) != 3 || Floor(0.7*10-1e-12) != 7 || Ceil(3.1) != 4 || Floor(3.9) != 3 {
		t.Error("rounding")
	}
	if n, err := Count(7, "a", 1); n != 7 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	for _, x := range []float64{2e9, math.Inf(1), math.NaN()} {
		if _, err := Count(x, "a", 1); err == nil {
			t.Errorf("%g is a count", x)
		}
	}
}

// TestFloorQuotient verifies that FloorQuotient equals the floor, except for values that rounding
// alone places below an integer.
func TestFloorQuotient(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 0}, {0.5, 0}, {485.58, 485}, {math.Nextafter(1000, 0), 1000}, {1000, 1000},
		{1000 - 1e-8, 999}, {1 - 3e-13, 1}, {1 - 3e-12, 0}, {1e15 - 1, 1e15 - 1},
	} {
		if got := FloorQuotient(c.x); got != c.want {
			t.Errorf("%.17g: %.17g, want %g", c.x, got, c.want)
		}
	}
	if got := FloorQuotient(math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("infinity: %g", got)
	}
}
