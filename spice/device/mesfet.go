package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// mesfet is Zname drain gate source model [area]: the gallium arsenide transistor of H. Statz, P.
// Newman, I. W. Smith, R. A. Pucel and H. A. Haus, GaAs FET Device and Circuit Simulation in SPICE,
// IEEE Trans. ED-34, 1987 (SPICE3 level 1). Its parameters do not depend on temperature.
type mesfet struct {
	e    *netlist.Element
	area float64
	sign float64 // -1 for p-channel

	vto, beta, b, alpha, lambda  float64 // V, A/V², 1/V, 1/V, 1/V
	rd, rs, cgs, cgd, pb, is, fc float64 // ohm, ohm, F, F, V, A, -
	flickerNoise                 flickerModel

	vt, isat, critical float64 // V, A with the area, V

	d, g, s, di, si int
	v               int // states: gate-source and gate-drain voltage
	// charges gate-source and gate-drain with capacitance and voltage
	q                             [2]int
	hasQ                          bool
	gate                          [2]pair
	entries                       nodalEntries3 // drain, gate, source
	drainResistor, sourceResistor pair
}

// gateSmoothing is the width [V] of the change from the voltage of the gate to the threshold in the
// gate charge: delta of Statz et al., equation 16.
const gateSmoothing = 0.2

func newMESFET(m *cardReader) Device {
	d := &mesfet{e: m.e, area: m.areaFactor(), sign: 1}
	switch t := m.e.Model.Type; t {
	case "nmf":
	case "pmf":
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type nmf or pmf, but %s is of type %s",
			m.e.Name, m.e.Model.Name, t)
		return d
	}
	if level := m.level(); level != 1 {
		m.fail(diag.NotAvailable,
			"not yet supported: model %s has level %g; only level 1 (Statz) is supported",
			m.e.Model.Name, level)
		return d
	}
	var level float64
	given := m.model(append([]modelParam{
		{name: "vto", value: &d.vto, def: -2, min: -1e6},
		{name: "vt0", value: &d.vto, def: -2, min: -1e6},
		{name: "beta", value: &d.beta, def: 2.5e-3},
		{name: "b", value: &d.b, def: 0.3},
		{name: "alpha", value: &d.alpha, def: 2, above: true},
		{name: "lambda", value: &d.lambda},
		{name: "rd", value: &d.rd}, {name: "rs", value: &d.rs},
		{name: "cgs", value: &d.cgs}, {name: "cgd", value: &d.cgd},
		{name: "pb", value: &d.pb, def: 1, above: true},
		{name: "is", value: &d.is, def: 1e-14},
		{name: "fc", value: &d.fc, def: 0.5},
		{name: "level", value: &level, def: 1},
	}, d.flickerNoise.params()...))
	m.limit("fc", &d.fc, 0.95)
	if !given["beta"] {
		m.warn(m.e.Model.Line,
			"model %s has no beta: 2.5e-3 A/V² of ngspice is used; manuals of SPICE3 name 1e-4",
			m.e.Model.Name)
	}
	return d
}

func (d *mesfet) Element() *netlist.Element { return d.e }
func (d *mesfet) Nonlinear() bool           { return true }

func (d *mesfet) Setup(s *Setup) {
	n := d.e.Nodes
	d.d, d.g, d.s = s.Node(n[0]), s.Node(n[1]), s.Node(n[2])
	d.di, d.si = d.d, d.s
	if d.rd > 0 {
		d.di = s.Internal(d.e, "drain", d.d)
		d.drainResistor = newPair(s.Pattern, d.d, d.di)
	}
	if d.rs > 0 {
		d.si = s.Internal(d.e, "source", d.s)
		d.sourceResistor = newPair(s.Pattern, d.s, d.si)
	}
	d.entries = newNodalEntries3(s.Pattern, [3]int{d.di, d.g, d.si})
	d.gate = [2]pair{newPair(s.Pattern, d.g, d.si), newPair(s.Pattern, d.g, d.di)}
	d.v = s.State(2)
	if d.hasQ = d.cgs+d.cgd > 0; d.hasQ {
		for k := range d.q {
			d.q[k] = s.Charge()
			s.State(2) // of gateCharge
		}
	}
}

func (d *mesfet) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.d, d.di}, {d.s, d.si}, {d.di, d.si}, {d.g, d.di},
		{d.g, d.si}}}
}

// Temperature sets the thermal voltage of 27 °C: the model of SPICE3 has no temperature.
func (d *mesfet) Temperature(Env) {
	d.vt = kOverQ * 300.15
	d.isat = clampSaturation(d.area*d.is, 1e100)
	d.critical = criticalVoltage(d.vt, d.isat)
}

