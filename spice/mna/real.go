package mna

import "math"

// RealLU factors real matrices of one pattern again and again.
type RealLU struct {
	p    *Pattern
	sym  *symbolic
	lu   []float64 // factors; pivots are stored inverted
	y    []float64 // L·y = b
	zero []float64
	weak bool // even the last search found no sound order; another would not help
	// Searches counts pivot searches, the costly part, for statistics and tests.
	Searches int
}

// NewRealLU prepares a factorisation for a frozen pattern.
func NewRealLU(p *Pattern) *RealLU {
	return &RealLU{p: p, y: make([]float64, p.n), zero: make([]float64, p.n+1)}
}

// Factor factors the matrix with the given values. It keeps the pivot order of the
// last search as long as every pivot stays sound, and searches anew otherwise. Slot 0 of
// the values is set to 0.
func (f *RealLU) Factor(a []float64) error { return f.factor(a, f.zero) }

// FactorSolve factors the matrix and gives x with A·x = b, as Factor and Solve do.
func (f *RealLU) FactorSolve(a, b, x []float64) error {
	if err := f.factor(a, b); err != nil {
		return err
	}
	f.back(x)
	return nil
}

func (f *RealLU) factor(a, b []float64) error {
	if f.sym != nil && (f.refactor(a, b) || f.weak && f.usable()) {
		return nil
	}
	return f.search(a, b)
}

// Search factors with a new pivot order.
func (f *RealLU) Search(a []float64) error { return f.search(a, f.zero) }

func (f *RealLU) search(a, b []float64) error {
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
	f.lu = make([]float64, len(sym.column))
	f.weak = !f.refactor(a, b)
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
	return len(f.sym.into) + len(f.sym.column)
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

// magnitude orders numbers by their absolute value, any NaN above all others: integers
// compare without a branch to mispredict.
func magnitude(v float64) uint64 { return math.Float64bits(v) &^ (1 << 63) }

// refactor runs Doolittle's elimination row by row in the known places, on b as on a column
// of the matrix, and reports whether all pivots are sound.
func (f *RealLU) refactor(a, b []float64) bool {
	sym, lu, y := f.sym, f.lu, f.y
	a[0] = 0
	sound := true
	lower, into := sym.lower, sym.into
	for k, r := range sym.rows {
		row := lu[r.first:r.end]
		from := sym.from[r.first:r.end]
		var scale uint64
		for i := range row {
			v := a[from[i]]
			row[i] = v
			scale = max(scale, magnitude(v))
		}
		rest := b[sym.rowOf[k]]
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
			rest -= l * y[e.step]
			for m, v := range u {
				lu[to[m]] -= l * v
			}
		}
		lower = lower[pivot:]
		y[k] = rest
		var largest uint64
		for _, v := range row[pivot+1:] {
			largest = max(largest, magnitude(v))
		}
		p := row[pivot]
		size, big := math.Abs(p), math.Float64frombits(largest)
		if !(size > weakPivot*big) || max(size, big) > maxGrowth*math.Float64frombits(scale) || math.IsInf(p, 0) {
			sound = false
			if p == 0 {
				row[pivot] = math.Inf(1)
				return false
			}
		}
		row[pivot] = 1 / p
	}
	return sound
}

// Solve gives x with A·x = b from the last factors. Index 0 of both is ground: x[0]
// becomes 0. b is left alone; b and x may be the same slice.
func (f *RealLU) Solve(b, x []float64) {
	sym, lu, y := f.sym, f.lu, f.y
	lower := sym.lower
	for k, r := range sym.rows {
		s := b[sym.rowOf[k]]
		row := lu[r.first:r.pivot]
		of := lower[:len(row)]
		for i, l := range row {
			s -= l * y[of[i].step]
		}
		lower = lower[len(row):]
		y[k] = s
	}
	f.back(x)
}

// back solves U·x = y.
func (f *RealLU) back(x []float64) {
	sym, lu := f.sym, f.lu
	y, colOf := f.y[:len(sym.rows)], sym.colOf[:len(sym.rows)]
	for k := len(sym.rows) - 1; k >= 0; k-- {
		r := &sym.rows[k]
		s := y[k]
		row := lu[r.pivot:r.end]
		column := sym.column[r.pivot:r.end]
		for i := 1; i < len(row); i++ {
			s -= row[i] * x[column[i]]
		}
		x[colOf[k]] = s * row[0]
	}
	x[0] = 0
}
