package analysis

import (
	"errors"
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
)

// run integrates from 0 to the stop time. It reports its progress as fractions between from and to.
// complete is false if the run ended early but has a result.
func (st *stepper) run(from, to float64) (complete bool, err error) {
	defer func() {
		needed := len(st.out.data) + st.out.width
		if st.out.bound != nil {
			needed = everything
		}
		st.allowsValues(needed)
	}()
	if err := st.prepare(); err != nil {
		return false, err
	}
	t, next := 0.0, st.nextBreak(0)
	h := st.firstStep(next)
	iterations := st.stats.NewtonIterations
	for t < st.stop-st.minStep {
		if st.iterationLimit > 0 && st.stats.NewtonIterations-iterations > st.iterationLimit {
			return false, nil
		}
		st.progress("tran", from+(to-from)*t/st.stop)
		var atBreak bool
		h, atBreak = st.limitStep(t, h, next)
		r, err := st.try(t, h)
		if errors.Is(err, errBudget) {
			if st.stopped = t; st.out.rows() > 1 {
				return false, nil
			}
		}
		if isFatal(err) {
			return false, err
		}
		if err != nil {
			failed, cause := h, err
			st.rejectedEnd = t + h
			if h, err = st.retryStep(t, h, r.next, err); err != nil {
				st.stopped = t
				return false, err
			}
			st.jump.count(t, failed, false, errors.Is(cause, errDiverged))
			continue
		}
		st.jump.count(t, h, r.accepted, false)
		if !r.accepted {
			t, h = st.reject(t, r.next)
			continue
		}
		end := t + h
		if atBreak {
			end = next
		}
		restart, err := st.finishStep(t, end, h, atBreak)
		if err != nil {
			return false, err
		}
		if t = end; st.endsEarly(t) {
			return false, nil
		}
		// In a linear circuit an unchanged step saves a factorization.
		if len(st.nonlinear) > 0 || st.radau != nil || r.next < h ||
			r.next > minGrowthLinear*h {
			h = r.next
		}
		if atBreak || restart {
			next = st.nextBreak(t)
			if start := st.job.Analysis.Start; restart || t != start || start == 0 {
				st.discardHistory()
				st.order.order = 2
				h = math.Min(h, st.firstStep(next-t))
			}
		} else if len(st.delayed)+len(st.logic) > 0 {
			next = st.nextBreak(t)
		}
	}
	return true, nil
}

// prepare computes the state at t = 0 and begins the result.
func (st *stepper) prepare() error {
	// The error that Newton's method leaves is noise in the LTE, so the tolerance of Newton's
	// method is scaled too.
	divisor := newtonTolDivisor
	if st.variation != nil {
		divisor = newtonTolDivisorCarried
	}
	st.tolerance = tolerance{scale: math.Min(1, st.tolScale/divisor), moveScale: moveTolScale}
	if err := st.begin(); err != nil {
		return err
	}
	if st.comparison != nil {
		st.comparison.begin(st)
	}
	for _, d := range st.delayed {
		d.Begin(&st.load, st.job.Analysis.UIC)
	}
	for _, d := range st.logic {
		d.Begin(&st.load, st.load.PrevState)
	}
	if st.recordFrom == 0 {
		st.out.add(0, st.x, st.chord.shown())
	}
	return nil
}

// reject prepares the next attempt after the step from time t [s] was rejected. It returns its
// start [s], which is earlier if the step before is removed too, and its length [s]. h is the
// length that the rejected step proposes.
func (st *stepper) reject(t, h float64) (from, next float64) {
	st.stats.RejectedSteps++
	if first := st.undoFirstStep(h); first > 0 {
		t -= first
		if h > first/2 {
			// The second step would otherwise be as long as the rejected one.
			h *= repeatedFirstStep
		}
	} else if last := st.undoStep(); last > 0 {
		t -= last
		h = last / maxStepCut
	}
	for _, d := range st.delayed {
		d.Rewind(t)
	}
	return t, math.Max(h, st.minStep)
}

// finishStep accepts the solved step of h [s] from time t [s] to end [s] and adds its points to the
// result. atBreak is set if it ends at a breakpoint. finishStep reports whether a logic device
// requires a restart.
func (st *stepper) finishStep(t, end, h float64, atBreak bool) (restart bool, err error) {
	start := st.job.Analysis.Start
	if st.byStages && t >= st.recordFrom-st.minStep {
		st.addStages(t, h)
	}
	st.accept(h)
	before := st.out.rows()
	if st.chord.lines > 1 && end-h >= st.recordFrom-st.minStep {
		st.addInterpolated(end, h)
	}
	if st.radau != nil {
		st.radau.singularStep = 0
		if st.byStages {
			st.radau.accept(st.x, end, h, st.stop)
			st.chord.accept(st.radau.mid)
		}
	}
	if st.recordFrom < start && end >= start-st.minStep && st.shortest == 0 {
		st.startResult()
		st.recordFrom, before = start, 0
	}
	if v := st.variation; v != nil {
		v.judgeStep(st, end, h)
	}
	if st.byStages && len(st.delayed) > 0 {
		st.acceptStages(t, h)
	}
	for _, d := range st.delayed {
		d.Accept(&st.load, end, atBreak, st.events.isolated)
	}
	st.events.isolated = false
	if restart, err = st.acceptLogic(end, h); err != nil {
		return false, err
	}
	if end >= st.recordFrom-st.minStep {
		st.out.add(end, st.x, st.chord.shown())
	}
	st.lastRows = st.out.rows() - before
	return restart, nil
}

