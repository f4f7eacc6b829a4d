package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/device"
)

// A diode that ends the current of an inductor leaves its junction capacitance to ring with the
// inductor. Without a snubber the ringing has a quality factor of hundreds to thousands. A run that
// resolves every period can reach the limit of Newton iterations after a fraction of the duration.
// A damped run then takes its place. Neither the LTE nor the chord error requires steps below
// dampedStep in it. BDF of order 2 damps oscillations that such steps do not resolve. It also
// replaces a run that failed, because without a junction capacitance there is only noise to
// resolve. The first run ends as soon as its progress shows that it is too slow.

// canBeDamped reports whether a damped run can replace this run. Steps of dampedStep must resolve
// the sources. The nonlinear devices must be diodes, switches, and MOSFETs that pulse sources
// drive. Logic devices, lines and expressions need short steps for their edges. In an oscillator
// the oscillation is the result, also if it is modulated and does not count as autonomous.
func (st *stepper) canBeDamped() bool {
	for _, d := range st.devices {
		if d.Element().BSource != nil {
			return false
		}
	}
	return len(st.nonlinear) > 0 && st.isConverter() && !st.autonomous &&
		len(st.setup.Fluxes) > 0 &&
		len(st.delayed)+len(st.logic)+len(st.job.StepLimits) == 0 &&
		st.maxStep >= dampedStep*st.stop
}

// recordForDamping reports whether a damped run can replace this run. In this case it makes the run
// record points before the start time of the result, with which the damped run is compared.
func (st *stepper) recordForDamping() bool {
	if !st.canBeDamped() {
		return false
	}
	st.recordFrom = 0
	return true
}

// covers reports whether this run, which ended at end [s], has enough rows to compare.
func (st *stepper) covers(end float64) bool {
	return st.out.rows() >= 2 && end-st.out.data[0] > dampedPart*st.stop
}

// isConverter reports whether all nonlinear devices are diodes, switches, or MOSFETs whose gates
// resistors and diodes connect to a source of many pulses.
func (s *sim) isConverter() bool {
	connected := newUnionFind(s.n + 1)
	var drivers []int
	for _, d := range s.devices {
		e := d.Element()
		if !strings.ContainsRune("rdv", rune(e.Kind)) {
			continue
		}
		a, b := s.setup.Node(e.Nodes[0]), s.setup.Node(e.Nodes[1])
		switch {
		case e.Kind != 'v' && a != 0 && b != 0:
			connected.union(a, b)
		case e.Kind == 'v' && s.pulses(d):
			drivers = append(drivers, a, b)
		}
	}
	isDriven := func(gate int) bool {
		return slices.ContainsFunc(drivers, func(node int) bool {
			return node != 0 && connected.find(node) == connected.find(gate)
		})
	}
	for _, d := range s.nonlinear {
		e := d.Element()
		_, isSwitch := d.(device.EventDevice)
		if !isSwitch && e.Kind != 'd' && !(e.Kind == 'm' && isDriven(s.setup.Node(e.Nodes[1]))) {
			return false
		}
	}
	return true
}

// pulses reports whether the waveform of a source has at least drivingEdges edges and no sine.
func (s *sim) pulses(d device.Device) bool {
	w, ok := d.(device.WaveformSource)
	if !ok || !math.IsInf(w.MaxStep(), 1) {
		return false
	}
	t := 0.0
	for range drivingEdges {
		if t = w.NextBreak(t); t >= s.job.Analysis.Stop {
			return false
		}
	}
	return true
}

// tooSlow reports whether a first run that a damped one can replace needs far more Newton
// iterations than its limit. Its progress up to time t [s] predicts their number, and in this case
// tooSlow sets st.slow. The prediction becomes more accurate with time. The progress since half of
// slowCheck counts, because the start of a converter may ring more than the rest.
func (st *stepper) tooSlow(t float64) bool {
	if !st.mayBeDamped {
		return false
	}
	limit := min(float64(st.total.Newton), st.longestRefinement())
	used := float64(st.stats.NewtonIterations)
	if used < slowCheck/2*limit {
		st.half.iterations, st.half.time = used, t
		return false
	}
	st.needed = used + (used-st.half.iterations)/(t-st.half.time)*(st.stop-t)
	st.slow = used > slowCheck*limit && st.needed > limit*(1+slowMargin*limit/used) && st.covers(t)
	return st.slow
}

