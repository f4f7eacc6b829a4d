package device

import (
	"math"

	"slipstick/spice/diag"
)

// mesfet implements Zname drain gate source model [area], the gallium arsenide transistor of SPICE3
// level 1 (H. Statz, P. Newman, I. W. Smith, R. A. Pucel and H. A. Haus, GaAs FET Device and
// Circuit Simulation in SPICE, IEEE Trans. ED-34, 1987). Its parameters do not depend on
// temperature.
type mesfet struct {
	junctionFET
	b, alpha float64 // model parameters B and ALPHA [1/V]
}

// gateSmoothing is the width [V] of the transition between the gate voltage and the threshold in
// the gate charge. It is delta in equation 16 of Statz et al.
const gateSmoothing = 0.2

func newMESFET(m *cardReader) Device {
	d := &mesfet{junctionFET: newJunctionFET(m, "nmf", "pmf")}
	if m.err != nil {
		return d
	}
	if level := m.level(); level != 1 {
		m.fail(diag.NotAvailable,
			"not yet supported: model %s has level %g; only level 1 (Statz) is supported",
			m.e.Model.Name, level)
		return d
	}
	d.model(m, 2.5e-3, modelParam{name: "b", value: &d.b, def: 0.3},
		modelParam{name: "alpha", value: &d.alpha, def: 2, above: true})
	if !m.given("beta") {
		m.warn(m.e.Model.Line,
			"model %s has no beta: 2.5e-3 A/V² of ngspice is used; manuals of SPICE3 name 1e-4",
			m.e.Model.Name)
	}
	return d
}

// Setup reserves the states of gateCharge in addition to the charge states.
func (d *mesfet) Setup(s *Setup) { d.setup(s, 2) }

// Temperature uses the thermal voltage at 27 °C, because the SPICE3 model does not depend on
// temperature.
func (d *mesfet) Temperature(Env) {
	d.vt = kOverQ * 300.15
	d.isat = clampSaturation(d.area*d.is, 1e100)
	d.critical = criticalVoltage(d.vt, d.isat)
}

// channel returns the drain current [A] for vds >= 0 and its derivatives [S] with respect to vgs
// and vds.
func (d *mesfet) channel(vgs, vds float64) dual {
	if vgs <= d.vto {
		return dual{}
	}
	over, x := dualOf(0, vgs).plus(-d.vto), dualOf(1, vds)
	i := over.mul(over).scale(d.area * d.beta).div(over.scale(d.b).plus(1)).mul(
		x.scale(d.lambda).plus(1))
	if u := x.scale(-d.alpha / 3).plus(1); u.v > 0 {
		i = i.mul(u.mul(u).mul(u).scale(-1).plus(1))
	}
	return i
}

// evaluate returns the drain current [A] for either sign of vds and its derivatives [S] with
// respect to vgs and vds.
func (d *mesfet) evaluate(vgs, vds float64) (i, gm, gds float64) {
	if vds >= 0 {
		c := d.channel(vgs, vds)
		return c.v, c.d0, c.d1
	}
	c := d.channel(vgs-vds, -vds)
	return -c.v, -c.d0, c.d0 + c.d1
}

// capacitances returns the derivatives [F] of the gate charge with respect to vgs and vgd. They
// follow equations 11 to 18 of Statz et al. Above fc·pb the capacitance is constant.
func (d *mesfet) capacitances(vgs, vgd float64) (c [2]float64) {
	difference := math.Hypot(vgs-vgd, 1/d.alpha)
	high := (vgs + vgd + difference) / 2
	root := math.Hypot(high-d.vto, gateSmoothing)
	v := (high + d.vto + root) / 2
	weight := (1 + (high-d.vto)/root) / 2 // dv/dhigh
	depletion := weight * d.area * d.cgs / math.Sqrt(1-min(v, d.fc*d.pb)/d.pb)
	half := (vgs - vgd) / difference / 2
	drain := d.area * d.cgd
	return [2]float64{depletion*(0.5+half) + drain*(0.5-half),
		depletion*(0.5-half) + drain*(0.5+half)}
}

func (d *mesfet) Load(l *Load) {
	vgs, vgd := d.limitedVoltages(l)
	i, gm, gds := d.evaluate(vgs, vgs-vgd)
	r := d.sign * (gm*vgs + gds*(vgs-vgd) - i)
	addChannel(&d.entries, l.A, gm, gds)
	l.B[d.di] += r
	l.B[d.si] -= r
	c := d.capacitances(vgs, vgd)
	for k, v := range [2]float64{vgs, vgd} {
		i, g := d.junction(v, l.Gmin)
		r := g*v - i
		if d.hasQ {
			gc, rc := l.gateCharge(d.q[k], c[k]/2, 0, v)
			g, r = g+gc, r+rc
		}
		d.gate[k].add(l.A, g)
		l.B[d.g] += d.sign * r
		l.B[[2]int{d.si, d.di}[k]] -= d.sign * r
	}
}

func (d *mesfet) LoadAC(l *ACLoad) {
	vgs, vgd := d.voltages(l.X)
	_, gm, gds := d.evaluate(vgs, vgs-vgd)
	d.loadAC(l, gm, gds, d.capacitances(vgs, vgd))
}

// Noise returns the noise sources of the series resistances and of the channel.
func (d *mesfet) Noise(b *Bias) (list []NoiseSource) {
	vgs, vgd := d.voltages(b.X)
	i, gm, _ := d.evaluate(vgs, vgs-vgd)
	return d.noise(b, math.Abs(gm), i)
}

// Report returns the region of operation, the terminal voltages, the drain current and its
// derivatives.
func (d *mesfet) Report(l *Load) (string, []Quantity) {
	x := l.X
	vgs, vgd := d.voltages(x)
	i, gm, gds := d.evaluate(vgs, vgs-vgd)
	region := "cutoff"
	if max(vgs, vgd) > d.vto {
		region = "linear"
		if math.Abs(vgs-vgd)*d.alpha >= 3 {
			region = "saturation"
		}
	}
	return region, d.quantities(x, i, gm, gds)
}
