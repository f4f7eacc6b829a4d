package device

import (
	"math"

	"slipstick/spice/interval"
)

// curve bounds a function of one variable over an interval: value, slope, curvature.
type curve struct{ f, f1, f2 interval.I }

func (c curve) hull(d curve) curve {
	return curve{c.f.Hull(d.f), c.f1.Hull(d.f1), c.f2.Hull(d.f2)}
}

// leakage adds a conductance.
func (c curve) leakage(v interval.I, g float64) curve {
	return curve{c.f.Add(v.Scale(g)), c.f1.AddF(g), c.f2}
}

// exactE contains e, of which the constant euler is the nearest double. With e itself the
// two halves of the SPICE diode have equal value and slope at -3 nvt.
var exactE = interval.Of(euler, math.Nextafter(euler, 3))

// pieces bounds a function that is below left of the joint and above right of it. The
// joint itself is only known as an interval, which both pieces may reach.
func pieces(v, joint interval.I, below, above func(interval.I) curve) curve {
	l, okL := v.Meet(interval.I{Lo: math.Inf(-1), Hi: joint.Hi})
	r, okR := v.Meet(interval.I{Lo: joint.Lo, Hi: math.Inf(1)})
	switch {
	case okL && okR:
		return below(l).hull(above(r))
	case okL:
		return below(l)
	}
	return above(r)
}

// encloseExp bounds is·e^(v/nvt) with its continuation along the tangent.
func encloseExp(v interval.I, is, nvt float64) curve {
	n := interval.Point(nvt)
	return pieces(v, n.Scale(maxExponent), func(v interval.I) curve {
		e := v.Div(n).Exp().Scale(is)
		g := e.Div(n)
		return curve{e, g, g.Div(n)}
	}, func(v interval.I) curve {
		e := interval.Point(maxExponent).Exp().Scale(is)
		return curve{e.Mul(v.Div(n).AddF(1 - maxExponent)), e.Div(n), interval.I{}}
	})
}

// encloseJunction bounds junctionCurrent. The function has a continuous slope everywhere.
func encloseJunction(v interval.I, is, nvt float64) curve {
	n := interval.Point(nvt)
	return pieces(v, n.Scale(-3), func(v interval.I) curve {
		// i = -is·(1 + a), a = (3 nvt/(v e))³; i' = 3 is·a/v; i'' = -12 is·a/v²
		a := n.Scale(3).Div(v.Mul(exactE)).Cube()
		s := interval.Point(is)
		g := s.Scale(3).Mul(a).Div(v)
		return curve{s.Mul(a.AddF(1)).Neg(), g, g.Scale(-4).Div(v)}
	}, func(v interval.I) curve {
		c := encloseExp(v, is, nvt)
		c.f = c.f.AddF(-is)
		return c
	})
}

// enclose bounds current.
func (d *diode) enclose(l *Enclosure, v interval.I) curve {
	if d.breaks {
		if v.Hi < -d.xbv {
			c := encloseExp(v.AddF(d.xbv).Neg(), d.satur, d.nvt)
			return curve{c.f.Neg(), c.f1, c.f2.Neg()}.leakage(v, l.Gmin)
		}
		if v.Lo < -d.xbv {
			l.kink(d.e.Name, "is at its breakdown voltage, where the current of the model jumps")
		}
	}
	return encloseJunction(v, d.satur, d.nvt).leakage(v, l.Gmin)
}

// Unbounded refuses a diode with high injection or recombination, which have no bounds here.
func (d *diode) Unbounded() string {
	if d.knee > 0 || d.recombines {
		return "has ikf or isr in its model, which cannot be certified"
	}
	return ""
}

func (d *diode) Enclose(l *Enclosure) {
	c := d.enclose(l, l.across(1, d.j, d.k))
	j := interval.Jet{V: c.f}
	j.D[0], j.H[0] = c.f1, c.f2
	l.nonlinear(d.j, d.k, 1, j, 1, pairs{{d.j, d.k}})
	if d.rs > 0 {
		l.linear(d.a, d.j, d.a, d.j, interval.WideOf(interval.Point(d.area).Div(interval.Point(d.rs))))
	}
}
