package device

import "math"

// mosfetLevel2 is the analytical channel of SPICE3 level 2. The bulk charge varies along the
// channel (J. E. Meyer, RCA Review 32, 1971; A. Vladimirescu and S. Liu, UCB/ERL M80/7, 1980).
type mosfetLevel2 struct {
	mosfetTemp
	lambda                   float64 // channel-length modulation [1/V]; 0 to derive it from doping
	delta, xj, vmax, nfs     float64 // units: none, [m], [m/s], [1/cm²]
	ucrit, uexp, neff        float64 // units: [V/cm], none, none
	depletionWidth           float64 // depletion width divided by the root of the voltage [m/√V]
	narrow                   float64 // narrow-channel factor
	surfaceStates            float64 // q·nfs/cox
	mobilityCritical         float64 // overdrive [V] above which the mobility decreases
	junctionWidth, minLength float64 // length limits [m] for punch-through
}

func (d *mosfetLevel2) params(shared *mosfetModel) []modelParam {
	return append(shared.chargeParams(), []modelParam{
		{name: "lambda", value: &d.lambda}, {name: "delta", value: &d.delta},
		{name: "xj", value: &d.xj},
		{name: "vmax", value: &d.vmax}, {name: "nfs", value: &d.nfs},
		{name: "ucrit", value: &d.ucrit, def: 1e4, above: true},
		{name: "uexp", value: &d.uexp}, {name: "neff", value: &d.neff, def: 1, above: true},
	}...)
}

func (d *mosfetLevel2) setTemperature(t mosfetTemp) {
	d.mosfetTemp = t
	d.depletionWidth, d.minLength = 0, 0.25e-6
	if t.nsub > 0 {
		d.depletionWidth = math.Sqrt(2 * epsSilicon / (charge * t.nsub))
		d.minLength = d.depletionWidth * math.Sqrt(t.pb)
	}
	d.junctionWidth = d.depletionWidth * math.Sqrt(t.pb)
	d.narrow = d.delta * math.Pi / 4 * epsSilicon / (t.cox * t.w)
	d.surfaceStates = charge * d.nfs * 1e4 / t.cox
	d.mobilityCritical = d.ucrit * 100 * epsSilicon / t.cox
}

// rootSlope returns the derivative of root = bulkRoot(vbs) with respect to vbs.
func (d *mosfetLevel2) rootSlope(root, vbs dual) dual {
	if vbs.v <= 0 {
		return root.inv().scale(-0.5)
	}
	return root.mul(root).scale(-0.5 / (d.phi * math.Sqrt(d.phi)))
}

// bodyFactor returns the body-effect coefficient of a short channel and its derivative with respect
// to vbs at constant vds. rs and rd are the bulk roots at source and drain; ds and dd are their
// derivatives.
func (d *mosfetLevel2) bodyFactor(rs, rd, ds, dd dual) (gamma, slope dual) {
	gamma = dual{v: d.gamma}
	if d.xj <= 0 || d.depletionWidth == 0 {
		return gamma, dual{}
	}
	ws := rs.scale(2 * d.depletionWidth / d.xj).plus(1).sqrt()
	wd := rd.scale(2 * d.depletionWidth / d.xj).plus(1).sqrt()
	k := -d.gamma * d.xj / (2 * d.l)
	gamma = ws.add(wd).plus(-2).scale(k).plus(d.gamma)
	return gamma, ds.div(ws).add(dd.div(wd)).scale(-d.gamma * d.depletionWidth / (2 * d.l))
}

func (d *mosfetLevel2) at(vgs, vds, vbs float64) (dual, float64, float64) {
	g, x, b := dualOf(0, vgs), dualOf(1, vds), dualOf(2, vbs)
	source, drain := d.bulkRoot(b), d.bulkRoot(b.sub(x))
	sourceSlope := d.rootSlope(source, b)
	gamma, gammaSlope := d.bodyFactor(source, drain, sourceSlope, d.rootSlope(drain, b.sub(x)))
	surface := b.scale(-1).plus(d.phi) // phi - vbs
	vbin := surface.scale(d.narrow).plus(d.vbi)
	von, n := vbin.add(gamma.mul(source)), dual{v: 1}
	if d.nfs > 0 {
		n = gamma.mul(sourceSlope).add(gammaSlope.mul(source)).scale(-1).plus(1 + d.surfaceStates +
			d.narrow).max(dual{v: 1})
		von = von.add(n.scale(d.vt))
	} else if vgs <= vbin.v {
		return dual{}, von.v, 0
	}
	mobility := dual{v: 1}
	if over := g.sub(von); over.v > d.mobilityCritical {
		mobility = over.scale(1 / d.mobilityCritical).pow(-d.uexp)
	}
	gate := g
	if d.nfs > 0 {
		gate = g.max(von)
	}
	eta := 1 + d.narrow
	drive := gate.sub(vbin).scale(1 / eta)
	vdsat := d.saturation(drive, surface, gamma.scale(1/eta), source, mobility)
	across, root := x, drain
	if vds > vdsat.v {
		across = vdsat
		root = d.bulkRoot(b.sub(vdsat))
	}
	body := root.mul(root).mul(root).sub(source.mul(source).mul(source))
	id := gate.sub(vbin).sub(across.scale(eta / 2)).mul(across).sub(gamma.mul(body).scale(1 / 1.5))
	id = id.mul(mobility).scale(d.beta).div(d.relativeLength(x, vdsat, mobility))
	if vgs <= von.v && d.nfs > 0 {
		id = id.mul(g.sub(von).div(n).scale(1 / d.vt).exp())
	}
	return id, von.v, vdsat.v
}

