package analysis

import (
	"errors"
	"math"

	"slipstick/spice/mna"
)

// newtonOptions are the settings of one solution by Newton's method.
type newtonOptions struct {
	iterations    int  // iteration limit
	initJunctions bool // devices start at initial junction voltages (MODEINITJCT)
	tolerance
	bypass bool // the last device evaluation may be bypassed
}

// tolerance scales the tolerances of Newton's method.
type tolerance struct {
	scale     float64 // factor on all tolerances; below 1 in the finer runs of a transient
	moveScale float64 // factor on the tolerance of the correction; above 1 in a transient
	strict    bool    // residuals are limited by strictResidual too
}

// defaultNewton returns options with the given iteration limit and with the tolerances of the
// request.
func defaultNewton(iterations int, initJunctions bool) newtonOptions {
	return newtonOptions{iterations: iterations, initJunctions: initJunctions,
		tolerance: tolerance{scale: 1, moveScale: 1}}
}

// newtonResult describes how a solution was accepted.
type newtonResult struct {
	iterations int
	atRoundoff bool // set if the residual was at the roundoff level of its terms
	residual   bool // set if sim.f holds the residual of the solution
}

// divergence is the error of an iteration that did not converge. It matches errDiverged.
type divergence struct {
	unknown int // index of the unknown that exceeded largest, or 0
}

func (d *divergence) Error() string { return errDiverged.Error() }

// Is lets errors.Is match a divergence with errDiverged.
func (d *divergence) Is(target error) bool { return target == errDiverged }

// newton solves the circuit for the settings in s.load, starting at s.x. Its error matches
// errDiverged, is a *mna.SingularError, or comes from countIteration.
//
// Each iteration linearizes at x, forms the residual f = A·x - b and solves A·dx = f for the
// correction dx. Solving for dx instead of x avoids a loss of digits near convergence. The
// iteration has converged if the last correction is within tolerance and no device was limited.
// Every residual must be small compared with the currents of its node. The states in s.load.State
// then belong to x. At DC a correction that stays above its tolerance over stalledIterations, while
// every residual is far below its tolerance, is the effect of roundoff. In a transient it can also
// be the end of a solution branch (foldJump).
func (s *sim) newton(o newtonOptions) (r newtonResult, err error) {
	s.linearized = false
	s.loadLinear()
	if len(s.nonlinear) == 0 {
		r.iterations, err = s.solveLinear(o.tolerance)
		return r, err
	}
	s.factored = false
	s.series.begin(s.x)
	l := &s.load
	var currents []float64 // only a bypass needs them
	if o.bypass {
		currents = s.currents
	}
	var last move
	wasAtRoundoff, stalled := false, 0
	for {
		copy(s.a, s.linearA)
		copy(s.b, s.linearB)
		l.A, l.B = s.a, s.b
		l.Limited, l.InitJunctions = false, o.initJunctions && r.iterations == 0
		l.LimitsPoles = l.A0 == 0 && r.iterations < poleIterations
		s.loadNonlinear()
		l.InitJunctions, l.LimitsPoles = false, false
		s.setup.Pattern.Residual(s.a, s.series.unknowns(s.x), s.b, s.f, s.scale, currents)
		kclMet, atRoundoff, farMet := s.checkResidual(o.tolerance)
		if o.bypass {
			s.limitBypass(o.tolerance)
		}
		if stalled++; l.A0 != 0 || l.Limited || !farMet || !last.nearlyConverged {
			stalled = 0
		}
		if stalled == stalledIterations {
			r.atRoundoff = true
			return r, nil
		}
		if !l.Limited {
			if last.small && kclMet {
				r.residual, s.linearized = true, true
				return r, nil
			}
			// A residual that stays at the roundoff level carries no more information. It may still
			// cause a large correction in a weakly connected part of the circuit.
			before := wasAtRoundoff
			wasAtRoundoff = atRoundoff
			if r.atRoundoff = atRoundoff && (last.nearlyConverged || before); r.atRoundoff {
				return r, nil
			}
		}
		if r.iterations == o.iterations {
			return r, errDiverged
		}
		if err := s.countIteration(); err != nil {
			return r, err
		}
		r.iterations++
		if err := s.factorSolve(); err != nil {
			return r, err
		}
		if last = s.step(o.tolerance); last.overflowedUnknown > 0 {
			return r, &divergence{last.overflowedUnknown}
		}
		if o.bypass && !l.Limited && s.bypass() {
			return r, nil
		}
	}
}

