package analysis

import (
	"errors"
	"fmt"
	"math"

	"slipstick/spice/diag"
)

// firstTolerance returns the tolerance factor of the first run and its divisor for the second run.
// If the two runs agree well enough, the second run is the result. Autonomous circuits are compared
// period by period and tolerate a larger factor.
func (s *sim) firstTolerance() (tolScale, divisor float64) {
	switch {
	case s.carriesError() && s.isAutonomous() && len(s.setup.Fluxes) == 0 && s.hasOnlyFETs():
		return carriedTolFETs, carriedDivisor
	case s.carriesError() && s.isAutonomous():
		return carriedTolAutonomous, carriedDivisor
	case s.carriesError() && len(s.eventDevices) > 0:
		return carriedTolEvents, carriedDivisor
	case s.carriesError():
		return carriedTol, carriedDivisor
	case s.isAutonomous():
		return firstTolAutonomous, tolDivisorAutonomous
	case len(s.nonlinear) == 0:
		return firstTolLinear, tolDivisorLinear
	}
	return firstTol, tolDivisor
}

// eventTolerance returns the allowed shift of an event between two runs, relative to the elapsed
// time. Every change of the steps shifts an event that depends on the solution, though far less
// than component tolerances do. A linear circuit has no such events.
func (s *sim) eventTolerance() float64 {
	if len(s.nonlinear) == 0 {
		return 0
	}
	return eventDrift
}

// effort estimates the cost of one Newton iteration, in multiplications of the LU factorization. A
// nonlinear device counts as effortPerDevice multiplications. All of these quantities are the same
// in every run.
func (s *sim) effort() float64 {
	return float64(s.lu.Multiplications() + 10*s.n + effortPerDevice*len(s.nonlinear))
}

// refineEffort returns the total effort of all runs above which no further run begins. It is
// proportional to the Newton iterations of the budget.
func (s *sim) refineEffort() float64 {
	return refineEffort * float64(s.total.Newton) / float64(DefaultBudget().Newton)
}

// richardson holds the assumptions of the error estimate by Richardson extrapolation. The error is
// proportional to the tolerance to the power p. The exponent p is 2/3 for formulas of order 2 and
// 4/5 for order 4. It is 1 for ESDIRK, whose embedded formula has order 3, and 9/6 to 10/6 for
// radau, whose error estimate has order 6. If two runs differ by d and their tolerances by the
// factor c, the error of the finer run is d/(c^p - 1).
type richardson struct {
	slowest, fastest float64 // limits of the exponent p
	margin           float64 // safety factor of the next run relative to the goal
}

func (st *stepper) richardson() richardson {
	switch {
	case st.radau != nil:
		return richardson{1.5, 1.8, 1.5}
	case st.esdirk != nil:
		return richardson{0.8, 1, 3}
	}
	return richardson{2.0 / 3, 0.8, 1.5}
}

