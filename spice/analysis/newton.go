package analysis

import (
	"errors"
	"math"

	"slipstick/spice/mna"
)

// newtonOptions are the settings of one solution by Newton's method.
type newtonOptions struct {
	iterations int  // most iterations
	start      bool // the junctions choose their own first voltages
	tolerance
	follow bool // the iteration may end with a move that the tangents follow
}

// tolerance scales the tolerances of Newton's method.
type tolerance struct {
	strict float64 // factor on all of them; below 1 in the finer runs of a transient
	stride float64 // factor on that of the last move, above 1 in a transient
}

// plainNewton are the options at the tolerances of the request.
func plainNewton(iterations int, start bool) newtonOptions {
	return newtonOptions{iterations: iterations, start: start, tolerance: tolerance{1, 1}}
}

// newtonResult is how an iteration ended.
type newtonResult struct {
	iterations int
	rounded    bool // the residual was down to the rounding of its terms
}

// divergence is the error of an iteration that found no solution; it is errDiverged.
type divergence struct {
	unknown int // that left the finite numbers; 0: none did
}

func (d *divergence) Error() string { return errDiverged.Error() }

// Is makes a divergence errDiverged for errors.Is.
func (d *divergence) Is(target error) bool { return target == errDiverged }

// newton solves the circuit at the settings of s.load, starting from s.x. Its errors are
// errDiverged, *mna.SingularError and those of tick.
//
// Each round linearises at x, forms the residual f = A*x - b, and either accepts x or
// moves it by the solution of A*dx = f. Taking dx instead of the new x as the unknown
// keeps the digits when x has settled. x is accepted when the last move was within
// tolerance, no device limited itself, and the residual of every row, evaluated at x, is
// small beside the currents that meet there; the states in s.load.Now then belong to x.
func (s *sim) newton(o newtonOptions) (r newtonResult, err error) {
	s.loadLinear()
	if len(s.nonlinear) == 0 {
		r.iterations, err = s.solveLinear(o.tolerance)
		return r, err
	}
	s.factored = false
	l := &s.load
	var last move
	exact := false
	for {
		copy(s.a, s.baseA)
		copy(s.b, s.baseB)
		l.A, l.B = s.a, s.b
		l.Limited, l.Start = false, o.start && r.iterations == 0
		for _, d := range s.nonlinear {
			d.Load(l)
		}
		l.Start = false
		s.setup.Pattern.Residual(s.a, s.x, s.b, s.f, s.scale)
		balanced, rounded := s.judge(o.tolerance)
		if !l.Limited {
			if last.small && balanced {
				return r, nil
			}
			// A residual that stays at its rounding holds no more than rounding, however far
			// that moves a part of the circuit that next to nothing ties down.
			before := exact
			exact = rounded
			if r.rounded = exact && (last.near || before); r.rounded {
				return r, nil
			}
		}
		if r.iterations == o.iterations {
			return r, errDiverged
		}
		if err := s.tick(); err != nil {
			return r, err
		}
		r.iterations++
		if err := s.factorSolve(); err != nil {
			return r, err
		}
		if last = s.step(o.tolerance); last.beyond > 0 {
			return r, &divergence{last.beyond}
		}
		if o.follow && !l.Limited && s.followed() {
			return r, nil
		}
	}
}

// largest is the largest voltage [V] or current [A] that counts as a solution.
const largest = 1e30

// factorSolve makes dx the solution of A*dx = f.
func (s *sim) factorSolve() error {
	changed := mna.PerIteration
	if key := s.stamped; key != s.fixed {
		changed = mna.PerStep
		if key.a0 = s.fixed.a0; key != s.fixed {
			changed = mna.Constant
		}
		s.fixed = s.stamped
	}
	return s.lu.FactorSolve(s.a, s.f, s.dx, changed)
}

// followed moves the states of the nonlinear devices along their tangents. It tells whether
// the tangents miss less than the tolerance of Kirchhoff's current law: loading the devices
// again would then show no more.
func (s *sim) followed() bool {
	for _, d := range s.followers {
		if !d.Follow(&s.load) {
			return false
		}
	}
	return true
}

