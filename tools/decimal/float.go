package decimal

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// floatReach limits the decimal exponent of a Float, so that no product overflows int64.
const floatReach = 1 << 60

// Float is the positive number m × 10^e with 1 <= m < 10. Unlike doubles, it represents powers far
// beyond 10^308 with all their digits. The decimal exponent simplifies printing. With 248
// fractional bits, at least 53 bits are correct after raising to any exponent whose result is
// within reach.
type Float struct {
	M Fixed
	e int64
}

// FixedOne and fixedTen are the bounds of a mantissa; floatOne is the Float 1.
var (
	FixedOne = fixedWhole(1)
	fixedTen = fixedWhole(10)
	floatOne = Float{FixedOne, 0}
)

// FloatText returns the value of the shortest decimal text of x > 0: 0.1 is one tenth.
func FloatText(x float64) Float {
	n, exp := shortestDigits(x)
	power, e := int64(1), int64(0)
	for ; n/power >= 10; e++ {
		power *= 10
	}
	return Float{FixedRatio(uint64(n), uint64(power)), e + int64(exp)}
}

// FloatBinary returns the exact binary value of x > 0.
func FloatBinary(x float64) Float {
	mantissa, exp := math.Frexp(x)
	two := Float{fixedWhole(2), 0}
	if exp < 0 {
		two = Float{fixedWhole(5), -1}
	}
	power, _ := two.Raised(uint64(max(exp, -exp))) // within reach
	return power.Times(Float{fixedOf(mantissa), 0}.normal())
}

// normal scales m, which must not be 0, to [1, 10).
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

// Times returns x y.
func (x Float) Times(y Float) Float { return Float{x.M.times(y.M), x.e + y.e}.normal() }

// Over returns x/y.
func (x Float) Over(y Float) Float { return Float{x.M.over(y.M), x.e - y.e}.normal() }

// Raised returns x^n by repeated squaring. ok is false if the decimal exponent exceeds floatReach
// in magnitude.
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

// raisedFar is the variant of Raised for exponents of any length. It processes them 32 bits at a
// time.
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

// Power returns x^y. ok is false if the result is not between 10^-floatReach and 10^floatReach.
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
	// An exponent with a large denominator is split into a multiple of 1/parts, whose power is a
	// root, and a remainder. The product |remainder × ln x| is below 1/32, so double precision
	// suffices for the exponential of the remainder.
	parts := int64(16)
	for float64(parts) < 16*math.Abs(x.ln()) {
		parts *= 2
	}
	k := f.Times(Whole(parts)).Rounded().Num
	grow := math.Expm1(f.Minus(Quotient(k, parts)).Float() * x.ln())
	factor := FixedOne.Plus(fixedOf(math.Max(0, grow))).Minus(fixedOf(math.Max(0, -grow)))
	return z.Times(x.Root(k, parts)).Times(Float{factor, 0}.normal()), true
}

// maxRoot is the maximum denominator for which Root keeps its precision.
const maxRoot = 1_000_000

// Root returns x^(p/q) for 0 <= p <= q <= maxRoot. It starts with a double and makes two Newton
// steps, which extend the 50 correct bits beyond 80.
func (x Float) Root(p, q int64) Float {
	t, _ := x.Raised(uint64(p)) // cannot exceed floatReach: e < 10^6 × 2^32
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
		// One Newton step: y ← y (1 + (t/y^q - 1)/q).
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

// ln returns the natural logarithm in double precision, also for x near 1.
func (x Float) ln() float64 {
	if x.e == 0 || x.e == -1 {
		if d := x.MinusOne(); math.Abs(d) < 0.5 {
			return math.Log1p(d)
		}
	}
	return math.Log(x.M.Float()) + float64(x.e)*math.Ln10
}

// MinusOne returns x - 1 without cancellation.
func (x Float) MinusOne() float64 {
	// 1 is scaled to the exponent of x, or x to the exponent of 1
	large, small := x, FixedOne
	if x.e < 0 {
		large, small = floatOne, x.M
	}
	for range min(80, max(x.e, -x.e)) { // 80 divisions by 10 shift out all 248 bits
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

// Float returns the nearest double: +Inf above the range, 0 or a subnormal number below it.
func (x Float) Float() float64 {
	v, _ := strconv.ParseFloat(x.Text(41), 64) // overflow returns an error, but also +Inf
	return v
}

// Text returns the number in scientific notation with 2 to 60 digits. It rounds halves up.
func (x Float) Text(digits int) string {
	text := make([]byte, 1, digits+24) // a leading zero receives a carry
	text[0] = '0'
	for range digits {
		text = append(text, '0'+byte(x.M[3]>>fixedUnit))
		x.M[3] &= 1<<fixedUnit - 1
		x.M = x.M.timesWhole(10)
	}
	// The truncation errors are below 10^-7 at this point and must not hide a half.
	if x.M.Plus(FixedRatio(1, 1e6)).Less(fixedWhole(5)) {
		text = text[1:]
	} else {
		i := digits
		for ; text[i] == '9'; i-- {
			text[i] = '0'
		}
		text[i]++
		if i == 0 { // 9.99…9 was rounded to 10.00…0
			text, x.e = text[:digits], x.e+1
		} else {
			text = text[1:]
		}
	}
	text = append(text, '.', 'e')
	copy(text[2:], text[1:digits]) // inserts the point after the first digit
	text[1] = '.'
	return string(strconv.AppendInt(text, x.e, 10))
}
