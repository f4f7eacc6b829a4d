package mna

import (
	"math"
	"math/cmplx"
	"slices"
)

// threshold is the smallest magnitude of a pivot that may be chosen for sparsity, relative to the
// largest entry of its row (Kundert, "Sparse matrix techniques", 1986).
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

// orderMarkowitz selects the pivot order of H. M. Markowitz: among the entries above threshold it
// selects the entry with the smallest bound on fill-in. value returns the value of a slot. The
// computation is complex for real matrices as well. It runs once per circuit, and again if the
// values make the order unstable.
func orderMarkowitz(p *Pattern, value func(Slot) complex128) (*symbolic, error) {
	n := p.n
	rows := make([][]entry, n+1)
	colRows := make([][]int32, n+1)
	colCount := make([]int, n+1)
	// One array holds the entries of all rows. A row with fill-in moves to another array.
	entries := make([]entry, len(p.order))
	for i := 1; i <= n; i++ {
		rows[i] = entries[p.start[i]:p.start[i]:p.start[i+1]]
		for _, s := range p.order[p.start[i]:p.start[i+1]] {
			c := p.col[s]
			v := value(s)
			m := absolute(v)
			rows[i] = append(rows[i], entry{c, v, m, m})
			colRows[c] = append(colRows[c], int32(i))
			colCount[c]++
		}
	}
	sym := &symbolic{n: n, rowOf: make([]int32, n), colOf: make([]int32, n)}
	stepOfCol := make([]int32, n+1)
	lower := make([][]int32, n+1) // elimination steps applied to each row
	done := make([]bool, n+1)
	// where holds the index of each column in the current row plus 1. It is 0 if the row has no
	// entry in that column.
	where := make([]int32, n+1)
	upper := make([][]int32, n) // columns of A in each row of U, with the pivot first

	for k := range n {
		bestRow, bestAt := -1, -1
		bestCost, bestSize := math.MaxInt, 0.0
		for i := 1; i <= n; i++ {
			if done[i] {
				continue
			}
			row := rows[i]
			big := 0.0
			for k := range row {
				if m := row[k].size; m > big {
					big = m
				}
			}
			if big == 0 {
				continue
			}
			for at := range row {
				e := &row[at]
				m := e.size
				if m < threshold*big || m <= cancelled*e.big {
					continue
				}
				cost := (len(row) - 1) * (colCount[e.col] - 1)
				if cost < bestCost || cost == bestCost && m/big > bestSize {
					bestRow, bestAt, bestCost, bestSize = i, at, cost, m/big
				}
			}
		}
		if bestRow < 0 {
			err := &SingularError{}
			for i := 1; i <= n; i++ {
				if !done[i] {
					err.Rows = append(err.Rows, i)
				}
			}
			left := make([]bool, n+1)
			for _, c := range sym.colOf[:k] {
				left[c] = true
			}
			for c := 1; c <= n; c++ {
				if !left[c] {
					err.Cols = append(err.Cols, c)
				}
			}
			return nil, err
		}
		r := rows[bestRow]
		r[0], r[bestAt] = r[bestAt], r[0]
		pivot := r[0]
		sym.rowOf[k], sym.colOf[k] = int32(bestRow), pivot.col
		stepOfCol[pivot.col] = int32(k)
		done[bestRow] = true
		upper[k] = make([]int32, len(r))
		for i, e := range r {
			upper[k][i] = e.col
			colCount[e.col]--
		}
		for _, i := range colRows[pivot.col] {
			if done[i] {
				continue
			}
			row := rows[i]
			for at, e := range row {
				where[e.col] = int32(at) + 1
			}
			at := where[pivot.col] - 1
			l := row[at].val / pivot.val
			for _, e := range r[1:] {
				t := l * e.val
				if w := where[e.col]; w > 0 {
					x := &row[w-1]
					x.val -= t
					x.size = absolute(x.val)
					x.big = max(x.big, x.size, absolute(t))
				} else {
					m := absolute(t)
					row = append(row, entry{e.col, -t, m, m})
					where[e.col] = int32(len(row))
					colRows[e.col] = append(colRows[e.col], i)
					colCount[e.col]++
				}
			}
			for _, e := range row {
				where[e.col] = 0
			}
			last := len(row) - 1
			row[at] = row[last]
			rows[i] = row[:last]
			lower[i] = append(lower[i], int32(k))
		}
	}
	sym.layout(p, lower, upper, stepOfCol)
	return sym, nil
}

// layout stores the pattern of the factors in flat arrays. lower and upper are the columns of L and
// U per row, and stepOfCol is the elimination step of each column of A.
func (sym *symbolic) layout(p *Pattern, lower, upper [][]int32, stepOfCol []int32) {
	n := sym.n
	sym.rows = make([]factorRow, n)
	place := make([]int32, n) // factor entry of each column in the current row
	for k := range n {
		r := sym.rowOf[k]
		first := len(sym.column)
		cols := append([]int32(nil), lower[r]...) // ascending, because the steps are in order
		u := make([]int32, len(upper[k]))
		for i, c := range upper[k] {
			u[i] = stepOfCol[c]
		}
		slices.Sort(u) // the pivot is the smallest, because all others are eliminated later
		cols = append(cols, u...)
		for i, c := range cols {
			place[c] = int32(first + i)
			sym.column = append(sym.column, sym.colOf[c])
			sym.source = append(sym.source, 0)
		}
		pivot := first + len(lower[r])
		before, pace := len(sym.target), Constant
		for _, j := range lower[r] {
			row := &sym.rows[j]
			pace = max(pace, row.rate)
			sym.lower = append(sym.lower, lowerEntry{j, row.pivot, row.end})
			for _, c := range sym.column[row.pivot+1 : row.end] {
				sym.target = append(sym.target, place[stepOfCol[c]])
			}
		}
		for _, s := range p.order[p.start[r]:p.start[r+1]] {
			sym.source[place[stepOfCol[p.col[s]]]] = s
			pace = max(pace, p.rate[s])
		}
		sym.rows[k] = factorRow{int32(first), int32(pivot), int32(len(sym.column)),
			int32(len(sym.target) - before), pace}
	}
}