// move is how far an iteration went.
type move struct {
	small  bool // within the tolerance
	near   bool // within a thousandth of the largest voltage and current
	beyond int  // unknown that left the finite numbers; 0: none did
}

// step moves x by -dx. In a transient the move may be larger than the tolerance by the factor
// stride: the residual decides there, and the next move would be the square of this one.
func (s *sim) step(t tolerance) move {
	n := s.n + 1
	x, dx, kind := s.x[:n], s.dx[:n], s.kind[:n]
	var big [2]float64
	for i := 1; i < n; i++ {
		if a, k := math.Abs(x[i]), kind[i]&1; a > big[k] {
			big[k] = a
		}
	}
	// Rounding in the largest quantities spills into all others.
	floor := [2]float64{voltage: s.opt.Vntol*t.strict + 1e-11*big[voltage], current: s.opt.Abstol*t.strict + 1e-11*big[current]}
	far := [2]float64{1e-3 * big[0], 1e-3 * big[1]}
	floor[0], floor[1] = t.stride*floor[0], t.stride*floor[1]
	relative := t.stride * s.opt.Reltol * t.strict
	m := move{small: true, near: true}
	for i := 1; i < n; i++ {
		k, old, moved := kind[i]&1, x[i], math.Abs(dx[i])
		v := old - dx[i]
		x[i] = v
		if !(math.Abs(v) <= largest) {
			m.beyond = i
			return m
		}
		if moved > far[k] {
			m.near = false
		}
		if moved > floor[k]+relative*math.Abs(v) && moved > floor[k]+relative*math.Abs(old) {
			m.small = false
		}
	}
	return m
}

// correct moves x by -dx, whatever the tolerance; it returns false when x left the finite numbers.
func (s *sim) correct() bool {
	x := s.x[:len(s.dx)]
	for i, d := range s.dx {
		v := x[i] - d
		x[i] = v
		if !(math.Abs(v) <= largest) {
			return false
		}
	}
	return true
}

// judge tells the devices how large a residual of every row may be beside its terms.
//
// balanced is Kirchhoff's current law: every residual is small beside its row. rounded says
// that every residual is down to the rounding of its terms: beside the currents of large
// capacitors in tiny steps, smaller ones cannot be told any better.
func (s *sim) judge(accuracy tolerance) (balanced, rounded bool) {
	n := s.n + 1
	f, scale, tol, kind := s.f[:n], s.scale[:n], s.load.Tol[:n], s.kind[:n]
	// The row of a node sums currents, that of a branch voltages.
	least := [2]float64{voltage: s.opt.Abstol, current: s.opt.Vntol}
	relative := s.opt.Reltol * accuracy.strict
	balanced, rounded = true, true
	for i := 1; i < n; i++ {
		t, r := relative*scale[i], math.Abs(f[i])
		tol[i] = t
		if !(r <= least[kind[i]&1]+t) {
			balanced = false
		}
		if !(r <= 1e-14*scale[i]) {
			rounded = false
		}
	}
	return balanced, rounded
}

// loadLinear fills baseA and baseB with everything that does not change during the
// iteration. baseA is kept while nothing it depends on has changed, and of a step of another
// length only what stores charge or flux is added anew.
func (s *sim) loadLinear() {
	l := &s.load
	l.B = s.baseB
	clear(s.baseB)
	key := s.linearKey()
	steady := key
	steady.a0 = 0
	if steady != s.settled {
		s.settled = steady
		s.loadSteady()
		s.loadStoring()
	} else {
		for _, d := range s.drivers {
			d.LoadRHS(l)
		}
		if key != s.stamped {
			s.loadStoring()
		} else {
			for _, d := range s.storage {
				d.LoadRHS(l)
			}
		}
	}
	s.stamped = key
	for _, h := range s.holds {
		s.baseB[h.node] += holdG * h.value
	}
	if s.diagG > 0 {
		for i := 1; i <= s.n; i++ {
			if !s.branch[i] {
				s.baseB[i] += s.diagG * s.diagRef[i]
			}
		}
	}
}

