package analysis

import "math"

// The comments state the effect of halving and doubling each constant on 16 transients of the
// repository (make tune-spice). The change of the iterations is the geometric mean of the change in
// Newton iterations. The error is the largest difference from ngspice, relative to peak-to-peak.
// With the values below the total is about 45,000 iterations, and the error is 0.57 %. Entries with
// 0.68 % or 0.70 % on both sides were measured without interpolation (interpolate.go), with 67,000
// iterations. An error of about 100 % means that an oscillator has another phase. A step takes 1.2
// to 1.3 iterations, or five in linear circuits.

// Constants for the error estimate (refine.go).
const (
	// errorGoal is the target error of a further run, relative to peak-to-peak. The tolerance of
	// the run follows from it. Halving errorGoal changes the iterations by +0.4 % and gives an
	// error of 0.77 %. Doubling it changes the iterations by -1.1 % and gives an error of 0.77 %.
	errorGoal = 0.005
	// firstTol is the factor on the LTE tolerance in the first run. Halving it changes the
	// iterations by +3.4 % and gives an error of 0.70 %. Doubling it changes the iterations by
	// -4.1 % and gives an error of 0.94 %.
	firstTol = 20.0
	// firstTolLinear is firstTol for linear circuits with lines. The first run of such a circuit
	// serves only to estimate the error of the second run. Halving firstTolLinear changes the
	// iterations by +4.8 % and gives an error of 0.68 %. Doubling it changes the iterations by
	// +3.6 % and gives an error of 0.68 %.
	firstTolLinear = 300.0
	// firstTolAutonomous is firstTol for autonomous circuits. Halving it changes the iterations by
	// -0.6 % and gives an error of 0.70 %. Doubling it changes the iterations by 0.0 % and gives an
	// error of 0.70 %.
	firstTolAutonomous = 60.0
	// carriedTol is firstTol for circuits whose runs propagate their error (variation.go). Halving
	// it changes the iterations by +0.7 % and gives an error of 0.83 %. Doubling it changes the
	// iterations by -0.1 % and gives an error of 0.98 %.
	carriedTol = 2.0
	// carriedTolAutonomous is carriedTol for autonomous circuits. Halving it changes the iterations
	// by +1.3 % and gives an error of 0.68 %. Doubling it changes the iterations by -0.4 % and
	// gives an error of 0.68 %.
	carriedTolAutonomous = 8.0
	// carriedTolFETs is carriedTol for autonomous circuits without inductors whose only nonlinear
	// devices are field-effect transistors: their edges are gradual. Ring oscillators take 0.65 to
	// 0.75 of the iterations of carriedTolAutonomous, with errors up to 0.29 %. Halving
	// carriedTolFETs changes the iterations by +1.3 % and gives an error of 0.68 %. Doubling it
	// changes the iterations by -1.1 % and gives an error of 0.68 %.
	carriedTolFETs = 32.0
	// carriedTolEvents is carriedTol for circuits with switches. At twice the value the carried
	// errors of k_flyback and s_inverter are a ninth of their true errors. Halving it changes the
	// iterations by +0.7 % and gives an error of 0.92 %. Doubling it changes the iterations by
	// -0.6 % and gives an error of 0.63 %.
	carriedTolEvents = 1.4
	// eventTol is the largest factor on the LTE tolerance in circuits with switches for steps below
	// jumpStep, in runs that carry their error. Such steps resolve the current spikes that switches
	// cause in sources. The carried error does not include the errors of these spikes. Halving it
	// changes the iterations by -0.1 % and gives an error of 0.63 %. Doubling it changes the
	// iterations by -0.3 % and gives an error of 0.81 %.
	eventTol = 0.35
	// carriedDivisor is the ratio of the tolerances of two successive runs if the carried error of
	// the first is not valid. Halving or doubling it has no effect.
	carriedDivisor = 10.0
	// phaseMargin is the safety factor on the carried error of autonomous circuits. Halving it
	// changes the iterations by -2.9 % and gives an error of 0.68 %. Doubling it changes the
	// iterations by -0.2 % and gives an error of 0.68 %.
	phaseMargin = 1.4
	// abortError is the carried error, relative to peak-to-peak, that ends the first run. Halving
	// it changes the iterations by -0.6 % and gives an error of 0.68 %. Doubling it changes the
	// iterations by +2.3 % and gives an error of 0.68 %.
	abortError = 0.012
	// abortAfter is the fraction of the duration before which abortError does not end a run.
	// Halving it changes the iterations by +23.5 % and gives an error of 0.70 %. Doubling it has no
	// effect.
	abortAfter = 0.2
	// abortInterval is the time, relative to the duration, between two checks of abortError in
	// autonomous circuits. Halving it changes the iterations by -0.1 % and gives an error of
	// 0.68 %. Doubling it changes the iterations by +0.4 % and gives an error of 0.68 %.
	abortInterval = 0.1
	// finerEffort is the largest effort, relative to the complete first run, of the run that
	// replaces an aborted one. Halving or doubling it has no effect.
	finerEffort = 4.0
	// carriedChord is the factor on chordTolerance in runs that carry their error, except for
	// autonomous circuits. Halving it changes the iterations by +4.0 % and gives an error of
	// 0.57 %. Doubling it changes the iterations by -3.9 % and gives an error of 1.12 %.
	carriedChord = 0.3
	// mostChord is the largest factor on chordTolerance in autonomous circuits whose runs carry
	// their error. At 2.5 a long step over a kink makes an error of 1.1 % in vdp. Halving it
	// changes the iterations by -0.1 % and gives an error of 0.57 %. Doubling it changes the
	// iterations by +0.1 % and gives an error of 0.57 %.
	mostChord = 1.75
	// leastCarriedTolRatio is leastTolRatio after a run that carries its error. Halving it changes
	// the iterations by +0.4 % and gives an error of 0.70 %. Doubling it changes the iterations by
	// -0.4 % and gives an error of 0.70 %.
	leastCarriedTolRatio = 1.0 / 32
	// shiftedError is the lower limit, relative to the ranges so far, of error components that are
	// removed from the carried error. Such a component lies along the derivative of the solution.
	// Halving or doubling shiftedError has no effect.
	shiftedError = 0.0005
	// leastSpeed is the minimum speed along the orbit, relative to the mean speed, at which the
	// error component along the derivative is removed. Halving it changes the iterations by 0.0 %
	// and gives an error of 0.70 %. Doubling it changes the iterations by 0.0 % and gives an error
	// of 0.70 %.
	leastSpeed = 0.3
	// linearRange is the largest carried error, relative to peak-to-peak, that is trusted. A larger
	// value may underestimate the true error by more than a factor of five. Halving or doubling
	// linearRange has no effect.
	linearRange = 0.035
	// fastEdge is the largest edge gain (edgeGain) at which the carried error is trusted. It
	// excludes schmitt_cmos (280) and latch_bjt (36); logic circuits reach up to 22. Halving
	// fastEdge has no effect. Doubling it changes the iterations by -4.9 % and gives an error of
	// 0.70 %.
	fastEdge = 30.0
	// leastEdge is the smallest peak-to-peak voltage [V] of a node that edgeGain considers. Halving
	// or doubling it has no effect.
	leastEdge = 1e-3
	// leastCarried is the smallest carried error that is published. It covers the residual error of
	// Newton's method, which is not propagated. Halving or doubling leastCarried has no effect.
	leastCarried = 5e-4
	// windowRows limits the time window around a point to this number of rows on each side, which
	// bounds the effort. Halving or doubling it has no effect.
	windowRows = 200
	// acceptedError is the largest estimated error, relative to peak-to-peak, that requires no
	// further run. Halving or doubling it has no effect.
	acceptedError = 0.01
	// settled is the fraction of the duration after which the range so far counts as the final
	// range of an output. Halving or doubling it has no effect.
	settled = 0.05
	// kinkGain is the largest relative increase of the carried LTE at kinks. Halving it changes the
	// iterations by 0.0 % and gives an error of 0.70 %. Doubling it changes the iterations by
	// -0.6 % and gives an error of 0.70 %.
	kinkGain = 1.5
	// tolDivisor is the ratio of the tolerances of the first and the second run. Halving it changes
	// the iterations by -0.3 % and gives an error of 0.94 %. Doubling it changes the iterations by
	// +0.4 % and gives an error of 0.70 %.
	tolDivisor = 40.0
	// tolDivisorLinear is tolDivisor for linear circuits with lines. Halving it changes the
	// iterations by +4.0 % and gives an error of 0.68 %. Doubling it changes the iterations by
	// +3.9 % and gives an error of 0.68 %.
	tolDivisorLinear = 56.0
	// tolDivisorAutonomous is tolDivisor for autonomous circuits. Halving it changes the iterations
	// by +0.2 % and gives an error of 0.70 %. Doubling it changes the iterations by -0.2 % and
	// gives an error of 0.70 %.
	tolDivisorAutonomous = 30.0
	// leastTolRatio is the smallest ratio of the tolerances of two successive refinements. Halving
	// or doubling it has no effect.
	leastTolRatio = 1.0 / 8
	// leastTolRatioFar is leastTolRatio if the estimate exceeds 20 times the goal. Halving it
	// changes the iterations by +0.3 % and gives an error of 0.70 %. Doubling it changes the
	// iterations by -0.4 % and gives an error of 0.70 %.
	leastTolRatioFar = 1.0 / 64
	// stuckEstimate is the ratio of two successive estimates above which a refinement counts as
	// unsuccessful. Two unsuccessful refinements end the search. Halving or doubling stuckEstimate
	// has no effect.
	stuckEstimate = 0.7
	// eventDrift is the allowed shift of an event, relative to the elapsed time. Halving or
	// doubling it has no effect.
	eventDrift = 2e-5
	// periodEventTolerance is the allowed shift of an event in an aligned oscillation, relative to
	// the period. Halving it changes the iterations by 0.0 % and gives an error of 0.70 %. Doubling
	// it changes the iterations by 0.0 % and gives an error of 0.70 %.
	periodEventTolerance = 0.003
	// jumpSlope is the ratio of the slope of a jump to those of the curve before and after it, for
	// the error estimate. The constant affects only the estimate.
	jumpSlope = 10.0
	// leastNeighbor is the shortest line, relative to the next one, from which a curvature is
	// computed. A shorter one is the first step after a breakpoint. The constant affects only the
	// estimate.
	leastNeighbor = 1.0 / 16
	// leastLineError is the smallest error of a straight line that the estimate includes. The
	// constant affects only the estimate.
	leastLineError = 1e-4
	// periodJitter is the largest relative deviation of a period from the mean in a sustained
	// oscillation. Halving or doubling it has no effect.
	periodJitter = 0.05
)

