package analysis

// integrator is an implicit integration formula for the charges and fluxes of a circuit. A step has
// one or more stages. In each of them the current of a charge q is a0·q plus its companion current,
// which follows from the past.
type integrator interface {
	// order is the order of accuracy.
	order() int
	// stages is the number of solutions per step.
	stages() int
	// companion writes the companion currents of stage k of a step of h [s]. It returns a0 [1/s]
	// and the time of the stage as a fraction of the step.
	companion(k int, h float64, q *charges) (a0, at float64)
	// solved records the solution of stage k: the states of the devices and all unknowns.
	solved(k int, q *charges, states, x []float64)
	// lte estimates the local truncation error of a solved step. That of charge n is
	// c·|a[n] - b[n]|, in C or Wb.
	lte(h float64, q *charges) (c float64, a, b []float64)
}

// charges holds the charges and fluxes of a circuit: their history and their values in the present
// step.
type charges struct {
	past history
	now  []float64 // at the new point, C or Wb
	// companion holds the companion current of each charge at its state, A or V (Load.History).
	companion []float64
	// predicted are the charges that a polynomial of the given degree extrapolates; degree 0: none.
	predicted []float64
	degree    int
	weights   [depth + 1]float64 // of the extrapolation
	sum       []float64          // scratch
}

// newCharges makes the arrays for the charges at the given places of the states.
func newCharges(states, unknowns int, places []int, companion []float64) charges {
	n := len(places)
	return charges{past: newHistory(states, unknowns, places), companion: companion,
		now: make([]float64, n), predicted: make([]float64, n), sum: make([]float64, n)}
}

// prepare sets the weights of an extrapolation of a degree to a point h [s] ahead. The formulas
// that need one write the predicted charges with the companion currents.
func (q *charges) prepare(h float64, degree int) {
	q.degree = 0
	if q.past.points > degree {
		q.degree, q.weights = degree, q.past.extrapolation(h, degree)
	}
}

// prediction returns the charges that a polynomial of a degree extrapolates to a point h [s] ahead.
func (q *charges) prediction(h float64, degree int) []float64 {
	if degree == q.degree {
		return q.predicted
	}
	q.extrapolate(q.sum, q.past.extrapolation(h, degree))
	return q.sum
}

// extrapolate writes the weighted sums of the last charges.
func (q *charges) extrapolate(into []float64, w [depth + 1]float64) {
	p, m := &q.past, len(into)
	q1, q2, q3 := p.charge(0)[:m], p.charge(1)[:m], p.charge(2)[:m]
	q4, q5 := p.charge(3)[:m], p.charge(4)[:m]
	w2, w3, w4, w5 := w[2], w[3], w[4], w[5]
	for n, v := range q1 {
		// Differences from the last point keep digits that a sum of products loses.
		into[n] = v + w2*(q2[n]-v) + w3*(q3[n]-v) + w4*(q4[n]-v) + w5*(q5[n]-v)
	}
}

// addScaled adds weighted values of all charges to the sums.
func (q *charges) addScaled(weight float64, values []float64) {
	sum := q.sum
	values = values[:len(sum)]
	for k, v := range values {
		sum[k] += weight * v
	}
}

// oneStage is the part of integrator that is common to formulas with one solution per step.
type oneStage struct{}

func (oneStage) stages() int { return 1 }

func (oneStage) solved(_ int, q *charges, states, _ []float64) {
	q.past.copyCharges(q.now, states, 0)
}
