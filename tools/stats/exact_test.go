package stats

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestExactTails compares the tails with integer arithmetic, for small counts.
func TestExactTails(t *testing.T) {
	choose := func(n, k int) *big.Int { return new(big.Int).Binomial(int64(n), int64(k)) }
	rapid.Check(t, func(t *rapid.T) {
		n, n2 := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(1, 30).Draw(t, "n2")
		k, k2 := rapid.IntRange(0, n).Draw(t, "k"), rapid.IntRange(0, n2).Draw(t, "k2")
		weights := map[string][]*big.Int{}
		for j := range n + 1 { // for p = 1/4, the probability of j is C(n, j)·3^(n - j)/4^n
			w := new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(n-j)), nil)
			weights["binomial"] = append(weights["binomial"], w.Mul(w, choose(n, j)))
			w = new(big.Int)
			if rest := k + k2 - j; rest >= 0 && rest <= n2 {
				w.Mul(choose(n, j), choose(n2, rest))
			}
			weights["fisher"] = append(weights["fisher"], w)
		}
		for name, got := range map[string]ExactTails{
			"binomial": ExactBinomial(k, n, 0.25), "fisher": FisherExact(k, n, k2, n2),
		} {
			sum := func(counts func(j int) bool) float64 {
				part, all := new(big.Int), new(big.Int)
				for j, w := range weights[name] {
					all.Add(all, w)
					if counts(j) {
						part.Add(part, w)
					}
				}
				f, _ := new(big.Rat).SetFrac(part, all).Float64()
				return f
			}
			observed := weights[name][k]
			want := ExactTails{
				sum(func(j int) bool { return j <= k }), sum(func(j int) bool { return j >= k }),
				sum(func(j int) bool { return weights[name][j].Cmp(observed) <= 0 }),
			}
			for _, pair := range [][2]float64{
				{got.Left, want.Left}, {got.Right, want.Right}, {got.TwoSided, want.TwoSided},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*pair[1] {
					t.Fatalf("%s %d of %d, %d of %d: %v, want %v", name, k, n, k2, n2, got, want)
				}
			}
		}
	})
}