// Constants for the step size (stepper.go, order.go, breakpoints.go).
const (
	// firstMaxStepScale is the factor on the largest step in the first run. Halving it changes the
	// iterations by -6.3 % and gives an error of 0.71 %. Doubling it changes the iterations by
	// -2.8 % and gives an error of 99.90 %.
	firstMaxStepScale = 2.0
	// stepsPerDuration is the duration divided by the default largest step. Halving it changes the
	// iterations by -1.1 % and gives an error of 99.90 %. Doubling it changes the iterations by
	// -3.0 % and gives an error of 0.71 %.
	stepsPerDuration = 100.0
	// lastingPeriods is the number of periods of a sine above which a circuit with an inductor can
	// have a lasting resonance. No circuit of the repository is affected.
	lastingPeriods = 1000.0
	// resonantStep is the factor on the largest step of a circuit with a lasting resonance.
	resonantStep = 0.25
	// minStepRatio is the smallest step divided by the largest. Halving or doubling it has no
	// effect.
	minStepRatio = 1e-11
	// firstStepRatio is the step after a breakpoint divided by a limit. The limit is the minimum of
	// the largest step, firstStepOfStop times the stop time and the time to the next breakpoint.
	// Halving firstStepRatio changes the iterations by +1.4 % and gives an error of 0.68 %.
	// Doubling it changes the iterations by +5.5 % and gives an error of 0.68 %.
	firstStepRatio = 2.5e-4
	// firstStepOfStop is one of the limits in firstStepRatio, relative to the stop time. Halving it
	// changes the iterations by +2.1 % and gives an error of 0.68 %. Doubling it changes the
	// iterations by +1.8 % and gives an error of 0.68 %.
	firstStepOfStop = 1e-3
	// repeatedFirstStep is the factor on the first step after a breakpoint when the second step is
	// rejected. Its error then requires about the length of the first step. Without the factor, the
	// second step would be as long as the rejected one. Halving it changes the iterations by -0.2 %
	// and gives an error of 0.63 %. Doubling it changes the iterations by -0.1 % and gives an error
	// of 0.63 %.
	repeatedFirstStep = 0.7
	// stepSafety is the ratio of the next step to the present step if the error equals the
	// tolerance. Halving it changes the iterations by +50.9 % and gives an error of 0.92 %.
	// Doubling it changes the iterations by +110589.6 % and gives an error of 100.00 %.
	stepSafety = 0.8
	// maxGrowth is the largest ratio of two successive steps for formulas of order 1 and 2. Halving
	// it changes the iterations by +83.1 % and gives an error of 165.00 %. Doubling it changes the
	// iterations by +1.6 % and gives an error of 0.55 %.
	maxGrowth = 3.0
	// maxGrowthBDF is maxGrowth for BDF of order 3 and 4. Halving it changes the iterations by
	// +706.2 % and gives an error of 100.00 %. Doubling it changes the iterations by +47.3 % and
	// gives an error of 57.80 %.
	maxGrowthBDF = 2.0
	// maxGrowthESDIRK is maxGrowth for ESDIRK. Halving it changes the iterations by +0.1 % and
	// gives an error of 0.70 %. Doubling it changes the iterations by +0.2 % and gives an error of
	// 0.70 %.
	maxGrowthESDIRK = 5.0
	// minGrowthBDF is the smallest factor by which BDF of order 3 or 4 lengthens a step. Halving it
	// changes the iterations by -0.8 % and gives an error of 0.57 %. Doubling it changes the
	// iterations by +3081.5 % and gives an error of 100.00 %.
	minGrowthBDF = 1.2
	// minGrowthLinear is minGrowthBDF for linear circuits, where every new step length requires a
	// factorization. Halving it changes the iterations by -4.8 % and gives an error of 0.70 %.
	// Doubling it changes the iterations by +6.9 % and gives an error of 0.70 %.
	minGrowthLinear = 1.7
	// rejectError is the error, relative to the tolerance, above which a step is rejected. Halving
	// it changes the iterations by +0.9 % and gives an error of 0.57 %. Doubling it changes the
	// iterations by -3.7 % and gives an error of 1.28 %.
	rejectError = 2.0
	// maxStepCut is the largest ratio of a rejected step to the next attempt. Halving it changes
	// the iterations by +33.2 % and gives an error of 0.76 %. Doubling it changes the iterations by
	// +0.1 % and gives an error of 0.58 %.
	maxStepCut = 10.0
	// maxEventStepCut is maxStepCut for the second step after a breakpoint or an event in circuits
	// with switches. Halving it changes the iterations by -0.6 % and gives an error of 0.63 %.
	// Doubling it changes the iterations by +0.1 % and gives an error of 0.63 %.
	maxEventStepCut = 100.0
	// unevenSteps is the ratio of a step to the next one above which the LTE of the next one is
	// that of backward Euler. A rejection or an event makes steps so uneven. Halving it changes the
	// iterations by +9.3 % and gives an error of 0.68 %. Doubling it changes the iterations by
	// +0.3 % and gives an error of 0.63 %.
	unevenSteps = 4
	// undoRatio is the ratio of a step to that which the LTE of the next one allows, above which
	// the step is repeated. Halving it changes the iterations by +0.2 % and gives an error of
	// 0.57 %. Doubling it has no effect.
	undoRatio = 20
	// orderCheckSteps is the number of steps between two checks for a lower order that allows a
	// longer step. Halving it changes the iterations by +3.8 % and gives an error of 0.70 %.
	// Doubling it changes the iterations by -2.0 % and gives an error of 0.68 %.
	orderCheckSteps = 4
	// raiseOrderFactor is the factor on the step of the next higher order when the order is
	// selected. Halving it changes the iterations by +10.5 % and gives an error of 0.68 %. Doubling
	// it changes the iterations by +40.9 % and gives an error of 151.00 %.
	raiseOrderFactor = 0.9
)

