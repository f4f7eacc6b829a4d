package device

import (
	"math"

	"slipstick/spice/interval"
)

// Enclose adds the channel and the two bulk junctions.
func (d *mosfet) Enclose(l *Enclosure) {
	sg := d.sign
	u := [3]interval.I{l.across(sg, d.g, d.si), l.across(sg, d.di, d.si), l.across(sg, d.b, d.si)}
	l.nonlinear(d.di, d.si, sg, d.encloseChannel(l, u), 3, pairs{{d.g, d.si}, {d.di, d.si}, {d.b, d.si}})
	for k, node := range [2]int{d.di, d.si} {
		if node == d.b {
			continue // no voltage, no current
		}
		c := d.encloseBulk(l, k, l.across(sg, d.b, node))
		j := interval.Jet{V: c.f}
		j.D[0], j.H[0] = c.f1, c.f2
		l.nonlinear(d.b, node, sg, j, 1, pairs{{d.b, node}})
	}
	if d.gd > 0 {
		l.linear(d.d, d.di, d.d, d.di, interval.WidePoint(d.gd))
	}
	if d.gs > 0 {
		l.linear(d.s, d.si, d.s, d.si, interval.WidePoint(d.gs))
	}
}

// encloseBulk bounds bulk, which drops its exponential at -3 vt and jumps there.
func (d *mosfet) encloseBulk(l *Enclosure, k int, v interval.I) curve {
	joint := interval.Point(d.vt).Scale(-3)
	if v.Hi < joint.Lo {
		return curve{f: interval.Point(-d.isat[k])}.leakage(v, l.Gmin)
	}
	if v.Lo <= joint.Hi {
		l.kink(d.e.Name, "has a bulk junction at -3 kT/q, where the current of the model jumps")
	}
	c := encloseExp(v, d.isat[k], d.vt)
	c.f = c.f.AddF(-d.isat[k])
	return c.leakage(v, l.Gmin)
}

// encloseChannel bounds evaluate: the channel in the frame of drain and source as named.
// Drain and source change roles at vds = 0, where current and slopes of the two halves
// agree.
func (d *mosfet) encloseChannel(l *Enclosure, u [3]interval.I) interval.Jet {
	var out interval.Jet
	forward := false
	if r, ok := u[1].Meet(interval.I{Lo: 0, Hi: math.Inf(1)}); ok {
		forward = true
		out = d.encloseForward(l, interval.Variable(0, u[0]), interval.Variable(1, r), interval.Variable(2, u[2]))
	}
	if r, ok := u[1].Meet(interval.I{Lo: math.Inf(-1), Hi: 0}); ok && (r.Lo < 0 || !forward) {
		vds := interval.Variable(1, r)
		back := d.encloseForward(l, interval.Variable(0, u[0]).Sub(vds), vds.Neg(), interval.Variable(2, u[2]).Sub(vds)).Neg()
		if forward {
			back = back.Hull(out)
		}
		out = back
	}
	return out
}

// encloseForward bounds channel for vds >= 0: cut off, saturated and linear, whichever
// may hold, with current and slopes continuous between them.
func (d *mosfet) encloseForward(l *Enclosure, vgs, vds, vbs interval.Jet) interval.Jet {
	von := interval.Constant(interval.Point(d.tvbi).Scale(d.sign))
	if d.gamma != 0 {
		von = von.Add(d.encloseBody(l, vbs).Scale(interval.Point(d.gamma)))
	}
	over := vgs.Sub(von)
	out := interval.Jet{}
	if over.V.Hi <= 0 {
		return out
	}
	cut := over.V.Lo <= 0
	over.V.Lo = math.Max(over.V.Lo, 0)
	b := vds.Scale(interval.Point(d.lambda)).Shift(interval.Point(1)).Scale(interval.Point(d.beta))
	first := true
	add := func(j interval.Jet) {
		if !first || cut {
			j = j.Hull(out)
		}
		out, first = j, false
	}
	if over.V.Lo <= vds.V.Hi {
		add(b.Mul(over.Sqr()).Scale(interval.Point(0.5)))
	}
	if over.V.Hi > vds.V.Lo {
		add(b.Mul(vds.Mul(over.Sub(vds.Scale(interval.Point(0.5))))))
	}
	return out
}

// encloseBody bounds the root of the body effect: sqrt(tphi - vbs) up to vbs = 0, its
// tangent from there, and 0 beyond 2 tphi, where there is a corner.
func (d *mosfet) encloseBody(l *Enclosure, vbs interval.Jet) interval.Jet {
	phi := interval.Point(d.tphi)
	root := phi.Sqrt()
	if vbs.V.Hi >= phi.Scale(2).Lo {
		if vbs.V.Lo > phi.Scale(2).Hi {
			return interval.Jet{}
		}
		l.kink(d.e.Name, "has a bulk so far forward that the root of the body effect ends")
	}
	c := pieces(vbs.V, interval.I{}, func(v interval.I) curve {
		a := phi.Sub(v)
		s := a.Sqrt()
		f1 := interval.Point(-0.5).Div(s)
		return curve{s, f1, f1.Div(a).Scale(0.5)}
	}, func(v interval.I) curve {
		f1 := interval.Point(-0.5).Div(root)
		return curve{root.Add(f1.Mul(v)), f1, interval.I{}}
	})
	return vbs.Chain(c.f, c.f1, c.f2)
}
