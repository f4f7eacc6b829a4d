package analysis

import (
	"math"
	"testing"
)

// linearSystem is the system q' = m·q with two charges, in which the current of a charge is its
// derivative.
type linearSystem [2][2]float64

// solve returns the states for i = a0·q + companion and i = m·q. Each charge is followed by its
// current.
func (m linearSystem) solve(a0 float64, companion []float64) (states []float64) {
	a, b, c, d := a0-m[0][0], -m[0][1], -m[1][0], a0-m[1][1]
	det := a*d - b*c
	q0 := (-companion[0]*d + companion[2]*b) / det
	q1 := (-companion[2]*a + companion[0]*c) / det
	return []float64{q0, m[0][0]*q0 + m[0][1]*q1, q1, m[1][0]*q0 + m[1][1]*q1}
}

// integrate advances a system over n equal steps h of an integrator, from t = 0 on. Exact values of
// the solution precede the first step, which gives formulas of every order their history.
func (m linearSystem) integrate(f integrator, exact func(t float64) [2]float64, h float64,
	n int) (q *charges) {
	state := func(t float64) []float64 {
		v := exact(t)
		return []float64{v[0], m[0][0]*v[0] + m[0][1]*v[1], v[1], m[1][0]*v[0] + m[1][1]*v[1]}
	}
	made := newCharges(4, 1, []int{0, 2}, make([]float64, 4))
	q = &made
	x := []float64{0}
	q.past.restart(state(-historyDepth*h), x)
	states := make([]float64, 4)
	for k := historyDepth - 1; k >= 0; k-- {
		copy(states, state(-float64(k)*h))
		q.past.copyCharges(q.now, states, 0)
		states, q.now = q.past.push(states, q.now, x, h)
	}
	for step := range n {
		for k := range f.stages() {
			a0, _ := f.companion(k, h, q)
			copy(states, m.solve(a0, q.companion))
			f.solved(k, q, states, x)
		}
		if step < n-1 {
			states, q.now = q.past.push(states, q.now, x, h)
		}
	}
	return q
}

// testSystems are q' = -q and the lossless oscillator q₁' = q₂, q₂' = -q₁, with their solutions.
func testSystems() map[string]struct {
	m     linearSystem
	exact func(t float64) [2]float64
} {
	return map[string]struct {
		m     linearSystem
		exact func(t float64) [2]float64
	}{
		"decay": {linearSystem{{-1, 0}, {0, -1}},
			func(t float64) [2]float64 { return [2]float64{math.Exp(-t), 2 * math.Exp(-t)} }},
		"oscillator": {linearSystem{{0, 1}, {-1, 0}},
			func(t float64) [2]float64 { return [2]float64{math.Sin(t), math.Cos(t)} }},
	}
}

// integrators returns every integrator.
func integrators() []integrator {
	return []integrator{bdf{k: 1}, bdf{k: 2}, bdf{k: 3}, bdf{k: 4}, trapezoidal{}, newESDIRK(2, 1)}
}

// TestIntegratorOrder verifies that halving the step divides the global error by 2 to the power of
// the order.
func TestIntegratorOrder(t *testing.T) {
	for name, sys := range testSystems() {
		for _, f := range integrators() {
			const end = 2.0
			failed := func(n int) float64 {
				q, want := sys.m.integrate(f, sys.exact, end/float64(n), n), sys.exact(end)
				return math.Hypot(q.now[0]-want[0], q.now[1]-want[1])
			}
			coarse, fine := failed(40), failed(80)
			if order := math.Log2(coarse / fine); math.Abs(order-float64(f.order())) > 0.3 {
				t.Errorf("%s, %T of order %d: errors %g and %g give order %.2f", name, f, f.order(),
					coarse, fine, order)
			}
		}
	}
}

// TestIntegratorLTE verifies that the estimate for one step from an exact history is at least the
// error of the step. For multistep formulas, which use the computed value itself, the estimate is
// at most twice the error.
func TestIntegratorLTE(t *testing.T) {
	for name, sys := range testSystems() {
		for _, f := range integrators() {
			const h = 0.02
			q, want := sys.m.integrate(f, sys.exact, h, 1), sys.exact(h)
			c, a, b := f.lte(h, q)
			estimate := c * math.Hypot(a[0]-b[0], a[1]-b[1])
			failed := math.Hypot(q.now[0]-want[0], q.now[1]-want[1])
			_, embedded := f.(*esdirk)
			if r := estimate / failed; r < 0.99 || r > 2 && !embedded {
				t.Errorf("%s, %T of order %d: error %g, estimate %g", name, f, f.order(),
					failed, estimate)
			}
		}
	}
}

// TestIntegratorDamping verifies that BDF and ESDIRK damp a decay that is a million times faster
// than the step. With the trapezoidal rule it rings with full amplitude.
func TestIntegratorDamping(t *testing.T) {
	stiff := linearSystem{{-1e6, 0}, {0, -1e6}}
	// the charges are 0 before the last point and 1 at the last point
	start := func(t float64) [2]float64 {
		if t < -0.5 {
			return [2]float64{}
		}
		return [2]float64{1, 0}
	}
	for _, f := range integrators() {
		got := math.Abs(stiff.integrate(f, start, 1, 12).now[0])
		if _, rings := f.(trapezoidal); rings != (got > 0.99) || !rings && got > 1e-3 {
			t.Errorf("%T of order %d: %g of the displacement is left after 12 steps", f,
				f.order(), got)
		}
	}
}