// Constants for the Radau formula (radau.go). The stated effects were measured on 47 linear
// transients of the repository. With the values below, the mean is 217 solutions and the largest
// error is 0.52 %. Where a comment gives no error, the error stays 0.52 %.
const (
	// radauTol is the largest error estimate of a step, relative to the range of the unknown.
	// Halving it changes the solutions by +4.8 % and gives an error of 0.54 %. Doubling it changes
	// the solutions by -4.9 % and gives an error of 0.49 %.
	radauTol = 2.5e-3
	// radauSpectrumTol is the factor on radauTol in transients with a Fourier analysis.
	radauSpectrumTol = 1e-3
	// radauChord is the factor on chordTolerance. Halving it gives an error of 0.49 %. Doubling it
	// gives an error of 0.67 %. It changes only the number of points.
	radauChord = 2.0
	// radauMaxLines is the largest number of lines per part of a step that the chord error
	// requires.
	radauMaxLines = 100.0
	// radauAccumulated is the accumulated error at the ends of the steps, relative to the ranges,
	// above which the tolerance is reduced. The limit is proportional to the time after
	// radauFreeTime. Halving radauAccumulated gives an error of 0.49 %. Doubling it gives an error
	// of 0.57 %.
	radauAccumulated = 1e-3
	// radauFreeTime is the fraction of the duration with a constant limit on the accumulated error.
	radauFreeTime = 0.3
	// radauTolFactor is the factor on the tolerance after a step whose error at its end exceeds its
	// share of radauAccumulated. It applies if the accumulated error exceeds its limit.
	radauTolFactor = 0.8
	// radauLeastTol is the smallest tolerance after all reductions by radauTolFactor, relative to
	// the initial tolerance. It divides the error at the end of a step by about 700.
	radauLeastTol = 0.02
	// radauMaxGrowth is the largest ratio of two successive steps. Halving it changes the solutions
	// by +2.9 %. Doubling it changes the solutions by -2.2 %.
	radauMaxGrowth = 32.0
	// radauStepsPerDuration is the duration divided by the default largest step. Halving it changes
	// the solutions by -10.4 %. Doubling it changes the solutions by +26.9 %.
	radauStepsPerDuration = 20.0
	// radauMaxStep is the largest step divided by the largest step on the card. The stages are then
	// at most about one such step apart.
	radauMaxStep = 3.0
	// radauLeastStep is the shortest step, relative to the stop time. It is roundoffStep after a
	// loss of precision.
	radauLeastStep = 1e-9
	// radauSineStep is the largest step in units of 1/StepsPerPeriod of a period of the fastest
	// sine. The largest step is thus 0.4 periods. Halving radauSineStep changes the solutions by
	// +2.5 %. Doubling it changes the solutions by -0.2 %.
	radauSineStep = 16.0
	// radauMaxAngle is the largest angle per step [rad] that the error estimate at the end of a
	// step assumes.
	radauMaxAngle = 6.0
	// radauLeastAngle is the smallest angle per step [rad] from which the amplitude of an
	// oscillation follows. radauLeastCurve is the smallest third derivative, relative to the
	// ranges.
	radauLeastAngle = 0.5
	radauLeastCurve = 1e-6
	// radauFloor is the factor on voltageFloor and currentFloor. There are no residual errors of
	// Newton's method that would cover a small signal.
	radauFloor = 1e-3
	// radauNoise is the smallest significant range, relative to the largest voltage or current.
	radauNoise = 1e-6
	// radauCache is the number of step lengths whose factors are kept.
	radauCache = 6
	// radauEqualStep is the largest relative difference between two steps that use the same
	// factors.
	radauEqualStep = 1e-10
	// radauRounds is the largest number of rounds of iterative refinement.
	radauRounds = 4
	// radauCheckedStep is the step, relative to the stop time, below which new factors are tested
	// with a known solution.
	radauCheckedStep = 1e-3
	// radauDigits is the largest error in the test of new factors with a known solution.
	radauDigits = 1e-4
	// radauSolutions is the number of solutions per step. Each counts as a Newton iteration.
	radauSolutions = 4
)

