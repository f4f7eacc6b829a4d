package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
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
	// roundoffRange is the range of an output, relative to its roundoff, from which on the roundoff
	// has no effect on an error estimate. Two runs then differ by less than acceptedError.
	roundoffRange = 2000.0
	// shortSteps is the number of attempts below shortStep before the roundoff is determined. Only
	// attempts that the chord error limits count.
	shortSteps = 256
	// shortStep is a step, relative to the stop time.
	shortStep = 1e-5
	// measureInterval is the number of attempts between two determinations.
	measureInterval = 16
)

// conditioning determines the roundoff of ill-conditioned unknowns. A node can be connected by
// ohms to a device whose conductance to all other nodes is picosiemens, such as the series
// resistance of a transistor that is off. The products in its rows are then amperes, and their
// roundoff moves both nodes by millivolts. The chord error of such an output does not decrease with
// the step, so all steps would have the length of jumpStep.
type conditioning struct {
	short    int // attempts towards shortSteps
	attempts int // attempts since the last determination
	// active is set once the roundoff has affected the chord error of an output. A device that
	// turns off again then needs no further shortSteps.
	active bool
	random rand.PCG
	b, dx  []float64
}

// begin determines the roundoff of the outputs of c at the operating point. It bounds the sum of
// the roundoff of all steps: the charge of a small capacitance at the node accumulates them.
func (r *conditioning) begin(s *sim, c *chordControl) {
	if len(s.nonlinear) == 0 {
		return
	}
	r.measure(s, c.outputs, c.roundoffOfStep)
	if c.isAffected(s.x) {
		c.includeRoundoff(c.roundoffOfStep)
	}
	clear(c.roundoffOfStep)
}

// update determines the roundoff of the outputs of c if it is due. It must follow the solution of a
// step and precede its chord error.
func (r *conditioning) update(s *sim, c *chordControl) {
	r.attempts++
	if r.active && r.attempts < measureInterval || !r.active && r.short < shortSteps {
		return
	}
	r.attempts, r.short = 0, 0
	r.measure(s, c.outputs, c.roundoffOfStep)
	if c.isAffected(s.x) {
		r.active = true
		c.includeRoundoff(c.roundoffOfStep)
	} else if !r.active {
		clear(c.roundoffOfStep)
	}
}

// count registers an attempt with step h [s] in a run until stop [s]. chord is its chord error,
// relative to the tolerance. Only short steps that exceed the tolerance count.
func (r *conditioning) count(h, stop, chord float64) {
	if chord > 1 && h < shortStep*stop {
		r.short++
	}
}

// measure sets roundoff [V or A] to the roundoff of the given unknowns. It follows from the factors
// of the last iteration and the terms of its residual. It is the largest of several solutions for
// random residuals of the size of their rounding errors (Higham, Accuracy and Stability of
// Numerical Algorithms, chapters 7 and 15).
func (r *conditioning) measure(s *sim, unknowns []int, roundoff []float64) {
	if r.b == nil {
		r.b, r.dx = make([]float64, s.n+1), make([]float64, s.n+1)
	}
	clear(roundoff)
	r.random.Seed(1, 1) // equal results for equal requests
	for range roundoffSamples {
		for i := 1; i <= s.n; i++ {
			sample := float64(int64(r.random.Uint64())) / (1 << 63) // from -1 to 1
			r.b[i] = residualRoundoff * s.scale[i] * sample
		}
		s.lu.Solve(r.b, r.dx)
		for k, i := range unknowns {
			roundoff[k] = max(roundoff[k], math.Abs(r.dx[i]))
		}
	}
}

// roundoffFactor returns the range of an output, relative to its roundoff, at which the errors
// that the roundoff causes are within the tolerance of the chord error.
func (c *chordControl) roundoffFactor() float64 {
	return roundoffMargin / (chordTolerance * c.scale)
}

// isAffected reports whether the roundoff of a step with the solution x affects the chord error of
// an output.
func (c *chordControl) isAffected(x []float64) bool {
	factor := roundoffMargin * c.roundoffFactor()
	for k, i := range c.outputs {
		if factor*c.roundoffOfStep[k] > c.span(k, x[i]) {
			return true
		}
	}
	return false
}

// includeRoundoff extends the largest roundoff of the run by that of a step or of another run.
func (c *chordControl) includeRoundoff(roundoff []float64) {
	for k := range c.largestRoundoff {
		c.largestRoundoff[k] = max(c.largestRoundoff[k], roundoff[k])
	}
}

// smallestRange returns the smallest significant range [V or A] of output k for an error estimate.
func (c *chordControl) smallestRange(k int) float64 {
	return max(c.floor[k], roundoffRange*c.largestRoundoff[k])
}

// smallestRanges returns smallestRange of all outputs.
func (c *chordControl) smallestRanges() []float64 {
	ranges := make([]float64, len(c.floor))
	for k := range ranges {
		ranges[k] = c.smallestRange(k)
	}
	return ranges
}

// illConditioned is a vector of the result that roundoff affects.
type illConditioned struct {
	name     string
	relative float64 // roundoff, relative to the smallest range without effect
}

// illConditioned returns the vectors of a transient that roundoff affects. columns and vecs
// describe its vectors.
func (c *chordControl) illConditioned(columns []column, vecs []Vector) (list []illConditioned) {
	number := make(map[int]int, len(c.outputs))
	for k, i := range c.outputs {
		number[i] = k
	}
	for n, v := range vecs {
		worst := illConditioned{name: v.Name}
		for _, i := range columns[n].uses() {
			k, ok := number[i]
			if !ok {
				continue
			}
			e := c.largestRoundoff[k]
			worst.relative = max(worst.relative,
				roundoffRange*e/max(c.high[k]-c.low[k], c.floor[k]))
			if !columns[n].derived() {
				worst.name += fmt.Sprintf(" (%.1g %s)", e, v.Unit)
			}
		}
		if worst.relative > 1 {
			list = append(list, worst)
		}
	}
	return list
}

// illConditionedPoint returns the vectors of an operating point that roundoff affects. columns and
// vecs describe its vectors.
func (s *sim) illConditionedPoint(columns []column, vecs []Vector) (list []illConditioned) {
	unknowns := make([]int, len(vecs))
	for n, c := range columns {
		if !c.derived() {
			unknowns[n] = c.unknown
		}
	}
	var r conditioning
	roundoff := make([]float64, len(vecs))
	r.measure(s, unknowns, roundoff)
	for n, e := range roundoff {
		least := voltageFloor * s.opt.Vntol
		if vecs[n].Unit == "A" {
			least = currentFloor * s.opt.Abstol
		}
		least = max(least, 10*s.opt.Reltol*math.Abs(s.x[unknowns[n]]))
		if e > least {
			list = append(list, illConditioned{
				fmt.Sprintf("%s (%.1g %s)", vecs[n].Name, e, vecs[n].Unit), e / least})
		}
	}
	return list
}

// warnRoundoff adds a warning that names the given vectors, the most affected ones first.
func (s *sim) warnRoundoff(list []illConditioned) {
	if len(list) == 0 {
		return
	}
	sort.SliceStable(list, func(a, b int) bool { return list[a].relative > list[b].relative })
	names := make([]string, len(list))
	for k, v := range list {
		names[k] = v.name
	}
	s.warn("the roundoff of double precision affects " + several(names) + ": devices at these " +
		"nodes are off, and the terms of their series resistances cancel; rs=0 or a resistance to " +
		"ground avoids it")
}
