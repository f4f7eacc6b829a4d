package device

import "math"

// bipolarModel holds the parameters of the .model card (SPICE3 manual, BJT table) and the
// reciprocals of some of them.
type bipolarModel struct {
	is, bf, nf, vaf, ikf, ise, ne          float64
	br, nr, vr, ikr, isc, nc, nk           float64
	rb, irb, rbm, re, rc                   float64
	cje, vje, mje, tf, xtf, vtf, itf       float64
	cjc, vjc, mjc, xcjc, tr, cjs, vjs, mjs float64
	ptf                                    float64
	xtb, eg, xti, fc, subs                 float64
	iss, ns                                float64
	trb, trm, trc, tre                     [2]float64 // linear [1/K] and quadratic [1/K²]
	vafInv, varInv, ikfInv, ikrInv, vtfInv float64
	flickerNoise                           flickerModel
}

// params appends the descriptions of the card parameters to list. subs is the default of SUBS.
func (m *bipolarModel) params(list []modelParam, subs float64) []modelParam {
	return m.flickerNoise.params(append(list, []modelParam{
		{name: "is", value: &m.is, def: 1e-16},
		{name: "bf", value: &m.bf, def: 100, above: true},
		{name: "nf", value: &m.nf, def: 1, above: true},
		{name: "vaf", value: &m.vaf}, {name: "va", value: &m.vaf},
		{name: "ikf", value: &m.ikf}, {name: "ik", value: &m.ikf},
		{name: "ise", value: &m.ise},
		{name: "ne", value: &m.ne, def: 1.5, above: true},
		{name: "br", value: &m.br, def: 1, above: true},
		{name: "nr", value: &m.nr, def: 1, above: true},
		{name: "var", value: &m.vr}, {name: "vb", value: &m.vr},
		{name: "ikr", value: &m.ikr},
		{name: "nk", value: &m.nk, def: 0.5}, {name: "nkf", value: &m.nk, def: 0.5},
		{name: "isc", value: &m.isc},
		{name: "nc", value: &m.nc, def: 2, above: true},
		{name: "rb", value: &m.rb}, {name: "irb", value: &m.irb}, {name: "rbm", value: &m.rbm},
		{name: "re", value: &m.re}, {name: "rc", value: &m.rc},
		{name: "cje", value: &m.cje}, {name: "vje", value: &m.vje, def: 0.75, above: true},
		{name: "mje", value: &m.mje, def: 0.33},
		// These are the SPICE2 names of the junction parameters.
		{name: "pe", value: &m.vje, def: 0.75, above: true}, {name: "me", value: &m.mje, def: 0.33},
		{name: "pc", value: &m.vjc, def: 0.75, above: true}, {name: "mc", value: &m.mjc, def: 0.33},
		{name: "ps", value: &m.vjs, def: 0.75, above: true}, {name: "ms", value: &m.mjs},
		{name: "tf", value: &m.tf}, {name: "xtf", value: &m.xtf}, {name: "vtf", value: &m.vtf},
		{name: "itf", value: &m.itf}, {name: "ptf", value: &m.ptf},
		{name: "cjc", value: &m.cjc}, {name: "vjc", value: &m.vjc, def: 0.75, above: true},
		{name: "mjc", value: &m.mjc, def: 0.33},
		{name: "xcjc", value: &m.xcjc, def: 1}, {name: "tr", value: &m.tr},
		{name: "cjs", value: &m.cjs}, {name: "ccs", value: &m.cjs},
		{name: "vjs", value: &m.vjs, def: 0.75, above: true}, {name: "mjs", value: &m.mjs},
		{name: "xtb", value: &m.xtb, min: -100}, {name: "eg", value: &m.eg, def: 1.11},
		{name: "xti", value: &m.xti, def: 3, min: -100}, {name: "fc", value: &m.fc, def: 0.5},
		{name: "iss", value: &m.iss}, {name: "ns", value: &m.ns, def: 1, above: true},
		{name: "subs", value: &m.subs, def: subs, min: -1},
		{name: "trb1", value: &m.trb[0], min: -1}, {name: "trb2", value: &m.trb[1], min: -1},
		{name: "trm1", value: &m.trm[0], min: -1}, {name: "trm2", value: &m.trm[1], min: -1},
		{name: "trc1", value: &m.trc[0], min: -1}, {name: "trc2", value: &m.trc[1], min: -1},
		{name: "tre1", value: &m.tre[0], min: -1}, {name: "tre2", value: &m.tre[1], min: -1},
	}...))
}

// bipolarTemp holds the model quantities at the circuit temperature. Currents, conductances and
// capacitances are scaled by the area.
type bipolarTemp struct {
	vt, is, bf, br, ise, isc float64
	critical                 float64
	be, bc, bx, cs           depletion
	ikfInv, ikrInv, irb, itf float64
	rbm, rbSpan, gc, ge      float64
	nfVt, nrVt, neVt, ncVt   float64
	iss, nsVt, substrateCrit float64 // of the substrate junction: [A], [V], critical voltage [V]
}

func (d *bipolar) Temperature(e Env) {
	d.tangentValid, d.collectorChargeTangent.valid, d.substrateChargeTangent.valid = false,
		false, false
	if d.epitaxial != nil {
		d.epitaxial.temperature(e, d.area)
	}
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
	t.iss, t.nsVt = 0, p.ns*t.vt
	if p.iss > 0 { // as in ngspice 39, NS does not affect the change with the temperature
		t.iss = clampSaturation(p.iss*math.Exp(fl)*d.area, 1e100)
		t.substrateCrit = criticalVoltage(t.nsVt, t.iss)
	}
	t.nfVt, t.nrVt, t.neVt, t.ncVt = p.nf*t.vt, p.nr*t.vt, p.ne*t.vt, p.nc*t.vt
	t.ikfInv, t.ikrInv = p.ikfInv/d.area, p.ikrInv/d.area
	t.irb, t.itf = p.irb*d.area, p.itf*d.area
	warmer := e.Temp - e.Tnom
	at := func(ohms float64, tc [2]float64) float64 {
		return d.scale(ohms/d.area, warmer, tc[0], tc[1])
	}
	d.factorLimit = factorLimit{}
	t.rbm = at(p.rbm, p.trm)
	t.rbSpan = at(p.rb, p.trb) - t.rbm
	t.gc, t.ge = inverse(at(p.rc, p.trc)), inverse(at(p.re, p.tre))
	c, v := atTemperature(e, p.cje*d.area, p.vje, p.mje)
	t.be = newDepletion(c, v, p.mje, p.fc)
	c, v = atTemperature(e, p.cjc*d.area, p.vjc, p.mjc)
	t.bc = newDepletion(c*p.xcjc, v, p.mjc, p.fc)
	t.bx = newDepletion(c*(1-p.xcjc), v, p.mjc, p.fc)
	c, v = atTemperature(e, p.cjs*d.area, p.vjs, p.mjs)
	t.cs = newDepletion(c, v, p.mjs, 0)
}

// inverse returns 1/x, or 0 for x = 0. SPICE represents an infinite voltage or current by 0.
func inverse(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}
