package device

import (
	"math"

	"slipstick/spice/diag"
)

// jfet implements Jname drain gate source model [area], the Shichman-Hodges JFET with the doping
// tail parameter b of Parker and Skellern (SPICE3 level 1).
type jfet struct {
	junctionFET
	b float64 // doping tail parameter
	// n and grading are those of the gate junctions, whose saturation current has the band gap eg
	// [V] and the exponent xti of the temperature.
	n, grading, eg, xti float64
	vtotc               float64 // change of the threshold with the temperature [V/K]
	betatce             float64 // change of BETA with the temperature [%/K]
	bex                 float64 // exponent of the temperature of BETA without betatce
	nlev, gdsnoi        float64 // equation of the channel noise, and its factor for nlev=3

	// Temperature sets the following fields. k and dep are scaled by the area.
	threshold  float64 // VTO [V]
	k          float64 // transconductance parameter BETA·area [A/V²]
	dopingTail float64 // (1-b)/(pb-vto) [1/V]
	dep        [2]depletion

	tangent jfetTangent
}

func newJFET(m *cardReader) Device {
	d := &jfet{junctionFET: newJunctionFET(m, "njf", "pjf")}
	if m.err != nil {
		return d
	}
	level := m.level()
	var tcv float64 // vtotc with the opposite sign [V/K]
	d.model(m, 1e-4, modelParam{name: "b", value: &d.b, def: 1, min: -1e6},
		modelParam{name: "n", value: &d.n, def: 1, above: true},
		modelParam{name: "m", value: &d.grading, def: 0.5},
		modelParam{name: "eg", value: &d.eg, def: 1.11},
		modelParam{name: "xti", value: &d.xti, min: -1e3},
		modelParam{name: "vtotc", value: &d.vtotc, min: -1e3},
		modelParam{name: "tcv", value: &tcv, min: -1e3},
		modelParam{name: "betatce", value: &d.betatce, min: -1e3},
		modelParam{name: "bex", value: &d.bex, min: -1e3},
		modelParam{name: "nlev", value: &d.nlev, def: 2},
		modelParam{name: "gdsnoi", value: &d.gdsnoi, def: 1})
	m.limit("m", &d.grading, 0.9)
	switch {
	case !m.given("vtotc"):
		d.vtotc = -tcv
	case m.given("tcv"):
		m.warn(m.e.Model.Line, "model %s: tcv is ignored, because vtotc gives the same coefficient "+
			"with the opposite sign", m.e.Model.Name)
	}
	switch {
	case m.err != nil:
	case level != 1:
		m.fail(diag.NotAvailable,
			"not yet supported: model %s has level %g; only level 1 is supported",
			m.e.Model.Name, level)
	case d.pb == d.vto:
		m.fail(diag.BadValue, "model %s: pb and vto must differ", m.e.Model.Name)
	}
	return d
}

func (d *jfet) Setup(s *Setup) { d.setup(s, 0) }

func (d *jfet) Temperature(e Env) {
	ratio, above := e.Temp/e.Tnom, e.Temp-e.Tnom
	d.vt = d.n * kOverQ * e.Temp
	d.isat = clampSaturation(d.area*d.is*math.Exp((ratio-1)*d.eg/d.vt)*
		math.Pow(ratio, d.xti/d.n), 1e100)
	d.critical = criticalVoltage(d.vt, d.isat)
	d.threshold = d.vto + d.vtotc*above
	d.k = d.area * d.beta * math.Pow(1.01, d.betatce*above)
	if d.betatce == 0 {
		d.k *= math.Pow(ratio, d.bex)
	}
	d.dopingTail = (1 - d.b) / (d.pb - d.vto) // both nominal, as in jfettemp of ngspice
	for i, c := range [2]float64{d.cgs, d.cgd} {
		cj, v := atTemperature(e, c*d.area, d.pb, d.grading)
		d.dep[i] = newDepletion(cj, v, d.grading, d.fc)
	}
}

// channel returns the drain current [A] for vds >= 0 and its derivatives [S] with respect to vgs
// and vds.
func (d *jfet) channel(vgs, vds float64) (i, gm, gds float64) {
	over := vgs - d.threshold
	if over <= 0 {
		return 0, 0, 0
	}
	k := d.k * (1 + d.lambda*vds)
	if over >= vds {
		a := 2*d.b + 3*d.dopingTail*(over-vds)
		c := vds * (vds*(d.dopingTail*vds-d.b) + over*a)
		return k * c, k * vds * (a + 3*d.dopingTail*over), k*(over-vds)*a + d.k*d.lambda*c
	}
	f := d.dopingTail * over
	c := over * over * (d.b + f)
	return k * c, k * over * (2*d.b + 3*f), d.k * d.lambda * c
}

// evaluate returns the channel current [A] for either sign of vds and its derivatives [S] with
// respect to vgs and vds.
func (d *jfet) evaluate(vgs, vds float64) (i, gm, gds float64) {
	if vds >= 0 {
		return d.channel(vgs, vds)
	}
	i, gm, gds = d.channel(vgs-vds, -vds)
	return -i, -gm, gm + gds
}

func (d *jfet) Load(l *Load) {
	vgs, vgd := d.limitedVoltages(l)
	vds := vgs - vgd
	i, gm, gds := d.evaluate(vgs, vds)
	d.tangent.vgs, d.tangent.vds, d.tangent.i, d.tangent.gm, d.tangent.gds = vgs, vds, i, gm, gds
	r := d.sign * (gm*vgs + gds*vds - i)
	addChannel(&d.entries, l.A, gm, gds)
	l.B[d.di] += r
	l.B[d.si] -= r
	for k, v := range [2]float64{vgs, vgd} {
		i, g := d.junction(v, l.Gmin)
		t := &d.tangent.junction[k]
		t.v, t.i, t.g = v, i, g
		if d.hasQ {
			q, c := d.dep[k].at(v)
			t.q, t.c = q, c
			ic, gc := l.Charge(d.q[k], q, c)
			i, g = i+ic, g+gc
		}
		d.gate[k].add(l.A, g)
		r := d.sign * (g*v - i)
		l.B[d.g] += r
		l.B[[2]int{d.si, d.di}[k]] -= r
	}
}

func (d *jfet) LoadAC(l *ACLoad) {
	vgs, vgd := d.voltages(l.X)
	_, gm, gds := d.evaluate(vgs, vgs-vgd)
	var c [2]float64
	for k, v := range [2]float64{vgs, vgd} {
		_, c[k] = d.dep[k].at(v)
	}
	d.loadAC(l, gm, gds, c)
}

// Report returns the region of operation, the terminal voltages, the drain current and its
// derivatives.
func (d *jfet) Report(l *Load) (string, []Quantity) {
	x, sg := l.X, d.sign
	vgs, vds := sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si])
	i, gm, gds := d.evaluate(vgs, vds)
	region := "cutoff"
	if over := max(vgs, vgs-vds) - d.threshold; over > 0 {
		region = "linear"
		if math.Abs(vds) >= over {
			region = "saturation"
		}
	}
	return region, d.quantities(x, i, gm, gds)
}
