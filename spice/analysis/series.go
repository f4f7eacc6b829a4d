package analysis

import (
	"math"
	"math/cmplx"

	"slipstick/spice/device"
	"slipstick/spice/mna"
)

// seriesResistances holds the series resistances of the devices. Newton's method and the
// small-signal analyses solve for their voltages instead of the voltages of the internal nodes.
//
// A junction that is off has picosiemens, and its series resistance has siemens. In terms of the
// node voltages, the elimination of the internal node subtracts two nearly equal conductances. The
// current of the resistance is the difference of two large products. Their roundoff then hides the
// currents of the junction. With the voltage of the resistance as an unknown, no such terms cancel.
type seriesResistances struct {
	list []seriesResistance
	// outerNode is the other node of the resistance of each internal node, or ground
	outerNode []int32
	x         []float64 // unknowns of Newton's method; sim.x if there are no series resistances
	// atNodes is set for the resistances whose unknown is the voltage of the internal node: in the
	// last matrix, and in the last factors
	atNodes, factored []bool
}

// weakSeries is the conductance of a series resistance, relative to that of its junction, below
// which its unknown is the voltage of the internal node. In the sum of both conductances, which the
// equation for its own voltage has, that of the resistance would lose its digits.
const weakSeries = 1e-9

// seriesResistance is a series resistance with its matrix entries in the rows and columns of its
// two nodes.
type seriesResistance struct {
	device.SeriesResistance
	outerDiagonal, outerInner, innerOuter, innerDiagonal mna.Slot

	columns []columnSum
	voltage float64 // of the internal node relative to the other one [V]
}

// columnSum is an entry in the column of an internal node. It is added to the entry of the same row
// in the column of the other node.
type columnSum struct{ from, to mna.Slot }

// reserve adds the series resistances of the devices. It must precede Pattern.Freeze.
func (r *seriesResistances) reserve(setup *device.Setup) {
	p := setup.Pattern
	r.outerNode = make([]int32, p.N()+1)
	numbers := make(map[int]int, len(setup.Series)) // resistance of each internal node
	for k, e := range setup.Series {
		r.outerNode[e.Inner], numbers[e.Inner] = int32(e.Outer), k
		r.list = append(r.list, seriesResistance{SeriesResistance: e,
			outerDiagonal: p.Slot(e.Outer, e.Outer), outerInner: p.Slot(e.Outer, e.Inner),
			innerOuter: p.Slot(e.Inner, e.Outer), innerDiagonal: p.Slot(e.Inner, e.Inner)})
	}
	p.ChangeRate = mna.PerIteration
	for k := 1; k < p.Slots(); k++ {
		row, column := p.Position(k)
		if outer := r.outerNode[column]; outer > 0 {
			e := &r.list[numbers[column]]
			e.columns = append(e.columns, columnSum{mna.Slot(k), p.Slot(row, int(outer))})
		}
	}
	r.atNodes, r.factored = make([]bool, len(r.list)), make([]bool, len(r.list))
}

// begin sets the voltages of the resistances to those of the node voltages x [V].
func (r *seriesResistances) begin(x []float64) {
	for k := range r.list {
		e := &r.list[k]
		e.voltage = x[e.Inner] - x[e.Outer]
	}
}

// assemble transforms the matrix a of the node voltages, without the resistances, to that of the
// unknowns, and adds the resistances.
func (r *seriesResistances) assemble(a []float64) {
	for k := range r.list {
		e := &r.list[k]
		g := *e.Siemens
		r.atNodes[k] = g < weakSeries*math.Abs(a[e.innerDiagonal])
		transform(e, a, g, r.atNodes[k])
	}
}

// assembleAC transforms the matrix a of the small-signal equations as assemble does. It sets
// atNodes for each resistance unless keep is set.
func (r *seriesResistances) assembleAC(a []complex128, atNodes []bool, keep bool) {
	for k := range r.list {
		e := &r.list[k]
		g := *e.Siemens
		if !keep {
			atNodes[k] = g < weakSeries*cmplx.Abs(a[e.innerDiagonal])
		}
		transform(e, a, complex(g, 0), atNodes[k])
	}
}

// transform adds a resistance with the conductance g [S] to the matrix a. Unless atNode is set, it
// first replaces the voltage of the internal node by that of the resistance.
func transform[T float64 | complex128](e *seriesResistance, a []T, g T, atNode bool) {
	if atNode {
		a[e.outerDiagonal] += g
		a[e.innerOuter] -= g
	} else {
		for _, c := range e.columns {
			a[c.to] += a[c.from]
		}
	}
	a[e.outerInner] -= g
	a[e.innerDiagonal] += g
}

// unknowns returns the unknowns of Newton's method for the solution x. They are valid until the
// next call.
func (r *seriesResistances) unknowns(x []float64) []float64 {
	if len(r.list) == 0 {
		return x
	}
	r.x = append(r.x[:0], x...)
	for k := range r.list {
		if e := &r.list[k]; !r.atNodes[k] {
			r.x[e.Inner] = e.voltage
		}
	}
	return r.x
}

// correct subtracts the corrections dx from the voltages of the resistances. It replaces their
// corrections in dx by those of the internal nodes.
func (r *seriesResistances) correct(dx []float64) {
	for k := range r.list {
		e := &r.list[k]
		if r.factored[k] {
			e.voltage -= dx[e.Inner] - dx[e.Outer]
			continue
		}
		e.voltage -= dx[e.Inner]
		dx[e.Inner] += dx[e.Outer]
	}
}

// setNodes sets the voltages of the internal nodes in the solution x.
func (r *seriesResistances) setNodes(x []float64) {
	for k := range r.list {
		e := &r.list[k]
		x[e.Inner] = x[e.Outer] + e.voltage
	}
}

// toNodes replaces the voltages of the resistances in v by those of the internal nodes, except
// where atNodes is set.
func toNodes[T float64 | complex128](r *seriesResistances, v []T, atNodes []bool) {
	for k := range r.list {
		if e := &r.list[k]; !atNodes[k] {
			v[e.Inner] += v[e.Outer]
		}
	}
}
