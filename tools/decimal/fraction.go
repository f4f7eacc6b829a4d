package decimal

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Fraction is an exact number. If both parts fit int64, it is num/den in lowest terms with den > 0,
// and operations do not allocate. Other numbers are in Wide, which is never modified. The zero
// value is not a valid number.
type Fraction struct {
	Num, den int64
	Wide     *big.Rat // nil: num/den
}

// Whole returns n, which must not be the smallest int64.
func Whole(n int64) Fraction { return Fraction{Num: n, den: 1} }

// Quotient returns n/d for d > 0.
func Quotient(n, d int64) Fraction {
	g := GCD(n, d)
	return Fraction{Num: n / g, den: d / g}
}

// FromScientific returns m × 10^exp.
func FromScientific(m int64, exp int) Fraction {
	if m == 0 {
		return Whole(0)
	}
	if exp >= -18 && exp <= 18 { // 10^18 fits int64
		power := int64(1)
		for range max(exp, -exp) {
			power *= 10
		}
		if exp < 0 {
			return Quotient(m, power)
		}
		if n, ok := product(m, power); ok {
			return Whole(n)
		}
	}
	r := new(big.Rat).SetInt64(m)
	power := new(big.Rat).SetInt(Pow10(max(exp, -exp)))
	if exp < 0 {
		return FromRat(r.Quo(r, power))
	}
	return FromRat(r.Mul(r, power))
}

// FromFloat returns the exact value of the shortest decimal text of a finite double. 0.1 thus means
// the decimal number, not its binary neighbour.
func FromFloat(x float64) Fraction { return FromScientific(shortestDigits(x)) }

// FromBinary returns the exact binary value of a finite double.
func FromBinary(x float64) Fraction {
	if math.Abs(x) < 1<<53 && x == math.Trunc(x) {
		return Whole(int64(x))
	}
	if mantissa, exp := math.Frexp(x); exp > 53-63 && exp <= 53 {
		return Quotient(int64(mantissa*(1<<53)), 1<<(53-exp))
	}
	return FromRat(new(big.Rat).SetFloat64(x))
}

// shortestDigits returns the shortest decimal that parses as the finite double x, in the form m ×
// 10^exp.
func shortestDigits(x float64) (m int64, exp int) {
	if math.Abs(x) < 1<<53 && x == math.Trunc(x) {
		return int64(x), 0
	}
	var room [32]byte
	text := strconv.AppendFloat(room[:0], math.Abs(x), 'e', -1, 64) // at most 17 digits: d.ddde±dd
	i := 0
	for ; text[i] != 'e'; i++ {
		if text[i] == '.' {
			continue
		}
		m = 10*m + int64(text[i]-'0')
		if i > 0 {
			exp--
		}
	}
	size := 0
	for _, digit := range text[i+2:] {
		size = 10*size + int(digit-'0')
	}
	if text[i+1] == '-' {
		size = -size
	}
	if x < 0 {
		m = -m
	}
	return m, exp + size
}

// FromRat returns r as a Fraction, in the short form if it fits. It takes ownership of r.
func FromRat(r *big.Rat) Fraction {
	if r.Num().IsInt64() && r.Denom().IsInt64() && r.Num().Int64() != math.MinInt64 {
		return Fraction{Num: r.Num().Int64(), den: r.Denom().Int64()}
	}
	return Fraction{Wide: r}
}

// Rat returns the number as a big.Rat, which the caller must not modify.
func (x Fraction) Rat() *big.Rat {
	if x.Wide != nil {
		return x.Wide
	}
	return big.NewRat(x.Num, x.den)
}

// short reports whether both numbers have the short form.
func short(x, y Fraction) bool { return x.Wide == nil && y.Wide == nil }

// Times returns x y.
func (x Fraction) Times(y Fraction) Fraction {
	if short(x, y) {
		g, h := GCD(x.Num, y.den), GCD(y.Num, x.den)
		n, okN := product(x.Num/g, y.Num/h)
		d, okD := product(x.den/h, y.den/g)
		if okN && okD {
			return Fraction{Num: n, den: d}
		}
	}
	return FromRat(new(big.Rat).Mul(x.Rat(), y.Rat()))
}

