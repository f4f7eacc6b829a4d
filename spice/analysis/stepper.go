package analysis

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// stepper is one transient run from 0 to the stop time.
//
// Every breakpoint of a waveform is a time point and restarts the history. The first step after it
// is a very short backward Euler step. The following steps use the trapezoidal rule or BDF
// (order.go), or in a linear circuit radau or esdirk. Three controllers limit the step: lteControl,
// chordControl and eventControl.
type stepper struct {
	*sim
	tolerance            // tolerance factors of Newton's method
	tolScale     float64 // factor on the LTE tolerance
	maxStepScale float64 // factor on the largest step
	stop         float64 // stop time [s]
	minStep      float64 // smallest step [s]
	maxStep      float64 // largest step [s]
	accepted     int     // accepted time steps of this run
	// maximum number of Newton iterations of a refinement run; 0 for no limit in the first run
	iterationLimit int
	dense          bool // set if the result of the circuit may be interpolated within steps
	autonomous     bool // set if isAutonomous holds for the circuit
	foldJumped     bool // set if foldJump produced the last point
	byStages       bool // set if esdirk or radau computed the last step
	charges        charges
	lte            lteControl
	chord          chordControl
	events         eventControl
	eventScale     float64 // factor on the longest step with an event, apart from expressions
	pulses         pulseControl
	jumps          discontinuityControl
	logicChanged   bool    // a logic device changed its state at the last point
	logicTime      float64 // time [s] of the last change of a logic device
	logicChanges   int     // number of successive changes without a significant step between them
	order          orderControl
	resonance      resonanceControl
	roundoff       roundoffGuard
	conditioning   conditioning
	differences    []*difference // see setRoundoff; nil before its first call
	sourceCharges  [][]int       // numbers of the charges at the source of each output
	esdirk         *esdirk       // nil for multistep formulas and radau
	radau          *radau        // nil for all other formulas
	out            *table
	recordFrom     float64 // time [s] from which points are added to the result
	mayAbort       bool    // the run may end early in favour of a finer one
	// aborted is the carried error, relative to peak-to-peak, that ended the run early. It is 0
	// otherwise.
	aborted    float64
	finerLimit int // largest number of iterations of the finer run
	// mayBeDamped is set if the run may end early in favour of a damped one, and slow if it has.
	// dampingFailed is set if a damped run did not reproduce the run that this one repeats.
	mayBeDamped, slow, dampingFailed bool
	half                             struct{ iterations, time float64 } // see tooSlow
	needed                           float64                            // predicted iterations
	// stopped is the time [s] at which the budget ended the run. It is 0 otherwise.
	stopped float64
	// shortest is the length [s] below which the LTE and the chord error do not reject a step of a
	// damped run. It is 0 in other runs.
	shortest float64
	// pointGap is the largest time [s] between two points of the result in an interval of .four. It
	// is infinite outside of them.
	pointGap float64
	// rejectedEnd is the end [s] of the last step that diverged or was rejected for its error, or 0
	// after a restart.
	rejectedEnd float64
	// lteStep is the step [s] that the LTE of the last attempt allows. It is 0 unless the LTE has
	// rejected this attempt.
	lteStep   float64
	lastRows  int  // number of rows that the last multistep step has added to the result
	undone    bool // the last step has been removed, and no step has been accepted since
	jump      jumpControl
	variation *variation // nil if the run does not carry its error
	formula   integrator // formula of the last solved multistep step
	residual  bool       // sim.f holds the residual of the last step (newtonResult.residual)
	origin    *snapshot  // operating point of an earlier run; nil in the first run
	// comparison is the second run if its tolerance does not depend on this run; nil otherwise
	comparison *comparison
}

// stepResult reports whether a step was accepted, and the length [s] of the next step or attempt.
type stepResult struct {
	accepted bool
	next     float64
}

