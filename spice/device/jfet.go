package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// jfet is Jname drain gate source model [area]: the Shichman-Hodges junction transistor with the
// doping tail parameter b of Parker and Skellern (SPICE3 level 1).
type jfet struct {
	e    *netlist.Element
	area float64
	sign float64 // -1 for p-channel

	// Model parameters, SPICE3 manual table of the JFET.
	vto, beta, lambda, rd, rs, cgs, cgd float64 // V, A/V², 1/V, ohm, ohm, F, F
	pb, is, fc, b                       float64 // V, A, -, -
	flickerNoise                        flickerModel

	// At temperature, with the area.
	vt, isat, critical float64
	k                  float64 // A/V²
	dopingTail         float64 // (1-b)/(pb-vto), 1/V
	dep                [2]depletion

	d, g, s, di, si               int
	v                             int    // states: gate-source and gate-drain voltage
	q                             [2]int // charges of both junctions
	hasQ                          bool
	gate                          [2]pair
	entries                       nodalEntries3 // drain, gate, source
	drainResistor, sourceResistor pair
	tangent                       jfetTangent
}

func newJFET(m *cardReader) Device {
	d := &jfet{e: m.e, area: m.areaFactor(), sign: 1}
	switch t := m.e.Model.Type; t {
	case "njf":
	case "pjf":
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type njf or pjf, but %s is of type %s",
			m.e.Name, m.e.Model.Name, t)
		return d
	}
	var level float64
	m.model(append([]modelParam{
		{name: "vto", value: &d.vto, def: -2, min: -1e6},
		{name: "vt0", value: &d.vto, def: -2, min: -1e6},
		{name: "beta", value: &d.beta, def: 1e-4},
		{name: "lambda", value: &d.lambda},
		{name: "rd", value: &d.rd}, {name: "rs", value: &d.rs},
		{name: "cgs", value: &d.cgs}, {name: "cgd", value: &d.cgd},
		{name: "pb", value: &d.pb, def: 1, above: true},
		{name: "is", value: &d.is, def: 1e-14},
		{name: "fc", value: &d.fc, def: 0.5},
		{name: "b", value: &d.b, def: 1, min: -1e6},
		{name: "level", value: &level, def: 1},
	}, d.flickerNoise.params()...))
	if m.err != nil {
		return d
	}
	if level != 1 {
		m.fail(diag.NotAvailable,
			"not yet supported: model %s has level %g; only level 1 is supported",
			m.e.Model.Name, level)
	}
	if d.pb == d.vto {
		m.fail(diag.BadValue, "model %s: pb and vto must differ", m.e.Model.Name)
	}
	m.limit("fc", &d.fc, 0.95)
	return d
}

func (d *jfet) Element() *netlist.Element { return d.e }
func (d *jfet) Nonlinear() bool           { return true }

func (d *jfet) Setup(s *Setup) {
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
		d.q = [2]int{s.Charge(), s.Charge()}
	}
}

func (d *jfet) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.d, d.di}, {d.s, d.si}, {d.di, d.si}, {d.g, d.di},
		{d.g, d.si}}}
}

func (d *jfet) Temperature(e Env) {
	d.vt = kOverQ * e.Temp
	d.isat = clampSaturation(d.area*d.is*math.Exp((e.Temp/e.Tnom-1)*1.11/d.vt), 1e100)
	d.critical = criticalVoltage(d.vt, d.isat)
	d.k = d.area * d.beta
	d.dopingTail = (1 - d.b) / (d.pb - d.vto)
	for i, c := range [2]float64{d.cgs, d.cgd} {
		cj, v := atTemperature(e, c*d.area, d.pb, 0.5)
		d.dep[i] = newDepletion(max(cj, 0), max(v, 0.05), 0.5, d.fc)
	}
}

// channel returns the drain current [A] for vds >= 0 and its derivatives by vgs and vds [S].
func (d *jfet) channel(vgs, vds float64) (i, gm, gds float64) {
	over := vgs - d.vto
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

// evaluate returns the current of the channel for either sign of vds, and its derivatives by vgs
// and vds.
func (d *jfet) evaluate(vgs, vds float64) (i, gm, gds float64) {
	if vds >= 0 {
		return d.channel(vgs, vds)
	}
	i, gm, gds = d.channel(vgs-vds, -vds)
	return -i, -gm, gm + gds
}

// junction returns the current of a gate junction [A] and its conductance [S].
func (d *jfet) junction(v, gmin float64) (i, g float64) {
	i, g = junctionCurrent(v, d.isat, d.vt)
	return i + gmin*v, g + gmin
}

func (d *jfet) Load(l *Load) {
	x, sg := l.X, d.sign
	vgs, vgd := sg*(x[d.g]-x[d.si]), sg*(x[d.g]-x[d.di])
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
	vds := vgs - vgd
	i, gm, gds := d.evaluate(vgs, vds)
	d.tangent.vgs, d.tangent.vds, d.tangent.i, d.tangent.gm, d.tangent.gds = vgs, vds, i, gm, gds
	r := sg * (gm*vgs + gds*vds - i)
	for row, w := range [3]float64{1, 0, -1} {
		if w != 0 {
			s := &d.entries[row]
			l.A[s[0]] += w * gds
			l.A[s[1]] += w * gm
			l.A[s[2]] -= w * (gm + gds)
		}
	}
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
		r := sg * (g*v - i)
		l.B[d.g] += r
		l.B[[2]int{d.si, d.di}[k]] -= r
	}
}

// LoadLinear adds the series resistances.
func (d *jfet) LoadLinear(l *Load) {
	if d.rd > 0 {
		d.drainResistor.add(l.A, d.area/d.rd)
	}
	if d.rs > 0 {
		d.sourceResistor.add(l.A, d.area/d.rs)
	}
}

func (d *jfet) LoadAC(l *ACLoad) {
	x, sg := l.X, d.sign
	vgs, vgd := sg*(x[d.g]-x[d.si]), sg*(x[d.g]-x[d.di])
	_, gm, gds := d.evaluate(vgs, vgs-vgd)
	for row, w := range [3]float64{1, 0, -1} {
		if w != 0 {
			s := &d.entries[row]
			l.A[s[0]] += complex(w*gds, 0)
			l.A[s[1]] += complex(w*gm, 0)
			l.A[s[2]] -= complex(w*(gm+gds), 0)
		}
	}
	for k, v := range [2]float64{vgs, vgd} {
		_, g := d.junction(v, l.Gmin)
		_, c := d.dep[k].at(v)
		d.gate[k].addAC(l.A, complex(g, l.Omega*c))
	}
	if d.rd > 0 {
		d.drainResistor.addAC(l.A, complex(d.area/d.rd, 0))
	}
	if d.rs > 0 {
		d.sourceResistor.addAC(l.A, complex(d.area/d.rs, 0))
	}
}

// Report returns the drain current and the voltages at the terminals.
func (d *jfet) Report(l *Load) (string, []Quantity) {
	x, sg := l.X, d.sign
	vgs, vds := sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si])
	i, gm, gds := d.evaluate(vgs, vds)
	region := "cutoff"
	if over := max(vgs, vgs-vds) - d.vto; over > 0 {
		region = "linear"
		if math.Abs(vds) >= over {
			region = "saturation"
		}
	}
	return region, []Quantity{{"vgs", "V", x[d.g] - x[d.s]}, {"vds", "V", x[d.d] - x[d.s]},
		{"id", "A", sg * i},
		{"gm", "S", math.Abs(gm)}, {"gds", "S", gds}, {"power_w", "W", sg * i * (x[d.d] - x[d.s])}}
}
