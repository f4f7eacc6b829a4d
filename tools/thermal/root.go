package thermal

import "math"

// rootSteps is the maximum number of steps of Root. Bisection alone reduces any bracket to full
// precision in fewer steps.
const rootSteps = 200

// Root returns the zero of an increasing function f between lo and hi to full precision. It uses
// the Illinois variant of false position, and bisection if that makes little progress. If f does
// not change sign, Root returns the nearer end.
func Root(lo, hi float64, f func(float64) float64) float64 {
	a, b := lo, hi
	fa, fb := f(a), f(b)
	if fa >= 0 {
		return a
	}
	if fb <= 0 {
		return b
	}
	side := 0
	for i := range rootSteps {
		if b-a <= 4e-16*max(math.Abs(a), math.Abs(b)) {
			break
		}
		x := a + (b-a)*(-fa/(fb-fa))
		if i%4 == 3 || !(x > a && x < b) {
			x = a + (b-a)/2
		}
		if x == a || x == b {
			break
		}
		fx := f(x)
		switch {
		case fx == 0:
			return x
		case fx < 0:
			a, fa = x, fx
			if side == -1 {
				fb /= 2
			}
			side = -1
		default:
			b, fb = x, fx
			if side == 1 {
				fa /= 2
			}
			side = 1
		}
	}
	return a + (b-a)/2
}

// RootAbove is the variant of Root for a function that is not positive at lo and is positive
// somewhere above. The bracket grows from step until it contains the root.
func RootAbove(lo, step float64, f func(float64) float64) float64 {
	hi := lo + step
	for range 60 {
		if f(hi) > 0 {
			break
		}
		lo, step = hi, 2*step
		hi += step
	}
	return Root(lo, hi, f)
}
