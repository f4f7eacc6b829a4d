package device

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExp compares exp with math.Exp, whose error is below one unit in the last place.
func TestExp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for _, reach := range [...]float64{1e-9, 1e-3, 1, 40, 699.9} {
		for range 100_000 {
			x := reach * (2*random.Float64() - 1)
			want := math.Exp(x)
			ulp := math.Nextafter(want, math.Inf(1)) - want
			worst = max(worst, math.Abs(exp(x)-want)/ulp)
		}
	}
	if worst > 2 {
		t.Errorf("exp differs from math.Exp by %g units in the last place", worst)
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
