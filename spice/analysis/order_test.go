package analysis

import (
	"math"
	"testing"
)

// TestOrderControl follows the selection of the formula after a breakpoint: backward Euler, the
// trapezoidal rule, then higher orders if they allow longer steps.
func TestOrderControl(t *testing.T) {
	c := orderControl{max: 4}
	c.reset()
	if f := c.formula(1); f != (bdf{k: 1}) {
		t.Errorf("after a breakpoint %T of order %d, want backward Euler", f, f.order())
	}
	if f := c.formula(2); f != (trapezoidal{}) {
		t.Errorf("then %T of order %d, want the trapezoidal rule", f, f.order())
	}
	const h = 1e-6
	p := &history{h: [historyDepth]float64{h, h, h, h, h}, points: 9}
	// With a smooth history each order has a tenth of the error of the next lower order.
	smooth := func(f integrator) float64 { return math.Pow(10, 2-float64(f.order())) }
	for range 20 {
		c.next(h, smooth(c.formula(9)), c.formula(9), p, smooth)
	}
	if c.order != 4 {
		t.Errorf("order %d in a smooth past, want 4", c.order)
	}
	rough := func(f integrator) float64 { return math.Pow(10, float64(f.order())-2) }
	for range 20 {
		c.next(h, rough(c.formula(9)), c.formula(9), p, rough)
	}
	if c.order != 2 {
		t.Errorf("order %d in a rough past, want 2", c.order)
	}
	for _, k := range []struct {
		name                   string
		option, fluxes, expect int
		autonomous             bool
	}{
		{"inductors with a clock", 4, 1, 3, false}, {"inductors in an oscillator", 4, 1, 4, true},
		{"no inductors", 4, 0, 4, false}, {"maxord=2", 2, 0, 2, false},
		{"maxord=6", 6, 0, 4, false},
	} {
		if got := maxOrder(k.option, k.fluxes, k.autonomous); got != k.expect {
			t.Errorf("%s: highest order %d, want %d", k.name, got, k.expect)
		}
	}
}

// TestScaledStep verifies that at the scaled step the error of a formula of order k is 0.8 to the
// power k+1 times its tolerance. The error is proportional to the step to the power k+1.
func TestScaledStep(t *testing.T) {
	for k := 1; k <= 4; k++ {
		for _, r := range []float64{0.3, 1, 7} {
			step := scaledStep(1e-6, r, k, 100)
			left := r * math.Pow(step/1e-6, float64(k+1))
			if want := math.Pow(stepSafety, float64(k+1)); math.Abs(left-want) > 1e-12 {
				t.Errorf("order %d, error %g: %g of the tolerance at the scaled step, want %g", k,
					r, left, want)
			}
		}
	}
	if got := scaledStep(1e-6, 0, 2, 3); got != 3e-6 {
		t.Errorf("step %g s without an error, want 3e-6", got)
	}
}

// TestRinging verifies that a current that alternates without decay counts as ringing. A current
// that decays by more than half per step does not, nor does a sine with 12 points per period.
func TestRinging(t *testing.T) {
	lte := newLTEControl(1, 1, Defaults(), 1)
	lte.maxCurrent[0] = 1
	for _, c := range []struct {
		name    string
		current func(k int) float64
		want    bool
	}{
		{"alternating", func(k int) float64 { return 0.5 * math.Pow(-0.9, float64(k)) }, true},
		{"decaying", func(k int) float64 { return 0.5 * math.Pow(-0.3, float64(k)) }, false},
		{"sine", func(k int) float64 { return math.Sin(math.Pi / 6 * float64(k)) }, false},
		{"below the tolerance", func(k int) float64 {
			return 1e-5 * math.Pow(-0.9, float64(k))
		}, false},
	} {
		p := newHistory(2, 1, []int{0})
		states, charge := make([]float64, 2), make([]float64, 1)
		for k := range 6 {
			states[1] = c.current(k)
			states, charge = p.push(states, charge, []float64{0}, 1)
		}
		if got := rings(&p, &lte, 1e-12); got != c.want {
			t.Errorf("%s: ringing %v, want %v", c.name, got, c.want)
		}
	}
}
