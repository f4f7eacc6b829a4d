// Package mna implements the sparse linear algebra of modified nodal analysis. It provides a matrix
// with a fixed pattern and LU factorizations in preallocated arrays. A pivot search normally runs
// once per pattern, and the factorizations reuse its order. Factorizations are real for Newton's
// method and complex for small-signal analysis.
//
// Unknown 0 is ground and has no equation. Entries in its row or column share slot 0, whose value
// is ignored, so devices can stamp without testing for ground.
package mna

import "math"

// Slot is the index of a matrix entry in the array of values. All entries in the row or column of
// ground have slot 0.
type Slot = int32

// ChangeRate describes how often the value of an entry changes.
type ChangeRate uint8

// The change rates are in ascending order of frequency.
const (
	Constant     ChangeRate = iota // the value changes only with element values
	PerStep                        // the value also changes with the length of the time step
	PerIteration                   // the value changes in every Newton iteration
)

// Pattern is the set of matrix entries that may be nonzero.
type Pattern struct {
	// ChangeRate applies to the entries that are reserved after it is set. An entry that is
	// reserved more than once has the fastest of its rates.
	ChangeRate ChangeRate
	n          int
	row        []int32 // row of each slot
	col        []int32
	rate       []ChangeRate
	constant   []bool  // slots reserved at the rate Constant, even if they have a faster rate now
	chains     []chain // entries of each unknown; used only before Freeze
	next       []link  // list links of each slot; used only before Freeze
	start      []int32 // row i has the slots order[start[i]:start[i+1]]
	order      []Slot
	terms      []term // terms of the rows, parallel to order
	coupled    []bool // rows whose currents Residual computes (FindCoupled)
}

// chain refers to the entries in the row and in the column of one unknown.
type chain struct {
	diagonal           Slot // 0 if the entry on the diagonal is not reserved
	inRow, inCol       Slot // last reserved entries; 0 if there are none
	rowCount, colCount int32
}

// link holds the previously reserved entry of the same row and of the same column, or 0 if there is
// none.
type link struct{ inRow, inCol Slot }

// term is a matrix entry and the unknown by which it is multiplied. If row and column are nodes,
// from is the row: the entry times x[col] - x[from] is the current between the nodes. The row of a
// voltage that refers to a node has this node instead. Otherwise from is ground.
type term struct{ slot, col, from int32 }

// NewPattern returns an empty pattern without unknowns.
func NewPattern() *Pattern {
	const room = 64 // initial capacity in slots
	return &Pattern{row: make([]int32, 1, room), col: make([]int32, 1, room),
		rate: make([]ChangeRate, 1, room), constant: make([]bool, 1, room),
		chains: make([]chain, 1, room/4), next: make([]link, 1, room)}
}

// Reset removes all unknowns and entries and resets ChangeRate to Constant, but keeps the memory.
func (p *Pattern) Reset() {
	*p = Pattern{row: p.row[:1], col: p.col[:1], rate: p.rate[:1], constant: p.constant[:1],
		chains: append(p.chains[:0], chain{}), next: append(p.next[:0], link{})}
}

// AddUnknown adds a row and a column and returns their common number, which starts at 1.
func (p *Pattern) AddUnknown() int {
	p.n++
	p.chains = append(p.chains, chain{})
	return p.n
}

// N returns the number of unknowns.
func (p *Pattern) N() int { return p.n }

// Slots returns the required length of an array of values, including slot 0.
func (p *Pattern) Slots() int { return len(p.row) }

// Slot reserves the entry at row i and column j and returns its slot. Equal arguments return the
// same slot. Row or column 0 is ground and returns slot 0.
func (p *Pattern) Slot(i, j int) Slot {
	if i == 0 || j == 0 {
		return 0
	}
	if s := p.find(i, j); s > 0 {
		p.rate[s] = max(p.rate[s], p.ChangeRate)
		p.constant[s] = p.constant[s] || p.ChangeRate == Constant
		return s
	}
	s := Slot(len(p.row))
	p.row = append(p.row, int32(i))
	p.col = append(p.col, int32(j))
	p.rate = append(p.rate, p.ChangeRate)
	p.constant = append(p.constant, p.ChangeRate == Constant)
	r, c := &p.chains[i], &p.chains[j]
	p.next = append(p.next, link{r.inRow, c.inCol})
	r.inRow, c.inCol = s, s
	r.rowCount++
	c.colCount++
	if i == j {
		r.diagonal = s
	}
	return s
}

// find returns the slot of the entry at row i and column j, or 0 if it is not reserved. It searches
// the row or the column, whichever has fewer entries.
func (p *Pattern) find(i, j int) Slot {
	r, c := &p.chains[i], &p.chains[j]
	if i == j {
		return r.diagonal
	}
	if r.rowCount <= c.colCount {
		s := r.inRow
		for s > 0 && p.col[s] != int32(j) {
			s = p.next[s].inRow
		}
		return s
	}
	s := c.inCol
	for s > 0 && p.row[s] != int32(i) {
		s = p.next[s].inCol
	}
	return s
}

// Position returns the row and the column of a slot.
func (p *Pattern) Position(s int) (row, column int) { return int(p.row[s]), int(p.col[s]) }

