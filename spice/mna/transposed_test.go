package mna

import (
	"math/cmplx"
	"math/rand"
	"testing"
)

// transposedResidual returns Aᵀ·x - b and its largest entry relative to the sum of the magnitudes
// in its row. a is indexed by slot.
func transposedResidual(p *Pattern, a, x, b []complex128) (residual []complex128, worst float64) {
	residual, size := make([]complex128, p.n+1), make([]float64, p.n+1)
	for s := 1; s < len(a); s++ {
		t := a[s] * x[p.row[s]]
		residual[p.col[s]] += t
		size[p.col[s]] += cmplx.Abs(t)
	}
	for i := 1; i <= p.n; i++ {
		residual[i] -= b[i]
		worst = max(worst, cmplx.Abs(residual[i])/(size[i]+cmplx.Abs(b[i])))
	}
	return residual, worst
}

// TestSolveTransposed verifies that the solutions of random systems satisfy the transposed
// equations. Each solution has one refinement step, as in TestRealLU.
func TestSolveTransposed(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	solved := 0
	for round := range 200 {
		p, a := random(r, 1+r.Intn(60))
		f, g := NewRealLU(p), NewComplexLU(p)
		ca := widen(a)
		for s := 1; s < len(ca); s++ {
			ca[s] += complex(0, r.NormFloat64())
		}
		b, x := make([]float64, p.n+1), make([]float64, p.n+1)
		cb, cx := make([]complex128, p.n+1), make([]complex128, p.n+1)
		for i := 1; i <= p.n; i++ {
			b[i] = r.NormFloat64()
			cb[i] = complex(b[i], r.NormFloat64())
		}
		if f.Factor(a) != nil || g.Factor(ca) != nil {
			continue // singular by chance
		}
		solved++
		f.SolveTransposed(b, x)
		residual, _ := transposedResidual(p, widen(a), widen(x), widen(b))
		d := make([]float64, p.n+1)
		for i := range d {
			d[i] = real(residual[i])
		}
		f.SolveTransposed(d, d) // in place
		for i := range x {
			x[i] -= d[i]
		}
		if _, e := transposedResidual(p, widen(a), widen(x), widen(b)); e > 1e-9 {
			t.Fatalf("round %d: real backward error %g", round, e)
		}
		g.SolveTransposed(cb, cx)
		cd, _ := transposedResidual(p, ca, cx, cb)
		g.SolveTransposed(cd, cd)
		for i := range cx {
			cx[i] -= cd[i]
		}
		if _, e := transposedResidual(p, ca, cx, cb); e > 1e-9 {
			t.Fatalf("round %d: complex backward error %g", round, e)
		}
	}
	if solved < 150 {
		t.Errorf("only %d matrices were solved", solved)
	}
}
