package analysis

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"slipstick/spice/diag"
)

// tran is the .tran analysis.
func (s *sim) tran() (*Output, error) {
	a := s.job.Analysis
	if r := a.Stop / a.MaxStep; a.MaxStep > 0 && r > maxTimeRatio {
		return nil, hopeless(a.Line, ".tran asks for %.6g time steps (stop over largest step); at most %.6g are allowed", r, maxTimeRatio)
	}
	if a.Stop/a.Step > maxTimeRatio {
		a.Step = a.Stop / maxTimeRatio
		s.warn(fmt.Sprintf("line %d: the time step of .tran is %g s instead of %g s: at most %g steps are made, and the error sets their length", a.Line, a.Step, s.job.Analysis.Step, float64(maxTimeRatio)))
		s.job.Analysis.Step = a.Step
	}
	for k, d := range s.delayed {
		if r := a.Stop / d.Delay(); r > maxDelays {
			return nil, hopeless(a.Line, ".tran asks for %.6g times the delay of transmission line %d; at most %.6g are allowed", r, k+1, maxDelays)
		}
	}
	columns, cols := s.columns()
	width := len(columns) + 1
	traces, kept := s.keep("time")
	if len(kept) > 0 {
		columns = append(columns, kept[1:]...)
	}
	arranged := arrange(columns)
	tight, ratio := s.coarse()
	first := s.newStepper(arranged.index, tight, 2)
	complete, err := first.run(0, 0.3)
	if err != nil {
		return nil, err
	}
	best := first
	if complete {
		if best, err = s.refine(first, 1/ratio); err != nil {
			return nil, err
		}
	}
	out := arranged.derive(best.out)
	out.split(width, traces)
	out.thin(s.opt.PointsMax)
	thinned := s.thinned(out, cols)
	return &Output{Vectors: out.vectors(cols), Kept: traces, Thinned: thinned}, nil
}

// thinned lists the vectors that the remaining rows do not draw faithfully, and adds a warning with
// the number of rows and the error bounds.
func (s *sim) thinned(t *table, cols []Vector) (list []Thinned) {
	bound, extreme := t.worst()
	if bound == 0 && !extreme {
		return nil
	}
	var drawn, swinging []string
	best := 0.0 // bound of the others
	for k := range cols {
		switch b := t.bound[k+1]; {
		case t.extreme[k+1]:
			list = append(list, Thinned{Vector: cols[k].Name, Extremes: true})
			swinging = append(swinging, cols[k].Name)
		case b > 1.01*faithful:
			list = append(list, Thinned{Vector: cols[k].Name, Bound: b})
			drawn = append(drawn, fmt.Sprintf("%s (%.2g %%)", cols[k].Name, 100*b))
		default:
			best = math.Max(best, b)
		}
	}
	const advice = "; look at less time (tstart), at fewer vectors, or raise points_max"
	switch {
	case len(swinging) == len(cols):
		s.warn(fmt.Sprintf("the curves swing too often for %d points: kept are the smallest and largest "+
			"values of every vector in short stretches, not the curves between them"+advice, t.rows()))
	case len(list) == 0 || len(drawn) == len(cols) && !extreme:
		s.warn(fmt.Sprintf("time points were thinned to %d; straight lines between them are within "+
			"%.2g %% of each vector's peak-to-peak value", t.rows(), 100*bound))
	default:
		text := fmt.Sprintf("time points were thinned to %d; straight lines between them are within "+
			"%.2g %% of the peak-to-peak value of every vector", t.rows(), 100*best)
		if len(list) == len(cols) {
			text = fmt.Sprintf("time points were thinned to %d", t.rows())
		}
		if len(drawn) > 0 {
			text += "; larger is what they miss of " + several(drawn)
		}
		if len(swinging) > 0 {
			text += "; not drawn, because it swings too often, is " + several(swinging) +
				": kept are the smallest and largest values in short stretches, not the curve between them"
		}
		s.warn(text + advice)
	}
	return list
}

// several joins names, the first ten of them.
func several(names []string) string {
	if n := len(names) - 10; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:10], ", "), n)
	}
	return strings.Join(names, ", ")
}

