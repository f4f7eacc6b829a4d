package decimal

import (
	"math/big"
	"strconv"
	"strings"
)

// Figures is a decimal number whose digits all count: digits × 10^exp. Zero has the digits "0".
type Figures struct {
	Neg    bool
	Digits string
	Exp    int
}

// MaxPlainLength is the longest plain decimal in a result; longer ones remain in scientific
// notation.
const MaxPlainLength = 1000

// Significant drops the trailing zeros of a whole number written without a point, which may
// be significant or not; ambiguous reports whether there were some, or the number is 0.
func (d Decimal) Significant() (f Figures, ambiguous bool) {
	if d.Sign() == 0 {
		return Figures{Digits: "0", Exp: min(0, d.exp)}, true
	}
	f = Figures{d.neg, d.Digits, d.exp}
	if d.point {
		return f, false
	}
	f.Digits = strings.TrimRight(d.Digits, "0")
	dropped := len(d.Digits) - len(f.Digits)
	f.Exp += dropped
	return f, dropped > 0
}

// Order is the power of ten of the first digit.
func (f Figures) Order() int {
	if f.Digits == "0" {
		return 0
	}
	return f.Exp + len(f.Digits) - 1
}

func (f Figures) sign() string {
	if f.Neg && f.Digits != "0" {
		return "-"
	}
	return ""
}

// Coefficient is d.ddd, with every digit.
func (f Figures) Coefficient() string { return f.sign() + pointAfter(f.Digits, 1) }

// Scientific is d.ddde-5: no plus sign, no padding; zero is 0e0.
func (f Figures) Scientific() string { return f.Coefficient() + "e" + strconv.Itoa(f.Order()) }

// Engineering is the form with an exponent that is a multiple of 3 and up to three digits
// before the point, of which the last may be placeholders.
func (f Figures) Engineering() (text string, exponent int) {
	ahead := (f.Order()%3 + 3) % 3
	exponent = f.Order() - ahead
	digits := f.Digits
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

// Plain writes all digits out; ok is false when that is longer than plainLength.
func (f Figures) Plain() (s string, ok bool) {
	n := len(f.Digits) + f.Exp // digits before the point
	length := len(f.sign()) + max(n, 1) + max(0, -f.Exp)
	if f.Exp < 0 {
		length++ // the point
	}
	switch {
	case f.Digits == "0" && f.Exp >= 0:
		return "0", true
	case length > MaxPlainLength:
		return "", false
	case f.Exp >= 0:
		return f.sign() + f.Digits + strings.Repeat("0", f.Exp), true
	case n <= 0:
		return f.sign() + "0." + strings.Repeat("0", -n) + f.Digits, true
	default:
		return f.sign() + pointAfter(f.Digits, n), true
	}
}

// Pointed is plain with a final point when the last figure is a zero in the units place: both
// zeros of "100." are significant.
func (f Figures) Pointed() (s string, ok bool) {
	s, ok = f.Plain()
	if ok && f.Exp == 0 && len(f.Digits) > 1 && strings.HasSuffix(f.Digits, "0") {
		s += "."
	}
	return s, ok
}

// Float is the nearest double, an infinity when there is none.
func (f Figures) Float() float64 {
	return Decimal{neg: f.Neg, Digits: f.Digits, exp: f.Exp}.Float()
}

// Ratio is the exact number num/den × 10^exp.
type Ratio struct {
	Num, den *big.Int // den > 0
	exp      int
}

// Ratio is the exact value.
func (d Decimal) Ratio() Ratio {
	return Ratio{d.coefficient(), big.NewInt(1), d.exp}
}

// order is the power of ten of the first digit of a number other than 0.
func (r Ratio) order() int {
	n := new(big.Int).Abs(r.Num)
	order := len(n.String()) - len(r.den.String())
	// The quotient of the mantissas is between 0.1 and 10: below 1 the order is one less.
	left, right := n, r.den
	if order >= 0 {
		right = new(big.Int).Mul(right, Pow10(order))
	} else {
		left = new(big.Int).Mul(left, Pow10(-order))
	}
	if left.Cmp(right) < 0 {
		order--
	}
	return order + r.exp
}

// Float is the nearest double, an infinity when there is none.
func (r Ratio) Float() float64 {
	if max(r.exp, -r.exp) <= 400 {
		return FromRat(new(big.Rat).SetFrac(r.Num, r.den)).Times(FromScientific(1, r.exp)).Float()
	}
	// 800 digits decide every double: the longest midpoint of two has fewer.
	return r.ToFigures(800, false).Float()
}

// ToPlace rounds once to a multiple of 10^place: half away from zero, or half to even.
func (r Ratio) ToPlace(place int, even bool) Figures {
	num, den := new(big.Int).Abs(r.Num), r.den
	if shift := r.exp - place; shift >= 0 {
		num.Mul(num, Pow10(shift))
	} else {
		den = new(big.Int).Mul(den, Pow10(-shift))
	}
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(den)
	if half > 0 || half == 0 && (!even || q.Bit(0) == 1) {
		q.Add(q, big.NewInt(1))
	}
	return Figures{r.Num.Sign() < 0 && q.Sign() != 0, q.String(), place}
}

// ToFigures rounds once to n significant figures.
func (r Ratio) ToFigures(n int, even bool) Figures {
	if r.Num.Sign() == 0 {
		return Figures{Digits: "0"}
	}
	f := r.ToPlace(r.order()-n+1, even)
	if len(f.Digits) > n { // 99.96 became 100.0
		f.Digits, f.Exp = f.Digits[:n], f.Exp+1
	}
	return f
}

// Whole reports whether the value has no fraction.
func (d Decimal) Whole() bool {
	for i := len(d.Digits) + d.exp; i < len(d.Digits); i++ {
		if i < 0 || d.Digits[i] != '0' {
			return d.Sign() == 0
		}
	}
	return true
}

// Operate folds the values from the first to the last; divisors are not 0.
func Operate(operation string, values []Decimal) Ratio {
	r := values[0].Ratio()
	for _, d := range values[1:] {
		n, exp := d.coefficient(), d.exp
		switch operation {
		case "multiply":
			r.Num.Mul(r.Num, n)
			r.exp += exp
		case "divide":
			if n.Sign() < 0 {
				r.Num.Neg(r.Num)
			}
			r.den.Mul(r.den, n.Abs(n))
			r.exp -= exp
		default:
			if operation == "subtract" {
				n.Neg(n)
			}
			if exp > r.exp {
				n.Mul(n, Pow10(exp-r.exp))
			} else {
				r.Num.Mul(r.Num, Pow10(r.exp-exp))
				r.exp = exp
			}
			r.Num.Add(r.Num, n)
		}
	}
	return r
}

// Exact is the exact value.
func (f Figures) Exact() Fraction {
	return Decimal{neg: f.Neg, Digits: f.Digits, exp: f.Exp}.Exact()
}
