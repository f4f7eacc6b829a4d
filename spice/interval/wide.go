package interval

import "math"

// Wide is the unevaluated sum H + L. If L is a few units in the last place wide, the sum has about
// 32 decimal digits. The residual of a computed solution requires them, because its terms cancel.
type Wide struct {
	H float64
	L I
}

// WidePoint returns the set that contains only x.
func WidePoint(x float64) Wide { return Wide{H: x} }

// WideOf returns the interval a, split at its midpoint.
func WideOf(a I) Wide {
	h := a.Mid()
	return Wide{h, a.AddF(-h)}
}

// Interval returns the set as an interval.
func (a Wide) Interval() I { return a.L.AddF(a.H) }

// widen returns a Wide from a rounded sum s and its error e, if the sum is finite.
func widen(s, e float64, l I) Wide {
	if math.IsInf(s, 0) || math.IsNaN(s) || math.IsNaN(e) {
		return Wide{0, Entire()}
	}
	return Wide{s, l.AddF(e)}
}

// Add returns a + b.
func (a Wide) Add(b Wide) Wide {
	s, e := TwoSum(a.H, b.H)
	return widen(s, e, a.L.Add(b.L))
}

// Neg returns -a.
func (a Wide) Neg() Wide { return Wide{-a.H, a.L.Neg()} }

// Sub returns a - b.
func (a Wide) Sub(b Wide) Wide { return a.Add(b.Neg()) }

// Mul returns a * b.
func (a Wide) Mul(b Wide) Wide {
	l := b.L.Scale(a.H).Add(a.L.Scale(b.H)).Add(a.L.Mul(b.L))
	p, e := TwoProd(a.H, b.H)
	if a.H != 0 && b.H != 0 && math.Abs(p) < underflowLimit {
		return widen(p, e, l.Add(I{-math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64}))
	}
	return widen(p, e, l)
}

// Recip returns 1/a, or the whole real line if a contains 0.
func (a Wide) Recip() Wide {
	all := a.Interval()
	if all.Lo <= 0 && all.Hi >= 0 || a.H == 0 {
		return Wide{0, Entire()}
	}
	q := 1 / a.H
	if math.Abs(q) < underflowLimit || math.Abs(q) > 1/underflowLimit {
		return WideOf(Point(1).Div(all))
	}
	// 1/a - q equals (1 - q·a)/a, and 1 - q·H is a double.
	rest := Point(math.FMA(-q, a.H, 1)).Sub(a.L.Scale(q))
	return Wide{q, rest.Div(all)}
}
