package device

import "math"

// bipolarPoint holds the model evaluated at one pair of junction voltages: collector and base
// currents, base conductance and charges. It includes their derivatives with respect to vbe and
// vbc.
type bipolarPoint struct {
	ic, icBE, icBC  float64
	ib, ibBE, ibBC  float64
	gx, gxBE, gxBC  float64 // base conductance [S] and its derivatives
	qbe, cbe, cbeBC float64 // cbeBC is dqbe/dvbc
	qbc, cbc        float64
	fw, fwBE, fwBC  float64 // forward part of ic [A], to which excess phase applies
}

// evaluate stores the currents and charges at the junction voltages vbe and vbc [V] in pt. gmin [S]
// is connected across both junctions.
func (d *bipolar) evaluate(vbe, vbc, gmin float64, pt *bipolarPoint) {
	d.evaluateParts(vbe, vbc, gmin, pt, true)
}

// evaluateParts is like evaluate but computes the charges only if charges is set.
func (d *bipolar) evaluateParts(vbe, vbc, gmin float64, pt *bipolarPoint, charges bool) {
	p, t := &d.model, &d.temp
	ibe, gbe := junctionCurrent(vbe, t.is, t.nfVt)
	ibc, gbc := junctionCurrent(vbc, t.is, t.nrVt)
	var iben, gben, ibcn, gbcn float64
	if t.ise > 0 {
		iben, gben = junctionCurrent(vbe, t.ise, t.neVt)
	}
	if t.isc > 0 {
		ibcn, gbcn = junctionCurrent(vbc, t.isc, t.ncVt)
	}
	iben, gben = iben+gmin*vbe, gben+gmin
	ibcn, gbcn = ibcn+gmin*vbc, gbcn+gmin

	// Compute the normalized base charge qb and its derivatives.
	q1 := 1 / (1 - p.vafInv*vbc - p.varInv*vbe)
	if !(q1 > 0) || q1 > 1e6 { // q1 has a pole at the Early voltage
		q1 = 1e6
	}
	qb, qbBE, qbBC := q1, q1*q1*p.varInv, q1*q1*p.vafInv
	if t.ikfInv != 0 || t.ikrInv != 0 {
		q2 := t.ikfInv*ibe + t.ikrInv*ibc
		arg := max(0, 1+4*q2)
		root, slope := math.Sqrt(arg), 1.0 // slope is dqb/dq2 divided by q1
		switch {
		case p.nk != 0.5:
			root = math.Pow(arg, p.nk)
			if arg > 0 {
				slope = 2 * p.nk * root / arg
			}
		case root > 0:
			slope = 1 / root
		}
		qb = q1 * (1 + root) / 2
		qbBE = q1 * (qb*p.varInv + t.ikfInv*gbe*slope)
		qbBC = q1 * (qb*p.vafInv + t.ikrInv*gbc*slope)
	}

	transfer := (ibe - ibc) / qb
	pt.ic = transfer - ibc/t.br - ibcn
	pt.icBE = (gbe - transfer*qbBE) / qb
	pt.icBC = (-gbc-transfer*qbBC)/qb - gbc/t.br - gbcn
	pt.fw = ibe / qb
	pt.fwBE, pt.fwBC = (gbe-pt.fw*qbBE)/qb, -pt.fw*qbBC/qb
	pt.ib = ibe/t.bf + iben + ibc/t.br + ibcn
	pt.ibBE = gbe/t.bf + gben
	pt.ibBC = gbc/t.br + gbcn

	if d.hasRB {
		d.baseConductance(pt, qb, qbBE, qbBC)
	}
	if charges {
		d.charges(pt, vbe, vbc, ibe, gbe, ibc, gbc, qb, qbBE, qbBC)
	}
}

func (d *bipolar) baseConductance(pt *bipolarPoint, qb, qbBE, qbBC float64) {
	t := &d.temp
	if t.irb > 0 {
		a := max(pt.ib/t.irb, 1e-9)
		z := (math.Sqrt(1+14.59025*a) - 1) / 2.4317 / math.Sqrt(a)
		tz := math.Tan(z)
		pt.gx = inverse(t.rbm + 3*t.rbSpan*(tz-z)/z/tz/tz)
		pt.gxBE, pt.gxBC = 0, 0 // Newton's method converges without these derivatives
		return
	}
	r := t.rbm + t.rbSpan/qb
	if r <= 0 {
		r = 1e-6
	}
	pt.gx = 1 / r
	s := pt.gx * pt.gx * t.rbSpan / (qb * qb)
	pt.gxBE, pt.gxBC = s*qbBE, s*qbBC
}

func (d *bipolar) charges(pt *bipolarPoint, vbe, vbc, ibe, gbe, ibc, gbc, qb, qbBE, qbBC float64) {
	p, t := &d.model, &d.temp
	pt.cbeBC = 0
	if p.tf > 0 && vbe > 0 {
		var k, k2, k3 float64
		if p.xtf != 0 {
			k = p.xtf
			if p.vtfInv != 0 {
				k *= exp(min(vbc*p.vtfInv, maxExponent))
			}
			k2 = k
			if t.itf != 0 {
				f := ibe / (ibe + t.itf)
				k *= f * f
				k2 = k * (3 - f - f)
			}
			k3 = ibe * k * p.vtfInv
		}
		i := ibe * (1 + k) / qb
		gbe = (gbe*(1+k2) - i*qbBE) / qb
		pt.cbeBC = p.tf * (k3 - i*qbBC) / qb
		ibe = i
	}
	q, c := t.be.at(vbe)
	pt.qbe, pt.cbe = q+p.tf*ibe, c+p.tf*gbe
	q, c = t.bc.at(vbc)
	pt.qbc, pt.cbc = q+p.tr*ibc, c+p.tr*gbc
	if r := d.epitaxial; r != nil {
		above, slope := r.modulation(vbc)
		pt.qbc, pt.cbc = pt.qbc+r.qco*above, pt.cbc+r.qco*slope
	}
}
