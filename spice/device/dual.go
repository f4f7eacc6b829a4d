package device

import "math"

// dual is a number v and its derivatives with respect to up to three voltages (forward-mode
// automatic differentiation; R. E. Wengert, Comm. ACM 7, 1964). The compiler keeps the fields in
// registers, which it does not do for an array.
type dual struct{ v, d0, d1, d2 float64 }

// dualOf returns variable k with the value v. Its derivative with respect to itself is 1.
func dualOf(k int, v float64) dual {
	switch k {
	case 0:
		return dual{v: v, d0: 1}
	case 1:
		return dual{v: v, d1: 1}
	}
	return dual{v: v, d2: 1}
}

// chain applies the chain rule: it returns a function of a with the value f and the derivative df.
func (a dual) chain(f, df float64) dual { return dual{f, a.d0 * df, a.d1 * df, a.d2 * df} }

func (a dual) add(b dual) dual {
	return dual{a.v + b.v, a.d0 + b.d0, a.d1 + b.d1, a.d2 + b.d2}
}

func (a dual) sub(b dual) dual {
	return dual{a.v - b.v, a.d0 - b.d0, a.d1 - b.d1, a.d2 - b.d2}
}

func (a dual) scale(f float64) dual { return a.chain(a.v*f, f) }

// plus returns a + c.
func (a dual) plus(c float64) dual {
	a.v += c
	return a
}

func (a dual) mul(b dual) dual {
	return dual{a.v * b.v, a.d0*b.v + b.d0*a.v, a.d1*b.v + b.d1*a.v, a.d2*b.v + b.d2*a.v}
}

func (a dual) div(b dual) dual { return a.mul(b.inv()) }

// inv returns 1/a.
func (a dual) inv() dual { return a.chain(1/a.v, -1/(a.v*a.v)) }

// sqrt returns the square root of a. For a <= 0 it returns 0 with all derivatives 0.
func (a dual) sqrt() dual {
	if a.v <= 0 {
		return dual{}
	}
	s := math.Sqrt(a.v)
	return a.chain(s, 0.5/s)
}

func (a dual) exp() dual {
	e := exp(a.v)
	return a.chain(e, e)
}

// pow returns a to the power n for a > 0.
func (a dual) pow(n float64) dual {
	p := math.Pow(a.v, n)
	return a.chain(p, n*p/a.v)
}

// min returns the smaller of a and b.
func (a dual) min(b dual) dual {
	if b.v < a.v {
		return b
	}
	return a
}

// max returns the larger of a and b.
func (a dual) max(b dual) dual {
	if b.v > a.v {
		return b
	}
	return a
}