// saturation returns the saturation voltage [V]. drive is (vgs - vbin)/eta, surface is phi - vbs,
// gamma is the body factor divided by eta, and source is bulkRoot at the source. The voltage is
// determined by pinch-off (D. Frohman-Bentchkowsky and A. S. Grove, IEEE Trans. ED-16, 1969) or by
// the carrier velocity limit vmax (G. Baum and H. Beneking, IEEE Trans. ED-17, 1970).
func (d *mosfetLevel2) saturation(drive, surface, gamma, source, mobility dual) dual {
	vdsat := drive
	if gamma.v > 0 {
		square := gamma.mul(gamma)
		at := drive.add(surface)
		if at.v <= 0 {
			vdsat = dual{}
		} else {
			arg := at.div(square).scale(4).plus(1).sqrt().scale(-1).plus(1)
			vdsat = drive.add(square.mul(arg).scale(0.5))
		}
	}
	vdsat = vdsat.max(dual{})
	if d.vmax <= 0 || vdsat.v == 0 {
		return vdsat
	}
	// u = √(vdsat + phi - vbs) satisfies u⁴ + a·u³ + b·u² + c·u + e = 0 (UCB/ERL M80/7). The root
	// lies between the values for vdsat = 0 and for pinch-off.
	v1, v2 := drive.add(surface), surface
	xv := mobility.inv().scale(d.vmax * d.l / d.mobility)
	a := gamma.scale(4.0 / 3)
	bb := v1.add(xv).scale(-2)
	c := gamma.mul(xv).scale(-2)
	e := v1.mul(v2.add(xv)).scale(2).sub(v2.mul(v2)).sub(
		gamma.mul(source.mul(source).mul(source)).scale(4.0 / 3))
	quartic := func(u float64) (f, slope float64) {
		return (((u+a.v)*u+bb.v)*u+c.v)*u + e.v, ((4*u+3*a.v)*u+2*bb.v)*u + c.v
	}
	low, high := math.Sqrt(max(v2.v, 0)), math.Sqrt(max(vdsat.v+v2.v, 0))
	fl, _ := quartic(low)
	fh, _ := quartic(high)
	if !(fl*fh < 0) {
		return vdsat
	}
	u := (low + high) / 2
	for range 100 {
		f, slope := quartic(u)
		if f*fl > 0 {
			low = u
		} else {
			high = u
		}
		next := u - f/slope
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-u) <= 1e-14*u {
			break
		}
		u = next
	}
	// The derivatives follow from implicit differentiation of the polynomial.
	_, slope := quartic(u)
	rest := a.scale(u * u * u).add(bb.scale(u * u)).add(c.scale(u)).add(e)
	root := dual{u, -rest.d0 / slope, -rest.d1 / slope, -rest.d2 / slope}
	return root.mul(root).sub(surface)
}

// relativeLength returns the channel length after channel-length modulation, divided by the
// effective length.
func (d *mosfetLevel2) relativeLength(vds, vdsat, mobility dual) dual {
	shorter := vds.scale(d.lambda) // channel shortening, relative to the length
	switch {
	case d.nsub == 0 || d.lambda > 0 || vds.v == 0:
	case d.vmax <= 0:
		a := vds.sub(vdsat).scale(0.25)
		shorter = a.mul(a).plus(1).sqrt().add(a).sqrt().scale(d.depletionWidth / d.l)
	default:
		width := d.depletionWidth / math.Sqrt(d.neff)
		drift := mobility.inv().scale(d.vmax * width / (2 * d.mobility))
		across := vds.sub(vdsat).max(dual{})
		shorter = drift.mul(drift).add(across).sqrt().sub(drift).scale(width / d.l)
	}
	length := shorter.scale(-1).plus(1)
	if length.v*d.l < d.minLength { // punch-through
		w := d.minLength
		over := shorter.scale(d.l).plus(d.junctionWidth - d.l)
		length = over.scale(1 / w).plus(1).inv().scale(w / d.l)
	}
	return length
}
