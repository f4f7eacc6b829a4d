package certify

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/interval"
)

// preconditioned is a center x with an approximate inverse C of the Jacobian and bounds derived
// from both. The proofs hold for any C, but an inaccurate C proves less.
type preconditioned struct {
	s     *system
	x     []float64
	slope []float64   // derivatives g that C inverts, indexed by term*Vars + control
	c     [][]float64 // C, indexed by unknown and equation; the entries of ground are 0
	// bounds on |C[i][P] - C[i][N]| for unknown i and a term from P to N, followed by rows for the
	// pairs
	ci [][]float64
	e0 [][]float64 // bounds on |I - C·J(g)|; the rows of the pairs follow those of the unknowns
}

// inflate returns an upper bound on the sum of m nonnegative products, each rounded to nearest. The
// relative error of such a sum is at most (m+1)·2^-53 (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., section 3.1). The error from underflow is far below 1e-300.
func inflate(sum float64, m int) float64 {
	return sum*(1+float64(m+8)*0x1p-51) + 1e-300
}

// precondition factors the Jacobian at x for the parameter values p, or for nominal values if p is
// nil.
func (s *system) precondition(x []float64, p []interval.I) (*preconditioned, error) {
	terms, kink := s.at(region{x: pointIntervals(x)}, p)
	if kink != "" {
		return nil, kinkError(kink)
	}
	slope, err := s.factor(terms)
	if err != nil {
		return nil, err
	}
	f := &preconditioned{s: s, x: x, slope: slope}
	f.c = square(s.n + 1)
	unit, col := make([]float64, s.n+1), make([]float64, s.n+1)
	for r := 1; r <= s.n; r++ {
		if r%16 == 0 {
			if err := s.checkDeadline(); err != nil {
				return nil, err
			}
		}
		clear(unit)
		unit[r] = 1
		s.lu.Solve(unit, col)
		for i := 1; i <= s.n; i++ {
			if math.IsNaN(col[i]) || math.IsInf(col[i], 0) {
				return nil, errSingular
			}
			f.c[i][r] = col[i]
		}
	}
	return f, f.bound(terms)
}

// bound computes ci and e0 from the terms at the center.
func (f *preconditioned) bound(terms []device.IntervalTerm) error {
	s := f.s
	f.ci, f.e0 = make([][]float64, s.size()), square(s.n+1)
	row := make(interval.Vector, s.n+1)
	for i := 1; i <= s.n; i++ {
		if err := s.checkDeadline(); err != nil {
			return err
		}
		f.ci[i] = make([]float64, s.nb)
		clear(row)
		row[i] = interval.Point(1)
		for b := range terms {
			t := &terms[b]
			c := f.column(i, t)
			f.ci[i][b] = c.Mag()
			if c == (interval.I{}) {
				continue
			}
			for k, u := range t.Controls[:t.Count] {
				if u.P == u.N {
					continue
				}
				g := c.Scale(f.slope[b*interval.Vars+k])
				row[u.P] = row[u.P].Sub(g)
				row[u.N] = row[u.N].Add(g)
			}
		}
		for j := 1; j <= s.n; j++ {
			f.e0[i][j] = row[j].Mag()
		}
	}
	for _, p := range s.pairs {
		if err := s.checkDeadline(); err != nil {
			return err
		}
		c, e := make([]float64, s.nb), make([]float64, s.n+1)
		for b := range terms {
			c[b] = f.column(p[0], &terms[b]).Sub(f.column(p[1], &terms[b])).Mag()
		}
		for j := range e {
			e[j] = interval.AddUp(f.e0[p[0]][j], f.e0[p[1]][j])
		}
		f.ci[len(f.e0)] = c
		f.e0 = append(f.e0, e)
	}
	return nil
}

func square(n int) [][]float64 {
	all, m := make([]float64, n*n), make([][]float64, n)
	for i := range m {
		m[i] = all[i*n : (i+1)*n]
	}
	return m
}

// column bounds C[i][P] - C[i][N], the effect of a term on unknown i.
func (f *preconditioned) column(i int, t *device.IntervalTerm) interval.I {
	return interval.Point(f.c[i][t.P]).Sub(interval.Point(f.c[i][t.N]))
}

