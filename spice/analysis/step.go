package analysis

import (
	"errors"
	"math"

	"slipstick/spice/diag"
)

// stepper is one run through time.
//
// Every corner of a waveform is a time point of its own and starts a new stretch: the
// first step of a stretch is a tiny one of backward Euler, which needs no past current;
// after it the trapezoidal rule (or, with method=gear, the second-order backward
// formula), and backward differences of order 3 and 4 where the past is smooth; in a linear
// circuit steps of Runge and Kutta (stages.go). Step and order follow the local error of
// charges and fluxes (localerror.go).
type stepper struct {
	*sim
	tolerance         // of Newton's method
	tight     float64 // factor on the tolerance
	wide      float64 // factor on the largest step
	stop, min float64
	ceiling   int // Newton iterations after which a refinement is given up; 0: the first run
	max       float64
	out       *table
	index     []int
	past      history
	order     int                // of the next step's formula: 2 trapezoidal, 3 and 4 backward differences
	steady    int                // steps since it changed
	edge      float64            // time at which a device is expected to jump; past: none is
	damp      int                // steps to take with the backward formula against ringing
	sum, now  []float64          // room for a formula's sums, and the charges of this step
	guess     []float64          // the charges of this step, foreseen by a polynomial
	foreseen  int                // its degree; 0: there is none
	weights   [depth + 1]float64 // its weights
	qlo, qhi  []float64          // range of every charge so far
	qtol      []float64          // least error of it that is allowed
	share     []float64          // of the tolerance that a charge may use (shareOut)
	xlo, xhi  []float64          // range of every vector of the result so far
	imax      []float64          // largest current of every charge so far
	ahead     []float64          // prediction of every vector of the result
	line      []float64          // the next solution on the line through the last two
	landed    bool               // a device jumped in the last step
	leapt     bool               // the last point was reached by a leap
	lastBow   float64            // what drawing found in the last step
	newBow    float64            // and in this one
	bow       float64            // factor on how far the lines of the result may miss its curves
	floor     []float64          // least range of every vector of the result that matters
	staged    *staged            // steps of a linear circuit; nil: not made of stages
	shortest  float64            // step that leaves digits, s; 0: none was too short
	unclocked bool               // the circuit oscillates on its own or not at all
	origin    *snapshot          // operating point of an earlier run, nil in the first
}

