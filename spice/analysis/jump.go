package analysis

import "math"

// A switch changes its state between two time points, and no formula holds across that: the
// jump gets a short step of its own, which opens a new stretch.

// instant is how long the step with a jump may be: within it, nobody can tell when the
// jump happened.
func (st *stepper) instant() float64 { return math.Max(1e-6*st.stop, st.min) }

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
		st.edge = 0
		return true, h, nil
	}
	copy(st.x, st.past.x(0))
	st.order, st.steady = 2, 0
	before := math.Min(at*h-instant/2, 0.9*h)
	if before < instant {
		st.past.points = 1
		return false, math.Min(h, instant), nil
	}
	st.edge = t + at*h
	return false, before, nil
}
