package netlist

import (
	"math"
	"slices"

	"slipstick/spice/diag"
)

// maxMultiplier is the largest m= of an element or instance.
const maxMultiplier = 1e9

// isParasitic reports whether a parameter of this element kind becomes a separate element. Such
// parameters are the equivalent series and parallel resistance, inductance and capacitance of
// LTspice.
func isParasitic(kind byte, name string) bool {
	switch name {
	case "rser":
		return kind == 'l' || kind == 'c' || kind == 'v'
	case "cpar":
		return kind == 'l' || kind == 'c' || kind == 'v' || kind == 'b'
	case "rpar":
		return kind == 'l' || kind == 'c' || kind == 'b'
	case "lser":
		return kind == 'c'
	}
	return false
}

// addParasitics returns new elements for rser, lser, rpar and cpar of e and removes these
// parameters. rser and lser are in series at the first node. rpar and cpar are in parallel with the
// element. The new elements and nodes are internal: i(l1) is the current through the inductance and
// Rser. m= of the element applies to them as well.
func (p *parser) addParasitics(e *Element) (extra []Element, err error) {
	switch e.Kind {
	case 'l', 'c', 'v', 'b':
	default:
		return nil, nil
	}
	values := map[string]float64{}
	kept := e.Params[:0:0]
	for _, q := range e.Params {
		switch {
		case !isParasitic(e.Kind, q.Name):
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
	add := func(name string, kind byte, value float64, a, b string) {
		extra = append(extra, Element{Kind: kind, Name: e.Name + "#" + name, Line: e.Line,
			Nodes: []string{a, b},
			Args:  []Arg{{Value: value, IsNumber: true, Line: e.Line}}, Internal: true})
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
			e.Nodes[0] = inner
		}
	}
	return extra, nil
}
