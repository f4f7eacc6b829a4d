package netlist

import "strings"

// isShuntOption reports whether an option adds an element from every node to ground: rshunt is a
// resistance [ohm] (ngspice), gshunt a conductance [S] and cshunt a capacitance [F] (LTspice).
func isShuntOption(name string) bool {
	switch name {
	case "rshunt", "gshunt", "cshunt":
		return true
	}
	return false
}

// addShunts adds the elements of the options rshunt, gshunt and cshunt to the nodes of the netlist
// and of its subcircuits. The options of the request override those of .options. Library parts and
// devices have no shunts inside, because a node there may be the state of a model.
func (p *parser) addShunts() {
	values := map[string]float64{}
	for _, o := range p.ckt.Options {
		if isShuntOption(o.Name) && o.Text == "" {
			values[o.Name] = o.Value
		}
	}
	for name, v := range p.cfg.Options {
		if name = strings.ToLower(name); isShuntOption(name) {
			values[name] = v
		}
	}
	siemens := values["gshunt"]
	if r := values["rshunt"]; r > 0 {
		siemens += 1 / r
	}
	for _, node := range p.ckt.Nodes {
		if p.ckt.InternalNodes[node] {
			continue
		}
		add := func(kind byte, name string, value float64, params ...Param) {
			p.ckt.Elements = append(p.ckt.Elements, Element{Kind: kind, Name: node + "#" + name,
				Nodes: []string{node, "0"}, Args: []Arg{{Value: value, IsNumber: true}},
				Params: params, Internal: true})
		}
		if siemens > 0 {
			add('r', "gshunt", 1/siemens, Param{Name: "noisy"})
		}
		if c := values["cshunt"]; c > 0 {
			add('c', "cshunt", c)
		}
	}
}
