package analysis

// Constants of the error estimate (refine.go).
const (
	// errorGoal is the largest estimated error of a result, a fraction of peak-to-peak.
	errorGoal = 0.005
	// firstTol is the factor on the LTE tolerance in the first run.
	firstTol = 20.0
	// firstTolAutonomous is firstTol for autonomous circuits.
	firstTolAutonomous = 60.0
	// tolDivisor is the ratio of the tolerances of the first and the second run.
	tolDivisor = 40.0
	// tolDivisorLinear is tolDivisor for linear circuits.
	tolDivisorLinear = 10.0
	// tolDivisorAutonomous is tolDivisor for autonomous circuits.
	tolDivisorAutonomous = 30.0
	// leastCut is the smallest factor on the tolerance from one refinement to the next.
	leastCut = 1.0 / 8
	// leastCutFar is leastCut where the estimate is above 20 times the goal.
	leastCutFar = 1.0 / 64
	// stuckEstimate is the fraction of the last estimate above which a refinement counts as
	// unsuccessful. Two of them end the refinement.
	stuckEstimate = 0.7
	// eventDrift is the allowed shift of an event, a fraction of the elapsed time.
	eventDrift = 2e-5
	// periodEventTolerance is the allowed shift of an event in an aligned oscillation, a fraction
	// of the period.
	periodEventTolerance = 0.003
	// periodJitter is the largest relative deviation of a period from the mean that counts as a
	// lasting oscillation.
	periodJitter = 0.05
)

// Constants of the step size (stepper.go, order.go, breakpoints.go).
const (
	// firstMaxStepScale is the factor on the largest step in the first run.
	firstMaxStepScale = 2.0
	// stepsPerDuration is the duration divided by the default largest step.
	stepsPerDuration = 100.0
	// minStepRatio is the smallest step divided by the largest.
	minStepRatio = 1e-11
	// firstStepRatio is the step after a breakpoint, a fraction of the shortest of the largest step,
	// firstStepOfStop and the time to the next breakpoint.
	firstStepRatio = 2.5e-4
	// firstStepOfStop limits the step after a breakpoint, a fraction of the stop time.
	firstStepOfStop = 1e-3
	// stepSafety is the step factor where the error equals the tolerance.
	stepSafety = 0.8
	// maxGrowth is the largest ratio of two steps for formulas of order 1 and 2.
	maxGrowth = 3.0
	// maxGrowthBDF is maxGrowth for BDF of order 3 and 4.
	maxGrowthBDF = 2.0
	// maxGrowthESDIRK is maxGrowth for ESDIRK.
	maxGrowthESDIRK = 5.0
	// minGrowthBDF is the smallest ratio by which BDF of order 3 and 4 lengthens the step.
	minGrowthBDF = 1.2
	// minGrowthLinear is minGrowthBDF for linear circuits, where a new step is a factorization.
	minGrowthLinear = 1.7
	// rejectError is the error, relative to its tolerance, that rejects a step.
	rejectError = 2.0
	// orderCheckSteps is the number of steps between two checks of a lower order.
	orderCheckSteps = 4
	// raiseOrderFactor is the factor on the step of a higher order in the choice of the order.
	raiseOrderFactor = 0.9
)

// Constants of the local truncation error (lte.go).
const (
	// slowSwing is the fraction of the duration above which the shortest time to cover a charge's
	// range makes it slow.
	slowSwing = 0.01
	// slowTolScale is the factor on the tolerance of a slow charge.
	slowTolScale = 0.03
	// minRange is the least range of a charge, a fraction of its largest magnitude.
	minRange = 1e-3
	// chargeNoise is the error of a charge that Newton's method leaves, a fraction of its largest
	// magnitude.
	chargeNoise = 3e-8
)

// Constants of the chord error (chord.go).
const (
	// chordTolerance is the allowed chord error, a fraction of the range so far, at tolScale 1.
	chordTolerance = 1e-3
	// predictorTolerance is the allowed predictor error divided by the allowed chord error.
	predictorTolerance = 8
	// minOutputRange is added to the range of an output, a fraction of its present magnitude.
	minOutputRange = 1e-4
	// voltageFloor is the least range of a voltage, in units of vntol.
	voltageFloor = 100
	// currentFloor is the least range of a current, in units of abstol.
	currentFloor = 1000
	// jumpStep is the step below which a jump is drawn, a fraction of the stop time.
	jumpStep = 1e-6
)

// Constants of events, ringing and roundoff (events.go, order.go, roundoff.go).
const (
	// eventStep is the longest step with an event, a fraction of the stop time.
	eventStep = 1e-6
	// eventLead is the time from the start of that step to the event, a fraction of the step.
	eventLead = 1.0 / 32
	// dampingSteps is the number of BDF steps of order 2 after ringing.
	dampingSteps = 16
	// ringingCurrent is the least alternation that counts as ringing, in units of reltol times the
	// largest current.
	ringingCurrent = 10
	// roundoffStep is the shortest step after a loss of digits, a fraction of the stop time. A
	// shorter step whose residual is at roundoff is accepted.
	roundoffStep = 1e-6
	// foldStepDivisor is the longest step with an event divided by the step at which divergence
	// means that the solution branch ends.
	foldStepDivisor = 100
)

// Constants of Newton's method in a transient (stepper.go).
const (
	// newtonTolDivisor is the factor on the LTE tolerance divided by that on Newton's tolerances.
	newtonTolDivisor = 3
	// minNewtonTol is the smallest factor on Newton's tolerances.
	minNewtonTol = 1e-6
	// maxNewtonTol is the largest factor on Newton's tolerances, for autonomous circuits.
	maxNewtonTol = 30
	// moveTolScale is the factor on the tolerance of the last move.
	moveTolScale = 30
	// bypassStep is the step above which the last iteration may be bypassed, a fraction of the stop
	// time.
	bypassStep = 1e-6
)

// Limits of work. They change no accepted result, only whether there is one.
const (
	// maxRefinements is the largest number of runs after the first.
	maxRefinements = 7
	// refineEffort is the effort [products] of all runs above which no further one begins: 2 to 4 s
	// on a usual machine, of the 10 s allowed. It is independent of the clock.
	refineEffort = 1e9
	// effortPerDevice is the effort [products] of one evaluation of a nonlinear device.
	effortPerDevice = 100
)

// equalStepTolerance is the relative difference of steps that are equal but for rounding.
const equalStepTolerance = 1e-6