// Freeze completes the pattern and sorts the slots by row. Slot must not be called afterwards.
func (p *Pattern) Freeze() {
	p.start = make([]int32, p.n+2)
	for _, r := range p.row[1:] {
		p.start[r+1]++
	}
	for i := 1; i < len(p.start); i++ {
		p.start[i] += p.start[i-1]
	}
	p.order = make([]Slot, len(p.row)-1)
	fill := append([]int32(nil), p.start...)
	for s := 1; s < len(p.row); s++ {
		r := p.row[s]
		p.order[fill[r]] = Slot(s)
		fill[r]++
	}
	p.terms = make([]term, len(p.order))
	for i, s := range p.order {
		p.terms[i] = term{slot: s, col: p.col[s]}
	}
	p.chains, p.next = nil, nil
}

// FindCoupled selects the rows whose currents Residual computes, and returns them. They are the
// rows of nodes where a constant conductance to another node and a nonlinear device meet. branch
// tells the currents among the unknowns from the nodes. outer holds the node to which the voltage
// of an unknown refers, or ground. The pattern must be frozen.
func (p *Pattern) FindCoupled(branch []bool, outer []int32) (rows []int) {
	constant, nonlinear := make([]bool, p.n+1), make([]bool, p.n+1)
	for k, s := range p.order {
		i, j := p.row[s], p.col[s]
		if branch[i] || branch[j] {
			continue
		}
		switch {
		case outer[j] > 0: // the unknown is the voltage between two nodes
		case outer[i] > 0:
			p.terms[k].from = outer[i]
		default:
			p.terms[k].from = i
		}
		constant[i] = constant[i] || i != j && p.constant[s]
		nonlinear[i] = nonlinear[i] || p.rate[s] == PerIteration
	}
	p.coupled = make([]bool, p.n+1)
	for i := range p.coupled {
		if p.coupled[i] = constant[i] && nonlinear[i]; p.coupled[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// Difference returns (A - B)·x, where a and b are the values of A and B by slot. Index 0 of x and
// of the result is ground.
func (p *Pattern) Difference(a, b, x []complex128) []complex128 {
	y := make([]complex128, p.n+1)
	for s := 1; s < len(p.row); s++ {
		if d := a[s] - b[s]; d != 0 {
			y[p.row[s]] += d * x[p.col[s]]
		}
	}
	return y
}

// Product adds A·x - b to f, where a holds the values of A by slot. Unlike Residual, it does not
// need a frozen pattern. Index 0 of all vectors is ground.
func (p *Pattern) Product(a, x, b, f []float64) {
	for i, v := range b {
		f[i] -= v
	}
	for s := 1; s < len(p.row); s++ {
		f[p.row[s]] += a[s] * x[p.col[s]]
	}
}

// Residual computes f = A·x - b, where a holds the values of A by slot. It also computes the scale
// of each row, which is the largest magnitude of b and the products a·x in the row. Index 0 of all
// vectors is ground.
//
// If currents is not nil, Residual also computes the largest current [A] of the rows of
// FindCoupled. It flows to another node, in a branch, or to ground with b. FindCoupled must have
// been called. The current of a conductance between nodes of nearly equal voltage is far below the
// products. The currents of nonlinear devices and capacitances are upper bounds, because their
// remainders are part of b.
func (p *Pattern) Residual(a, x, b, f, scale, currents []float64) {
	n := p.n + 1
	b, f, scale = b[:n], f[:n], scale[:n]
	terms, ends := p.terms, p.start[1:]
	k := 0
	for i := 1; i < n; i++ {
		sum := -b[i]
		big := magnitude(sum)
		if currents == nil || !p.coupled[i] {
			for end := int(ends[i]); k < end; k++ {
				e := &terms[k]
				t := a[e.slot] * x[e.col]
				sum += t
				big = max(big, magnitude(t))
			}
			f[i], scale[i] = sum, math.Float64frombits(uint64(big))
			continue
		}
		between, most := 0.0, int64(0)
		for end := int(ends[i]); k < end; k++ {
			e := &terms[k]
			y, v := a[e.slot], x[e.col]
			t, c := y*v, y*(v-x[e.from])
			sum += t
			big = max(big, magnitude(t))
			between += c
			most = max(most, magnitude(c))
		}
		f[i], scale[i] = sum, math.Float64frombits(uint64(big))
		currents[i] = math.Float64frombits(uint64(max(most, magnitude(sum-between))))
	}
}

// ResidualComplex computes f = A·x - b, where a holds the values of A by slot. It returns the
// largest magnitude of f relative to the largest term of its row. Index 0 of all vectors is ground.
func (p *Pattern) ResidualComplex(a, x, b, f []complex128) (relative float64) {
	k := 0
	for i := 1; i <= p.n; i++ {
		sum := -b[i]
		big := magnitude1(sum)
		for end := int(p.start[i+1]); k < end; k++ {
			e := &p.terms[k]
			t := a[e.slot] * x[e.col]
			sum += t
			big = max(big, magnitude1(t))
		}
		f[i] = sum
		if m := magnitude1(sum); m > relative*big {
			relative = m / big
		}
	}
	return relative
}
