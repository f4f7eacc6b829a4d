package mna

import "math/cmplx"

// ComplexLU is RealLU's twin for small-signal analysis.
type ComplexLU struct {
	p   *Pattern
	sym *symbolic
	lu  []complex128
	y   []complex128
	// Searches counts pivot searches.
	Searches int
}

// NewComplexLU prepares a factorisation for a frozen pattern.
func NewComplexLU(p *Pattern) *ComplexLU {
	return &ComplexLU{p: p, y: make([]complex128, p.n)}
}

// Factor factors the matrix, with the last pivot order when it is still sound.
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
	sym, err := analyse(f.p, func(s Slot) complex128 { return a[s] })
	if err != nil {
		return err
	}
	f.sym = sym
	f.lu = make([]complex128, len(sym.cols))
	if !f.refactor(a) {
		for _, v := range f.lu {
			if cmplx.IsNaN(v) || cmplx.IsInf(v) {
				return &SingularError{}
			}
		}
	}
	return nil
}

// size is a cheap stand-in for the magnitude, within a factor of the square root of 2.
func size(v complex128) float64 {
	a, b := real(v), imag(v)
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	return a + b
}

func (f *ComplexLU) refactor(a []complex128) bool {
	sym, lu := f.sym, f.lu
	clear(lu)
	for i, s := range sym.from {
		lu[sym.to[i]] += a[s]
	}
	sound, op := true, 0
	for k := range sym.n {
		lo, di, hi := sym.start[k], sym.diag[k], sym.start[k+1]
		for i := lo; i < di; i++ {
			j := sym.cols[i]
			dj := sym.diag[j]
			u := lu[dj+1 : sym.start[j+1]]
			into := sym.into[op:][:len(u)]
			op += len(u)
			l := lu[i]
			if l == 0 {
				continue
			}
			l *= lu[dj]
			lu[i] = l
			for m, v := range u {
				lu[into[m]] -= l * v
			}
		}
		pivot := lu[di]
		big := 0.0
		for _, v := range lu[di+1 : hi] {
			big = max(big, size(v))
		}
		if !(size(pivot) > weakPivot*big) {
			sound = false
			if pivot == 0 {
				lu[di] = cmplx.Inf()
				return false
			}
		}
		lu[di] = 1 / pivot
	}
	return sound
}

// Solve gives x with A·x = b from the last factors, as RealLU.Solve does.
func (f *ComplexLU) Solve(b, x []complex128) {
	sym, lu, y := f.sym, f.lu, f.y
	for k := range sym.n {
		s := b[sym.rowOf[k]]
		lo, di := sym.start[k], sym.diag[k]
		cols := sym.cols[lo:di]
		for i, l := range lu[lo:di] {
			s -= l * y[cols[i]]
		}
		y[k] = s
	}
	for k := sym.n - 1; k >= 0; k-- {
		s := y[k]
		di, hi := sym.diag[k], sym.start[k+1]
		cols := sym.cols[di+1 : hi]
		for i, u := range lu[di+1 : hi] {
			s -= u * y[cols[i]]
		}
		y[k] = s * lu[di]
	}
	for k, c := range sym.colOf {
		x[c] = y[k]
	}
	x[0] = 0
}
