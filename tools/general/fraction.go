package general

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// fraction is an exact number. While both parts fit int64 it is num/den in lowest terms with
// den > 0, and no operation allocates; anything else is in wide, which is never changed. The
// zero value is no number.
type fraction struct {
	num, den int64
	wide     *big.Rat // nil: num/den
}

// whole is n, which must not be the smallest int64.
func whole(n int64) fraction { return fraction{num: n, den: 1} }

// quotient is n/d for d > 0.
func quotient(n, d int64) fraction {
	g := gcd(n, d)
	return fraction{num: n / g, den: d / g}
}

// decimalFraction is m × 10^exp.
func decimalFraction(m int64, exp int) fraction {
	if m == 0 {
		return whole(0)
	}
	if exp >= -18 && exp <= 18 { // 10^18 fits int64
		power := int64(1)
		for range max(exp, -exp) {
			power *= 10
		}
		if exp < 0 {
			return quotient(m, power)
		}
		if n, ok := product(m, power); ok {
			return whole(n)
		}
	}
	r := new(big.Rat).SetInt64(m)
	power := new(big.Rat).SetInt(pow10(max(exp, -exp)))
	if exp < 0 {
		return narrowed(r.Quo(r, power))
	}
	return narrowed(r.Mul(r, power))
}

// fractionOf is the exact value of a finite double's shortest decimal text: 8.25 and also 0.1
// mean the decimal number, not the binary neighbour.
func fractionOf(x float64) fraction { return decimalFraction(shortestDigits(x)) }

// binaryFraction is the exact value of a finite double itself.
func binaryFraction(x float64) fraction {
	if math.Abs(x) < 1<<53 && x == math.Trunc(x) {
		return whole(int64(x))
	}
	if mantissa, exp := math.Frexp(x); exp > 53-63 && exp <= 53 {
		return quotient(int64(mantissa*(1<<53)), 1<<(53-exp))
	}
	return narrowed(new(big.Rat).SetFloat64(x))
}

// shortestDigits gives the shortest decimal that stands for the finite double x as m × 10^exp.
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

// narrowed takes r over, in the short form when it fits.
func narrowed(r *big.Rat) fraction {
	if r.Num().IsInt64() && r.Denom().IsInt64() && r.Num().Int64() != math.MinInt64 {
		return fraction{num: r.Num().Int64(), den: r.Denom().Int64()}
	}
	return fraction{wide: r}
}

// rat is the same number in math/big. It must not be changed.
func (x fraction) rat() *big.Rat {
	if x.wide != nil {
		return x.wide
	}
	return big.NewRat(x.num, x.den)
}

// short reports whether both are in the short form.
func short(x, y fraction) bool { return x.wide == nil && y.wide == nil }

func (x fraction) times(y fraction) fraction {
	if short(x, y) {
		g, h := gcd(x.num, y.den), gcd(y.num, x.den)
		n, okN := product(x.num/g, y.num/h)
		d, okD := product(x.den/h, y.den/g)
		if okN && okD {
			return fraction{num: n, den: d}
		}
	}
	return narrowed(new(big.Rat).Mul(x.rat(), y.rat()))
}

// over is x/y for y other than 0.
func (x fraction) over(y fraction) fraction {
	switch {
	case y.wide != nil:
		return narrowed(new(big.Rat).Quo(x.rat(), y.wide))
	case y.num < 0:
		return x.times(fraction{num: -y.den, den: -y.num})
	default:
		return x.times(fraction{num: y.den, den: y.num})
	}
}

func (x fraction) plus(y fraction) fraction {
	if short(x, y) {
		g := gcd(x.den, y.den)
		a, okA := product(x.num, y.den/g)
		b, okB := product(y.num, x.den/g)
		d, okD := product(x.den, y.den/g)
		if sum := a + b; okA && okB && okD && sum != math.MinInt64 && (a < 0 != (b < 0) || a < 0 == (sum < 0)) {
			return quotient(sum, d)
		}
	}
	return narrowed(new(big.Rat).Add(x.rat(), y.rat()))
}

func (x fraction) minus(y fraction) fraction { return x.plus(y.negative()) }

func (x fraction) negative() fraction {
	if x.wide != nil {
		return fraction{wide: new(big.Rat).Neg(x.wide)}
	}
	return fraction{num: -x.num, den: x.den}
}

func (x fraction) abs() fraction {
	if x.sign() < 0 {
		return x.negative()
	}
	return x
}

func (x fraction) sign() int {
	switch {
	case x.wide != nil:
		return x.wide.Sign()
	case x.num > 0:
		return 1
	case x.num < 0:
		return -1
	default:
		return 0
	}
}

func (x fraction) cmp(y fraction) int { return x.minus(y).sign() }

func (x fraction) isWhole() bool {
	if x.wide != nil {
		return x.wide.IsInt()
	}
	return x.den == 1
}

// oddParts reports whether the numerator and the denominator in lowest terms are odd.
func (x fraction) oddParts() (num, den bool) {
	if x.wide != nil {
		return x.wide.Num().Bit(0) == 1, x.wide.Denom().Bit(0) == 1
	}
	return x.num&1 == 1 || x.num&1 == -1, x.den&1 == 1
}

// floatParts are the doubles nearest to the numerator and the denominator in lowest terms.
func (x fraction) floatParts() (num, den float64) {
	if x.wide == nil {
		return float64(x.num), float64(x.den)
	}
	num, _ = new(big.Float).SetInt(x.wide.Num()).Float64()
	den, _ = new(big.Float).SetInt(x.wide.Denom()).Float64()
	return num, den
}

// floor is the largest whole number that is not above x.
func (x fraction) floor() fraction {
	if x.wide != nil {
		// Euclidean division is the floor for a positive denominator.
		return narrowed(new(big.Rat).SetInt(new(big.Int).Div(x.wide.Num(), x.wide.Denom())))
	}
	q := x.num / x.den
	if x.num%x.den < 0 {
		q--
	}
	return whole(q)
}

// rounded is the nearest whole number, the one farther from zero when two are.
func (x fraction) rounded() fraction {
	if x.sign() < 0 {
		return x.negative().rounded().negative()
	}
	return x.plus(quotient(1, 2)).floor()
}

// float is the nearest double.
func (x fraction) float() float64 {
	if x.wide == nil && max(x.num, -x.num, x.den) <= 1<<53 { // both are exact doubles: one rounding
		return float64(x.num) / float64(x.den)
	}
	f, _ := x.rat().Float64()
	return f
}

// gcd is the greatest common divisor of a and b > 0.
func gcd(a, b int64) int64 {
	for a != 0 {
		a, b = b%a, a
	}
	return max(b, -b)
}

// product is a × b when its size fits int64.
func product(a, b int64) (p int64, ok bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	p = int64(lo)
	if a < 0 != (b < 0) {
		p = -p
	}
	return p, hi == 0 && lo <= math.MaxInt64
}
