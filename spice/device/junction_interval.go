package device

import (
	"math"

	"slipstick/spice/interval"
)

// intervalCurve bounds the value and the first two derivatives of a function over an interval.
type intervalCurve struct{ f, f1, f2 interval.I }

func (c intervalCurve) hull(d intervalCurve) intervalCurve {
	return intervalCurve{c.f.Hull(d.f), c.f1.Hull(d.f1), c.f2.Hull(d.f2)}
}

// leakage adds the current of a conductance g [S] at the voltage v.
func (c intervalCurve) leakage(v interval.I, g float64) intervalCurve {
	return intervalCurve{c.f.Add(v.Scale(g)), c.f1.AddF(g), c.f2}
}

// exactE contains e, of which the constant euler is the nearest double. With the exact e the two
// branches of the SPICE diode have equal values and derivatives at -3 nvt.
var exactE = interval.Of(euler, math.Nextafter(euler, 3))

// pieces bounds a function with separate branches below and above the joint. The joint is an
// interval in which either branch may be valid.
func pieces(v, joint interval.I, below, above func(interval.I) intervalCurve) intervalCurve {
	l, okL := v.Intersect(interval.I{Lo: math.Inf(-1), Hi: joint.Hi})
	r, okR := v.Intersect(interval.I{Lo: joint.Lo, Hi: math.Inf(1)})
	switch {
	case okL && okR:
		return below(l).hull(above(r))
	case okL:
		return below(l)
	}
	return above(r)
}

// intervalExp bounds is·e^(v/nvt), which continues along its tangent above maxExponent.
func intervalExp(v interval.I, is, nvt float64) intervalCurve {
	n := interval.Point(nvt)
	return pieces(v, n.Scale(maxExponent), func(v interval.I) intervalCurve {
		e := v.Div(n).Exp().Scale(is)
		g := e.Div(n)
		return intervalCurve{e, g, g.Div(n)}
	}, func(v interval.I) intervalCurve {
		e := interval.Point(maxExponent).Exp().Scale(is)
		return intervalCurve{e.Mul(v.Div(n).AddF(1 - maxExponent)), e.Div(n), interval.I{}}
	})
}

// intervalJunction bounds junctionCurrent, whose derivative is continuous everywhere.
func intervalJunction(v interval.I, is, nvt float64) intervalCurve {
	n := interval.Point(nvt)
	return pieces(v, n.Scale(-3), func(v interval.I) intervalCurve {
		// i = -is·(1 + a) with a = (3 nvt/(v e))³, i' = 3 is·a/v and i'' = -12 is·a/v².
		a := n.Scale(3).Div(v.Mul(exactE)).Cube()
		s := interval.Point(is)
		g := s.Scale(3).Mul(a).Div(v)
		return intervalCurve{s.Mul(a.AddF(1)).Neg(), g, g.Scale(-4).Div(v)}
	}, func(v interval.I) intervalCurve {
		c := intervalExp(v, is, nvt)
		c.f = c.f.AddF(-is)
		return c
	})
}

// intervalCurrent bounds the current [A] of the junction and its derivatives over the voltage v
// [V].
func (d *diode) intervalCurrent(l *IntervalLoad, v interval.I) intervalCurve {
	if d.breaks {
		if v.Hi < -d.xbv {
			c := intervalExp(v.AddF(d.xbv).Neg(), d.isat, d.breakVt)
			return intervalCurve{c.f.Neg(), c.f1, c.f2.Neg()}.leakage(v, l.Gmin)
		}
		if v.Lo < -d.xbv {
			l.kink(d.e.Name, "is at its breakdown voltage, where the current of the model jumps")
		}
	}
	return intervalJunction(v, d.isat, d.nvt).leakage(v, l.Gmin)
}

// IntervalUnsupported rejects high injection, recombination, tunneling and a sidewall with an
// emission coefficient, for which no bounds are implemented.
func (d *diode) IntervalUnsupported() string {
	if d.highInjection > 0 || d.recombines || d.sideLeaks || d.tunnelIsat > 0 {
		return "has ikf, isr, jtun or ns in its model, which cannot be certified"
	}
	return ""
}

func (d *diode) LoadInterval(l *IntervalLoad) {
	c := d.intervalCurrent(l, l.across(1, d.internal, d.k))
	j := interval.Jet{V: c.f}
	j.D[0], j.H[0] = c.f1, c.f2
	l.nonlinear(d.internal, d.k, 1, j, 1, pairs{{d.internal, d.k}})
	if d.rs > 0 {
		l.linear(d.a, d.internal, d.a, d.internal,
			interval.WideOf(interval.Point(1).Div(interval.Point(d.ohms))))
	}
}