// coarse gives the tolerance of the first run, a rough one, and by what the second is
// finer, the one to publish when the two are close enough. An oscillation that times itself
// is compared period by period and needs less.
func (s *sim) coarse() (tight, ratio float64) {
	if s.free() {
		return 60, 30
	}
	if len(s.nonlinear) == 0 {
		return 20, 10
	}
	return 20, 40
}

// goal is the largest error of a result, a fraction of each vector's peak-to-peak value.
const goal = 0.005

// slack is how far the time of an event may be off, as a part of the time that has passed.
// An edge that times itself moves with every change of the steps, by far less than any real
// circuit repeats; where nothing is nonlinear there are no such edges.
func (s *sim) slack() float64 {
	if len(s.nonlinear) == 0 {
		return 0
	}
	return 2e-5
}

// refineEffort is what all runs of a transient may take together for one more to begin, in
// units of effort: two to four seconds of a usual machine, of the ten that are allowed. A
// slow machine begins the same runs and mostly ends them; nothing depends on the clock before these are over.
const refineEffort = 1e9

// effort estimates one Newton iteration from what does not change from run to run: the
// products of the elimination and the nonlinear devices, of which each takes a hundred times as
// long.
func (s *sim) effort() float64 {
	return float64(s.lu.Products() + 10*s.n + 100*len(s.nonlinear))
}

// refine repeats the run at the part cut of its tolerance to see how much the result still
// moves, and again, with a tolerance aimed at the goal, while its error is above the goal
// and the budget allows.
//
// The error of the second-order rules falls with the square of the step and so with the
// power 2/3 of the tolerance, that of the fourth order with the power 4/5, that of stages
// with the tolerance itself, because theirs is the error of order 3: of the distance d
// between two runs whose tolerances differ by the factor c, the part d/(c^p - 1) is the
// error of the finer one. p is the least of these at first; two distances show what it is.
// Twice as much is published, never more than d.
func (s *sim) refine(rough *stepper, cut float64) (*stepper, error) {
	slowest, fastest, margin := 2.0/3, 0.8, 1.5
	if rough.staged != nil {
		slowest, fastest, margin = 0.8, 1, 3
	}
	power := slowest
	lastApart, lastCut := 0.0, 0.0
	cost := s.stats.NewtonIterations // of the last run
	last, stuck, wasStuck := 0.0, false, false
	for round := range 7 {
		before := s.stats.NewtonIterations
		more := float64(cost) * math.Pow(cut, -0.25) * 1.2 // the mixture of orders that is usual
		if all := float64(before) + more; all > float64(s.job.Budget.Newton) || all*s.effort() > refineEffort {
			if round > 0 {
				s.warn(fmt.Sprintf("the estimated error is %.2g %% of peak-to-peak; the budget ended the refinement", *s.stats.ErrorEstimatePct))
			} else {
				s.warn("the budget did not allow a second run to estimate the error")
			}
			return rough, nil
		}
		fine := s.newStepper(rough.index, rough.tight*cut, math.Max(rough.wide*math.Cbrt(cut), math.Min(1, rough.wide/2)))
		fine.ceiling = 1000 + int(math.Min(4*more, 2*refineEffort/s.effort()))
		fine.origin = rough.origin
		// Formulas of higher order need no finer lines, unless these are what does not settle.
		fine.bow = math.Max(fine.bow, math.Pow(2, -float64(max(0, round-1))))
		rows := int(1.2 * float64(rough.out.rows()) * math.Cbrt(1/cut))
		fine.out.data = make([]float64, 0, min(rows*fine.out.width, s.job.Budget.Numbers))
		complete, err := fine.run(0.3, 1)
		if err != nil || !complete {
			if isCanceled(err) {
				return nil, err
			}
			why := "took more iterations than the budget of a refinement"
			if err != nil {
				why = "ended: " + err.Error()
			}
			s.warn("the error is not estimated to the end: a run with finer steps " + why)
			return rough, nil
		}
		cost = s.stats.NewtonIterations - before
		apart := s.apart(rough, fine)
		if lastApart > apart && apart > 0 {
			power = math.Min(math.Max(math.Log(lastApart/apart)/math.Log(1/lastCut), slowest), fastest)
		}
		lastApart, lastCut = apart, cut
		estimate := apart * math.Min(1, 2/(math.Pow(cut, -power)-1))
		pct := 100 * estimate
		s.stats.ErrorEstimatePct = &pct
		rough = fine
		if estimate <= goal {
			return fine, nil
		}
		if stuck = estimate > 0.7*last && round > 0; stuck && wasStuck {
			break // finer steps do not help
		}
		last, wasStuck = estimate, stuck
		// With the slack in it the estimate of a circuit that times itself falls faster than
		// that, so the cut is a cautious one, unless the goal is far away.
		least := 1.0 / 8
		if estimate > 20*goal {
			least = 1.0 / 64
		}
		cut = math.Min(1.0/3, math.Max(least, math.Pow(goal/(margin*estimate), 1/slowest)))
	}
	s.warn(fmt.Sprintf("the estimated error is still %.2g %% of peak-to-peak; give a smaller largest step", *s.stats.ErrorEstimatePct))
	return rough, nil
}