// Constants for the local truncation error (lte.go).
const (
	// slowSwing is the threshold of a slow charge: the shortest time in which it can cover its
	// range, relative to the duration. Halving it changes the iterations by +0.1 % and gives an
	// error of 0.70 %. Doubling it changes the iterations by -5.4 % and gives an error of 0.70 %.
	slowSwing = 0.01
	// slowTolScale is the factor on the tolerance of a slow charge. Halving it changes the
	// iterations by +1.9 % and gives an error of 0.70 %. Doubling it changes the iterations by
	// -4.3 % and gives an error of 0.70 %.
	slowTolScale = 0.03
	// minRange is the lower limit of the range of a charge relative to its largest magnitude.
	// Halving it changes the iterations by +0.4 % and gives an error of 0.70 %. Doubling it changes
	// the iterations by +0.5 % and gives an error of 0.70 %.
	minRange = 1e-3
	// chargeNoise is the error of a charge, relative to its largest magnitude, after Newton's
	// method has converged. Halving it changes the iterations by 0.0 % and gives an error of
	// 0.70 %. Doubling it changes the iterations by 0.0 % and gives an error of 0.70 %.
	chargeNoise = 3e-8
	// fluxNoise is the error of the voltage of an inductor, relative to its largest voltage, after
	// Newton's method has converged. None of the tuning circuits is affected. A three-phase bridge
	// without capacitances takes 12 times the iterations at 1e-7.
	fluxNoise = 1e-6
)

