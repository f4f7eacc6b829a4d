package mna

import (
	"math"
	"math/cmplx"
	"slices"
)

// threshold is the smallest magnitude of a pivot that may be chosen for sparsity, relative to the
// largest entry of its row. See Kundert, "Sparse matrix techniques", 1986.
const threshold = 1e-3

// cancelled is the relative magnitude below which an entry counts as a rounding error of zero. The
// reference is the largest intermediate value of the entry.
const cancelled = 4e-15

// symbolic holds a pivot order and the pattern of the factors. The arrays are in the order in which
// elimination accesses them.
type symbolic struct {
	n     int
	rowOf []int32 // row of A in elimination step k
	colOf []int32 // column of A in elimination step k
	rows  []factorRow
	// source and column are indexed by factor entry. source is the slot of A that initializes the
	// entry, or 0 for fill-in. column is its column in A.
	source []Slot
	column []int32
	// lower holds the entries of L by rows and ascending columns. Each entry refers to the row of U
	// that elimination subtracts.
	lower []lowerEntry
	// target holds the index of the factor entry from which each elimination product is subtracted.
	// The products are in the order of elimination. Each entry of L has one product per entry of
	// its row of U.
	target []int32
}

// factorRow describes a row of the factors. L starts at index first, and the pivot at index pivot
// and U follow up to index end. products is the number of products in the elimination of the row.
// rate is the fastest change rate of the entries that affect the row.
type factorRow struct {
	first, pivot, end, products int32
	rate                        ChangeRate
}

// lowerEntry is an entry of L in the column of elimination step step. pivot is the index of the
// pivot of that step, and end is the end of its row.
type lowerEntry struct{ step, pivot, end int32 }

type entry struct {
	col  int32
	val  complex128
	size float64 // magnitude of val
	big  float64 // largest magnitude of all intermediate values of the entry
}

// candidate is the best pivot of a row.
type candidate struct {
	at    int32   // index of the entry in the row; -1 if the row has no usable pivot
	stale bool    // the row or the number of entries in one of its columns has changed
	done  bool    // the row has been the pivot row
	cost  int     // bound on fill-in
	size  float64 // magnitude relative to the largest entry of the row
}

// absolute returns the magnitude of a number, with a fast path for real numbers.
func absolute(v complex128) float64 {
	if imag(v) == 0 {
		return math.Abs(real(v))
	}
	return cmplx.Abs(v)
}

// SingularError reports an elimination step without a usable pivot. Rows and Cols hold the numbers
// of the remaining equations and unknowns, starting from 1. They are nil if an entry is not finite.
type SingularError struct{ Rows, Cols []int }

// Error returns a fixed message.
func (e *SingularError) Error() string { return "the matrix is singular" }

// ordering is the state of the search for a pivot order.
type ordering struct {
	rows     [][]entry // remaining entries of each row
	colRows  [][]int32 // rows with an entry in each column, including rows already eliminated
	colCount []int32   // number of remaining rows with an entry in each column
	best     []candidate
	// remaining lists the rows that are not eliminated, in ascending order.
	remaining []int32
	// where holds the index of each column in the current row plus 1. It is 0 if the row has no
	// entry in that column.
	where []int32
	// lower holds the row and the elimination step of each entry of L in the order of elimination.
	lower [][2]int32
	// upper holds the columns of A in each row of U, with the pivot first. Row k starts at
	// upperStart[k].
	upper, upperStart []int32
}

// spare is the additional capacity of each row and column for fill-in.
const spare = 3

