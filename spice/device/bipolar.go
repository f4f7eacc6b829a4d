package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// bipolar implements Qname collector base emitter [substrate] model [area], the Gummel-Poon
// transistor of SPICE2G.6 and SPICE3 (Gummel and Poon, BSTJ 49, 1970).
type bipolar struct {
	// The fields that every iteration reads come first, so they share few cache lines.
	sign                float64 // +1 for npn, -1 for pnp; factor on every voltage and current
	ci, bi, ei          int     // internal collector, base and emitter nodes
	vbe, vbc            int     // state indices of the junction voltages
	qbe, qbc            int     // state indices of the base charges; -1 for a zero charge
	qbx, qcs            int
	vsub                int     // state index of the substrate voltage; set only if ISS is given
	qpt                 [2]int  // state indices of the excess-phase filter; set only if delay > 0
	delay               float64 // delay [s] of the forward current by excess phase
	entries             nodalEntries3
	hasRB               bool
	tangentValid        bool
	tangentVBE          float64
	tangentVBC          float64
	tangent             bipolarPoint // evaluation at tangentVBE, tangentVBC
	baseNode, substrate int          // terminals
	baseResistor        pair
	// baseSlopes are the entries for the derivatives of the base current: rows baseNode and bi,
	// columns ci, bi and ei.
	baseSlopes             [2][3]mna.Slot
	collectorChargeTangent chargeTangent // base-collector charge outside RB
	substrateChargeTangent chargeTangent // substrate charge
	outerCollectorCap      pair          // base to internal collector: (1 - XCJC)·CJC
	substrateEntries       pair
	substrateTangent       junctionTangent // last tangent of the substrate current
	// inner node of the substrate junction: ci (vertical) or bi (lateral)
	substrateTo int
	epitaxial   *epitaxial // nil without RCO
	factorLimit
	temp  bipolarTemp
	model bipolarModel

	e                  *netlist.Element
	area               float64
	collector, emitter int // terminals
}

func newBipolar(m *cardReader) Device {
	d, _ := m.old.(*bipolar)
	if d == nil {
		d = new(bipolar)
	}
	*d = bipolar{e: m.e, area: m.areaFactor(), sign: 1}
	switch t := m.e.Model.Type; t {
	case "npn":
	case "pnp", "lpnp": // PSpice: lateral pnp
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type npn or pnp, but %s is of type %s",
			m.e.Name, m.e.Model.Name, t)
		return d
	}
	p := &d.model
	subs := 1.0 // an npn is vertical by default, a pnp is lateral
	if d.sign < 0 {
		subs = -1
	}
	var level float64
	var epi epitaxialParams
	var list [80]modelParam
	m.model(append(epi.params(p.params(list[:0], subs), d.sign > 0),
		modelParam{name: "level", value: &level, def: 1}))
	if level != 1 {
		m.fail(diag.NotAvailable,
			"not yet supported: model %s has level %g; only level 1 is supported",
			m.e.Model.Name, level)
	}
	if !m.given("rbm") {
		p.rbm = p.rb
	}
	d.readEpitaxial(m, &epi)
	d.delay = p.ptf * math.Pi / 180 * p.tf
	for _, g := range [...]*float64{&p.mje, &p.mjc, &p.mjs} {
		if *g > 0.95 {
			m.warn(m.e.Model.Line, "model %s: a grading coefficient of %g is limited to 0.95",
				m.e.Model.Name, *g)
			*g = 0.95
		}
	}
	m.limit("fc", &p.fc, 0.9999)
	m.limit("nk", &p.nk, 1)
	if p.xcjc > 1 {
		m.fail(diag.BadValue, "model %s: xcjc must lie from 0 to 1, not %g", m.e.Model.Name, p.xcjc)
	}
	p.vafInv, p.varInv = inverse(p.vaf), inverse(p.vr)
	p.ikfInv, p.ikrInv = inverse(p.ikf), inverse(p.ikr)
	p.vtfInv = inverse(p.vtf) / 1.44
	return d
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
	if r := d.epitaxial; r != nil {
		r.cx = d.collector
		if p.rc > 0 {
			r.cx = s.seriesResistance(d.e, "collcx", d.collector, &d.temp.gc)
		}
		d.ci = s.Internal(d.e, "collector", d.collector)
	} else if p.rc > 0 {
		d.ci = s.seriesResistance(d.e, "collector", d.collector, &d.temp.gc)
	}
	if d.hasRB = p.rb > 0; d.hasRB {
		d.bi = s.Internal(d.e, "base", d.baseNode)
	}
	if p.re > 0 {
		d.ei = s.seriesResistance(d.e, "emitter", d.emitter, &d.temp.ge)
	}
	in := [3]int{d.ci, d.bi, d.ei}
	d.entries = newNodalEntries3(s.Pattern, in)
	if d.hasRB {
		reserveResistance(s.Pattern, func() {
			d.baseResistor = newPair(s.Pattern, d.baseNode, d.bi)
		})
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
	if p.cjc*p.xcjc > 0 || p.tr > 0 || d.epitaxial != nil && d.epitaxial.params.qco > 0 {
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
	if p.iss > 0 {
		d.vsub = s.State(1)
	}
	if d.epitaxial != nil {
		d.setupEpitaxial(s)
	}
	if d.delay > 0 {
		d.qpt = [2]int{s.Charge(), s.Charge()}
	}
}

func (d *bipolar) Terminals() Terminals {
	t := Terminals{Conducts: [][2]int{{d.collector, d.ci}, {d.baseNode, d.bi}, {d.emitter, d.ei},
		{d.bi, d.ei}, {d.bi, d.ci}}}
	if len(d.e.Nodes) > 3 {
		t.Couples = [][2]int{{d.substrate, d.ci}}
	}
	if r := d.epitaxial; r != nil {
		t.Conducts = append(t.Conducts, [2]int{d.collector, r.cx}, [2]int{r.cx, d.ci})
	}
	if d.model.iss > 0 {
		t.Conducts = append(t.Conducts, [2]int{d.substrate, d.substrateTo})
	}
	return t
}

// Report returns the region of operation and the main quantities. A junction counts as
// forward-biased above half its critical voltage. The currents are those into the terminals, which
// include the current of the substrate junction; beta is that of the transistor without it.
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
	if region == "saturation" && d.epitaxial != nil && d.outerVoltage(x) <= on {
		region = "quasi-saturation" // the base has flooded a part of the collector region
	}
	ic, ib, isub := sg*pt.ic, sg*pt.ib, 0.0
	if d.temp.iss > 0 {
		vsub := d.substrateVoltage(x)
		i, _ := junctionCurrent(vsub, d.temp.iss, d.temp.nsVt)
		isub = sg * d.model.subs * (i + l.Gmin*vsub)
		if d.substrateTo == d.ci {
			ic -= isub
		} else {
			ib -= isub
		}
	}
	ve := x[d.emitter]
	q := []Quantity{
		{"vbe", "V", x[d.baseNode] - ve}, {"vce", "V", x[d.collector] - ve},
		{"ic", "A", ic}, {"ib", "A", ib}, {"gm", "S", pt.icBE},
		{"power_w", "W", (x[d.collector]-ve)*ic + (x[d.baseNode]-ve)*ib +
			(x[d.substrate]-ve)*isub},
	}
	if d.temp.iss > 0 {
		q = append(q, Quantity{"isub", "A", isub})
	}
	if pt.ib != 0 && region == "active" {
		q = append(q, Quantity{"beta", "", pt.ic / pt.ib})
	}
	return region, q
}