// newStepper prepares a run. outputs holds the indices of the unknowns in the result. tolScale and
// maxStepScale are factors on the tolerance and on the largest step.
func (s *sim) newStepper(outputs []int, tolScale, maxStepScale float64) *stepper {
	a := s.job.Analysis
	st := &stepper{sim: s, tolScale: tolScale, maxStepScale: maxStepScale, stop: a.Stop,
		recordFrom: a.Start, autonomous: s.isAutonomous()}
	sine := math.Inf(1) // largest step [s] of the fastest sine
	for _, d := range s.timed {
		sine = math.Min(sine, d.MaxStep())
	}
	lasting := s.hasLastingResonance(sine)
	st.initStepRange(sine, lasting)
	st.initErrorControl(outputs)
	st.initEventControl()
	st.resonance = newResonanceControl(&st.lte, st.autonomous && !s.isPassive(), sine)
	st.initIntegrator(len(outputs), sine, lasting)
	st.startResult()
	return st
}

// initStepRange sets the smallest and the largest step. sine is the largest step [s] of the fastest
// sine, and lasting is set if the circuit has a lasting resonance.
func (st *stepper) initStepRange(sine float64, lasting bool) {
	a := st.job.Analysis
	st.maxStep = a.MaxStep
	if st.maxStep == 0 {
		st.maxStep = (a.Stop - a.Start) / stepsPerDuration
	}
	st.maxStep = math.Min(st.maxStep, sine)
	scale := st.maxStepScale
	if lasting {
		scale *= resonantStep
	}
	st.maxStep = math.Min(st.maxStep*scale, a.Stop/2)
	st.minStep = math.Max(minStepRatio*st.maxStep,
		8*(math.Nextafter(a.Stop, math.Inf(1))-a.Stop))
	st.roundoff.limit = roundoffStep * st.stop
	if len(st.setup.Fluxes) > 0 && !st.autonomous {
		st.jump.stop = st.stop
	}
}

// initErrorControl prepares the charges and the controllers of the LTE and the chord error.
func (st *stepper) initErrorControl(outputs []int) {
	s, n := st.sim, len(st.setup.Charges)
	st.charges = newCharges(s.setup.States, s.n+1, s.setup.Charges, s.load.History)
	st.lte = newLTEControl(n, st.tolScale, s.opt, st.stop)
	for k, state := range s.setup.Charges {
		st.lte.floor[k] = math.Abs(s.setup.Fluxes[state]) * currentFloor * s.opt.Abstol
	}
	controlled := slices.Clone(outputs)
	for _, d := range s.delayed {
		if i := d.HiddenInput(); i > 0 {
			controlled = append(controlled, i)
		}
	}
	floor := make([]float64, len(controlled))
	st.chord = newChordControl(controlled, len(outputs), s.n+1,
		math.Cbrt(st.tolScale*st.tolScale), floor)
	for k, i := range controlled {
		floor[k] = voltageFloor * s.opt.Vntol
		if st.chord.branch[k] = s.branch[i]; s.branch[i] {
			floor[k] = currentFloor * s.opt.Abstol
		}
	}
	st.sourceCharges, st.chord.noiseStep = s.sourceCharges(controlled), sourceNoiseStep*st.stop
	st.dense = n > 0 && len(s.delayed) == 0 && (len(s.setup.Fluxes) == 0 || s.isPassive())
}

// initEventControl prepares the location of events, discontinuities and pulses.
func (st *stepper) initEventControl() {
	scale := 1.0
	for _, d := range st.nonlinear {
		if strings.IndexByte("qmjz", d.Element().Kind) >= 0 {
			scale = transistorEventStep
		}
	}
	st.eventScale = scale
	st.jumps = newDiscontinuityControl(st.nonlinear)
	if len(st.jumps.sources) > 0 {
		scale = min(scale, discontinuityStep)
	}
	st.events = newEventControl(st.eventDevices, scale, st.stop, st.minStep)
	st.pulses = newPulseControl(st.nonlinear, st.job.Analysis.Step, st.stop)
}

