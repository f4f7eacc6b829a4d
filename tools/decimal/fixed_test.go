package decimal

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// anyFixed draws a number from 1 to 10 with digits in all four words.
func anyFixed(t *rapid.T, name string) Fixed {
	var f Fixed
	for i := range f {
		f[i] = rapid.Uint64().Draw(t, name)
	}
	f[3] = f[3]%(9<<fixedUnit) + 1<<fixedUnit
	return f
}

// TestFixed compares every operation with math/big, within some units of 2^-248.
func TestFixed(t *testing.T) {
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), FixedPlaces))
	rapid.Check(t, func(t *rapid.T) {
		x, y := anyFixed(t, "x"), anyFixed(t, "y")
		n := rapid.Uint64Range(1, 20).Draw(t, "n")
		a, b, c := x.Fraction().Rat(), y.Fraction().Rat(), new(big.Rat).SetUint64(n)
		check := func(name string, got Fixed, want *big.Rat, units int64) {
			t.Helper()
			d := new(big.Rat).Sub(got.Fraction().Rat(), want)
			if d.Abs(d).Cmp(new(big.Rat).Mul(unit, big.NewRat(units, 1))) > 0 {
				t.Fatalf("%v %s %v or %d is off by %v", x, name, y, n, d.FloatString(90))
			}
		}
		check("plus", x.Plus(y), new(big.Rat).Add(a, b), 0)
		if !x.Less(y) {
			check("minus", x.Minus(y), new(big.Rat).Sub(a, b), 0)
		} else if a.Cmp(b) >= 0 {
			t.Fatalf("%v is not less than %v", x, y)
		}
		check("times", x.times(y), new(big.Rat).Mul(a, b), 1)
		check("over", x.over(y), new(big.Rat).Quo(a, b), 200)
		check("timesWhole", x.timesWhole(n), new(big.Rat).Mul(a, c), 0)
		check("overWhole", x.overWhole(n), new(big.Rat).Quo(a, c), 1)
		check("fixedFraction", FixedFraction(x.Fraction()), a, 0)
		if f, _ := a.Float64(); x.Float() != f {
			t.Fatalf("%v as a double: %v, want %v", x, x.Float(), f)
		}
		small := Fixed{x[0] >> rapid.IntRange(0, 63).Draw(t, "shift")}
		if f, _ := small.Fraction().Rat().Float64(); small.Float() != f {
			t.Fatalf("%v as a double: %v, want %v", small, small.Float(), f)
		}
		top, bottom := rapid.Int64Range(0, math.MaxInt64).Draw(t, "top"),
			rapid.Int64Range(1, math.MaxInt64).Draw(t, "bottom")
		if top/bottom < 256 {
			check("fixedRatio", FixedRatio(uint64(top), uint64(bottom)), big.NewRat(top, bottom), 1)
		}
		double := rapid.Float64Range(0, 255).Draw(t, "double")
		check("fixedOf", fixedOf(double), new(big.Rat).SetFloat64(double), 1)
	})
}

func TestScaledText(t *testing.T) {
	for _, c := range []struct {
		x    Float
		want string
	}{
		{FloatText(0.5), "5.00e-1"},
		{FloatText(9.995), "1.00e1"}, // half rounds up
		{FloatText(1.225), "1.23e0"},
		{FloatText(5e-324), "5.00e-324"},
		{FloatText(123456789012345678), "1.23e17"},
		// The value is 1.275 and must not be truncated to 1.27499….
		{FloatText(1).Over(FloatText(8)).Times(FloatText(10.2)), "1.28e0"},
	} {
		if got := c.x.Text(3); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestRaisedFar compares raisedFar, the method for exponents beyond 64 bits, with Raised.
func TestRaisedFar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := FloatText(1 + rapid.Float64Range(0x1p-52, 0.1).Draw(t, "x"))
		n := rapid.Uint64Range(0, 1e15).Draw(t, "n")
		y, _ := x.Raised(n)
		if far, ok := x.raisedFar(new(big.Int).SetUint64(n)); !ok ||
			math.Abs(far.Over(y).MinusOne()) > 1e-50 {
			t.Fatalf("%v^%d is %s one way and %s the other", x, n, y.Text(20), far.Text(20))
		}
	})
	// The power is (1 + 2e-16)^(10^30) = e^(2e14 - 0.02 + ...). The power of 10^40 is out of range.
	x := FloatText(1.0000000000000002)
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)
	y, ok := x.raisedFar(n)
	if want := 2e14 * math.Log10E; !ok || math.Abs(float64(y.e)-want) > 2 {
		t.Errorf("10^%d, want 10^%g", y.e, want)
	}
	if _, ok := x.raisedFar(n.Mul(n, Pow10(10))); ok {
		t.Error("10^40 should be beyond reach")
	}
}
