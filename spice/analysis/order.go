package analysis

import (
	"math"

	"slipstick/spice/device"
)

// orderControl selects the multistep formula: the trapezoidal rule, or BDF of order 3 or 4 if the
// history of every charge is smooth.
type orderControl struct {
	order int  // order of the next step
	steps int  // number of steps since the last change of order
	max   int  // highest order, 1 to 4
	gear  bool // use BDF of order 2 instead of the trapezoidal rule
	// damping is the number of remaining steps that use BDF of order 2 instead of the trapezoidal
	// rule to suppress ringing.
	damping int
	// stable is the number of remaining steps that use at most order 2 because of a resonance.
	stable int
}

// maxOrder returns the highest order for a circuit. option is the value of maxord, and fluxes is
// the number of inductor fluxes. BDF of order 4 is stable up to 73 degrees from the negative real
// axis, order 3 up to 86 degrees. Inductors ring with adjacent capacitances, and order 4 sustains
// lightly damped oscillations that the steps do not resolve.
//
// With twelve or more steps per period, order 4 has a smaller amplitude error than order 3, whose
// error is (ωh)⁴/4 per step. The steps resolve the oscillation of an autonomous circuit, because
// an accurate period requires it.
func maxOrder(option, fluxes int, autonomous bool) int {
	if fluxes > 0 && !autonomous {
		return min(option, 3)
	}
	return min(option, 4)
}

// hasLastingResonance reports whether the circuit can have a resonance whose damping order 3
// distorts by its amplitude error. Such a circuit has an inductor and a sine of more than
// lastingPeriods periods. The parameter sine is the largest step [s] for the fastest sine. At 100
// steps per period order 3 increases the amplitude by 4e-4 per period, which corresponds to a
// quality factor of 8,000. The trapezoidal rule preserves the amplitude.
func (s *sim) hasLastingResonance(sine float64) bool {
	return len(s.nonlinear) > 0 && len(s.setup.Fluxes) > 0 &&
		s.job.Analysis.Stop > lastingPeriods*device.StepsPerPeriod*sine
}

// reset selects the trapezoidal rule.
func (c *orderControl) reset() { c.order, c.steps = 2, 0 }

// formula returns the formula of the next step. points is the number of points since the last
// breakpoint. The first step after a breakpoint uses backward Euler, which needs no previous
// current.
func (c *orderControl) formula(points int) integrator {
	switch {
	case points < 2 || c.max < 2:
		return bdf{k: 1}
	case c.order > 2:
		return bdf{k: c.order}
	case c.gear || c.damping > 0:
		return bdf{k: 2}
	}
	return trapezoidal{}
}

// formulaOf returns the formula of the given order, 1 to 4, without damping.
func formulaOf(order int) integrator {
	if order == 2 {
		return trapezoidal{}
	}
	return bdf{k: order}
}

// next returns the step [s] that follows a step h [s] with formula f. It selects the order that
// allows the longest step. r is the LTE of the step, and lte returns the LTE of another formula,
// both relative to the tolerances.
func (c *orderControl) next(h, r float64, f integrator, p *history,
	lte func(integrator) float64) float64 {
	k := f.order()
	if k == 1 || p.points < 3 {
		c.reset()
		return scaledStep(h, r, 1, maxGrowth)
	}
	c.steps++
	c.stable = max(0, c.stable-1)
	most := maxGrowth
	if k > 2 {
		most = maxGrowthBDF
	}
	best, next := scaledStep(h, r, k, most), k
	if k > 2 && (r > 1 || c.steps%orderCheckSteps == 0) {
		b := scaledStep(h, lte(formulaOf(k-1)), k-1, most)
		if b > best || r > rejectError {
			best, next = min(b, max(best, h)), k-1
		}
	}
	if up := k + 1; r <= 1 && c.mayRaise(k, h, p) {
		b := raiseOrderFactor * scaledStep(h, lte(formulaOf(up)), up, maxGrowthBDF)
		if b > best {
			best, next = b, up
		}
	}
	if next != k {
		c.order, c.steps = next, 0
	}
	// BDF of orders 3 and 4 is most stable and accurate with equal steps.
	if next > 2 && best > h && (best < minGrowthBDF*h || !p.nearlyEqualSteps(h, k-1)) {
		return h
	}
	return best
}

// mayRaise reports whether the history is long and uniform enough to raise the order above k at a
// step of h [s].
func (c *orderControl) mayRaise(k int, h float64, p *history) bool {
	return k+1 <= min(c.max, 4) && !c.gear && c.stable == 0 && c.steps > k && p.points >= k+4 &&
		h < 2*p.h[0] && p.h[0] < 2*p.h[1]
}

// stabilize selects order 2 for the following steps.
func (c *orderControl) stabilize() {
	c.reset()
	c.stable = stableSteps
}

// scaledStep returns the step [s] at which the error of a formula of order k is about half of its
// tolerance. The step does not exceed most·h. r is the error at h, relative to the tolerance.
func scaledStep(h, r float64, k int, most float64) float64 {
	if r <= 0 {
		return most * h
	}
	var root float64 // root of r with index k+1
	switch k {
	case 1:
		root = math.Sqrt(r)
	case 2:
		root = math.Cbrt(r)
	case 3:
		root = math.Sqrt(math.Sqrt(r))
	default:
		root = math.Pow(r, 1/float64(k+1))
	}
	return h * min(most, stepSafety/root)
}

// dampRinging counts down the damping steps. It starts damping if the trapezoidal rule rings.
// abstol is the absolute current tolerance [A].
func (c *orderControl) dampRinging(q *charges, lte *lteControl, abstol float64) {
	if c.damping > 0 {
		c.damping--
	} else if c.order <= 2 && !c.gear && c.max >= 2 && rings(&q.past, lte, abstol) {
		c.damping = dampingSteps
	}
}

// rings reports whether the trapezoidal rule rings numerically: a current alternates at every step
// without decay while the charge is smooth. A physical oscillation has dozens of steps per period
// and does not show this pattern.
func rings(p *history, lte *lteControl, abstol float64) bool {
	if p.points < 5 {
		return false
	}
	n := len(lte.maxCurrent)
	c0, c1, c2, c3 := p.current(0)[:n], p.current(1)[:n], p.current(2)[:n], p.current(3)[:n]
	for k, most := range lte.maxCurrent {
		e0, e1 := c0[k]-c1[k], c1[k]-c2[k]
		if e0*e1 >= 0 {
			continue
		}
		if e2 := c2[k] - c3[k]; e1*e2 < 0 && math.Abs(e0) > 0.5*math.Abs(e1) &&
			math.Abs(e1) > 0.5*math.Abs(e2) &&
			math.Abs(e0) > ringingCurrent*lte.reltol*most+abstol {
			return true
		}
	}
	return false
}
