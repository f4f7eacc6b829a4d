package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Constants for the roundoff of ill-conditioned unknowns.
const (
	// residualRoundoff is the largest rounding error of a residual, relative to the largest term of
	// its row: a few sums, each rounded to 1.1e-16 of its magnitude.
	residualRoundoff = 4e-16
	// roundoffSamples is the number of random residuals that measure solves for.
	roundoffSamples = 4
	// roundoffMargin is the largest prediction error due to roundoff, divided by the roundoff of
	// one solution. It contains the weights of the points of the prediction.
	roundoffMargin = 16.0
	// roundoffRange is the range, relative to the roundoff, at which the roundoff of two runs is
	// below half of acceptedError.
	roundoffRange = 2000.0
	// shortSteps is the number of attempts below shortStep, relative to the stop time, that the
	// chord error limits before the roundoff is determined.
	shortSteps = 256
	shortStep  = 1e-5
	// measureInterval is the number of attempts between two determinations.
	measureInterval = 16
)

// conditioning determines the roundoff of ill-conditioned unknowns. A node can be connected by
// ohms to a device whose conductance to all other nodes is picosiemens, such as the series
// resistance of a transistor that is off. The products in its rows are then amperes, and their
// roundoff moves both nodes by millivolts. The chord error of such an output does not decrease with
// the step, so all steps would have the length of jumpStep.
type conditioning struct {
	short    int  // attempts that shortSteps counts
	active   bool // the roundoff affects the chord error of an output
	attempts int  // attempts since the last determination
	b, dx    []float64
}

// update determines the roundoff of the outputs of c for a solved step if it is due. It must
// precede the chord error of the step.
func (r *conditioning) update(s *sim, c *chordControl) {
	switch {
	case r.short >= shortSteps:
		r.short = 0
		if r.active = r.measure(s, c); !r.active {
			clear(c.solutionRoundoff)
		}
	case r.active:
		if r.attempts++; r.attempts >= measureInterval {
			r.attempts = 0
			r.measure(s, c)
		}
	}
}

// count counts a step of h [s] in a run up to time stop [s] if it is short and limited by its chord
// error, which is relative to the tolerance.
func (r *conditioning) count(h, stop, chord float64) {
	if !r.active && chord > 1 && h < shortStep*stop {
		r.short++
	}
}

// measure determines the roundoff from the factors of the last iteration and the terms of its
// residual. It reports whether the roundoff affects the chord error of an output. The roundoff is
// the largest of several solutions for random residuals of the size of their rounding errors
// (Higham, Accuracy and Stability of Numerical Algorithms, chapters 7 and 15).
func (r *conditioning) measure(s *sim, c *chordControl) (affected bool) {
	if r.b == nil {
		r.b, r.dx = make([]float64, s.n+1), make([]float64, s.n+1)
	}
	clear(c.solutionRoundoff)
	random := rand.New(rand.NewPCG(1, 1))
	for range roundoffSamples {
		for i := 1; i <= s.n; i++ {
			r.b[i] = residualRoundoff * s.scale[i] * (2*random.Float64() - 1)
		}
		s.lu.Solve(r.b, r.dx)
		for k, i := range c.outputs {
			c.solutionRoundoff[k] = max(c.solutionRoundoff[k], math.Abs(r.dx[i]))
		}
	}
	factor := c.roundoffFactor()
	for k, i := range c.outputs {
		affected = affected || factor*c.solutionRoundoff[k] > c.span(k, s.x[i])/roundoffMargin
	}
	if affected {
		for k, e := range c.solutionRoundoff {
			c.largestRoundoff[k] = max(c.largestRoundoff[k], e)
		}
	}
	return affected
}

// roundoffFactor returns the range of an output, relative to its roundoff, at which the errors
// that the roundoff causes are within the tolerance of the chord error.
func (c *chordControl) roundoffFactor() float64 {
	return roundoffMargin / (chordTolerance * c.scale)
}

// smallestRanges returns the smallest significant range [V or A] of each output for an error
// estimate. Roundoff alone must not make an error above half of acceptedError.
func (c *chordControl) smallestRanges() []float64 {
	ranges := make([]float64, len(c.floor))
	for k, floor := range c.floor {
		ranges[k] = max(floor, roundoffRange*c.largestRoundoff[k])
	}
	return ranges
}

// maxRoundoffNames is the largest number of outputs that warnRoundoff names.
const maxRoundoffNames = 5

// warnRoundoff adds a warning that names the outputs of a run whose range is not far above their
// roundoff.
func (s *sim) warnRoundoff(c *chordControl) {
	var names []string
	for k, i := range c.shown() {
		e := c.largestRoundoff[k]
		if roundoffRange*e <= max(c.high[k]-c.low[k], c.floor[k]) {
			continue
		}
		name, unit := "v("+s.setup.Unknowns[i].Name+")", "V"
		if c.branch[k] {
			name, unit = "i("+s.setup.Unknowns[i].Name+")", "A"
		}
		names = append(names, fmt.Sprintf("%s of %.1g %s", name, e, unit))
	}
	if more := len(names) - maxRoundoffNames; more > 0 {
		names = append(names[:maxRoundoffNames], fmt.Sprintf("and %d more", more))
	}
	if len(names) > 0 {
		s.warn("double precision causes a roundoff in " + strings.Join(names, ", ") + ": all " +
			"devices at a node are off, and the terms of their series resistances cancel; a " +
			"resistance to ground, such as 100 megohms, avoids it")
	}
}
