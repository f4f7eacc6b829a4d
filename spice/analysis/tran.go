package analysis

import (
	"errors"
	"fmt"
	"math"

	"slipstick/spice/diag"
)

// stepper is one run through time.
//
// Every corner of a waveform is a time point of its own and starts a new stretch: the
// first step of a stretch is a tiny one of backward Euler, which needs no past current;
// after it the trapezoidal rule (or, with method=gear, the second-order backward
// formula). The step follows the local error of charges and fluxes.
type stepper struct {
	*sim
	tight     float64 // factor on the tolerance, 1 or below
	stop, min float64
	ceiling   int // Newton iterations after which a refinement is given up; 0: none
	max       float64
	out       *table
	index     []int
	older     []float64  // states two accepted points back
	oldest    []float64  // three
	h         [3]float64 // last steps, newest first
	points    int        // accepted points of this stretch, its start included
	damp      int        // steps to take with the backward formula against ringing
	qlo, qhi  []float64  // range of every charge so far
	imax      []float64  // largest current of every charge so far
	before    []float64  // solution of the point before the last
	guess     []float64  // solution of the last point while the next is tried
}

// tran is the .tran analysis.
func (s *sim) tran() (*Output, error) {
	a := s.job.Analysis
	if r := a.Stop / a.Step; r > maxTimeRatio {
		return nil, hopeless(a.Line, ".tran asks for %.6g time steps (stop over step); at most %.6g are allowed", r, maxTimeRatio)
	}
	index, cols := s.columns()
	first := s.newStepper(index, 1)
	complete, err := first.run(0, 0.5)
	if err != nil {
		return nil, err
	}
	best := first
	if complete {
		if best, err = s.refine(first); err != nil {
			return nil, err
		}
	}
	best.out.thin(s.opt.PointsMax)
	if best.out.bound > 0 {
		s.warn(fmt.Sprintf("time points were thinned to %d; straight lines between them are within %.2g %% of each vector's peak-to-peak value",
			best.out.rows(), 100*best.out.bound))
	}
	return &Output{Vectors: best.out.vectors(cols)}, nil
}

// refine repeats the run at a quarter of the tolerance to see how much the result still
// moves, and again, with a tolerance aimed at the goal, while it moves by more than 0.5 %
// of peak-to-peak and the budget allows. The error of the second-order rules falls with
// the square of the step and so with the power 2/3 of the tolerance.
func (s *sim) refine(coarse *stepper) (*stepper, error) {
	const goal = 0.005
	cut := 0.25
	cost := 0 // Newton iterations of the last run
	for round := range 4 {
		before := s.stats.NewtonIterations
		if round == 0 {
			cost = before
		}
		more := float64(cost) * math.Cbrt(1/cut) * 1.2
		if float64(before)+more > float64(s.job.Budget.Newton) || s.elapsed().Seconds()*(1+more/float64(before)) > s.job.Budget.Wall.Seconds()/2 {
			if round > 0 {
				s.warn(fmt.Sprintf("the result still moved by %.2g %% of peak-to-peak when the tolerance was cut; the budget ended the refinement", *s.stats.ErrorEstimatePct))
			}
			return coarse, nil
		}
		fine := s.newStepper(coarse.index, coarse.tight*cut)
		fine.max = coarse.max * math.Cbrt(cut)
		fine.ceiling = int(4*more) + 1000
		complete, err := fine.run(0.5, 1)
		if err != nil || !complete {
			if isCanceled(err) {
				return nil, err
			}
			return coarse, nil
		}
		cost = s.stats.NewtonIterations - before
		d := coarse.out.distance(fine.out)
		pct := 100 * d
		s.stats.ErrorEstimatePct = &pct
		coarse = fine
		if d <= goal {
			return fine, nil
		}
		cut = math.Min(0.25, math.Max(1.0/64, math.Pow(goal/(2*d), 1.5)))
	}
	s.warn(fmt.Sprintf("the result still moves by %.2g %% of peak-to-peak when the tolerance is cut; give a smaller largest step", *s.stats.ErrorEstimatePct))
	return coarse, nil
}