// channel returns the drain current [A] for vds >= 0 and its derivatives by vgs and vds.
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

// evaluate returns the current for either sign of vds, and its derivatives by vgs and vds.
func (d *mesfet) evaluate(vgs, vds float64) (i, gm, gds float64) {
	if vds >= 0 {
		c := d.channel(vgs, vds)
		return c.v, c.d[0], c.d[1]
	}
	c := d.channel(vgs-vds, -vds)
	return -c.v, -c.d[0], c.d[0] + c.d[1]
}

// capacitances returns the derivatives [F] of the gate charge by vgs and vgd, equations 11 to 18 of
// Statz et al. Beyond fc·pb the capacitance is constant.
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

// junction returns the current of a gate junction [A] and its conductance [S].
func (d *mesfet) junction(v, gmin float64) (i, g float64) {
	i, g = junctionCurrent(v, d.isat, d.vt)
	return i + gmin*v, g + gmin
}

// voltages returns the voltages [V] gate to source and gate to drain.
func (d *mesfet) voltages(x []float64) (vgs, vgd float64) {
	return d.sign * (x[d.g] - x[d.si]), d.sign * (x[d.g] - x[d.di])
}

func (d *mesfet) Load(l *Load) {
	vgs, vgd := d.voltages(l.X)
	if l.InitJunctions {
		vgs, vgd = -1, -1
		l.Limited = true
	} else {
		var cutS, cutD bool
		vgs, cutS = limitJunction(vgs, l.State[d.v], d.vt, d.critical)
		vgd, cutD = limitJunction(vgd, l.State[d.v+1], d.vt, d.critical)
		l.Limited = l.Limited || cutS || cutD
	}
	l.State[d.v], l.State[d.v+1] = vgs, vgd
	i, gm, gds := d.evaluate(vgs, vgs-vgd)
	r := d.sign * (gm*vgs + gds*(vgs-vgd) - i)
	d.stampChannel(gm, gds, func(s mna.Slot, g float64) { l.A[s] += g })
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

// stampChannel adds the derivatives [S] of the drain current to the rows of drain and source.
func (d *mesfet) stampChannel(gm, gds float64, add func(slot mna.Slot, g float64)) {
	for row, w := range [3]float64{1, 0, -1} {
		if w != 0 {
			s := &d.entries[row]
			add(s[0], w*gds)
			add(s[1], w*gm)
			add(s[2], -w*(gm+gds))
		}
	}
}

// LoadLinear adds the series resistances.
func (d *mesfet) LoadLinear(l *Load) {
	if d.rd > 0 {
		d.drainResistor.add(l.A, d.area/d.rd)
	}
	if d.rs > 0 {
		d.sourceResistor.add(l.A, d.area/d.rs)
	}
}

func (d *mesfet) LoadAC(l *ACLoad) {
	vgs, vgd := d.voltages(l.X)
	_, gm, gds := d.evaluate(vgs, vgs-vgd)
	d.stampChannel(gm, gds, func(s mna.Slot, g float64) { l.A[s] += complex(g, 0) })
	c := d.capacitances(vgs, vgd)
	for k, v := range [2]float64{vgs, vgd} {
		_, g := d.junction(v, l.Gmin)
		d.gate[k].addAC(l.A, complex(g, l.Omega*c[k]))
	}
	if d.rd > 0 {
		d.drainResistor.addAC(l.A, complex(d.area/d.rd, 0))
	}
	if d.rs > 0 {
		d.sourceResistor.addAC(l.A, complex(d.area/d.rs, 0))
	}
}

// Noise returns the sources of the series resistances and of the channel.
func (d *mesfet) Noise(b *Bias) (list []NoiseSource) {
	if d.rd > 0 {
		list = append(list, b.thermal("rd", d.d, d.di, d.area/d.rd))
	}
	if d.rs > 0 {
		list = append(list, b.thermal("rs", d.s, d.si, d.area/d.rs))
	}
	vgs, vgd := d.voltages(b.X)
	i, gm, _ := d.evaluate(vgs, vgs-vgd)
	return append(list, b.thermal("id", d.di, d.si, channelNoise*math.Abs(gm)),
		flicker(d.di, d.si, d.flickerNoise.at(i, multiplicity(d.e))))
}

// Report returns the drain current and the voltages at the terminals.
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
	id := d.sign * i
	return region, []Quantity{{"vgs", "V", x[d.g] - x[d.s]}, {"vds", "V", x[d.d] - x[d.s]},
		{"id", "A", id},
		{"gm", "S", math.Abs(gm)}, {"gds", "S", gds}, {"power_w", "W", id * (x[d.d] - x[d.s])}}
}
