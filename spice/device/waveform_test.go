package device

import (
	"math"
	"testing"
)

// TestRandomSteps compares mean and variance of the distributions of TRRANDOM with their formulas
// (ngspice manual, "Random voltage source"), and checks breakpoints and the edges.
func TestRandomSteps(t *testing.T) {
	const count = 40000
	for _, c := range []struct {
		name           string
		kind           int
		mean, variance float64
	}{
		{"uniform from -1 to 5", 1, 2, 3},
		{"normal", 2, 2, 9},
		{"exponential", 3, 5, 9},
		{"Poisson", 4, 5, 3},
	} {
		w := &randomSteps{kind: c.kind, step: 1e-6, delay: 2e-6, scale: 3, offset: 2, seed: 7}
		sum, squares := 0.0, 0.0
		for n := range count {
			v := w.value(float64(n))
			if again := w.at((float64(n) + 2.5) * 1e-6); v != again {
				t.Fatalf("%s: step %d has %g and %g", c.name, n, v, again)
			}
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / count
		variance := squares/count - mean*mean
		// Five standard deviations of the mean, and 6 % of the variance.
		if math.Abs(mean-c.mean) > 5*math.Sqrt(c.variance/count) ||
			math.Abs(variance-c.variance) > 0.06*c.variance {
			t.Errorf("%s: mean %g and variance %g, want %g and %g", c.name, mean, variance, c.mean,
				c.variance)
		}
		if w.at(0) != 0 || w.at(1.99e-6) != 0 {
			t.Errorf("%s: %g V before the delay", c.name, w.at(0))
		}
		at, last := 0.0, 0.0
		for range 2000 {
			next := w.nextBreak(at)
			if !(next > at) || next-at > 2e-6+1e-12 {
				t.Fatalf("%s: breakpoint %g after %g", c.name, next, at)
			}
			if d := w.at(next*(1-1e-14)) - w.at(next*(1+1e-14)); math.Abs(d) > 1e-3 {
				t.Fatalf("%s: jump of %g at %g", c.name, d, next)
			}
			at, last = next, next
		}
		if last < 0.5e-3 {
			t.Errorf("%s: the breakpoints end at %g", c.name, last)
		}
	}
	a := &randomSteps{kind: 1, step: 1, scale: 1, seed: 1}
	b := &randomSteps{kind: 1, step: 1, scale: 1, seed: 2}
	if a.value(0) == b.value(0) || a.value(0) == a.value(1) {
		t.Error("different seeds or steps give equal values")
	}
}
