package analysis

import "math"

// limitStep shortens a step of h [s] from t on to the largest step, the expected event and the next
// breakpoint. atBreak is true if the step ends at the breakpoint.
func (st *stepper) limitStep(t, h, next float64) (step float64, atBreak bool) {
	h = math.Max(math.Min(h, st.longestStep(t)), st.roundoff.floor)
	h = st.events.limit(t, h)
	// A remainder shorter than two steps is halved to avoid a very short last step.
	switch rest := next - t; {
	case h >= rest-st.minStep:
		return rest, true
	case h > rest/2:
		return rest / 2, false
	}
	return h, false
}

// longestStep returns the largest step [s] at t.
func (st *stepper) longestStep(t float64) float64 {
	most := st.maxStep
	for _, fine := range st.job.Fine {
		// The step must not pass over the start of a part with short steps.
		most = math.Min(most, math.Max(fine.Step, fine.From-t))
	}
	for _, d := range st.delayed {
		most = math.Min(most, d.Delay())
	}
	return math.Max(most, st.minStep)
}

// firstStep returns the step [s] after a breakpoint, given the time to the next one. Nothing checks
// it, so it is far below the largest step. undoFirstStep removes it when it was too long.
func (st *stepper) firstStep(length float64) float64 {
	longest := math.Min(math.Min(st.maxStep, firstStepOfStop*st.stop), length)
	return math.Max(firstStepRatio*longest, st.minStep)
}

// nextBreak returns the first breakpoint [s] after t.
func (st *stepper) nextBreak(t float64) float64 {
	next := st.stop
	if s := st.job.Analysis.Start; s > t+st.minStep && s < next {
		next = s
	}
	if s := st.job.Analysis.Startup; s > t+st.minStep && s < next {
		next = s
	}
	for _, d := range st.delayed {
		if b := d.NextBreak(t + st.minStep); b < next {
			next = b
		}
	}
	for _, d := range st.timed {
		if b := d.NextBreak(t + st.minStep); b > t+st.minStep && b < next {
			next = b
		}
	}
	return next
}
