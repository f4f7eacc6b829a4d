package analysis

// integrator is an implicit integration formula for the charges and fluxes of a circuit. A step has
// one or more stages. In each stage the current of a charge q is a0·q plus a companion current that
// depends on previous points.
type integrator interface {
	// order returns the order of accuracy.
	order() int
	// stages returns the number of solutions per step.
	stages() int
	// companion writes the companion currents of stage k in a step of h [s]. It returns a0 [1/s]
	// and the time of the stage as a fraction of the step.
	companion(k int, h float64, q *charges) (a0, at float64)
	// solved stores the solution of stage k: the states of the devices and all unknowns.
	solved(k int, q *charges, states, x []float64)
	// lte estimates the local truncation error of a solved step. The error [C or Wb] of charge n is
	// c·|a[n] - b[n]|.
	lte(h float64, q *charges) (c float64, a, b []float64)
}

// charges holds the charges and fluxes of a circuit: their history and their values in the present
// step.
type charges struct {
	past history
	now  []float64 // values [C or Wb] at the new point
	// companion holds the companion currents [A or V], indexed by the states (Load.History).
	companion []float64
	// predicted holds the charges [C or Wb] extrapolated by a polynomial of the given degree. It is
	// invalid if degree is 0.
	predicted []float64
	degree    int
	weights   [historyDepth + 1]float64 // extrapolation weights for the given degree
	sum       []float64                 // scratch
}

// newCharges allocates the arrays for the charges. stateIndexes holds the index of each charge in
// the device states. companion is stored without a copy.
func newCharges(states, unknowns int, stateIndexes []int, companion []float64) charges {
	n := len(stateIndexes)
	return charges{past: newHistory(states, unknowns, stateIndexes), companion: companion,
		now: make([]float64, n), predicted: make([]float64, n), sum: make([]float64, n)}
}

// prepare computes the weights that extrapolate the charges by h [s] with a polynomial of the given
// degree. BDF formulas then write the predicted charges together with the companion currents.
func (q *charges) prepare(h float64, degree int) {
	q.degree = 0
	if q.past.points > degree {
		q.degree, q.weights = degree, q.past.extrapolation(h, degree)
	}
}

// prediction returns the charges [C or Wb] extrapolated by h [s] with a polynomial of the given
// degree.
func (q *charges) prediction(h float64, degree int) []float64 {
	if degree == q.degree {
		return q.predicted
	}
	q.extrapolate(q.sum, q.past.extrapolation(h, degree))
	return q.sum
}

// extrapolate writes the weighted sums of the previous charges to into. w[j] is the weight of the
// j-th previous point.
func (q *charges) extrapolate(into []float64, w [historyDepth + 1]float64) {
	p, m := &q.past, len(into)
	q1, q2, q3 := p.charge(0)[:m], p.charge(1)[:m], p.charge(2)[:m]
	q4, q5 := p.charge(3)[:m], p.charge(4)[:m]
	w2, w3, w4, w5 := w[2], w[3], w[4], w[5]
	for n, v := range q1 {
		// Differences from the last point avoid the cancellation in a sum of products.
		into[n] = v + w2*(q2[n]-v) + w3*(q3[n]-v) + w4*(q4[n]-v) + w5*(q5[n]-v)
	}
}

// addScaled adds weight times the values to q.sum.
func (q *charges) addScaled(weight float64, values []float64) {
	sum := q.sum
	values = values[:len(sum)]
	for k, v := range values {
		sum[k] += weight * v
	}
}

// oneStage implements the methods of integrator that all formulas with one solution per step share.
type oneStage struct{}

func (oneStage) stages() int { return 1 }

func (oneStage) solved(_ int, q *charges, states, _ []float64) {
	q.past.copyCharges(q.now, states, 0)
}
