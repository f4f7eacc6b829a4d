package analysis

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Constants for the roundoff of ill-conditioned unknowns.
const (
	// residualRoundoff is the largest rounding error of a residual, relative to the largest term of
	// its row. A few sums are each rounded to 1.1e-16 of their magnitude.
	residualRoundoff = 4e-16
	// roundoffSamples is the number of random residuals that measure solves for.
	roundoffSamples = 4
	// roundoffMargin is the largest prediction error due to roundoff, divided by the roundoff of
	// one solution. It contains the weights of the points of the prediction.
	roundoffMargin = 16.0
	// roundoffRange is the range of an output, relative to its roundoff, from which on the roundoff
	// has no effect on an error estimate. Two runs then differ by less than acceptedError.
	roundoffRange = 2000.0
	// shortSteps is the number of attempts below shortStep after which the roundoff is determined.
	// If it has no effect, and no attempt between them was longer, strictResidual then limits the
	// residuals. Only attempts that the chord error limits count.
	shortSteps = 256
	// shortStep is the length below which a step counts as short, relative to the stop time.
	shortStep = 1e-5
	// steadyRoundoff is the roundoff of a constant voltage or current, relative to its value, above
	// which a warning names it.
	steadyRoundoff = 1e-5
	// measureInterval is the number of attempts between two determinations while active is set.
	measureInterval = 16
)

// conditioning determines the roundoff of ill-conditioned unknowns. Ohms can connect a
// node to a device whose conductance to all other nodes is picosiemens, such as a transistor that
// is off. The products in its rows are then amperes, and their
// roundoff moves both nodes by millivolts. The chord error of such an output does not decrease with
// the step, so all steps would have the length of jumpStep.
type conditioning struct {
	short    int // short attempts, from 0 again after shortSteps
	series   int // short attempts since the last longer one
	attempts int // attempts since the last determination
	// active is set once the roundoff has affected the chord error of an output. A device that
	// turns off again then needs no further shortSteps.
	active bool
	random rand.PCG
	b, dx  []float64
}

// begin determines the roundoff of the outputs of c at the operating point. A small capacitance at
// a node accumulates the roundoff of all steps. The roundoff at the operating point bounds this
// sum. Runs with uic have no such bound.
func (r *conditioning) begin(s *sim, c *chordControl) {
	if len(s.nonlinear) == 0 {
		return
	}
	r.measure(s, c.outputs, c.roundoffOfStep)
	if c.isAffected(s.x, roundoffMargin) {
		c.includeRoundoff(c.roundoffOfStep)
	}
	clear(c.roundoffOfStep)
}

// update determines the roundoff of the outputs of c if it is due. It must follow the solution of a
// step and precede its chord error. It reports whether a series of shortSteps short attempts has
// another cause than roundoff.
func (r *conditioning) update(s *sim, c *chordControl) (otherCause bool) {
	r.attempts++
	due := r.short >= shortSteps
	if !due && !(r.active && r.attempts >= measureInterval) {
		return false
	}
	r.attempts = 0
	r.measure(s, c.outputs, c.roundoffOfStep)
	if due {
		r.short = 0
		otherCause = r.series >= shortSteps && !c.isAffected(s.x, 1)
	}
	if c.isAffected(s.x, roundoffMargin) {
		r.active = true
		c.includeRoundoff(c.roundoffOfStep)
	} else if !r.active {
		clear(c.roundoffOfStep)
	}
	return otherCause
}

// count registers an attempt with step h [s] in a run until stop [s]. chord is its chord error,
// relative to the tolerance.
func (r *conditioning) count(h, stop, chord float64) {
	if h >= shortStep*stop {
		r.series = 0
	} else if chord > 1 {
		r.short++
		r.series++
	}
}

// measure sets roundoff [V or A] to the roundoff of the given unknowns. It follows from the factors
// of the last iteration and the terms of its residual. It is the largest of several solutions for
// random residuals of the size of their rounding errors. See Higham, Accuracy and Stability of
// Numerical Algorithms, chapters 7 and 15.
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
		s.solve(r.b, r.dx)
		for k, i := range unknowns {
			roundoff[k] = max(roundoff[k], math.Abs(r.dx[i]))
		}
	}
}