// largest is the largest plausible voltage [V] or current [A]. A larger value indicates divergence.
const largest = 1e30

// poleIterations is the number of iterations at DC in which sources with expressions may leave out
// divisions by almost 0. All voltages begin at 0. In a chain of products, each iteration makes one
// more voltage differ from 0.
const poleIterations = 10

// Thresholds for the roundoff of double precision.
const (
	roundoffResidual = 1e-14 // residual at the roundoff level, relative to the terms of its row
	// residual that counts as roundoff in every row at DC, relative to vntol. Currents are relative
	// to the smaller one of abstol and gmin: 1e-6 of gmin moves a node by 1 uV.
	roundoffTolerance = 1e-6
	// largest residual after shortSteps short steps, relative to abstol or vntol. Beside resistors
	// of ohms, the terms of a row are amperes. A residual within reltol of them can move a node
	// with picoamperes by millivolts, which short steps do not reduce.
	strictResidual = 10
	// residual of a linear solution at the roundoff level, relative to the terms of its row
	linearResidual = 1e-12
	// correction at the roundoff level, relative to the largest voltage or current
	roundoffMove = 1e-11
	// correction near convergence, relative to the largest voltage or current
	nearMove = 1e-3
	// residual far below its tolerance, relative to the tolerance
	farResidual = 1e-3
	// number of iterations after which convergence from nearMove and farResidual has stalled; it is
	// quadratic, so two suffice without roundoff
	stalledIterations = 5
)

// bypassCurrent is the largest tangent error of a bypass, relative to the largest current of its
// row and to the tolerance. A small resistance between two nodes makes the terms of its rows far
// larger than any current. If the nodes have no other path for a current, tangent errors within
// these terms move both. The voltage between two zener diodes with RS was 4 % off. For 10, 30 and
// 100 it is at most 0.2 % off. With 10 the transients of make compare-ngspice take 0.9 % more
// iterations than with 30, and with 100 they take 0.5 % less. The terms in the rows of a series
// resistance are currents. The same factor applies to them.
const bypassCurrent = 30

// limitBypass sets the tolerances for bypass of the rows of series resistances, and limits those of
// the other coupled rows, by their currents.
func (s *sim) limitBypass(accuracy tolerance) {
	factor := bypassCurrent * s.opt.Reltol * accuracy.scale
	for k := range s.series.list {
		e := &s.series.list[k]
		if e.Outer > 0 {
			s.load.RowTol[e.Inner] = factor * s.currents[e.Inner]
			s.load.RowTol[e.Outer] = factor * s.currents[e.Outer]
		}
	}
	for _, i := range s.coupled {
		if limit := factor * s.currents[i]; limit < s.load.RowTol[i] {
			s.load.RowTol[i] = limit
		}
	}
}

// factorSolve factors the Jacobian A and solves A·dx = f for dx.
func (s *sim) factorSolve() error {
	changed := mna.PerIteration
	if key := s.keys.linear; key != s.keys.factored {
		changed = mna.PerStep
		if key.a0 = s.keys.factored.a0; key != s.keys.factored {
			changed = mna.Constant
		}
		s.keys.factored = s.keys.linear
	}
	copy(s.series.factored, s.series.atNodes)
	return s.lu.FactorSolve(s.a, s.f, s.dx, changed)
}

