package device

import (
	"math"

	"slipstick/spice/interval"
)

// LoadInterval adds the channel and the two bulk junctions.
func (d *mosfet) LoadInterval(l *IntervalLoad) {
	sg := d.sign
	u := [3]interval.I{l.across(sg, d.g, d.si), l.across(sg, d.di, d.si), l.across(sg, d.b, d.si)}
	l.nonlinear(d.di, d.si, sg, d.intervalChannel(l, u), 3, pairs{{d.g, d.si}, {d.di, d.si}, {d.b, d.si}})
	for k, node := range [2]int{d.di, d.si} {
		if node == d.b {
			continue // no voltage, no current
		}
		c := d.intervalBulk(l, k, l.across(sg, d.b, node))
		j := interval.Jet{V: c.f}
		j.D[0], j.H[0] = c.f1, c.f2
		l.nonlinear(d.b, node, sg, j, 1, pairs{{d.b, node}})
	}
	if d.drainG > 0 {
		l.linear(d.d, d.di, d.d, d.di, interval.WidePoint(d.drainG))
	}
	if d.sourceG > 0 {
		l.linear(d.s, d.si, d.s, d.si, interval.WidePoint(d.sourceG))
	}
}

// intervalBulk bounds bulk, which drops its exponential at -3 vt and jumps there.
func (d *mosfet) intervalBulk(l *IntervalLoad, k int, v interval.I) intervalCurve {
	joint := interval.Point(d.vt).Scale(-3)
	if v.Hi < joint.Lo {
		return intervalCurve{f: interval.Point(-d.isat[k])}.leakage(v, l.Gmin)
	}
	if v.Lo <= joint.Hi {
		l.kink(d.e.Name, "has a bulk junction at -3 kT/q, where the current of the model jumps")
	}
	c := intervalExp(v, d.isat[k], d.vt)
	c.f = c.f.AddF(-d.isat[k])
	return c.leakage(v, l.Gmin)
}

// intervalChannel bounds evaluate: the channel in the frame of drain and source as named.
// Drain and source change roles at vds = 0, where current and slopes of the two halves
// agree.
func (d *mosfet) intervalChannel(l *IntervalLoad, u [3]interval.I) interval.Jet {
	var out interval.Jet
	forward := false
	if r, ok := u[1].Intersect(interval.I{Lo: 0, Hi: math.Inf(1)}); ok {
		forward = true
		out = d.intervalForward(l, interval.Variable(0, u[0]), interval.Variable(1, r), interval.Variable(2, u[2]))
	}
	if r, ok := u[1].Intersect(interval.I{Lo: math.Inf(-1), Hi: 0}); ok && (r.Lo < 0 || !forward) {
		vds := interval.Variable(1, r)
		back := d.intervalForward(l, interval.Variable(0, u[0]).Sub(vds), vds.Neg(), interval.Variable(2, u[2]).Sub(vds)).Neg()
		if forward {
			back = back.Hull(out)
		}
		out = back
	}
	return out
}

// intervalForward bounds channel for vds >= 0: cut off, saturated and linear, whichever
// may hold, with current and slopes continuous between them.
func (d *mosfet) intervalForward(l *IntervalLoad, vgs, vds, vbs interval.Jet) interval.Jet {
	von := interval.Constant(interval.Point(d.tvbi).Scale(d.sign))
	if d.gamma != 0 {
		von = von.Add(d.intervalBodyEffect(l, vbs).Scale(interval.Point(d.gamma)))
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

// intervalBodyEffect bounds the root of the body effect: sqrt(tphi - vbs) up to vbs = 0, its
// tangent from there, and 0 beyond 2 tphi, where there is a corner.
func (d *mosfet) intervalBodyEffect(l *IntervalLoad, vbs interval.Jet) interval.Jet {
	phi := interval.Point(d.tphi)
	root := phi.Sqrt()
	if vbs.V.Hi >= phi.Scale(2).Lo {
		if vbs.V.Lo > phi.Scale(2).Hi {
			return interval.Jet{}
		}
		l.kink(d.e.Name, "has a bulk so far forward that the root of the body effect ends")
	}
	c := pieces(vbs.V, interval.I{}, func(v interval.I) intervalCurve {
		a := phi.Sub(v)
		s := a.Sqrt()
		f1 := interval.Point(-0.5).Div(s)
		return intervalCurve{s, f1, f1.Div(a).Scale(0.5)}
	}, func(v interval.I) intervalCurve {
		f1 := interval.Point(-0.5).Div(root)
		return intervalCurve{root.Add(f1.Mul(v)), f1, interval.I{}}
	})
	return vbs.Chain(c.f, c.f1, c.f2)
}
