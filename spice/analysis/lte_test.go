package analysis

import (
	"math"
	"testing"
)

// TestScaleSlowCharges verifies that in a transient of 1 ms a charge that needs 50 µs to cover its
// range is slow. A charge that needs 5 ns is not slow, nor is a charge without current and range.
func TestScaleSlowCharges(t *testing.T) {
	c := newLTEControl(4, 1, Defaults(), 1e-3)
	swing := []float64{5e-9, 50e-6, 9e-6, 0} // range divided by the largest current [s]
	for k, sec := range swing {
		c.low[k], c.high[k], c.maxCurrent[k] = 0, sec*1e-3, 1e-3
	}
	c.maxCurrent[3] = 0
	c.scaleSlowCharges()
	for k, want := range []float64{1, slowTolScale, 1, 1} {
		if c.slowFactor[k] != want {
			t.Errorf("charge %d with a swing of %g s: factor %g, want %g", k, swing[k],
				c.slowFactor[k], want)
		}
	}
	full := c.tolScale * c.trtol * c.reltol * c.high[1]
	if got := c.least[1]; got != slowTolScale*full {
		t.Errorf("tolerance of the slow charge %g, want %g of %g", got, slowTolScale, full)
	}
}

// TestLTETolerance compares the tolerance of a charge with values computed by hand. The tolerance
// is reltol times the range so far. It is at least reltol times 1e-3 of a large bias, reltol times
// chgtol, and 3e-8 of the magnitude.
func TestLTETolerance(t *testing.T) {
	for _, c := range []struct {
		name            string
		low, high, now  float64
		reltol, chgtol  float64
		tolScale, trtol float64
		want            float64
	}{
		{"range", 1e-9, 3e-9, 2e-9, 1e-4, 1e-14, 1, 1, 1e-4 * 2e-9},
		{"present value extends the range", 1e-9, 3e-9, 5e-9, 1e-4, 1e-14, 1, 1, 1e-4 * 4e-9},
		{"options and run scale it", 1e-9, 3e-9, 2e-9, 1e-3, 1e-14, 20, 7, 20 * 7 * 1e-3 * 2e-9},
		{"bias without range", 1e-6, 1e-6, 1e-6, 1e-4, 1e-14, 1, 1, 1e-4 * 1e-3 * 1e-6},
		{"chgtol", 0, 0, 0, 1e-4, 1e-14, 1, 1, 1e-4 * 1e-14},
		{"roundoff of a large charge", 1, 1, 1, 1e-6, 1e-14, 1e-3, 1, 3e-8},
	} {
		k := newLTEControl(1, c.tolScale, Options{Reltol: c.reltol, Trtol: c.trtol,
			Chgtol: c.chgtol}, 1)
		k.low[0], k.high[0] = c.low, c.high
		if got := k.tolerance(0, c.now); math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%s: %g C, want %g", c.name, got, c.want)
		}
	}
}

// TestLTERatio verifies that the largest error counts, relative to the tolerance of its own charge.
func TestLTERatio(t *testing.T) {
	c := newLTEControl(2, 1, Options{Reltol: 1e-3, Trtol: 1}, 1)
	c.start([]float64{0, 0})
	c.accept([]float64{1, 100})
	// By hand the tolerances are 1e-3 and 0.1 C, and the errors are half of |a - b|.
	got := c.ratio(0.5, []float64{1, 100}, []float64{0.99, 99}, []float64{1, 100})
	if want := 0.5 * 0.01 / 1e-3; math.Abs(got-want) > 1e-9 {
		t.Errorf("ratio %g, want %g", got, want)
	}
}