// bypass updates the states of the nonlinear devices along their tangents instead of evaluating the
// devices again. It is the device bypass of SPICE2 with an error bound. It reports whether the
// tangent errors are within the tolerance of Kirchhoff's current law.
func (s *sim) bypass() bool {
	for _, d := range s.bypassDevices {
		if !d.Bypass(&s.load) {
			return false
		}
	}
	return true
}

// move describes the last correction of x.
type move struct {
	small             bool // set if every change is within its tolerance
	nearlyConverged   bool // set if every change is below nearMove
	overflowedUnknown int  // index of the unknown that became non-finite or exceeded largest, or 0
}

// step subtracts dx from x. In a transient, moveScale relaxes the tolerance of the correction.
// Convergence is quadratic, so the next correction would be far smaller, and the residual decides.
func (s *sim) step(t tolerance) move {
	n := s.n + 1
	s.series.correct(s.dx)
	x, dx, kind := s.x[:n], s.dx[:n], s.kind[:n]
	var big [2]float64
	for i := 1; i < n; i++ {
		if a, k := math.Abs(x[i]), kind[i]&1; a > big[k] {
			big[k] = a
		}
	}
	// The roundoff of the largest voltage and current limits the precision of all others.
	floor := [2]float64{voltage: s.opt.Vntol*t.scale + roundoffMove*big[voltage],
		current: s.opt.Abstol*t.scale + roundoffMove*big[current]}
	far := [2]float64{nearMove * big[0], nearMove * big[1]}
	floor[0], floor[1] = t.moveScale*floor[0], t.moveScale*floor[1]
	relative := t.moveScale * s.opt.Reltol * t.scale
	m := move{small: true, nearlyConverged: true}
	for i := 1; i < n; i++ {
		k, old, moved := kind[i]&1, x[i], math.Abs(dx[i])
		v := old - dx[i]
		x[i] = v
		if !(math.Abs(v) <= largest) {
			m.overflowedUnknown = i
			return m
		}
		if moved > far[k] {
			m.nearlyConverged = false
		}
		if moved > floor[k]+relative*math.Abs(v) && moved > floor[k]+relative*math.Abs(old) &&
			(k == voltage || moved > s.currentRoundoff(i)) {
			m.small = false
		}
	}
	s.series.setNodes(x)
	return m
}

// currentRoundoff returns the roundoff [A] of current unknown i, derived from the largest current
// at its nodes. In a very short step the largest current is that of a capacitor across a source.
func (s *sim) currentRoundoff(i int) float64 {
	most := 0.0
	for _, node := range s.currentNodes[i] {
		most = max(most, s.scale[node])
	}
	return roundoffResidual * most
}

// checkResidual stores the tolerance of every row for bypass. kclMet reports whether every residual
// is small relative to the terms of its row (Kirchhoff's current law). atRoundoff reports whether
// every residual is at the roundoff level. In very short steps the currents of large capacitors
// limit the precision of the residual. farMet reports whether every residual is below farResidual
// of its tolerance.
func (s *sim) checkResidual(accuracy tolerance) (kclMet, atRoundoff, farMet bool) {
	n := s.n + 1
	f, scale, tol, kind := s.f[:n], s.scale[:n], s.load.RowTol[:n], s.kind[:n]
	// A node row sums currents, and a branch row sums voltages.
	least := [2]float64{voltage: s.opt.Abstol, current: s.opt.Vntol}
	relative := s.opt.Reltol * accuracy.scale
	var roundoff [2]float64 // smallest residuals above the roundoff level
	if s.load.A0 == 0 {
		roundoff = [2]float64{voltage: roundoffTolerance * min(s.opt.Abstol, s.opt.Gmin),
			current: roundoffTolerance * s.opt.Vntol}
	}
	kclMet, atRoundoff, farMet = true, true, true
	for i := 1; i < n; i++ {
		t, r := relative*scale[i], math.Abs(f[i])
		tol[i] = t
		if accuracy.strict && !(r <= strictResidual*least[kind[i]&1]+roundoffResidual*scale[i]) {
			kclMet = false
		}
		if most := least[kind[i]&1] + t; !(r <= farResidual*most) {
			farMet = false
			if !(r <= most) {
				kclMet = false
			}
		}
		if !(r <= roundoffResidual*scale[i]+roundoff[kind[i]&1]) {
			atRoundoff = false
		}
	}
	return kclMet, atRoundoff, farMet
}

