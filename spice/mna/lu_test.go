package mna

import (
	"math"
	"math/cmplx"
	"math/rand"
	"testing"
)

// random returns a frozen pattern of n unknowns and random values by slot. The pattern resembles
// nodal equations with random connections and n/4 branch rows without a diagonal entry.
func random(r *rand.Rand, n int) (*Pattern, []float64) {
	p := NewPattern()
	for range n {
		p.AddUnknown()
	}
	nodes := n - n/4
	for i := 1; i <= nodes; i++ {
		p.Slot(i, i)
		for range 2 {
			j := 1 + r.Intn(nodes)
			p.Slot(i, j)
			p.Slot(j, i)
		}
	}
	for i := nodes + 1; i <= n; i++ {
		j := 1 + (i-nodes-1)*nodes/max(1, n/4)
		p.Slot(i, j)
		p.Slot(j, i)
	}
	p.Freeze()
	a := make([]float64, p.Slots())
	for s := 1; s < len(a); s++ {
		a[s] = r.NormFloat64() * math.Pow(10, float64(r.Intn(7)-3))
	}
	return p, a
}

// dense returns the reference solution of A·x = b by Gaussian elimination with full pivoting. a is
// indexed by slot.
func dense(p *Pattern, a, b []complex128) []complex128 {
	n := p.n
	m := make([][]complex128, n)
	for i := range m {
		m[i] = make([]complex128, n+1)
		m[i][n] = b[i+1]
	}
	for s := 1; s < len(a); s++ {
		m[p.row[s]-1][p.col[s]-1] += a[s]
	}
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	for k := range n {
		bi, bj := k, k
		for i := k; i < n; i++ {
			for j := k; j < n; j++ {
				if cmplx.Abs(m[i][j]) > cmplx.Abs(m[bi][bj]) {
					bi, bj = i, j
				}
			}
		}
		m[k], m[bi] = m[bi], m[k]
		perm[k], perm[bj] = perm[bj], perm[k]
		for i := range m {
			m[i][k], m[i][bj] = m[i][bj], m[i][k]
		}
		for i := k + 1; i < n; i++ {
			l := m[i][k] / m[k][k]
			for j := k; j <= n; j++ {
				m[i][j] -= l * m[k][j]
			}
		}
	}
	x := make([]complex128, n+1)
	y := make([]complex128, n)
	for k := n - 1; k >= 0; k-- {
		s := m[k][n]
		for j := k + 1; j < n; j++ {
			s -= m[k][j] * y[j]
		}
		y[k] = s / m[k][k]
		x[perm[k]+1] = y[k]
	}
	return x
}

func backward(p *Pattern, a []complex128, x, b []complex128) float64 {
	worst := 0.0
	for i := 1; i <= p.n; i++ {
		sum, size := -b[i], cmplx.Abs(b[i])
		for _, s := range p.order[p.start[i]:p.start[i+1]] {
			t := a[s] * x[p.col[s]]
			sum += t
			size += cmplx.Abs(t)
		}
		worst = math.Max(worst, cmplx.Abs(sum)/size)
	}
	return worst
}

func TestRealLU(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for round := range 200 {
		p, a := random(r, 1+r.Intn(60))
		f := NewRealLU(p)
		for again := range 4 {
			b, x := make([]float64, p.n+1), make([]float64, p.n+1)
			for i := 1; i <= p.n; i++ {
				b[i] = r.NormFloat64()
			}
			if again%2 == 1 {
				if err := f.FactorSolve(a, b, x, Constant); err != nil {
					break
				}
			} else {
				if err := f.Factor(a); err != nil {
					break // singular by chance
				}
				f.Solve(b, x)
			}
			res, d, scale := make([]float64, p.n+1), make([]float64, p.n+1), make([]float64, p.n+1)
			// the Newton iteration applies a similar correction
			p.Residual(a, x, b, res, scale, nil)
			f.Solve(res, d)
			for i := range x {
				x[i] -= d[i]
			}
			ca, cb, cx := widen(a), widen(b), widen(x)
			if e := backward(p, ca, cx, cb); e > 1e-9 {
				t.Fatalf("round %d.%d: backward error %g", round, again, e)
			}
			ref := dense(p, ca, cb)
			if e := backward(p, ca, ref, cb); e < 1e-14 && again == 0 {
				for i := range ref {
					if d := cmplx.Abs(ref[i] - cx[i]); d > 1e-4*(1+cmplx.Abs(ref[i])) {
						t.Logf("round %d: x[%d] = %g, dense %g", round, i, x[i], real(ref[i]))
					}
				}
			}
			for s := range a[1:] { // change every value, some of them considerably
				a[s+1] *= 1 + r.NormFloat64()
				if r.Intn(20) == 0 {
					a[s+1] *= 1e-6
				}
			}
		}
	}
}

