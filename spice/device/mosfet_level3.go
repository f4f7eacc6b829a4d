package device

import "math"

// mosfetLevel3 is the semi-empirical channel of SPICE3 level 3 (A. Vladimirescu and S. Liu, The
// Simulation of MOS Integrated Circuits Using SPICE2, UCB/ERL M80/7, 1980). It models short- and
// narrow-channel effects, static feedback, mobility degradation, velocity saturation and
// subthreshold current.
type mosfetLevel3 struct {
	mosfetTemp
	delta, eta, theta, kappa float64 // units: none, none, [1/V], none
	xj, vmax, nfs            float64 // units: [m], [m/s], [1/cm²]
	wd, xl, xw, delvto       float64 // units: [m], [m], [m], [V]
	depletionWidth           float64 // depletion width divided by the root of the voltage [m/√V]
	alpha                    float64 // square of depletionWidth [m²/V]
	narrow                   float64 // narrow-channel factor
	feedback                 float64 // static feedback coefficient [V/V]
	surfaceStates            float64 // q·nfs/cox
}

func (d *mosfetLevel3) params(shared *mosfetModel) []modelParam {
	return append(shared.chargeParams(), []modelParam{
		{name: "delta", value: &d.delta}, {name: "eta", value: &d.eta},
		{name: "theta", value: &d.theta},
		{name: "kappa", value: &d.kappa, def: 0.2}, {name: "xj", value: &d.xj},
		{name: "vmax", value: &d.vmax},
		{name: "nfs", value: &d.nfs},
		{name: "wd", value: &d.wd, min: -1}, {name: "xl", value: &d.xl, min: -1},
		{name: "xw", value: &d.xw, min: -1}, {name: "delvto", value: &d.delvto, min: -1e6},
	}...)
}

func (d *mosfetLevel3) offsets() channelOffsets {
	return channelOffsets{length: d.xl, width: d.xw - 2*d.wd, threshold: d.delvto}
}

func (d *mosfetLevel3) setTemperature(t mosfetTemp) {
	d.mosfetTemp = t
	d.alpha = 0
	if t.nsub > 0 {
		d.alpha = 2 * epsSilicon / (charge * t.nsub)
	}
	d.depletionWidth = math.Sqrt(d.alpha)
	d.narrow = d.delta * math.Pi / 2 * epsSilicon / t.cox / t.w
	d.feedback = d.eta * 8.15e-22 / (t.cox * t.l * t.l * t.l)
	d.surfaceStates = charge * d.nfs * 1e4 / t.cox
}

// shortChannel returns the factor on the bulk charge of a channel between cylindrical junctions (L.
// M. Dang, IEEE J. Solid-State Circuits 14, 1979). root is bulkRoot and ld the lateral diffusion
// [m].
func (d *mosfetLevel3) shortChannel(root dual, ld float64) dual {
	if d.xj == 0 || d.depletionWidth == 0 {
		return dual{v: 1}
	}
	wp := root.scale(d.depletionWidth / d.xj)
	wc := wp.mul(wp).scale(-0.01110777).add(wp.scale(0.8013292)).plus(0.0631353 + ld/d.xj)
	c := wp.div(wp.plus(1))
	edge := c.mul(c).scale(-1).plus(1).sqrt()
	return wc.mul(edge).plus(-ld / d.xj).scale(-d.xj / d.l).plus(1)
}

func (d *mosfetLevel3) at(vgs, vds, vbs float64) (dual, float64, float64) {
	g, x, b := dualOf(0, vgs), dualOf(1, vds), dualOf(2, vbs)
	root := d.bulkRoot(b)
	gamma := d.shortChannel(root, d.ld).scale(d.gamma)
	body := gamma.div(root).scale(0.25).plus(d.narrow)
	bulkCharge := gamma.mul(root).add(root.mul(root).scale(d.narrow))
	vth := bulkCharge.sub(x.scale(d.feedback)).plus(d.vbi)
	von, n := vth, dual{v: 1}
	if d.nfs > 0 {
		n = bulkCharge.div(root.mul(root)).scale(0.5).plus(1 + d.surfaceStates)
		von = vth.add(n.scale(d.vt))
	} else if vgs <= vth.v {
		return dual{}, vth.v, 0
	}
	over := g.max(von).sub(vth)
	field := over.scale(d.theta).plus(1)
	unity := body.plus(1)
	vdsat := over.div(unity)
	var critical dual // voltage [V] at which the carriers reach vmax
	if d.vmax > 0 {
		critical = field.scale(d.l * d.vmax / d.mobility)
		vdsat = vdsat.add(critical).sub(vdsat.mul(vdsat).add(critical.mul(critical)).sqrt())
	}
	across := x.min(vdsat)
	id := over.sub(unity.mul(across).scale(0.5)).mul(across).div(field).scale(d.beta)
	drift := dual{v: 1}
	if d.vmax > 0 {
		drift = across.div(critical).plus(1).inv()
		id = id.mul(drift)
	}
	id = id.div(d.shortening(x, vdsat, id, drift, critical).scale(-1 / d.l).plus(1))
	if vgs < von.v {
		id = id.mul(g.sub(von).div(n).scale(1 / d.vt).exp())
	}
	return id, von.v, vdsat.v
}

// shortening returns the channel-length modulation [m], by which the channel is shorter than the
// effective length.
func (d *mosfetLevel3) shortening(vds, vdsat, id, drift, critical dual) dual {
	spread := d.kappa * d.alpha
	var dl dual
	switch {
	case spread == 0 || vdsat.v <= 0 || vds.v <= vdsat.v && d.vmax > 0:
		return dual{}
	case vds.v <= vdsat.v:
		r := vds.div(vdsat)
		r = r.mul(r)
		dl = vdsat.scale(spread / 8).sqrt().mul(r.mul(r))
	case d.vmax <= 0:
		dl = vds.sub(vdsat.scale(7.0 / 8)).scale(spread).sqrt()
	default:
		slope := id.mul(drift.scale(-1).plus(1)).div(critical).max(dual{v: 1e-12})
		half := id.div(slope).scale(d.kappa * d.alpha / (2 * d.l))
		dl = half.mul(half).add(vds.sub(vdsat).scale(spread)).sqrt().sub(half)
	}
	if dl.v > d.l/2 { // punch-through
		dl = dl.inv().scale(-d.l * d.l / 4).plus(d.l)
	}
	return dl
}
