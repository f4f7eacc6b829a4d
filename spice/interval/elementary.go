package interval

import "math"

// Sqrt returns the square root of the nonnegative part of a, or [0, +Inf] if there is none.
// math.Sqrt rounds correctly (IEEE 754), so the sign of x - s² is the direction of its error.
func (a I) Sqrt() I {
	if a.Hi < 0 {
		return I{0, math.Inf(1)}
	}
	lo, _ := root(math.Max(a.Lo, 0))
	_, hi := root(a.Hi)
	return I{lo, hi}
}

func root(x float64) (lo, hi float64) {
	if x == 0 || math.IsInf(x, 1) {
		return x, x
	}
	s := math.Sqrt(x)
	if x < underflowLimit {
		return down(s), up(s)
	}
	return outward(s, math.FMA(-s, s, x))
}

// ln2A + ln2B approximates ln 2. ln2A has 32 bits, so its product with an 11-bit exponent is exact.
// ln2B is the rounded remainder, which is below 2^-32; its error is below 2^-87.
const (
	ln2A = 0x1.62e42fefp-1
	ln2B = 0x1.473de6af278edp-34
)

var ln2Err = I{-0x1p-87, 0x1p-87}

// expTerms is the largest n of the inverse factorials 1/n! in invFact.
const expTerms = 17

var invFact = func() (c [expTerms + 1]I) {
	c[0] = Point(1)
	for n := 1; n <= expTerms; n++ {
		c[n] = c[n-1].Div(Point(float64(n)))
	}
	return c
}()

// expPoint bounds e^x. Let k be the integer nearest to x/ln 2 and r = x - k·ln 2. Then |r| is at
// most 0.36, and e^x = 2^k·e^r.
//
// The Taylor polynomial of degree 17 approximates e^r with a remainder below e^0.36·0.36^18/18! <
// 3e-24. The error of 1 + r is known exactly, and the terms from r² on are intervals. The result is
// therefore about two units in the last place wide.
func expPoint(x float64) I {
	switch {
	case x > 710:
		return I{math.MaxFloat64, math.Inf(1)}
	case x < -746:
		return I{0, math.SmallestNonzeroFloat64}
	case x == 0:
		return Point(1)
	}
	k := math.RoundToEven(x * (1 / math.Ln2))
	// In x - k·ln2A the product is exact, and TwoSum returns the error of the difference.
	h, e := TwoSum(x, -float64(k*ln2A))
	low := Point(e).Sub(Point(k).Mul(Point(ln2B).Add(ln2Err)))
	r := Point(h).Add(low)
	p := invFact[expTerms]
	for n := expTerms - 1; n >= 2; n-- {
		p = p.Mul(r).Add(invFact[n])
	}
	p = p.Mul(r.Sqr()).Add(I{-3e-24, 3e-24})
	// The sum is e^r = (1 + h) + (low + p).
	one, e1 := TwoSum(1, h)
	v := low.Add(p).AddF(e1).AddF(one)
	return scaleBy(v, int(k))
}

// scaleBy returns 2^k·a for positive a. A subnormal result is rounded outward.
func scaleBy(a I, k int) I {
	lo, hi := math.Ldexp(a.Lo, k), math.Ldexp(a.Hi, k)
	if lo < 0x1p-1021 {
		lo = math.Max(0, down(lo))
	}
	if hi < 0x1p-1021 {
		hi = up(hi)
	}
	if math.IsInf(lo, 1) {
		lo = math.MaxFloat64
	}
	return I{lo, hi}
}

// Exp returns e^a.
func (a I) Exp() I {
	if a.IsPoint() && !math.IsInf(a.Lo, 0) {
		return expPoint(a.Lo)
	}
	out := I{0, math.Inf(1)}
	if !math.IsInf(a.Lo, -1) {
		out.Lo = expPoint(math.Min(a.Lo, math.MaxFloat64)).Lo
	}
	if !math.IsInf(a.Hi, 1) {
		out.Hi = expPoint(math.Max(a.Hi, -math.MaxFloat64)).Hi
	}
	return out
}

// logPoint bounds ln x for x > 0. The bound is valid for any guess y: with t = x·e^-y - 1, ln x = y
// + ln(1+t), and t/(1+t) <= ln(1+t) <= t for t > -1.
func logPoint(x float64) I {
	if x == 1 {
		return Point(0)
	}
	// Scale x to m = x/2^k to avoid overflow and underflow of both m and e^-y.
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	y := math.Log(m)
	var t I
	if math.Abs(m-1) < 0x1p-30 {
		y, t = 0, Point(m-1) // exact, because m is close to 1 (Sterbenz)
	} else {
		t = Point(m).Mul(expPoint(-y)).AddF(-1)
	}
	v := I{t.Div(t.AddF(1)).Lo, t.Hi}.AddF(y)
	ln2 := Point(ln2A).Add(Point(ln2B).Add(ln2Err))
	return v.Add(ln2.Scale(float64(k)))
}

// Log returns the natural logarithm of the positive part of a, or the whole real line if there is
// none.
func (a I) Log() I {
	if a.Hi <= 0 {
		return Entire()
	}
	out := Entire()
	if a.Lo > 0 {
		if math.IsInf(a.Lo, 1) {
			return I{709, math.Inf(1)}
		}
		out.Lo = logPoint(a.Lo).Lo
	}
	if !math.IsInf(a.Hi, 1) {
		out.Hi = logPoint(a.Hi).Hi
	}
	return out
}

// Pow returns a^b = e^(b·ln a) for the positive part of a.
func (a I) Pow(b I) I {
	if b.Lo == 0 && b.Hi == 0 {
		return Point(1)
	}
	return a.Log().Mul(b).Exp()
}