// TestChangeRates verifies that a solution with reused rows is bit-identical to the solution after
// a complete factorization, also if the previous factorization had unstable pivots.
func TestChangeRates(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	kept := 0
	for range 200 {
		p, a := random(r, 2+r.Intn(40))
		for s := range p.rate {
			if p.rate[s] = Constant; r.Intn(4) == 0 {
				p.rate[s] = ChangeRate(r.Intn(3))
			}
		}
		f := NewRealLU(p)
		b, x, want := make([]float64, p.n+1), make([]float64, p.n+1), make([]float64, p.n+1)
		for i := range b {
			b[i] = r.NormFloat64()
		}
		if f.Factor(a) != nil {
			continue
		}
		for round := range 8 {
			changed := PerStep + ChangeRate(r.Intn(2))
			for s := 1; s < len(a); s++ {
				if p.rate[s] >= changed {
					a[s] *= 1 + r.NormFloat64()
					if round%3 == 1 {
						a[s] *= 1e-12
					}
				}
			}
			if f.FactorSolve(a, b, x, changed) != nil {
				break
			}
			for _, row := range f.sym.rows {
				if row.rate < changed {
					kept++
				}
			}
			searches := f.Searches
			if f.Factor(a) != nil || f.Searches != searches {
				break
			}
			f.Solve(b, want)
			for i := range x {
				if x[i] != want[i] && !(math.IsNaN(x[i]) && math.IsNaN(want[i])) {
					t.Fatalf("x[%d] = %g, with all rows anew %g", i, x[i], want[i])
				}
			}
		}
	}
	if kept < 1000 {
		t.Errorf("%d rows were kept", kept)
	}
}

func widen(a []float64) []complex128 {
	c := make([]complex128, len(a))
	for i, v := range a {
		c[i] = complex(v, 0)
	}
	return c
}

func TestComplexLU(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for round := range 200 {
		p, re := random(r, 1+r.Intn(60))
		a, b, x := widen(re), make([]complex128, p.n+1), make([]complex128, p.n+1)
		for s := 1; s < len(a); s++ {
			a[s] += complex(0, r.NormFloat64())
		}
		f := NewComplexLU(p)
		for range 3 {
			for i := 1; i <= p.n; i++ {
				b[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
			if f.Factor(a) != nil {
				break
			}
			f.Solve(b, x)
			if e := backward(p, a, x, b); e > 1e-9 {
				t.Fatalf("round %d: backward error %g", round, e)
			}
			for s := 1; s < len(a); s++ {
				a[s] *= complex(1, r.NormFloat64())
			}
		}
	}
}

// TestRepivot verifies that Factor searches for a new pivot order when a pivot becomes unstable,
// and that it rejects a singular matrix.
func TestRepivot(t *testing.T) {
	p := NewPattern()
	p.AddUnknown()
	p.AddUnknown()
	d1, o1, o2, d2 := p.Slot(1, 1), p.Slot(1, 2), p.Slot(2, 1), p.Slot(2, 2)
	p.Freeze()
	a := make([]float64, p.Slots())
	a[d1], a[o1], a[o2], a[d2] = 1, 0.1, 0.1, 1
	f := NewRealLU(p)
	x := make([]float64, 3)
	for _, d := range []float64{4, 1e-3, 1e-12, 0} {
		a[d1], a[o1], a[o2] = d, 1, 1
		if err := f.Factor(a); err != nil {
			t.Fatal(err)
		}
		f.Solve([]float64{0, 1, 2}, x) // d·x1 + x2 = 1, x1 + x2 = 2
		if want := -1 / (d - 1); math.Abs(x[1]-want) > 1e-12*math.Abs(want) {
			t.Errorf("d = %g: x1 = %.15g, want %.15g", d, x[1], want)
		}
	}
	if f.Searches < 2 {
		t.Error("the pivots were never searched again")
	}
	a[d1], a[o1], a[o2], a[d2] = 1, 2, 2, 4
	if err := f.Factor(a); err == nil {
		t.Error("a singular matrix was factored")
	}
}

func BenchmarkRefactorLadder100(b *testing.B) {
	p := NewPattern()
	for range 100 {
		p.AddUnknown()
	}
	for i := 1; i <= 100; i++ {
		p.Slot(i, i)
		if i > 1 {
			p.Slot(i, i-1)
			p.Slot(i-1, i)
		}
		if i > 10 {
			p.Slot(i, i-10)
			p.Slot(i-10, i)
		}
	}
	p.Freeze()
	a := make([]float64, p.Slots())
	for s := 1; s < len(a); s++ {
		a[s] = -1
		if p.row[s] == p.col[s] {
			a[s] = 5
		}
	}
	f := NewRealLU(p)
	x := make([]float64, 101)
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Factor(a); err != nil {
			b.Fatal(err)
		}
		f.Solve(x, x)
	}
}