// newOrdering prepares the search for the matrix with the given values.
func newOrdering(p *Pattern, value func(Slot) complex128) *ordering {
	n := p.n
	o := &ordering{rows: make([][]entry, n+1), colRows: make([][]int32, n+1),
		best: make([]candidate, n+1), lower: make([][2]int32, 0, len(p.order)),
		upper: make([]int32, 0, len(p.order)+spare*n)}
	ints := make([]int32, 4*(n+1)+len(p.order)+spare*n)
	take := func(size int) []int32 {
		part := ints[:size:size]
		ints = ints[size:]
		return part
	}
	o.colCount, o.where, o.upperStart = take(n+1), take(n+1), take(n + 1)[:0]
	o.remaining = take(n)
	for _, t := range p.terms {
		o.colCount[t.col]++
	}
	entries := make([]entry, len(p.order)+spare*n)
	for i := 1; i <= n; i++ {
		o.remaining[i-1] = int32(i)
		o.colRows[i] = take(int(o.colCount[i]) + spare)[:0]
		size := int(p.start[i+1]-p.start[i]) + spare
		o.rows[i] = entries[:0:size]
		entries = entries[size:]
		o.best[i].stale = true
	}
	for i := 1; i <= n; i++ {
		for _, t := range p.terms[p.start[i]:p.start[i+1]] {
			v := value(t.slot)
			m := absolute(v)
			o.rows[i] = append(o.rows[i], entry{t.col, v, m, m})
			o.colRows[t.col] = append(o.colRows[t.col], int32(i))
		}
	}
	return o
}

// orderMarkowitz selects the pivot order of H. M. Markowitz: among the entries above threshold it
// selects the entry with the smallest bound on fill-in. value returns the value of a slot. The
// computation is complex for real matrices as well. It runs once per circuit, and again if the
// values make the order unstable.
func orderMarkowitz(p *Pattern, value func(Slot) complex128) (*symbolic, error) {
	n := p.n
	o := newOrdering(p, value)
	ints := make([]int32, 2*n)
	sym := &symbolic{n: n, rowOf: ints[:n:n], colOf: ints[n:]}
	for k := range n {
		row := o.pivotRow()
		if row == 0 {
			return nil, o.singular(sym.colOf[:k])
		}
		sym.rowOf[k], sym.colOf[k] = int32(row), o.rows[row][o.best[row].at].col
		o.eliminate(k, row)
	}
	sym.layout(p, o)
	return sym, nil
}

// pivotRow returns the row of the best pivot, or 0 if no remaining row has a usable pivot.
func (o *ordering) pivotRow() (row int) {
	bestCost, bestSize := math.MaxInt, 0.0
	place := -1
	for k, i := range o.remaining {
		c := &o.best[i]
		if c.stale {
			o.update(int(i))
		}
		if c.at >= 0 && (c.cost < bestCost || c.cost == bestCost && c.size > bestSize) {
			row, place, bestCost, bestSize = int(i), k, c.cost, c.size
			if bestCost == 0 && bestSize == 1 {
				break // no other pivot can be better
			}
		}
	}
	if row > 0 {
		o.remaining = append(o.remaining[:place], o.remaining[place+1:]...)
	}
	return row
}

// update selects the best pivot of row i.
func (o *ordering) update(i int) {
	row, c := o.rows[i], &o.best[i]
	*c = candidate{at: -1, cost: math.MaxInt}
	big := 0.0
	for k := range row {
		if m := row[k].size; m > big {
			big = m
		}
	}
	if big == 0 {
		return
	}
	for at := range row {
		e := &row[at]
		if e.size < threshold*big || e.size <= cancelled*e.big {
			continue
		}
		cost := (len(row) - 1) * (int(o.colCount[e.col]) - 1)
		if size := e.size / big; cost < c.cost || cost == c.cost && size > c.size {
			c.at, c.cost, c.size = int32(at), cost, size
		}
	}
}

// eliminate subtracts the pivot row from all rows with an entry in the pivot column, in elimination
// step k.
func (o *ordering) eliminate(k, pivotRow int) {
	r, at := o.rows[pivotRow], o.best[pivotRow].at
	r[0], r[at] = r[at], r[0]
	pivot := r[0]
	o.best[pivotRow].done = true
	o.upperStart = append(o.upperStart, int32(len(o.upper)))
	for _, e := range r {
		o.upper = append(o.upper, e.col)
		o.colCount[e.col]--
		for _, i := range o.colRows[e.col] {
			o.best[i].stale = true
		}
	}
	for _, i := range o.colRows[pivot.col] {
		if o.best[i].done {
			continue
		}
		row := o.rows[i]
		for at := range row {
			o.where[row[at].col] = int32(at) + 1
		}
		at := o.where[pivot.col] - 1
		l := row[at].val / pivot.val
		for _, e := range r[1:] {
			t := l * e.val
			if w := o.where[e.col]; w > 0 {
				x := &row[w-1]
				x.val -= t
				x.size = absolute(x.val)
				x.big = max(x.big, x.size, absolute(t))
			} else {
				m := absolute(t)
				row = append(row, entry{e.col, -t, m, m})
				o.where[e.col] = int32(len(row))
				o.fillIn(e.col, i)
			}
		}
		for at := range row {
			o.where[row[at].col] = 0
		}
		last := len(row) - 1
		row[at] = row[last]
		o.rows[i] = row[:last]
		o.lower = append(o.lower, [2]int32{i, int32(k)})
	}
}

