package certify

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/interval"
)

// solutionBox is a proven box. For every choice of parameters it contains exactly one solution,
// within radius of the center, and the Jacobian is regular.
type solutionBox struct {
	f                 *preconditioned
	radius            []float64             // half-widths of the box
	step              interval.Vector       // C·F(center) over the parameters
	remainder         []float64             // bound on |solution - (center - step)|, at most radius
	terms             []device.IntervalTerm // bounds over the box and the parameters
	slopeSpread       []float64             // spread of the slopes of terms (slopeSpread)
	contractionFactor float64               // factor q for which |I - C·J|·radius <= q·radius
}

const (
	inflation = 1.25 // growth factor of the trial box per round
	rounds    = 40
)

// floorBox, floorPart and floorPoint are the smallest trial boxes relative to the unknowns. They
// apply to the whole parameter box, a part of it, and one point. Each contains the next.
const (
	floorBox   = 1e-6
	floorPart  = 1e-9
	floorPoint = 1e-14
)

// krawczyk searches for a box around x that Krawczyk's operator
//
//	K(X) = x - C·F(x) + (I - C·J(X))·(X - x)
//
// maps into its own interior for every parameter in p. Each choice of parameters then has exactly
// one solution in X. See Krawczyk, Computing 4, 1969, and Moore, SIAM J. Numer. Anal. 14, 1977. The
// proof is in Neumaier, Interval Methods for Systems of Equations, 1990, theorem 5.1.8.
//
// X is a box intersected with bounds on the pairs, which is the unit ball of a norm. For the
// mapping, J(X) is the mean of J between x and a point of X, with half of the curvature. The
// solution is unique because J itself contracts in X.
//
// The trial box grows from the Newton step (epsilon inflation, Rump 1983). Its radius is between
// floor times the magnitude of the unknown and most.
func (f *preconditioned) krawczyk(p []interval.I, most, floor float64) (*solutionBox, error) {
	s := f.s
	terms, kink := s.at(region{x: pointIntervals(f.x)}, p)
	if kink != "" {
		return nil, kinkError(kink)
	}
	spread := f.slopeSpread(terms)
	b := &solutionBox{f: f, step: f.newtonStep(terms), radius: make([]float64, s.size())}
	for i := 1; i <= s.n; i++ {
		b.radius[i] = inflation*b.step[i].Mag() + floor*(math.Abs(f.x[i])+1e-3)
	}
	for i := s.n + 1; i < len(b.radius); i++ {
		p := s.pairs[i-s.n-1]
		b.radius[i] = inflation*b.step[i].Mag() + floor*(math.Abs(f.x[p[0]]-f.x[p[1]])+1e-3)
	}
	for range rounds {
		if err := s.checkDeadline(); err != nil {
			return nil, err
		}
		for i := 1; i < len(b.radius); i++ {
			if !(b.radius[i] <= most) {
				return nil, errWide
			}
		}
		b.terms, kink = s.at(s.region(f.x, b.radius), p)
		if kink != "" {
			return nil, kinkError(kink)
		}
		b.slopeSpread = f.slopeSpread(b.terms)
		whole := f.contraction(b.terms, b.slopeSpread, b.radius)
		half := f.slopeBound(terms, spread, b.radius)
		for k, v := range f.curvatureBound(b.terms, b.radius) {
			half[k] += v / 2
		}
		b.remainder = f.rows(half, b.radius)
		inside := true
		b.contractionFactor = 0
		for i := 1; i < len(b.radius); i++ {
			need := interval.AddUp(b.step[i].Mag(), b.remainder[i])
			if !(need < b.radius[i]) {
				inside = false
			}
			b.contractionFactor = max(b.contractionFactor, interval.DivUp(whole[i], b.radius[i]))
		}
		if inside && b.contractionFactor < 1 {
			return b, nil
		}
		for i := 1; i < len(b.radius); i++ {
			// Growth to a multiple of need keeps the proportions of the image of the operator.
			need := b.step[i].Mag() + b.remainder[i]
			b.radius[i] = math.Max(b.radius[i], inflation*need+1e-24)
		}
	}
	return nil, errWide
}

// solution returns an enclosure of unknown i for all parameter values in the box.
func (b *solutionBox) solution(i int) interval.I {
	if i == 0 {
		return interval.I{}
	}
	x := interval.Point(b.f.x[i]).Sub(b.step[i])
	return x.Add(interval.Of(-b.remainder[i], b.remainder[i]))
}

// difference bounds x[i] - x[j] over all parameters.
func (b *solutionBox) difference(i, j int) interval.I {
	s, x := b.f.s, b.f.x
	plain := b.solution(i).Sub(b.solution(j))
	for k, p := range s.pairs {
		if p == [2]int{i, j} {
			at := s.n + 1 + k
			own := interval.Point(x[i]).Sub(interval.Point(x[j])).Sub(b.step[at]).Add(
				interval.Of(-b.remainder[at], b.remainder[at]))
			if v, ok := own.Intersect(plain); ok {
				return v
			}
		}
	}
	return plain
}

// box returns the proven region, first the unknowns and then the pairs.
func (b *solutionBox) box() []interval.I {
	s, x := b.f.s, b.f.x
	out := s.region(x, b.radius[:s.n+1]).x
	for k, p := range s.pairs {
		r := b.radius[s.n+1+k]
		out = append(out,
			interval.Point(x[p[0]]).Sub(interval.Point(x[p[1]])).Add(interval.Of(-r, r)))
	}
	return out
}

// adjoint bounds the sensitivity of the output to a current from node p to node n over the box and
// the parameters. It is the entry of e_out·J^-1 for a term between the nodes. With E = I - C·J it
// equals e_out·(I + E + E² + ...)·C, where |E|·r <= contractionFactor·r bounds the tail of the
// series.
func (b *solutionBox) adjoint(out, p, n int) interval.I {
	const terms = 3
	f := b.f
	t := device.IntervalTerm{P: p, N: n}
	v := make([]float64, f.s.n+1, f.s.size())
	for i := 1; i <= f.s.n; i++ {
		v[i] = f.column(i, &t).Mag()
	}
	for _, q := range f.s.pairs {
		v = append(v, f.column(q[0], &t).Sub(f.column(q[1], &t)).Mag())
	}
	rest := 0.0
	for range terms {
		v = f.contraction(b.terms, b.slopeSpread, v)
		rest = interval.AddUp(rest, v[out])
	}
	beta := 0.0
	for i := 1; i < len(v); i++ {
		beta = max(beta, interval.DivUp(v[i], b.radius[i]))
	}
	tail := interval.DivUp(interval.MulUp(b.contractionFactor, interval.MulUp(beta, b.radius[out])),
		interval.SubDown(1, b.contractionFactor))
	rest = interval.AddUp(rest, tail)
	return f.column(out, &t).Add(interval.Of(-rest, rest))
}
