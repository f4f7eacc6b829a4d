package batch

import (
	"testing"
)

// TestStratified verifies that a Latin hypercube has one draw in each of n strata of every field.
// It verifies that a scrambled Sobol sequence of 2^k points has one point in each elementary
// interval of two fields. It also verifies that the first points of random and sobol do not depend
// on n.
func TestStratified(t *testing.T) {
	const n = 256
	for _, mode := range []string{LHS, Sobol} {
		u := newUniforms(mode, 7, n, MaxVariations)
		for e := range MaxVariations {
			seen := map[int]bool{}
			for i := range n {
				x := u(i, e)
				if x <= 0 || x >= 1 {
					t.Fatalf("%s: %g", mode, x)
				}
				seen[int(x*n)] = true
			}
			if len(seen) != n {
				t.Errorf("%s, field %d: %d of %d strata", mode, e, len(seen), n)
			}
		}
	}
	u := newUniforms(Sobol, 7, n, 2)
	for k := 0; k <= 8; k++ {
		seen := map[[2]int]bool{}
		for i := range n {
			seen[[2]int{int(u(i, 0) * float64(int(1)<<k)), int(u(i, 1) * float64(int(1)<<(8-k)))}] =
				true
		}
		if len(seen) != n {
			t.Errorf("%d intervals of 2^-%d by 2^-%d", len(seen), k, 8-k)
		}
	}
	for _, mode := range []string{Sobol, Random} {
		a, b := newUniforms(mode, 7, 10, 3), newUniforms(mode, 7, 1000, 3)
		if a(9, 2) != b(9, 2) || a(9, 2) == newUniforms(mode, 8, 10, 3)(9, 2) {
			t.Errorf("%s depends on n, or not on the seed", mode)
		}
	}
}

// TestSobolSequence compares points of the unscrambled sequence with the output of Joe and Kuo's
// program sobol.cc for new-joe-kuo-6.21201, sorted from Gray-code order into natural order. It also
// verifies that the second point is 0.5 in every dimension.
func TestSobolSequence(t *testing.T) {
	for d := range MaxVariations {
		if sobol(1, d) != 1<<31 {
			t.Errorf("dimension %d starts with %g", d, float64(sobol(1, d))/(1<<32))
		}
	}
	want := [][]float64{{0, 0, 0}, {0.5, 0.5, 0.5}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.25},
		{0.125, 0.625, 0.375}}
	for i, point := range want {
		for d, x := range point {
			if got := float64(sobol(uint32(i), d)) / (1 << 32); got != x {
				t.Errorf("point %d, dimension %d: %g, want %g", i, d, got, x)
			}
		}
	}
}
