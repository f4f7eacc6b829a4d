package mna

import (
	"math"
	"slices"
	"testing"
)

// TestResidualCurrents verifies the largest currents of the rows for two nodes with 0.2 S between
// them. They flow between the nodes, to ground, and in a branch. Node 2 also has a nonlinear device
// of 1 nS to ground; node 3 has none.
func TestResidualCurrents(t *testing.T) {
	p := NewPattern()
	for range 4 {
		p.AddUnknown()
	}
	p.Slot(1, 1)
	p.Slot(1, 2)
	p.Slot(2, 1)
	p.Slot(2, 4) // the current of branch 4 leaves node 2
	p.Slot(4, 2)
	p.Slot(3, 3)
	p.ChangeRate = PerIteration
	p.Slot(2, 2)
	p.Slot(1, 1)
	p.Freeze()
	p.FindCoupled([]bool{4: true}, make([]int32, 5))
	a, b := make([]float64, p.Slots()), make([]float64, 5)
	set := func(i, j int, v float64) {
		for s := 1; s < p.Slots(); s++ {
			if row, column := p.Position(s); row == i && column == j {
				a[s] += v
			}
		}
	}
	set(1, 1, 0.2)
	set(1, 2, -0.2)
	set(2, 1, -0.2)
	set(2, 2, 0.2+1e-9)
	set(2, 4, 1)
	set(4, 2, 1)
	set(3, 3, 1)
	for _, c := range []struct {
		name                string
		v1, v2, branch, b2  float64
		current1, current2  float64
		residual2, largest2 float64
	}{
		{"between nodes", 5, 4.99, 0, 0, 2e-3, 2e-3, 4.99e-9 - 2e-3, 1},
		{"to ground", 5, 5, 0, 0, 0, 5e-9, 5e-9, (0.2 + 1e-9) * 5},
		{"source to ground", 5, 5, 0, 3e-6, 0, 3e-6 - 5e-9, 5e-9 - 3e-6, (0.2 + 1e-9) * 5},
		{"branch", 5, 5, 1e-4, 0, 0, 1e-4, 1e-4 + 5e-9, (0.2 + 1e-9) * 5},
	} {
		x := []float64{0, c.v1, c.v2, 7, c.branch}
		b[2] = c.b2
		f, scale := make([]float64, 5), make([]float64, 5)
		currents := []float64{-1, -1, -1, -1, -1}
		p.Residual(a, x, b, f, scale, currents)
		const roundoff = 1e-15 // of terms of 1 A
		for _, v := range []struct {
			what      string
			got, want float64
		}{
			{"current of row 1", currents[1], c.current1},
			{"current of row 2", currents[2], c.current2},
			{"residual of row 2", f[2], c.residual2}, {"scale of row 2", scale[2], c.largest2},
		} {
			if math.Abs(v.got-v.want) > roundoff {
				t.Errorf("%s: %s is %g, want %g", c.name, v.what, v.got, v.want)
			}
		}
		if currents[3] != -1 || currents[4] != -1 {
			t.Errorf("%s: currents %g of rows without a linear and a nonlinear connection", c.name,
				currents[3:])
		}
		again, terms := make([]float64, 5), make([]float64, 5)
		p.Residual(a, x, b, again, terms, nil)
		if math.Abs(again[2]-f[2]) > roundoff || math.Abs(terms[2]-scale[2]) > roundoff {
			t.Errorf("%s: residual %g and scale %g without currents", c.name, again[2], terms[2])
		}
	}
}

// TestVoltageBetweenNodes verifies the currents of a junction of 1e-3 S to ground behind a series
// resistance of 10 S at node 1. Unknown 2 is the voltage of the resistance.
func TestVoltageBetweenNodes(t *testing.T) {
	p := NewPattern()
	p.AddUnknown()
	p.AddUnknown()
	p.Slot(1, 2)
	p.Slot(2, 1)
	p.ChangeRate = PerIteration
	p.Slot(1, 1)
	p.Slot(2, 2)
	p.Freeze()
	if rows := p.FindCoupled(make([]bool, 3), []int32{0, 0, 1}); !slices.Equal(rows, []int{1, 2}) {
		t.Fatalf("rows %v are coupled, want both", rows)
	}
	a := make([]float64, p.Slots())
	for s := 1; s < p.Slots(); s++ {
		row, column := p.Position(s)
		a[s] = [3][3]float64{1: {2: -10}, 2: {1: 1e-3, 2: 10 + 1e-3}}[row][column]
	}
	// 5 V at node 1, of which the junction has 5 V - 0.5 mV
	x, b := []float64{0, 5, -5e-4}, make([]float64, 3)
	f, scale, currents := make([]float64, 3), make([]float64, 3), make([]float64, 3)
	p.Residual(a, x, b, f, scale, currents)
	for i, want := range []float64{1: 5e-3, 2: 5.0005e-3} {
		if math.Abs(currents[i]-want) > 1e-15 {
			t.Errorf("row %d: the largest current is %g A, want %g A", i, currents[i], want)
		}
	}
}

// TestFindCoupled verifies that a row is coupled if a constant conductance to another node and a
// nonlinear device meet in it. The order of reservation does not matter.
func TestFindCoupled(t *testing.T) {
	p := NewPattern()
	for range 9 {
		p.AddUnknown()
	}
	reserve := func(rate ChangeRate, entries ...[2]int) {
		p.ChangeRate = rate
		for _, e := range entries {
			p.Slot(e[0], e[1])
		}
	}
	reserve(PerIteration, [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}) // the resistance follows
	reserve(Constant, [2]int{1, 2})
	reserve(Constant, [2]int{3, 4}) // a resistance precedes a nonlinear device
	reserve(PerIteration, [2]int{3, 3})
	reserve(Constant, [2]int{4, 3}, [2]int{4, 4})     // no nonlinear device
	reserve(PerIteration, [2]int{5, 5}, [2]int{5, 6}) // no constant conductance
	reserve(Constant, [2]int{6, 6})                   // to ground only
	reserve(PerIteration, [2]int{6, 6}, [2]int{6, 5})
	reserve(PerStep, [2]int{7, 6}) // a capacitance
	reserve(PerIteration, [2]int{7, 7})
	reserve(Constant, [2]int{8, 9}) // the current of branch 9
	reserve(PerIteration, [2]int{8, 8})
	reserve(PerIteration, [2]int{9, 8}) // the row of a branch is not one of a node
	reserve(Constant, [2]int{9, 7})
	p.Freeze()
	if rows := p.FindCoupled([]bool{9: true}, make([]int32, 10)); !slices.Equal(rows, []int{1, 3}) {
		t.Errorf("rows %v are coupled, want 1 and 3", rows)
	}
}
