package interval

import "math"

// I is the closed interval of real numbers from Lo to Hi. An infinite end means that the interval
// is unbounded on that side.
type I struct{ Lo, Hi float64 }

// Of returns the interval from lo to hi. For NaN or lo > hi it returns the whole real line, so an
// error of the caller can only widen bounds.
func Of(lo, hi float64) I {
	if !(lo <= hi) {
		return Entire()
	}
	return I{lo, hi}
}

// Point returns the interval that contains only x.
func Point(x float64) I { return Of(x, x) }

// Entire returns the whole real line.
func Entire() I { return I{math.Inf(-1), math.Inf(1)} }

// Around returns an interval that contains all numbers within r of x. r must not be negative.
func Around(x, r float64) I { return Of(SubDown(x, r), AddUp(x, r)) }

// Contains reports whether x lies in a.
func (a I) Contains(x float64) bool { return a.Lo <= x && x <= a.Hi }

// Within reports whether a lies in the interior of b.
func (a I) Within(b I) bool { return b.Lo < a.Lo && a.Hi < b.Hi }

// Sign returns +1 or -1 if all numbers in a have that sign, and 0 otherwise.
func (a I) Sign() int {
	switch {
	case a.Lo > 0:
		return 1
	case a.Hi < 0:
		return -1
	}
	return 0
}

// IsPoint reports whether a contains exactly one number.
func (a I) IsPoint() bool { return a.Lo == a.Hi }

// Finite reports whether both bounds are finite.
func (a I) Finite() bool { return !math.IsInf(a.Lo, 0) && !math.IsInf(a.Hi, 0) }

// Mid returns a number in a near its midpoint. The result is finite for every a.
func (a I) Mid() float64 {
	switch {
	case a.Lo == a.Hi:
		return a.Lo
	case math.IsInf(a.Lo, -1) && math.IsInf(a.Hi, 1):
		return 0
	case math.IsInf(a.Lo, -1):
		return -math.MaxFloat64
	case math.IsInf(a.Hi, 1):
		return math.MaxFloat64
	}
	return math.Min(math.Max(a.Lo/2+a.Hi/2, a.Lo), a.Hi)
}

// Mag returns the largest absolute value in a.
func (a I) Mag() float64 { return math.Max(math.Abs(a.Lo), math.Abs(a.Hi)) }

// Mig returns the smallest absolute value in a.
func (a I) Mig() float64 {
	if a.Lo <= 0 && a.Hi >= 0 {
		return 0
	}
	return math.Min(math.Abs(a.Lo), math.Abs(a.Hi))
}

// Radius returns an upper bound on the distance of any number in a from a.Mid().
func (a I) Radius() float64 {
	m := a.Mid()
	return math.Max(SubUp(a.Hi, m), SubUp(m, a.Lo))
}

// Hull returns the smallest interval that contains a and b.
func (a I) Hull(b I) I { return I{math.Min(a.Lo, b.Lo), math.Max(a.Hi, b.Hi)} }

// Intersect returns the intersection of a and b. ok is false if it is empty.
func (a I) Intersect(b I) (c I, ok bool) {
	c = I{math.Max(a.Lo, b.Lo), math.Min(a.Hi, b.Hi)}
	return c, c.Lo <= c.Hi
}

// Neg returns -a.
func (a I) Neg() I { return I{-a.Hi, -a.Lo} }

// Add returns a + b.
func (a I) Add(b I) I { return I{AddDown(a.Lo, b.Lo), AddUp(a.Hi, b.Hi)} }

// Sub returns a - b.
func (a I) Sub(b I) I { return I{SubDown(a.Lo, b.Hi), SubUp(a.Hi, b.Lo)} }

// AddF returns a + x.
func (a I) AddF(x float64) I { return a.Add(Point(x)) }

// Mul returns a * b.
func (a I) Mul(b I) I {
	if a.IsPoint() {
		return b.Scale(a.Lo)
	}
	if b.IsPoint() {
		return a.Scale(b.Lo)
	}
	l1, h1 := product(a.Lo, b.Lo)
	l2, h2 := product(a.Lo, b.Hi)
	l3, h3 := product(a.Hi, b.Lo)
	l4, h4 := product(a.Hi, b.Hi)
	return I{min(l1, l2, l3, l4), max(h1, h2, h3, h4)}
}

// Scale returns x * a.
func (a I) Scale(x float64) I {
	if x < 0 {
		return I{MulDown(a.Hi, x), MulUp(a.Lo, x)}
	}
	return I{MulDown(a.Lo, x), MulUp(a.Hi, x)}
}

// Div returns a / b, or the whole real line if b contains 0.
func (a I) Div(b I) I {
	if b.Lo <= 0 && b.Hi >= 0 {
		return Entire()
	}
	l1, h1 := quotient(a.Lo, b.Lo)
	l2, h2 := quotient(a.Lo, b.Hi)
	l3, h3 := quotient(a.Hi, b.Lo)
	l4, h4 := quotient(a.Hi, b.Hi)
	return I{min(l1, l2, l3, l4), max(h1, h2, h3, h4)}
}

// Sqr returns a². The result is never negative.
func (a I) Sqr() I {
	lo, hi := a.Mig(), a.Mag()
	return I{math.Max(0, MulDown(lo, lo)), MulUp(hi, hi)}
}

// Cube returns a³.
func (a I) Cube() I {
	cube := func(x float64) I { return Point(x).Scale(x).Scale(x) }
	return I{cube(a.Lo).Lo, cube(a.Hi).Hi}
}

// Abs returns |a|.
func (a I) Abs() I { return I{a.Mig(), a.Mag()} }
