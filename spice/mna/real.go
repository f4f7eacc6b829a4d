package mna

import "math"

// RealLU repeatedly factors real matrices that have the same pattern.
type RealLU struct {
	p            *Pattern
	sym          *symbolic
	lu           []float64 // factors, with the reciprocals of the pivots
	y            []float64 // solution of L·y = b, by elimination step
	zero         []float64
	stable       bool // all pivots of the last factorization were stable, so rows may be reused
	searchFailed bool // the last pivot search found no stable order
	// Searches counts the pivot searches for statistics and tests.
	Searches int
}

// NewRealLU returns a factorization for a frozen pattern. The first call of Factor searches for a
// pivot order.
func NewRealLU(p *Pattern) *RealLU {
	return &RealLU{p: p, y: make([]float64, p.n), zero: make([]float64, p.n+1)}
}

// Factor factors the matrix with the values a, indexed by slot, and sets slot 0 to 0. It reuses the
// pivot order of the last search if every pivot is stable. It also does so if that search found no
// stable order and the factors are finite. Otherwise it searches for a new order. Errors are of
// type *SingularError.
func (f *RealLU) Factor(a []float64) error { return f.factor(a, f.zero, Constant) }

// FactorSolve factors the matrix with the values a and solves A·x = b. Entries with a change rate
// below changed must have the values of the last factorization. Errors are of type *SingularError.
func (f *RealLU) FactorSolve(a, b, x []float64, changed ChangeRate) error {
	if err := f.factor(a, b, changed); err != nil {
		return err
	}
	f.back(x)
	return nil
}

func (f *RealLU) factor(a, b []float64, changed ChangeRate) error {
	if f.sym != nil && (f.refactor(a, b, changed) || f.searchFailed && f.finite()) {
		return nil
	}
	return f.search(a, b)
}

// Search factors the matrix with the values a and a new pivot order. Errors are of type
// *SingularError.
func (f *RealLU) Search(a []float64) error { return f.search(a, f.zero) }

func (f *RealLU) search(a, b []float64) error {
	for _, v := range a[1:] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &SingularError{}
		}
	}
	f.Searches++
	sym, err := orderMarkowitz(f.p, func(s Slot) complex128 { return complex(a[s], 0) })
	if err != nil {
		return err
	}
	f.sym = sym
	f.lu = make([]float64, len(sym.column))
	f.searchFailed = !f.refactor(a, b, Constant)
	if f.searchFailed && !f.finite() {
		return &SingularError{}
	}
	return nil
}

// Multiplications returns the number of multiplications in one factorization and one solution. It
// returns 0 before the first factorization.
func (f *RealLU) Multiplications() int {
	if f.sym == nil {
		return 0
	}
	return len(f.sym.target) + len(f.sym.column)
}

