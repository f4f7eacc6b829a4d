package analysis

import "math"

// A switch changes its state between two time points, and no formula holds across that: the
// jump gets a short step of its own, which opens a new stretch.

// instant is how long the step with a jump may be: within it, nobody can tell when the
// jump happened.
func (st *stepper) instant() float64 { return math.Max(1e-6*st.stop, st.min) }

// verge is how long before a jump the step with it begins. The whole step is the circuit's after
// the jump, so that half an instant here would make every jump early by as much.
func (st *stepper) verge() float64 { return math.Max(st.instant()/32, st.min) }

// jump gives the part of the step at which the first device jumped.
func (st *stepper) jump() (at float64, jumped bool) {
	at = 1
	for _, d := range st.jumpers {
		if a, ok := d.Jump(&st.load, st.past.x(0)); ok {
			at, jumped = math.Min(at, a), true
		}
	}
	return at, jumped
}

// land brings a jump, found at the part at of the step, into a step of its own. That step is
// short and opens a stretch: backward Euler asks nothing of the currents before the jump and
// does not ring behind it, and unwind takes it back should the circuit answer faster.
func (st *stepper) land(t, h, at float64, order int) (ok bool, better float64, err error) {
	instant := st.instant()
	if h <= instant && order == euler {
		st.edge, st.landed = 0, true
		return true, h, nil
	}
	copy(st.x, st.past.x(0))
	st.order, st.steady = 2, 0
	before := math.Min(at*h-st.verge(), 0.9*h)
	if before < st.verge() {
		st.past.points = 1
		return false, math.Min(h, instant), nil
	}
	st.edge = t + at*h
	return false, before, nil
}

// leap takes a step of next to no length to another branch of the circuit's curves. Where
// transistors feed each other through nodes without a capacitance to ground, the branch that
// the solution follows may end, and Newton's method, however short the step, looks in vain. The
// charges stay; what the circuit comes to rest at with a small capacitor at every node is
// where it would go. It opens a stretch.
func (st *stepper) leap(h float64) (ok bool, err error) {
	s, l := st.sim, &st.load
	st.formula(h, euler)
	copy(l.Now, l.Last)
	copy(s.x, st.past.x(0))
	err = s.settle(st.tolerance)
	s.diagG = 0
	if hard(err) {
		return false, err
	}
	if err != nil {
		return false, nil //nolint:nilerr // no solution found: the step fails as before
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	st.past.gather(st.now, l.Now, 0)
	st.past.points, st.order, st.steady, st.edge, st.leapt = 1, 2, 0, 0, true
	return true, nil
}

// settle follows the circuit with a capacitor at every node, as pseudoTransient does, in steps
// that double while it moves and grow faster where it rests.
func (s *sim) settle(accuracy tolerance) error {
	// A shorter step is cheaper than more iterations.
	options := newtonOptions{iterations: 8, tolerance: accuracy}
	var good snapshot
	s.save(&good)
	for g, rounds := 1.0, 0; g > 1e-13; rounds++ {
		copy(s.diagRef, s.x)
		s.diagG = g
		r, err := s.newton(options)
		switch {
		case hard(err) || rounds > 500 || g > 1e9:
			return err
		case err != nil:
			s.restore(&good)
			g *= 8
			continue
		}
		s.save(&good)
		if g /= 2; r.iterations < 2 {
			g /= 16
		}
	}
	s.diagG = 0
	options.iterations = s.opt.Itl1
	_, err := s.newton(options)
	return err
}