// Constants for the chord error (chord.go).
const (
	// chordTolerance is the allowed chord error at tolScale 1, relative to the range so far.
	// Halving it changes the iterations by +5.8 % and gives an error of 0.87 %. Doubling it changes
	// the iterations by -6.1 % and gives an error of 1.17 %.
	chordTolerance = 1e-3
	// predictorTolerance is the allowed predictor error divided by the allowed chord error. Halving
	// it changes the iterations by -0.3 % and gives an error of 1.01 %. Doubling it changes the
	// iterations by +0.1 % and gives an error of 0.86 %.
	predictorTolerance = 8
	// kinkGrowth is the ratio of the errors of two successive steps above which a kink is assumed.
	// The chord error of the second step is then multiplied by kinkGrowth, and the interpolation
	// polynomial is assumed to have the full prediction error. Halving it changes the iterations by
	// +0.1 % and gives an error of 0.68 %. Doubling it changes the iterations by -5.3 % and gives
	// an error of 0.68 %.
	kinkGrowth = 4
	// minCurveError is the lower limit of the previous error of the interpolation polynomial,
	// relative to the tolerance, in the comparison with kinkGrowth. Halving it changes the
	// iterations by -1.2 % and gives an error of 0.89 %. Doubling it changes the iterations by -3.0
	// % and gives an error of 0.87 %.
	minCurveError = 0.02
	// curveSafety is the safety factor on the error of the interpolation polynomial. Halving it
	// changes the iterations by -3.8 % and gives an error of 99.90 %. Doubling it changes the
	// iterations by +0.2 % and gives an error of 99.40 %.
	curveSafety = 2
	// maxLines is the largest number of straight lines of the result in a step. With more lines,
	// steps pass over short pulses. Halving it changes the iterations by +1.6 % and gives an error
	// of 0.68 %. Doubling it changes the iterations by +0.3 % and gives an error of 0.89 %.
	maxLines = 4
	// maxGrowthCurve is the largest growth of a step that interpolation allows. It keeps the next
	// step below the ratio of 2 that method interpolates requires. Halving it changes the
	// iterations by +7.4 % and gives an error of 0.71 %. Doubling it changes the iterations by +9.6
	// % and gives an error of 0.81 %.
	maxGrowthCurve = 1.9
	// minOutputRange is the amount added to the range of an output, relative to its present
	// magnitude. Halving it changes the iterations by +1.6 % and gives an error of 0.68 %. Doubling
	// it changes the iterations by -2.2 % and gives an error of 0.68 %.
	minOutputRange = 1e-4
	// voltageFloor is the smallest significant range of a voltage, in units of vntol. Halving it
	// changes the iterations by +2.1 % and gives an error of 0.70 %. Doubling it changes the
	// iterations by +3.0 % and gives an error of 0.69 %.
	voltageFloor = 100
	// currentFloor is the smallest significant range of a current, in units of abstol. Halving it
	// changes the iterations by -0.7 % and gives an error of 0.69 %. Doubling it changes the
	// iterations by -0.9 % and gives an error of 0.68 %.
	currentFloor = 1000
	// firstRows is the number of rows initially allocated for the result of a first run. Halving or
	// doubling it has no effect.
	firstRows = 2000
	// jumpStep is the shortest step, relative to the stop time, used to resolve a jump. Halving it
	// changes the iterations by +2.5 % and gives an error of 0.68 %. Doubling it changes the
	// iterations by -4.2 % and gives an error of 0.68 %.
	jumpStep = 1e-6
	// noiseStep is the step, relative to the stop time, below which the voltage of an inductor
	// without current can be noise.
	noiseStep = 1e-9
	// maxNoiseSteps is the number of successive attempts below noiseStep after which the LTE does
	// not limit the next ones. These are skippingSteps attempts below skippingStep, relative to the
	// stop time. Steps grow by maxGrowth, so about 20 of them lead out of a jump.
	maxNoiseSteps = 300
	skippingSteps = 50
	skippingStep  = 0.3 * jumpStep
	// maxRepeats is the largest number of longer steps after divergences in a jump.
	maxRepeats = 20
)

