package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/internal/ngspice"
	"slipstick/spice"
)

// verdict is the result of one deck.
type verdict struct {
	deck     *deck
	refusal  string // cause of the rejection, without names of the deck; "" if the deck ran
	detail   string // message of the rejection
	compared bool
	problem  string // disagreement with ngspice, or the reason for a missing reference
	// reference is the kind of a missing reference, one of missingReferences.
	reference string
	// undetermined lists the vectors in which two accurate references disagree. undrawn lists the
	// vectors that the points of the result, joined by straight lines, do not reproduce within half
	// the limit.
	undetermined, undrawn []string
	budgets               int // multiple of the default budget that the comparison required
}

// largerBudget is the multiple of the default budget for the second run of a transient. This run
// follows if the error exceeds the limit with the default budget.
const largerBudget = 10

// endedByBudget reports whether the budget left the error of a result above the limit or unknown.
// It decides by the warnings.
func endedByBudget(r *spice.Result) bool {
	return slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.Contains(w, "the budget ") || strings.HasPrefix(w, "stopped at ") ||
			strings.Contains(w, "budget of a refinement")
	})
}

func (r *runner) judge(d *deck, source string) *verdict {
	v := &verdict{deck: d}
	got, err := r.simulate(source, 1, corpusTime)
	if err != nil {
		if errors.Is(err, errCorpusTime) {
			v.refusal, v.detail = "processor_time", err.Error()
			return v
		}
		var e *spice.Error
		if !errors.As(err, &e) {
			v.refusal, v.detail = "other", err.Error()
			return v
		}
		v.refusal, v.detail = string(e.Code), e.Error()
		return v
	}
	if d.Expect != "runs" || *refusals {
		return v
	}
	how, err := readDirectives(strings.ReplaceAll("\n*compare "+d.Compare, " ", "\n*compare "))
	if err != nil {
		v.problem, v.reference = "no reference: "+err.Error(), missingReferences[3]
		return v
	}
	v.budgets = 1
	ng := r.ngspice
	off, where, reference, err := v.compare(ng, source, got, how)
	if off > limits["tran"] && got.Analysis == "tran" && endedByBudget(got) {
		if more, failed := r.simulate(source, largerBudget, corpusTime); failed == nil {
			v.budgets, v.undetermined = largerBudget, nil
			got = more
			off, where, reference, err = v.compare(ng, source, got, how)
		}
	}
	v.compared = reference != nil
	switch {
	case err != nil:
		v.problem, v.reference = err.Error(), kindOfMissing(err)
	case !(off <= limits[got.Analysis]):
		v.problem = fmt.Sprintf("%.3g %% off at %s", 100*off, where)
	}
	if v.problem != "" && *deckName != "" {
		text, _ := corpusText(source, got, 0, 1)
		fmt.Printf("==== %s: %s\n%s\n", d.name(), v.problem, text)
		for _, w := range got.Warnings {
			fmt.Println("warning:", w)
		}
		for _, g := range got.Vectors {
			for _, w := range reference {
				if n := len(w.Real); w.Name == g.Name && n > 0 {
					fmt.Printf("%-20s first %.5g, ngspice %.5g; last %.5g, ngspice %.5g\n", g.Name,
						g.Values[0], w.Real[0], g.Values[len(g.Values)-1], w.Real[n-1])
				}
			}
		}
	}
	return v
}

// compare returns the distance between the result got of a deck and the reference, the vector with
// the largest distance, and the reference. The reference is nil if there is none. source is the
// text of the deck.
func (v *verdict) compare(ng, source string, got *spice.Result,
	how directives) (off float64, where string, reference []ngspice.Vector, err error) {
	reference, err = corpusReference(ng, source, got, 1)
	if err != nil {
		return 0, "", nil, fmt.Errorf("no reference: %w", err)
	}
	got, v.undrawn = drawn(got)
	if len(got.Vectors) <= len(v.undrawn) {
		return 0, "", nil, fmt.Errorf("no reference: %w", errUndrawn)
	}
	off, where, err = corpusDistance(got, reference, how)
	if err == nil && !(off <= limits[got.Analysis]) && got.Analysis == "tran" {
		off, where, err = v.refine(ng, source, got, reference, how)
		if errors.Is(err, errUndetermined) {
			return 0, "", nil, fmt.Errorf("no reference: %w", err)
		}
	}
	return off, where, reference, err
}

// drawn returns the result without the vectors that its points, joined by straight lines, do not
// reproduce within half the limit. It also returns the names of the removed vectors.
func drawn(r *spice.Result) (*spice.Result, []string) {
	var undrawn []string
	for _, x := range r.Decimated {
		if x.Extremes || x.Bound > limits["tran"]/2 {
			undrawn = append(undrawn, x.Vector)
		}
	}
	kept := *r
	kept.Vectors = slices.DeleteFunc(slices.Clone(r.Vectors), func(v spice.Vector) bool {
		return slices.Contains(undrawn, v.Name)
	})
	return &kept, undrawn
}

// refinements are divisors of the largest step and the tolerance of the reference. They apply if a
// transient disagrees.
var refinements = [...]float64{4, 16, 64}

