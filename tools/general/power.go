package general

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// scaledReach bounds the decimal exponent of a scaled number, so that no product overflows int64.
const scaledReach = 1 << 60

// scaled is the positive number m × 10^e with 1 <= m < 10. Doubles end at 10^308; powers are
// wanted with their digits far beyond. The decimal exponent makes those digits cheap to read.
// The 248 bits after the point leave 53 right ones after raising to an exponent of any size
// that ends within reach.
type scaled struct {
	m fixed
	e int64
}

// The numbers that bound a mantissa, and 1.
var (
	fixedOne  = fixedWhole(1)
	fixedTen  = fixedWhole(10)
	scaledOne = scaled{fixedOne, 0}
)

// scaledText is the number that the shortest decimal text of x > 0 says: 0.1 is a tenth.
func scaledText(x float64) scaled {
	n, exp := shortestDigits(x)
	power, e := int64(1), int64(0)
	for ; n/power >= 10; e++ {
		power *= 10
	}
	return scaled{fixedRatio(uint64(n), uint64(power)), e + int64(exp)}
}

// scaledDouble is the exact binary value of x > 0.
func scaledDouble(x float64) scaled {
	mantissa, exp := math.Frexp(x)
	two := scaled{fixedWhole(2), 0}
	if exp < 0 {
		two = scaled{fixedWhole(5), -1}
	}
	power, _ := two.raised(uint64(max(exp, -exp))) // within reach
	return power.times(scaled{fixedOf(mantissa), 0}.normal())
}

// normal brings m, which is not 0, back into [1, 10).
func (x scaled) normal() scaled {
	for !x.m.less(fixedTen) {
		x.m = x.m.overWhole(10)
		x.e++
	}
	for x.m.less(fixedOne) {
		x.m = x.m.timesWhole(10)
		x.e--
	}
	return x
}

func (x scaled) times(y scaled) scaled { return scaled{x.m.times(y.m), x.e + y.e}.normal() }

func (x scaled) over(y scaled) scaled { return scaled{x.m.over(y.m), x.e - y.e}.normal() }

// raised is x^n by repeated squaring; ok is false when the exponent leaves scaledReach.
func (x scaled) raised(n uint64) (y scaled, ok bool) {
	y = scaledOne
	if x == scaledOne {
		return y, true
	}
	for i := bits.Len64(n) - 1; i >= 0; i-- {
		y = y.times(y)
		if n>>i&1 == 1 {
			y = y.times(x)
		}
		if y.e > scaledReach || y.e < -scaledReach {
			return y, false
		}
	}
	return y, true
}

// raisedFar is raised for exponents of any length, taken 32 bits at a time.
func (x scaled) raisedFar(n *big.Int) (y scaled, ok bool) {
	y = scaledOne
	if x == scaledOne {
		return y, true
	}
	digit, mask := new(big.Int), big.NewInt(math.MaxUint32)
	for at := n.BitLen() / 32; at >= 0; at-- {
		digit.And(digit.Rsh(n, uint(32*at)), mask)
		high, okHigh := y.raised(1 << 32)
		low, okLow := x.raised(digit.Uint64())
		if !okHigh || !okLow {
			return y, false
		}
		if y = high.times(low); y.e > scaledReach || y.e < -scaledReach {
			return y, false
		}
	}
	return y, true
}

// power is x^y; ok is false when the result is beyond ±10^scaledReach.
func (x scaled) power(y fraction) (z scaled, ok bool) {
	n := y.floor()
	if size := n.abs(); size.wide == nil {
		z, ok = x.raised(uint64(size.num))
	} else {
		z, ok = x.raisedFar(size.wide.Num())
	}
	if !ok {
		return z, false
	}
	if n.sign() < 0 {
		z = scaledOne.over(z)
	}
	f := y.minus(n)
	if f.sign() == 0 {
		return z, true
	}
	if f.wide == nil && f.den <= maxRoot {
		return z.times(x.root(f.num, f.den)), true
	}
	// A fraction with a long denominator is a multiple of 1/parts, done as a root, and a rest so
	// small, |rest × ln x| below 1/32, that its exponential in doubles is exact to the last bit.
	parts := int64(16)
	for float64(parts) < 16*math.Abs(x.ln()) {
		parts *= 2
	}
	k := f.times(whole(parts)).rounded().num
	grow := math.Expm1(f.minus(quotient(k, parts)).float() * x.ln())
	factor := fixedOne.plus(fixedOf(math.Max(0, grow))).minus(fixedOf(math.Max(0, -grow)))
	return z.times(x.root(k, parts)).times(scaled{factor, 0}.normal()), true
}

// maxRoot is the largest denominator for which root keeps its precision.
const maxRoot = 1_000_000

// root is x^(p/q) for 0 <= p <= q <= maxRoot: a guess in doubles and two Newton steps, which
// take its 50 bits beyond 80.
func (x scaled) root(p, q int64) scaled {
	t, _ := x.raised(uint64(p)) // within reach: e < 10^6 × 2^32
	if q == 1 || t == scaledOne {
		return t
	}
	e := t.e / q
	rest := t.e % q
	if rest < 0 {
		rest += q
		e--
	}
	y := scaled{fixedOf(math.Pow(10, (math.Log10(t.m.float())+float64(rest))/float64(q))), e}.normal()
	for range 2 {
		// y ← y (1 + (t/y^q - 1)/q)
		yq, _ := y.raised(uint64(q))
		ratio := t.over(yq)
		if ratio.e < 0 { // just below 1
			less := fixedOne.minus(ratio.m.overWhole(10)).overWhole(uint64(q))
			y.m = y.m.minus(y.m.times(less))
		} else {
			more := ratio.m.minus(fixedOne).overWhole(uint64(q))
			y.m = y.m.plus(y.m.times(more))
		}
		y = y.normal()
	}
	return y
}

// ln is the natural logarithm in double precision.
func (x scaled) ln() float64 { return math.Log(x.m.float()) + float64(x.e)*math.Ln10 }

// minusOne is x - 1, without cancellation.
func (x scaled) minusOne() float64 {
	large, small := x, fixedOne // 1 as the mantissa that goes with the exponent of x, or the other way round
	if x.e < 0 {
		large, small = scaledOne, x.m
	}
	for range min(80, max(x.e, -x.e)) { // beyond, nothing is left
		small = small.overWhole(10)
	}
	large.m = large.m.minus(small)
	switch {
	case x.e > 0:
		return large.normal().float()
	case x.e < 0:
		return -large.m.float()
	default:
		return large.m.float()
	}
}

// float is the nearest double: +Inf above the range, 0 or a subnormal below it.
func (x scaled) float() float64 {
	v, _ := strconv.ParseFloat(x.text(41), 64) // the error says overflow, as does +Inf
	return v
}

// text is the number in scientific notation with the given count of digits, 2 to 60, a half rounded
// up.
func (x scaled) text(digits int) string {
	text := make([]byte, 1, digits+24) // a zero in front, where a carry may end
	text[0] = '0'
	for range digits {
		text = append(text, '0'+byte(x.m[3]>>fixedUnit))
		x.m[3] &= 1<<fixedUnit - 1
		x.m = x.m.timesWhole(10)
	}
	// The truncation errors, here below 10^-7, must not hide a half.
	if x.m.plus(fixedRatio(1, 1e6)).less(fixedWhole(5)) {
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
