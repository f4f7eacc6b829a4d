package analysis

import "math"

// depth is the number of accepted points that the formulas use. The truncation error of order 4
// requires the fifth difference.
const depth = 5

// slots is the size of the ring buffer of points: a power of two larger than depth.
const slots = 8

// history holds the previous points of a transient, the newest first. Charges and currents are
// stored in contiguous arrays, because every step reads all of them.
type history struct {
	h       [depth]float64   // lengths [s] of the previous steps; h[0] leads to the last point
	xs      [slots][]float64 // solution [V or A] of each point; index latest holds the last point
	charges [slots][]float64 // charges [C] and fluxes [Wb]
	flows   [slots][]float64 // currents of the charges [A], voltages of the fluxes [V]
	latest  int
	states  [2][]float64       // device states of the last two points; states[0] is Load.PrevState
	spare   []float64          // buffer for the states of the next point
	places  []int              // index of each charge in the states; the next one is its current
	points  int                // number of points since the last breakpoint, inclusive
	ages    [depth + 1]float64 // last result [s] of elapsed; invalid if ages[1] is 0
}

func newHistory(states, unknowns int, places []int) (p history) {
	p.places = places
	p.spare = make([]float64, states)
	for k := range p.states {
		p.states[k] = make([]float64, states)
	}
	for k := range slots {
		p.xs[k] = make([]float64, unknowns)
		p.charges[k], p.flows[k] = make([]float64, len(places)), make([]float64, len(places))
	}
	return p
}

// x returns the solution n points before the last one.
func (p *history) x(n int) []float64 { return p.xs[(p.latest+n)%slots] }

// charge returns the charges [C] and fluxes [Wb] n points before the last one.
func (p *history) charge(n int) []float64 { return p.charges[(p.latest+n)%slots] }

// current returns the currents [A] of the charges and the voltages [V] of the fluxes n points
// before the last one.
func (p *history) current(n int) []float64 { return p.flows[(p.latest+n)%slots] }

// restart discards all previous points and keeps the present solution as the only one.
func (p *history) restart(states, x []float64) {
	p.h, p.points = [depth]float64{}, 1
	p.ages[1] = 0
	for k := range p.states {
		copy(p.states[k], states)
	}
	for k := range slots {
		copy(p.xs[k], x)
		p.copyCharges(p.charges[k], states, 0)
		if p.flows[k] != nil {
			p.copyCharges(p.flows[k], states, 1)
		}
	}
}

// copyCharges copies the charges (offset 0) or their currents (offset 1) from the states.
func (p *history) copyCharges(into, states []float64, offset int) {
	into = into[:len(p.places)]
	for k, q := range p.places {
		into[k] = states[q+offset]
	}
}

// push adds a point h [s] after the last one. It takes ownership of states and charge and returns
// buffers for the next point.
func (p *history) push(states, charge, x []float64, h float64) (nextStates, nextCharge []float64) {
	nextStates = p.spare
	p.spare, p.states[1], p.states[0] = p.states[1], p.states[0], states
	nextCharge = p.pushPoint(charge, x, h)
	if flows := p.flows[p.latest]; flows != nil {
		p.copyCharges(flows, states, 1)
	}
	return nextStates, nextCharge
}

// pushPoint adds a point like push, but without states and currents.
func (p *history) pushPoint(charge, x []float64, h float64) (nextCharge []float64) {
	copy(p.h[1:], p.h[:depth-1])
	p.h[0] = h
	p.ages[1] = 0
	p.latest = (p.latest + slots - 1) % slots
	nextCharge, p.charges[p.latest] = p.charges[p.latest], charge
	copy(p.xs[p.latest], x)
	p.points++
	return nextCharge
}

// pushCharges adds a point like push, but without states. It takes ownership of the currents too.
func (p *history) pushCharges(charge, currents, x []float64, h float64) (nextCharge,
	nextCurrents []float64) {
	nextCharge = p.pushPoint(charge, x, h)
	nextCurrents, p.flows[p.latest] = p.flows[p.latest], currents
	return nextCharge, nextCurrents
}

// pop removes the last point. It may be called only once after each push.
func (p *history) pop() {
	p.states[0], p.states[1] = p.states[1], p.states[0]
	copy(p.h[:], p.h[1:])
	p.h[depth-1] = 0
	p.ages[1] = 0
	p.latest = (p.latest + 1) % slots
	p.points--
}

// elapsed returns the times [s] from the previous points to a point h [s] ahead of the last one.
// Index j belongs to the j-th previous point; index 1 is the last point.
func (p *history) elapsed(h float64) *[depth + 1]float64 {
	t := &p.ages
	if t[1] != h {
		t[1] = h
		for j := 2; j <= depth; j++ {
			t[j] = t[j-1] + p.h[j-2]
		}
	}
	return t
}

// extrapolation returns the weights that extrapolate the polynomial through the last d+1 values to
// a point h [s] ahead. w[1] is the weight of the last value.
func (p *history) extrapolation(h float64, d int) (w [depth + 1]float64) {
	if p.equalSteps(h, d) {
		return equalStepExtrapolation(d)
	}
	t := p.elapsed(h)
	for j := 1; j <= d+1; j++ {
		above, below := 1.0, 1.0
		for m := 1; m <= d+1; m++ {
			if m != j {
				above *= t[m]
				below *= t[m] - t[j]
			}
		}
		w[j] = above / below
	}
	return w
}

// equalStepExtrapolation returns the weights of an extrapolation of degree d for equal steps.
func equalStepExtrapolation(d int) [depth + 1]float64 {
	switch d {
	case 1:
		return [depth + 1]float64{0, 2, -1}
	case 2:
		return [depth + 1]float64{0, 3, -3, 1}
	case 3:
		return [depth + 1]float64{0, 4, -6, 4, -1}
	}
	return [depth + 1]float64{0, 5, -10, 10, -5, 1}
}

// scaledDifference returns hⁿ times the weight of a new value in the divided difference of order n.
// h is the step [s] to this value. The prediction error has the same weight, because the divided
// difference is linear and vanishes for the extrapolated polynomial.
func (p *history) scaledDifference(h float64, n int) float64 {
	if p.equalSteps(h, n-1) {
		return [...]float64{1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120}[n]
	}
	t := p.elapsed(h)
	above, below := 1.0, 1.0
	for _, age := range t[1 : n+1] {
		above *= h
		below *= age
	}
	return above / below
}

// equalSteps reports whether each of the last n steps is exactly h [s].
func (p *history) equalSteps(h float64, n int) bool {
	for _, g := range p.h[:n] {
		if g != h {
			return false
		}
	}
	return true
}

// nearlyEqualSteps reports whether each of the last n steps is h [s] within rounding.
func (p *history) nearlyEqualSteps(h float64, n int) bool {
	for _, g := range p.h[:n] {
		if math.Abs(g-h) > equalStepTolerance*h {
			return false
		}
	}
	return true
}
