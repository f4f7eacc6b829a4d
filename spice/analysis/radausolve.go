package analysis

import (
	"math"

	"slipstick/spice/mna"
)

// storageEntry is an entry of C at a slot of the matrix.
type storageEntry struct {
	slot     mna.Slot
	row, col int32
	value    float64 // [F or H]
}

// radauFactors holds the factors of the matrices for steps of h [s].
type radauFactors struct {
	h      float64
	rounds int // number of rounds of iterative refinement plus 1; 0 if unknown
	real   *mna.RealLU
	pairs  [2]*mna.ComplexLU
}

// split computes G and the entries of C.
func (r *radau) split() {
	s := r.sim
	saved := s.load
	defer func() { s.load = saved }()
	l := &s.load
	p := s.setup.Pattern
	stamps := func(a0 float64) []float64 {
		l.A, l.B, l.A0 = make([]float64, p.Slots()), make([]float64, s.n+1), a0
		for _, d := range s.storage {
			d.Load(l)
		}
		return l.A
	}
	const tiny = 1e-300 // A0 = 0 would select the stamps of DC
	base, once := stamps(tiny), stamps(1)
	r.stores = make([]bool, s.n+1)
	for k := 1; k < p.Slots(); k++ {
		if c := once[k] - base[k]; c != 0 {
			row, col := p.Position(k)
			r.storage = append(r.storage, storageEntry{mna.Slot(k), int32(row), int32(col), c})
			r.stores[col] = true
		}
	}
	l.B, l.A0 = make([]float64, s.n+1), 1
	s.loadConstant()
	s.keys.constant.epoch = -1 // constantA holds the values of a transient, so no key may match
	r.g = base
	for k, v := range s.constantA {
		r.g[k] += v
	}
	r.a, r.c = make([]float64, len(r.g)), make([]complex128, len(r.g))
}

// factor returns the factors for a step of h [s]. The most recently used ones are the first.
func (r *radau) factor(h float64) (*radauFactors, error) {
	for k, f := range r.factors {
		if math.Abs(f.h-h) <= radauEqualStep*h {
			copy(r.factors[1:k+1], r.factors[:k])
			r.factors[0] = f
			return f, nil
		}
	}
	if len(r.factors) < radauCache {
		f := &radauFactors{real: r.sim.lu.Twin()}
		for k := range f.pairs {
			f.pairs[k] = r.sim.lu.ComplexTwin()
		}
		r.factors = append(r.factors, f)
	}
	last := len(r.factors) - 1
	f := r.factors[last]
	copy(r.factors[1:], r.factors[:last])
	r.factors[0] = f
	f.h, f.rounds = 0, 0
	if err := f.real.Factor(r.matrix(h)); err != nil {
		return nil, err
	}
	for k := range f.pairs {
		if err := f.pairs[k].Factor(r.complexMatrix(k, h)); err != nil {
			return nil, err
		}
	}
	if h < radauCheckedStep*r.sim.job.Analysis.Stop && !r.keepsDigits(f, h) {
		return nil, &mna.SingularError{}
	}
	f.h = h
	return f, nil
}

// keepsDigits reports whether the factors f for a step of h [s] reproduce a known solution. In a
// step that is too short, C/h and h/L leave no significant digits for smaller terms in the same
// sums.
func (r *radau) keepsDigits(f *radauFactors, h float64) bool {
	s := r.sim
	for i := range r.right {
		r.right[i] = 1 + 0.5*math.Sin(float64(i))
		s.b[i] = 0
	}
	s.setup.Pattern.Residual(r.matrix(h), r.right, s.b, s.f, s.scale, nil)
	f.real.Solve(s.f, r.w)
	for i := 1; i <= s.n; i++ {
		if !(math.Abs(r.w[i]-r.right[i]) < radauDigits) {
			return false
		}
	}
	return true
}

// matrix returns the matrix of the real eigenvalue for a step of h [s].
func (r *radau) matrix(h float64) []float64 {
	a0 := real(radauModes[0].eigenvalue) / h
	copy(r.a, r.g)
	for _, s := range r.storage {
		r.a[s.slot] += a0 * s.value
	}
	return r.a
}