// refine repeats the run with tolRatio times its tolerance and estimates the error from the
// difference. While the estimate exceeds acceptedError and the budget allows, it adds another run
// whose tolerance aims at errorGoal. It returns the last completed run.
//
// The exponent p starts at its lower limit and is later computed from two differences. The
// published error is twice the estimated error of the finer run, but at most the difference. In a
// regenerative circuit the error follows no exact power law. Its tolerances are therefore reduced
// more, and the difference itself, which is nearly the error of the coarser run, decides whether
// another run follows.
func (s *sim) refine(coarse *stepper, tolRatio float64) (*stepper, error) {
	law := coarse.richardson()
	estimate, ok := coarse.trustedError()
	if ok {
		s.publishError(coarse.totalError(estimate, true))
	}
	if estimate > acceptedError {
		tolRatio = nextTolRatio(estimate, law, leastCarriedTolRatio)
	} else if ok {
		return coarse, nil
	}
	regenerative := coarse.isRegenerative()
	if regenerative {
		tolRatio = min(tolRatio, leastCarriedTolRatio)
	}
	power := law.slowest
	lastDifference, lastTolRatio := 0.0, 0.0
	cost := s.stats.NewtonIterations - s.discarded // number of iterations of the last run
	last, stuck, wasStuck := 0.0, false, false
	worst := "" // vector with the largest difference
	for round := range maxRefinements {
		before := s.stats.NewtonIterations
		more := float64(cost) * math.Pow(tolRatio, -0.25) * 1.2 // for the usual mixture of orders
		all := float64(before) + more
		if all*s.effort() > s.refineEffort() || !s.allowsIterations(all) {
			if s.stats.ErrorEstimatePct != nil {
				s.warn(fmt.Sprintf("the estimated error%s is %.2g %% of peak-to-peak; "+
					"the budget ended the refinement", ofVector(worst), *s.stats.ErrorEstimatePct))
				return coarse, nil
			}
			ok, err := s.estimateByDamping(coarse, s.opt.Gmin,
				"the budget did not allow a run with finer steps")
			if !ok && err == nil {
				s.warn("the budget did not allow a second run to estimate the error, which is unknown; " +
					"compare with a shorter run or a smaller reltol")
			}
			return coarse, err
		}
		fine, complete, err := s.runFiner(coarse, tolRatio, round, more)
		if err != nil || !complete {
			if isCanceled(err) {
				return nil, err
			}
			if isNoConvergence(err) {
				ok, cause := s.estimateByDamping(coarse, max(s.opt.Gmin, dampedGmin),
					"a run with finer steps ended, because "+err.Error())
				if ok || cause != nil {
					return coarse, cause
				}
			}
			why := "took more iterations than the budget of a refinement"
			if err != nil {
				why = "ended: " + err.Error()
			}
			s.warn("the error is not estimated to the end: a run with finer steps " + why)
			return coarse, nil
		}
		fine.chord.includeRoundoff(coarse.chord.largestRoundoff)
		cost = s.stats.NewtonIterations - before
		difference, name := s.difference(coarse, fine)
		worst = name
		if lastDifference > difference && difference > 0 {
			power = math.Min(math.Max(math.Log(lastDifference/difference)/math.Log(1/lastTolRatio),
				law.slowest), law.fastest)
		}
		lastDifference, lastTolRatio = difference, tolRatio
		extrapolated := difference * math.Min(1, 2/(math.Pow(tolRatio, -power)-1))
		carried, trusted := fine.trustedError()
		if trusted = trusted && !regenerative && carried < extrapolated; trusted {
			extrapolated, worst = carried, ""
		}
		s.publishError(fine.totalError(extrapolated, trusted))
		estimate := extrapolated
		if regenerative {
			estimate = difference
		}
		coarse = fine
		if estimate <= acceptedError {
			return fine, nil
		}
		if stuck = estimate > stuckEstimate*last && round > 0; stuck && wasStuck {
			break // finer steps do not help
		}
		last, wasStuck = estimate, stuck
		tolRatio = nextTolRatio(estimate, law, leastTolRatio)
	}
	s.warn(fmt.Sprintf("the estimated error%s is still %.2g %% of peak-to-peak%s",
		ofVector(worst), *s.stats.ErrorEstimatePct, coarse.stepAdvice()))
	return coarse, nil
}

// stepAdvice returns the advice to give a smaller largest step. It returns "" if the mean step is
// less than a tenth of the largest one of the first run, which then limits few steps.
func (st *stepper) stepAdvice() string {
	if st.maxStep/st.maxStepScale*float64(st.accepted) > 10*st.stop {
		return ""
	}
	return "; give a smaller largest step"
}

// ofVector returns the words that name a vector in a warning about the estimated error, or "".
func ofVector(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name + ", the largest of all vectors,"
}

// publishError sets the estimated error of the result, relative to the peak-to-peak value.
func (s *sim) publishError(estimate float64) {
	pct := 100 * estimate
	s.stats.ErrorEstimatePct = &pct
}

// nextTolRatio returns the tolerance of the next run divided by that of the last run. For
// autonomous circuits the event tolerance makes the estimate converge faster than the power law.
// The ratio is therefore at least the parameter least, unless the estimate is far above the goal.
func nextTolRatio(estimate float64, law richardson, least float64) float64 {
	if estimate > 20*errorGoal {
		least = leastTolRatioFar
	}
	return math.Min(1.0/3, math.Max(least,
		math.Pow(errorGoal/(law.margin*estimate), 1/law.slowest)))
}

