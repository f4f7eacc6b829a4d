package thermal

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// smallComb returns a comb of few cells with all effects. It has uneven cells, one-sided outer
// fins, films that fall along the flow, radiation, and air that warms up if capacity is not 0.
func smallComb(capacity float64) *Comb {
	c := &Comb{
		Conductivity: 3, X: Cells{0, 0.001, 0.003, 0.0045, 0.006, 0.007}, Z: Cells{0, 0.002, 0.003},
		Fin: Cells{0, 0.004, 0.01, 0.02}, Slabs: 6, Length: 0.03, Roots: []int{0, 4},
		CapacityFlow: capacity,
	}
	film := []float64{60, 40, 30, 25, 22, 20}
	if capacity == 0 {
		film = []float64{30, 30, 30, 30, 30, 30}
	}
	channel := Surface{Film: film, Radiant: 4, Channel: capacity > 0}
	for i := 1; i < 4; i++ {
		channel.Walls = append(channel.Walls, Wall{c.BaseCell(i, 1), c.X.Width(i),
			c.Z.Width(1) / 2})
	}
	outer := Surface{Film: make([]float64, 6), Radiant: 6}
	for l := range 3 {
		channel.Walls = append(channel.Walls, Wall{Cell: c.FinCell(0, l), Width: c.Fin.Width(l)},
			Wall{Cell: c.FinCell(1, l), Width: c.Fin.Width(l)})
		outer.Walls = append(outer.Walls, Wall{Cell: c.FinCell(0, l), Width: c.Fin.Width(l)},
			Wall{Cell: c.FinCell(1, l), Width: c.Fin.Width(l)})
	}
	c.Surfaces = []Surface{channel, outer}
	return c
}

// TestCombAgainstDense compares the solution with gonum's solution for the dense matrix. It builds
// the matrix column by column.
func TestCombAgainstDense(t *testing.T) {
	for _, capacity := range []float64{0, 1e-4, 0.01, 1} {
		c := smallComb(capacity)
		o := newCombOperator(c)
		n := c.Unknowns()
		a := mat.NewDense(n, n, nil)
		unit, column := make([]float64, n), make([]float64, n)
		for i := range n {
			unit[i] = 1
			o.apply(column, unit)
			a.SetCol(i, column)
			unit[i] = 0
		}
		source := make([]float64, n)
		for i := range source[:60] {
			source[i] = float64(i%7) / 10
		}
		var want mat.VecDense
		if err := want.SolveVec(a, mat.NewVecDense(n, source)); err != nil {
			t.Fatal(err)
		}
		rise := make([]float64, n)
		got, err := c.Solve(context.Background(), rise, source, 1e-12, 200)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got.Rise {
			if w := want.AtVec(i); math.Abs(x-w) > 1e-9*want.Norm(math.Inf(1)) {
				t.Fatalf("capacity %g, cell %d: %v, dense solution %v", capacity, i, x, w)
			}
		}
		if math.Abs(got.Unbalanced) > 1e-10*floats.Sum(source) {
			t.Errorf("capacity %g: %g W are unaccounted for", capacity, got.Unbalanced)
		}
		if capacity > 0 {
			if q := got.Surfaces[0].Outlet * capacity; math.Abs(q-got.Surfaces[0].Convection) >
				1e-10*q {
				t.Errorf("capacity %g: the air carries %v W away and takes up %v W", capacity, q,
					got.Surfaces[0].Convection)
			}
		}
	}
}

// TestCombWavesAreExact verifies that the transform solves the comb directly, with uniform films
// and without a temperature rise of the air.
func TestCombWavesAreExact(t *testing.T) {
	c := smallComb(0)
	o := newCombOperator(c)
	n := c.Unknowns()
	source, rise, back := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range source {
		source[i] = math.Sin(float64(3 * i))
	}
	newCombWaves(o).solve(rise, source)
	o.apply(back, rise)
	if !floats.EqualApprox(back, source, 1e-10) {
		t.Errorf("the residual is %g", floats.Distance(back, source, math.Inf(1)))
	}
}