// fillIn records a new entry at the given column and row. All other rows with an entry in the
// column are stale already, because the pivot row has an entry in it.
func (o *ordering) fillIn(col, row int32) {
	o.colRows[col] = append(o.colRows[col], row)
	o.colCount[col]++
}

// singular returns the error for the rows that remain. columns holds the eliminated columns.
func (o *ordering) singular(columns []int32) *SingularError {
	err := &SingularError{}
	left := make([]bool, len(o.best))
	for _, c := range columns {
		left[c] = true
	}
	for _, i := range o.remaining {
		err.Rows = append(err.Rows, int(i))
	}
	for i := 1; i < len(o.best); i++ {
		if !left[i] {
			err.Cols = append(err.Cols, i)
		}
	}
	return err
}

// layout stores the pattern of the factors in flat arrays.
func (sym *symbolic) layout(p *Pattern, o *ordering) {
	n, entries := sym.n, len(o.lower)+len(o.upper)
	o.upperStart = append(o.upperStart, int32(len(o.upper)))
	ints := make([]int32, 3*n+2+len(o.lower))
	stepOfCol, start := ints[:n+1], ints[n+1:2*n+2]
	place := ints[2*n+2 : 3*n+2] // factor entry of each column in the current row
	steps := ints[3*n+2:]        // elimination steps of each row, ascending
	for k, c := range sym.colOf {
		stepOfCol[c] = int32(k)
	}
	for _, e := range o.lower { // start[i] becomes the end of row i and then its start
		start[e[0]]++
	}
	for i := 1; i <= n; i++ {
		start[i] += start[i-1]
	}
	products := 0
	for i := len(o.lower) - 1; i >= 0; i-- {
		e := o.lower[i]
		start[e[0]]--
		steps[start[e[0]]] = e[1]
		products += int(o.upperStart[e[1]+1]-o.upperStart[e[1]]) - 1
	}
	sym.rows = make([]factorRow, n)
	both := make([]int32, 2*entries+products)
	sym.source, sym.column = both[:entries:entries], both[entries:entries:2*entries]
	sym.target = both[2*entries : 2*entries]
	sym.lower = make([]lowerEntry, 0, len(o.lower))
	for k := range n {
		r := sym.rowOf[k]
		first := len(sym.column)
		last := int32(len(steps))
		if int(r) < n {
			last = start[r+1]
		}
		lower := steps[start[r]:last]
		sym.column = append(sym.column, lower...)
		pivot := len(sym.column)
		for _, c := range o.upper[o.upperStart[k]:o.upperStart[k+1]] {
			sym.column = append(sym.column, stepOfCol[c])
		}
		// Sorting keeps the pivot first, because all other columns are eliminated in later steps.
		slices.Sort(sym.column[pivot:])
		for i, c := range sym.column[first:] {
			place[c] = int32(first + i)
			sym.column[first+i] = sym.colOf[c]
		}
		before, pace := len(sym.target), Constant
		for _, j := range lower {
			row := &sym.rows[j]
			pace = max(pace, row.rate)
			sym.lower = append(sym.lower, lowerEntry{j, row.pivot, row.end})
			for _, c := range sym.column[row.pivot+1 : row.end] {
				sym.target = append(sym.target, place[stepOfCol[c]])
			}
		}
		for _, t := range p.terms[p.start[r]:p.start[r+1]] {
			sym.source[place[stepOfCol[t.col]]] = t.slot
			pace = max(pace, p.rate[t.slot])
		}
		sym.rows[k] = factorRow{int32(first), int32(pivot), int32(len(sym.column)),
			int32(len(sym.target) - before), pace}
	}
}
