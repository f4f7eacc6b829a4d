package device

import (
	"math"

	"slipstick/spice/diag"
)

// mosfetModel holds the .model parameters that all levels share (MOSFET table of the SPICE3
// manual). Each level adds further parameters in channel.params.
type mosfetModel struct {
	vto, kp, gamma, phi float64 // units: [V], [A/V²], [√V], [V]
	rd, rs, rsh         float64 // units: [ohm], [ohm], [ohm per square]
	cbd, cbs            float64 // bulk junction capacitances [F] at 0 V
	cbdSet, cbsSet      bool    // cbd and cbs are given and replace cj·area
	is, js, pb, fc      float64 // units: [A], [A/m²], [V], none
	cj, mj, cjsw, mjsw  float64 // units: [F/m²], none, [F/m], none
	cgso, cgdo, cgbo    float64 // gate overlap capacitances [F/m]
	tox, nsub, nss, tpg float64 // units: [m], [1/cm³], [1/cm²], none
	ld, uo              float64 // units: [m], [cm²/(V·s)]
	phiSet, vtoSet      bool    // phi and vto are given and do not follow from nsub
	scaledDensity       bool    // the intrinsic density follows the temperature (level 3)
	flickerNoise        flickerModel
}

// params appends the descriptions of the shared card parameters to list.
func (m *mosfetModel) params(list []modelParam) []modelParam {
	return m.flickerNoise.params(append(list, []modelParam{
		{name: "vto", value: &m.vto, min: -1e6}, {name: "vt0", value: &m.vto, min: -1e6},
		{name: "kp", value: &m.kp, def: 2e-5, above: true}, {name: "gamma", value: &m.gamma},
		{name: "phi", value: &m.phi, def: 0.6, above: true},
		{name: "rd", value: &m.rd}, {name: "rs", value: &m.rs}, {name: "cbd", value: &m.cbd},
		{name: "cbs", value: &m.cbs},
		{name: "is", value: &m.is, def: 1e-14}, {name: "pb", value: &m.pb, def: 0.8, above: true},
		{name: "cgso", value: &m.cgso}, {name: "cgdo", value: &m.cgdo},
		{name: "cgbo", value: &m.cgbo},
		{name: "rsh", value: &m.rsh}, {name: "cj", value: &m.cj},
		{name: "mj", value: &m.mj, def: 0.5},
		{name: "cjsw", value: &m.cjsw}, {name: "mjsw", value: &m.mjsw, def: 0.5},
		{name: "js", value: &m.js},
		{name: "tox", value: &m.tox}, {name: "nsub", value: &m.nsub}, {name: "nss", value: &m.nss},
		{name: "tpg", value: &m.tpg, def: 1, min: -1},
		{name: "ld", value: &m.ld, min: -1}, {name: "uo", value: &m.uo, def: 600, above: true},
		{name: "u0", value: &m.uo, def: 600, above: true},
		{name: "fc", value: &m.fc, def: 0.5},
	}...))
}

// chargeParams returns the entries of params that differ for levels with a charge model (SPICE3).
// These levels require an oxide, with a default thickness of 100 nm, and have a different default
// for MJSW.
func (m *mosfetModel) chargeParams() []modelParam {
	return []modelParam{{name: "tox", value: &m.tox, def: 1e-7, above: true},
		{name: "mjsw", value: &m.mjsw, def: 0.33}}
}

const (
	epsOxide         = 3.9 * 8.854214871e-12 // permittivity [F/m]
	epsSilicon       = 11.7 * 8.854214871e-12
	intrinsicDensity = 1.45e16 // intrinsic carrier density of silicon [1/m³] at 300 K
)

// bandGap returns the band gap of silicon [eV] at t [K].
func bandGap(t float64) float64 { return 1.16 - 7.02e-4*t*t/(t+1108) }

// deriveFromProcess computes the electrical parameters that the card omits, except for parameters
// that depend on the temperature. It uses the oxide thickness and the doping (SPICE3 mos1temp).
func (m *mosfetModel) deriveFromProcess(c *cardReader) {
	m.phiSet, m.vtoSet = true, true
	if m.tox <= 0 {
		return
	}
	cox := epsOxide / m.tox
	if !c.given("kp") {
		m.kp = m.uo * 1e-4 * cox
	}
	n := m.nsub * 1e6
	if n == 0 {
		return
	}
	if n <= intrinsicDensity {
		c.fail(diag.BadValue, "model %s: nsub must be above 1.45e10 per cm³", c.e.Model.Name)
		return
	}
	m.phiSet, m.vtoSet = c.given("phi"), c.given("vto") || c.given("vt0")
	if !c.given("gamma") {
		m.gamma = math.Sqrt(2*epsSilicon*charge*n) / cox
	}
}

