package analysis

import "math"

// limitStep limits a step h [s] that starts at time t [s]. The step does not exceed the largest
// step and does not pass the expected event or the next breakpoint at time next [s]. atBreak
// reports whether the step ends at the breakpoint.
func (st *stepper) limitStep(t, h, next float64) (step float64, atBreak bool) {
	longest, gap := st.longestStep(t)
	st.pointGap = gap
	h = math.Max(math.Min(h, longest), st.roundoff.floor)
	var event bool
	if h, event = st.events.limit(t, h); event {
		// The formula of a step with an event must not use the history.
		st.discardHistory()
		st.order.reset()
	}
	// If less than two steps remain, halve the remainder to avoid a very short last step.
	switch rest := next - t; {
	case h >= rest-st.minStep:
		return rest, true
	case h > rest/2:
		return rest / 2, false
	}
	return h, false
}

// longestStep returns the longest allowed step [s] at time t [s]. gap is the largest allowed time
// [s] between two points of the result, which is infinite outside of intervals of .four.
func (st *stepper) longestStep(t float64) (most, gap float64) {
	most, gap = st.maxStep, math.Inf(1)
	for _, limit := range st.job.StepLimits {
		if st.radau != nil {
			// The limit applies to the points of the result behind From (addRadauPoints).
			if wait := limit.From - t; wait > st.radau.least {
				most = math.Min(most, wait)
			}
			continue
		}
		// A step must not pass the start of an interval with a smaller limit.
		longest := limit.Step
		if limit.Interpolated && limit.From <= t {
			gap = math.Min(gap, limit.Step)
			longest = st.interpolatedStep(limit.Step)
		}
		most = math.Min(most, math.Max(longest, limit.From-t))
	}
	for _, d := range st.delayed {
		most = math.Min(most, d.Delay())
	}
	return math.Max(most, st.minStep), gap
}

// firstStep returns the first step [s] after a breakpoint. length is the time [s] to the next
// breakpoint. No error control applies to this step, so it is far shorter than the largest step.
// undoFirstStep removes it if it was too long.
func (st *stepper) firstStep(length float64) float64 {
	longest := math.Min(math.Min(st.maxStep, firstStepOfStop*st.stop), length)
	return math.Max(firstStepRatio*longest, st.minStep)
}

// nextBreak returns the time [s] of the first breakpoint after time t [s].
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
	for _, d := range st.logic {
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