// finite reports whether the last factors are finite.
func (f *RealLU) finite() bool {
	for _, v := range f.lu {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// magnitude maps a number to an integer that orders numbers by absolute value, with NaN above all
// others. The comparison of integers needs no branch. The difference of two magnitudes divided by
// octave approximates the base-2 logarithm of their ratio within 0.1.
func magnitude(v float64) int64 { return int64(math.Float64bits(v) &^ (1 << 63)) }

const octave = 1 << 52

// maxGrowth is the base-2 logarithm of 1e7 in units of octave. A pivot order is unstable if a pivot
// is below 1e-7 of the largest entry of its row in U. It is also unstable if elimination increases
// the largest entry of a row by a factor of more than 1e7.
const maxGrowth = 23.25 * octave

// refactor performs Doolittle's elimination row by row on a and on b. It reports whether all pivots
// are stable. Rows with a change rate below changed are reused.
func (f *RealLU) refactor(a, b []float64, changed ChangeRate) bool {
	if !f.stable {
		changed = Constant
	}
	f.stable = false
	lu, y := f.lu, f.y
	rows, from, rowOf, into := f.sym.rows, f.sym.source[:len(lu)], f.sym.rowOf, f.sym.target
	lower := f.sym.lower
	a[0] = 0
	stable := true
	entry, op := 0, 0 // cursors in lower and into
	for k := range rows {
		r := &rows[k]
		first, pivot, end := int(r.first), int(r.pivot), int(r.end)
		rest := b[rowOf[k]]
		if r.rate < changed {
			for i := first; i < pivot; i++ {
				rest -= lu[i] * y[lower[entry].step]
				entry++
			}
			op += int(r.products)
			y[k] = rest
			continue
		}
		var scale int64
		for i := first; i < end; i++ {
			v := a[from[i]]
			lu[i] = v
			scale = max(scale, magnitude(v))
		}
		for i := first; i < pivot; i++ {
			e := &lower[entry]
			entry++
			l := lu[i]
			if l == 0 {
				op += int(e.end-e.pivot) - 1
				continue
			}
			l *= lu[e.pivot]
			lu[i] = l
			rest -= l * y[e.step]
			for j := int(e.pivot) + 1; j < int(e.end); j++ {
				lu[into[op]] -= l * lu[j]
				op++
			}
		}
		y[k] = rest
		p := lu[pivot]
		size := magnitude(p)
		largest := size
		for i := pivot + 1; i < end; i++ {
			largest = max(largest, magnitude(lu[i]))
		}
		if largest-size > maxGrowth || largest-scale > maxGrowth || uint64(size-1) >= infinite-1 {
			stable = false
			if p == 0 {
				lu[pivot] = math.Inf(1)
				return false
			}
		}
		lu[pivot] = 1 / p
	}
	f.stable = stable
	return stable
}

// infinite is the magnitude of infinity as defined by magnitude.
const infinite = 0x7ff << 52

// Solve solves A·x = b with the last factors. Index 0 of both vectors is ground, and Solve sets
// x[0] to 0. b is not modified unless b and x are the same slice.
func (f *RealLU) Solve(b, x []float64) {
	lu, y := f.lu, f.y
	rowOf, lower := f.sym.rowOf, f.sym.lower
	entry := 0
	for k := range f.sym.rows {
		r := &f.sym.rows[k]
		rest := b[rowOf[k]]
		for i := int(r.first); i < int(r.pivot); i++ {
			rest -= lu[i] * y[lower[entry].step]
			entry++
		}
		y[k] = rest
	}
	f.back(x)
}

// back solves U·x = y by back substitution and sets x[0] to 0.
func (f *RealLU) back(x []float64) {
	lu, y := f.lu, f.y
	rows, column, colOf := f.sym.rows, f.sym.column[:len(lu)], f.sym.colOf
	for k := len(rows) - 1; k >= 0; k-- {
		r := &rows[k]
		pivot := int(r.pivot)
		rest := y[k]
		for i := pivot + 1; i < int(r.end); i++ {
			rest -= lu[i] * x[column[i]]
		}
		x[colOf[k]] = rest * lu[pivot]
	}
	x[0] = 0
}

// SolveTransposed solves Aᵀ·x = b with the last factors, first with Uᵀ and then with Lᵀ. Index 0 of
// both vectors is ground, and SolveTransposed sets x[0] to 0. b and x may be the same slice.
func (f *RealLU) SolveTransposed(b, x []float64) {
	lu, y := f.lu, f.y
	rows, lower, column := f.sym.rows, f.sym.lower, f.sym.column
	copy(x, b) // remaining right-hand side of each column
	for k := range rows {
		r := &rows[k]
		v := x[f.sym.colOf[k]] * lu[r.pivot]
		y[k] = v
		if v == 0 {
			continue
		}
		for i := r.pivot + 1; i < r.end; i++ {
			x[column[i]] -= lu[i] * v
		}
	}
	entry := len(lower)
	for k := len(rows) - 1; k >= 0; k-- {
		r := &rows[k]
		v := y[k]
		entry -= int(r.pivot - r.first)
		for i, e := range lower[entry : entry+int(r.pivot-r.first)] {
			y[e.step] -= lu[int(r.first)+i] * v
		}
		x[f.sym.rowOf[k]] = v
	}
	x[0] = 0
}

// Twin returns a factorization for the same pattern that begins with the pivot order of f, if f has
// one.
func (f *RealLU) Twin() *RealLU {
	g := NewRealLU(f.p)
	if f.sym != nil {
		g.sym, g.lu = f.sym, make([]float64, len(f.lu))
	}
	return g
}

// ComplexTwin returns a complex factorization for the same pattern that begins with the pivot order
// of f, if f has one.
func (f *RealLU) ComplexTwin() *ComplexLU {
	g := NewComplexLU(f.p)
	if f.sym != nil {
		g.sym, g.lu = f.sym, make([]complex128, len(f.lu))
	}
	return g
}
