package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"slipstick/spice/device"
	"slipstick/spice/diag"
)

// tran runs the .tran analysis: a coarse run, and finer runs that estimate its error (refine.go).
func (s *sim) tran() (*Output, error) {
	if err := s.checkTran(); err != nil {
		return nil, err
	}
	columns, vecs := s.columns()
	width := len(columns) + 1
	traces, traced := s.newTraces("time")
	if len(traced) > 0 {
		columns = append(columns, traced[1:]...)
	}
	arranged := arrange(columns)
	tolScale, divisor := s.firstTolerance()
	first := s.newStepper(arranged.index, tolScale, firstMaxStepScale)
	first.mayAbort = true
	first.mayBeDamped = first.recordForDamping()
	if c := first.newComparison(1 / divisor); c != nil {
		first.comparison = c
		defer c.stop()
	}
	complete, err := first.run(0, firstProgress)
	if err == nil && first.aborted > 0 {
		first, complete, err = s.replaceAborted(first)
	}
	if err == nil && first.slow {
		first, complete, err = s.replaceSlow(first)
	}
	if errors.Is(err, errBudget) && first.stopped > 0 && first.endsBeforeStart() {
		return nil, s.noResult(first)
	}
	best := first
	switch {
	case isNoConvergence(err):
		best, err = s.replaceFailed(first, err)
	case err != nil:
	case complete && first.shortest > 0:
	case complete:
		best, err = s.refine(first, 1/divisor)
	case first.stopped > 0:
		best, err = s.completeDamped(first)
	}
	if err != nil {
		return nil, err
	}
	s.warnUnstable(best)
	s.warnRoundoff(best.chord.affectedVectors(columns, vecs))
	if t := best.jump.first; t > 0 {
		s.warn(fmt.Sprintf("the jump at %s s is shorter than %s s, and its spikes are not "+
			"resolved; capacitances at the nodes of the inductors, such as cjo of the diodes, "+
			"make it longer",
			short(t), short(jumpStep*best.stop)))
	}
	out := arranged.derive(best.out)
	out.split(width, traces)
	decimatedTraces := out.bound != nil
	out.applyWindow(s.job.Window)
	out.decimate(s.opt.PointsMax)
	decimated := s.decimated(out, vecs)
	return &Output{Vectors: out.vectors(vecs), Traces: traces, TracesDecimated: decimatedTraces,
		Decimated: decimated}, nil
}

// endsBeforeStart reports whether the budget ended the run before the start time of the result.
func (st *stepper) endsBeforeStart() bool { return st.stopped < st.job.Analysis.Start }

// noResult returns the error for a run that the budget ended before the start time of the result.
func (s *sim) noResult(st *stepper) error {
	a := s.job.Analysis
	return diag.At(diag.NoConvergence, a.Line, "the %s ended the transient at %.3g s, before its "+
		"start time %.3g s; use an earlier start time, a larger step or a shorter run",
		s.limit(), st.stopped, a.Start)
}

// replaceAborted replaces a run that ended early with a finer run st. If the finer run fails or
// takes too many iterations, it repeats the first run to completion. complete is false if the
// budget ended this run.
func (s *sim) replaceAborted(aborted *stepper) (st *stepper, complete bool, err error) {
	tolRatio := nextTolRatio(aborted.aborted, aborted.richardson(), leastCarriedTolRatio)
	st = s.finer(aborted, tolRatio, 0, 0)
	st.recordForDamping()
	st.out.data = aborted.out.data[:0]
	st.iterationLimit = aborted.finerLimit
	st.chord.includeRoundoff(aborted.chord.largestRoundoff)
	s.discarded = s.stats.NewtonIterations
	complete, err = st.run(repeatedProgress, firstProgress)
	if complete && err == nil || isCanceled(err) {
		st.iterationLimit = 0
		return st, complete, err
	}
	if err == nil && st.stopped > 0 {
		return st, false, nil
	}
	s.discarded = s.stats.NewtonIterations
	st = s.newStepper(aborted.chord.shown(), aborted.tolScale, aborted.maxStepScale)
	st.origin = aborted.origin
	st.recordForDamping()
	st.chord.includeRoundoff(aborted.chord.largestRoundoff)
	complete, err = st.run(repeatedProgress, firstProgress)
	return st, complete, err
}