// initIntegrator selects the integration formulas and prepares the carried error if the run has
// one. outputs is the number of unknowns in the result. sine and lasting are those of
// initStepRange.
func (st *stepper) initIntegrator(outputs int, sine float64, lasting bool) {
	s := st.sim
	st.order = orderControl{gear: s.opt.Gear,
		max: maxOrder(s.opt.MaxOrd, len(s.setup.Fluxes), st.autonomous)}
	if lasting {
		st.order.max = min(st.order.max, 2)
	}
	if st.autonomous && st.tolScale == carriedTolFETs {
		// At this tolerance the amplitude error of order 4 can exceed its LTE.
		st.order.max = min(st.order.max, 3)
	}
	if len(s.nonlinear) == 0 && !s.opt.Gear && s.opt.MaxOrd >= 4 {
		if st.radau = newRadau(s, st.tolScale/firstTolLinear, outputs); st.radau != nil {
			st.configureRadau(sine)
		} else {
			st.esdirk = newESDIRK(len(s.setup.Charges), s.n+1)
		}
	}
	if s.carriesError() {
		st.variation = newVariation(s, outputs)
	}
	switch {
	case st.variation != nil && st.autonomous:
		st.chord.scale = min(st.chord.scale, mostChord)
	case st.variation != nil:
		st.chord.scale *= carriedChord
	}
}

// startResult begins an empty result.
func (st *stepper) startResult() {
	st.out = &table{width: st.chord.columns + 1, limit: st.job.Budget.Numbers, stop: st.stop,
		first: firstRows}
}

// configureRadau sets the largest step of radau and the largest time between two points of the
// result. Its steps may be longer than this time. sine is the largest step [s] that resolves the
// sources.
func (st *stepper) configureRadau(sine float64) {
	a := st.job.Analysis
	st.radau.gap, st.radau.least = st.maxStep, max(radauLeastStep*st.stop, st.minStep)
	most := (a.Stop - a.Start) / radauStepsPerDuration
	if a.MaxStep > 0 {
		st.radau.gap = min(st.radau.gap, a.MaxStep)
		most = radauMaxStep * a.MaxStep
	}
	st.maxStep = min(most, radauSineStep*sine, a.Stop/2)
	st.chord.scale = radauChord
}

// try solves one step of h [s] that starts at time t [s].
func (st *stepper) try(t, h float64) (stepResult, error) {
	if r := st.radau; r != nil {
		// A step that is shorter than r.least ends at a breakpoint.
		if st.byStages = st.charges.past.points >= 2 && h > r.least/2; st.byStages {
			return st.tryRadau(t, h)
		}
		return st.tryMultistep(t, h)
	}
	if st.byStages = st.esdirk != nil && st.charges.past.points >= 2; st.byStages {
		return st.tryStages(t, h)
	}
	return st.tryMultistep(t, h)
}

// applyFormula sets the companion currents of stage k in a step of h [s]. It returns the time of
// the stage as a fraction of the step.
func (st *stepper) applyFormula(f integrator, k int, h float64) (at float64) {
	st.load.A0, at = f.companion(k, h, &st.charges)
	return at
}

