package analysis

import (
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
	tight     float64 // factor on the tolerance
	wide      float64 // factor on the largest step
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
	xlo, xhi  []float64  // range of every vector of the result so far
	imax      []float64  // largest current of every charge so far
	before    []float64  // solution of the point before the last
	guess     []float64  // solution of the last point while the next is tried
	ahead     []float64  // prediction of the next
	lastBow   float64    // what drawing found in the last step
	newBow    float64    // and in this one
	bow       float64    // factor on how far the lines of the result may miss its curves
	floor     []float64  // least range of every vector of the result that matters
	origin    *snapshot  // operating point of an earlier run, nil in the first
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
		if st.origin != nil {
			s.dcMode()
			s.restore(st.origin)
		} else {
			s.holds = ic
			err := s.operatingPoint()
			s.holds = nil
			if err != nil {
				return err
			}
			st.origin = new(snapshot)
			s.save(st.origin)
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
	for k, i := range st.index {
		st.xlo[k], st.xhi[k] = s.x[i], s.x[i]
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
	if st.points >= 3 {
		f := h / st.h[0]
		for i := range s.x {
			s.x[i] += f * (s.x[i] - st.before[i])
		}
		copy(st.ahead, s.x)
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
		better = math.Min(better, 0.8*h*math.Pow(r, -exponent))
	}
	if bow := st.drawing(h); bow > 0 {
		// In front of a kink no bow was to be seen, and the line misses up to half of what
		// the prediction missed, not an eighth.
		if bow > 4*st.lastBow {
			bow *= 4
		}
		// Jumps cannot be drawn with finer steps; this much of the duration is fine enough.
		least := math.Min(h, 1e-6*st.stop)
		better = math.Min(better, math.Max(0.8*h/math.Sqrt(bow), least))
		if h > least {
			r = math.Max(r, bow)
		}
	}
	if s.grainy && h < 1e-6*st.stop {
		// Beside large capacitors and inductors a smaller step makes more rounding, not less.
		return true, 3 * h, nil
	}
	if r > 2 && h > st.min*1.01 {
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
		span := max(st.qhi[k], q0) - min(st.qlo[k], q0)
		size := max(math.Abs(st.qhi[k]), math.Abs(st.qlo[k]))
		tol := max(factor*max(span, 1e-3*size), st.opt.Reltol*st.opt.Chgtol)
		worst = max(worst, e/max(tol, 3e-8*size))
	}
	return worst
}

// drawing is how far the straight line of this step passes by the curve, beside what is
// allowed, over all vectors of the result. The line misses an arc of second derivative
// 2·dd by dd·h²/4, and what the prediction along the last step's line missed, dd·h·(h+h1),
// shows dd. It steers the step as well: where nothing stores charge, nothing else does.
func (st *stepper) drawing(h float64) float64 {
	st.newBow = 0
	if st.points < 3 {
		return 0
	}
	const part = 1e-3 // of the range so far, in a run of tight = 1
	worst := 0.0
	for k, i := range st.index {
		x := st.x[i]
		span := max(st.xhi[k], x) - min(st.xlo[k], x)
		worst = max(worst, math.Abs(x-st.ahead[i])/(span+st.floor[k]+1e-4*math.Abs(x)))
	}
	st.newBow = worst * h / (4 * (h + st.h[0])) / (part * st.bow)
	return st.newBow
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
	st.lastBow = math.Max(st.newBow, 0.1)
	for k, q := range s.setup.Charges {
		st.qlo[k] = min(st.qlo[k], l.Now[q])
		st.qhi[k] = max(st.qhi[k], l.Now[q])
		st.imax[k] = max(st.imax[k], math.Abs(l.Now[q+1]))
	}
	for k, i := range st.index {
		st.xlo[k] = min(st.xlo[k], s.x[i])
		st.xhi[k] = max(st.xhi[k], s.x[i])
	}
	if st.damp > 0 {
		st.damp--
	} else if st.rings() {
		st.damp = 16
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