// checkTran rejects a .tran card that requires too many steps and limits its print step.
func (s *sim) checkTran() error {
	a := s.job.Analysis
	if r := a.Stop / a.MaxStep; a.MaxStep > 0 && r > maxTimeRatio {
		return hopeless(a.Line, ".tran asks for %.6g time steps (stop over %s); "+
			"at most %.6g are allowed", r, cmp.Or(a.MaxStepPlace, "largest step"), maxTimeRatio)
	}
	if a.Stop/a.Step > maxTimeRatio {
		step := a.Stop / maxTimeRatio
		s.warn(fmt.Sprintf("line %d: the time step of .tran is %g s instead of %g s: "+
			"at most %g steps are made, and the error sets their length",
			a.Line, step, a.Step, float64(maxTimeRatio)))
		s.job.Analysis.Step = step
	}
	for _, f := range s.job.StepLimits {
		if r := (a.Stop - f.From) / f.Step; r > maxLimitedSteps {
			return hopeless(a.Line, ".fft or .four asks for %.6g time steps from the start of its "+
				"window to the stop time; at most %.6g are allowed: let .tran end with the window",
				r, maxLimitedSteps)
		}
	}
	for _, d := range s.delayed {
		if r := a.Stop / d.Delay(); r > maxDelays {
			return hopeless(a.Line, ".tran asks for %.6g times the delay of %s; at most %.6g are "+
				"allowed: use a shorter run or a longer delay", r,
				distributedName(d.(device.Device)), maxDelays)
		}
	}
	return nil
}

// decimated lists the vectors that the remaining rows do not draw faithfully. It adds a warning
// with the number of rows and the error bounds.
func (s *sim) decimated(t *table, vecs []Vector) (list []Decimated) {
	bound, extremesOnly := t.worst()
	if bound == 0 && !extremesOnly {
		return nil
	}
	var drawn, extremes []string
	best := 0.0 // largest error bound of the other vectors
	for k := range vecs {
		switch b := t.bound[k+1]; {
		case t.extremesOnly[k+1]:
			list = append(list, Decimated{Vector: vecs[k].Name, Extremes: true})
			extremes = append(extremes, vecs[k].Name)
		case b > 1.01*faithful:
			list = append(list, Decimated{Vector: vecs[k].Name, Bound: b})
			drawn = append(drawn, fmt.Sprintf("%s (%.2g %%)", vecs[k].Name, 100*b))
		default:
			best = math.Max(best, b)
		}
	}
	const advice = "; look at less time (tstart), at fewer vectors, or raise points_max"
	switch {
	case len(extremes) == len(vecs):
		s.warn(
			fmt.Sprintf("the curves oscillate too often for %d points: kept are the smallest and "+
				"largest values of every vector in short intervals, not the curve between them"+advice,
				t.rows()))
	case len(list) == 0 || len(drawn) == len(vecs) && !extremesOnly:
		s.warn(
			fmt.Sprintf("time points were decimated to %d; straight lines between them are within "+
				"%.2g %% of each vector's peak-to-peak value", t.rows(), 100*bound))
	default:
		text := fmt.Sprintf(
			"time points were decimated to %d; straight lines between them are within "+
				"%.2g %% of the peak-to-peak value of every vector", t.rows(), 100*best)
		if len(list) == len(vecs) {
			text = fmt.Sprintf("time points were decimated to %d", t.rows())
		}
		if len(drawn) > 0 {
			text += "; the error is larger for " + abbreviatedList(drawn)
		}
		if len(extremes) > 0 {
			text += "; too many oscillations to draw: " + abbreviatedList(extremes) +
				", with the smallest and largest values in short intervals, " +
				"not the curve between them"
		}
		s.warn(text + advice)
	}
	return list
}

// abbreviatedList joins the names and abbreviates a list of more than ten names.
func abbreviatedList(names []string) string {
	if n := len(names) - 10; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:10], ", "), n)
	}
	return strings.Join(names, ", ")
}