// complexMatrix returns the matrix of complex eigenvalue k for a step of h [s].
func (r *radau) complexMatrix(k int, h float64) []complex128 {
	a0 := radauModes[k+1].eigenvalue / complex(h, 0)
	for i, v := range r.g {
		r.c[i] = complex(v, 0)
	}
	for _, s := range r.storage {
		r.c[s.slot] += complex(real(a0)*s.value, imag(a0)*s.value)
	}
	return r.c
}

// refine improves the solutions for the factors f by iterative refinement. The first solution with
// new factors determines the number of rounds: none if the residuals are at the roundoff level.
func (r *radau) refine(f *radauFactors) {
	s, p := r.sim, r.sim.setup.Pattern
	first, most, needed := f.rounds == 0, f.rounds-1, 0
	if first {
		most = radauRounds
	}
	a := r.matrix(f.h)
	for round := 0; ; round++ {
		p.Residual(a, r.w, r.right, s.f, s.scale, nil)
		if round == most || first && s.residualTiny() {
			needed = round
			break
		}
		f.real.Solve(s.f, s.dx)
		for i, d := range s.dx {
			r.w[i] -= d
		}
	}
	for k, pair := range f.pairs {
		a, w := r.complexMatrix(k, f.h), r.ws[k]
		for round := 0; ; round++ {
			relative := p.ResidualComplex(a, w, r.rights[k], r.residuals)
			if round == most || first && relative <= linearResidual {
				needed = max(needed, round)
				break
			}
			pair.Solve(r.residuals, r.corrected)
			for i, d := range r.corrected {
				w[i] -= d
			}
		}
	}
	if first {
		f.rounds = needed + 1
	}
}

// loadSources writes the sources at a time [s] to into.
func (r *radau) loadSources(time float64, into []float64) {
	l := &r.sim.load
	clear(into)
	a0 := l.A0
	l.B, l.Time, l.A0 = into, time, 1 // A0 = 0 would select the sources of DC
	for _, d := range r.sim.rhsLoaders {
		d.LoadRHS(l)
	}
	l.A0 = a0
	into[0] = 0
}

// solve computes the polynomial of a step of h [s] from time t [s] and the error estimate.
func (r *radau) solve(t, h float64) error {
	s := r.sim
	f, err := r.factor(h)
	if err != nil {
		return err
	}
	for range radauSolutions {
		if err := s.countIteration(); err != nil {
			return err
		}
	}
	r.loadSources(t, r.b0)
	s.setup.Pattern.Residual(r.g, r.x0, r.b0, r.residual, s.scale, nil)
	n := s.n + 1
	b0, right, right0, right1 := r.b0[:n], r.right[:n], r.rights[0][:n], r.rights[1][:n]
	for i, v := range r.residual[:n] {
		right[i], right0[i], right1[i] = -v, complex(-v, 0), complex(-v, 0)
	}
	for j, at := range radauAt {
		b := r.stage[j][:n]
		r.loadSources(t+at*h, b)
		for i, v := range b {
			if v -= b0[i]; v != 0 {
				right[i] += real(radauModes[0].sourceWeights[j]) * v
				right0[i] += radauModes[1].sourceWeights[j] * complex(v, 0)
				right1[i] += radauModes[2].sourceWeights[j] * complex(v, 0)
			}
		}
	}
	f.real.Solve(right, r.w)
	f.pairs[0].Solve(right0, r.ws[0])
	f.pairs[1].Solve(right1, r.ws[1])
	if f.rounds != 1 {
		r.refine(f)
	}
	for i, v := range r.residual[:n] {
		right[i] = -v
	}
	for _, c := range r.storage {
		right[c.row] -= c.value / h * r.at(&r.first, int(c.col))
	}
	f.real.Solve(right, r.e)
	return nil
}

// at returns the value or derivative of unknown i that the weights w define, without x0.
func (r *radau) at(w *radauWeights, i int) float64 {
	u, v := r.ws[0][i], r.ws[1][i]
	return w[0]*r.w[i] + w[1]*real(u) + w[2]*imag(u) + w[3]*real(v) + w[4]*imag(v)
}

// evaluate writes the solution with the weights w to into.
func (r *radau) evaluate(w *radauWeights, into []float64) {
	x0 := r.x0[:len(into)]
	for i := range into {
		into[i] = x0[i] + r.at(w, i)
	}
	into[0] = 0
}
