package thermal

import "math"

// FixedPoint is a positive number, such as a film, that depends on a temperature which depends on
// it in turn. A better film makes its wall colder, which makes the film worse: full steps would
// swing, with radiation alone three times as far each time. So each step, on a logarithmic scale,
// goes as far as the last two say it should.
type FixedPoint struct {
	Value      float64
	steps      int
	x, missing float64 // at the step before: ln Value, and ln of target over Value
}

// patience is the number of steps after which they become smaller.
const patience = 8

// Step moves the value towards its target at the present temperatures, at the first call entirely,
// and returns the relative distance before the step.
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
	if p.steps > patience { // others move too: go more carefully
		share = min(share, patience/(2*float64(p.steps)))
	}
	p.x, p.missing = x, missing
	p.Value *= math.Exp(share * missing)
	return math.Abs(missing)
}
