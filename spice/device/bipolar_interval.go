package device

import (
	"slipstick/spice/interval"
)

// LoadInterval adds the base-emitter, base-collector and transfer currents as nonlinear terms, and
// the resistances.
func (d *bipolar) LoadInterval(l *IntervalLoad) {
	p, t, sg := &d.model, &d.temp, d.sign
	vbe, vbc := l.across(sg, d.bi, d.ei), l.across(sg, d.bi, d.ci)
	be, bc := interval.Variable(0, vbe), interval.Variable(1, vbc)
	chain := func(v interval.Jet, c intervalCurve) interval.Jet { return v.Chain(c.f, c.f1, c.f2) }

	ibe := chain(be, intervalJunction(vbe, t.is, t.nfVt))
	ibc := chain(bc, intervalJunction(vbc, t.is, t.nrVt))
	leakBE, leakBC := be.Scale(interval.Point(l.Gmin)), bc.Scale(interval.Point(l.Gmin))
	if t.ise > 0 {
		leakBE = leakBE.Add(chain(be, intervalJunction(vbe, t.ise, t.neVt)))
	}
	if t.isc > 0 {
		leakBC = leakBC.Add(chain(bc, intervalJunction(vbc, t.isc, t.ncVt)))
	}
	one := interval.Point(1)
	base := ibe.Scale(one.Div(interval.Point(t.bf))).Add(leakBE)
	collector := ibc.Scale(one.Div(interval.Point(t.br))).Add(leakBC)
	qb := d.intervalBaseCharge(l, be, bc, ibe, ibc)
	transfer := ibe.Sub(ibc).Mul(qb.Recip())

	controls := pairs{{d.bi, d.ei}, {d.bi, d.ci}}
	l.nonlinear(d.bi, d.ei, sg, base, 2, controls)
	l.nonlinear(d.bi, d.ci, sg, collector, 2, controls)
	l.nonlinear(d.ci, d.ei, sg, transfer, 2, controls)
	l.linear(d.substrate, d.substrateTo, d.substrate, d.substrateTo, interval.WidePoint(l.Gmin))
	if side := sg * p.subs; t.iss > 0 {
		v := l.across(side, d.substrate, d.substrateTo)
		current := chain(interval.Variable(0, v), intervalJunction(v, t.iss, t.nsVt))
		l.nonlinear(d.substrate, d.substrateTo, side, current, 1,
			pairs{{d.substrate, d.substrateTo}})
	}
	if p.rc > 0 {
		end := d.collectorEnd()
		l.linear(d.collector, end, d.collector, end, interval.WidePoint(t.gc))
	}
	if d.epitaxial != nil {
		d.loadEpitaxialInterval(l)
	}
	if p.re > 0 {
		l.linear(d.emitter, d.ei, d.emitter, d.ei, interval.WidePoint(t.ge))
	}
	if d.hasRB {
		g := d.intervalBaseConductance(l, qb)
		v := interval.Variable(2, l.across(sg, d.baseNode, d.bi))
		controls[2] = [2]int{d.baseNode, d.bi}
		l.nonlinear(d.baseNode, d.bi, sg, v.Mul(g), 3, controls)
	}
}

// intervalBaseCharge bounds the normalized base charge. be and bc are the junction voltages [V],
// ibe and ibc the junction currents [A].
func (d *bipolar) intervalBaseCharge(l *IntervalLoad, be, bc, ibe, ibc interval.Jet) interval.Jet {
	p, t := &d.model, &d.temp
	const largest = 1e6 // same limit as in evaluate
	u := bc.Scale(interval.Point(p.vafInv)).Add(be.Scale(interval.Point(p.varInv))).Neg().Shift(
		interval.Point(1))
	var qb interval.Jet
	switch {
	case u.V.Lo > 1.001/largest:
		qb = u.Recip()
	case u.V.Hi < 0.999/largest:
		qb = interval.Constant(interval.Point(largest))
	default:
		l.kink(d.e.Name, "is at its Early voltage, where the base charge of the model ends")
		qb = interval.Constant(interval.Of(0, largest))
	}
	if t.ikfInv == 0 && t.ikrInv == 0 {
		return qb
	}
	q2 := ibe.Scale(interval.Point(t.ikfInv)).Add(ibc.Scale(interval.Point(t.ikrInv)))
	arg := q2.Scale(interval.Point(4)).Shift(interval.Point(1))
	switch {
	case arg.V.Lo > 0:
		root := arg.Sqrt()
		if p.nk != 0.5 {
			k, a := interval.Point(p.nk), arg.V
			f := a.Pow(k)
			f1 := k.Mul(f).Div(a)
			root = arg.Chain(f, f1, k.AddF(-1).Mul(f1).Div(a))
		}
		return qb.Mul(root.Shift(interval.Point(1))).Scale(interval.Point(0.5))
	case arg.V.Hi < 0 && p.nk == 0: // 0^0 is 1 in evaluate
		return qb
	case arg.V.Hi < 0:
		return qb.Scale(interval.Point(0.5))
	}
	l.kink(d.e.Name, "is where the root of its high-injection term reaches 0")
	return qb
}

// intervalBaseConductance bounds the base conductance [S] at the normalized base charge qb.
func (d *bipolar) intervalBaseConductance(l *IntervalLoad, qb interval.Jet) interval.Jet {
	t := &d.temp
	if t.irb > 0 && t.rbSpan != 0 {
		return d.unboundedCrowding(l)
	}
	r := qb.Recip().Scale(interval.Point(t.rbSpan)).Shift(interval.Point(t.rbm))
	switch {
	case r.V.Lo > 0:
		return r.Recip()
	case r.V.Hi <= 0:
		return interval.Constant(interval.Point(1).Div(interval.Point(1e-6)))
	}
	l.kink(d.e.Name, "is where its base resistance reaches 0")
	return r
}

// unboundedCrowding rejects the parameter IRB, because this package has no bound for the derivative
// of rbm + 3·span·(tan z - z)/(z·tan² z).
func (d *bipolar) unboundedCrowding(l *IntervalLoad) interval.Jet {
	l.kink(d.e.Name, "has the model parameter irb, whose base resistance cannot be certified")
	return interval.Constant(interval.Of(0, 1e6))
}
