package analysis

// Each constant has its unit and the effect of half and of double its value on 16 transients of the
// repository (make tune-spice): the change of the Newton iterations, as a geometric mean, and the
// largest error against ngspice. With the values below these are about 67,000 iterations and 0.68
// %, at the spikes of a converter's input current. Rows with 0.70 % at both sides are of
// earlier values of the other constants. "same" means identical results. A step has 1.2 to 1.3
// iterations, in linear circuits five.

// Constants of the error estimate (refine.go).
const (
	// errorGoal is the target error for the tolerance of a further run, relative to peak-to-peak.
	// Half: +13.6 %, 0.68 %. Double: -0.3 %, 0.70 %.
	errorGoal = 0.005
	// firstTol is the factor on the LTE tolerance in the first run.
	// Half: +3.4 %, 0.70 %. Double: -4.1 %, 0.94 %.
	firstTol = 20.0
	// firstTolLinear is firstTol for linear circuits. Its run only serves the estimate: the error
	// of the second run follows from the difference.
	// Half: +4.3 %, 0.70 %. Double: -1.8 %, 0.70 %.
	firstTolLinear = 70.0
	// firstTolAutonomous is firstTol for autonomous circuits.
	// Half: -0.6 %, 0.70 %. Double: +0.0 %, 0.70 %.
	firstTolAutonomous = 60.0
	// carriedTol is firstTol for circuits whose runs carry their error.
	// Half: +6.1 %, 0.68 %. Double: +2.4 %, 0.96 %.
	carriedTol = 2.0
	// carriedTolAutonomous is carriedTol for autonomous circuits.
	// Half: +1.3 %, 0.68 %. Double: -0.4 %, 0.68 %.
	carriedTolAutonomous = 8.0
	// carriedTolEvents is carriedTol for circuits with switches.
	// Half: +0.7 %, 0.70 %. Double: -0.4 %, 0.94 %.
	carriedTolEvents = 0.5
	// carriedDivisor is the ratio of the tolerances of a run whose carried error is not valid and
	// of the next. Half and double: same.
	carriedDivisor = 10.0
	// phaseMargin is the factor on the carried error of autonomous circuits.
	// Half: -2.9 %, 0.68 %. Double: -0.2 %, 0.68 %.
	phaseMargin = 1.4
	// abortError is the carried error that ends the first run, relative to peak-to-peak. Half: -0.6
	// %, 0.68 %. Double: +2.3 %, 0.68 %.
	abortError = 0.012
	// abortAfter is the fraction of the duration before which no run ends so.
	// Half: +23.5 %, 0.70 %. Double: same.
	abortAfter = 0.2
	// abortInterval is the time between two checks of abortError in autonomous circuits, relative
	// to the duration. Half: -0.1 %, 0.68 %. Double: +0.4 %, 0.68 %.
	abortInterval = 0.1
	// finerEffort is the largest effort of the run that follows, relative to the whole first run.
	// Half and double: same.
	finerEffort = 4.0
	// carriedChord is the factor on chordTolerance in runs that carry their error, except for
	// autonomous circuits.
	// Half: +9.8 %, 0.68 %. Double: +4.4 %, 0.68 %.
	carriedChord = 0.3
	// mostChord is the largest factor on chordTolerance in autonomous circuits whose runs carry
	// their error.
	// Half: +0.4 %, 0.68 %. Double: -0.0 %, 0.68 %.
	mostChord = 2.5
	// leastCarriedCut is leastCut after a run that carries its error.
	// Half: +0.4 %, 0.70 %. Double: -0.4 %, 0.70 %.
	leastCarriedCut = 1.0 / 32
	// shiftedError is a threshold relative to the ranges so far. A larger error component along the
	// derivative of the solution is removed from the carried error. Half and double: same.
	shiftedError = 0.0005
	// leastSpeed is the minimum speed on the orbit for this projection, relative to the mean speed.
	// Half: -0.0 %, 0.70 %. Double: +0.0 %, 0.70 %.
	leastSpeed = 0.3
	// linearRange is the largest usable carried error, relative to peak-to-peak. A larger carried
	// error can be below a fifth of the true error. Half and double: same.
	linearRange = 0.035
	// fastEdge is the largest ratio of the slope of a voltage to the slope of the sources at which
	// the carried error counts. It excludes schmitt_cmos (280) and latch_bjt (36); logic has up to
	// 22. Half: same. Double: -4.9 %, 0.70 %.
	fastEdge = 30.0
	// leastEdge is the smallest voltage swing [V] whose edges fastEdge considers.
	// Half and double: same.
	leastEdge = 1e-3
	// leastCarried is the least carried error that is published. It covers the drawing of the
	// curves and the rest that Newton's method leaves, which are not carried. Half and double:
	// same.
	leastCarried = 5e-4
	// windowRows is the largest number of rows before and after a point within which its value may
	// be early or late. It bounds the work. Half and double: same.
	windowRows = 200
	// acceptedError is the largest estimated error, relative to peak-to-peak, at which no further
	// run follows. Half and double: same.
	acceptedError = 0.01
	// settled is the fraction of the duration after which the range so far counts as the final
	// range of the outputs. Half and double: same.
	settled = 0.05
	// kinkGain is the largest relative increase of the carried LTE at kinks.
	// Half: +0.0 %, 0.70 %. Double: -0.6 %, 0.70 %.
	kinkGain = 1.5
	// tolDivisor is the ratio of the tolerances of the first and the second run.
	// Half: -0.3 %, 0.94 %. Double: +0.4 %, 0.70 %.
	tolDivisor = 40.0
	// tolDivisorLinear is tolDivisor for linear circuits.
	// Half: -0.8 %, 0.70 %. Double: +3.5 %, 0.70 %.
	tolDivisorLinear = 13.0
	// tolDivisorAutonomous is tolDivisor for autonomous circuits.
	// Half: +0.2 %, 0.70 %. Double: -0.2 %, 0.70 %.
	tolDivisorAutonomous = 30.0
	// leastCut is the smallest factor on the tolerance from one refinement to the next.
	// Half and double: same.
	leastCut = 1.0 / 8
	// leastCutFar is leastCut where the estimate is above 20 times the goal.
	// Half: +0.3 %, 0.70 %. Double: -0.4 %, 0.70 %.
	leastCutFar = 1.0 / 64
	// stuckEstimate is the fraction of the last estimate above which a refinement counts as
	// unsuccessful. Two of them end the refinement.
	// Half and double: same.
	stuckEstimate = 0.7
	// eventDrift is the allowed shift of an event, relative to the elapsed time. Half and double:
	// same.
	eventDrift = 2e-5
	// periodEventTolerance is the allowed shift of an event in an aligned oscillation, relative to
	// the period. Half: +0.0 %, 0.70 %. Double: +0.0 %, 0.70 %.
	periodEventTolerance = 0.003
	// periodJitter is the largest relative deviation of a period from the mean that counts as a
	// lasting oscillation.
	// Half and double: same.
	periodJitter = 0.05
)