// Constants for pulses of expressions (pulses.go).
const (
	// leastPulsePoints and mostPulsePoints limit the number of points of a transient that are
	// searched for pulses of an expression. The search of one source takes at most 0.1 s.
	leastPulsePoints = 2e4
	mostPulsePoints  = 1e5
	// maxPulsePoints is the largest number of intervals of a step that are searched for a pulse.
	maxPulsePoints = 50.0
	// pulseSize is the smallest height of a pulse, relative to the range of the value so far.
	pulseSize = 0.1
)

// Constants for damped runs (damping.go).
const (
	// dampedStep is the length, relative to the stop time, below which neither the LTE nor the
	// chord error rejects a step of a damped run.
	dampedStep = 1e-5
	// dampedBudget is the number of Newton iterations of a damped run, relative to the limit of all
	// analyses. It suffices for 1/dampedStep steps at the default limit.
	dampedBudget = 0.15
	// dampedGmin is the least gmin [S] of a damped run that replaces a failed one. It takes 0.3 uA
	// at 325 V. With 1e-12 S some of these runs fail as well.
	dampedGmin = 1e-9
	// dampedPart is the smallest part of the duration that the resolved run must cover.
	dampedPart = 0.01
	// dampedRMS is the largest difference of the RMS values of a damped run, relative to
	// peak-to-peak. Damping of a ringing changes them little, that of an oscillator by a third.
	dampedRMS = 0.1
	// stepsPerCheck is the number of steps between checks whether a run ends early.
	stepsPerCheck = 64
	// slowCheck is the number of iterations after which the progress of a run is checked, relative
	// to its limit.
	slowCheck = 0.15
	// drivingEdges is the least number of edges of a source that drives the gate of a MOSFET in a
	// converter. A supply that is switched on has fewer.
	drivingEdges = 20
	// slowMargin is the margin of the predicted number of iterations relative to the limit. It is
	// divided by the part of the limit that the run has used.
	slowMargin = 0.2
	// wholeBudget is the smallest part of the limit of all analyses that a run must have had before
	// it is damped.
	wholeBudget = 0.9
	// ringingChange is the smallest change between two points of a ringing, relative to the range.
	ringingChange = 1e-3
)

