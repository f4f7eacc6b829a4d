package analysis

import (
	"errors"
	"math"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// implausibleCurrent is the current [A] of a device above which its initial voltages are a mistake.
const implausibleCurrent = 1e6

// begin computes the state at t = 0. It is the operating point with the nodes of .ic held, or the
// initial conditions themselves with uic or if no operating point exists.
func (st *stepper) begin() error {
	s, l := st.sim, &st.load
	l.Transient, l.Time = true, 0
	ic := s.nodeValues(s.job.Circuit.IC)
	st.order.reset()
	st.order.damping = 0
	st.foldJumped = false
	computed := false // whether this run computes the operating point itself
	switch {
	case s.job.Analysis.UIC:
		if err := st.applyConsistentIC(ic); errors.Is(err, errDiverged) {
			return diag.At(diag.NoConvergence, s.job.Analysis.Line,
				"no consistent state was found at 0 s with uic, where nodes without .ic are at 0 V: "+
					"give .ic of the supply nodes too, or leave uic out%s", s.worstResidual(err))
		} else if err != nil {
			return err
		}
	case st.origin != nil:
		s.dcMode()
		s.restore(st.origin)
	default:
		// Use the tolerances of .op. All runs start from this point, so a comparison of runs would
		// not reveal its error.
		s.icConstraints = ic
		err := s.operatingPoint()
		s.icConstraints = nil
		if errors.Is(err, errDiverged) {
			// A relaxation oscillator with switches may have a transient but no operating point.
			where := s.worstResidual(err)
			if st.applyConsistentIC(ic) != nil {
				return s.noOperatingPoint(err, where)
			}
			s.job.Analysis.UIC = true // later runs start in the same way
			s.warn("no operating point was found" + where + "; the transient starts as with uic, " +
				"from ic= and .ic and with everything else uncharged")
			break
		}
		if err != nil {
			return err
		}
		st.origin = new(snapshot)
		s.save(st.origin)
		computed = true
	}
	for _, d := range s.storage {
		d.Update(l)
	}
	st.restart()
	st.lte.start(st.charges.past.charge(0))
	st.setRoundoff()
	st.chord.start(s.x)
	if computed {
		st.conditioning.begin(s, &st.chord)
	}
	if st.radau != nil {
		st.radau.start(s.x)
	}
	if st.autonomous {
		// The residual errors of Newton's method average out over the compared periods. The factor
		// on the Newton tolerance may thus be as large as that on the charge tolerance.
		st.tolerance.scale = min(maxNewtonTol, st.tolScale)
		if st.variation != nil {
			st.tolerance.scale = st.tolScale / autonomousDivisor
		}
	}
	return nil
}

// applyConsistentIC computes the state at t = 0 from the initial conditions with consistent states
// of the logic devices.
func (st *stepper) applyConsistentIC(ic []nodeValue) error {
	clear(st.load.State)
	return st.settleLogic(func() error { return st.applyIC(ic) })
}

// applyIC computes the state at t = 0 from the initial conditions. All other charges are 0.
func (st *stepper) applyIC(ic []nodeValue) error {
	s := st.sim
	s.dcMode()
	s.reset()
	for _, h := range ic {
		s.x[h.node] = h.value
	}
	for i, u := range s.setup.Unknowns { // no current flows yet
		if u.Internal {
			s.x[i] = s.x[u.ParentNode]
		}
	}
	for _, d := range s.storage {
		d.Initial(&s.load)
	}
	// A very short step makes the sources and resistors consistent with the charges. It also gives
	// the currents at t = 0.
	s.initJunctionCharges()
	st.restart()
	h := st.firstStep(st.maxStep)
	if len(s.nonlinear) == 0 {
		return st.linearInitialState(h)
	}
	first := append([]float64(nil), s.x...)
	options := newtonOptions{iterations: s.opt.Itl1, tolerance: st.tolerance}
	for fraction := 1e-3; ; fraction *= 10 {
		st.applyFormula(bdf{k: 1}, 0, fraction*h)
		_, err := s.newton(options)
		if err == nil {
			err = s.poleError()
		}
		if err == nil || isFatal(err) {
			return err
		}
		if fraction >= 1 {
			return s.initialCurrentError(first, err)
		}
		copy(s.x, first) // in so short a step the currents of charges may be pure roundoff
		copy(s.load.State, s.load.PrevState)
	}
}

// initialCurrentError returns the error for initial voltages x without a consistent state. If they
// cause an implausible current of a semiconductor, it names this device. Otherwise it returns err.
func (s *sim) initialCurrentError(x []float64, err error) error {
	l := s.load
	l.X = x
	most, element := implausibleCurrent, (*netlist.Element)(nil)
	for _, d := range s.nonlinear {
		r, ok := d.(device.Reporter)
		if !ok || d.Element().BSource != nil {
			continue
		}
		_, quantities := r.Report(&l)
		for _, q := range quantities {
			if i := math.Abs(q.Value); q.Unit == "A" && i > most {
				most, element = i, d.Element()
			}
		}
	}
	if element == nil {
		return err
	}
	return diag.On(diag.NoConvergence, element.Line, element.Name,
		"the initial voltages at %s would cause a current of %.2g A; choose other values in .ic or ic=",
		element.Name, most)
}

// linearInitialState computes the state at t = 0 of a linear circuit by a backward Euler step of at
// most h [s]. If the step is too short, a large capacitance or a small inductance leaves no
// significant digits for the other elements. linearInitialState therefore tries four steps and
// selects the one whose voltages differ least from those of the next longer step.
func (st *stepper) linearInitialState(h float64) error {
	s := st.sim
	var last, best []float64
	least := math.Inf(1)
	for _, fraction := range [...]float64{1, 0.1, 0.01, 1e-3} {
		copy(s.load.State, s.load.PrevState)
		st.applyFormula(bdf{k: 1}, 0, fraction*h)
		_, err := s.newton(newtonOptions{iterations: s.opt.Itl1, tolerance: st.tolerance})
		if isFatal(err) {
			return err
		}
		if err != nil {
			if last == nil {
				return err
			}
			break
		}
		difference, size := 0.0, 0.0
		for i := 1; last != nil && i <= s.n; i++ {
			if !s.branch[i] {
				difference = max(difference, math.Abs(s.x[i]-last[i]))
				size = max(size, math.Abs(s.x[i]))
			}
		}
		if last == nil || difference <= least {
			best = append(best[:0], s.x...)
		}
		if last != nil {
			least = min(least, max(difference, 1e-9*size))
		}
		last = append(last[:0], s.x...)
	}
	copy(s.x, best)
	return nil
}

// initJunctionCharges computes the charges of semiconductors from the initial voltages.
func (s *sim) initJunctionCharges() {
	l := &s.load
	copy(s.a, s.linearA)
	clear(s.b)
	l.A, l.B = s.a, s.b
	for range 100 { // until no junction is limited
		l.Limited = false
		for _, d := range s.nonlinear {
			d.Load(l)
		}
		copy(l.PrevState, l.State)
		if !l.Limited {
			break
		}
	}
	l.Limited = false
}