// tryMultistep attempts a step of h [s] from time t [s] with the trapezoidal rule or BDF.
func (st *stepper) tryMultistep(t, h float64) (stepResult, error) {
	s, l, p := st.sim, &st.load, &st.charges.past
	f := st.order.formula(p.points)
	st.lteStep = 0
	st.chord.divide(0, 0)
	st.chord.curve = 0
	if st.radau != nil {
		f = bdf{k: 1} // the history has no currents
	}
	st.formula = f
	if p.points > 2 {
		st.foldJumped = false
	}
	st.applyFormula(f, 0, h)
	l.Time = t + h
	copy(l.State, l.PrevState)
	st.predict(h, f.order())
	st.chord.predict(s.x)
	if h > st.events.step {
		if at, found := st.jumps.locate(p.x(0), s.x, t, t+h, st.events.lead/2); found {
			return st.isolateEvent(t, h, at, f, true), nil
		}
	}
	// The very short steps after a breakpoint do not use bypass, so they end with an evaluated
	// residual. Steps that resolve a ringing use it, except after a rejected or diverged step.
	options := newtonOptions{iterations: s.opt.Itl4, tolerance: st.tolerance,
		bypass: s.bypassDevices != nil && (h > bypassStep*st.stop ||
			st.resonance.angle > bypassAngle && h >= p.h[0])}
	r, err := s.newton(options)
	if options.strict && errors.Is(err, errDiverged) {
		// A discontinuous expression may have no solution with such residuals.
		options.strict = false
		copy(l.State, l.PrevState)
		st.predict(h, f.order())
		r, err = s.newton(options)
	}
	// A diverged step is retried with a shorter one. Divergence at a very short step means that the
	// solution branch has ended.
	if errors.Is(err, errDiverged) && h <= st.events.step/foldStepDivisor {
		var atPole *pole
		cause := st.foldJump(h)
		if cause == nil {
			return stepResult{true, h}, nil
		}
		if isFatal(cause) || errors.As(cause, &atPole) {
			err = cause
		}
	}
	if err == nil {
		err = s.poleError()
	}
	if err != nil {
		copy(s.x, p.x(0))
		st.order.reset()
		return stepResult{false, h / 8}, err
	}
	st.residual = r.residual
	for _, d := range s.storage {
		d.Update(l)
	}
	f.solved(0, &st.charges, l.State, s.x)
	if at, found := st.jumps.locate(p.x(0), s.x, t, t+h, st.events.lead/2); found {
		return st.isolateEvent(t, h, at, f, true), nil
	}
	if at, found := st.events.locate(l, p.x(0)); found {
		return st.isolateEvent(t, h, at, f, false), nil
	}
	if at, found := st.pulses.find(p.x(0), s.x, t, t+h); found {
		copy(s.x, p.x(0))
		return stepResult{false, at * h}, nil
	}
	if shorter, found := st.locateLogic(h); found {
		copy(s.x, p.x(0))
		return stepResult{false, shorter}, nil
	}
	if st.radau != nil {
		return stepResult{true, max(st.radau.restartStep, st.radau.least, maxGrowth*h)}, nil
	}
	return st.judgeMultistep(h, f, r.atRoundoff), nil
}

// judgeMultistep applies the three step criteria to a solved multistep step: LTE, predictor error
// and chord error. It accepts or rejects the step of h [s] with formula f and selects the length of
// the next step. atRoundoff reports a residual at the roundoff level.
func (st *stepper) judgeMultistep(h float64, f integrator, atRoundoff bool) stepResult {
	s, p := st.sim, &st.charges.past
	lte := st.localError(h, f)
	lteStep := st.order.next(h, lte, f, p,
		func(g integrator) float64 { return st.localError(h, g) })
	if st.resonance.lasts(h, &st.charges, &st.lte) && st.order.order > 2 {
		st.order.stabilize()
		lteStep = min(lteStep, h)
	}
	chord, predictor := 0.0, 0.0
	if st.chord.now = 0; p.points >= 3 {
		if st.conditioning.update(s, &st.chord) {
			st.strict = true
		}
		chord, predictor = st.chord.outputError(s.x, h, p.h[0])
		st.conditioning.count(h, st.stop, chord)
	}
	worst, next := lte, lteStep
	if f.order() > 2 && predictor > 1 {
		// The waveform has a kink inside the step, which high-order formulas would round off.
		st.order.reset()
		next = min(next, h/2)
		worst = max(worst, predictor)
	}
	if chord > 0 {
		lineError, chordStep := st.judgeChord(h, f, chord, predictor)
		worst, next = max(worst, lineError), min(next, chordStep)
	}
	if atRoundoff && h < roundoffStep*st.stop {
		return st.judgeAtRoundoff(h, worst, lte, lteStep)
	}
	if worst > rejectError && h > max(st.minStep, st.roundoff.floor, st.shortest)*1.01 {
		copy(s.x, p.x(0))
		if st.rejectedEnd = s.load.Time; lte > rejectError {
			st.lteStep = lteStep
		}
		return stepResult{false, max(next, h/st.largestStepCut())}
	}
	if st.shortest > 0 {
		return stepResult{true, max(next, min(st.shortest, maxGrowth*h), h/4)}
	}
	if ahead := st.rejectedEnd - s.load.Time; ahead > 0 && ahead < maxEventStepCut*h {
		// A longer step would fail where the rejected one did. This extends the rule against growth
		// directly after a rejection (Hairer, Nørsett and Wanner, Solving Ordinary Differential
		// Equations I, section II.4). Steps that an event has made far shorter may grow.
		next = min(next, h)
	}
	return stepResult{true, max(next, h/4)}
}

