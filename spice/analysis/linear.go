package analysis

import (
	"math"

	"slipstick/spice/mna"
)

// cacheKey identifies the matrix of a linear circuit or the linear part of the matrix of a
// nonlinear circuit.
type cacheKey struct {
	a0, diagG float64
	dc        bool // set at DC, where charges carry no current
	ic        int  // hash of the constrained nodes
	epoch     int  // version of the device values (sim.epoch)
}

// currentKey returns the cache key for the present settings.
func (s *sim) currentKey() cacheKey {
	k := cacheKey{a0: s.load.A0, dc: s.load.A0 == 0, diagG: s.diagG, epoch: s.epoch}
	for _, h := range s.icConstraints {
		k.ic = k.ic*31 + h.node
	}
	return k
}

// loadLinear fills linearA and linearB with all contributions that are constant during the Newton
// iteration. It reuses linearA if its key has not changed. If only the step has changed, it reloads
// only the charges and fluxes.
func (s *sim) loadLinear() {
	l := &s.load
	l.B = s.linearB
	clear(s.linearB)
	key := s.currentKey()
	constant := key
	constant.a0 = 0
	if constant != s.keys.constant {
		s.keys.constant = constant
		s.loadConstant()
		s.loadStorage()
	} else {
		for _, d := range s.rhsLoaders {
			d.LoadRHS(l)
		}
		if key != s.keys.linear {
			s.loadStorage()
		} else {
			for _, d := range s.storage {
				d.LoadRHS(l)
			}
		}
	}
	s.keys.linear = key
	for _, h := range s.icConstraints {
		s.linearB[h.node] += icConductance * h.value
	}
	if s.diagG > 0 {
		for i := 1; i <= s.n; i++ {
			if !s.branch[i] {
				s.linearB[i] += s.diagG * s.diagRef[i]
			}
		}
	}
}

// loadConstant fills constantA with the stamps that are independent of the time step.
func (s *sim) loadConstant() {
	l := &s.load
	l.A = s.constantA
	clear(s.constantA)
	for _, d := range s.constantDevices {
		d.Load(l)
	}
	shunts := s.acShunts
	if l.A0 == 0 {
		shunts = s.gminShunts
	}
	for _, n := range shunts {
		s.constantA[s.nodeDiag[n]] += shuntConductance
	}
	for _, h := range s.icConstraints {
		s.constantA[s.nodeDiag[h.node]] += icConductance
	}
	if s.diagG > 0 {
		for i := 1; i <= s.n; i++ {
			if !s.branch[i] {
				s.constantA[s.nodeDiag[i]] += s.diagG
			}
		}
	}
}

// loadStorage sets linearA to constantA plus the stamps of charges and fluxes.
func (s *sim) loadStorage() {
	l := &s.load
	l.A = s.linearA
	copy(s.linearA, s.constantA)
	for _, d := range s.storage {
		d.Load(l)
	}
}

const (
	// repivotRound is the round before which the pivots are selected again. No convergence after
	// two solutions indicates poor pivots.
	repivotRound = 2
	// maxRefinementRounds is the largest number of solutions of iterative refinement.
	maxRefinementRounds = 4
	// residualFloor is the residual [A or V] that underflow can leave in a row of tiny terms.
	residualFloor = 1e-300
)

// solveLinear solves a circuit without nonlinear devices. It factors each matrix once and applies
// iterative refinement if roundoff requires it. Factors that needed no refinement at first are
// trusted afterwards. rounds is the number of solutions whose residual was checked.
func (s *sim) solveLinear(accuracy tolerance) (rounds int, err error) {
	key := s.keys.linear
	if !s.factored || key != s.keys.lu {
		if err := s.lu.Factor(s.linearA); err != nil {
			s.factored = false
			return 0, err
		}
		s.keys.lu, s.factored, s.trusted = key, true, false
	}
	for ; ; rounds++ {
		s.setup.Pattern.Residual(s.linearA, s.x, s.linearB, s.f, s.scale, nil)
		if rounds > 0 && s.residualTiny() {
			s.trusted = rounds == 1
			break
		}
		if rounds == maxRefinementRounds {
			break
		}
		if rounds == repivotRound {
			if err := s.lu.Search(s.linearA); err != nil {
				return rounds, err
			}
		}
		if err := s.countIteration(); err != nil {
			return rounds, err
		}
		s.lu.Solve(s.f, s.dx)
		if !s.applyCorrection() {
			return rounds, &mna.SingularError{}
		}
		if s.trusted {
			return rounds, nil
		}
	}
	if kclMet, _, _ := s.checkResidual(accuracy); !kclMet {
		return rounds, errDiverged
	}
	return rounds, nil
}

// applyCorrection subtracts dx from x. It returns false if x becomes non-finite or exceeds largest.
func (s *sim) applyCorrection() bool {
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

// residualTiny reports whether the residual is at the roundoff level of a linear solution.
func (s *sim) residualTiny() bool {
	for i := 1; i <= s.n; i++ {
		if !(math.Abs(s.f[i]) <= linearResidual*s.scale[i]+residualFloor) {
			return false
		}
	}
	return true
}
