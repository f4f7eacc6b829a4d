package decimal

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// anyFraction draws short and wide fractions, many of them close to the limit of the short form.
func anyFraction(t *rapid.T, name string) Fraction {
	part := rapid.OneOf(rapid.Int64Range(-1000, 1000),
		rapid.Int64Range(-math.MaxInt64, math.MaxInt64),
		rapid.Int64Range(math.MaxInt64-9, math.MaxInt64), rapid.Int64Range(1<<53-9, 1<<53+9),
		rapid.Int64Range(1<<31-9, 1<<32+9))
	draw := func(name string) Fraction {
		n, d := part.Draw(t, name+" numerator"), part.Draw(t, name+" denominator")
		return Quotient(n, max(d, -d, 1))
	}
	x := draw(name)
	if rapid.IntRange(0, 4).Draw(t, name+" wide") == 0 {
		y := draw(name + " factor")
		return FromRat(new(big.Rat).Mul(x.Rat(), y.Rat()))
	}
	return x
}

// TestFractionIsExact compares every operation with math/big. It also verifies that a result has
// the short form, in lowest terms, if it fits.
func TestFractionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := anyFraction(t, "x"), anyFraction(t, "y")
		a, b := x.Rat(), y.Rat()
		check := func(name string, got Fraction, want *big.Rat) {
			t.Helper()
			if got.Rat().Cmp(want) != 0 {
				t.Fatalf("%v %s %v: %v, want %v", a, name, b, got.Rat(), want)
			}
			if again := FromRat(want); (again.Wide == nil) != (got.Wide == nil) ||
				got.Wide == nil && got != again {
				t.Fatalf("%v %s %v: %+v is not in its shortest form %+v", a, name, b, got, again)
			}
		}
		check("plus", x.Plus(y), new(big.Rat).Add(a, b))
		check("minus", x.Minus(y), new(big.Rat).Sub(a, b))
		check("times", x.Times(y), new(big.Rat).Mul(a, b))
		if b.Sign() != 0 {
			check("over", x.Over(y), new(big.Rat).Quo(a, b))
		}
		check("negative", x.Negative(), new(big.Rat).Neg(a))
		check("abs", x.Abs(), new(big.Rat).Abs(a))
		check("floor", x.Floor(), new(big.Rat).SetInt(new(big.Int).Div(a.Num(), a.Denom())))
		check("rounded", x.Rounded(), new(big.Rat).SetInt(RoundHalfAway(a)))
		if f, _ := a.Float64(); x.Float() != f {
			t.Fatalf("%v as a double: %v, want %v", a, x.Float(), f)
		}
		top, bottom := x.OddParts()
		if x.Cmp(y) != a.Cmp(b) || x.Sign() != a.Sign() || x.IsWhole() != a.IsInt() ||
			top != (a.Num().Bit(0) == 1) || bottom != (a.Denom().Bit(0) == 1) {
			t.Fatalf("%v beside %v: cmp %d, sign %d, whole %v, odd %v/%v", a, b, x.Cmp(y), x.Sign(),
				x.IsWhole(), top, bottom)
		}
	})
}

func TestFractionOfDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, exp := rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "m"),
			rapid.IntRange(-40, 40).Draw(t, "exponent")
		want := new(big.Rat).SetInt64(m)
		if shift := new(big.Rat).SetInt(Pow10(max(exp, -exp))); exp < 0 {
			want.Quo(want, shift)
		} else {
			want.Mul(want, shift)
		}
		if got := FromScientific(m, exp); got.Rat().Cmp(want) != 0 {
			t.Fatalf("%de%d is read as %v", m, exp, got.Rat())
		}
		x := rapid.Float64().Draw(t, "x")
		if got := FromBinary(x); got.Rat().Cmp(new(big.Rat).SetFloat64(x)) != 0 {
			t.Fatalf("%b is read as %v", x, got.Rat())
		}
	})
}