// isCanceled tells a caller who gave up from everything else.
func isCanceled(err error) bool {
	var d *diag.Error
	return errors.As(err, &d) && d.Code == diag.Canceled
}

func (s *sim) newStepper(index []int, tight float64) *stepper {
	a := s.job.Analysis
	st := &stepper{sim: s, tight: tight, index: index, stop: a.Stop}
	st.max = a.MaxStep
	if st.max == 0 {
		st.max = math.Min(a.Step, (a.Stop-a.Start)/50) / 4
	}
	st.max = math.Min(st.max, a.Stop/2)
	for _, d := range s.timed {
		st.max = math.Min(st.max, d.MaxStep())
	}
	st.min = math.Max(1e-11*st.max, 8*(math.Nextafter(a.Stop, math.Inf(1))-a.Stop))
	n := s.setup.States
	st.older, st.oldest = make([]float64, n), make([]float64, n)
	c := len(s.setup.Charges)
	st.qlo, st.qhi, st.imax = make([]float64, c), make([]float64, c), make([]float64, c)
	st.before, st.guess = make([]float64, s.n+1), make([]float64, s.n+1)
	st.out = &table{width: len(index) + 1, limit: s.job.Budget.Numbers}
	return st
}

// run goes from 0 to the stop time. complete is false when the budget ended it early
// with something to show.
func (st *stepper) run(from, to float64) (complete bool, err error) {
	// What Newton leaves open is noise to the error control, so it is tightened alike.
	st.strict = math.Max(math.Min(st.tight*st.tight, st.tight/10), 1e-6)
	if st.tight == 1 {
		st.strict = 1
	}
	defer func() { st.strict = 1 }()
	if err := st.begin(); err != nil {
		return false, err
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
		h = math.Min(h, st.max)
		// Land on the corner; split the way there rather than leave a sliver.
		corner := false
		switch rest := next - t; {
		case h >= rest-st.min:
			h, corner = rest, true
		case h > rest/2:
			h = rest / 2
		}
		ok, better, err := st.try(t, h)
		if err == errBudget && st.out.rows() > 1 {
			st.warn(fmt.Sprintf("the budget was used up at %s s; the result ends there", short(t)))
			return false, nil
		}
		if hard(err) {
			return false, err
		}
		if err != nil || !ok {
			st.stats.RejectedSteps++
			if h <= st.min*1.01 && err != nil {
				return false, st.stuck(t, err)
			}
			if err == nil {
				t -= st.unwind(better)
			}
			h = math.Max(better, st.min)
			continue
		}
		t += h
		if corner {
			t = next
		}
		st.accept(h)
		if t >= start-st.min {
			st.out.add(t, st.x, st.index)
		}
		h = better
		if corner {
			next = st.nextBreak(t)
			if t != start || start == 0 {
				st.points = 1
				h = math.Min(h, st.firstStep(next-t))
			}
		}
	}
	return true, nil
}

// firstStep is the step that opens a stretch of the given length. It is taken unchecked,
// so it is far below the largest step; the error control of the next ones reveals should
// it have been too long (unwind).
func (st *stepper) firstStep(length float64) float64 {
	return math.Max(1e-3*math.Min(st.max, length), st.min)
}

