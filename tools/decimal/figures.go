package decimal

import (
	"math/big"
	"strconv"
	"strings"
)

// Figures is a decimal number whose digits are all significant: digits × 10^exp. Zero has the
// digits "0".
type Figures struct {
	Neg    bool
	Digits string
	Exp    int
}

// MaxPlainLength is the maximum length of a plain decimal in a result. Longer numbers remain in
// scientific notation.
const MaxPlainLength = 1000

// Significant removes the trailing zeros of an integer written without a point because they may or
// may not be significant. ambiguous reports whether there were any, or the number is 0.
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

// Order returns the decimal exponent of the first digit; 0 for zero.
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

// Coefficient returns the coefficient d.ddd with all digits.
func (f Figures) Coefficient() string { return f.sign() + pointAfter(f.Digits, 1) }

// Scientific returns the number in the form d.ddde-5, without plus sign or padding. Zero is 0e0.
func (f Figures) Scientific() string { return f.Coefficient() + "e" + strconv.Itoa(f.Order()) }

// Engineering returns the form whose exponent is a multiple of 3, with up to three digits before
// the point. The last of these digits may be placeholders.
func (f Figures) Engineering() (text string, exponent int) {
	ahead := (f.Order()%3 + 3) % 3
	exponent = f.Order() - ahead
	digits := f.Digits
	if missing := ahead + 1 - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	return f.sign() + pointAfter(digits, ahead+1) + "e" + strconv.Itoa(exponent), exponent
}

// pointAfter inserts a decimal point after n digits if more digits follow.
func pointAfter(digits string, n int) string {
	if len(digits) <= n {
		return digits
	}
	return digits[:n] + "." + digits[n:]
}

// Plain returns the number without an exponent. ok is false if the text would exceed
// MaxPlainLength.
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

// Pointed is the variant of Plain that appends a point if the last figure is a zero in the units
// place. Both zeros of "100." are significant.
func (f Figures) Pointed() (s string, ok bool) {
	s, ok = f.Plain()
	if ok && f.Exp == 0 && len(f.Digits) > 1 && strings.HasSuffix(f.Digits, "0") {
		s += "."
	}
	return s, ok
}

// Float returns the nearest double, or an infinity beyond the range.
func (f Figures) Float() float64 {
	return Decimal{neg: f.Neg, Digits: f.Digits, exp: f.Exp}.Float()
}

// Ratio is the exact number num/den × 10^exp.
type Ratio struct {
	Num, den *big.Int // den > 0
	exp      int
}

// Ratio returns the exact value.
func (d Decimal) Ratio() Ratio {
	return Ratio{d.coefficient(), big.NewInt(1), d.exp}
}

// order returns the power of ten of the first digit of a nonzero number.
func (r Ratio) order() int {
	n := new(big.Int).Abs(r.Num)
	order := len(n.String()) - len(r.den.String())
	// The quotient of the mantissas is between 0.1 and 10. If it is below 1, the order decreases by
	// one.
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

// Float returns the nearest double, or an infinity beyond the range.
func (r Ratio) Float() float64 {
	if max(r.exp, -r.exp) <= 400 {
		return FromRat(new(big.Rat).SetFrac(r.Num, r.den)).Times(FromScientific(1, r.exp)).Float()
	}
	// 800 digits determine every double because the longest midpoint between doubles has fewer.
	return r.ToFigures(800, false).Float()
}

// ToPlace rounds once to a multiple of 10^place. It rounds halves away from zero, or to even if
// even is set.
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

// ToFigures rounds once to n significant figures. It rounds halves away from zero, or to even if
// even is set.
func (r Ratio) ToFigures(n int, even bool) Figures {
	if r.Num.Sign() == 0 {
		return Figures{Digits: "0"}
	}
	f := r.ToPlace(r.order()-n+1, even)
	if len(f.Digits) > n { // 99.96 was rounded to 100.0
		f.Digits, f.Exp = f.Digits[:n], f.Exp+1
	}
	return f
}

// Whole reports whether the value is an integer.
func (d Decimal) Whole() bool {
	for i := len(d.Digits) + d.exp; i < len(d.Digits); i++ {
		if i < 0 || d.Digits[i] != '0' {
			return d.Sign() == 0
		}
	}
	return true
}

// Operate applies "multiply", "divide", "subtract" or "add" to the values from first to last.
// Divisors must not be 0.
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

// Exact returns the exact value.
func (f Figures) Exact() Fraction {
	return Decimal{neg: f.Neg, Digits: f.Digits, exp: f.Exp}.Exact()
}
