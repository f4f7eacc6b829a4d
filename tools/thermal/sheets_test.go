package thermal

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// randomSheets draws sheets with conductances that differ by orders of magnitude.
func randomSheets(t *rapid.T) (*Sheets, []float64) {
	tens := func(lo, hi float64, name string) float64 {
		return math.Pow(10, rapid.Float64Range(lo, hi).Draw(t, name))
	}
	s := &Sheets{
		NX: rapid.IntRange(1, 30).Draw(t, "nx"), NY: rapid.IntRange(1, 12).Draw(t, "ny"),
		DX: tens(-4, -2, "dx"), DY: tens(-4, -2, "dy"),
		Lateral: [2]float64{tens(-5, 0, "upper"), tens(-5, 0, "lower")},
	}
	s.Link, s.Film = make([]float64, s.NX*s.NY), make([]float64, s.Unknowns())
	source := make([]float64, s.Unknowns())
	area := s.DX * s.DY
	link, vias := tens(0, 3, "link")*area, tens(2, 5, "vias")*area
	for c := range s.Link {
		s.Link[c] = link
		if c%7 == 3 {
			s.Link[c] += vias
		}
		s.Film[2*c], s.Film[2*c+1] = area*(5+float64(c%5)), area*4
		source[2*c+c%2] = float64(c % 3)
	}
	return s, source
}

func TestSheetsAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, source := randomSheets(t)
		n := s.Unknowns()
		a := mat.NewDense(n, n, nil)
		add := func(p, q int, g float64) {
			a.Set(p, p, a.At(p, p)+g)
			a.Set(q, q, a.At(q, q)+g)
			a.Set(p, q, a.At(p, q)-g)
			a.Set(q, p, a.At(q, p)-g)
		}
		for j := range s.NY {
			for i := range s.NX {
				for k := range 2 {
					c := s.Index(i, j, k)
					a.Set(c, c, a.At(c, c)+s.Film[c])
					if i > 0 {
						add(c, s.Index(i-1, j, k), s.Lateral[k]*s.DY/s.DX)
					}
					if j > 0 {
						add(c, s.Index(i, j-1, k), s.Lateral[k]*s.DX/s.DY)
					}
				}
				add(s.Index(i, j, 0), s.Index(i, j, 1), s.Link[j*s.NX+i])
			}
		}
		var want mat.VecDense
		if err := want.SolveVec(a, mat.NewVecDense(n, source)); err != nil {
			if _, poor := errors.AsType[mat.Condition](err); !poor {
				t.Fatal(err)
			}
		}
		got := make([]float64, n)
		total := floats.Sum(source)
		if err := s.Solve(context.Background(), got, source, 1e-9*(total+1e-300)); err != nil {
			t.Fatal(err)
		}
		largest := want.Norm(math.Inf(1))
		for c, x := range got {
			if math.Abs(x-want.AtVec(c)) > 1e-5*largest+1e-300 {
				t.Fatalf("cell %d: %v, dense solution %v", c, x, want.AtVec(c))
			}
		}
		if out := floats.Dot(s.Film, got); math.Abs(out-total) > 1e-6*total {
			t.Fatalf("%v W go in and %v W come out", total, out)
		}
	})
}

// TestSheetsConvergence verifies that the multigrid cycle solves a board of any shape to eight
// digits in a dozen steps.
func TestSheetsConvergence(t *testing.T) {
	for _, size := range [][2]int{{104, 84}, {104, 8}, {8, 104}, {97, 61}, {104, 104}} {
		s := &Sheets{NX: size[0], NY: size[1], DX: 1e-3, DY: 1e-3, Lateral: [2]float64{7e-3, 2e-3}}
		s.Link, s.Film = make([]float64, size[0]*size[1]), make([]float64, s.Unknowns())
		for c := range s.Link {
			s.Link[c], s.Film[2*c], s.Film[2*c+1] = 2e-4, 1e-5, 1e-5
			if c%11 == 0 {
				s.Link[c] = 0.1
			}
		}
		source, rise, left := make([]float64, s.Unknowns()), make([]float64, s.Unknowns()),
			make([]float64, s.Unknowns())
		source[s.Unknowns()/2+5] = 1
		m := newMultigrid(s)
		top := m.levels[0]
		err := conjugateGradients(context.Background(), linear{
			apply:        func(dst, src []float64) { top.residual(dst, nil, src) },
			precondition: m.cycle,
		}, rise, source, 0, 14)
		if err != nil {
			t.Fatal(err)
		}
		top.residual(left, source, rise)
		if r := floats.Norm(left, 2); r > 1e-8 {
			t.Errorf("%v: %g W are left over after 14 steps", size, r)
		}
	}
}