// replaceSlow replaces a first run that tooSlow has ended by a damped run. If no damped run
// completes with the same mean and RMS values, it repeats the first run to the end of the budget.
// The iterations so far do not count against it. complete is false if the budget ended this run.
func (s *sim) replaceSlow(slow *stepper) (st *stepper, complete bool, err error) {
	before := s.discarded
	st, err = s.runDamped(slow, s.opt.Gmin, fmt.Sprintf("it needs about %.1g Newton iterations",
		slow.needed))
	if st != nil || err != nil {
		return st, true, err
	}
	s.discarded = s.stats.NewtonIterations
	s.job.Budget.Newton += s.discarded - before
	st = s.newStepper(slow.chord.shown(), slow.tolScale, slow.maxStepScale)
	st.origin, st.dampingFailed = slow.origin, true
	st.recordForDamping()
	st.chord.includeRoundoff(slow.chord.largestRoundoff)
	complete, err = st.run(repeatedProgress, firstProgress)
	return st, complete, err
}

// setDamping makes the run a damped one.
func (st *stepper) setDamping() {
	st.shortest = dampedStep * st.stop
	st.order.gear, st.order.max = true, 2
	st.variation = nil
}

// completeDamped replaces a first run that the budget ended by a damped run. The error of the
// damped run is its difference from the first run, up to the end of the latter. If no damped run
// completes with the same values, completeDamped returns the first run with a warning, or an error
// if it has no result.
func (s *sim) completeDamped(first *stepper) (*stepper, error) {
	limit := s.job.Budget.Newton // what earlier analyses have left
	reached := s.limit()
	if s.stats.NewtonIterations > limit && float64(limit) >= wholeBudget*float64(s.total.Newton) &&
		!first.dampingFailed && first.canBeDamped() && first.covers(first.stopped) {
		if st, err := s.runDamped(first, s.opt.Gmin, reached); st != nil || err != nil {
			return st, err
		}
	}
	if first.endsBeforeStart() {
		return nil, s.noResult(first)
	}
	s.warn(fmt.Sprintf("stopped at %.3g s of %.3g s: %s; use a larger step or a shorter run",
		first.stopped, first.stop, reached))
	return first, nil
}

// replaceFailed replaces a first run that failed with err by a damped run with at least dampedGmin.
// An inductor whose diodes are off has no current and no capacitance at its nodes, and in short
// steps its voltage is noise. replaceFailed returns err if no damped run completes with the same
// values.
func (s *sim) replaceFailed(first *stepper, err error) (*stepper, error) {
	if !first.canBeDamped() || !first.covers(first.stopped) {
		return nil, err
	}
	gmin := max(s.opt.Gmin, dampedGmin)
	st, cause := s.runDamped(first, gmin, fmt.Sprintf(
		"its time step became too small; this one has gmin=%g", gmin))
	if st == nil && cause == nil {
		cause = err
	}
	return st, cause
}

// runDamped returns a damped run with gmin [S] in place of a first run that ended for a reason. It
// returns nil if no damped run completes with the same mean and RMS values.
func (s *sim) runDamped(first *stepper, gmin float64, reason string) (*stepper, error) {
	st, means, err := s.solveDamped(first, gmin)
	if err != nil || !(means <= acceptedError) {
		return nil, err
	}
	st.out.from(s.job.Analysis.Start)
	s.warn(fmt.Sprintf("%s is damped numerically: a run that resolves it stopped at %.3g s of "+
		"%.3g s (%s). Up to there the mean values of both runs differ by at most %.2g %% of "+
		"peak-to-peak, and single values by the estimated error. A shorter run or a snubber, such "+
		"as R and C in series across a diode, avoids this",
		s.ringing(first), first.stopped, first.stop, reason, 100*means))
	return st, nil
}

// estimateByDamping estimates the error of a complete run by its difference from a damped run with
// gmin [S]. The warning states the reason why no finer run gives the estimate. ok is false if no
// damped run completes with the same mean and RMS values.
func (s *sim) estimateByDamping(complete *stepper, gmin float64, reason string) (ok bool,
	err error) {
	if !complete.canBeDamped() || !complete.covers(complete.stop) {
		return false, nil
	}
	_, means, err := s.solveDamped(complete, gmin)
	if err != nil || !(means <= acceptedError) {
		return false, err
	}
	s.warn(fmt.Sprintf("the estimated error is the difference from a run with numerical damping "+
		"and gmin=%g: %s", gmin, reason))
	return true, nil
}