// endsEarly reports whether a finer or a damped run is better than the rest of this one after time
// t [s].
func (st *stepper) endsEarly(t float64) bool {
	if st.stats.TimeSteps%stepsPerCheck != 0 {
		return false
	}
	if st.tooCoarse(t) {
		return true
	}
	if st.tooSlow(t) {
		st.stopped = t
		return true
	}
	return false
}

// retryStep returns a shorter step [s] after a step of h [s] at time t [s] failed with err. shorter
// is the step proposed by the failed attempt. If a shorter step cannot help, retryStep returns an
// error.
func (st *stepper) retryStep(t, h, shorter float64, err error) (float64, error) {
	g := &st.roundoff
	st.stats.RejectedSteps++
	if r := st.radau; r != nil && h < radauCheckedStep*st.stop && g.singular(err) {
		if h <= r.singularStep { // a breakpoint does not allow a longer step
			return 0, st.stepTooSmall(t, err)
		}
		r.singularStep, r.least = h, 4*h
		return r.least, nil
	}
	if st.esdirk != nil && g.floor == 0 && h < g.limit && g.singular(err) {
		return g.floor, nil
	}
	if errors.Is(err, errDiverged) {
		if longer := st.leaveJump(t, h <= st.minStep*1.01); longer > 0 {
			return longer, nil
		}
	}
	if h <= st.minStep*1.01 {
		return 0, st.stepTooSmall(t, err)
	}
	return math.Max(shorter, st.minStep), nil
}

// leaveJump returns jumpControl.longer. If this is a step, leaveJump discards the history, because
// its noise would enter the step.
func (st *stepper) leaveJump(t float64, noise bool) (longer float64) {
	if longer = st.jump.longer(t, noise); longer > 0 {
		copy(st.x, st.charges.past.x(0))
		st.discardHistory()
		st.order.reset()
	}
	return longer
}

// stepTooSmall returns the error for a time step below the smallest step at time t [s]. err is the
// error of the failed step. After the start, roundoff can make the matrix of so short a step
// singular, although the circuit has a solution.
func (st *stepper) stepTooSmall(t float64, err error) error {
	var singular *mna.SingularError
	if !errors.Is(err, errDiverged) && (t == 0 || !errors.As(err, &singular)) {
		return err
	}
	return diag.At(diag.NoConvergence, st.job.Analysis.Line,
		"the time step fell below %s s at %s s%s",
		short(st.minStep), short(t), st.worstResidual(err))
}

// undoFirstStep removes the unchecked first step after a breakpoint if the second step shows that
// it was too long. next is the step [s] proposed for the second step. It returns the length [s] of
// the removed step, or 0.
func (st *stepper) undoFirstStep(next float64) float64 {
	p := &st.charges.past
	h := p.h[0]
	if p.points != 2 || next >= h || h <= st.minStep*4 || st.foldJumped || st.logicChanged ||
		st.shortest > 0 || st.undone {
		return 0
	}
	st.undo()
	return h
}

// undoStep removes the last step if it contains a kink. The LTE of the next step then allows only a
// far shorter one. A kink after the last step would allow steps up to it. undoStep returns the
// length [s] of the removed step, or 0.
func (st *stepper) undoStep() float64 {
	p := &st.charges.past
	h := p.h[0]
	if st.lteStep == 0 || h < undoRatio*st.lteStep || h < jumpStep*st.stop || p.points < 3 ||
		st.undone || st.foldJumped || st.shortest > 0 || st.autonomous ||
		len(st.delayed)+len(st.logic) > 0 {
		return 0
	}
	if n := st.out.rows(); n > 0 && (st.lastRows < 1 || n == st.lastRows) {
		return 0 // rows have been decimated, or the result begins with this step
	}
	st.undo()
	p.points = min(p.points, historyDepth) // the history has lost the point before these
	return h
}

// undo removes the last point from the history and from the result.
func (st *stepper) undo() {
	p := &st.charges.past
	p.pop()
	st.rejectedEnd = 0
	if v := st.variation; v != nil {
		v.charges.past.pop()
		v.dropRow(st.out)
		if v.phase != nil {
			v.phase.dropRow()
		}
		v.load.PrevState = v.charges.past.states[0]
	}
	st.load.PrevState = p.states[0]
	copy(st.x, p.x(0))
	st.out.drop(max(1, st.lastRows))
	st.undone = true
}

// accept adds the present solution to the history after a step of h [s].
func (st *stepper) accept(h float64) {
	s, l, q := st.sim, &st.load, &st.charges
	s.stats.TimeSteps++
	st.accepted++
	st.undone = false
	if v := st.variation; v != nil {
		v.advance(st, h, st.formula, st.residual)
	}
	st.lte.accept(q.now)
	if h > jumpStep*st.stop && l.Time > settled*st.stop {
		st.chord.drawn = max(st.chord.drawn, st.chord.lineError*st.chord.scale*chordTolerance)
	}
	st.chord.accept(s.x)
	l.State, q.now = q.past.push(l.State, q.now, s.x, h)
	l.PrevState = q.past.states[0]
	st.lte.acceptCurrents(q.past.current(0))
	if s.stats.TimeSteps&15 == 0 {
		st.setRoundoff()
		st.lte.scaleSlowCharges()
	}
	st.order.dampRinging(q, &st.lte, s.opt.Abstol)
}

// discardHistory makes the next step the first one after a breakpoint.
func (st *stepper) discardHistory() { st.charges.past.points, st.rejectedEnd = 1, 0 }

// restart discards the history except for the present states.
func (st *stepper) restart() {
	st.rejectedEnd = 0
	st.charges.past.restart(st.load.State, st.x)
	st.load.PrevState = st.charges.past.states[0]
}
