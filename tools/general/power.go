package general

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// scaledPrec is the precision, in bits, of powers and roots on the way to a double. It leaves
// 53 right bits after raising to an exponent of any size that ends within reach.
const scaledPrec = 256

// scaledReach bounds the decimal exponent of a scaled number, so that no product overflows int64.
const scaledReach = 1 << 60

// scaled is the positive number m × 10^e with 1 <= m < 10. Doubles end at 10^308; powers are
// wanted with their digits far beyond. The decimal exponent makes those digits cheap to read.
type scaled struct {
	m *big.Float
	e int64
}

func bigFloat() *big.Float { return new(big.Float).SetPrec(scaledPrec) }

// scaledText is the number that the shortest decimal text of x > 0 says: 0.1 is a tenth.
func scaledText(x float64) scaled {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	e, _ := strconv.ParseInt(exponent, 10, 64)
	m, _, err := bigFloat().Parse(mantissa, 10)
	if err != nil {
		m = bigFloat().SetInt64(1)
	}
	return scaled{m, e}
}

// scaledDouble is the exact binary value of x > 0.
func scaledDouble(x float64) scaled {
	e := int64(math.Floor(math.Log10(x)))
	m := bigFloat().SetFloat64(x)
	shift := bigFloat().SetInt(pow10(int(max(e, -e))))
	if e >= 0 {
		m.Quo(m, shift)
	} else {
		m.Mul(m, shift)
	}
	return scaled{m, e}.normal()
}

// The numbers that scale a mantissa. None is ever changed.
var (
	scaledOne   = bigFloat().SetInt64(1)
	scaledTen   = bigFloat().SetInt64(10)
	scaledTenth = bigFloat().Quo(scaledOne, scaledTen)
)

// normal brings m, which it changes, back into [1, 10) after one operation.
func (x scaled) normal() scaled {
	x.settle(bigFloat())
	return x
}

// settle is normal with room for the products; the mantissa may end up in either.
func (x *scaled) settle(room *big.Float) (spare *big.Float) {
	for x.m.Cmp(scaledTen) >= 0 {
		x.m, room = room.Mul(x.m, scaledTenth), x.m
		x.e++
	}
	for x.m.Cmp(scaledOne) < 0 {
		x.m, room = room.Mul(x.m, scaledTen), x.m
		x.e--
	}
	return room
}

func (x scaled) times(y scaled) scaled {
	return scaled{bigFloat().Mul(x.m, y.m), x.e + y.e}.normal()
}

func (x scaled) over(y scaled) scaled {
	return scaled{bigFloat().Quo(x.m, y.m), x.e - y.e}.normal()
}

// raised is x^n for n >= 0 by repeated squaring; ok is false when the exponent leaves scaledReach.
func (x scaled) raised(n *big.Int) (y scaled, ok bool) {
	y = scaled{bigFloat().SetInt64(1), 0}
	if x.e == 0 && x.m.Cmp(scaledOne) == 0 {
		return y, true
	}
	room := bigFloat()
	for i := n.BitLen() - 1; i >= 0; i-- {
		y.m, room = room.Mul(y.m, y.m), y.m
		y.e *= 2
		if n.Bit(i) == 1 {
			y.m, room = room.Mul(y.m, x.m), y.m
			y.e += x.e
		}
		if room = y.settle(room); y.e > scaledReach || y.e < -scaledReach {
			return y, false
		}
	}
	return y, true
}

