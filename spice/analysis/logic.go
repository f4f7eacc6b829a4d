package analysis

import (
	"math"
	"strings"

	"slipstick/spice/device"
	"slipstick/spice/diag"
)

const (
	// logicStep is the longest time from the change of a logic input to the end of its step,
	// relative to the stop time.
	logicStep = 1e-8
	// logicRounds is the number of operating points beyond the number of logic devices before only
	// one of them changes at a time.
	logicRounds = 10
	// mostLogicChanges is the largest number of successive changes of outputs, each at most four
	// times logicStep after the last one.
	mostLogicChanges = 1000
)

// settleLogic calls solve until the outputs of the logic devices agree with their inputs at the
// solution. First all outputs change at once. If they do not settle, as in a latch whose two
// halves change together, one output changes at a time. A ring oscillator never settles. Its
// transient begins with the last solution.
func (s *sim) settleLogic(solve func() error) error {
	if len(s.logic) == 0 {
		return solve()
	}
	for _, d := range s.logic {
		d.Recall(s.load.State)
	}
	together := min(len(s.logic), 10*logicRounds) + logicRounds
	for round := range together + 3*len(s.logic) + logicRounds {
		if err := solve(); err != nil {
			return err
		}
		settled := true
		for _, d := range s.logic {
			change := round < together || settled
			if d.Settle(&s.load, change) {
				settled = false
			}
		}
		if settled {
			return nil
		}
	}
	if err := solve(); err != nil {
		return err
	}
	s.warnUnsettled()
	return nil
}

// warnUnsettled warns of outputs that contradict their inputs at an operating point. A transient
// begins with them and needs no warning.
func (s *sim) warnUnsettled() {
	if s.job.Analysis.Kind == "tran" {
		return
	}
	var names []string
	for _, d := range s.logic {
		if d.Settle(&s.load, false) {
			names = append(names, d.(device.Device).Element().Name)
		}
	}
	if len(names) > 0 {
		s.warn("the gates have no consistent levels at DC, as in an oscillator; the outputs of " +
			abbreviatedList(names) + " contradict their inputs")
	}
}

// locateLogic searches a solved step of h [s] for the first change of the input of a logic device.
// If the change is not at the end of the step, found is true, and the step must be repeated with
// the length shorter [s]. The equations do not jump within the step, so its formula is valid up to
// the change.
func (st *stepper) locateLogic(h float64) (shorter float64, found bool) {
	within := st.logicTolerance()
	first := 1.0
	for _, d := range st.logic {
		if at, ok := d.Crossing(&st.load, st.charges.past.x(0)); ok {
			first, found = math.Min(first, at), true
		}
	}
	shorter = first*h + within/2
	return shorter, found && h-first*h > within && h > 2*st.minStep
}

// logicTolerance returns the longest time [s] from the change of an input of a logic device to the
// end of the step that contains it.
func (st *stepper) logicTolerance() float64 {
	return math.Max(logicStep*st.stop, 4*st.minStep)
}

// acceptLogic updates the logic devices after an accepted step of h [s] to the time t [s]. restart
// is true if an output begins to change. Outputs that change again and again at one time are an
// error.
func (st *stepper) acceptLogic(t, h float64) (restart bool, err error) {
	if len(st.logic) == 0 {
		return false, nil
	}
	st.logicChanged = false
	var changing []string
	for _, d := range st.logic {
		changed, begins := d.Accept(&st.load, st.charges.past.x(1), t, h, st.minStep)
		if changed {
			st.logicChanged = true
		}
		if begins {
			restart = true
			changing = append(changing, d.(device.Device).Element().Name)
		}
	}
	if !restart {
		return false, nil
	}
	if st.logicChanges++; t-st.logicTime > 4*mostLogicChanges*st.logicTolerance() {
		st.logicTime, st.logicChanges = t, 0
	}
	if st.logicChanges > mostLogicChanges {
		return false, diag.At(diag.NoConvergence, st.job.Analysis.Line,
			"%s changed more than %d times from %s s to %s s; a loop of gates without a delay "+
				"oscillates: give one of them td=", strings.Join(changing, ", "), mostLogicChanges,
			short(st.logicTime), short(t))
	}
	return true, nil
}