// apart is how far two runs differ, as a fraction of each vector's peak-to-peak value.
func (s *sim) apart(rough, fine *stepper) float64 {
	if s.free() {
		ways, period := rough.out.align(fine.out)
		closest := math.Inf(1)
		for _, a := range ways {
			if closest = math.Min(closest, rough.out.distance(fine.out, a, rough.floor)); closest <= goal {
				break
			}
		}
		if ways != nil {
			return math.Max(period, closest)
		}
	}
	return rough.out.distance(fine.out, alignment{slack: s.slack()}, rough.floor)
}

// isCanceled tells a caller who gave up from everything else.
func isCanceled(err error) bool {
	var d *diag.Error
	return errors.As(err, &d) && d.Code == diag.Canceled
}

func (s *sim) newStepper(index []int, tight, wide float64) *stepper {
	a := s.job.Analysis
	st := &stepper{sim: s, tight: tight, wide: wide, index: index, stop: a.Stop}
	st.max = a.MaxStep
	if st.max == 0 {
		st.max = (a.Stop - a.Start) / 100
	}
	for _, d := range s.timed {
		st.max = math.Min(st.max, d.MaxStep())
	}
	st.max = math.Min(st.max*wide, a.Stop/2)
	st.min = math.Max(1e-11*st.max, 8*(math.Nextafter(a.Stop, math.Inf(1))-a.Stop))
	n := s.setup.States
	st.past = newHistory(n, s.n+1, s.setup.Charges)
	c := len(s.setup.Charges)
	st.sum, st.now = make([]float64, c), make([]float64, c)
	st.qlo, st.qhi, st.qtol, st.imax = make([]float64, c), make([]float64, c), make([]float64, c), make([]float64, c)
	st.share = make([]float64, c)
	for k := range st.share {
		st.share[k] = 1
	}
	st.xlo, st.xhi = make([]float64, len(index)), make([]float64, len(index))
	st.line = make([]float64, s.n+1)
	st.bow = math.Cbrt(tight * tight)
	st.floor, st.ahead = make([]float64, len(index)), make([]float64, len(index))
	for k, i := range index {
		st.floor[k] = 100 * s.opt.Vntol
		if s.branch[i] {
			st.floor[k] = 1000 * s.opt.Abstol
		}
	}
	if len(s.nonlinear) == 0 && !s.opt.Gear && s.opt.MaxOrd >= 4 {
		st.staged = newStaged(c, s.n+1)
	}
	st.out = &table{width: len(index) + 1, limit: s.job.Budget.Numbers}
	return st
}

