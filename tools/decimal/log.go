package decimal

import "math"

// SmallestNormal is the smallest double with full precision, 2^-1022.
const SmallestNormal = 0x1p-1022

// Log returns log_b(v) for v > 0, b > 0, b != 1. ln v / ln b alone yields 2.9999999999999996 for
// log 1000. math.Log2 and math.Log10 lose digits for v just above 1 on platforms that add the
// exponent to the logarithm of the mantissa. A Newton step with b^r in 256 bits corrects both.
func Log(v, b float64) float64 {
	lnB := NaturalLog(b)
	r := NaturalLog(v) / lnB
	if x, ok := exactLogarithm(v, b, r); ok {
		return x
	}
	br, ok := FloatBinary(b).Power(FromBinary(r))
	if !ok {
		return r
	}
	return r + math.Log1p(FloatBinary(v).Over(br).MinusOne())/lnB
}

// Log10Text returns log10 of the shortest decimal text of x > 0. Near 1, Log(x, 10) has only the
// digits of x - 1 that the double nearest to the text keeps.
func Log10Text(x float64) float64 {
	if d := FloatText(x).MinusOne(); math.Abs(d) < 0.5 {
		return math.Log1p(d) / math.Ln10
	}
	return Log(x, 10)
}

// NaturalLog returns ln v for v > 0. math.Log is wrong for subnormal numbers on some processors:
// -709.09 instead of -744.44 for the smallest.
func NaturalLog(v float64) float64 {
	if v < SmallestNormal {
		return math.Log(v*0x1p54) - 54*math.Ln2
	}
	return math.Log(v)
}

// exactLogarithm returns k/q close to r, with q up to 12, if v^q = b^k for v and b as written.
// log_1.1(1.21) is thus 2, although this does not hold for the doubles nearest to 1.1 and 1.21.
func exactLogarithm(v, b, r float64) (x float64, ok bool) {
	for q := 1.0; q <= 12; q++ {
		k := math.Round(r * q)
		if k == 0 || math.Abs(k) > 1e6 || math.Abs(r*q-k) > 1e-9*math.Abs(k) {
			continue
		}
		vq, _ := FloatText(v).Raised(uint64(q))
		bk, _ := FloatText(b).Raised(uint64(math.Abs(k)))
		if k < 0 {
			vq = vq.Times(bk)
		} else {
			vq = vq.Over(bk)
		}
		return k / q, math.Abs(vq.MinusOne()) < 1e-60
	}
	return 0, false
}