// power is x^y; ok is false when the result is beyond ±10^scaledReach.
func (x scaled) power(y *big.Rat) (z scaled, ok bool) {
	whole := new(big.Int).Div(y.Num(), y.Denom()) // floor, as the denominator is positive
	z, ok = x.raised(new(big.Int).Abs(whole))
	if !ok {
		return z, false
	}
	if whole.Sign() < 0 {
		z = scaled{bigFloat().SetInt64(1), 0}.over(z)
	}
	f := new(big.Rat).Sub(y, new(big.Rat).SetInt(whole))
	if f.Sign() == 0 {
		return z, true
	}
	if f.Denom().IsInt64() && f.Denom().Int64() <= maxRoot {
		return z.times(x.root(f.Num().Int64(), f.Denom().Int64())), true
	}
	// A fraction with a long denominator is a multiple of 1/parts, done as a root, and a rest so
	// small, |rest × ln x| below 1/32, that its exponential in doubles is good to the last bit.
	parts := int64(16)
	for float64(parts) < 16*math.Abs(x.ln()) {
		parts *= 2
	}
	k := roundHalfAway(new(big.Rat).Mul(f, big.NewRat(parts, 1)))
	rest, _ := f.Sub(f, new(big.Rat).SetFrac(k, big.NewInt(parts))).Float64()
	z = z.times(x.root(k.Int64(), parts))
	grow := bigFloat().SetFloat64(math.Expm1(rest * x.ln()))
	return z.times(scaled{grow.Add(grow, scaledOne), 0}.normal()), true
}

// maxRoot is the largest denominator for which root keeps its precision.
const maxRoot = 1_000_000

// root is x^(p/q) for 0 <= p <= q <= maxRoot: a guess in doubles and two Newton steps, which
// take its 50 bits beyond 80.
func (x scaled) root(p, q int64) scaled {
	t, _ := x.raised(big.NewInt(p)) // within reach: e < 10^6 × 2^32
	if q == 1 || t.e == 0 && t.m.Cmp(scaledOne) == 0 {
		return t
	}
	e := t.e / q
	rest := t.e % q
	if rest < 0 {
		rest += q
		e--
	}
	m, _ := t.m.Float64()
	y := scaled{bigFloat().SetFloat64(math.Pow(10, (math.Log10(m)+float64(rest))/float64(q))), e}.normal()
	n, bigQ := big.NewInt(q), bigFloat().SetInt64(q)
	for range 2 {
		// y ← y (1 + (t/y^q - 1)/q)
		yq, _ := y.raised(n)
		ratio := bigFloat().Quo(t.m, yq.m)
		for d := t.e - yq.e; d != 0; { // ±1 when y^q lies across a power of ten
			if d > 0 {
				ratio.Mul(ratio, scaledTen)
				d--
			} else {
				ratio.Quo(ratio, scaledTen)
				d++
			}
		}
		ratio.Sub(ratio, scaledOne)
		ratio.Quo(ratio, bigQ)
		ratio.Add(ratio, scaledOne)
		y.m.Mul(y.m, ratio)
		y = y.normal()
	}
	return y
}

// ln is the natural logarithm in double precision.
func (x scaled) ln() float64 {
	m, _ := x.m.Float64()
	return math.Log(m) + float64(x.e)*math.Ln10
}

// minusOne is x - 1, without cancellation.
func (x scaled) minusOne() float64 {
	if x.e > 308 || x.e < -308 {
		return x.float() - 1
	}
	v := bigFloat().SetInt(pow10(int(max(x.e, -x.e))))
	if x.e >= 0 {
		v.Mul(x.m, v)
	} else {
		v.Quo(x.m, v)
	}
	d, _ := v.Sub(v, scaledOne).Float64()
	return d
}

// float is the nearest double: +Inf above the range, 0 or a subnormal below it.
func (x scaled) float() float64 {
	v, _ := strconv.ParseFloat(x.m.Text('f', 40)+"e"+strconv.FormatInt(x.e, 10), 64) // the error says overflow, as does +Inf
	return v
}

// text is the number in scientific notation with the given count of digits (2 or more).
func (x scaled) text(digits int) string {
	m, e := x.m.Text('f', digits-1), x.e
	if strings.HasPrefix(m, "10") { // 9.99…9 rounded up
		m, e = "1."+strings.Repeat("0", digits-1), e+1
	}
	return m + "e" + strconv.FormatInt(e, 10)
}