// roundoffFactor returns the ratio of an output's range to its roundoff above which roundoff errors
// are within the tolerance of the chord error.
func (c *chordControl) roundoffFactor() float64 {
	return roundoffMargin / (chordTolerance * c.scale)
}

// isAffected reports whether margin times the roundoff of a step with the solution x affects the
// chord error of an output. The roundoff of later steps can be larger than that of this step.
func (c *chordControl) isAffected(x []float64, margin float64) bool {
	factor := margin * c.roundoffFactor()
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

// affectedVector is a vector of the result that roundoff affects.
type affectedVector struct {
	name, unit string
	roundoff   float64 // [V or A]; 0 if the vector is derived from others
	relative   float64 // roundoff, relative to the largest one without effect
}

// affectedVectors returns the vectors of a transient that roundoff affects. columns and vecs
// describe its vectors. The roundoff of a constant vector counts above steadyRoundoff, as at an
// operating point, and that of a current above currentFloor.
func (c *chordControl) affectedVectors(columns []column, vecs []Vector) []affectedVector {
	number := make(map[int]int, len(c.outputs))
	for k, i := range c.outputs {
		number[i] = k
	}
	return listAffected(columns, vecs, func(unknown int) (roundoff, relative float64) {
		k, ok := number[unknown]
		if !ok {
			return 0, 0
		}
		e, least := c.largestRoundoff[k], max(c.high[k]-c.low[k], c.floor[k])
		most := max(math.Abs(c.low[k]), math.Abs(c.high[k]))
		if c.branch[k] {
			least = max(least, roundoffRange*c.floor[k])
		}
		if c.high[k]-c.low[k] < 2*roundoffMargin*e+minRange*most {
			least = max(least, roundoffRange*steadyRoundoff*most)
		}
		return e, roundoffRange * e / least
	})
}

// affectedPointVectors returns the vectors of an operating point that roundoff affects. columns and
// vecs describe its vectors.
func (s *sim) affectedPointVectors(columns []column, vecs []Vector) []affectedVector {
	unknowns := make([]int, s.n+1)
	for i := range unknowns {
		unknowns[i] = i
	}
	var r conditioning
	roundoff := make([]float64, s.n+1)
	r.measure(s, unknowns, roundoff)
	return listAffected(columns, vecs, func(i int) (float64, float64) {
		least := voltageFloor * s.opt.Vntol
		if s.branch[i] {
			least = currentFloor * s.opt.Abstol
		}
		return roundoff[i], roundoff[i] / max(least, steadyRoundoff*math.Abs(s.x[i]))
	})
}

// listAffected returns the vectors that use an unknown with a relative roundoff above 1. of returns
// the roundoff [V or A] of an unknown and its relative roundoff.
func listAffected(columns []column, vecs []Vector, of func(unknown int) (roundoff,
	relative float64)) (list []affectedVector) {
	for n, v := range vecs {
		a := affectedVector{name: v.Name, unit: v.Unit}
		for _, i := range columns[n].uses() {
			e, relative := of(i)
			a.relative = max(a.relative, relative)
			if !columns[n].derived() {
				a.roundoff = e
			}
		}
		if a.relative > 1 {
			list = append(list, a)
		}
	}
	return list
}

// warnRoundoff adds a warning that names the given vectors, the most affected ones first.
func (s *sim) warnRoundoff(list []affectedVector) {
	slices.SortStableFunc(list, func(a, b affectedVector) int {
		return cmp.Compare(b.relative, a.relative)
	})
	var nodes, others []string
	for _, v := range list {
		switch {
		case v.roundoff == 0:
			others = append(others, v.name)
		case v.unit == "V":
			nodes = append(nodes, fmt.Sprintf("%s (%.1g V)", v.name, v.roundoff))
		default:
			others = append(others, fmt.Sprintf("%s (%.1g A)", v.name, v.roundoff))
		}
	}
	const text = "the roundoff of double precision affects "
	if len(nodes) > 0 {
		s.warn(text + abbreviatedList(nodes) + ": devices at these nodes are off, and the terms of " +
			"small resistances or large capacitances beside them cancel; a resistance to ground " +
			"avoids it")
	}
	if len(others) > 0 {
		s.warn(text + abbreviatedList(others) + ": the terms of a small resistance cancel; a larger " +
			"resistance or none avoids it")
	}
}