// runFiner prepares and executes a finer run. A comparison run whose tolerance was known in advance
// has its own sim and may already have started.
func (s *sim) runFiner(coarse *stepper, tolRatio float64, round int, expected float64) (
	fine *stepper, complete bool, err error,
) {
	if c := coarse.comparison; c != nil && c.tolRatio == tolRatio {
		return c.result(coarse, s.refinementLimit(expected), expectedRows(coarse, tolRatio))
	}
	fine = s.finer(coarse, tolRatio, round, expected)
	complete, err = fine.run(firstProgress, 1)
	return fine, complete, err
}

// refinementLimit returns the limit of iterations of a run with the given expected number. A finer
// run takes far more than that if it resolves a ringing that the coarse run did not. In a small
// circuit this still takes little time.
func (s *sim) refinementLimit(expected float64) int {
	return leastRefinement +
		int(min(max(4*expected, smallRefinement/s.effort()), s.longestRefinement()))
}

// longestRefinement returns the largest number of iterations of a refinement run.
func (s *sim) longestRefinement() float64 { return 2 * s.refineEffort() / s.effort() }

// expectedRows returns the number of rows for which a run with tolRatio times the tolerance of
// coarse allocates memory.
func expectedRows(coarse *stepper, tolRatio float64) int {
	return int(1.2 * float64(coarse.out.rows()) * math.Cbrt(1/tolRatio))
}

// finerMaxStep returns the factor on the largest step of a run with tolRatio times the tolerance.
func (st *stepper) finerMaxStep(tolRatio float64) float64 {
	return math.Max(st.maxStepScale*math.Cbrt(tolRatio), math.Min(1, st.maxStepScale/2))
}

// finer prepares a run whose tolerance is that of coarse multiplied by tolRatio. round is the
// number of earlier refinement runs, and expected is the expected number of iterations.
func (s *sim) finer(coarse *stepper, tolRatio float64, round int, expected float64) *stepper {
	fine := s.newStepper(coarse.chord.shown(), coarse.tolScale*tolRatio,
		coarse.finerMaxStep(tolRatio))
	fine.iterationLimit = s.refinementLimit(expected)
	fine.origin = coarse.origin
	// Higher-order formulas need no smaller chord tolerance, unless the chord error prevents
	// convergence.
	fine.chord.scale = math.Max(fine.chord.scale, math.Pow(2, -float64(max(0, round-1))))
	fine.out.first = expectedRows(coarse, tolRatio)
	return fine
}

// difference returns the largest difference between two runs, relative to each vector's
// peak-to-peak value, and the name of this vector. The name is "" for a difference of the periods.
func (s *sim) difference(coarse, fine *stepper) (largest float64, vector string) {
	floor := fine.chord.smallestRanges()
	if s.isAutonomous() {
		alignments, period := coarse.out.alignPeriods(fine.out)
		closest := math.Inf(1)
		for _, a := range alignments {
			if d, column := coarse.out.normalizedDifference(fine.out, a, floor); d < closest {
				closest, vector = d, coarse.vectorName(column)
			}
			if closest <= errorGoal {
				break
			}
		}
		if period > closest {
			vector = ""
		}
		if alignments != nil {
			return math.Max(period, closest), vector
		}
	}
	d, column := coarse.out.normalizedDifference(fine.out, alignment{drift: s.eventTolerance()},
		floor)
	return d, coarse.vectorName(column)
}

// vectorName returns the name of a column of the result, such as v(out), or "" for the time.
func (st *stepper) vectorName(column int) string {
	if column == 0 {
		return ""
	}
	u := &st.setup.Unknowns[st.chord.shown()[column-1]]
	if u.Branch {
		return "i(" + u.Name + ")"
	}
	return "v(" + u.Name + ")"
}

// isCanceled reports whether err is due to a canceled request.
func isCanceled(err error) bool {
	var d *diag.Error
	return errors.As(err, &d) && d.Code == diag.Canceled
}

// isNoConvergence reports whether err is that of a run whose time step became too small.
func isNoConvergence(err error) bool {
	var d *diag.Error
	return errors.As(err, &d) && d.Code == diag.NoConvergence
}
