package thermal

import (
	"math"
	"testing"
)

// TestFixedPoint verifies that the iteration finds the solution 5 of x = x^-p · 5^(1+p). A wall
// that only radiates has p = 3, and a plate in still air p = -0.25. The step from laminar to
// turbulent flow has p = 15.
func TestFixedPoint(t *testing.T) {
	for _, p := range []float64{-0.25, 0, 0.25, 1, 3, 15} {
		f := FixedPoint{}
		f.Step(0.3)
		steps := 0
		for f.Step(math.Pow(f.Value, -p)*math.Pow(5, 1+p)) > 1e-9 {
			if steps++; steps > 12 {
				t.Fatalf("exponent %g: %g after %d steps", p, f.Value, steps)
			}
		}
		within(t, "fixed point", f.Value, 5, 1e-9)
	}
	f := FixedPoint{}
	if f.Step(0); f.Value != 0 {
		t.Errorf("a mirror radiates with a film of %g", f.Value)
	}
}
