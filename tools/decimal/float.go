package decimal

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// floatReach bounds the decimal exponent of a scaled number, so that no product overflows int64.
const floatReach = 1 << 60

// Float is the positive number m × 10^e with 1 <= m < 10. Doubles end at 10^308; powers are
// wanted with their digits far beyond. The decimal exponent makes those digits cheap to read.
// The 248 bits after the point leave 53 right ones after raising to an exponent of any size
// that ends within reach.
type Float struct {
	M Fixed
	e int64
}

// The numbers that bound a mantissa, and 1.
var (
	FixedOne = fixedWhole(1)
	fixedTen = fixedWhole(10)
	floatOne = Float{FixedOne, 0}
)

// FloatText is the number that the shortest decimal text of x > 0 says: 0.1 is a tenth.
func FloatText(x float64) Float {
	n, exp := shortestDigits(x)
	power, e := int64(1), int64(0)
	for ; n/power >= 10; e++ {
		power *= 10
	}
	return Float{FixedRatio(uint64(n), uint64(power)), e + int64(exp)}
}

// FloatBinary is the exact binary value of x > 0.
func FloatBinary(x float64) Float {
	mantissa, exp := math.Frexp(x)
	two := Float{fixedWhole(2), 0}
	if exp < 0 {
		two = Float{fixedWhole(5), -1}
	}
	power, _ := two.Raised(uint64(max(exp, -exp))) // within reach
	return power.Times(Float{fixedOf(mantissa), 0}.normal())
}

// normal brings m, which is not 0, back into [1, 10).
func (x Float) normal() Float {
	for !x.M.Less(fixedTen) {
		x.M = x.M.overWhole(10)
		x.e++
	}
	for x.M.Less(FixedOne) {
		x.M = x.M.timesWhole(10)
		x.e--
	}
	return x
}

// Times is x y.
func (x Float) Times(y Float) Float { return Float{x.M.times(y.M), x.e + y.e}.normal() }

// Over is x/y.
func (x Float) Over(y Float) Float { return Float{x.M.over(y.M), x.e - y.e}.normal() }

// Raised is x^n by repeated squaring; ok is false when the exponent leaves scaledReach.
func (x Float) Raised(n uint64) (y Float, ok bool) {
	y = floatOne
	if x == floatOne {
		return y, true
	}
	for i := bits.Len64(n) - 1; i >= 0; i-- {
		y = y.Times(y)
		if n>>i&1 == 1 {
			y = y.Times(x)
		}
		if y.e > floatReach || y.e < -floatReach {
			return y, false
		}
	}
	return y, true
}

// raisedFar is raised for exponents of any length, taken 32 bits at a time.
func (x Float) raisedFar(n *big.Int) (y Float, ok bool) {
	y = floatOne
	if x == floatOne {
		return y, true
	}
	digit, mask := new(big.Int), big.NewInt(math.MaxUint32)
	for at := n.BitLen() / 32; at >= 0; at-- {
		digit.And(digit.Rsh(n, uint(32*at)), mask)
		high, okHigh := y.Raised(1 << 32)
		low, okLow := x.Raised(digit.Uint64())
		if !okHigh || !okLow {
			return y, false
		}
		if y = high.Times(low); y.e > floatReach || y.e < -floatReach {
			return y, false
		}
	}
	return y, true
}

// Power is x^y; ok is false when the result is beyond ±10^scaledReach.
func (x Float) Power(y Fraction) (z Float, ok bool) {
	n := y.Floor()
	if size := n.Abs(); size.Wide == nil {
		z, ok = x.Raised(uint64(size.Num))
	} else {
		z, ok = x.raisedFar(size.Wide.Num())
	}
	if !ok {
		return z, false
	}
	if n.Sign() < 0 {
		z = floatOne.Over(z)
	}
	f := y.Minus(n)
	if f.Sign() == 0 {
		return z, true
	}
	if f.Wide == nil && f.den <= maxRoot {
		return z.Times(x.Root(f.Num, f.den)), true
	}
	// A fraction with a long denominator is a multiple of 1/parts, done as a root, and a rest so
	// small, |rest × ln x| below 1/32, that its exponential in doubles is exact to the last bit.
	parts := int64(16)
	for float64(parts) < 16*math.Abs(x.ln()) {
		parts *= 2
	}
	k := f.Times(Whole(parts)).Rounded().Num
	grow := math.Expm1(f.Minus(Quotient(k, parts)).Float() * x.ln())
	factor := FixedOne.Plus(fixedOf(math.Max(0, grow))).Minus(fixedOf(math.Max(0, -grow)))
	return z.Times(x.Root(k, parts)).Times(Float{factor, 0}.normal()), true
}

