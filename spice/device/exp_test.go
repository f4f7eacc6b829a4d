package device

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns e^x with an error far below the precision of float64: a Taylor series of
// x/2^halvings and as many squarings.
func bigExp(x float64) *big.Float {
	const precision, halvings = 140, 18
	reduced := new(big.Float).SetPrec(precision).SetFloat64(math.Ldexp(x, -halvings))
	sum, term := new(big.Float).SetPrec(precision).SetInt64(1), big.NewFloat(1).SetPrec(precision)
	for n := int64(1); n < 14; n++ {
		term.Mul(term, reduced)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// TestExp compares exp with arithmetic of 140 bits, at random arguments and near the ends of the
// intervals of the table.
func TestExp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	check := func(x float64) {
		if math.Abs(x) >= 700 {
			return
		}
		want := bigExp(x)
		size, _ := want.Float64()
		miss, _ := new(big.Float).Sub(want, big.NewFloat(exp(x))).Float64()
		_, exponent := math.Frexp(size)
		worst = max(worst, math.Abs(miss)/math.Ldexp(1, exponent-53))
	}
	for _, reach := range [...]float64{1e-9, 1e-3, 1, 40, 700} {
		for range 4000 {
			x := reach * (2*random.Float64() - 1)
			check(x)
			end := (math.Floor(x*expSteps/math.Ln2) + 0.5) * math.Ln2 / expSteps
			check(end + 1e-6*(random.Float64()-0.5))
		}
	}
	if worst > 1.3 {
		t.Errorf("exp has an error of %g units in the last place", worst)
	}
	for _, x := range [...]float64{0, 700, -700, 710, -746, math.Inf(1), math.Inf(-1)} {
		if got, want := exp(x), math.Exp(x); got != want && math.Abs(got/want-1) > 4e-16 {
			t.Errorf("exp(%g) = %g, want %g", x, got, want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Error("exp(NaN) is a number")
	}
}

// TestLog compares log with math.Log.
func TestLog(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for _, reach := range [...]float64{1e-9, 0.1, 5, 700} {
		for range 100_000 {
			x := math.Exp(reach * (2*random.Float64() - 1))
			want := math.Log(x)
			worst = max(worst, math.Abs(log(x)-want)/(1+math.Abs(want)))
		}
	}
	if worst > 4e-16 {
		t.Errorf("log differs from math.Log by %g", worst)
	}
	for _, x := range [...]float64{0, 1e-310, math.MaxFloat64, math.Inf(1)} {
		if got, want := log(x), math.Log(x); got != want && math.Abs(got/want-1) > 4e-16 {
			t.Errorf("log(%g) = %g, want %g", x, got, want)
		}
	}
	if !math.IsNaN(log(-1)) || !math.IsNaN(log(math.NaN())) {
		t.Error("log(-1) or log(NaN) is a number")
	}
}
