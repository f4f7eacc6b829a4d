package device

import (
	"math"
	"math/cmplx"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// bipolar is Qname collector base emitter [substrate] model [area]: the Gummel-Poon
// transistor of SPICE2G.6 and SPICE3 (Gummel and Poon, BSTJ 49, 1970).
type bipolar struct {
	// What every iteration reads stands together, for the sake of the processor's cache.
	sign                   float64 // +1 npn, -1 pnp: multiplies every voltage and current
	ci, bi, ei             int     // inside of the series resistances
	vbe, vbc               int     // states
	qbe, qbc               int     // states of the charges; -1: there is none
	qbx, qcs               int
	qpt                    [2]int  // states of the excess phase, where delay is above 0
	delay                  float64 // of the forward current by excess phase, s
	entries                nodalEntries3
	hasRB                  bool
	tangentValid           bool
	tangentVBE             float64
	tangentVBC             float64
	tangent                bipolarPoint // evaluated at lastBE, lastBC
	baseNode, substrate    int          // terminals: base, substrate
	baseResistor           pair
	baseSlopes             [2][3]mna.Slot // slopes of the base current: rows b, bi; columns ci, bi, xi
	collectorChargeTangent chargeTangent  // of the outer collector charge
	substrateChargeTangent chargeTangent  // of the substrate charge
	outerCollectorCap      pair           // base to internal collector, the outer part of cjc
	substrateEntries       pair
	substrateTo            int // where the substrate junction ends inside
	temp                   bipolarTemp
	model                  bipolarModel
	flickerNoise           flickerModel

	e                                  *netlist.Element
	area                               float64
	collector, emitter                 int  // terminals: collector, emitter
	collectorResistor, emitterResistor pair // collector and emitter resistance
}

// bipolarModel are the parameters of the .model card (SPICE3 manual, BJT table).
type bipolarModel struct {
	is, bf, nf, vaf, ikf, ise, ne          float64
	br, nr, vr, ikr, isc, nc               float64
	rb, irb, rbm, re, rc                   float64
	cje, vje, mje, tf, xtf, vtf, itf       float64
	cjc, vjc, mjc, xcjc, tr, cjs, vjs, mjs float64
	ptf                                    float64
	xtb, eg, xti, fc, subs                 float64
	vafInv, varInv, ikfInv, ikrInv, vtfInv float64
}

// bipolarTemp is the model at temperature, with the area.
type bipolarTemp struct {
	vt, is, bf, br, ise, isc float64
	critical                 float64
	be, bc, bx, cs           depletion
	ikfInv, ikrInv, irb, itf float64
	rbm, rbSpan, gc, ge      float64
	nfVt, nrVt, neVt, ncVt   float64
}

func newBipolar(m *cardReader) Device {
	d := &bipolar{e: m.e, area: m.areaFactor(), sign: 1}
	switch t := m.e.Model.Type; t {
	case "npn":
	case "pnp":
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type npn or pnp, but %s is of type %s", m.e.Name, m.e.Model.Name, t)
		return d
	}
	p := &d.model
	lateral := 1.0
	if d.sign < 0 {
		lateral = -1
	}
	var level float64
	given := m.model(append([]modelParam{
		{name: "is", value: &p.is, def: 1e-16},
		{name: "bf", value: &p.bf, def: 100, above: true},
		{name: "nf", value: &p.nf, def: 1, above: true},
		{name: "vaf", value: &p.vaf}, {name: "va", value: &p.vaf},
		{name: "ikf", value: &p.ikf}, {name: "ik", value: &p.ikf},
		{name: "ise", value: &p.ise},
		{name: "ne", value: &p.ne, def: 1.5, above: true},
		{name: "br", value: &p.br, def: 1, above: true},
		{name: "nr", value: &p.nr, def: 1, above: true},
		{name: "var", value: &p.vr}, {name: "vb", value: &p.vr},
		{name: "ikr", value: &p.ikr},
		{name: "isc", value: &p.isc},
		{name: "nc", value: &p.nc, def: 2, above: true},
		{name: "rb", value: &p.rb}, {name: "irb", value: &p.irb}, {name: "rbm", value: &p.rbm},
		{name: "re", value: &p.re}, {name: "rc", value: &p.rc},
		{name: "cje", value: &p.cje}, {name: "vje", value: &p.vje, def: 0.75, above: true}, {name: "mje", value: &p.mje, def: 0.33},
		// SPICE2's names of the junction parameters.
		{name: "pe", value: &p.vje, def: 0.75, above: true}, {name: "me", value: &p.mje, def: 0.33},
		{name: "pc", value: &p.vjc, def: 0.75, above: true}, {name: "mc", value: &p.mjc, def: 0.33},
		{name: "ps", value: &p.vjs, def: 0.75, above: true}, {name: "ms", value: &p.mjs},
		{name: "tf", value: &p.tf}, {name: "xtf", value: &p.xtf}, {name: "vtf", value: &p.vtf}, {name: "itf", value: &p.itf}, {name: "ptf", value: &p.ptf},
		{name: "cjc", value: &p.cjc}, {name: "vjc", value: &p.vjc, def: 0.75, above: true}, {name: "mjc", value: &p.mjc, def: 0.33},
		{name: "xcjc", value: &p.xcjc, def: 1}, {name: "tr", value: &p.tr},
		{name: "cjs", value: &p.cjs}, {name: "ccs", value: &p.cjs}, {name: "vjs", value: &p.vjs, def: 0.75, above: true}, {name: "mjs", value: &p.mjs},
		{name: "xtb", value: &p.xtb, min: -100}, {name: "eg", value: &p.eg, def: 1.11, min: 0.1},
		{name: "xti", value: &p.xti, def: 3, min: -100}, {name: "fc", value: &p.fc, def: 0.5},
		{name: "subs", value: &p.subs, def: lateral, min: -1},
		{name: "level", value: &level, def: 1},
	}, d.flickerNoise.params()...))
	if level != 1 {
		m.fail(diag.NotAvailable, "not yet supported: model %s of level %g; only level 1 is", m.e.Model.Name, level)
	}
	if !given["rbm"] {
		p.rbm = p.rb
	}
	d.delay = p.ptf * math.Pi / 180 * p.tf
	for _, g := range [...]*float64{&p.mje, &p.mjc, &p.mjs} {
		if *g > 0.95 {
			m.warn(m.e.Model.Line, "model %s: a grading coefficient of %g is limited to 0.95", m.e.Model.Name, *g)
			*g = 0.95
		}
	}
	m.limit("fc", &p.fc, 0.9999)
	if p.xcjc > 1 {
		m.fail(diag.BadValue, "model %s: xcjc must lie from 0 to 1, not %g", m.e.Model.Name, p.xcjc)
	}
	p.vafInv, p.varInv = inverse(p.vaf), inverse(p.vr)
	p.ikfInv, p.ikrInv = inverse(p.ikf), inverse(p.ikr)
	p.vtfInv = inverse(p.vtf) / 1.44
	return d
}

// inverse is 1/x; 0 stands for infinity both ways, as SPICE has it.
func inverse(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}

func (d *bipolar) Element() *netlist.Element { return d.e }
func (d *bipolar) Nonlinear() bool           { return true }

func (d *bipolar) Setup(s *Setup) {
	n, p := d.e.Nodes, &d.model
	d.collector, d.baseNode, d.emitter = s.Node(n[0]), s.Node(n[1]), s.Node(n[2])
	if len(n) > 3 {
		d.substrate = s.Node(n[3])
	}
	d.ci, d.bi, d.ei = d.collector, d.baseNode, d.emitter
	if p.rc > 0 {
		d.ci = s.Internal(d.e, "collector", d.collector)
		d.collectorResistor = newPair(s.Pattern, d.collector, d.ci)
	}
	if d.hasRB = p.rb > 0; d.hasRB {
		d.bi = s.Internal(d.e, "base", d.baseNode)
	}
	if p.re > 0 {
		d.ei = s.Internal(d.e, "emitter", d.emitter)
		d.emitterResistor = newPair(s.Pattern, d.emitter, d.ei)
	}
	in := [3]int{d.ci, d.bi, d.ei}
	d.entries = newNodalEntries3(s.Pattern, in)
	if d.hasRB {
		d.baseResistor = newPair(s.Pattern, d.baseNode, d.bi)
		for j, col := range in {
			d.baseSlopes[0][j] = s.Pattern.Slot(d.baseNode, col)
			d.baseSlopes[1][j] = s.Pattern.Slot(d.bi, col)
		}
	}
	d.vbe = s.State(2)
	d.vbc = d.vbe + 1
	d.qbe, d.qbc, d.qbx, d.qcs = -1, -1, -1, -1
	if p.cje > 0 || p.tf > 0 {
		d.qbe = s.Charge()
	}
	if p.cjc*p.xcjc > 0 || p.tr > 0 {
		d.qbc = s.Charge()
	}
	if p.cjc*(1-p.xcjc) > 0 {
		d.qbx = s.Charge()
		d.outerCollectorCap = newPair(s.Pattern, d.baseNode, d.ci)
	}
	d.substrateTo = d.ci
	if p.subs < 0 {
		d.substrateTo = d.bi
	}
	d.substrateEntries = newPair(s.Pattern, d.substrate, d.substrateTo)
	if p.cjs > 0 {
		d.qcs = s.Charge()
	}
	if d.delay > 0 {
		d.qpt = [2]int{s.Charge(), s.Charge()}
	}
}

func (d *bipolar) Terminals() Terminals {
	t := Terminals{Conducts: [][2]int{{d.collector, d.ci}, {d.baseNode, d.bi}, {d.emitter, d.ei}, {d.bi, d.ei}, {d.bi, d.ci}}}
	if len(d.e.Nodes) > 3 {
		t.Couples = [][2]int{{d.substrate, d.ci}}
	}
	return t
}

func (d *bipolar) Temperature(e Env) {
	d.tangentValid, d.collectorChargeTangent.valid, d.substrateChargeTangent.valid = false, false, false
	p, t := &d.model, &d.temp
	t.vt = kOverQ * e.Temp
	lr := math.Log(e.Temp / e.Tnom)
	fl := (e.Temp/e.Tnom-1)*p.eg/t.vt + p.xti*lr
	bfac := math.Exp(lr * p.xtb)
	t.is = clampSaturation(p.is*math.Exp(fl)*d.area, 1e100)
	t.bf, t.br = p.bf*bfac, p.br*bfac
	t.ise = p.ise * math.Exp(fl/p.ne) / bfac * d.area
	t.isc = p.isc * math.Exp(fl/p.nc) / bfac * d.area
	t.critical = criticalVoltage(t.vt, t.is)
	t.nfVt, t.nrVt, t.neVt, t.ncVt = p.nf*t.vt, p.nr*t.vt, p.ne*t.vt, p.nc*t.vt
	t.ikfInv, t.ikrInv = p.ikfInv/d.area, p.ikrInv/d.area
	t.irb, t.itf = p.irb*d.area, p.itf*d.area
	t.rbm, t.rbSpan = p.rbm/d.area, (p.rb-p.rbm)/d.area
	t.gc, t.ge = d.area*inverse(p.rc), d.area*inverse(p.re)
	c, v := atTemperature(e, p.cje*d.area, p.vje, p.mje)
	t.be = newDepletion(max(c, 0), max(v, 0.05), p.mje, p.fc)
	c, v = atTemperature(e, p.cjc*d.area, p.vjc, p.mjc)
	c, v = max(c, 0), max(v, 0.05)
	t.bc = newDepletion(c*p.xcjc, v, p.mjc, p.fc)
	t.bx = newDepletion(c*(1-p.xcjc), v, p.mjc, p.fc)
	c, v = atTemperature(e, p.cjs*d.area, p.vjs, p.mjs)
	t.cs = newDepletion(max(c, 0), max(v, 0.05), p.mjs, 0)
}

// bipolarPoint is the transistor at one pair of junction voltages. Currents into
// collector and base with their slopes, base conductance, charges.
type bipolarPoint struct {
	ic, icBE, icBC  float64
	ib, ibBE, ibBC  float64
	gx, gxBE, gxBC  float64 // base conductance, S, and its slopes
	qbe, cbe, cbeBC float64 // cbeBC is dqbe/dvbc
	qbc, cbc        float64
	fw, fwBE, fwBC  float64 // the forward part of ic, which excess phase delays
}

// evaluate evaluates the model; gmin stands across both junctions.
func (d *bipolar) evaluate(vbe, vbc, gmin float64, pt *bipolarPoint) {
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

	// Normalised base charge qb with its slopes.
	q1 := 1 / (1 - p.vafInv*vbc - p.varInv*vbe)
	if !(q1 > 0) || q1 > 1e6 { // beyond the Early voltage the model has no meaning
		q1 = 1e6
	}
	qb, qbBE, qbBC := q1, q1*q1*p.varInv, q1*q1*p.vafInv
	if t.ikfInv != 0 || t.ikrInv != 0 {
		q2 := t.ikfInv*ibe + t.ikrInv*ibc
		root := math.Sqrt(max(0, 1+4*q2))
		qb = q1 * (1 + root) / 2
		if root == 0 {
			root = 1
		}
		qbBE = q1 * (qb*p.varInv + t.ikfInv*gbe/root)
		qbBC = q1 * (qb*p.vafInv + t.ikrInv*gbc/root)
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
	d.charges(pt, vbe, vbc, ibe, gbe, ibc, gbc, qb, qbBE, qbBC)
}

func (d *bipolar) baseConductance(pt *bipolarPoint, qb, qbBE, qbBC float64) {
	t := &d.temp
	if t.irb > 0 {
		a := max(pt.ib/t.irb, 1e-9)
		z := (math.Sqrt(1+14.59025*a) - 1) / 2.4317 / math.Sqrt(a)
		tz := math.Tan(z)
		pt.gx = inverse(t.rbm + 3*t.rbSpan*(tz-z)/z/tz/tz)
		pt.gxBE, pt.gxBC = 0, 0 // Newton does without these slopes
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
				k *= math.Exp(min(vbc*p.vtfInv, maxExponent))
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
}

func (d *bipolar) Load(l *Load) {
	x, sg := l.X, d.sign
	vbe := sg * (x[d.bi] - x[d.ei])
	vbc := sg * (x[d.bi] - x[d.ci])
	if l.InitJunctions {
		vbe, vbc = d.temp.critical, 0
		l.Limited = true
	} else if math.Abs(vbe-l.State[d.vbe]) >= d.temp.vt || math.Abs(vbc-l.State[d.vbc]) >= d.temp.vt {
		// No rule of limitJunction touches smaller steps.
		var c1, c2 bool
		vbe, c1 = limitJunction(vbe, l.State[d.vbe], d.temp.vt, d.temp.critical)
		vbc, c2 = limitJunction(vbc, l.State[d.vbc], d.temp.vt, d.temp.critical)
		if c1 || c2 {
			l.Limited = true
		}
	}
	l.State[d.vbe], l.State[d.vbc] = vbe, vbc
	if !d.tangentValid || l.A0 == 0 || math.Abs(vbe-d.tangentVBE) >= bypassTolExp || math.Abs(vbc-d.tangentVBC) >= bypassTolExp {
		d.evaluate(vbe, vbc, l.Gmin, &d.tangent)
		d.tangentVBE, d.tangentVBC, d.tangentValid = vbe, vbc, true
	}
	pt := &d.tangent
	mBE, mBC := vbe-d.tangentVBE, vbc-d.tangentVBC

	// Currents into collector and base with their slopes. The emitter gives what the other two
	// take.
	ic, icBE, icBC := pt.ic+(pt.icBE*mBE+pt.icBC*mBC), pt.icBE, pt.icBC
	if d.delay > 0 {
		late, part := d.excessPhase(l, pt.fw+(pt.fwBE*mBE+pt.fwBC*mBC))
		ic, icBE, icBC = ic+late, icBE+(part-1)*pt.fwBE, icBC+(part-1)*pt.fwBC
	}
	ib, ibBE, ibBC := pt.ib+(pt.ibBE*mBE+pt.ibBC*mBC), pt.ibBE, pt.ibBC
	ie, ieBE, ieBC := -ic-ib, -icBE-ibBE, -icBC-ibBC
	if d.qbe >= 0 {
		i, g := l.Charge(d.qbe, pt.qbe+(pt.cbe*mBE+pt.cbeBC*mBC), pt.cbe)
		gx := l.A0 * pt.cbeBC
		ib, ibBE, ibBC = ib+i, ibBE+g, ibBC+gx
		ie, ieBE, ieBC = ie-i, ieBE-g, ieBC-gx
	}
	if d.qbc >= 0 {
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
	if d.qbx >= 0 {
		v := sg * (x[d.baseNode] - x[d.ci])
		i, g := d.collectorChargeTangent.load(l, d.qbx, &d.temp.bx, v)
		d.outerCollectorCap.add(l.A, g)
		r := sg * (g*v - i)
		l.B[d.baseNode] += r
		l.B[d.ci] -= r
	}
	d.substrateEntries.add(l.A, l.Gmin) // across the substrate junction too, as ngspice
	if d.qcs >= 0 {
		v := sg * d.model.subs * (x[d.substrate] - x[d.substrateTo])
		i, g := d.substrateChargeTangent.load(l, d.qcs, &d.temp.cs, v)
		d.substrateEntries.add(l.A, g)
		r := sg * d.model.subs * (g*v - i)
		l.B[d.substrate] += r
		l.B[d.substrateTo] -= r
	}
}

// excessPhase returns the change of the collector current by excess phase: the forward current goes
// through 3/(3 + 3·s·td + (s·td)²), Weil's approximation of the delay td (P. B. Weil and
// L. P. McNamee, IEEE Trans. CAS-25, 1978; SPICE3 bjtload). part is the slope of the delayed current.
func (d *bipolar) excessPhase(l *Load, forward float64) (late, part float64) {
	// With y the delayed current and w = td·dy/dt: td·dw/dt = 3·(forward - y - w).
	a := l.A0 * d.delay
	hy, hw := l.history(d.qpt[0]), l.history(d.qpt[1])
	part = 3 / (a*a + 3*a + 3)
	y := part * (forward - (hy*(a+3)+hw)/3)
	w, _ := l.Charge(d.qpt[0], d.delay*y, 0)
	l.Charge(d.qpt[1], d.delay*w, 0)
	return y - forward, part
}

// LoadLinear adds the resistances of collector and emitter.
func (d *bipolar) LoadLinear(l *Load) {
	if d.model.rc > 0 {
		d.collectorResistor.add(l.A, d.temp.gc)
	}
	if d.model.re > 0 {
		d.emitterResistor.add(l.A, d.temp.ge)
	}
}

// loadBase stamps the base resistance, whose conductance follows the base charge.
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
	if d.model.rc > 0 {
		d.collectorResistor.addAC(l.A, complex(d.temp.gc, 0))
	}
	if d.model.re > 0 {
		d.emitterResistor.addAC(l.A, complex(d.temp.ge, 0))
	}
	if d.hasRB {
		d.baseResistor.addAC(l.A, complex(pt.gx, 0)) // without its slopes, as SPICE3
	}
	if d.qbx >= 0 {
		_, c := d.temp.bx.at(sg * (x[d.baseNode] - x[d.ci]))
		d.outerCollectorCap.addAC(l.A, complex(0, w*c))
	}
	d.substrateEntries.addAC(l.A, complex(l.Gmin, 0))
	if d.qcs >= 0 {
		_, c := d.temp.cs.at(sg * d.model.subs * (x[d.substrate] - x[d.substrateTo]))
		d.substrateEntries.addAC(l.A, complex(0, w*c))
	}
}

// Report names the region by the signs of the junction voltages; a junction counts as
// forward above half its critical voltage.
func (d *bipolar) Report(l *Load) (string, []Quantity) {
	x, sg := l.X, d.sign
	vbe := sg * (x[d.bi] - x[d.ei])
	vbc := sg * (x[d.bi] - x[d.ci])
	var pt bipolarPoint
	d.evaluate(vbe, vbc, l.Gmin, &pt)
	on := d.temp.critical / 2
	region := "cutoff"
	switch {
	case vbe > on && vbc > on:
		region = "saturation"
	case vbe > on:
		region = "active"
	case vbc > on:
		region = "reverse"
	}
	q := []Quantity{
		{"vbe", "V", x[d.baseNode] - x[d.emitter]}, {"vce", "V", x[d.collector] - x[d.emitter]},
		{"ic", "A", sg * pt.ic}, {"ib", "A", sg * pt.ib}, {"gm", "S", pt.icBE},
		{"power_w", "W", (x[d.collector]-x[d.emitter])*sg*pt.ic + (x[d.baseNode]-x[d.emitter])*sg*pt.ib},
	}
	if pt.ib != 0 && region == "active" {
		q = append(q, Quantity{"beta", "", pt.ic / pt.ib})
	}
	return region, q
}
