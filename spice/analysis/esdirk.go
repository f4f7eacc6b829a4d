package analysis

import "math"

// stageCount is the number of stages of the Runge-Kutta formula, including the explicit first
// stage.
const stageCount = 6

// innerStages are the stages within a step in order of time.
var innerStages = [...]int{2, 1, 3, 4}

// tableau holds the coefficients of ARK4(3)6L[2]SA-ESDIRK (Kennedy and Carpenter,
// NASA/TM-2001-211038, and Applied Numerical Mathematics 44, 2003). The formula has order 4 with an
// embedded formula of order 3 and is L-stable. It is also stiffly accurate: the last stage is the
// new point and satisfies Kirchhoff's laws. All implicit stages have the diagonal coefficient 1/4
// and share one factorization.
type tableau struct {
	at         [stageCount]float64             // time of each stage as a fraction of the step
	weight     [stageCount][stageCount]float64 // coefficients of the stage currents
	errWeights [stageCount]float64             // coefficients of order 4 minus those of order 3
}

func newTableau() tableau {
	t := tableau{
		at: [stageCount]float64{0, 1.0 / 2, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1},
		weight: [stageCount][stageCount]float64{
			1: {1.0 / 4, 1.0 / 4},
			2: {8611.0 / 62500, -1743.0 / 31250, 1.0 / 4},
			3: {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, 1.0 / 4},
			4: {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768,
				2285395.0 / 8070912, 1.0 / 4},
			5: {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, 1.0 / 4},
		},
	}
	third := [stageCount]float64{4586570599.0 / 29645900160, 0, 178811875.0 / 945068544,
		814220225.0 / 1159782912, -3700637.0 / 11593932, 61727.0 / 225920}
	for k, w := range third {
		t.errWeights[k] = t.weight[stageCount-1][k] - w
	}
	return t
}

// esdirk is the integrator for linear circuits with lines. Each stage is one solution with the
// factors of the step. A lossless oscillation requires a high order, but no multistep formula above
// order 2 is A-stable (Dahlquist, BIT 3, 1963). In nonlinear circuits every stage would cost
// several Newton iterations.
type esdirk struct {
	tableau
	// per stage, the current [A] of each charge or the voltage [V] of each flux
	current [stageCount][]float64
	x       [stageCount][]float64 // solution [V or A] of each stage
	zero    []float64
	// firstHalf and secondHalf are the weights of three stages in the chord error of each half of
	// the step.
	firstHalf, secondHalf [3]float64
}

func newESDIRK(charges, unknowns int) *esdirk {
	g := &esdirk{tableau: newTableau(), zero: make([]float64, charges)}
	g.firstHalf, g.secondHalf = g.chordWeights(0, 2, 3), g.chordWeights(2, 3, 5)
	for k := range stageCount {
		g.current[k], g.x[k] = make([]float64, charges), make([]float64, unknowns)
	}
	return g
}

func (*esdirk) order() int { return 4 }

func (*esdirk) stages() int { return stageCount - 1 }

// companion adds h times the weighted currents of the earlier stages to the charges of the last
// point. k = 0 is the first implicit stage.
func (g *esdirk) companion(k int, h float64, q *charges) (a0, at float64) {
	if k == 0 {
		copy(g.current[0], q.past.current(0))
	}
	a0, k = 4/h, k+1
	w := &g.weight[k]
	copy(q.sum, q.past.charge(0))
	for j := range k {
		q.addScaled(h*w[j], g.current[j])
	}
	for n, state := range q.past.stateIndexes {
		q.companion[state] = -a0 * q.sum[n]
	}
	return a0, g.at[k]
}

func (g *esdirk) solved(k int, q *charges, states, x []float64) {
	q.past.copyCharges(g.current[k+1], states, 1)
	copy(g.x[k+1], x)
	if k+1 == stageCount-1 {
		q.past.copyCharges(q.now, states, 0)
	}
}

// lte estimates the error as the difference from the embedded formula of order 3. The error of
// charge n is c·|a[n] - b[n]|, in which b is 0.
func (g *esdirk) lte(h float64, q *charges) (c float64, a, b []float64) {
	clear(q.sum)
	for j, w := range g.errWeights {
		q.addScaled(h*w, g.current[j])
	}
	return 1, q.sum, g.zero
}

// chordError returns the largest chord error between stages, relative to the tolerance. The widest
// gap is the one before stage 2, which is the first in time. x0 is the solution at the last point,
// and x is the solution of the step.
func (g *esdirk) chordError(c *chordControl, x0, x []float64) float64 {
	x2, x3, x5 := g.x[2], g.x[3], g.x[5]
	u, v, worst := g.firstHalf, g.secondHalf, 0.0
	for k, i := range c.outputs {
		bend := max(math.Abs(u[0]*x0[i]+u[1]*x2[i]+u[2]*x3[i]),
			math.Abs(v[0]*x2[i]+v[1]*x3[i]+v[2]*x5[i]))
		if span := c.span(k, x[i]); bend > worst*span {
			worst = bend / span
		}
	}
	return worst / (chordTolerance * c.scale)
}

// chordWeights returns the weights of stages i, j and k in the chord error of the parabola through
// them. The chord spans the gap before stage 2, which is the widest.
func (t *tableau) chordWeights(i, j, k int) [3]float64 {
	a, b, c := t.at[i], t.at[j], t.at[k]
	gap := t.at[2]
	f := gap * gap / 4
	return [3]float64{f / ((a - b) * (a - c)), f / ((b - a) * (b - c)), f / ((c - a) * (c - b))}
}