// newtonStep bounds the Newton correction C·F for the terms of F. The leading parts of the terms
// cancel within a row, so they are summed in double-double arithmetic. Only the remainders are
// multiplied column by column.
func (f *preconditioned) newtonStep(terms []device.IntervalTerm) interval.Vector {
	s := f.s
	sums := make([]interval.Wide, s.n+1)
	for b := range terms {
		t := &terms[b]
		h := interval.WidePoint(t.Value.H)
		sums[t.P] = sums[t.P].Add(h)
		sums[t.N] = sums[t.N].Sub(h)
	}
	sure := make([]interval.Wide, s.n+1)
	out := make(interval.Vector, s.size())
	for i := 1; i <= s.n; i++ {
		if i%64 == 0 && s.checkDeadline() != nil {
			return unbounded(out)
		}
		for r := 1; r <= s.n; r++ {
			if c := f.c[i][r]; c != 0 && sums[r] != (interval.Wide{}) {
				sure[i] = sure[i].Add(interval.WidePoint(c).Mul(sums[r]))
			}
		}
		out[i] = sure[i].Interval()
	}
	for k, p := range s.pairs {
		out[s.n+1+k] = sure[p[0]].Sub(sure[p[1]]).Interval()
	}
	for b := range terms {
		t := &terms[b]
		if t.Value.L == (interval.I{}) {
			continue
		}
		if b%64 == 0 && s.checkDeadline() != nil {
			return unbounded(out)
		}
		for i := 1; i <= s.n; i++ {
			out[i] = out[i].Add(f.column(i, t).Mul(t.Value.L))
		}
		for k, p := range s.pairs {
			c := f.column(p[0], t).Sub(f.column(p[1], t))
			out[s.n+1+k] = out[s.n+1+k].Add(c.Mul(t.Value.L))
		}
	}
	return out
}

// unbounded sets all intervals to the whole real line, the result of a computation that exceeded
// the deadline.
func unbounded(v interval.Vector) interval.Vector {
	for i := range v {
		v[i] = interval.Entire()
	}
	return v
}

// slopeSpread returns, for each control, the largest distance between the derivatives of terms and
// those of f.
func (f *preconditioned) slopeSpread(terms []device.IntervalTerm) []float64 {
	d := make([]float64, len(f.slope))
	for b := range terms {
		t := &terms[b]
		for k, u := range t.Controls[:t.Count] {
			if u.P != u.N {
				d[b*interval.Vars+k] = u.Slope.AddF(-f.slope[b*interval.Vars+k]).Mag()
			}
		}
	}
	return d
}

// controlChange returns the largest change of control k of term b if the unknowns change by at most
// r.
func (f *preconditioned) controlChange(b, k int, c device.Control, r []float64) float64 {
	if c.P == c.N {
		return 0
	}
	if at := f.s.pairOf[b][k]; at != 0 {
		return r[at]
	}
	return r[c.P] + r[c.N]
}

// slopeBound returns the largest change of each term if its derivatives differ by at most d and the
// unknowns by at most r.
func (f *preconditioned) slopeBound(terms []device.IntervalTerm, d, r []float64) []float64 {
	t := make([]float64, len(terms))
	for b := range terms {
		for k, u := range terms[b].Controls[:terms[b].Count] {
			t[b] += float64(d[b*interval.Vars+k] * f.controlChange(b, k, u, r))
		}
	}
	return t
}

// curvatureBound returns, for each term, the largest second differential if the unknowns change by
// at most r.
func (f *preconditioned) curvatureBound(terms []device.IntervalTerm, r []float64) []float64 {
	t := make([]float64, len(terms))
	for b := range terms {
		c := &terms[b]
		at := 0
		for k := range interval.Vars {
			for l := k; l < interval.Vars; l++ {
				if bend := c.Curvature[at].Mag(); bend != 0 && l < c.Count {
					v := float64(bend*f.controlChange(b, k, c.Controls[k], r)) * f.controlChange(b,
						l, c.Controls[l], r)
					if l != k {
						v *= 2
					}
					t[b] += v
				}
				at++
			}
		}
	}
	return t
}

// row bounds entry i of |I - C·J|·r. t is the result of slopeBound.
func (f *preconditioned) row(i int, t, r []float64) float64 {
	sum := 0.0
	for b, c := range f.ci[i] {
		sum += float64(c * t[b])
	}
	e := f.e0[i]
	for j := range e {
		sum += float64(e[j] * r[j])
	}
	return inflate(sum, len(t)+len(r)+2*interval.Vars)
}

// contraction bounds all entries of |I - C·J|·r over all J whose derivatives are within d of those
// of f.
func (f *preconditioned) contraction(terms []device.IntervalTerm, d, r []float64) []float64 {
	return f.rows(f.slopeBound(terms, d, r), r)
}

// rows bounds all entries of |I - C·J|·r. t is the result of slopeBound. After the deadline it
// returns infinity, and the next call of checkDeadline returns the error.
func (f *preconditioned) rows(t, r []float64) []float64 {
	out := make([]float64, f.s.size())
	late := false
	for i := 1; i < len(out); i++ {
		if late = late || i%64 == 0 && f.s.checkDeadline() != nil; late {
			out[i] = math.Inf(1)
			continue
		}
		out[i] = f.row(i, t, r)
	}
	return out
}

// extend appends the entries of the pairs to the vector w. Each is the sum of the entries of the
// two unknowns.
func (s *system) extend(w []float64) []float64 {
	w = append([]float64(nil), w[:s.n+1]...)
	for _, p := range s.pairs {
		w = append(w, interval.AddUp(w[p[0]], w[p[1]]))
	}
	return w
}

// kinkError describes why the equations are not differentiable.
type kinkError string

func (k kinkError) Error() string { return string(k) }
