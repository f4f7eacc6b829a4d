package analysis

import (
	"fmt"
	"math"
	"strings"
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
	p := &history{h: [depth]float64{h, h, h, h, h}, points: 9}
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
		name      string
		c         orderControl
		steps     int // steps of a smooth past
		wantOrder int
	}{
		{"no inductors", orderControl{max: 4}, 12, 4},
		{"inductors and a clock", orderControl{max: 4, inductors: true}, 42, 3},
		{"inductors and a clock, later", orderControl{max: 4, inductors: true}, 46, 4},
		{"maxord=2", orderControl{max: 2}, 50, 2}, {"maxord=6", orderControl{max: 6}, 50, 4},
	} {
		c := k.c
		c.reset()
		for range k.steps {
			c.next(h, smooth(c.formula(9)), c.formula(9), p, smooth)
		}
		if c.order != k.wantOrder {
			t.Errorf("%s: order %d after %d smooth steps, want %d", k.name, c.order, k.steps,
				k.wantOrder)
		}
	}
}

// TestOrderFourWithInductors verifies that order 4 takes fewer iterations than order 3 for the
// ringing of lightly damped inductors, with the same true error, and thus does not sustain it. The
// tank oscillates at 10 times the frequency of the source, the leakage inductance at 1,000 times.
// The true error is the difference from a run with 1/200 of the tolerance. The iterations include
// those of this run.
func TestOrderFourWithInductors(t *testing.T) {
	const rectifier = `Resonant tank behind a rectifier
V1 in 0 SIN(0 10 1k)
R1 in a 10
D1 a b dd
RL b 0 1k
CL b 0 1u
L1 b x 1m
RX x y %g
C1 y 0 253.3n
.model dd D(IS=1n RS=0.1 CJO=10p TT=5n)
.tran 10u 5m
.end
`
	const leakage = `Leakage inductance that rings with a small capacitance
V1 in 0 PULSE(0 10 0.1m 1u 1u 0.4m 1m)
R1 in a 50
L1 a x 1m
RX x y 628
C1 y 0 25.33p
D1 y z dd
R2 z 0 10k
C2 z 0 1n
.model dd D(IS=1n RS=0.1 CJO=10p)
.tran 10u 5m
.end
`
	// RX = 2π·f·1 mH/Q and C1 = 1/((2π·f)²·1 mH)
	for _, c := range []struct{ name, netlist string }{
		{"10 kHz, Q = 100", fmt.Sprintf(rectifier, 0.628)},
		{"10 kHz, Q = 1000", fmt.Sprintf(rectifier, 0.0628)},
		{"1 MHz, Q = 10", leakage},
	} {
		measure := func(order int) (iterations int, truth float64) {
			s := transientOf(t, strings.Replace(c.netlist, ".tran",
				fmt.Sprintf(".options maxord=%d\n.tran", order), 1))
			_, truth, ok := estimateAndTruth(t, s)
			if !ok {
				t.Errorf("%s, order %d: the carried error is not valid", c.name, order)
			}
			return s.stats.NewtonIterations, truth
		}
		n3, error3 := measure(3)
		n4, error4 := measure(4)
		if n4 > n3*9/10 || error4 > 1.1*error3 {
			t.Errorf("%s: %d iterations and an error of %.3g %% at order 4, %d and %.3g %% at "+
				"order 3", c.name, n4, 100*error4, n3, 100*error3)
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