// run goes from 0 to the stop time. complete is false when the budget ended it early
// with something to show.
func (st *stepper) run(from, to float64) (complete bool, err error) {
	// What Newton leaves open is noise to the error control, so it is tightened alike.
	st.strict = math.Min(1, math.Max(st.tight/3, 1e-6))
	st.stride = 30
	if err := st.begin(); err != nil {
		return false, err
	}
	for _, d := range st.delayed {
		d.Begin(&st.load, st.job.Analysis.UIC)
	}
	t, start := 0.0, st.job.Analysis.Start
	if start == 0 {
		st.out.add(0, st.x, st.index)
	}
	next := st.nextBreak(0)
	h := st.firstStep(next)
	before := st.stats.NewtonIterations
	for t < st.stop-st.min {
		if st.ceiling > 0 && st.stats.NewtonIterations-before > st.ceiling {
			return false, nil
		}
		st.progress("tran", from+(to-from)*t/st.stop)
		h = math.Max(math.Min(h, st.longest(t)), st.shortest)
		if wait := st.edge - t - st.verge(); wait > st.verge() {
			h = math.Min(h, wait)
		} else if wait > -st.verge() {
			h = math.Min(h, st.instant())
		}
		// Land on the corner; split the way there rather than leave a sliver.
		corner := false
		switch rest := next - t; {
		case h >= rest-st.min:
			h, corner = rest, true
		case h > rest/2:
			h = rest / 2
		}
		ok, better, err := st.try(t, h)
		if errors.Is(err, errBudget) && st.out.rows() > 1 {
			if st.ceiling > 0 {
				return false, nil
			}
			st.warn(fmt.Sprintf("stopped at %.3g s of %.3g s: %s; use a larger step or a shorter run", t, st.stop, st.limit()))
			return false, nil
		}
		if hard(err) {
			return false, err
		}
		if err != nil && st.staged != nil && st.shortest == 0 && h < st.grain() && st.lost(err) {
			st.stats.RejectedSteps++
			h = st.shortest
			continue
		}
		if err != nil || !ok {
			st.stats.RejectedSteps++
			if h <= st.min*1.01 && err != nil {
				return false, st.stuck(t, err)
			}
			if err == nil {
				t -= st.unwind(better)
				for _, d := range st.delayed {
					d.Back(t)
				}
			}
			h = math.Max(better, st.min)
			continue
		}
		if st.staged != nil && st.staged.taken && t >= start-st.min {
			st.drawStages(t, h)
		}
		t += h
		if corner {
			t = next
		}
		st.accept(h)
		for _, d := range st.delayed {
			d.Accept(&st.load, t, corner || st.landed)
		}
		st.landed = false
		if t >= start-st.min {
			st.out.add(t, st.x, st.index)
		}
		// In a linear circuit an unchanged step spares the factorisation.
		if len(st.nonlinear) > 0 || better < h || better > 1.7*h {
			h = better
		}
		if corner {
			next = st.nextBreak(t)
			if t != start || start == 0 {
				st.past.points = 1
				st.order = 2
				h = math.Min(h, st.firstStep(next-t))
			}
		} else if len(st.delayed) > 0 {
			next = st.nextBreak(t)
		}
	}
	return true, nil
}

// longest is the largest step at t.
func (st *stepper) longest(t float64) float64 {
	most := st.max
	for _, fine := range st.job.Fine {
		// Not a step that passes over the beginning.
		most = math.Min(most, math.Max(fine.Step, fine.From-t))
	}
	for _, d := range st.delayed {
		most = math.Min(most, d.Delay())
	}
	return math.Max(most, st.min)
}

// firstStep is the step that opens a stretch of the given length. It is taken unchecked,
// so it is far below the largest step; the error control of the next ones reveals should
// it have been too long (unwind).
func (st *stepper) firstStep(length float64) float64 {
	return math.Max(2.5e-4*math.Min(math.Min(st.max, 1e-3*st.stop), length), st.min)
}

func (st *stepper) nextBreak(t float64) float64 {
	next := st.stop
	if s := st.job.Analysis.Start; s > t+st.min && s < next {
		next = s
	}
	if s := st.job.Analysis.Startup; s > t+st.min && s < next {
		next = s
	}
	for _, d := range st.delayed {
		if b := d.NextBreak(t + st.min); b < next {
			next = b
		}
	}
	for _, d := range st.timed {
		if b := d.NextBreak(t + st.min); b > t+st.min && b < next {
			next = b
		}
	}
	return next
}

// stuck reports a time step that fell below the least sensible one.
func (st *stepper) stuck(t float64, err error) error {
	if !errors.Is(err, errDiverged) {
		return err
	}
	return diag.At(diag.NoConvergence, st.job.Analysis.Line, "the time step fell below %s s at %s s%s", short(st.min), short(t), st.worst(err))
}
