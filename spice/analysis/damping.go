package analysis

import (
	"fmt"
	"math"
)

// A diode that ends the current of an inductor leaves its junction capacitance to ring with the
// inductor. Without a snubber the ringing has a quality factor of hundreds to thousands, and a run
// that resolves every period can exceed the budget after a fraction of the duration. A damped run
// then takes its place: its steps are not shorter than dampedStep, and BDF of order 2 damps
// whatever such steps do not resolve. Mean values and slow waveforms keep their accuracy.

// tooSlow reports whether the first run will exceed the budget at its present pace and a damped run
// can replace it. In this case it sets st.slow. t is the time [s] of the last point. The decision
// depends on the limit of the whole request, not on how much earlier analyses have left.
func (st *stepper) tooSlow(t float64) bool {
	part := float64(st.stats.NewtonIterations) / float64(st.total.Newton)
	if part < slowAfter || part > slowUntil || part*st.stop < slowPace*t || !st.canBeDamped() {
		return false
	}
	st.slow = t
	return true
}

// canBeDamped reports whether a damped run can replace this run. Oscillators need their ringing.
// Logic devices and lines locate their edges with short steps.
func (st *stepper) canBeDamped() bool {
	return st.mayAbort && len(st.nonlinear) > 0 && len(st.setup.Fluxes) > 0 && !st.autonomous &&
		len(st.delayed)+len(st.logic) == 0
}

// setDamping makes the run a damped one.
func (st *stepper) setDamping() {
	st.roundoff.floor = dampedStep * st.stop
	st.order.gear, st.order.max = true, 2
	st.variation = nil
}

// replaceSlow replaces a first run that tooSlow ended. The error of the damped run is its
// difference from the first run, as far as that has come. If the damped run fails, does not
// complete or changes mean values, replaceSlow returns the first run.
func (s *sim) replaceSlow(first *stepper) (*stepper, error) {
	st := s.newStepper(first.chord.shown(), first.tolScale, first.maxStepScale)
	st.origin = first.origin
	st.setDamping()
	complete, err := st.run(0.3, 1)
	if isCanceled(err) {
		return nil, err
	}
	means := math.Inf(1)
	if err == nil && complete {
		means = first.out.meanDifference(st.out, first.chord.floor)
	}
	if means > acceptedError {
		s.warn(fmt.Sprintf("stopped at %.3g s of %.3g s: the run would exceed the limit of %d "+
			"Newton iterations; use a larger step or a shorter run", first.slow, first.stop,
			s.total.Newton))
		return first, nil
	}
	difference := first.out.normalizedDifference(st.out, alignment{drift: s.eventTolerance()},
		first.chord.floor)
	s.publishError(max(difference, st.chord.drawn))
	s.warn(fmt.Sprintf("%s is damped numerically, because resolving it takes more than %d Newton "+
		"iterations; until %.3g s mean values differ by at most %.2g %% of peak-to-peak from the "+
		"resolved waveforms, and single values by the estimated error; a shorter run or a "+
		"snubber, such as R and C in series across a diode, avoids this", s.ringing(first),
		s.total.Newton, first.slow, 100*means))
	return st, nil
}

// meanDifference returns the largest difference between the mean values of two tables over the time
// of the first, relative to each vector's peak-to-peak value. The second table covers more time.
// floor holds the lower limit of each peak-to-peak value.
func (t *table) meanDifference(longer *table, floor []float64) (worst float64) {
	if t.rows() < 2 {
		return 0
	}
	end := t.data[len(t.data)-t.width]
	lo, hi := t.ranges()
	own, other := t.means(end), longer.means(end)
	for c := 1; c < t.width; c++ {
		worst = max(worst, math.Abs(own[c]-other[c])/max(hi[c]-lo[c], floor[c-1]))
	}
	return worst
}

// means returns the mean value of each vector from the first row to a time [s], by the trapezoidal
// rule.
func (t *table) means(until float64) []float64 {
	w, sum := t.width, make([]float64, t.width)
	begin := t.data[0]
	for r := 1; r < t.rows() && t.data[(r-1)*w] < until; r++ {
		last, row := t.data[(r-1)*w:r*w], t.data[r*w:(r+1)*w]
		h := row[0] - last[0]
		part := 1.0 // part of the interval before the end
		if row[0] > until {
			part = (until - last[0]) / h
		}
		for c := 1; c < w; c++ {
			sum[c] += part * h * (last[c] + part/2*(row[c]-last[c]))
		}
	}
	for c := range sum {
		sum[c] /= until - begin
	}
	return sum
}

// ringing describes the fastest ringing of a run: the node voltage with the most turning points.
func (s *sim) ringing(st *stepper) string {
	t, w := st.out, st.out.width
	most, name := 0, ""
	for k, i := range st.chord.shown() {
		if s.branch[i] {
			continue
		}
		turns, last := 0, 0.0
		for r := 1; r < t.rows(); r++ {
			move := t.data[r*w+k+1] - t.data[(r-1)*w+k+1]
			if move*last < 0 {
				turns++
			}
			if move != 0 {
				last = move
			}
		}
		if turns > most {
			most, name = turns, s.setup.Unknowns[i].Name
		}
	}
	if most == 0 {
		return "ringing"
	}
	return fmt.Sprintf("the ringing of v(%s)", name)
}