func (st *stepper) nextBreak(t float64) float64 {
	next := st.stop
	if s := st.job.Analysis.Start; s > t+st.min && s < next {
		next = s
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
	if err != errDiverged {
		return err
	}
	return diag.At(diag.NoConvergence, st.job.Analysis.Line, "the time step fell below %s s at %s s%s", short(st.min), short(t), st.worst())
}

// begin finds the state at t = 0: the operating point with the nodes of .ic held, or
// with uic the initial conditions themselves.
func (st *stepper) begin() error {
	s := st.sim
	l := &s.load
	l.Wave, l.Time = true, 0
	ic := s.nodeValues(s.job.Circuit.IC)
	st.points, st.damp = 1, 0
	st.h = [3]float64{}
	if s.job.Analysis.UIC {
		s.dcMode()
		s.reset()
		for _, h := range ic {
			s.x[h.node] = h.value
		}
		for _, d := range s.storage {
			d.Initial(l)
		}
		// One step of next to no length makes sources and resistors agree with the
		// charges; its currents are what t = 0 shows.
		copy(l.Last, l.Now)
		copy(l.Prev, l.Now)
		s.initialJunctions()
		st.formula(1e-3*st.firstStep(st.max), 1)
		if err := s.newton(s.opt.Itl1, false); err != nil {
			if hard(err) {
				return err
			}
			return diag.At(diag.NoConvergence, s.job.Analysis.Line, "no consistent state was found at 0 s with uic%s", s.worst())
		}
	} else {
		s.holds = ic
		err := s.operatingPoint()
		s.holds = nil
		if err != nil {
			return err
		}
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	copy(l.Last, l.Now)
	copy(l.Prev, l.Now)
	for k, q := range s.setup.Charges {
		st.qlo[k], st.qhi[k] = l.Last[q], l.Last[q]
	}
	copy(st.before, s.x)
	return nil
}

// initialJunctions lets semiconductors store the charges of the initial voltages.
func (s *sim) initialJunctions() {
	l := &s.load
	copy(s.a, s.baseA)
	clear(s.b)
	l.A, l.B = s.a, s.b
	for _, d := range s.nonlinear {
		d.Load(l)
	}
	l.Limited = false
	copy(l.Last, l.Now)
	copy(l.Prev, l.Now)
}

// formula sets the coefficients of order 1 (backward Euler), 2 (trapezoidal) or -2
// (second-order backward difference over unequal steps) for a step of h.
func (st *stepper) formula(h float64, order int) {
	l := &st.load
	l.A2, l.B1 = 0, 0
	switch order {
	case 1:
		l.A0, l.A1 = 1/h, -1/h
	case 2:
		l.A0, l.A1, l.B1 = 2/h, -2/h, -1
	case -2:
		g := st.h[0]
		l.A0 = (2*h + g) / (h * (h + g))
		l.A1 = -(h + g) / (h * g)
		l.A2 = h / (g * (h + g))
	}
}

func (st *stepper) order() int {
	switch {
	case st.points < 2 || st.opt.MaxOrd < 2:
		return 1
	case st.opt.Gear || st.damp > 0:
		return -2
	}
	return 2
}

// try solves at t+h. ok tells whether the error was within tolerance; better is the step
// to go on with, or to try instead.
func (st *stepper) try(t, h float64) (ok bool, better float64, err error) {
	s, l := st.sim, &st.load
	order := st.order()
	st.formula(h, order)
	l.Time = t + h
	copy(l.Now, l.Last)
	copy(st.guess, s.x)
	if st.points >= 2 && len(s.nonlinear) > 0 {
		f := h / st.h[0]
		for i := range s.x {
			s.x[i] += f * (s.x[i] - st.before[i])
		}
	}
	if err := s.newton(s.opt.Itl4, false); err != nil {
		copy(s.x, st.guess)
		return false, h / 8, err
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	r := st.localError(h, order)
	exponent := 1.0 / 3
	if order == 1 || st.points < 3 {
		exponent = 0.5
	}
	better = 3 * h
	if r > 0 {
		better = math.Min(better, 0.85*h*math.Pow(r, -exponent))
	}
	if r > 1 && h > st.min*1.01 {
		copy(s.x, st.guess)
		return false, math.Max(better, h/10), nil
	}
	return true, math.Max(better, h/4), nil
}

// localError is the largest error of a charge or flux in this step beside its tolerance.
//
// With dd the divided difference of the last points, backward Euler errs by h²·dd2, the
// trapezoidal rule by h³·dd3/2, the backward formula by 4/3·h³·dd3 (Gear 1971; the
// divided difference dd3 is a sixth of the third derivative). The first points of a
// stretch have no third difference and are judged as backward Euler. The tolerance is
// reltol of the range the charge has covered so far: an error is seen beside the signal,
// not beside the bias it rides on. Below chgtol, and below 3e-8 of the charge itself, lies
// what Newton's method leaves open, which is noise to a third difference.
func (st *stepper) localError(h float64, order int) float64 {
	if st.points < 2 {
		return 0
	}
	l := &st.load
	worst := 0.0
	h0, h1, h2 := h, st.h[0], st.h[1]
	factor := st.tight * st.opt.Trtol * st.opt.Reltol
	for k, q := range st.setup.Charges {
		q0, q1, q2 := l.Now[q], l.Last[q], l.Prev[q]
		d01, d12 := (q0-q1)/h0, (q1-q2)/h1
		dd := (d01 - d12) / (h0 + h1)
		e := h0 * h0 * math.Abs(dd)
		if order != 1 && st.points >= 3 {
			d23 := (q2 - st.older[q]) / h2
			d3 := (dd - (d12-d23)/(h1+h2)) / (h0 + h1 + h2)
			c := 0.5
			if order == -2 {
				c = 4.0 / 3
			}
			e = c * h0 * h0 * h0 * math.Abs(d3)
		}
		span := math.Max(st.qhi[k], q0) - math.Min(st.qlo[k], q0)
		size := math.Max(math.Abs(st.qhi[k]), math.Abs(st.qlo[k]))
		tol := math.Max(factor*math.Max(span, 1e-3*size), st.opt.Reltol*st.opt.Chgtol)
		worst = math.Max(worst, e/math.Max(tol, 3e-8*size))
	}
	return worst
}

// unwind takes back the unchecked first step of a stretch when the second shows that it
// was too long. It gives the length of the step taken back, 0 when there was no need.
func (st *stepper) unwind(better float64) float64 {
	if st.points != 2 || better >= st.h[0] || st.h[0] <= st.min*4 {
		return 0
	}
	h := st.h[0]
	l := &st.load
	copy(st.x, st.before)
	l.Last, l.Prev, st.older, st.oldest = l.Prev, st.older, st.oldest, l.Last
	st.h = [3]float64{st.h[1], st.h[2], 0}
	st.points = 1
	st.out.drop(1)
	return h
}

// accept makes the solution the last point.
func (st *stepper) accept(h float64) {
	s, l := st.sim, &st.load
	s.stats.TimeSteps++
	for k, q := range s.setup.Charges {
		st.qlo[k] = math.Min(st.qlo[k], l.Now[q])
		st.qhi[k] = math.Max(st.qhi[k], l.Now[q])
		st.imax[k] = math.Max(st.imax[k], math.Abs(l.Now[q+1]))
	}
	if st.damp > 0 {
		st.damp--
	} else if st.rings() {
		st.damp = 4
	}
	l.Now, l.Last, l.Prev, st.older, st.oldest = st.oldest, l.Now, l.Last, l.Prev, st.older
	st.h = [3]float64{h, st.h[0], st.h[1]}
	st.points++
	copy(st.before, st.guess)
}

// rings looks for the trapezoidal rule's own oscillation: a current that goes up and down
// with every step, not dying out, while the charge is smooth. A true oscillation never
// looks like that, because the error control gives its period dozens of steps.
func (st *stepper) rings() bool {
	if st.points < 4 || st.opt.Gear || st.opt.MaxOrd < 2 {
		return false
	}
	l := &st.load
	for k, q := range st.setup.Charges {
		i0, i1, i2, i3 := l.Now[q+1], l.Last[q+1], l.Prev[q+1], st.older[q+1]
		e0, e1, e2 := i0-i1, i1-i2, i2-i3
		if e0*e1 < 0 && e1*e2 < 0 && math.Abs(e0) > 0.5*math.Abs(e1) && math.Abs(e1) > 0.5*math.Abs(e2) &&
			math.Abs(e0) > 10*st.opt.Reltol*st.imax[k]+st.opt.Abstol {
			return true
		}
	}
	return false
}
