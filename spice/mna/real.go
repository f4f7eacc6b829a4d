package mna

import "math"

// RealLU factors real matrices of one pattern again and again.
type RealLU struct {
	p    *Pattern
	sym  *symbolic
	lu   []float64 // factors; pivots are stored inverted
	y    []float64
	weak bool // even the last search found no sound order; another would not help
	// Searches counts pivot searches, the costly part, for statistics and tests.
	Searches int
}

// NewRealLU prepares a factorisation for a frozen pattern.
func NewRealLU(p *Pattern) *RealLU {
	return &RealLU{p: p, y: make([]float64, p.n)}
}

// Factor factors the matrix with the given values. It keeps the pivot order of the
// last search as long as every pivot stays sound, and searches anew otherwise.
func (f *RealLU) Factor(a []float64) error {
	if f.sym != nil && (f.refactor(a) || f.weak && f.usable()) {
		return nil
	}
	return f.Search(a)
}

// Search factors with a new pivot order.
func (f *RealLU) Search(a []float64) error {
	for _, v := range a[1:] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &SingularError{}
		}
	}
	f.Searches++
	sym, err := analyse(f.p, func(s Slot) complex128 { return complex(a[s], 0) })
	if err != nil {
		return err
	}
	f.sym = sym
	f.lu = make([]float64, len(sym.cols))
	f.weak = !f.refactor(a)
	if f.weak && !f.usable() {
		return &SingularError{}
	}
	return nil
}

// Products is how many products a factorisation and a solution take.
func (f *RealLU) Products() int {
	if f.sym == nil {
		return 0
	}
	return len(f.sym.into) + len(f.sym.cols)
}

// usable tells whether the last refactor, though it complained, left finite factors.
func (f *RealLU) usable() bool {
	for _, v := range f.lu {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// An order is given up when a pivot gets smaller than weakPivot beside its row, or when
// the elimination makes a row's entries grow by more than maxGrowth.
const (
	weakPivot = 1e-7
	maxGrowth = 1e7
)

// refactor runs Doolittle's elimination row by row in the known places and reports
// whether all pivots are sound.
func (f *RealLU) refactor(a []float64) bool {
	sym, lu := f.sym, f.lu
	clear(lu)
	for i, s := range sym.from {
		lu[sym.to[i]] += a[s]
	}
	sound, op := true, 0
	for k := range sym.n {
		lo, di, hi := sym.start[k], sym.diag[k], sym.start[k+1]
		scale := 0.0
		for _, v := range lu[lo:hi] {
			scale = max(scale, math.Abs(v))
		}
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
			big = max(big, math.Abs(v))
		}
		if p := math.Abs(pivot); !(p > weakPivot*big) || max(p, big) > maxGrowth*scale || math.IsInf(pivot, 0) {
			sound = false
			if pivot == 0 {
				lu[di] = math.Inf(1)
				return false
			}
		}
		lu[di] = 1 / pivot
	}
	return sound
}

// Solve gives x with A·x = b from the last factors. Index 0 of both is ground: x[0]
// becomes 0. b is left alone; b and x may be the same slice.
func (f *RealLU) Solve(b, x []float64) {
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
