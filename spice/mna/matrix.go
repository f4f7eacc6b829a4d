// Package mna holds the sparse linear algebra of modified nodal analysis: a matrix whose
// pattern is fixed before the first number, one pivot search per pattern, and
// factorisations that reuse it in preallocated arrays, real for Newton's method and
// complex for small-signal analysis.
//
// Unknown 0 is ground. It is never solved for: entries in its row or column share one
// slot whose value nobody reads, so that devices can stamp without asking.
package mna

import "math"

// Slot is the place of one matrix entry in the array of values. Slot 0 swallows
// whatever concerns ground.
type Slot = int32

// ChangeRate is how often the value of an entry changes.
type ChangeRate uint8

// The paces, from slow to fast.
const (
	Constant     ChangeRate = iota // with the values of the elements only
	PerStep                        // with the length of the time step
	PerIteration                   // in every iteration
)

// Pattern is the set of matrix entries that can be non-zero.
type Pattern struct {
	// ChangeRate is that of the entries reserved from now on; an entry reserved twice has the
	// faster one.
	ChangeRate ChangeRate
	n          int
	index      map[[2]int32]Slot // used while building only
	row        []int32           // of each slot
	col        []int32
	rate       []ChangeRate
	start      []int32 // slots of row i: order[start[i]:start[i+1]]
	order      []Slot
	terms      []term // in the same order
}

// term is a matrix entry and the unknown it multiplies.
type term struct{ slot, col int32 }

// NewPattern gives an empty pattern without unknowns.
func NewPattern() *Pattern {
	return &Pattern{index: map[[2]int32]Slot{}, row: []int32{0}, col: []int32{0}, rate: []ChangeRate{Constant}}
}

// AddUnknown adds a row and a column and gives their number, from 1.
func (p *Pattern) AddUnknown() int {
	p.n++
	return p.n
}

// N is the number of unknowns.
func (p *Pattern) N() int { return p.n }

// Slots is the length of an array of values, slot 0 included.
func (p *Pattern) Slots() int { return len(p.row) }

// Slot reserves the entry at row i and column j; equal calls give equal slots.
func (p *Pattern) Slot(i, j int) Slot {
	if i == 0 || j == 0 {
		return 0
	}
	key := [2]int32{int32(i), int32(j)}
	if s, ok := p.index[key]; ok {
		p.rate[s] = max(p.rate[s], p.ChangeRate)
		return s
	}
	s := Slot(len(p.row))
	p.index[key] = s
	p.row = append(p.row, int32(i))
	p.col = append(p.col, int32(j))
	p.rate = append(p.rate, p.ChangeRate)
	return s
}

// Position returns the row and the column of a slot.
func (p *Pattern) Position(s int) (row, column int) { return int(p.row[s]), int(p.col[s]) }

// Freeze ends the building and sorts the slots by row.
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
		p.terms[i] = term{s, p.col[s]}
	}
}

// Difference returns (a - b)·x.
func (p *Pattern) Difference(a, b, x []complex128) []complex128 {
	y := make([]complex128, p.n+1)
	for s := 1; s < len(p.row); s++ {
		if d := a[s] - b[s]; d != 0 {
			y[p.row[s]] += d * x[p.col[s]]
		}
	}
	return y
}

// Residual computes f = A·x - b and, per row, the largest term |a·x| or |b|, the scale
// against which a residual is judged. Index 0 of all vectors is ground.
func (p *Pattern) Residual(a, x, b, f, scale []float64) {
	n := p.n + 1
	b, f, scale = b[:n], f[:n], scale[:n]
	terms, ends := p.terms, p.start[1:]
	k := 0
	for i := 1; i < n; i++ {
		sum := -b[i]
		big := magnitude(sum)
		for end := int(ends[i]); k < end; k++ {
			e := &terms[k]
			t := a[e.slot] * x[e.col]
			sum += t
			big = max(big, magnitude(t))
		}
		f[i], scale[i] = sum, math.Float64frombits(uint64(big))
	}
}