// deriveAtNominal computes the surface potential and the threshold that the card omits at the
// temperature tnom [K] of the parameters (SPICE3 mos1temp). sign is +1 for nmos and -1 for pmos.
func (m *mosfetModel) deriveAtNominal(tnom, sign float64) {
	vt, gap := kOverQ*tnom, bandGap(tnom)
	if !m.phiSet {
		density := intrinsicDensity
		if m.scaledDensity { // ngspice mos3temp
			density *= math.Pow(tnom/300, 1.5) * math.Exp(0.5*gap*(1.0/300-1/tnom)/kOverQ)
		}
		m.phi = max(0.1, 2*vt*math.Log(m.nsub*1e6/density))
	}
	if !m.vtoSet {
		fermis := sign * 0.5 * m.phi
		work := 3.2
		if m.tpg != 0 {
			work = 3.25 + 0.5*gap - sign*m.tpg*0.5*gap
		}
		wkfngs := work - (3.25 + 0.5*gap + fermis)
		flatBand := wkfngs - m.nss*1e4*charge/(epsOxide/m.tox)
		m.vto = flatBand + sign*(m.gamma*math.Sqrt(m.phi)+m.phi)
	}
}

// mosfetTemp holds the temperature-dependent quantities for the channel of any level. A level
// embeds it and inherits its default methods for the interface channel.
type mosfetTemp struct {
	l, w, ld float64 // effective length, effective width and lateral diffusion [m]
	cox      float64 // oxide capacitance [F/m²]; 0 without TOX
	nsub     float64 // doping [1/m³]; 0 if not given
	mobility float64 // low-field mobility [m²/(V·s)]
	pb       float64 // potential [V] of the bulk junctions
	vt       float64 // kT/q [V]
	beta     float64 // transconductance [A/V²] of all m= transistors
	gamma    float64 // body-effect coefficient [√V]
	phi      float64 // surface potential [V]
	vbi      float64 // threshold [V] without body effect; positive for enhancement mode
	vto      float64 // threshold [V] at zero bias, with the sign of the card
}

// Temperature computes the temperature-dependent quantities of channel, junctions and gate (SPICE3
// mos1temp).
func (d *mosfet) Temperature(e Env) {
	m := &d.model
	m.deriveAtNominal(e.Tnom, d.sign)
	d.tangent.valid = false
	d.vt = kOverQ * e.Temp
	vtnom := kOverQ * e.Tnom
	ratio := e.Temp / e.Tnom
	leff := d.leff()
	po := (m.phi - potentialShift(e.Tnom)) / (e.Tnom / refTemp)
	t := mosfetTemp{vt: d.vt, gamma: m.gamma,
		beta: m.kp / (ratio * math.Sqrt(ratio)) * d.w / leff * d.mult,
		l:    leff, w: d.w, ld: m.ld, nsub: m.nsub * 1e6,
		mobility: m.uo * 1e-4 / (ratio * math.Sqrt(ratio))}
	if m.tox > 0 {
		t.cox = epsOxide / m.tox
	}
	_, t.pb = atTemperature(e, 0, m.pb, m.mj)
	t.phi = max(0.05, e.Temp/refTemp*po+potentialShift(e.Temp))
	vbi := m.vto + d.offsets.threshold - d.sign*m.gamma*math.Sqrt(m.phi) +
		0.5*(bandGap(e.Tnom)-bandGap(e.Temp)) + d.sign*0.5*(t.phi-m.phi)
	t.vbi, t.vto = d.sign*vbi, vbi+d.sign*m.gamma*math.Sqrt(t.phi)
	d.phi, d.vto = t.phi, t.vto
	d.channel.setTemperature(t)
	growth := math.Exp(-bandGap(e.Temp)/d.vt + bandGap(e.Tnom)/vtnom)
	area, edge := [2]float64{d.ad, d.as}, [2]float64{d.pd, d.ps}
	for k := range area {
		d.isat[k] = m.is * growth * d.mult
		if m.js > 0 && d.ad > 0 && d.as > 0 {
			d.isat[k] = m.js * growth * area[k] * d.mult
		}
		d.isat[k] = clampSaturation(d.isat[k], 1e50)
		d.critical[k] = criticalVoltage(d.vt, d.isat[k])
		d.negligibleBelow[k] = d.vt * math.Log(negligibleG*d.vt/d.isat[k])
		c := m.cj * area[k]
		if k == 0 && m.cbdSet {
			c = m.cbd
		} else if k == 1 && m.cbsSet {
			c = m.cbs
		}
		cj, v := atTemperature(e, c*d.mult, m.pb, m.mj)
		cs, _ := atTemperature(e, m.cjsw*edge[k]*d.mult, m.pb, m.mjsw)
		if m.mj == m.mjsw { // both charges have the same voltage dependence
			cj, cs = cj+cs, 0
		}
		d.bottom[k] = newDepletion(cj, v, m.mj, m.fc)
		d.side[k] = newDepletion(cs, v, m.mjsw, m.fc)
	}
	d.overlap = [3]float64{m.cgso * d.w * d.mult, m.cgdo * d.w * d.mult, m.cgbo * leff * d.mult}
	if d.sourceTiedToBulk {
		d.overlap[0] += d.overlap[2]
	}
	d.cox = 0
	if m.tox > 0 {
		d.cox = t.cox * leff * d.w * d.mult
	}
}
