package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"slipstick/spice/device"
	"slipstick/spice/netlist"
)

// op runs the .op analysis. Every vector has one value.
func (s *sim) op() (*Output, error) {
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	traces, cols := s.newTraces("sweep")
	s.appendTraces(traces, cols, 0)
	if len(s.nonlinear) > 0 {
		s.warnRoundoff(s.affectedPointVectors(s.columns()))
	}
	return &Output{Vectors: s.solution(), Points: s.devicePoints(), Traces: traces}, nil
}

// solution returns the vectors of the result with the values of the present solution.
func (s *sim) solution() []Vector {
	cols, vecs := s.columns()
	values := make([]float64, len(vecs))
	for k := range vecs {
		values[k] = cols[k].value(s.at)
		vecs[k].Values = values[k : k+1 : k+1]
	}
	return vecs
}

// operatingPoint finds the DC solution for the present source values with consistent states of the
// logic devices.
func (s *sim) operatingPoint() error {
	s.reset()
	return s.settleLogic(s.solveDC)
}

// solveDC finds the DC solution for the present source values and logic states. It tries four
// methods, from the cheapest to the most robust. The first is Newton's method alone. Gmin stepping
// reduces a conductance from every node to ground. Source stepping raises all sources from 0.
// Pseudo-transient analysis charges a capacitor at every node. Each method ends with the unmodified
// circuit. A solution whose refinement does not converge is the result only if no other method
// finds one. A solution at a pole of an expression is rejected.
func (s *sim) solveDC() error {
	s.dcMode()
	var kept *snapshot // first solution whose refinement did not converge
	attempts := [...]struct {
		name string
		run  func() error
	}{
		{"none", s.directNewton},
		{"gmin stepping", s.gminStepping},
		{"source stepping", s.sourceStepping},
		{"pseudo-transient", s.pseudoTransient},
	}
	var err, atPole error
	for i, a := range attempts {
		s.reset()
		if i > 0 && len(s.nonlinear) == 0 {
			break
		}
		err = a.run()
		s.diagG, s.load.SourceScale = 0, 1
		if isFatal(err) {
			return err
		}
		// The other methods may fail elsewhere, such as at the 0 V that they begin with.
		if i == 0 && err != nil {
			atPole = s.poleError()
		}
		if err == nil {
			doubtful, err := s.tryRefining()
			if errors.Is(err, errDiverged) {
				atPole = err
				continue
			}
			if kept == nil || !doubtful {
				s.stats.ConvergenceAid = a.name
			}
			if err != nil || !doubtful {
				return err
			}
			if kept == nil {
				kept = new(snapshot)
				s.save(kept)
			}
		}
	}
	if kept != nil {
		s.restore(kept)
		s.warnOfResidual()
		return nil
	}
	if atPole != nil {
		return atPole
	}
	return err
}

// warnOfResidual warns of the largest residual of a solution that tryRefining calls doubtful. A
// sweep has one such warning, of its first doubtful point.
func (s *sim) warnOfResidual() {
	if s.hasResidualWarning {
		return
	}
	s.loadLinear()
	s.linearize()
	s.setup.Pattern.Residual(s.a, s.series.unknowns(s.x), s.b, s.f, s.scale, nil)
	at, most := 0, strictResidual*s.opt.Abstol
	for i := 1; i <= s.n; i++ {
		if r := math.Abs(s.f[i]) - roundoffResidual*s.scale[i]; s.kind[i] == voltage && r > most {
			at, most = i, r
		}
	}
	if at > 0 {
		s.hasResidualWarning = true
		s.warn(fmt.Sprintf("at %s, Kirchhoff's current law is violated by %.2g A at node %s, where "+
			"terms of %.2g A (conductance times voltage) cancel", s.pointName(), math.Abs(s.f[at]),
			s.setup.Unknowns[at].Name, s.scale[at]))
	}
}

// dcMode sets the currents of all charges to 0.
func (s *sim) dcMode() {
	s.load.A0 = 0
}

// reset clears the solution and removes all convergence aids.
func (s *sim) reset() {
	clear(s.x)
	clear(s.load.State)
	clear(s.diagRef)
	s.diagG, s.load.SourceScale = 0, 1
}

