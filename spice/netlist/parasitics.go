package netlist

import (
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// maxMultiplier is the largest m= of an element or instance.
const maxMultiplier = 1e9

// leastOhms is the smallest resistance [ohm] of an element.
const leastOhms = 1e-15

// isParasitic reports whether a parameter of this element kind becomes a separate element. Such
// parameters are the equivalent series and parallel resistance, inductance and capacitance of
// LTspice; noisy=0 applies to the resistances among them.
func isParasitic(kind byte, name string) bool {
	switch name {
	case "rser":
		return kind == 'l' || kind == 'c' || kind == 'v'
	case "cpar":
		return kind == 'l' || kind == 'c' || kind == 'v' || kind == 'b'
	case "rpar":
		return kind == 'l' || kind == 'c' || kind == 'b'
	case "lser", "rlshunt":
		return kind == 'c'
	case "noisy":
		return kind == 'l' || kind == 'c'
	}
	return false
}

// addParasitics returns new elements for rser, lser, rlshunt, rpar and cpar of e and removes these
// parameters. rser and lser are in series at the first node, and rlshunt is in parallel with lser.
// rpar and cpar are in parallel with the element. The new elements and nodes are internal: i(l1) is
// the current through the inductance and Rser. m= of the element applies to them as well. kind is
// the kind of the element on the netlist line.
func (p *parser) addParasitics(e *Element, kind byte) (extra []Element, err error) {
	switch kind {
	case 'l', 'c', 'v', 'b':
	default:
		return nil, nil
	}
	values, noiseless := map[string]float64{}, false
	kept := e.Params[:0:0]
	for _, q := range e.Params {
		switch {
		case q.Name == "noisy" && isParasitic(kind, q.Name):
			noiseless = q.Value == 0
		case !isParasitic(kind, q.Name):
			kept = append(kept, q)
		case q.Value < 0 || math.Abs(q.Value) > 1e30:
			return nil, diag.On(diag.BadValue, q.Line, e.Name,
				"%s: %s must not be negative, not %g", e.Name, q.Name, q.Value)
		default:
			values[q.Name] = q.Value
		}
	}
	e.Params = kept
	mult := 1.0
	// Other values are rejected later.
	if m, ok := e.Param("m"); ok && m.Value > 0 && m.Value <= maxMultiplier {
		mult = m.Value
	}
	if v := values["rser"]; v > 0 && v/mult < leastOhms {
		p.warn(e.Line, e.Name+": rser="+formatNumber(v)+
			" is read as 0, because 1e-15 ohm is the least")
		delete(values, "rser")
	}
	add := func(name string, kind byte, value float64, a, b string) {
		extra = append(extra, Element{Kind: kind, Name: e.Name + "#" + name, Line: e.Line,
			Nodes: []string{a, b},
			Args:  []Arg{{Value: value, IsNumber: true, Line: e.Line}}, Internal: true})
		if kind == 'r' && noiseless {
			extra[len(extra)-1].Params = []Param{{Name: "noisy", Line: e.Line}}
		}
	}
	a, b := e.Nodes[0], e.Nodes[1]
	e.Nodes = slices.Clone(e.Nodes) // B has the nodes of its expression behind the first two
	if v := values["rpar"]; v > 0 {
		add("rpar", 'r', v/mult, a, b)
	}
	if v := values["cpar"]; v > 0 {
		add("cpar", 'c', v*mult, a, b)
	}
	for _, s := range [...]struct {
		name string
		kind byte
	}{{"rser", 'r'}, {"lser", 'l'}} {
		if v := values[s.name]; v > 0 {
			inner := e.Name + "#" + s.name
			p.registerNode(inner, true)
			add(s.name, s.kind, v/mult, e.Nodes[0], inner)
			if shunt := values["rlshunt"]; s.name == "lser" && shunt > 0 {
				add("rlshunt", 'r', shunt/mult, e.Nodes[0], inner)
			}
			e.Nodes[0] = inner
		}
	}
	if e.BSource != nil && e.Nodes[0] != a {
		p.moveStorage(e, a, b)
	}
	return extra, nil
}

// moveStorage replaces the voltage across a capacitor from node a to node b by that from its inner
// node, behind a series element. The voltage is the variable v(a,b) of its ddt(), which is an
// element of its own.
func (p *parser) moveStorage(e *Element, a, b string) {
	for k := range p.ckt.Elements {
		law := p.ckt.Elements[k].BSource
		if law == nil || !strings.HasPrefix(p.ckt.Elements[k].Name, e.Name+"#ddt") {
			continue
		}
		for j := range law.Variables {
			if v := &law.Variables[j]; v.Kind == 'v' && v.Plus == a && v.Minus == b {
				v.Plus = e.Nodes[0]
			}
		}
	}
}

// addModelElements returns the elements that models of PSpice and LTspice contain. A MOSFET may
// have the resistors RG at the gate and RDS between drain and source, and a switch the series
// inductance LSER. The model of a VDMOS has its own.
func (p *parser) addModelElements(e *Element) (extra []Element) {
	if e.Kind == 's' || e.Kind == 'w' {
		for _, q := range e.Model.Params {
			if q.Name != "lser" || !(q.Value > 0) || q.Value > 1e30 {
				continue
			}
			inner := e.Name + "#lser"
			p.registerNode(inner, true)
			e.Nodes = slices.Clone(e.Nodes)
			extra = append(extra, Element{Kind: 'l', Name: inner, Line: e.Line,
				Nodes:    []string{e.Nodes[0], inner},
				Args:     []Arg{{Value: q.Value, IsNumber: true, Line: e.Line}},
				Internal: true})
			e.Nodes[0] = inner
		}
		return extra
	}
	if e.Kind != 'm' || e.Model == nil || e.Model.Type != "nmos" && e.Model.Type != "pmos" {
		return nil
	}
	mult := 1.0
	if m, ok := e.Param("m"); ok && m.Value > 0 && m.Value <= maxMultiplier {
		mult = m.Value // other values are rejected later
	}
	add := func(name string, ohms float64, a, b string) {
		extra = append(extra, Element{Kind: 'r', Name: e.Name + "#" + name, Line: e.Line,
			Nodes:    []string{a, b},
			Args:     []Arg{{Value: ohms / mult, IsNumber: true, Line: e.Line}},
			Internal: true})
	}
	for _, q := range e.Model.Params {
		switch {
		case !(q.Value > 0) || q.Value > 1e30:
		case q.Name == "rds":
			add("rds", q.Value, e.Nodes[0], e.Nodes[2])
		case q.Name == "rg":
			inner := e.Name + "#rg"
			p.registerNode(inner, true)
			e.Nodes = slices.Clone(e.Nodes)
			add("rg", q.Value, e.Nodes[1], inner)
			e.Nodes[1] = inner
		}
	}
	return extra
}
