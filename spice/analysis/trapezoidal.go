package analysis

// trapezoidal is the trapezoidal rule i = 2/h·(q - q₁) - i₁, where q₁ and i₁ belong to the previous
// point.
type trapezoidal struct{ oneStage }

func (trapezoidal) order() int { return 2 }

func (f trapezoidal) companion(_ int, h float64, q *charges) (a0, at float64) {
	p := &q.past
	q.prepare(h, f.order())
	a2, a3 := q.weights[2], q.weights[3]
	indexes, companion, predicted := p.stateIndexes, q.companion, q.predicted[:len(p.stateIndexes)]
	q1, q2, q3 := p.charge(0)[:len(indexes)], p.charge(1)[:len(indexes)], p.charge(2)[:len(indexes)]
	i1 := p.current(0)[:len(indexes)]
	a0 = 2 / h
	for k, state := range indexes {
		v := q1[k]
		companion[state] = -a0*v - i1[k]
		predicted[k] = v + a2*(q2[k]-v) + a3*(q3[k]-v)
	}
	return a0, 1
}

// lte returns the local truncation error h³·dd₃/2, where dd₃ is the third divided difference
// (Nagel, SPICE2, ERL-M520, 1975). The error is c·|a[n] - b[n]| for charge n, where a holds the new
// charges and b the predicted charges.
func (f trapezoidal) lte(h float64, q *charges) (c float64, a, b []float64) {
	return 0.5 * q.past.scaledDifference(h, 3), q.now, q.prediction(h, 2)
}
