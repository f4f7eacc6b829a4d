package general

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/decimal"
	"slipstick/tools/tooltest"
)

func TestSquareRoot(t *testing.T) {
	tooltest.Examples(t, SquareRoot)
	tooltest.Cases(t, SquareRoot, []tooltest.Case{
		{"√2 = 1.41421356237309505", `{"value":2}`,
			`{"root":1.414213562373095,"coefficient":1,"radicand":2,"simplified":"√2"}`},
		{"12² = 144", `{"value":144}`, `{"root":12,"is_perfect":true,"coefficient":12,"radicand":1,"simplified":"12","roots":[-12,12]}`},
		{"94906265² = 9007199136250225", `{"value":9007199136250225}`,
			`{"root":94906265,"is_perfect":true}`},
		{"one more is not perfect, though its rounded root squares to it",
			`{"value":9007199136250226}`, `{"is_perfect":false}`},
		{"a prime below 2^53", `{"value":9007199254740881}`,
			`{"coefficient":1,"radicand":9007199254740881}`},
		{"2^53 + 1 is no double and not simplified", `{"value":9007199254740993}`,
			`{"coefficient":null,"radicand":null,"is_perfect":false}`},
		{"100000001² is no double", `{"value":10000000200000001}`,
			`{"is_perfect":true,"simplified":"100000001"}`},
		{"a fraction that rounds to 4", `{"value":4.0000000000000000001}`,
			`{"root":2,"is_perfect":false,"coefficient":null,"simplified":"√4.0000000000000000001"}`},
		{"(10^150 + 1)², digit by digit",
			`{"value":1` + zeros(149) + `2` + zeros(149) + `1}`,
			`{"is_perfect":true,"simplified":"1` + zeros(149) + `1"}`},
		{"2^52 · 2 = 2^53", `{"value":9007199254740992}`,
			`{"coefficient":67108864,"radicand":2,"simplified":"67108864√2"}`},
		{"3² · 1000003² · 2, a large prime squared", `{"value":18000108000162}`,
			`{"coefficient":3000009,"radicand":2}`},
		{"96 = 2^5 · 3", `{"value":96,"degree":5}`,
			`{"coefficient":2,"radicand":3,"simplified":"2·⁵√3"}`},
		{"-54 = (-3)^3 · 2", `{"value":-54,"degree":3}`,
			`{"coefficient":-3,"radicand":2,"simplified":"-3∛2","is_perfect":false}`},
		{"∛10 = 2.15443469003188372", `{"value":10,"degree":3}`,
			`{"root":2.154434690031884,"roots":[2.154434690031884],"simplified":"∛10"}`},
		{"2^(1/100) = 1.00695555005671881", `{"value":2,"degree":100}`,
			`{"root":1.006955550056719,"simplified":"¹⁰⁰√2"}`},
		{"0.1² = 0.01", `{"value":0.01}`, `{"root":0.1,"is_perfect":false,"coefficient":null,"radicand":null,"simplified":"√0.01"}`},
		{"zero", `{"value":0}`, `{"root":0,"roots":[0],"is_perfect":true,"simplified":"0"}`},
		{"(1e150)² = 1e300", `{"value":1e300}`,
			`{"root":1e150,"is_perfect":true,"coefficient":null}`},
		{"-72 = -(6²·2)", `{"value":-72}`, `{"root":null,"imaginary":8.48528137423857,"simplified":"6i√2","warnings":["~no real square root"]}`},
		{"-1", `{"value":-1}`, `{"imaginary":1,"simplified":"i"}`},
		{"∜-16 = 2 (cos 45° + i sin 45°)", `{"value":-16,"degree":4}`, `{"root":null,"imaginary":1.414213562373095,"simplified":"2∜(-1)","warnings":["~4 complex roots"]}`},
		{"-2.5 to an odd degree", `{"value":-2.5,"degree":3}`,
			`{"simplified":"-∛2.5","is_real":true}`},
	})
	tooltest.InvalidCases(t, SquareRoot, []tooltest.InvalidCase{
		{"missing", `{}`, []string{"value"}, "is required"},
		{"a string", `{"value":"9"}`, []string{"value"}, "must be a number"},
		{"no double", `{"value":1e-400}`, []string{"value"}, "from 5e-324"},
		{"degree 1", `{"value":9,"degree":1}`, []string{"degree"}, "2 to 100"},
		{"degree 2.5", `{"value":9,"degree":2.5}`, []string{"degree"}, "whole"},
	})
}

func TestSquareRootIsIEEE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := float64(rapid.Int64Range(1, 1<<53).Draw(t, "v"))
		if got, want := decimal.FloatText(v).Root(1, 2).Float(), math.Sqrt(v); got != want {
			t.Fatalf("√%v = %v, IEEE says %v", v, got, want)
		}
	})
}

func TestSimplify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		v := rapid.IntRange(1, 100_000).Draw(t, "v")
		c, r := simplify(v, n)
		power := new(big.Int).Exp(big.NewInt(int64(c)), big.NewInt(int64(n)), nil)
		if power.Mul(power, big.NewInt(int64(r))).Cmp(big.NewInt(int64(v))) != 0 {
			t.Fatalf("%d^%d × %d is not %d", c, n, r, v)
		}
		for p := 2; p <= r; p++ { // no further square factor can be extracted
			if q := math.Pow(float64(p), float64(n)); q > float64(r) {
				break
			} else if r%int(q) == 0 {
				t.Fatalf("%d still holds %d^%d", r, p, n)
			}
		}
	})
}

func TestPerfectRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "n")
		k := rapid.Int64Range(2, int64(math.Pow(1<<53, 1/float64(n)))-1).Draw(t, "k")
		v := math.Round(math.Pow(float64(k), float64(n)))
		if got, ok := perfectRoot(decimal.FromFloat(v), n); !ok || got.Int64() != k {
			t.Fatalf("root %d of %v: %v, %v", n, v, got, ok)
		}
		if _, ok := perfectRoot(decimal.FromFloat(v+1), n); ok {
			t.Fatalf("root %d of %v is said to be whole", n, v+1)
		}
	})
}

func BenchmarkSquareRootOfLargePrime(b *testing.B) {
	for b.Loop() {
		simplify(9007199254740881, 2)
	}
}

// zeros returns n zero digits.
func zeros(n int) string { return strings.Repeat("0", n) }
