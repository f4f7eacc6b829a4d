package mna

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestTwin factors a second real matrix and a complex matrix of the same pattern with twins of the
// first factorization. It verifies that the twins need no pivot search and do not change the
// factors of one another or of the first.
func TestTwin(t *testing.T) {
	p := NewPattern()
	const n = 12
	for range n {
		p.AddUnknown()
	}
	var diagonal, others []Slot
	for i := 1; i <= n; i++ {
		diagonal = append(diagonal, p.Slot(i, i))
		if i < n {
			others = append(others, p.Slot(i, i+1), p.Slot(i+1, i))
		}
	}
	p.Freeze()
	values := func(d float64) []float64 {
		a := make([]float64, p.Slots())
		for _, s := range others {
			a[s] = -1
		}
		for k, s := range diagonal {
			a[s] = d + float64(k%3)
		}
		return a
	}
	first, second := values(2.5), values(40)
	third := make([]complex128, len(first))
	for k, v := range first {
		third[k] = complex(v, second[k])
	}
	lu := NewRealLU(p)
	if err := lu.Factor(first); err != nil {
		t.Fatal(err)
	}
	twin, complexTwin := lu.Twin(), lu.ComplexTwin()
	if err := twin.Factor(second); err != nil {
		t.Fatal(err)
	}
	if err := complexTwin.Factor(third); err != nil {
		t.Fatal(err)
	}
	if twin.Searches+complexTwin.Searches > 0 {
		t.Errorf("%d and %d pivot searches", twin.Searches, complexTwin.Searches)
	}
	b, x, f, scale := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1),
		make([]float64, n+1)
	bc, xc, fc := make([]complex128, n+1), make([]complex128, n+1), make([]complex128, n+1)
	for i := 1; i <= n; i++ {
		b[i] = math.Sin(float64(i))
		bc[i] = complex(b[i], 1)
	}
	for name, c := range map[string]struct {
		lu *RealLU
		a  []float64
	}{"first": {lu, first}, "twin": {twin, second}} {
		c.lu.Solve(b, x)
		p.Residual(c.a, x, b, f, scale, nil)
		for i := 1; i <= n; i++ {
			if math.Abs(f[i]) > 1e-14*scale[i] {
				t.Errorf("%s: residual %g in row %d", name, f[i], i)
			}
		}
	}
	complexTwin.Solve(bc, xc)
	if r := p.ResidualComplex(third, xc, bc, fc); r > 1e-14 {
		t.Errorf("complex: relative residual %g", r)
	}
	xc[3] *= 1 + 1e-3
	r := p.ResidualComplex(third, xc, bc, fc)
	if r < 1e-5 || cmplx.Abs(fc[3]) < cmplx.Abs(fc[9]) {
		t.Errorf("relative residual %g of a wrong solution", r)
	}
}
