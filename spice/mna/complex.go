package mna

import "math/cmplx"

// ComplexLU is the counterpart of RealLU for the complex matrices of small-signal analyses.
type ComplexLU struct {
	p   *Pattern
	sym *symbolic
	lu  []complex128
	y   []complex128
	// Searches counts the pivot searches for statistics and tests.
	Searches int
}

// NewComplexLU returns a factorization for a frozen pattern. The first call of Factor searches for
// a pivot order.
func NewComplexLU(p *Pattern) *ComplexLU {
	return &ComplexLU{p: p, y: make([]complex128, p.n)}
}

// Factor factors the matrix whose values are indexed by slot. It reuses the last pivot order while
// that order is stable. It sets the value of slot 0 to 0. Errors are of type *SingularError.
func (f *ComplexLU) Factor(a []complex128) error {
	if f.sym != nil && f.refactor(a) {
		return nil
	}
	for _, v := range a[1:] {
		if cmplx.IsNaN(v) || cmplx.IsInf(v) {
			return &SingularError{}
		}
	}
	f.Searches++
	sym, err := orderMarkowitz(f.p, func(s Slot) complex128 { return a[s] })
	if err != nil {
		return err
	}
	f.sym = sym
	f.lu = make([]complex128, len(sym.column))
	if !f.refactor(a) {
		for _, v := range f.lu {
			if cmplx.IsNaN(v) || cmplx.IsInf(v) {
				return &SingularError{}
			}
		}
	}
	return nil
}

// magnitude1 returns |Re| + |Im|, which is at most √2 times the magnitude and faster to compute.
func magnitude1(v complex128) float64 {
	a, b := real(v), imag(v)
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	return a + b
}

// weakPivot is the smallest magnitude of a stable pivot, relative to the largest entry of its row
// in U.
const weakPivot = 1e-7

func (f *ComplexLU) refactor(a []complex128) bool {
	sym, lu := f.sym, f.lu
	a[0] = 0
	stable := true
	lower, into := sym.lower, sym.target
	for _, r := range sym.rows {
		row := lu[r.first:r.end]
		for i, s := range sym.source[r.first:r.end] {
			row[i] = a[s]
		}
		pivot := int(r.pivot - r.first)
		for i, e := range lower[:pivot] {
			u := lu[e.pivot+1 : e.end]
			to := into[:len(u)]
			into = into[len(u):]
			l := row[i]
			if l == 0 {
				continue
			}
			l *= lu[e.pivot]
			row[i] = l
			for m, v := range u {
				lu[to[m]] -= l * v
			}
		}
		lower = lower[pivot:]
		big := 0.0
		for _, v := range row[pivot+1:] {
			big = max(big, magnitude1(v))
		}
		p := row[pivot]
		if !(magnitude1(p) > weakPivot*big) {
			stable = false
			if p == 0 {
				row[pivot] = cmplx.Inf()
				return false
			}
		}
		row[pivot] = 1 / p
	}
	return stable
}

// Solve solves A·x = b with the last factors. Its arguments follow the rules of RealLU.Solve.
func (f *ComplexLU) Solve(b, x []complex128) {
	sym, lu, y := f.sym, f.lu, f.y
	lower := sym.lower
	for k, r := range sym.rows {
		s := b[sym.rowOf[k]]
		row := lu[r.first:r.pivot]
		for i, l := range row {
			s -= l * y[lower[i].step]
		}
		lower = lower[len(row):]
		y[k] = s
	}
	for k := sym.n - 1; k >= 0; k-- {
		r := sym.rows[k]
		s := y[k]
		column := sym.column[r.pivot+1 : r.end]
		for i, u := range lu[r.pivot+1 : r.end] {
			s -= u * x[column[i]]
		}
		x[sym.colOf[k]] = s * lu[r.pivot]
	}
	x[0] = 0
}

// SolveTransposed solves Aᵀ·x = b with the last factors. The transpose is not conjugated. The
// arguments follow the rules of RealLU.SolveTransposed.
func (f *ComplexLU) SolveTransposed(b, x []complex128) {
	sym, lu, y := f.sym, f.lu, f.y
	copy(x, b)
	for k, r := range sym.rows {
		v := x[sym.colOf[k]] * lu[r.pivot]
		y[k] = v
		column := sym.column[r.pivot+1 : r.end]
		for i, u := range lu[r.pivot+1 : r.end] {
			x[column[i]] -= u * v
		}
	}
	entry := len(sym.lower)
	for k := sym.n - 1; k >= 0; k-- {
		row := lu[sym.rows[k].first:sym.rows[k].pivot]
		v := y[k]
		entry -= len(row)
		for i, l := range row {
			y[sym.lower[entry+i].step] -= l * v
		}
		x[sym.rowOf[k]] = v
	}
	x[0] = 0
}