// judgeChord returns the error of the straight lines in a step of h [s] with formula f, relative to
// the chord tolerance. It also returns the longest next step [s] that this error allows. The error
// is 0 if it must not reject the step. judgeChord also selects the number of lines. chord and
// predictor are the errors of the step, relative to their tolerances.
func (st *stepper) judgeChord(h float64, f integrator, chord, predictor float64) (worst,
	next float64) {
	lineError := chord
	if chord > kinkGrowth*st.chord.last {
		// Just before a kink the chord error was small. The chord can then miss half of the
		// prediction error instead of an eighth.
		lineError *= kinkGrowth
	}
	next = stepSafety * h / math.Sqrt(lineError)
	if curve := st.curveError(h, f, chord, predictor); curve < lineError {
		lineError = curve
		next = max(next, scaledStep(h, curve, f.order(), maxGrowthCurve))
	}
	// Shorter steps than jumpStep cannot resolve a jump. Its chord error neither rejects them
	// nor keeps them from growing.
	least := jumpStep * st.stop
	next = max(next, least)
	if h > least {
		worst = lineError
	}
	st.chord.divide(chord, lineError)
	lines := math.Ceil(h/st.pointGap - equalStepTolerance)
	if lines <= 1 {
		return worst, next
	}
	most := min(rejectError, kinkGrowth*st.chord.lastCurve)
	if !st.interpolates(h, f) || st.chord.curve > most {
		// The polynomial does not describe the step.
		return max(worst, 2*rejectError), min(next, st.pointGap)
	}
	st.chord.lines = max(st.chord.lines, int(lines))
	st.chord.lineError = max(st.chord.lineError, st.chord.curve)
	return worst, next
}

// judgeAtRoundoff judges a step of h [s] whose residual is at the roundoff level. With large
// capacitors or inductors a shorter step only adds roundoff error. The step is therefore accepted
// unless leaveJump finds a longer one. worst is the largest error of the step, and lte the LTE,
// both relative to their tolerances. lteStep is the next step [s] that the LTE allows.
func (st *stepper) judgeAtRoundoff(h, worst, lte, lteStep float64) stepResult {
	if worst > rejectError && h < noiseStep*st.stop {
		if longer := st.leaveJump(st.load.Time-h, true); longer > 0 {
			return stepResult{false, longer}
		}
	}
	if lte > rejectError {
		return stepResult{true, maxGrowth * h}
	}
	return stepResult{true, lteStep}
}

// largestStepCut returns the largest ratio of a rejected step to the next attempt. After an event a
// small capacitance can discharge through a switch in a time far below the first step.
func (st *stepper) largestStepCut() float64 {
	if len(st.events.devices) > 0 && st.charges.past.points == 2 {
		return maxEventStepCut
	}
	return maxStepCut
}