// refineSolution makes the solution independent of the initial guess within rounding, and warns if
// it is doubtful; see tryRefining.
func (s *sim) refineSolution() error {
	doubtful, err := s.tryRefining()
	if doubtful {
		s.warnOfResidual()
	}
	return err
}

// tryRefining runs two more iterations after newton, and more if these do not converge. doubtful
// reports that a residual stays above strictResidual. If the iterations diverge, the solution
// before them stays. At a pole of an expression, where the terms of a row exceed every residual,
// the error is a *pole.
func (s *sim) tryRefining() (doubtful bool, err error) {
	if len(s.nonlinear) == 0 {
		return false, nil
	}
	if err := s.poleError(); err != nil {
		return false, err
	}
	converged := &s.beforeRefining
	s.save(converged)
	s.loadLinear()
	full := tolerance{scale: 1, moveScale: 1}
	for round := range 3 {
		if round > 0 || !s.linearized {
			s.linearize()
			full.strict = round == 2
			if !s.isConverged(full) {
				return s.convergeStrictly()
			}
		}
		if round == 2 {
			break
		}
		if err := s.countIteration(); err != nil {
			return false, err
		}
		if err := s.factorSolve(); err != nil {
			return false, err
		}
		if s.step(full).overflowedUnknown > 0 {
			s.restore(converged)
			return true, nil
		}
	}
	return false, nil
}

// convergeStrictly continues Newton's method at DC until every residual is below strictResidual.
// The terms of a row beside a junction of microvolts per decade are kiloamperes. A residual within
// reltol of them is no solution. doubtful reports that a residual stays above strictResidual. If
// the iteration diverges, the solution before tryRefining stays.
func (s *sim) convergeStrictly() (doubtful bool, err error) {
	o := defaultNewton(s.opt.Itl1, false)
	o.strict = true
	_, err = s.newton(o)
	switch {
	case isFatal(err):
		return false, err
	case err != nil:
		s.restore(&s.beforeRefining)
		return true, nil //nolint:nilerr // the solution before the divergence stays
	}
	s.linearize()
	return !s.isConverged(o.tolerance), nil
}

// isConverged reports whether no device was limited and every residual is small at s.x, at which
// the circuit is linearized.
func (s *sim) isConverged(accuracy tolerance) bool {
	s.setup.Pattern.Residual(s.a, s.series.unknowns(s.x), s.b, s.f, s.scale, nil)
	kclMet, _, _ := s.checkResidual(accuracy)
	return kclMet && !s.load.Limited
}

// linearize assembles the matrix s.a and the right-hand side s.b at s.x. loadLinear must be called
// first.
func (s *sim) linearize() {
	l := &s.load
	copy(s.a, s.linearA)
	copy(s.b, s.linearB)
	l.A, l.B = s.a, s.b
	l.Limited = false
	s.loadNonlinear()
}

// loadNonlinear adds the nonlinear devices and the series resistances to s.a and s.b.
func (s *sim) loadNonlinear() {
	for _, d := range s.nonlinear {
		d.Load(&s.load)
	}
	s.series.assemble(s.a)
}

// solve solves A·x = b with the factors of the last iteration. A belongs to the unknowns of
// Newton's method, x to the nodes.
func (s *sim) solve(b, x []float64) {
	s.lu.Solve(b, x)
	toNodes(&s.series, x, s.series.factored)
}

// isFatal reports whether no other convergence aid or step length can resolve err.
func isFatal(err error) bool {
	if err == nil || errors.Is(err, errDiverged) {
		return false
	}
	var sing *mna.SingularError
	return !errors.As(err, &sing)
}
