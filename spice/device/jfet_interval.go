package device

import (
	"math"

	"slipstick/spice/interval"
)

// LoadInterval adds the channel, the two gate junctions and the series resistances.
func (d *jfet) LoadInterval(l *IntervalLoad) {
	sg := d.sign
	vgs, vds := l.across(sg, d.g, d.si), l.across(sg, d.di, d.si)
	l.nonlinear(d.di, d.si, sg, d.intervalCurrent(vgs, vds), 2, pairs{{d.g, d.si}, {d.di, d.si}})
	for _, node := range [2]int{d.si, d.di} {
		if node == d.g {
			continue // a junction between equal nodes has no current
		}
		v := l.across(sg, d.g, node)
		c := intervalJunction(v, d.isat, d.vt).leakage(v, l.Gmin)
		j := interval.Jet{V: c.f}
		j.D[0], j.H[0] = c.f1, c.f2
		l.nonlinear(d.g, node, sg, j, 1, pairs{{d.g, node}})
	}
	area := interval.WideOf(interval.Point(d.area))
	if d.rd > 0 {
		l.linear(d.d, d.di, d.d, d.di, area.Mul(interval.WidePoint(d.rd).Recip()))
	}
	if d.rs > 0 {
		l.linear(d.s, d.si, d.s, d.si, area.Mul(interval.WidePoint(d.rs).Recip()))
	}
}

// intervalCurrent bounds the current [A] of evaluate over the voltages vgs and vds [V]. Drain and
// source are exchanged at vds = 0, where the currents and derivatives of both sides agree.
func (d *jfet) intervalCurrent(vgs, vds interval.I) interval.Jet {
	var out interval.Jet
	forward := false
	if r, ok := vds.Intersect(interval.I{Lo: 0, Hi: math.Inf(1)}); ok {
		forward = true
		out = d.intervalChannel(interval.Variable(0, vgs), interval.Variable(1, r))
	}
	if r, ok := vds.Intersect(interval.I{Lo: math.Inf(-1), Hi: 0}); ok && (r.Lo < 0 || !forward) {
		v := interval.Variable(1, r)
		back := d.intervalChannel(interval.Variable(0, vgs).Sub(v), v.Neg()).Neg()
		if forward {
			back = back.Hull(out)
		}
		out = back
	}
	return out
}

// intervalChannel bounds the current [A] of channel. The current and its derivatives are continuous
// between the three regions. Therefore the hull of the bounds over all regions that the box
// intersects is a bound.
func (d *jfet) intervalChannel(vgs, vds interval.Jet) (out interval.Jet) {
	over := vgs.Shift(interval.Point(-d.threshold))
	if over.V.Hi <= 0 {
		return out
	}
	b, tail := interval.Point(d.b), interval.Point(d.dopingTail)
	k := vds.Scale(interval.Point(d.lambda)).Shift(interval.Point(1)).Scale(interval.Point(d.k))
	first := over.V.Lo > 0 // the box excludes cutoff
	excess := over.Sub(vds)
	over.V.Lo = math.Max(over.V.Lo, 0)
	add := func(c interval.Jet) {
		c = c.Mul(k)
		if first {
			out, first = c, false
		} else {
			out = out.Hull(c)
		}
	}
	if excess.V.Hi >= 0 {
		// The current is proportional to vds·(vds·(tail·vds - b) + over·(2b + 3·tail·(over -
		// vds))).
		a := excess.Scale(tail.Scale(3)).Shift(b.Scale(2))
		add(vds.Mul(vds.Mul(vds.Scale(tail).Shift(b.Neg())).Add(over.Mul(a))))
	}
	if excess.V.Lo < 0 {
		add(over.Sqr().Mul(over.Scale(tail).Shift(b)))
	}
	return out
}