// Constants of the step size (stepper.go, order.go, breakpoints.go).
const (
	// firstMaxStepScale is the factor on the largest step in the first run.
	// Half: -6.3 %, 0.71 %. Double: -2.8 %, 99.90 %.
	firstMaxStepScale = 2.0
	// stepsPerDuration is the duration divided by the default largest step.
	// Half: -1.1 %, 99.90 %. Double: -3.0 %, 0.71 %.
	stepsPerDuration = 100.0
	// minStepRatio is the smallest step divided by the largest.
	// Half and double: same.
	minStepRatio = 1e-11
	// firstStepRatio is the step after a breakpoint as a fraction of a limit. The limit is the
	// minimum of the largest step, firstStepOfStop and the time to the next breakpoint. Half: +1.4
	// %, 0.68 %. Double: +5.5 %, 0.68 %.
	firstStepRatio = 2.5e-4
	// firstStepOfStop limits the step after a breakpoint, relative to the stop time. Half: +2.1 %,
	// 0.68 %. Double: +1.8 %, 0.68 %.
	firstStepOfStop = 1e-3
	// stepSafety is the step factor where the error equals the tolerance.
	// Half: +25.7 %, 0.95 %. Double: +51398.2 %, 100.00 %.
	stepSafety = 0.8
	// maxGrowth is the largest ratio of two steps for formulas of order 1 and 2.
	// Half: +42.5 %, 147.00 %. Double: +4.8 %, 1.04 %.
	maxGrowth = 3.0
	// maxGrowthBDF is maxGrowth for BDF of order 3 and 4.
	// Half: +509.6 %, 3.96 %. Double: +48.9 %, 99.90 %.
	maxGrowthBDF = 2.0
	// maxGrowthESDIRK is maxGrowth for ESDIRK.
	// Half: +0.1 %, 0.70 %. Double: +0.2 %, 0.70 %.
	maxGrowthESDIRK = 5.0
	// minGrowthBDF is the smallest ratio by which BDF of order 3 and 4 lengthens the step.
	// Half: +3.0 %, 0.70 %. Double: +2367.3 %, 100.00 %.
	minGrowthBDF = 1.2
	// minGrowthLinear is minGrowthBDF for linear circuits, where a new step is a factorization.
	// Half: -4.8 %, 0.70 %. Double: +6.9 %, 0.70 %.
	minGrowthLinear = 1.7
	// rejectError is the error, relative to its tolerance, that rejects a step.
	// Half: -0.7 %, 0.68 %. Double: -5.0 %, 0.99 %.
	rejectError = 2.0
	// orderCheckSteps is the number of steps between two checks of a lower order.
	// Half: +3.8 %, 0.70 %. Double: -2.0 %, 0.68 %.
	orderCheckSteps = 4
	// raiseOrderFactor is the factor on the step of a higher order in the choice of the order.
	// Half: +10.5 %, 0.68 %. Double: +40.9 %, 151.00 %.
	raiseOrderFactor = 0.9
)

