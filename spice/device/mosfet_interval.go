package device

import (
	"math"

	"slipstick/spice/interval"
)

// IntervalUnsupported rejects levels whose channel has no rigorous bounds.
func (d *mosfet) IntervalUnsupported() string {
	if _, ok := d.channel.(intervalChannel); !ok {
		return "has a model level whose channel cannot be certified"
	}
	return ""
}

// LoadInterval adds the channel, the two bulk junctions and the series resistances.
func (d *mosfet) LoadInterval(l *IntervalLoad) {
	sg := d.sign
	u := [3]interval.I{l.across(sg, d.g, d.si), l.across(sg, d.di, d.si), l.across(sg, d.b, d.si)}
	l.nonlinear(d.di, d.si, sg, d.intervalChannel(l, u), 3, pairs{{d.g, d.si}, {d.di, d.si},
		{d.b, d.si}})
	for k, node := range [2]int{d.di, d.si} {
		if node == d.b {
			continue // a shorted junction carries no current
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

// intervalBulk bounds the current [A] of bulk junction k at the voltage v [V]. The exponential of
// the model ends with a discontinuity at -3 kT/q.
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

// intervalChannel bounds the current [A] of evaluate over u, which holds vgs, vds and vbs [V].
// Drain and source are exchanged at vds = 0, where the currents and derivatives of both sides
// agree.
func (d *mosfet) intervalChannel(l *IntervalLoad, u [3]interval.I) interval.Jet {
	var out interval.Jet
	model := d.channel.(intervalChannel)
	forward := false
	if r, ok := u[1].Intersect(interval.I{Lo: 0, Hi: math.Inf(1)}); ok {
		forward = true
		out = model.interval(l, d.e.Name, interval.Variable(0, u[0]), interval.Variable(1, r),
			interval.Variable(2, u[2]))
	}
	if r, ok := u[1].Intersect(interval.I{Lo: math.Inf(-1), Hi: 0}); ok && (r.Lo < 0 || !forward) {
		vds := interval.Variable(1, r)
		back := model.interval(l, d.e.Name, interval.Variable(0, u[0]).Sub(vds), vds.Neg(),
			interval.Variable(2, u[2]).Sub(vds)).Neg()
		if forward {
			back = back.Hull(out)
		}
		out = back
	}
	return out
}
