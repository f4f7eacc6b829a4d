package analysis

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/mna"
)

// seriesResistances holds the series resistances of the devices. Newton's method solves for their
// voltages instead of the voltages of the internal nodes.
//
// A junction that is off has picosiemens, and its series resistance has siemens. In terms of the
// node voltages, the elimination of the internal node subtracts two nearly equal conductances, and
// the current of the resistance is the difference of two large products. Their roundoff then hides
// the currents of the junction. With the voltage of the resistance as an unknown, no such terms
// cancel.
type seriesResistances struct {
	list    []seriesResistance
	columns []columnSum
	outer   []int32   // other node of the resistance of each internal node, or ground
	x       []float64 // unknowns of Newton's method; sim.x if there are no series resistances
}

// leastSeries is the smallest conductance of a series resistance in the matrix, relative to that of
// its junction. Only iterates far from a solution have a smaller one, which would be lost in the
// sum of both and make the matrix singular.
const leastSeries = 1e-12

// seriesResistance is a series resistance with its matrix entries in the rows of its two nodes and
// the column of the internal node.
type seriesResistance struct {
	device.SeriesResistance
	outer, inner mna.Slot
	voltage      float64 // of the internal node relative to the other one [V]
}

// columnSum is an entry in the column of an internal node and the entry of the same row in the
// column of the other node.
type columnSum struct{ inner, outer mna.Slot }

// reserve adds the series resistances of the devices. It must precede Pattern.Freeze.
func (r *seriesResistances) reserve(setup *device.Setup) {
	p := setup.Pattern
	r.outer = make([]int32, p.N()+1)
	for _, e := range setup.Series {
		r.outer[e.Inner] = int32(e.Outer)
		r.list = append(r.list, seriesResistance{SeriesResistance: e,
			outer: p.Slot(e.Outer, e.Inner), inner: p.Slot(e.Inner, e.Inner)})
	}
	p.ChangeRate = mna.PerIteration
	for k := 1; k < p.Slots(); k++ {
		row, column := p.Position(k)
		if outer := r.outer[column]; outer > 0 {
			r.columns = append(r.columns, columnSum{mna.Slot(k), p.Slot(row, int(outer))})
		}
	}
}

// begin sets the voltages of the resistances to those of the node voltages x [V].
func (r *seriesResistances) begin(x []float64) {
	for k := range r.list {
		e := &r.list[k]
		e.voltage = x[e.Inner] - x[e.Outer]
	}
}

// assemble transforms the matrix a of the node voltages, without the resistances, to that of their
// voltages, and adds the resistances.
func (r *seriesResistances) assemble(a []float64) {
	for _, c := range r.columns {
		a[c.outer] += a[c.inner]
	}
	for k := range r.list {
		e := &r.list[k]
		g := max(*e.Siemens, leastSeries*math.Abs(a[e.inner]))
		a[e.outer] -= g
		a[e.inner] += g
	}
}

// unknowns returns the unknowns of Newton's method for the solution x. They are valid until the
// next call.
func (r *seriesResistances) unknowns(x []float64) []float64 {
	if len(r.list) == 0 {
		return x
	}
	r.x = append(r.x[:0], x...)
	for k := range r.list {
		e := &r.list[k]
		r.x[e.Inner] = e.voltage
	}
	return r.x
}

// correct subtracts the corrections dx from the voltages of the resistances. It replaces their
// corrections in dx by those of the internal nodes.
func (r *seriesResistances) correct(dx []float64) {
	for k := range r.list {
		e := &r.list[k]
		e.voltage -= dx[e.Inner]
		dx[e.Inner] += dx[e.Outer]
	}
}

// toNodes replaces the voltages of the resistances in v by those of the internal nodes.
func (r *seriesResistances) toNodes(v []float64) {
	for k := range r.list {
		e := &r.list[k]
		v[e.Inner] += v[e.Outer]
	}
}

// setNodes sets the voltages of the internal nodes in the solution x.
func (r *seriesResistances) setNodes(x []float64) {
	for k := range r.list {
		e := &r.list[k]
		x[e.Inner] = x[e.Outer] + e.voltage
	}
}
