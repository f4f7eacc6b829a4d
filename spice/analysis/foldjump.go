package analysis

// foldJump moves the circuit to another solution branch within one very short step h [s]. The error
// is a *pole if an expression divides by 0 on this branch. If no other branch is found, isFatal is
// false for the error. If transistors drive each other through nodes without capacitance to ground,
// the branch may end in a fold. Newton's method then fails at any step length. The charges keep
// their values, and the circuit settles with a small capacitor at every node (pseudo-transient
// continuation: Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998). The integration restarts at the
// new point.
func (st *stepper) foldJump(h float64) error {
	s, l := st.sim, &st.load
	st.applyFormula(bdf{k: 1}, 0, h)
	copy(l.State, l.PrevState)
	copy(s.x, st.charges.past.x(0))
	err := s.settle(st.tolerance)
	s.diagG = 0
	if err == nil {
		err = s.poleError()
	}
	if err != nil {
		return err
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	st.charges.past.copyCharges(st.charges.now, l.State, 0)
	st.discardHistory()
	st.order.reset()
	st.events.next, st.foldJumped = 0, true
	if st.variation != nil {
		st.variation.void = true
	}
	return nil
}

// settle lets the circuit settle with a capacitor at every node, as pseudoTransient does. accuracy
// scales the tolerances of Newton's method. Each converged step doubles the step length; a step of
// fewer than two iterations multiplies it by 32.
func (s *sim) settle(accuracy tolerance) error {
	// Retrying with a shorter step costs less than further iterations.
	options := newtonOptions{iterations: 8, tolerance: accuracy}
	var converged snapshot
	s.save(&converged)
	for g, rounds := 1.0, 0; g > 1e-13; rounds++ {
		copy(s.diagRef, s.x)
		s.diagG = g
		r, err := s.newton(options)
		switch {
		case isFatal(err) || rounds > 500 || g > 1e9:
			return err
		case err != nil:
			s.restore(&converged)
			g *= 8
			continue
		}
		s.save(&converged)
		if g /= 2; r.iterations < 2 {
			g /= 16
		}
	}
	s.diagG = 0
	options.iterations = s.opt.Itl1
	_, err := s.newton(options)
	return err
}
