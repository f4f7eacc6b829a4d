package analysis

import "math"

// chordControl bounds the distance of the curves of the result from the straight lines between its
// points. It also limits steps where nothing stores charge.
type chordControl struct {
	outputs   []int     // unknowns of the result
	low, high []float64 // range of each output so far, V or A
	floor     []float64 // least range of each output that counts, V or A
	line      []float64 // each unknown on the straight line through the last two points
	predicted []float64 // each output where Newton's method started
	scale     float64   // factor on chordTolerance, by the tolerance of the run
	last, now float64   // chord error of the last and of the present step, relative to the allowed
}

func newChordControl(outputs []int, unknowns int, scale float64, floor []float64) chordControl {
	n := len(outputs)
	return chordControl{outputs: outputs, scale: scale, floor: floor, low: make([]float64, n),
		high: make([]float64, n), predicted: make([]float64, n), line: make([]float64, unknowns)}
}

// start begins the range of each output at its present value.
func (c *chordControl) start(x []float64) {
	for k, i := range c.outputs {
		c.low[k], c.high[k] = x[i], x[i]
	}
}

// predict records the start values of Newton's method.
func (c *chordControl) predict(x []float64) {
	for k, i := range c.outputs {
		c.predicted[k] = x[i]
	}
}

// outputError returns the chord error and the predictor error of a step, both relative to the
// allowed ones. x is its solution, h its length and before the length of the step before it [s].
//
// A line misses an arc with the divided difference dd₂ by dd₂·h²/4. The prediction along the line
// of the last step misses it by dd₂·h·(h + before), which gives dd₂.
func (c *chordControl) outputError(x []float64, h, before float64) (chord, predictor float64) {
	worst := 0.0
	n := len(c.outputs)
	low, high, predicted := c.low[:n], c.high[:n], c.predicted[:n]
	for k, i := range c.outputs {
		v := x[i]
		toLine, toPredicted := math.Abs(v-c.line[i]), math.Abs(v-predicted[k])
		// For most outputs the range so far, which is less than the span, shows already that the
		// worst is elsewhere.
		least := high[k] - low[k]
		if toLine <= worst*least && toPredicted <= predictor*least {
			continue
		}
		span := c.span(k, v)
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

// span is the range that output k has covered, the present value x included.
func (c *chordControl) span(k int, x float64) float64 {
	return max(c.high[k], x) - min(c.low[k], x) + (c.floor[k] + minOutputRange*math.Abs(x))
}

// accept extends the ranges by an accepted point.
func (c *chordControl) accept(x []float64) {
	c.last = max(c.now, 0.1)
	least, most := c.low[:len(c.outputs)], c.high[:len(c.outputs)]
	for k, i := range c.outputs {
		if x := x[i]; x < least[k] {
			least[k] = x
		} else if x > most[k] {
			most[k] = x
		}
	}
}
