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
	// outerNode is the other node of the resistance of each internal node, or ground
	outerNode []int32
	x         []float64 // unknowns of Newton's method; sim.x if there are no series resistances
}

// leastSeries is the smallest conductance of a series resistance in the factors, relative to that
// of its junction. A smaller one would be lost in the sum of both, and the factors would be
// singular. The residual has the exact conductance, so the solution does not depend on leastSeries.
const leastSeries = 1e-15

// seriesResistance is a series resistance with its matrix entries in the rows of its two nodes and
// the column of the internal node.
type seriesResistance struct {
	device.SeriesResistance
	outerEntry, innerEntry mna.Slot
	voltage                float64 // of the internal node relative to the other one [V]
	// junction is the sum of the other conductances [S] at the internal node in this iteration
	junction float64
}

// columnSum is an entry in the column of an internal node, and the entry of the same row in the
// column of the other node, to which it is added.
type columnSum struct{ from, to mna.Slot }

// reserve adds the series resistances of the devices. It must precede Pattern.Freeze.
func (r *seriesResistances) reserve(setup *device.Setup) {
	p := setup.Pattern
	r.outerNode = make([]int32, p.N()+1)
	for _, e := range setup.Series {
		r.outerNode[e.Inner] = int32(e.Outer)
		r.list = append(r.list, seriesResistance{SeriesResistance: e,
			outerEntry: p.Slot(e.Outer, e.Inner), innerEntry: p.Slot(e.Inner, e.Inner)})
	}
	p.ChangeRate = mna.PerIteration
	for k := 1; k < p.Slots(); k++ {
		row, column := p.Position(k)
		if outer := r.outerNode[column]; outer > 0 {
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
		a[c.to] += a[c.from]
	}
	for k := range r.list {
		e := &r.list[k]
		e.junction = math.Abs(a[e.innerEntry])
		e.add(a, *e.Siemens)
	}
}

// add adds a conductance g [S] to that of the resistance in the matrix a.
func (e *seriesResistance) add(a []float64, g float64) {
	a[e.outerEntry] -= g
	a[e.innerEntry] += g
}

// regularize raises the conductances in the matrix a that are below leastSeries, before it is
// factored.
func (r *seriesResistances) regularize(a []float64) {
	for k := range r.list {
		e := &r.list[k]
		if missing := leastSeries*e.junction - *e.Siemens; missing > 0 {
			e.add(a, missing)
		}
	}
}

// assembleAC transforms the matrix a of the small-signal equations as assemble does.
func (r *seriesResistances) assembleAC(a []complex128) {
	for _, c := range r.columns {
		a[c.to] += a[c.from]
	}
	for k := range r.list {
		e := &r.list[k]
		g := complex(*e.Siemens, 0)
		a[e.outerEntry] -= g
		a[e.innerEntry] += g
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
func toNodes[T float64 | complex128](r *seriesResistances, v []T) {
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