// begin finds the state at t = 0: the operating point with the nodes of .ic held, or,
// with uic or where there is none, the initial conditions themselves.
func (st *stepper) begin() error {
	s := st.sim
	l := &s.load
	l.Wave, l.Time = true, 0
	ic := s.nodeValues(s.job.Circuit.IC)
	st.order, st.steady, st.damp = 2, 0, 0
	st.leapt = false
	st.unclocked = s.free()
	st.guess = make([]float64, len(st.past.places))
	switch {
	case s.job.Analysis.UIC:
		if err := st.uncharged(ic); errors.Is(err, errDiverged) {
			return diag.At(diag.NoConvergence, s.job.Analysis.Line, "no consistent state was found at 0 s with uic%s", s.worst(err))
		} else if err != nil {
			return err
		}
	case st.origin != nil:
		s.dcMode()
		s.restore(st.origin)
	default:
		// As exact as that of .op: all runs start from it, so that their comparison would
		// not show its error.
		s.holds = ic
		err := s.operatingPoint()
		s.holds = nil
		if errors.Is(err, errDiverged) {
			// What switches itself on and off has no operating point and a course all the same.
			where := s.worst(err)
			if st.uncharged(ic) != nil {
				return diag.At(diag.NoConvergence, s.job.Analysis.Line, noOperatingPoint+"%s", where)
			}
			s.job.Analysis.UIC = true // in the next runs as well
			s.warn("no operating point was found" + where + "; the transient starts as with uic, from ic= and .ic and with everything else uncharged")
			break
		}
		if err != nil {
			return err
		}
		st.origin = new(snapshot)
		s.save(st.origin)
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	st.open()
	for k, q := range s.setup.Charges {
		st.qlo[k], st.qhi[k] = l.Last[q], l.Last[q]
	}
	for k, i := range st.index {
		st.xlo[k], st.xhi[k] = s.x[i], s.x[i]
	}
	if st.unclocked {
		// What Newton's method leaves open in single steps evens out over the periods that are
		// compared; as much of Kirchhoff's law as of the charges is enough.
		st.strict = min(30, max(st.tight, 1e-6))
	}
	return nil
}

// uncharged makes the state at t = 0 of initial conditions; what has none is 0.
func (st *stepper) uncharged(ic []hold) error {
	s := st.sim
	s.dcMode()
	s.reset()
	for _, h := range ic {
		s.x[h.node] = h.value
	}
	for i, u := range s.setup.Unknowns { // no current flows yet
		if u.Hidden {
			s.x[i] = s.x[u.Behind]
		}
	}
	for _, d := range s.storage {
		d.Initial(&s.load)
	}
	// One step of next to no length makes sources and resistors agree with the
	// charges; its currents are what t = 0 shows.
	s.initialJunctions()
	st.open()
	h := st.firstStep(st.max)
	if len(s.nonlinear) == 0 {
		return st.settled(h)
	}
	first := append([]float64(nil), s.x...)
	options := newtonOptions{iterations: s.opt.Itl1, tolerance: st.tolerance}
	for part := 1e-3; ; part *= 10 {
		st.formula(part*h, euler)
		if _, err := s.newton(options); err == nil || hard(err) || part >= 1 {
			return err
		}
		copy(s.x, first) // in so short a step the currents of charges may be no more than rounding
		copy(s.load.Now, s.load.Last)
	}
}

// settled finds the state at t = 0 of a linear circuit by a step of backward Euler far shorter than
// h. A large capacitance or a small inductance leaves no digits for the rest of the circuit when the
// step is too short. Of steps ten times apart, the one whose voltages differ least from the next is
// therefore taken.
func (st *stepper) settled(h float64) error {
	s := st.sim
	var last, best []float64
	least := math.Inf(1)
	for _, part := range [...]float64{1, 0.1, 0.01, 1e-3} {
		copy(s.load.Now, s.load.Last)
		st.formula(part*h, euler)
		_, err := s.newton(newtonOptions{iterations: s.opt.Itl1, tolerance: st.tolerance})
		if hard(err) {
			return err
		}
		if err != nil {
			if last == nil {
				return err
			}
			break
		}
		apart, size := 0.0, 0.0
		for i := 1; last != nil && i <= s.n; i++ {
			if !s.branch[i] {
				apart, size = max(apart, math.Abs(s.x[i]-last[i])), max(size, math.Abs(s.x[i]))
			}
		}
		if last == nil || apart <= least {
			best = append(best[:0], s.x...)
		}
		if last != nil {
			least = min(least, max(apart, 1e-9*size))
		}
		last = append(last[:0], s.x...)
	}
	copy(s.x, best)
	return nil
}

// initialJunctions lets semiconductors store the charges of the initial voltages.
func (s *sim) initialJunctions() {
	l := &s.load
	copy(s.a, s.baseA)
	clear(s.b)
	l.A, l.B = s.a, s.b
	for range 100 { // until no limit holds a junction back
		l.Limited = false
		for _, d := range s.nonlinear {
			d.Load(l)
		}
		copy(l.Last, l.Now)
		if !l.Limited {
			break
		}
	}
	l.Limited = false
}

// open begins the past with the present states.
func (st *stepper) open() {
	st.past.begin(st.load.Now, st.x)
	st.load.Last = st.past.states[0]
}

// formula sets the current of every charge for a step of h, and foresees the charges.
func (st *stepper) formula(h float64, order int) {
	p, l := &st.past, &st.load
	n := steps(order)
	st.foreseen = 0
	if p.points > n {
		st.foreseen, st.weights = n, p.ahead(h, n)
	}
	a := &st.weights
	a2, a3, a4, a5 := a[2], a[3], a[4], a[5]
	places, past, guess := p.places, l.History, st.guess[:len(p.places)]
	q1, q2, q3 := p.charge(0)[:len(places)], p.charge(1)[:len(places)], p.charge(2)[:len(places)]
	if order == trapezoidal {
		l.A0 = 2 / h
		i1 := p.current(0)[:len(places)]
		for k, place := range places {
			q := q1[k]
			past[place] = -l.A0*q - i1[k]
			guess[k] = q + a2*(q2[k]-q) + a3*(q3[k]-q)
		}
		return
	}
	w := p.slope(h, n)
	l.A0 = w[0]
	w1, w2, w3, w4 := w[1], w[2], w[3], w[4]
	q4, q5 := p.charge(3)[:len(places)], p.charge(4)[:len(places)]
	for k, place := range places {
		q := q1[k]
		past[place] = w1*q + w2*q2[k] + w3*q3[k] + w4*q4[k]
		guess[k] = q + a2*(q2[k]-q) + a3*(q3[k]-q) + a4*(q4[k]-q) + a5*(q5[k]-q)
	}
}

// sumUp adds weighted values of all charges to the sums.
func (st *stepper) sumUp(weight float64, values []float64) {
	sum := st.sum
	values = values[:len(sum)]
	for k, v := range values {
		sum[k] += weight * v
	}
}

// The formulas: backward Euler, the trapezoidal rule, and the backward differences of order
// 2 to 4.
const (
	euler       = 1
	trapezoidal = 2
	gear        = -2
)

// steps is the order of a formula.
func steps(order int) int { return max(order, -order) }

// formulaNow chooses the formula of the next step. A stretch opens with backward Euler,
// which needs no current of the past.
func (st *stepper) formulaNow() int {
	switch {
	case st.past.points < 2 || st.opt.MaxOrd < 2:
		return euler
	case st.order > 2:
		return st.order
	case st.opt.Gear || st.damp > 0:
		return gear
	}
	return trapezoidal
}

// try solves at t+h. ok tells whether the error was within tolerance; better is the step
// to go on with, or to try instead.
func (st *stepper) try(t, h float64) (ok bool, better float64, err error) {
	s, l := st.sim, &st.load
	if st.staged != nil {
		if st.staged.taken = false; st.past.points >= 2 {
			return st.tryStages(t, h)
		}
	}
	order := st.formulaNow()
	if st.past.points > 2 {
		st.leapt = false
	}
	st.formula(h, order)
	l.Time = t + h
	copy(l.Now, l.Last)
	st.predict(h, steps(order))
	for k, i := range st.index {
		st.ahead[k] = s.x[i]
	}
	// The tiny steps behind a corner end at the residual itself.
	r, err := s.newton(newtonOptions{iterations: s.opt.Itl4, tolerance: st.tolerance,
		follow: s.followers != nil && h > 1e-6*st.stop})
	// A step that fails is shorter next time; when that cannot be the reason, nothing is left
	// but to leap.
	if errors.Is(err, errDiverged) && h <= st.instant()/100 {
		if leapt, cause := st.leap(h); leapt || cause != nil {
			return leapt, h, cause
		}
	}
	if err != nil {
		copy(s.x, st.past.x(0))
		st.order, st.steady = 2, 0
		return false, h / 8, err
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	st.past.gather(st.now, l.Now, 0)
	if at, jumped := st.jump(); jumped {
		return st.land(t, h, at, order)
	}
	wrong := st.localError(h, order)
	better = st.grown(h, order, wrong)
	calm := better // were it not for what drawing sees
	if wrong > 2 {
		calm = 3 * h
	}
	bow, miss := st.drawing(h)
	if order > 2 && miss > 1 {
		// A corner inside the step: formulas that look far back would round it off.
		st.order, st.steady = 2, 0
		better = min(better, h/2)
		wrong = max(wrong, miss)
	}
	if bow > 0 {
		// In front of a kink no bow was to be seen, and the line misses up to half of what
		// the prediction missed, not an eighth.
		if bow > 4*st.lastBow {
			bow *= 4
		}
		// Jumps cannot be drawn with finer steps; this much of the duration is fine enough.
		least := min(h, 1e-6*st.stop)
		better = min(better, max(0.8*h/math.Sqrt(bow), least))
		if h > least {
			wrong = max(wrong, bow)
		}
	}
	if r.rounded && h < 1e-6*st.stop {
		// Beside large capacitors and inductors a smaller step makes more rounding, not less.
		return true, calm, nil
	}
	if wrong > 2 && h > max(st.min, st.shortest)*1.01 {
		copy(s.x, st.past.x(0))
		return false, max(better, h/10), nil
	}
	return true, max(better, h/4), nil
}

// grown is the step that the local error r of a step of h allows next, and with it goes the
// order: that of the formula that allows the longest.
func (st *stepper) grown(h float64, order int, r float64) float64 {
	k := steps(order)
	if order == euler || st.past.points < 3 {
		st.order, st.steady = 2, 0
		return stretch(h, r, 1, 3)
	}
	st.steady++
	most := 3.0
	if k > 2 {
		most = 2
	}
	best, next := stretch(h, r, k, most), k
	if k > 2 && (r > 1 || st.steady%4 == 0) {
		if b := stretch(h, st.localError(h, k-1), k-1, most); b > best || r > 2 {
			best, next = min(b, max(best, h)), k-1
		}
	}
	up := k + 1
	if r <= 1 && up <= st.highest() && !st.opt.Gear && st.steady > k && st.past.points >= up+3 && h < 2*st.past.h[0] && st.past.h[0] < 2*st.past.h[1] {
		if b := 0.9 * stretch(h, st.localError(h, up), up, 2); b > best {
			best, next = b, up
		}
	}
	if next != k {
		st.order, st.steady = next, 0
	}
	// Formulas that look far back want even steps.
	if next > 2 && best > h && (best < 1.2*h || !st.past.even(h, k-1)) {
		return h
	}
	return best
}

// highest is the highest order of the step's formula. That of order 4 makes oscillations grow whose
// damping is weak and that the steps do not resolve (it is stable up to 73 degrees from the
// negative axis, that of order 3 up to 86), and coils ring with the capacitances around them.
// Where the steps do resolve an oscillation, twelve of them a period or more, order 4 lets it
// grow less than order 3, which is wrong about the amplitude first: by (ωh)⁴/4 in every step.
// The oscillation of a circuit that has no clock is resolved, and its period wants that.
func (st *stepper) highest() int {
	if st.setup.Fluxes > 0 && !st.unclocked {
		return min(st.opt.MaxOrd, 3)
	}
	return min(st.opt.MaxOrd, 4)
}

// stretch is the step at which a formula of order k that errs by r with h errs by half of
// what is allowed, at most most times h.
func stretch(h, r float64, k int, most float64) float64 {
	if r <= 0 {
		return most * h
	}
	var root float64 // of r, the k+1st
	switch k {
	case 1:
		root = math.Sqrt(r)
	case 2:
		root = math.Cbrt(r)
	case 3:
		root = math.Sqrt(math.Sqrt(r))
	default:
		root = math.Pow(r, 1/float64(k+1))
	}
	return h * min(most, 0.8/root)
}

// predict writes the continuation of the last points into x, where Newton starts, by a
// polynomial of the formula's order, or, behind a corner, by the line through two. The line
// is kept for drawing.
func (st *stepper) predict(h float64, order int) {
	p := &st.past
	if p.points < 3 {
		return
	}
	f := h / p.h[0]
	n := len(st.x)
	line, next := st.line[:n], st.x
	x1, x2 := p.x(0)[:n], p.x(1)[:n]
	d := min(order, p.points-2)
	if d < 2 || h >= 2*p.h[0] {
		for i, x := range x1 {
			line[i] = x + f*(x-x2[i])
		}
		copy(next, line)
		return
	}
	w := &st.weights
	if d != st.foreseen {
		a := p.ahead(h, d)
		w = &a
	}
	w2, w3, w4, w5 := w[2], w[3], w[4], w[5]
	x3, x4, x5 := p.x(2)[:n], p.x(3)[:n], p.x(4)[:n]
	for i, x := range x1 {
		b := x - x2[i]
		line[i] = x + f*b
		next[i] = x - w2*b + w3*(x3[i]-x) + w4*(x4[i]-x) + w5*(x5[i]-x)
	}
	next[0] = 0
}

// unwind takes back the unchecked first step of a stretch when the second shows that it
// was too long. It gives the length of the step taken back, 0 when there was no need.
func (st *stepper) unwind(better float64) float64 {
	h := st.past.h[0]
	if st.past.points != 2 || better >= h || h <= st.min*4 || st.leapt {
		return 0
	}
	st.past.pop()
	st.load.Last = st.past.states[0]
	copy(st.x, st.past.x(0))
	st.out.drop(1)
	return h
}

// accept makes the solution the last point.
func (st *stepper) accept(h float64) {
	s, l := st.sim, &st.load
	s.stats.TimeSteps++
	st.lastBow = max(st.newBow, 0.1)
	lo, hi := st.qlo[:len(st.now)], st.qhi[:len(st.now)]
	for k, v := range st.now {
		if v < lo[k] || v > hi[k] || st.qtol[k] == 0 {
			if v < lo[k] {
				lo[k] = v
			} else if v > hi[k] {
				hi[k] = v
			}
			st.qtol[k] = st.chargeTolerance(k, v)
		}
	}
	least, most := st.xlo[:len(st.index)], st.xhi[:len(st.index)]
	for k, i := range st.index {
		if x := s.x[i]; x < least[k] {
			least[k] = x
		} else if x > most[k] {
			most[k] = x
		}
	}
	st.load.Now, st.now = st.past.push(l.Now, st.now, s.x, h)
	l.Last = st.past.states[0]
	largest := st.imax[:len(st.now)]
	for k, i := range st.past.current(0) {
		if i = math.Abs(i); i > largest[k] {
			largest[k] = i
		}
	}
	if s.stats.TimeSteps&15 == 0 {
		st.shareOut()
	}
	if st.damp > 0 {
		st.damp--
	} else if st.rings() {
		st.damp = 16
	}
}

// rings looks for the trapezoidal rule's own oscillation: a current that goes up and down
// with every step, not dying out, while the charge is smooth. A true oscillation never
// looks like that, because the error control gives its period dozens of steps.
func (st *stepper) rings() bool {
	p := &st.past
	if p.points < 5 || st.order > 2 || st.opt.Gear || st.opt.MaxOrd < 2 {
		return false
	}
	n := len(st.imax)
	c0, c1, c2, c3 := p.current(0)[:n], p.current(1)[:n], p.current(2)[:n], p.current(3)[:n]
	for k, most := range st.imax {
		e0, e1 := c0[k]-c1[k], c1[k]-c2[k]
		if e0*e1 >= 0 {
			continue
		}
		if e2 := c2[k] - c3[k]; e1*e2 < 0 && math.Abs(e0) > 0.5*math.Abs(e1) && math.Abs(e1) > 0.5*math.Abs(e2) &&
			math.Abs(e0) > 10*st.opt.Reltol*most+st.opt.Abstol {
			return true
		}
	}
	return false
}
