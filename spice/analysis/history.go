package analysis

import "math"

// historyDepth is the number of accepted points that the formulas use. The truncation error of
// order 4 requires the fifth difference.
const historyDepth = 5

// ringSize is the size of the ring buffer of points: a power of two larger than historyDepth.
const ringSize = 8

// history holds the previous points of a transient, the newest first. Charges and currents are
// stored in contiguous arrays, because every step reads all of them.
type history struct {
	h        [historyDepth]float64 // lengths [s] of the previous steps, the last one first
	xs       [ringSize][]float64   // solution [V or A] of each point, the last one at latest
	charges  [ringSize][]float64   // charges [C] and fluxes [Wb]
	currents [ringSize][]float64   // currents of the charges [A], voltages of the fluxes [V]
	latest   int
	// device states of the last two points; states[0] is Load.PrevState
	states       [2][]float64
	nextStates   []float64 // buffer for the states of the next point
	stateIndexes []int     // index of each charge in the states; the next one is its current
	points       int       // number of points since the last breakpoint, inclusive
	// last result [s] of elapsed; invalid if elapsedTimes[1] is 0
	elapsedTimes [historyDepth + 1]float64
}

func newHistory(states, unknowns int, stateIndexes []int) (p history) {
	p.stateIndexes = stateIndexes
	p.nextStates = make([]float64, states)
	for k := range p.states {
		p.states[k] = make([]float64, states)
	}
	for k := range ringSize {
		p.xs[k] = make([]float64, unknowns)
		p.charges[k] = make([]float64, len(stateIndexes))
		p.currents[k] = make([]float64, len(stateIndexes))
	}
	return p
}

// x returns the solution n points before the last one.
func (p *history) x(n int) []float64 { return p.xs[(p.latest+n)%ringSize] }

// charge returns the charges [C] and fluxes [Wb] n points before the last one.
func (p *history) charge(n int) []float64 { return p.charges[(p.latest+n)%ringSize] }

// current returns the currents [A] of the charges and the voltages [V] of the fluxes n points
// before the last one.
func (p *history) current(n int) []float64 { return p.currents[(p.latest+n)%ringSize] }

// restart discards all previous points and keeps the present solution as the only one.
func (p *history) restart(states, x []float64) {
	p.h, p.points = [historyDepth]float64{}, 1
	p.elapsedTimes[1] = 0
	for k := range p.states {
		copy(p.states[k], states)
	}
	for k := range ringSize {
		copy(p.xs[k], x)
		p.copyCharges(p.charges[k], states, 0)
		if p.currents[k] != nil {
			p.copyCharges(p.currents[k], states, 1)
		}
	}
}

// copyCharges copies the charges (offset 0) or their currents (offset 1) from the states.
func (p *history) copyCharges(into, states []float64, offset int) {
	into = into[:len(p.stateIndexes)]
	for k, q := range p.stateIndexes {
		into[k] = states[q+offset]
	}
}

// push adds a point h [s] after the last one. It takes ownership of states and charge and returns
// buffers for the next point.
func (p *history) push(states, charge, x []float64, h float64) (nextStates,
	nextCharge []float64) {
	nextStates = p.nextStates
	p.nextStates, p.states[1], p.states[0] = p.states[1], p.states[0], states
	nextCharge = p.pushPoint(charge, x, h)
	if currents := p.currents[p.latest]; currents != nil {
		p.copyCharges(currents, states, 1)
	}
	return nextStates, nextCharge
}

// pushPoint adds a point like push, but without states and currents.
func (p *history) pushPoint(charge, x []float64, h float64) (nextCharge []float64) {
	copy(p.h[1:], p.h[:historyDepth-1])
	p.h[0] = h
	p.elapsedTimes[1] = 0
	p.latest = (p.latest + ringSize - 1) % ringSize
	nextCharge, p.charges[p.latest] = p.charges[p.latest], charge
	copy(p.xs[p.latest], x)
	p.points++
	return nextCharge
}

// pushCharges adds a point like push, but without states. It takes ownership of the currents too.
func (p *history) pushCharges(charge, currents, x []float64, h float64) (nextCharge,
	nextCurrents []float64) {
	nextCharge = p.pushPoint(charge, x, h)
	nextCurrents, p.currents[p.latest] = p.currents[p.latest], currents
	return nextCharge, nextCurrents
}

// pop removes the last point. It may be called only once after each push.
func (p *history) pop() {
	p.states[0], p.states[1] = p.states[1], p.states[0]
	copy(p.h[:], p.h[1:])
	p.h[historyDepth-1] = 0
	p.elapsedTimes[1] = 0
	p.latest = (p.latest + 1) % ringSize
	p.points--
}

// elapsed returns the times [s] from the previous points to a point h [s] ahead of the last one.
// Index j belongs to the j-th previous point; index 1 is the last point.
func (p *history) elapsed(h float64) *[historyDepth + 1]float64 {
	t := &p.elapsedTimes
	if t[1] != h {
		t[1] = h
		for j := 2; j <= historyDepth; j++ {
			t[j] = t[j-1] + p.h[j-2]
		}
	}
	return t
}

// extrapolation returns the weights that extrapolate the polynomial through the last d+1 values to
// a point h [s] ahead. w[1] is the weight of the last value.
func (p *history) extrapolation(h float64, d int) (w [historyDepth + 1]float64) {
	if p.equalSteps(h, d) {
		return equalStepExtrapolation[d]
	}
	t := p.elapsed(h)
	for j := 1; j <= d+1; j++ {
		numerator, denominator := 1.0, 1.0
		for m := 1; m <= d+1; m++ {
			if m != j {
				numerator *= t[m]
				denominator *= t[m] - t[j]
			}
		}
		w[j] = numerator / denominator
	}
	return w
}

// equalStepExtrapolation holds the weights of an extrapolation of each degree for equal steps.
var equalStepExtrapolation = [historyDepth][historyDepth + 1]float64{
	{0, 1}, {0, 2, -1}, {0, 3, -3, 1}, {0, 4, -6, 4, -1}, {0, 5, -10, 10, -5, 1},
}

// scaledDifference returns hⁿ times the weight of a new value in the divided difference of order n.
// h is the step [s] to this value. The prediction error has the same weight, because the divided
// difference is linear and vanishes for the extrapolated polynomial.
func (p *history) scaledDifference(h float64, n int) float64 {
	if p.equalSteps(h, n-1) {
		return [...]float64{1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120}[n]
	}
	t := p.elapsed(h)
	numerator, denominator := 1.0, 1.0
	for _, age := range t[1 : n+1] {
		numerator *= h
		denominator *= age
	}
	return numerator / denominator
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
