package device

import (
	"math"
	"math/cmplx"
)

func (d *bipolar) Load(l *Load) {
	x, sg := l.X, d.sign
	vbe := sg * (x[d.bi] - x[d.ei])
	vbc := sg * (x[d.bi] - x[d.ci])
	if l.InitJunctions {
		vbe, vbc = d.temp.critical, 0
		l.Limited = true
	} else if math.Abs(vbe-l.State[d.vbe]) >= d.temp.vt ||
		math.Abs(vbc-l.State[d.vbc]) >= d.temp.vt {
		// limitJunction never limits steps below Vt.
		var c1, c2 bool
		vbe, c1 = limitJunction(vbe, l.State[d.vbe], d.temp.vt, d.temp.critical)
		vbc, c2 = limitJunction(vbc, l.State[d.vbc], d.temp.vt, d.temp.critical)
		if c1 || c2 {
			l.Limited = true
		}
	}
	l.State[d.vbe], l.State[d.vbc] = vbe, vbc
	if !d.tangentValid || l.A0 == 0 || math.Abs(vbe-d.tangentVBE) >= bypassTolExp ||
		math.Abs(vbc-d.tangentVBC) >= bypassTolExp {
		d.evaluateParts(vbe, vbc, l.Gmin, &d.tangent, !l.NoCharges)
		d.tangentVBE, d.tangentVBC, d.tangentValid = vbe, vbc, true
	}
	pt := &d.tangent
	mBE, mBC := vbe-d.tangentVBE, vbc-d.tangentVBC

	// Compute the collector and base currents with their derivatives. The emitter current is the
	// negative of their sum.
	ic, icBE, icBC := pt.ic+(pt.icBE*mBE+pt.icBC*mBC), pt.icBE, pt.icBC
	if d.delay > 0 {
		late, part := d.excessPhase(l, pt.fw+(pt.fwBE*mBE+pt.fwBC*mBC))
		ic, icBE, icBC = ic+late, icBE+(part-1)*pt.fwBE, icBC+(part-1)*pt.fwBC
	}
	ib, ibBE, ibBC := pt.ib+(pt.ibBE*mBE+pt.ibBC*mBC), pt.ibBE, pt.ibBC
	ie, ieBE, ieBC := -ic-ib, -icBE-ibBE, -icBC-ibBC
	charges := !l.NoCharges
	if charges && d.qbe >= 0 {
		i, g := l.Charge(d.qbe, pt.qbe+(pt.cbe*mBE+pt.cbeBC*mBC), pt.cbe)
		gx := l.A0 * pt.cbeBC
		ib, ibBE, ibBC = ib+i, ibBE+g, ibBC+gx
		ie, ieBE, ieBC = ie-i, ieBE-g, ieBC-gx
	}
	if charges && d.qbc >= 0 {
		i, g := l.Charge(d.qbc, pt.qbc+pt.cbc*mBC, pt.cbc)
		ib, ibBC = ib+i, ibBC+g
		ic, icBC = ic-i, icBC-g
	}
	a, b := l.A, l.B
	c, e := &d.entries[0], &d.entries[1]
	a[c[0]] -= icBC
	a[c[1]] += icBE + icBC
	a[c[2]] -= icBE
	a[e[0]] -= ibBC
	a[e[1]] += ibBE + ibBC
	a[e[2]] -= ibBE
	b[d.ci] += sg * (icBE*vbe + icBC*vbc - ic)
	b[d.bi] += sg * (ibBE*vbe + ibBC*vbc - ib)
	if d.ei != 0 {
		e = &d.entries[2]
		a[e[0]] -= ieBC
		a[e[1]] += ieBE + ieBC
		a[e[2]] -= ieBE
		b[d.ei] += sg * (ieBE*vbe + ieBC*vbc - ie)
	}
	if d.hasRB {
		d.loadBase(l, pt.gx+pt.gxBE*mBE+pt.gxBC*mBC, vbe, vbc)
	}
	if d.epitaxial != nil {
		d.loadEpitaxial(l, vbc)
	}
	if charges && d.qbx >= 0 {
		v := sg * (x[d.baseNode] - x[d.ci])
		i, g := d.collectorChargeTangent.load(l, d.qbx, &d.temp.bx, v)
		d.outerCollectorCap.add(l.A, g)
		r := sg * (g*v - i)
		l.B[d.baseNode] += r
		l.B[d.ci] -= r
	}
	d.substrateEntries.add(l.A, l.Gmin) // as in ngspice, Gmin also spans the substrate junction
	if d.temp.iss > 0 {
		d.loadSubstrate(l)
	}
	if charges && d.qcs >= 0 {
		v := d.substrateVoltage(x)
		i, g := d.substrateChargeTangent.load(l, d.qcs, &d.temp.cs, v)
		d.substrateEntries.add(l.A, g)
		r := sg * d.model.subs * (g*v - i)
		l.B[d.substrate] += r
		l.B[d.substrateTo] -= r
	}
}

