package money

import "math"

// Turn searches for a point between a and c at which f changes sign or is 0. Such a point separates
// two close roots. f must have the same sign at a, b and c, and be nearest to 0 at b. ok is false
// if the extremum does not reach 0. Turn uses golden-section search.
func Turn(f func(float64) float64, a, b, c float64) (x float64, ok bool) {
	sign := math.Copysign(1, f(b))
	g := func(x float64) float64 { return sign * f(x) }
	if !(g(b) <= g(a) && g(b) <= g(c)) {
		return 0, false
	}
	golden := (math.Sqrt(5) - 1) / 2
	x1, x2 := c-golden*(c-a), a+golden*(c-a)
	g1, g2 := g(x1), g(x2)
	for range 80 {
		switch {
		case g1 <= 0:
			return x1, true
		case g2 <= 0:
			return x2, true
		case g1 < g2:
			c, x2, g2 = x2, x1, g1
			x1 = c - golden*(c-a)
			g1 = g(x1)
		default:
			a, x1, g1 = x1, x2, g2
			x2 = a + golden*(c-a)
			g2 = g(x2)
		}
	}
	return 0, false
}