// loadSteady fills steadyA with what does not depend on the time step.
func (s *sim) loadSteady() {
	l := &s.load
	l.A = s.steadyA
	clear(s.steadyA)
	for _, d := range s.steady {
		d.Load(l)
	}
	for _, d := range s.mixed {
		d.LoadLinear(l)
	}
	shunts := s.loose
	if l.A0 == 0 {
		shunts = s.shunts
	}
	for _, n := range shunts {
		s.steadyA[s.nodeDiag[n]] += shuntG
	}
	for _, h := range s.holds {
		s.steadyA[s.nodeDiag[h.node]] += holdG
	}
	if s.diagG > 0 {
		for i := 1; i <= s.n; i++ {
			if !s.branch[i] {
				s.steadyA[s.nodeDiag[i]] += s.diagG
			}
		}
	}
}

// loadStoring makes baseA of steadyA and of what depends on the time step.
func (s *sim) loadStoring() {
	l := &s.load
	l.A = s.baseA
	copy(s.baseA, s.steadyA)
	for _, d := range s.storage {
		d.Load(l)
	}
}

// linearKey is what the matrix of the linear part depends on.
func (s *sim) linearKey() factorKey {
	k := factorKey{a0: s.load.A0, dc: s.load.A0 == 0, diagG: s.diagG, epoch: s.epoch}
	for _, h := range s.holds {
		k.holds = k.holds*31 + h.node
	}
	return k
}

// solveLinear solves a circuit without nonlinear devices: one factorisation for each
// different matrix, one solution, and a correction when rounding asks for it. Factors that
// needed none the first time are trusted from then on.
func (s *sim) solveLinear(accuracy tolerance) (rounds int, err error) {
	key := s.stamped
	if !s.factored || key != s.key {
		if err := s.lu.Factor(s.baseA); err != nil {
			s.factored = false
			return 0, err
		}
		s.key, s.factored, s.proven = key, true, false
	}
	for ; ; rounds++ {
		s.setup.Pattern.Residual(s.baseA, s.x, s.baseB, s.f, s.scale)
		if rounds > 0 && s.tight() {
			s.proven = rounds == 1
			break
		}
		if rounds == 4 {
			break
		}
		if rounds == 2 { // two solutions did not settle it: the pivots are poor
			if err := s.lu.Search(s.baseA); err != nil {
				return rounds, err
			}
		}
		if err := s.tick(); err != nil {
			return rounds, err
		}
		s.lu.Solve(s.f, s.dx)
		if !s.correct() {
			return rounds, &mna.SingularError{}
		}
		if s.proven {
			return rounds, nil
		}
	}
	if balanced, _ := s.judge(accuracy); !balanced {
		return rounds, errDiverged
	}
	return rounds, nil
}

func (s *sim) tight() bool {
	for i := 1; i <= s.n; i++ {
		if !(math.Abs(s.f[i]) <= 1e-12*s.scale[i]+1e-300) {
			return false
		}
	}
	return true
}

// polish runs two more iterations, so that the answer is the root itself and does not
// show how it was found. They are undone should they lead away.
func (s *sim) polish() error {
	if len(s.nonlinear) == 0 {
		return nil
	}
	keepX := append([]float64(nil), s.x...)
	keepS := append([]float64(nil), s.load.Now...)
	s.loadLinear()
	l := &s.load
	for round := range 3 {
		copy(s.a, s.baseA)
		copy(s.b, s.baseB)
		l.A, l.B = s.a, s.b
		l.Limited = false
		for _, d := range s.nonlinear {
			d.Load(l)
		}
		s.setup.Pattern.Residual(s.a, s.x, s.b, s.f, s.scale)
		if balanced, _ := s.judge(tolerance{1, 1}); l.Limited || !balanced {
			copy(s.x, keepX)
			copy(l.Now, keepS)
			return nil
		}
		if round == 2 {
			return nil
		}
		if err := s.tick(); err != nil {
			return err
		}
		if err := s.factorSolve(); err != nil {
			return err
		}
		if s.step(tolerance{1, 1}).beyond > 0 {
			copy(s.x, keepX)
			copy(l.Now, keepS)
			return nil
		}
	}
	return nil
}

// hard tells errors that another attempt cannot cure.
func hard(err error) bool {
	if err == nil || errors.Is(err, errDiverged) {
		return false
	}
	var sing *mna.SingularError
	return !errors.As(err, &sing)
}
