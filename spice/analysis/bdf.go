package analysis

// bdf is the backward differentiation formula of order 1 (backward Euler) to 4 with variable steps.
// See Gear, Numerical Initial Value Problems in Ordinary Differential Equations, 1971.
type bdf struct {
	oneStage
	k int // order
}

// maxBDF is the highest order of bdf.
const maxBDF = 4

func (f bdf) order() int { return f.k }

func (f bdf) companion(_ int, h float64, q *charges) (a0, at float64) {
	p := &q.past
	q.prepare(h, f.k)
	a := &q.weights
	a2, a3, a4, a5 := a[2], a[3], a[4], a[5]
	w := p.bdfWeights(h, f.k)
	w1, w2, w3, w4 := w[1], w[2], w[3], w[4]
	indexes, companion, predicted := p.stateIndexes, q.companion, q.predicted[:len(p.stateIndexes)]
	q1, q2, q3 := p.charge(0)[:len(indexes)], p.charge(1)[:len(indexes)], p.charge(2)[:len(indexes)]
	q4, q5 := p.charge(3)[:len(indexes)], p.charge(4)[:len(indexes)]
	for k, state := range indexes {
		v := q1[k]
		companion[state] = w1*v + w2*q2[k] + w3*q3[k] + w4*q4[k]
		predicted[k] = v + a2*(q2[k]-v) + a3*(q3[k]-v) + a4*(q4[k]-v) + a5*(q5[k]-v)
	}
	return w[0], 1
}

// lte returns the local truncation error: h²·dd₂ for order 1, 4/3·h³·dd₃ for 2, 36/11·h⁴·dd₄ for 3
// and 288/25·h⁵·dd₅ for 4, where dd are divided differences. The constants hold for equal steps
// (Gear 1971). The error is c·|a[n] - b[n]| for charge n, where a holds the new charges and b the
// predicted charges.
func (f bdf) lte(h float64, q *charges) (c float64, a, b []float64) {
	c = [...]float64{1, 4.0 / 3, 36.0 / 11, 288.0 / 25}[f.k-1]
	return c * q.past.scaledDifference(h, f.k+1), q.now, q.prediction(h, f.k)
}

// bdfWeights returns the BDF coefficients [1/s] of order k for a step h [s]. w[0] belongs to the
// new value, and w[j] to the value j points before it. The weighted sum of these values is the
// derivative of the interpolation polynomial at the new point.
func (p *history) bdfWeights(h float64, k int) (w [historyDepth + 1]float64) {
	if p.equalSteps(h, k-1) {
		w = equalStepBDF[k]
		for j := range w {
			w[j] /= h
		}
		return w
	}
	t := p.elapsed(h)
	for j := 1; j <= k; j++ {
		numerator, denominator := 1.0, t[j]
		for m := 1; m <= k; m++ {
			if m != j {
				numerator *= t[m]
				denominator *= t[m] - t[j]
			}
		}
		w[0] += 1 / t[j]
		w[j] = -numerator / denominator
	}
	return w
}

// equalStepBDF holds the BDF coefficients of order 1 to 4 for equal steps, multiplied by the step.
var equalStepBDF = [maxBDF + 1][historyDepth + 1]float64{
	1: {1, -1}, {1.5, -2, 0.5}, {11.0 / 6, -3, 1.5, -1.0 / 3}, {25.0 / 12, -4, 3, -4.0 / 3, 0.25},
}