// Constants of the local truncation error (lte.go).
const (
	// slowSwing is the fraction of the duration above which the shortest time to cover a charge's
	// range makes it slow.
	// Half: +0.1 %, 0.70 %. Double: -5.4 %, 0.70 %.
	slowSwing = 0.01
	// slowTolScale is the factor on the tolerance of a slow charge.
	// Half: +1.9 %, 0.70 %. Double: -4.3 %, 0.70 %.
	slowTolScale = 0.03
	// minRange is the lower limit of the range of a charge, relative to its largest magnitude.
	// Half: +0.4 %, 0.70 %. Double: +0.5 %, 0.70 %.
	minRange = 1e-3
	// chargeNoise is the error of a charge that Newton's method leaves, relative to the largest
	// magnitude of the charge. Half: +0.0 %, 0.70 %. Double: -0.0 %, 0.70 %.
	chargeNoise = 3e-8
)

// Constants of the chord error (chord.go).
const (
	// chordTolerance is the allowed chord error at tolScale 1, relative to the range so far. Half:
	// +17.7 %, 0.68 %. Double: +3.9 %, 1.37 %.
	chordTolerance = 1e-3
	// predictorTolerance is the allowed predictor error divided by the allowed chord error.
	// Half: -0.4 %, 0.68 %. Double: +1.1 %, 0.68 %.
	predictorTolerance = 8
	// minOutputRange is the amount added to the range of an output, relative to its present
	// magnitude. Half: +1.6 %, 0.68 %. Double: -2.2 %, 0.68 %.
	minOutputRange = 1e-4
	// voltageFloor is the least range of a voltage, in units of vntol.
	// Half: +2.1 %, 0.70 %. Double: +3.0 %, 0.69 %.
	voltageFloor = 100
	// currentFloor is the least range of a current, in units of abstol.
	// Half: -0.7 %, 0.69 %. Double: -0.9 %, 0.68 %.
	currentFloor = 1000
	// firstRows is the number of rows that the result of a first run has room for at first.
	// Half and double: same.
	firstRows = 2000
	// jumpStep is the step below which a jump is drawn, relative to the stop time. Half: +2.5 %,
	// 0.68 %. Double: -4.2 %, 0.68 %.
	jumpStep = 1e-6
)