// completesDamped makes a damped run with gmin [S] and reports whether it completes.
func (s *sim) completesDamped(first *stepper, gmin float64) (st *stepper, complete bool,
	err error) {
	if first.comparison != nil {
		first.comparison.stop() // its result is not used
	}
	st = s.newStepper(first.chord.shown(), first.tolScale, first.maxStepScale)
	st.origin = first.origin
	st.recordFrom = first.recordFrom
	st.setDamping()
	s.load.Gmin = gmin
	defer func() { s.load.Gmin = s.opt.Gmin }()
	st.iterationLimit = int(dampedBudget * float64(s.total.Newton))
	if !first.slow {
		s.job.Budget.Newton += st.iterationLimit
	}
	complete, err = st.run(firstProgress, 1)
	if isCanceled(err) {
		return nil, false, err
	}
	return st, complete && err == nil, nil
}

// solveDamped makes a damped run with gmin [S] and publishes its difference from the run first as
// the estimated error. means is the largest difference of the mean values, relative to
// peak-to-peak. It is infinite if the damped run does not complete, or if the RMS values differ by
// more than dampedRMS.
func (s *sim) solveDamped(first *stepper, gmin float64) (st *stepper, means float64, err error) {
	st, complete, err := s.completesDamped(first, gmin)
	if err != nil || !complete {
		return nil, math.Inf(1), err
	}
	st.chord.includeRoundoff(first.chord.largestRoundoff)
	least := st.chord.smallestRanges()
	means, rms := first.out.momentDifferences(st.out, least)
	if rms > dampedRMS {
		return st, math.Inf(1), nil
	}
	if means <= acceptedError {
		difference, _ := first.out.normalizedDifference(st.out,
			alignment{drift: s.eventTolerance()}, least)
		s.publishError(max(difference, st.chord.drawn))
	}
	return st, means, nil
}

// momentDifferences returns the largest differences of two tables in mean values and in RMS values,
// relative to each vector's peak-to-peak value. They are those over the time of the first table.
// The second table covers more time. floor holds the lower limit of each peak-to-peak value.
func (t *table) momentDifferences(longer *table, floor []float64) (means, rms float64) {
	end := t.data[len(t.data)-t.width]
	lo, hi := t.ranges()
	mean, deviation := t.moments(end)
	otherMean, otherDeviation := longer.moments(end)
	for c := 1; c < t.width; c++ {
		// A constant vector with roundoff has no waveform to compare.
		if r := hi[c] - lo[c]; r > 1e-6*max(hi[c], -lo[c]) {
			r = max(r, floor[c-1])
			means = max(means, math.Abs(mean[c]-otherMean[c])/r)
			rms = max(rms, math.Abs(deviation[c]-otherDeviation[c])/r)
		}
	}
	return means, rms
}

// moments returns the mean value of each vector from the first row to a time [s]. It also returns
// the RMS value of its deviation from the first row. The vectors are straight lines between rows.
func (t *table) moments(until float64) (mean, deviation []float64) {
	w := t.width
	mean, deviation = make([]float64, w), make([]float64, w)
	first := t.data[:w]
	for r := 1; r < t.rows() && t.data[(r-1)*w] < until; r++ {
		last, row := t.data[(r-1)*w:r*w], t.data[r*w:(r+1)*w]
		h := row[0] - last[0]
		part := 1.0 // part of the interval before the end
		if row[0] > until {
			part = (until - last[0]) / h
		}
		for c := 1; c < w; c++ {
			a := last[c] - first[c]
			b := a + part*(row[c]-last[c])
			mean[c] += part * h * (a + b) / 2
			deviation[c] += part * h * (a*a + a*b + b*b) / 3
		}
	}
	duration := until - first[0]
	for c := 1; c < w; c++ {
		mean[c] = first[c] + mean[c]/duration
		deviation[c] = math.Sqrt(deviation[c] / duration)
	}
	return mean, deviation
}

// ringing names the ringing of a run: the voltage with the most turning points of a node without a
// voltage source. Changes below ringingChange of the range do not count.
func (s *sim) ringing(st *stepper) string {
	t, w := st.out, st.out.width
	lo, hi := t.ranges()
	driven := map[string]bool{}
	for _, d := range s.devices {
		if e := d.Element(); e.Kind == 'v' {
			driven[e.Nodes[0]], driven[e.Nodes[1]] = true, true
		}
	}
	most, name := 0, ""
	for k, i := range st.chord.shown() {
		if s.branch[i] || driven[s.setup.Unknowns[i].Name] {
			continue
		}
		turns, last, least := 0, 0.0, ringingChange*(hi[k+1]-lo[k+1])
		for r := 1; r < t.rows(); r++ {
			change := t.data[r*w+k+1] - t.data[(r-1)*w+k+1]
			if math.Abs(change) <= least {
				continue
			}
			if change*last < 0 {
				turns++
			}
			last = change
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
