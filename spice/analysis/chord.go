package analysis

import "math"

// chordControl limits the step by the chord error: the distance between a curve of the result and
// the straight line between two points. It limits steps even in circuits without charge storage.
type chordControl struct {
	// indices of the unknowns in the result, followed by those in the arguments of delay()
	outputs []int
	// number of leading outputs that are in the result; the others are arguments of delay()
	columns   int
	low, high []float64 // range [V or A] of each output so far
	floor     []float64 // smallest significant range [V or A] of each output
	branch    []bool    // whether an output is a current
	// roundoff is the rounding error [C] of the charges of capacitors. Divided by a step it is the
	// noise of a current.
	roundoff float64
	// noise is the same for each output that is a source current: the rounding error [C] of the
	// charges at the source. It is 0 for other outputs and does not apply from noiseStep [s] on.
	noise     []float64
	noiseStep float64
	// roundoffOfStep is the roundoff [V or A] of each output in the present step, and
	// largestRoundoff that in the run so far. Both are 0 until conditioning has found an effect
	// on any output.
	roundoffOfStep, largestRoundoff []float64

	line      []float64 // linear extrapolation [V or A] of each unknown through the last two points
	predicted []float64 // initial guess [V or A] of Newton's method for each output
	scale     float64   // factor on chordTolerance, derived from the tolerance of the run
	last, now float64   // chord errors of the last two steps, relative to the tolerance
	// errors of the interpolation polynomials of the last two steps, relative to the tolerance;
	// lastCurve is at least minCurveError
	lastCurve, curve float64
	lines            int     // number of straight lines of the result in the last step
	lineError        float64 // error of these lines, relative to the tolerance
	// largest error of the straight lines of the accepted steps, relative to the range so far,
	// excluding jumps and the start of the run
	drawn float64
}

func newChordControl(outputs []int, columns, unknowns int, scale float64,
	floor []float64) chordControl {
	n := len(outputs)
	return chordControl{outputs: outputs, columns: columns, scale: scale, floor: floor,
		low: make([]float64, n), high: make([]float64, n), predicted: make([]float64, n),
		line: make([]float64, unknowns), branch: make([]bool, n), noise: make([]float64, n),
		roundoffOfStep: make([]float64, n), largestRoundoff: make([]float64, n)}
}

// shown returns the indices of the unknowns in the result.
func (c *chordControl) shown() []int { return c.outputs[:c.columns] }

// start initializes the range of each output with its present value.
func (c *chordControl) start(x []float64) {
	for k, i := range c.outputs {
		c.low[k], c.high[k] = x[i], x[i]
	}
}

// predict records the initial guess x of Newton's method for the outputs.
func (c *chordControl) predict(x []float64) {
	for k, i := range c.outputs {
		c.predicted[k] = x[i]
	}
}

// outputError returns the chord error and the predictor error of a step, both relative to their
// tolerances. x is the solution [V or A], h the step [s] and before the previous step [s].
//
// For a curve with the divided difference dd₂ the chord error is dd₂·h²/4. The error of linear
// extrapolation is dd₂·h·(h + before), from which dd₂ follows.
func (c *chordControl) outputError(x []float64, h, before float64) (chord, predictor float64) {
	worst, roundoffFactor := 0.0, c.roundoffFactor()
	n := len(c.outputs)
	low, high, predicted := c.low[:n], c.high[:n], c.predicted[:n]
	for k, i := range c.outputs {
		v := x[i]
		toLine, toPredicted := math.Abs(v-c.line[i]), math.Abs(v-predicted[k])
		// The range so far is a lower bound on the span. The span of an output is computed only if
		// its error relative to this bound exceeds the largest error so far.
		least := high[k] - low[k]
		if toLine <= worst*least && toPredicted <= predictor*least {
			continue
		}
		span := max(c.span(k, v), roundoffFactor*c.roundoffOfStep[k], c.currentNoise(k, h))
		if toLine > worst*span {
			worst = toLine / span
		}
		if toPredicted > predictor*span {
			predictor = toPredicted / span
		}
	}
	c.now = worst * h / (4 * (h + before)) / (chordTolerance * c.scale)
	return c.now, predictor / (predictorTolerance * chordTolerance * c.scale)
}

// currentNoise returns the least significant range [A] of output k in a step of h [s]. The rounding
// error of the charges of capacitors is noise in a current. The result is 0 for a voltage.
func (c *chordControl) currentNoise(k int, h float64) float64 {
	if !c.branch[k] {
		return 0
	}
	if h < c.noiseStep {
		return max(c.roundoff, c.noise[k]) / h
	}
	return c.roundoff / h
}

// divide sets the number of straight lines of the last step, at most maxLines, and their error.
// chord is the chord error of the step and curve that of the interpolation polynomial, both
// relative to the tolerance. Without a polynomial, curve is at least chord. If curve reaches
// rejectError, as in a step that resolves a jump, the step stays one line. The polynomial could
// leave the range of the solution.
func (c *chordControl) divide(chord, curve float64) {
	c.lines, c.lineError = 1, chord
	if curve < min(chord, rejectError) && chord > 1 {
		c.lines = min(int(math.Ceil(math.Sqrt(chord))), maxLines)
		c.lineError = max(chord/float64(c.lines*c.lines), curve)
	}
}

// span returns the range [V or A] that output k has covered, including the present value x. It adds
// a floor, so that the span of a constant output is not 0.
func (c *chordControl) span(k int, x float64) float64 {
	return max(c.high[k], x) - min(c.low[k], x) + (c.floor[k] + minOutputRange*math.Abs(x))
}

// accept extends the ranges to include the outputs of an accepted point.
func (c *chordControl) accept(x []float64) {
	c.last, c.lastCurve = max(c.now, 0.1), max(c.curve, minCurveError)
	least, most := c.low[:len(c.outputs)], c.high[:len(c.outputs)]
	for k, i := range c.outputs {
		if x := x[i]; x < least[k] {
			least[k] = x
		} else if x > most[k] {
			most[k] = x
		}
	}
}