// directNewton runs Newton's method without a convergence aid. Nodes of .nodeset are first held at
// their values and then released.
func (s *sim) directNewton() error {
	start := true
	if sets := s.nodeValues(s.job.Circuit.Nodeset); len(sets) > 0 {
		keep := s.icConstraints
		s.icConstraints = append(append([]nodeValue(nil), keep...), sets...)
		_, err := s.newton(defaultNewton(s.opt.Itl1, true))
		s.icConstraints = keep
		if isFatal(err) {
			return err
		}
		if start = err != nil; start {
			s.reset()
		}
	}
	_, err := s.newton(defaultNewton(s.opt.Itl1, start))
	return err
}

// nodeValues converts .ic or .nodeset into values of unknowns: node voltages and the currents of
// inductors. If an unknown occurs more than once, the last value counts.
func (s *sim) nodeValues(list []netlist.NodeValue) []nodeValue {
	var out []nodeValue
next:
	for _, nv := range list {
		n := 0
		if nv.Inductor == "" {
			n = s.setup.Node(nv.Node)
		} else {
			n = slices.IndexFunc(s.setup.Unknowns, func(u device.Unknown) bool {
				return u.Branch && u.Name == nv.Inductor
			})
		}
		if n <= 0 {
			continue
		}
		for i := range out {
			if out[i].node == n {
				out[i].value = nv.Value
				continue next
			}
		}
		out = append(out, nodeValue{n, nv.Value})
	}
	return out
}

// snapshot is a solution together with the states of the devices.
type snapshot struct{ x, states []float64 }

// save copies the present solution into a snapshot.
func (s *sim) save(into *snapshot) {
	into.x = append(into.x[:0], s.x...)
	into.states = append(into.states[:0], s.load.State...)
}

// restore replaces the present solution with a saved one.
func (s *sim) restore(from *snapshot) {
	copy(s.x, from.x)
	copy(s.load.State, from.states)
}

// gminStepping adds a conductance from every node to ground and reduces it until it is below gmin.
func (s *sim) gminStepping() error {
	var converged snapshot
	s.save(&converged)
	g, factor, first := 1e-2, 10.0, true
	last := 0.0 // last conductance [S] that converged
	for g > s.opt.Gmin {
		s.diagG = g
		_, err := s.newton(defaultNewton(s.opt.Itl2, first))
		if isFatal(err) {
			return err
		}
		if err == nil {
			first = false
			s.save(&converged)
			last = g
			g /= factor
			factor = math.Min(factor*2, 1e3)
			continue
		}
		if first {
			if g *= 10; g > 1e6 {
				return err
			}
			s.reset()
			continue
		}
		if factor = math.Sqrt(math.Sqrt(factor)); factor < 1.0005 {
			return err
		}
		s.restore(&converged)
		g = last / factor
	}
	s.diagG = 0
	_, err := s.newton(defaultNewton(s.opt.Itl1, false))
	return err
}

// sourceStepping raises all sources from 0 to their full values.
func (s *sim) sourceStepping() error {
	var converged snapshot
	s.load.SourceScale = 0
	if _, err := s.newton(defaultNewton(s.opt.Itl1, false)); err != nil {
		return err
	}
	s.save(&converged)
	at, step := 0.0, 0.01
	for at < 1 {
		to := math.Min(1, at+step)
		s.load.SourceScale = to
		_, err := s.newton(defaultNewton(s.opt.Itl2, false))
		if isFatal(err) {
			return err
		}
		if err == nil {
			at = to
			s.save(&converged)
			step *= 1.7
			continue
		}
		s.restore(&converged)
		if step /= 4; step < 1e-7 {
			return err
		}
	}
	return nil
}

// pseudoTransient integrates the circuit with a capacitor at every node by backward Euler with
// growing steps. It ends at a stable operating point.
func (s *sim) pseudoTransient() error {
	var converged snapshot
	s.save(&converged)
	g := 1.0
	for rounds := 0; g > 1e-13; rounds++ {
		copy(s.diagRef, s.x)
		s.diagG = g
		_, err := s.newton(defaultNewton(s.opt.Itl2, false))
		if isFatal(err) {
			return err
		}
		if err == nil {
			s.save(&converged)
			g /= 2
		} else {
			s.restore(&converged)
			g *= 8
		}
		if g > 1e9 || rounds > 2000 {
			if !errors.Is(err, errDiverged) {
				err = errDiverged
			}
			return err
		}
	}
	s.diagG = 0
	_, err := s.newton(defaultNewton(s.opt.Itl1, false))
	return err
}