// curveError returns the error of the result inside a solved step of h [s] that the interpolation
// polynomial of formula f divides into straight lines. chord and predictor are the errors of the
// step, relative to their tolerances. The result is relative to the chord tolerance. It is infinite
// if the polynomial does not describe the step.
func (st *stepper) curveError(h float64, f integrator, chord, predictor float64) float64 {
	if !st.interpolates(h, f) {
		return math.Inf(1)
	}
	c := &st.chord
	c.curve = curveSafety * predictorTolerance * predictor *
		st.charges.past.interpolationRatio(h, f.order())
	if c.curve > kinkGrowth*c.lastCurve {
		// The polynomial does not describe a kink, so its error can be as large as the prediction
		// error.
		return predictorTolerance * predictor
	}
	return max(c.curve, chord/(maxLines*maxLines))
}

// localError returns the LTE of formula f for the solved step, relative to the tolerances. The
// first two points after a breakpoint have no third difference, so they are treated as backward
// Euler steps. So is a step after a far longer one, because a kink inside it hardly affects a third
// difference over the longer steps. Steps that resolve a jump in a circuit with switches have the
// tolerance of eventTol if the run carries its error. The result is 0 if the jump is not resolved.
func (st *stepper) localError(h float64, f integrator) float64 {
	q := &st.charges
	if q.past.points < 2 || st.jump.skips(h) {
		return 0
	}
	if q.past.points < 3 || q.past.h[0] > unevenSteps*h {
		f = bdf{k: 1}
	}
	c, a, b := f.lte(h, q)
	st.lte.setStep(h)
	r := st.lte.ratio(c, a, b, q.now)
	if st.variation != nil && len(st.events.devices) > 0 && h < jumpStep*st.stop {
		r *= max(1, st.tolScale/eventTol)
	}
	return r
}

// tryStages attempts a step of h [s] from time t [s] of a linear circuit with ESDIRK.
func (st *stepper) tryStages(t, h float64) (stepResult, error) {
	s, l, q, g := st.sim, &st.load, &st.charges, st.esdirk
	for k := range g.stages() {
		l.Time = t + st.applyFormula(g, k, h)*h
		_, err := s.newton(newtonOptions{iterations: s.opt.Itl4, tolerance: st.tolerance})
		if err != nil {
			copy(s.x, q.past.x(0))
			st.byStages = false
			return stepResult{false, h / 8}, err
		}
		for _, d := range s.storage {
			d.Update(l)
		}
		g.solved(k, q, l.State, s.x)
	}
	c, a, b := g.lte(h, q)
	r := st.lte.ratio(c, a, b, q.now)
	next := scaledStep(h, r, 3, maxGrowthESDIRK)
	st.chord.now = g.chordError(&st.chord, q.past.x(0), s.x)
	st.chord.divide(st.chord.now, st.chord.now)
	if chord := st.chord.now; chord > 0 {
		least := math.Min(h, jumpStep*st.stop)
		next = math.Min(next, math.Max(stepSafety*h/math.Sqrt(chord), least))
		if h > least {
			r = math.Max(r, chord)
		}
	}
	if r > rejectError && h > math.Max(st.minStep, st.roundoff.floor)*1.01 {
		st.roundoff.reject(t, h, r)
		copy(s.x, q.past.x(0))
		return stepResult{false, math.Max(next, h/maxStepCut)}, nil
	}
	return stepResult{true, math.Max(next, h/4)}, nil
}

// addStages adds the inner stages of a step of h [s] from time t [s] to the result, in order of
// time.
func (st *stepper) addStages(t, h float64) {
	if st.radau != nil {
		st.addRadauPoints(t, h)
		return
	}
	for _, i := range innerStages {
		st.out.add(t+st.esdirk.at[i]*h, st.esdirk.x[i], st.chord.shown())
	}
}

// acceptStages adds the inner stages of a step of h [s] from time t [s] to the histories of the
// lines. The interpolation between the ends of long steps has a far larger error.
func (st *stepper) acceptStages(t, h float64) {
	l := &st.load
	for _, i := range innerStages {
		l.X = st.esdirk.x[i]
		for _, d := range st.delayed {
			d.AcceptStage(l, t+st.esdirk.at[i]*h)
		}
	}
	l.X = st.x
}