// Constants for events, ringing and roundoff (events.go, order.go, roundoff.go).
const (
	// eventStep is the longest step, relative to the stop time, that may contain an event. Halving
	// it changes the iterations by -0.6 % and gives an error of 1.21 %. Doubling it changes the
	// iterations by -0.8 % and gives an error of 0.70 %.
	eventStep = 1e-6
	// transistorEventStep is the factor on eventStep in circuits with transistors. The edge of a
	// transistor can coincide with an event, and no control checks the error of a step with an
	// event. A step of 5 ns at 12 V changes a flux by up to 6e-8 Vs. None of the tuning circuits is
	// affected.
	transistorEventStep = 0.01
	// eventLead is the time, relative to eventStep, from the start of the step with an event to the
	// event. Halving it changes the iterations by -0.6 % and gives an error of 0.70 %. Doubling it
	// changes the iterations by -1.0 % and gives an error of 0.70 %.
	eventLead = 1.0 / 32
	// discontinuityStep is the factor on eventStep in circuits with discontinuous expressions. The
	// output of a comparator is drawn as a straight line across the step with its edge.
	discontinuityStep = 0.1
	// discontinuitySize is the smallest jump of an expression that is an event, relative to the
	// range of its values.
	discontinuitySize = 0.01
	// discontinuityPart is the smallest jump that is an event, relative to the change of the
	// expression in the step.
	discontinuityPart = 0.5
	// mostDiscontinuities is the number of events in rapid succession after which a run no longer
	// locates the jumps of expressions. The output of a comparator without hysteresis can chatter
	// in a feedback loop.
	mostDiscontinuities = 100
	// chatterSteps is the longest time between events in rapid succession, in steps with an event.
	chatterSteps = 30
	// dampingSteps is the number of steps of BDF of order 2 after ringing was detected. Halving it
	// changes the iterations by -0.1 % and gives an error of 0.68 %. Doubling it changes the
	// iterations by +2.1 % and gives an error of 0.68 %.
	dampingSteps = 16
	// ringingCurrent is the smallest alternation, in units of reltol times the largest current,
	// that counts as ringing. Halving it changes the iterations by +3.1 % and gives an error of
	// 0.68 %. Doubling it changes the iterations by +0.7 % and gives an error of 0.78 %.
	ringingCurrent = 10
	// resonantAngle is the angle [rad] of an oscillation per step above which only orders 1 and 2
	// are used.
	resonantAngle = 0.03
	// forcedHarmonic is the largest harmonic of the fastest sine of a source whose oscillation
	// counts as forced.
	forcedHarmonic = 2
	// resonantSize is the smallest fourth difference of an oscillation that counts, relative to the
	// LTE tolerance.
	resonantSize = 0.01
	// resonantMemory is the weight of a step in the sums of a flux, relative to the next one.
	resonantMemory = 0.95
	// resonantPeriods is the number of periods of a resonance after which order 2 is selected.
	resonantPeriods = 25
	// stableSteps is the number of steps of order 2 after a resonance was found.
	stableSteps = 50
	// roundoffStep is the shortest step, relative to the stop time, after a loss of precision. A
	// shorter step is accepted if its residual is at the roundoff level. Halving roundoffStep
	// changes the iterations by +2.6 % and gives an error of 0.70 %. Doubling it changes the
	// iterations by +3.0 % and gives an error of 0.70 %.
	roundoffStep = 1e-6
	// foldStepDivisor sets the step at or below which divergence means the end of a solution
	// branch: the longest step with an event divided by foldStepDivisor. Halving or doubling it has
	// no effect.
	foldStepDivisor = 100
)