// Constants of events, ringing and roundoff (events.go, order.go, roundoff.go).
const (
	// eventStep is the longest step that may contain an event, relative to the stop time. Half:
	// -0.6 %, 1.21 %. Double: -0.8 %, 0.70 %.
	eventStep = 1e-6
	// eventLead is the time from the start of that step to the event, relative to the step. Half:
	// -0.6 %, 0.70 %. Double: -1.0 %, 0.70 %.
	eventLead = 1.0 / 32
	// dampingSteps is the number of BDF steps of order 2 after ringing.
	// Half: -0.1 %, 0.68 %. Double: +2.1 %, 0.68 %.
	dampingSteps = 16
	// ringingCurrent is the least alternation that counts as ringing, in units of reltol times the
	// largest current.
	// Half: +3.1 %, 0.68 %. Double: +0.7 %, 0.78 %.
	ringingCurrent = 10
	// roundoffStep is the shortest step after a loss of digits, relative to the stop time. A
	// shorter step whose residual is at roundoff is accepted. Half: +2.6 %, 0.70 %. Double: +3.0 %,
	// 0.70 %.
	roundoffStep = 1e-6
	// foldStepDivisor is the longest step with an event divided by the step at which divergence
	// means that the solution branch ends.
	// Half and double: same.
	foldStepDivisor = 100
)

// Constants of Newton's method in a transient (stepper.go).
const (
	// newtonTolDivisor is the factor on the LTE tolerance divided by that on Newton's tolerances.
	// Half: -0.1 %, 0.70 %. Double: +0.1 %, 0.70 %.
	newtonTolDivisor = 3.0
	// newtonTolDivisorCarried is newtonTolDivisor for runs that carry their error, which does not
	// show the error that Newton's method leaves.
	// Half: -1.0 %, 0.68 %. Double: +0.0 %, 0.81 %.
	newtonTolDivisorCarried = 8.0
	// autonomousDivisor is newtonTolDivisorCarried for autonomous circuits.
	// Half: -0.6 %, 0.68 %. Double: -0.1 %, 0.70 %.
	autonomousDivisor = 4.0
	// maxNewtonTol is the largest factor on Newton's tolerances, for autonomous circuits.
	// Half and double: same.
	maxNewtonTol = 30
	// moveTolScale is the factor on the tolerance of the last move.
	// Half: +0.4 %, 0.70 %. Double: +2.0 %, 0.70 %.
	moveTolScale = 30
	// bypassStep is the step above which the last iteration may be bypassed, relative to the stop
	// time. Half: +4.9 %, 0.74 %. Double: +4.1 %, 0.70 %.
	bypassStep = 1e-6
)

// Effort limits. They decide whether a result is found and never change its value.
const (
	// maxRefinements is the largest number of runs after the first.
	// Half and double: same.
	maxRefinements = 7
	// refineEffort is the effort [products] of all runs above which no further run begins, with the
	// default budget: 2 to 4 s on a usual machine, of the 10 s allowed. It is independent of the
	// clock.
	// Half and double: same.
	refineEffort = 1e9
	// effortPerDevice is the effort [products] of one evaluation of a nonlinear device.
	// Half and double: same.
	effortPerDevice = 100
)

// equalStepTolerance is the relative difference up to which steps count as equal, to allow for
// rounding. Half and double: same.
const equalStepTolerance = 1e-6
