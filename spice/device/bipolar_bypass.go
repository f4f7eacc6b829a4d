package device

import "math"

// canBypass reports whether the tangent is accurate within RowTol at the junction voltages vbe and
// vbc [V]. The error bound adds the curvatures of the two exponentials, the Early effect and the
// depletion charges.
func (d *bipolar) canBypass(l *Load, vbe, vbc float64) bool {
	p, t, pt := &d.model, &d.temp, &d.tangent
	mBE, mBC := vbe-d.tangentVBE, vbc-d.tangentVBC
	if math.Abs(mBE) < bypassTolExp && math.Abs(mBC) < bypassTolExp {
		return true // Load also reuses the tangent below this change
	}
	if max(mBE, mBC) > t.vt/4 && (vbe > 0 || vbc > 0) {
		return false
	}
	// In reverse bias only the Early effect and the depletion charge contribute to the curvature.
	curveBE, curveBC := 1/(2*t.vt), 1/(2*t.vt)
	storeBE, storeBC := curveBE, curveBC
	if max(vbe, d.tangentVBE) < 0 {
		curveBE, storeBE = p.varInv, t.be.maxRelSlope/2
	}
	if max(vbc, d.tangentVBC) < 0 {
		curveBC, storeBC = p.vafInv, t.bc.maxRelSlope/2
	}
	lostC := math.Abs(pt.icBE)*curveBE*mBE*mBE + math.Abs(pt.icBC)*curveBC*mBC*mBC +
		math.Abs(pt.icBE*mBE*mBC)*p.vafInv
	lostB := pt.ibBE*curveBE*mBE*mBE + pt.ibBC*curveBC*mBC*mBC
	if d.hasRB {
		lostB += math.Abs(pt.gxBE*mBE+pt.gxBC*mBC) * max(math.Abs(mBE), math.Abs(mBC))
	}
	cross := mBC*mBC*storeBC + math.Abs(mBE*mBC)*2*storeBE
	lostE := lostC + lostB + l.A0*(pt.cbe*storeBE*mBE*mBE+math.Abs(pt.cbeBC)*cross)
	lostC += l.A0 * pt.cbc * storeBC * mBC * mBC
	return l.withinRowTol(lostC, d.ci, d.bi) && l.withinRowTol(lostE, d.bi, d.ei)
}

// Bypass updates the charges along their tangents. It returns false if the transistor must be
// evaluated, which excess phase always requires.
func (d *bipolar) Bypass(l *Load) bool {
	x, sg, t, pt := l.X, d.sign, &d.temp, &d.tangent
	vbe := sg * (x[d.bi] - x[d.ei])
	vbc := sg * (x[d.bi] - x[d.ci])
	if d.delay > 0 || !d.canBypass(l, vbe, vbc) || t.iss > 0 && !d.bypassSubstrate(l) {
		return false
	}
	mBE, mBC := vbe-d.tangentVBE, vbc-d.tangentVBC
	if d.qbx >= 0 && !d.collectorChargeTangent.bypass(l, d.qbx, &t.bx, sg*(x[d.baseNode]-x[d.ci]),
		d.baseNode, d.ci) {
		return false
	}
	if d.qcs >= 0 && !d.substrateChargeTangent.bypass(l, d.qcs, &t.cs,
		d.substrateVoltage(x), d.substrate, d.substrateTo) {
		return false
	}
	if d.epitaxial != nil && !d.bypassEpitaxial(l, vbc) {
		return false
	}
	if d.qbe >= 0 {
		l.Charge(d.qbe, pt.qbe+pt.cbe*mBE+pt.cbeBC*mBC, pt.cbe)
	}
	if d.qbc >= 0 {
		l.Charge(d.qbc, pt.qbc+pt.cbc*mBC, pt.cbc)
	}
	l.State[d.vbe], l.State[d.vbc] = vbe, vbc
	return true
}

// bypassSubstrate reports whether the last tangent of the substrate current is accurate within
// RowTol at l.X.
func (d *bipolar) bypassSubstrate(l *Load) bool {
	v, t := d.substrateVoltage(l.X), &d.substrateTangent
	lost := tangentError(t.v, v-t.v, t.g, d.temp.iss, d.temp.nsVt)
	if !l.withinRowTol(lost, d.substrate, d.substrateTo) {
		return false
	}
	l.State[d.vsub] = v
	return true
}