// Constants for Newton's method in a transient (stepper.go).
const (
	// newtonTolDivisor is the factor on the LTE tolerance divided by the factor on the tolerances
	// of Newton's method. Halving it changes the iterations by -0.1 % and gives an error of 0.70 %.
	// Doubling it changes the iterations by +0.1 % and gives an error of 0.70 %.
	newtonTolDivisor = 3.0
	// newtonTolDivisorCarried is newtonTolDivisor for runs that propagate their error. The
	// propagated error does not include the residual error of Newton's method. Halving
	// newtonTolDivisorCarried changes the iterations by -1.0 % and gives an error of 0.68 %.
	// Doubling it changes the iterations by 0.0 % and gives an error of 0.81 %.
	newtonTolDivisorCarried = 8.0
	// autonomousDivisor is newtonTolDivisorCarried for autonomous circuits. Halving it changes the
	// iterations by -0.6 % and gives an error of 0.68 %. Doubling it changes the iterations by
	// -0.1 % and gives an error of 0.70 %.
	autonomousDivisor = 4.0
	// maxNewtonTol is the largest factor on the tolerances of Newton's method in autonomous
	// circuits. Halving or doubling it has no effect.
	maxNewtonTol = 30
	// moveTolScale is the factor on the tolerance of the last Newton correction. Halving it changes
	// the iterations by +0.4 % and gives an error of 0.70 %. Doubling it changes the iterations by
	// +2.0 % and gives an error of 0.70 %.
	moveTolScale = 30
	// bypassStep is the step, relative to the stop time, above which the last device evaluation may
	// be bypassed. Halving it changes the iterations by +4.9 % and gives an error of 0.74 %.
	// Doubling it changes the iterations by +4.1 % and gives an error of 0.70 %.
	bypassStep = 1e-6
	// bypassAngle is the angle [rad] of a resonance since the last restart above which shorter
	// steps may bypass an evaluation.
	bypassAngle = 2 * math.Pi
)

// These limits decide how many runs are made. They do not change the result of a run.
const (
	// maxRefinements is the largest number of runs after the first run. Halving or doubling it has
	// no effect.
	maxRefinements = 7
	// firstProgress is the progress at the end of the first run, as a fraction of the transient.
	// repeatedProgress is that at the start of its repetition.
	firstProgress    = 0.3
	repeatedProgress = 0.1
	// leastRefinement is the smallest limit of iterations of a run after the first run.
	leastRefinement = 1000
	// refineEffort is the total effort [multiplications] above which no further run begins, for the
	// default budget. It corresponds to 2 to 4 s of the allowed 10 s on a typical machine, but it
	// does not depend on the clock. Halving or doubling refineEffort has no effect.
	refineEffort = 1e9
	// smallRefinement is the effort [multiplications] that every finer run may take. It corresponds
	// to a few tenths of a second.
	smallRefinement = 1e8
	// effortPerDevice is the effort [multiplications] of one evaluation of a nonlinear device.
	// Halving or doubling it has no effect.
	effortPerDevice = 100
)

// equalStepTolerance is the largest relative difference of two steps that count as equal. It allows
// for rounding. Halving or doubling it has no effect.
const equalStepTolerance = 1e-6
