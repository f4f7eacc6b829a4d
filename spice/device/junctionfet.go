package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// junctionFET is the common part of jfet and mesfet: terminals, series resistances, gate junctions
// and shared parameters of the .model card.
type junctionFET struct {
	e    *netlist.Element
	area float64
	sign float64 // -1 for p-channel, otherwise +1

	// The model parameters are those of the JFET and MESFET tables in the SPICE3 manual.
	vto, beta, lambda, rd, rs, cgs, cgd float64 // [V], [A/V²], [1/V], [ohm], [ohm], [F], [F]
	pb, is, fc                          float64 // units: [V], [A], none
	flickerNoise                        flickerModel

	// vt is kT/q times the emission coefficient [V]. isat is scaled by the area.
	vt, isat, critical float64 // [V], saturation current [A], critical voltage [V]

	d, g, s, di, si int
	v               int    // state index of vgs; vgd follows
	q               [2]int // state indices of the junction charges
	hasQ            bool
	gate            [2]pair
	entries         nodalEntries3 // rows and columns: drain, gate, source
	drainG, sourceG float64       // series conductances [S]
}

// newJunctionFET returns the transistor for a card. It reports an error if the model type is
// neither nType nor pType.
func newJunctionFET(m *cardReader, nType, pType string) junctionFET {
	d := junctionFET{e: m.e, area: m.areaFactor(), sign: 1}
	switch t := m.e.Model.Type; t {
	case nType:
	case pType:
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type %s or %s, but %s is of type %s",
			m.e.Name, nType, pType, m.e.Model.Name, t)
	}
	return d
}

// model reads the shared parameters of the .model card and those in own. beta is the default of
// BETA [A/V²].
func (d *junctionFET) model(m *cardReader, beta float64, own ...modelParam) {
	var level float64
	m.model(d.flickerNoise.params(append(own,
		modelParam{name: "vto", value: &d.vto, def: -2, min: -1e6},
		modelParam{name: "vt0", value: &d.vto, def: -2, min: -1e6},
		modelParam{name: "beta", value: &d.beta, def: beta},
		modelParam{name: "lambda", value: &d.lambda},
		modelParam{name: "rd", value: &d.rd}, modelParam{name: "rs", value: &d.rs},
		modelParam{name: "cgs", value: &d.cgs}, modelParam{name: "cgd", value: &d.cgd},
		modelParam{name: "pb", value: &d.pb, def: 1, above: true},
		modelParam{name: "is", value: &d.is, def: 1e-14},
		modelParam{name: "fc", value: &d.fc, def: 0.5},
		modelParam{name: "level", value: &level, def: 1},
	)))
	m.limit("fc", &d.fc, 0.95)
}

func (d *junctionFET) Element() *netlist.Element { return d.e }
func (d *junctionFET) Nonlinear() bool           { return true }

// setup reserves nodes, matrix entries and states. extra is the number of additional states to
// reserve after each charge and its current.
func (d *junctionFET) setup(s *Setup, extra int) {
	n := d.e.Nodes
	d.d, d.g, d.s = s.Node(n[0]), s.Node(n[1]), s.Node(n[2])
	d.di, d.si = d.d, d.s
	if d.rd > 0 {
		d.drainG = d.area / d.rd
		d.di = s.seriesResistance(d.e, "drain", d.d, &d.drainG)
	}
	if d.rs > 0 {
		d.sourceG = d.area / d.rs
		d.si = s.seriesResistance(d.e, "source", d.s, &d.sourceG)
	}
	d.entries = newNodalEntries3(s.Pattern, [3]int{d.di, d.g, d.si})
	d.gate = [2]pair{newPair(s.Pattern, d.g, d.si), newPair(s.Pattern, d.g, d.di)}
	d.v = s.State(2)
	if d.hasQ = d.cgs+d.cgd > 0; d.hasQ {
		for k := range d.q {
			d.q[k] = s.Charge()
			s.State(extra)
		}
	}
}

func (d *junctionFET) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.d, d.di}, {d.s, d.si}, {d.di, d.si}, {d.g, d.di},
		{d.g, d.si}}}
}

// junction returns the current [A] of a gate junction at v [V] and its conductance [S]. gmin [S] is
// connected across the junction.
func (d *junctionFET) junction(v, gmin float64) (i, g float64) {
	i, g = junctionCurrent(v, d.isat, d.vt)
	return i + gmin*v, g + gmin
}

// voltages returns the gate-source and gate-drain voltages [V], with reversed sign for a p-channel
// transistor.
func (d *junctionFET) voltages(x []float64) (vgs, vgd float64) {
	return d.sign * (x[d.g] - x[d.si]), d.sign * (x[d.g] - x[d.di])
}

// limitedVoltages returns the gate-source and gate-drain voltages [V] at l.X, limited relative to
// the last iteration. It stores them in the states.
func (d *junctionFET) limitedVoltages(l *Load) (vgs, vgd float64) {
	if l.InitJunctions {
		vgs, vgd = -1, -1
		l.Limited = true
	} else {
		var cutS, cutD bool
		vgs, vgd = d.voltages(l.X)
		vgs, cutS = limitJunction(vgs, l.State[d.v], d.vt, d.critical)
		vgd, cutD = limitJunction(vgd, l.State[d.v+1], d.vt, d.critical)
		l.Limited = l.Limited || cutS || cutD
	}
	l.State[d.v], l.State[d.v+1] = vgs, vgd
	return vgs, vgd
}

// loadAC adds the channel with gm and gds [S], and the gate-source and gate-drain junctions with
// capacitances c [F].
func (d *junctionFET) loadAC(l *ACLoad, gm, gds float64, c [2]float64) {
	addChannel(&d.entries, l.A, complex(gm, 0), complex(gds, 0))
	vgs, vgd := d.voltages(l.X)
	for k, v := range [2]float64{vgs, vgd} {
		_, g := d.junction(v, l.Gmin)
		d.gate[k].addAC(l.A, complex(g, l.Omega*c[k]))
	}
}

// noise returns the noise sources of the series resistances and of a channel with transconductance
// gm [S] and current i [A].
func (d *junctionFET) noise(b *Bias, gm, i float64) (list []NoiseSource) {
	if d.rd > 0 {
		list = append(list, b.thermal("rd", d.d, d.di, d.drainG))
	}
	if d.rs > 0 {
		list = append(list, b.thermal("rs", d.s, d.si, d.sourceG))
	}
	return append(list, b.thermal("id", d.di, d.si, channelNoise*gm),
		flicker(d.di, d.si, d.flickerNoise.at(i, multiplicity(d.e))))
}

// quantities returns the terminal voltages, the drain current i [A] and its derivatives gm and gds
// [S].
func (d *junctionFET) quantities(x []float64, i, gm, gds float64) []Quantity {
	id := d.sign * i
	return []Quantity{{"vgs", "V", x[d.g] - x[d.s]}, {"vds", "V", x[d.d] - x[d.s]}, {"id", "A", id},
		{"gm", "S", math.Abs(gm)}, {"gds", "S", gds}, {"power_w", "W", id * (x[d.d] - x[d.s])}}
}

// addChannel adds the transconductance gm and the output conductance gds [S] to the drain and
// source rows. These are the first and the last rows of the entries.
func addChannel[T float64 | complex128](e *nodalEntries3, a []T, gm, gds T) {
	d, s := &e[0], &e[2]
	a[d[0]] += gds
	a[d[1]] += gm
	a[d[2]] -= gm + gds
	a[s[0]] -= gds
	a[s[1]] -= gm
	a[s[2]] += gm + gds
}
