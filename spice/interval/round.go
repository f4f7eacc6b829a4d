package interval

import "math"

// underflowLimit is the magnitude below which the error of a product may not be a double. The last
// bit of a product of magnitude 2^-960 is at least 2^-1066, which is above the smallest double
// 2^-1074.
const underflowLimit = 0x1p-960

func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }

// TwoSum returns s = fl(a+b) and the error e for which s + e = a + b exactly, unless s overflows
// (Knuth). Sums never underflow inexactly.
func TwoSum(a, b float64) (s, e float64) {
	s = a + b
	t := s - a
	e = (a - (s - t)) + (b - t)
	return s, e
}

// TwoProd returns p = fl(a*b) and the error e for which p + e = a*b exactly, unless p overflows or
// is nonzero and below 2^-960.
func TwoProd(a, b float64) (p, e float64) {
	p = float64(a * b)
	return p, math.FMA(a, b, -p)
}

// outward converts a rounded result and the sign of (exact - rounded) to bounds. After an overflow
// the inner bound is the largest double.
func outward(r, e float64) (lo, hi float64) {
	switch {
	case math.IsInf(r, 1):
		return math.MaxFloat64, r
	case math.IsInf(r, -1):
		return r, -math.MaxFloat64
	case e < 0:
		return down(r), r
	case e > 0:
		return r, up(r)
	case e == 0:
		return r, r
	}
	return down(r), up(r) // the error itself is NaN
}

// sum bounds a + b for operands that may be infinite. An infinite operand bounds an unbounded set,
// so the result is infinite on the requested side.
func sum(a, b float64) (lo, hi float64) {
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		s := a + b
		if math.IsNaN(s) {
			return math.Inf(-1), math.Inf(1)
		}
		return s, s
	}
	s, e := TwoSum(a, b)
	return outward(s, e)
}

// product bounds a * b. The product of 0 and infinity is 0, because the infinity represents a
// missing bound.
func product(a, b float64) (lo, hi float64) {
	if a == 0 || b == 0 {
		return 0, 0
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		p := a * b
		return p, p
	}
	p, e := TwoProd(a, b)
	if math.Abs(p) < underflowLimit {
		return down(p), up(p)
	}
	return outward(p, e)
}

// quotient bounds a / b for nonzero b.
func quotient(a, b float64) (lo, hi float64) {
	if a == 0 {
		return 0, 0
	}
	switch {
	case math.IsInf(b, 0) && math.IsInf(a, 0):
		return math.Inf(-1), math.Inf(1)
	case math.IsInf(b, 0):
		if (a > 0) == (b > 0) {
			return 0, math.SmallestNonzeroFloat64
		}
		return -math.SmallestNonzeroFloat64, 0
	case math.IsInf(a, 0):
		q := a / b
		return q, q
	}
	q := a / b
	if math.Abs(q) < underflowLimit || math.Abs(a) < underflowLimit || math.IsInf(q, 0) {
		lo, hi = outward(q, math.NaN())
		return lo, hi
	}
	// a - q·b is exactly representable. Its sign and the sign of b determine on which side of q the
	// exact quotient lies.
	e := math.FMA(-q, b, a)
	if b < 0 {
		e = -e
	}
	return outward(q, e)
}

// AddUp returns a + b rounded up.
func AddUp(a, b float64) float64 { _, hi := sum(a, b); return hi }

// AddDown returns a + b rounded down.
func AddDown(a, b float64) float64 { lo, _ := sum(a, b); return lo }

// SubUp returns a - b rounded up.
func SubUp(a, b float64) float64 { return AddUp(a, -b) }

// SubDown returns a - b rounded down.
func SubDown(a, b float64) float64 { return AddDown(a, -b) }

// MulUp returns a * b rounded up.
func MulUp(a, b float64) float64 { _, hi := product(a, b); return hi }

// MulDown returns a * b rounded down.
func MulDown(a, b float64) float64 { lo, _ := product(a, b); return lo }

// DivUp returns a / b rounded up, or +Inf if b is 0.
func DivUp(a, b float64) float64 {
	if b == 0 {
		return math.Inf(1)
	}
	_, hi := quotient(a, b)
	return hi
}

// DivDown returns a / b rounded down, or -Inf if b is 0.
func DivDown(a, b float64) float64 {
	if b == 0 {
		return math.Inf(-1)
	}
	lo, _ := quotient(a, b)
	return lo
}