// Over returns x/y. y must not be 0.
func (x Fraction) Over(y Fraction) Fraction {
	switch {
	case y.Wide != nil:
		return FromRat(new(big.Rat).Quo(x.Rat(), y.Wide))
	case y.Num < 0:
		return x.Times(Fraction{Num: -y.den, den: -y.Num})
	default:
		return x.Times(Fraction{Num: y.den, den: y.Num})
	}
}

// Plus returns x + y.
func (x Fraction) Plus(y Fraction) Fraction {
	if short(x, y) {
		g := GCD(x.den, y.den)
		a, okA := product(x.Num, y.den/g)
		b, okB := product(y.Num, x.den/g)
		d, okD := product(x.den, y.den/g)
		if sum := a + b; okA && okB && okD && sum != math.MinInt64 &&
			(a < 0 != (b < 0) || a < 0 == (sum < 0)) {
			return Quotient(sum, d)
		}
	}
	return FromRat(new(big.Rat).Add(x.Rat(), y.Rat()))
}

// Minus returns x - y.
func (x Fraction) Minus(y Fraction) Fraction { return x.Plus(y.Negative()) }

// Negative returns -x.
func (x Fraction) Negative() Fraction {
	if x.Wide != nil {
		return Fraction{Wide: new(big.Rat).Neg(x.Wide)}
	}
	return Fraction{Num: -x.Num, den: x.den}
}

// Abs returns |x|.
func (x Fraction) Abs() Fraction {
	if x.Sign() < 0 {
		return x.Negative()
	}
	return x
}

// Sign returns -1, 0 or 1.
func (x Fraction) Sign() int {
	switch {
	case x.Wide != nil:
		return x.Wide.Sign()
	case x.Num > 0:
		return 1
	case x.Num < 0:
		return -1
	default:
		return 0
	}
}

// Cmp returns the sign of x - y.
func (x Fraction) Cmp(y Fraction) int { return x.Minus(y).Sign() }

// IsWhole reports whether x is an integer.
func (x Fraction) IsWhole() bool {
	if x.Wide != nil {
		return x.Wide.IsInt()
	}
	return x.den == 1
}

// OddParts reports whether the numerator and the denominator in lowest terms are odd.
func (x Fraction) OddParts() (num, den bool) {
	if x.Wide != nil {
		return x.Wide.Num().Bit(0) == 1, x.Wide.Denom().Bit(0) == 1
	}
	return x.Num&1 == 1 || x.Num&1 == -1, x.den&1 == 1
}

// FloatParts returns the doubles nearest to numerator and denominator in lowest terms.
func (x Fraction) FloatParts() (num, den float64) {
	if x.Wide == nil {
		return float64(x.Num), float64(x.den)
	}
	num, _ = new(big.Float).SetInt(x.Wide.Num()).Float64()
	den, _ = new(big.Float).SetInt(x.Wide.Denom()).Float64()
	return num, den
}

// Floor returns the largest integer that is not above x.
func (x Fraction) Floor() Fraction {
	if x.Wide != nil {
		// For a positive denominator, Euclidean division equals the floor.
		return FromRat(new(big.Rat).SetInt(new(big.Int).Div(x.Wide.Num(), x.Wide.Denom())))
	}
	q := x.Num / x.den
	if x.Num%x.den < 0 {
		q--
	}
	return Whole(q)
}

// Rounded returns the nearest integer. It rounds halves away from zero.
func (x Fraction) Rounded() Fraction {
	if x.Sign() < 0 {
		return x.Negative().Rounded().Negative()
	}
	return x.Plus(Quotient(1, 2)).Floor()
}

// Float returns the nearest double.
func (x Fraction) Float() float64 {
	if x.Wide == nil && max(x.Num, -x.Num, x.den) <= 1<<53 { // exact doubles: one rounding
		return float64(x.Num) / float64(x.den)
	}
	f, _ := x.Rat().Float64()
	return f
}

// product returns a × b. ok is false if it does not fit int64.
func product(a, b int64) (p int64, ok bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	p = int64(lo)
	if a < 0 != (b < 0) {
		p = -p
	}
	return p, hi == 0 && lo <= math.MaxInt64
}

// GCD returns the greatest common divisor of a and b > 0.
func GCD(a, b int64) int64 {
	for a != 0 {
		a, b = b%a, a
	}
	return max(b, -b)
}
