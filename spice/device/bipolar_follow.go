package device

import "math"

// holds tells whether the tangent is good enough at other voltages, by the curvature of the two exponentials, of the Early effect and of the
// depletion charges.
func (d *bipolar) holds(l *Load, vbe, vbc float64) bool {
	p, t, pt := &d.m, &d.t, &d.last
	mBE, mBC := vbe-d.lastBE, vbc-d.lastBC
	if math.Abs(mBE) < still && math.Abs(mBC) < still {
		return true // Load would keep the tangent
	}
	if max(mBE, mBC) > t.vt/4 && (vbe > 0 || vbc > 0) {
		return false
	}
	// Beyond the exponentials the charge control and the Early effect are gentle.
	curveBE, curveBC := 1/(2*t.vt), 1/(2*t.vt)
	storeBE, storeBC := curveBE, curveBC
	if max(vbe, d.lastBE) < 0 {
		curveBE, storeBE = p.varInv, t.be.bend/2
	}
	if max(vbc, d.lastBC) < 0 {
		curveBC, storeBC = p.vafInv, t.bc.bend/2
	}
	lostC := math.Abs(pt.icBE)*curveBE*mBE*mBE + math.Abs(pt.icBC)*curveBC*mBC*mBC + math.Abs(pt.icBE*mBE*mBC)*p.vafInv
	lostB := pt.ibBE*curveBE*mBE*mBE + pt.ibBC*curveBC*mBC*mBC
	if d.hasRB {
		lostB += math.Abs(pt.gxBE*mBE+pt.gxBC*mBC) * max(math.Abs(mBE), math.Abs(mBC))
	}
	lostE := lostC + lostB + l.A0*(pt.cbe*storeBE*mBE*mBE+math.Abs(pt.cbeBC)*(mBC*mBC*storeBC+math.Abs(mBE*mBC)*2*storeBE))
	lostC += l.A0 * pt.cbc * storeBC * mBC * mBC
	return l.allows(lostC, d.ci, d.bi) && l.allows(lostE, d.bi, d.xi)
}

// Follow moves the charges along their tangents.
func (d *bipolar) Follow(l *Load) bool {
	x, sg, p, t, pt := l.X, d.sign, &d.m, &d.t, &d.last
	vbe := sg * (x[d.bi] - x[d.xi])
	vbc := sg * (x[d.bi] - x[d.ci])
	if d.delay > 0 || !d.holds(l, vbe, vbc) {
		return false
	}
	mBE, mBC := vbe-d.lastBE, vbc-d.lastBC
	if d.qbx >= 0 && !d.lastX.follow(l, d.qbx, &t.bx, sg*(x[d.b]-x[d.ci]), d.b, d.ci) {
		return false
	}
	if d.qcs >= 0 && !d.lastS.follow(l, d.qcs, &t.cs, sg*p.subs*(x[d.s]-x[d.subCol]), d.s, d.subCol) {
		return false
	}
	if d.qbe >= 0 {
		l.Charge(d.qbe, pt.qbe+pt.cbe*mBE+pt.cbeBC*mBC, pt.cbe)
	}
	if d.qbc >= 0 {
		l.Charge(d.qbc, pt.qbc+pt.cbc*mBC, pt.cbc)
	}
	l.Now[d.vbe], l.Now[d.vbc] = vbe, vbc
	return true
}

// outerTangent is a depletion charge with its slope at v.
type outerTangent struct {
	v, q, c float64
	valid   bool
}

// load stores the charge at voltage v, along the last tangent while that is near, and gives
// its current and conductance.
func (o *outerTangent) load(l *Load, state int, d *depletion, v float64) (i, g float64) {
	if !o.valid || l.A0 == 0 || math.Abs(v-o.v) >= calm {
		o.q, o.c = d.at(v)
		o.v, o.valid = v, true
	}
	return l.Charge(state, o.q+o.c*(v-o.v), o.c)
}

// follow moves the charge along its tangent, as Follower does.
func (o *outerTangent) follow(l *Load, state int, d *depletion, v float64, a, b int) bool {
	m := v - o.v
	l.Charge(state, o.q+o.c*m, o.c)
	return math.Abs(m) < calm || l.allows(l.A0*o.c*d.bend*m*m/2, a, b)
}
