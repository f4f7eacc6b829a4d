package general

import (
	"math/big"
	"strconv"
	"strings"
)

// figures is a decimal number whose digits all count: digits × 10^exp. Zero has the digits "0".
type figures struct {
	neg    bool
	digits string
	exp    int
}

// plainLength is the longest plain decimal in a result; longer ones remain in scientific notation.
const plainLength = 1000

// significant drops the trailing zeros of a whole number written without a point, which may
// be figures or mere placeholders; ambiguous says that there were some, or that the number is 0.
func (d Decimal) significant() (f figures, ambiguous bool) {
	if d.Sign() == 0 {
		return figures{digits: "0", exp: min(0, d.exp)}, true
	}
	f = figures{d.neg, d.digits, d.exp}
	if d.point {
		return f, false
	}
	f.digits = strings.TrimRight(d.digits, "0")
	dropped := len(d.digits) - len(f.digits)
	f.exp += dropped
	return f, dropped > 0
}

// order is the power of ten of the first digit.
func (f figures) order() int {
	if f.digits == "0" {
		return 0
	}
	return f.exp + len(f.digits) - 1
}

func (f figures) sign() string {
	if f.neg && f.digits != "0" {
		return "-"
	}
	return ""
}

// coefficient is d.ddd, with every digit.
func (f figures) coefficient() string { return f.sign() + pointAfter(f.digits, 1) }

// scientific is d.ddde-5: no plus sign, no padding; zero is 0e0.
func (f figures) scientific() string { return f.coefficient() + "e" + strconv.Itoa(f.order()) }

// engineering is the form with an exponent that is a multiple of 3 and up to three digits
// before the point, of which the last may be placeholders.
func (f figures) engineering() (text string, exponent int) {
	ahead := (f.order()%3 + 3) % 3
	exponent = f.order() - ahead
	digits := f.digits
	if missing := ahead + 1 - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	return f.sign() + pointAfter(digits, ahead+1) + "e" + strconv.Itoa(exponent), exponent
}

// pointAfter puts a decimal point after n digits when more follow.
func pointAfter(digits string, n int) string {
	if len(digits) <= n {
		return digits
	}
	return digits[:n] + "." + digits[n:]
}

// plain writes all digits out; ok is false when that is longer than plainLength.
func (f figures) plain() (s string, ok bool) {
	n := len(f.digits) + f.exp // digits before the point
	length := len(f.sign()) + max(n, 1) + max(0, -f.exp)
	if f.exp < 0 {
		length++ // the point
	}
	switch {
	case f.digits == "0" && f.exp >= 0:
		return "0", true
	case length > plainLength:
		return "", false
	case f.exp >= 0:
		return f.sign() + f.digits + strings.Repeat("0", f.exp), true
	case n <= 0:
		return f.sign() + "0." + strings.Repeat("0", -n) + f.digits, true
	default:
		return f.sign() + pointAfter(f.digits, n), true
	}
}

// pointed is plain with a final point when the last figure is a zero in the units place: "100."
// says that both zeros count.
func (f figures) pointed() (s string, ok bool) {
	s, ok = f.plain()
	if ok && f.exp == 0 && len(f.digits) > 1 && strings.HasSuffix(f.digits, "0") {
		s += "."
	}
	return s, ok
}

// float is the nearest double, an infinity when there is none.
func (f figures) float() float64 {
	return Decimal{neg: f.neg, digits: f.digits, exp: f.exp}.Float()
}

// decimalRatio is the exact number num/den × 10^exp.
type decimalRatio struct {
	num, den *big.Int // den > 0
	exp      int
}

func (d Decimal) ratio() decimalRatio {
	return decimalRatio{d.coefficient(), big.NewInt(1), d.exp}
}

// order is the power of ten of the first digit of a number other than 0.
func (r decimalRatio) order() int {
	n := new(big.Int).Abs(r.num)
	order := len(n.String()) - len(r.den.String())
	// The quotient of the mantissas is between 0.1 and 10: below 1 the order is one less.
	left, right := n, r.den
	if order >= 0 {
		right = new(big.Int).Mul(right, pow10(order))
	} else {
		left = new(big.Int).Mul(left, pow10(-order))
	}
	if left.Cmp(right) < 0 {
		order--
	}
	return order + r.exp
}

// float is the nearest double, an infinity when there is none.
func (r decimalRatio) float() float64 {
	if max(r.exp, -r.exp) <= 400 {
		return narrowed(new(big.Rat).SetFrac(r.num, r.den)).times(decimalFraction(1, r.exp)).float()
	}
	// 800 digits decide every double: the longest midpoint of two has fewer.
	return r.toFigures(800, false).float()
}

// toPlace rounds once to a multiple of 10^place: half away from zero, or half to even.
func (r decimalRatio) toPlace(place int, even bool) figures {
	num, den := new(big.Int).Abs(r.num), r.den
	if shift := r.exp - place; shift >= 0 {
		num.Mul(num, pow10(shift))
	} else {
		den = new(big.Int).Mul(den, pow10(-shift))
	}
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(den)
	if half > 0 || half == 0 && (!even || q.Bit(0) == 1) {
		q.Add(q, big.NewInt(1))
	}
	return figures{r.num.Sign() < 0 && q.Sign() != 0, q.String(), place}
}

// toFigures rounds once to n significant figures.
func (r decimalRatio) toFigures(n int, even bool) figures {
	if r.num.Sign() == 0 {
		return figures{digits: "0"}
	}
	f := r.toPlace(r.order()-n+1, even)
	if len(f.digits) > n { // 99.96 became 100.0
		f.digits, f.exp = f.digits[:n], f.exp+1
	}
	return f
}