// errUndetermined reports that two accurate runs of ngspice disagree, so there is no reference.
var errUndetermined = errors.New(
	"the two finest runs of ngspice differ in most vectors by more than the limit")

// errUndrawn reports that the points of the result do not reproduce most vectors accurately.
var errUndrawn = errors.New("the points draw less than half of the vectors")

// missingReferences lists the kinds of missing references. A crash of ngspice is distinct from a
// time limit.
var missingReferences = [...]string{"ngspice did not finish in its processor time",
	"ngspice crashed", "ngspice does not determine the vectors, or our points do not draw them",
	"ngspice does not run the deck"}

// kindOfMissing returns the element of missingReferences for an error.
func kindOfMissing(err error) string {
	switch {
	case errors.Is(err, ngspice.ErrProcessorTime):
		return missingReferences[0]
	case errors.Is(err, ngspice.ErrCrash):
		return missingReferences[1]
	case errors.Is(err, errUndetermined), errors.Is(err, errUndrawn):
		return missingReferences[2]
	}
	return missingReferences[3]
}

// refine compares the transient got with more accurate references until it agrees or ngspice
// exceeds its time limit. It returns the distance and the vector with the largest distance. Without
// the directive period, an edge may shift by two steps of the reference, the time resolution of
// ngspice.
//
// A vector in which the two most accurate references disagree is omitted, because ngspice does not
// determine it within the limit. If no more accurate reference exists, these two are the first
// reference and a reference with twice the largest step.
func (v *verdict) refine(ng, source string, got *spice.Result, reference []ngspice.Vector,
	how directives) (off float64, where string, err error) {
	limit, least, before := limits["tran"], how.shift, reference
	for k, finer := range refinements {
		next, fineErr := corpusReference(ng, source, got, finer)
		if fineErr != nil {
			if *deckName != "" {
				fmt.Printf("reference finer by %g: %v\n", finer, fineErr)
			}
			if k == 0 {
				if coarse, err := corpusReference(ng, source, got, 0.5); err == nil {
					before = coarse
				}
			}
			break
		}
		how.shift = max(least,
			2*corpusStep(got, finer)/got.Vectors[0].Values[len(got.Vectors[0].Values)-1])
		if off, where, err = corpusDistance(got, next, how); err == nil && off <= limit {
			return off, where, nil
		}
		before, reference = reference, next
	}
	kept, undetermined := determined(before, reference, limit, how.shift)
	if len(undetermined) > len(kept)-1 {
		return 0, "", errUndetermined
	}
	v.undetermined = undetermined
	return corpusDistance(got, kept, how)
}

// determined returns the vectors of fine that agree with coarse within limit, and the names of the
// others. shift is the largest time shift as a fraction of the duration.
func determined(coarse, fine []ngspice.Vector,
	limit, shift float64) (kept []ngspice.Vector, others []string) {
	kept = append(kept, fine[0])
	begin := min(3, len(fine[0].Real)-1) // ngspice has no error control in the first two steps
	for _, w := range fine[1:] {
		for _, c := range coarse[1:] {
			if c.Name != w.Name || len(c.Real) < 2 {
				continue
			}
			least := leastV
			if strings.HasPrefix(w.Name, "i(") {
				least = leastI
			}
			if distanceTran(coarse[0].Real, c.Real, fine[0].Real[begin:], w.Real[begin:],
				peakToPeak(w.Real[begin:], least),
				window{shift: shift}) <= limit {
				kept = append(kept, w)
			} else {
				others = append(others, w.Name)
			}
		}
	}
	return kept, others
}

// corpusDistance returns the distance between a result and its reference at their common points,
// and the vector with the largest distance. ngspice loses the last point of some sweeps by
// rounding, and a run of this simulator may end at its budget.
func corpusDistance(got *spice.Result, want []ngspice.Vector,
	how directives) (float64, string, error) {
	if got.Analysis == "op" {
		return distance(got, want, how)
	}
	ours, theirs := got.Vectors[0].Values, want[0].Real
	if got.Analysis == "tran" {
		end := len(theirs)
		for end > 0 && theirs[end-1] > ours[len(ours)-1]*(1+1e-9) {
			end--
		}
		// ngspice has no error control in its first two steps.
		begin := min(3, end)
		cut := make([]ngspice.Vector, len(want))
		for i, w := range want {
			w.Real = w.Real[begin:end]
			cut[i] = w
		}
		return distance(got, cut, how)
	}
	// Compare the points that ngspice also has.
	var kept []int
	for i, x := range ours {
		if k := len(kept); k < len(theirs) && math.Abs(x-theirs[k]) <= 1e-6*math.Abs(x)+1e-12 {
			kept = append(kept, i)
		}
	}
	if missing := len(ours) - len(kept); len(kept) < len(theirs) || missing > len(ours)/2 {
		return distance(got, want, how)
	}
	same := *got
	same.Vectors = make([]spice.Vector, len(got.Vectors))
	for i, v := range got.Vectors {
		same.Vectors[i] = spice.Vector{Name: v.Name, Unit: v.Unit}
		for _, k := range kept {
			same.Vectors[i].Values = append(same.Vectors[i].Values, v.Values[k])
		}
	}
	return distance(&same, want, how)
}