// substrateVoltage returns the voltage [V] in the forward direction of the substrate junction.
func (d *bipolar) substrateVoltage(x []float64) float64 {
	return d.sign * d.model.subs * (x[d.substrate] - x[d.substrateTo])
}

// loadSubstrate adds the current of the substrate junction (ISS and NS of ngspice and PSpice).
func (d *bipolar) loadSubstrate(l *Load) {
	t, v, limited := &d.temp, 0.0, l.InitJunctions
	if !l.InitJunctions {
		v, limited = limitJunction(d.substrateVoltage(l.X), l.State[d.vsub], t.nsVt,
			t.substrateCrit)
	}
	l.Limited = l.Limited || limited
	l.State[d.vsub] = v
	i, g := junctionCurrent(v, t.iss, t.nsVt)
	d.substrateTangent = junctionTangent{v: v, i: i, g: g}
	d.substrateEntries.add(l.A, g)
	r := d.sign * d.model.subs * (g*v - i)
	l.B[d.substrate] += r
	l.B[d.substrateTo] -= r
}

// excessPhase returns the change of the collector current [A] caused by excess phase. Weil's
// approximation of the delay td filters the forward current with 3/(3 + 3·s·td + (s·td)²) (P. B.
// Weil and L. P. McNamee, IEEE Trans. CAS-25, 1978; SPICE3 bjtload). part is the derivative of the
// delayed current with respect to the forward current.
func (d *bipolar) excessPhase(l *Load, forward float64) (late, part float64) {
	// The delayed current y and w = td·dy/dt obey td·dw/dt = 3·(forward - y - w).
	a := l.A0 * d.delay
	hy, hw := l.history(d.qpt[0]), l.history(d.qpt[1])
	part = 3 / (a*a + 3*a + 3)
	y := part * (forward - (hy*(a+3)+hw)/3)
	w, _ := l.Charge(d.qpt[0], d.delay*y, 0)
	l.Charge(d.qpt[1], d.delay*w, 0)
	return y - forward, part
}

// loadBase adds the base resistance. Its conductance gx [S] depends on the base charge. vbe and vbc
// [V] are the junction voltages of the linearization.
func (d *bipolar) loadBase(l *Load, gx, vbe, vbc float64) {
	pt := &d.tangent
	d.baseResistor.add(l.A, gx)
	if pt.gxBE == 0 && pt.gxBC == 0 {
		return
	}
	v := d.sign * (l.X[d.baseNode] - l.X[d.bi])
	be, bc := v*pt.gxBE, v*pt.gxBC
	r := d.sign * (be*vbe + bc*vbc)
	for k, w := range [2]float64{1, -1} {
		s := &d.baseSlopes[k]
		l.A[s[0]] -= w * bc
		l.A[s[1]] += w * (be + bc)
		l.A[s[2]] -= w * be
	}
	l.B[d.baseNode] += r
	l.B[d.bi] -= r
}

func (d *bipolar) LoadAC(l *ACLoad) {
	x, sg := l.X, d.sign
	vbe := sg * (x[d.bi] - x[d.ei])
	vbc := sg * (x[d.bi] - x[d.ci])
	var pt bipolarPoint
	d.evaluate(vbe, vbc, l.Gmin, &pt)
	w := l.Omega
	be := complex(pt.ibBE, w*pt.cbe)
	bc := complex(pt.ibBC, w*(pt.cbeBC+pt.cbc))
	ce := complex(pt.icBE, 0)
	if d.delay > 0 {
		ce = cmplx.Rect(pt.icBE, -w*d.delay)
	}
	cc := complex(pt.icBC, -w*pt.cbc)
	ee := -be - ce
	ec := -complex(pt.ibBC+pt.icBC, w*pt.cbeBC)
	for k, g := range [3][2]complex128{{ce, cc}, {be, bc}, {ee, ec}} {
		s := &d.entries[k]
		l.A[s[0]] -= g[1]
		l.A[s[1]] += g[0] + g[1]
		l.A[s[2]] -= g[0]
	}
	if d.hasRB {
		d.baseResistor.addAC(l.A, complex(pt.gx, 0)) // omits the derivatives of gx, as in SPICE3
	}
	if d.epitaxial != nil {
		d.loadEpitaxialAC(l)
	}
	if d.qbx >= 0 {
		_, c := d.temp.bx.at(sg * (x[d.baseNode] - x[d.ci]))
		d.outerCollectorCap.addAC(l.A, complex(0, w*c))
	}
	d.substrateEntries.addAC(l.A, complex(l.Gmin, 0))
	if d.temp.iss > 0 {
		_, g := junctionCurrent(d.substrateVoltage(x), d.temp.iss, d.temp.nsVt)
		d.substrateEntries.addAC(l.A, complex(g, 0))
	}
	if d.qcs >= 0 {
		_, c := d.temp.cs.at(d.substrateVoltage(x))
		d.substrateEntries.addAC(l.A, complex(0, w*c))
	}
}