// maxRoot is the largest denominator for which root keeps its precision.
const maxRoot = 1_000_000

// Root is x^(p/q) for 0 <= p <= q <= maxRoot: a guess in doubles and two Newton steps, which
// take its 50 bits beyond 80.
func (x Float) Root(p, q int64) Float {
	t, _ := x.Raised(uint64(p)) // within reach: e < 10^6 × 2^32
	if q == 1 || t == floatOne {
		return t
	}
	e := t.e / q
	rest := t.e % q
	if rest < 0 {
		rest += q
		e--
	}
	y := Float{fixedOf(math.Pow(10, (math.Log10(t.M.Float())+float64(rest))/float64(q))),
		e}.normal()
	for range 2 {
		// y ← y (1 + (t/y^q - 1)/q)
		yq, _ := y.Raised(uint64(q))
		ratio := t.Over(yq)
		if ratio.e < 0 { // just below 1
			less := FixedOne.Minus(ratio.M.overWhole(10)).overWhole(uint64(q))
			y.M = y.M.Minus(y.M.times(less))
		} else {
			more := ratio.M.Minus(FixedOne).overWhole(uint64(q))
			y.M = y.M.Plus(y.M.times(more))
		}
		y = y.normal()
	}
	return y
}

// ln is the natural logarithm in double precision.
func (x Float) ln() float64 { return math.Log(x.M.Float()) + float64(x.e)*math.Ln10 }

// MinusOne is x - 1, without cancellation.
func (x Float) MinusOne() float64 {
	// 1 as the mantissa that goes with the exponent of x, or the other way round
	large, small := x, FixedOne
	if x.e < 0 {
		large, small = floatOne, x.M
	}
	for range min(80, max(x.e, -x.e)) { // beyond, nothing is left
		small = small.overWhole(10)
	}
	large.M = large.M.Minus(small)
	switch {
	case x.e > 0:
		return large.normal().Float()
	case x.e < 0:
		return -large.M.Float()
	default:
		return large.M.Float()
	}
}

// Float is the nearest double: +Inf above the range, 0 or a subnormal below it.
func (x Float) Float() float64 {
	v, _ := strconv.ParseFloat(x.Text(41), 64) // the error says overflow, as does +Inf
	return v
}

// Text is the number in scientific notation with the given count of digits, 2 to 60, a half rounded
// up.
func (x Float) Text(digits int) string {
	text := make([]byte, 1, digits+24) // a zero in front, where a carry may end
	text[0] = '0'
	for range digits {
		text = append(text, '0'+byte(x.M[3]>>fixedUnit))
		x.M[3] &= 1<<fixedUnit - 1
		x.M = x.M.timesWhole(10)
	}
	// The truncation errors, here below 10^-7, must not hide a half.
	if x.M.Plus(FixedRatio(1, 1e6)).Less(fixedWhole(5)) {
		text = text[1:]
	} else {
		i := digits
		for ; text[i] == '9'; i-- {
			text[i] = '0'
		}
		text[i]++
		if i == 0 { // 9.99…9 became 10.00…0
			text, x.e = text[:digits], x.e+1
		} else {
			text = text[1:]
		}
	}
	text = append(text, '.', 'e')
	copy(text[2:], text[1:digits]) // the point moves up behind the first digit
	text[1] = '.'
	return string(strconv.AppendInt(text, x.e, 10))
}
