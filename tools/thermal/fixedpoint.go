package thermal

import "math"

// FixedPoint iterates a positive number, such as a film coefficient, that depends on a temperature
// which in turn depends on the number. A higher film coefficient cools its wall, which lowers the
// coefficient. Full steps would oscillate; with radiation alone, the oscillation would triple at
// every step. Each step is therefore a secant step on a logarithmic scale, based on the last two.
type FixedPoint struct {
	Value      float64
	steps      int
	x, missing float64 // values at the previous step: ln Value, and ln of target over Value
}

// patience is the number of steps after which the steps become smaller.
const patience = 8

// Step moves the value towards its target at the present temperatures. The first call sets it to
// the target. Step returns the relative distance before the step.
func (p *FixedPoint) Step(target float64) float64 {
	if target <= 0 || p.Value <= 0 {
		distance := math.Abs(target - p.Value)
		p.Value = target
		return distance / max(target, 1e-9)
	}
	x, missing := math.Log(p.Value), math.Log(target/p.Value)
	share := 0.7
	if p.steps > 0 && x != p.x {
		if slope := (missing - p.missing) / (x - p.x); slope < 0 {
			share = min(1.5, max(0.05, -1/slope))
		}
	}
	p.steps++
	if p.steps > patience { // other values change too, so the step is damped
		share = min(share, patience/(2*float64(p.steps)))
	}
	p.x, p.missing = x, missing
	p.Value *= math.Exp(share * missing)
	return math.Abs(missing)
}
