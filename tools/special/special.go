// Package special provides elementary functions in forms that avoid cancellation.
package special

import "math"

// Log1mexp returns ln(1 - e^x) for x <= 0.
func Log1mexp(x float64) float64 {
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// Expm1mx returns e^x - 1 - x.
func Expm1mx(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Expm1(x) - x
	}
	term := x * x / 2
	sum := term
	for k := 3.0; k < 30 && math.Abs(term) > 1e-18*sum; k++ {
		term *= x / k
		sum += term
	}
	return sum
}

// Log1pmx returns ln(1+x) - x.
func Log1pmx(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Log1p(x) - x
	}
	// ln(1+x) = 2 artanh r with r = x/(2+x), and 2r - x = -r x.
	r := x / (2 + x)
	y := r * r
	power, sum := y, 0.0
	for k := 3.0; k < 80 && power > 1e-18*sum; k += 2 {
		sum += power / k
		power *= y
	}
	return r * (2*sum - x)
}

// Hypot returns √(a² + b²) with a correction that makes it correctly rounded in nearly all cases
// (C. F. Borges, Algorithm 1014: An improved algorithm for hypot(x, y), ACM TOMS 47, 2021).
// math.Hypot(180, 299) is 348.99999999999994.
func Hypot(a, b float64) float64 {
	a, b = math.Max(math.Abs(a), math.Abs(b)), math.Min(math.Abs(a), math.Abs(b))
	if b == 0 {
		return a
	}
	_, e := math.Frexp(a)
	x, y := math.Ldexp(a, -e), math.Ldexp(b, -e)
	h := math.Sqrt(math.FMA(x, x, y*y))
	hh, xx := h*h, x*x
	rest := math.FMA(-y, y, hh-xx) + math.FMA(h, h, -hh) - math.FMA(x, x, -xx)
	return math.Ldexp(h-rest/(2*h), e)
}
