package netlist

// option returns the value of a numerical option, or 0 if it is not given. The options of the
// request override those of .options.
func (p *parser) option(name string) (value float64) {
	for _, o := range p.ckt.Options {
		if o.Name == name && o.Text == "" {
			value = o.Value
		}
	}
	if v, given := p.cfg.Options[name]; given {
		value = v
	}
	return value
}

// applyMaxStep limits the time steps of transients without a largest step to the option maxstep of
// LTspice [s].
func (p *parser) applyMaxStep() {
	if most := p.option("maxstep"); most > 0 {
		for k := range p.ckt.Analyses {
			if a := &p.ckt.Analyses[k]; a.Kind == "tran" && a.MaxStep == 0 {
				a.MaxStep = most
			}
		}
	}
}

// addShunts adds the elements of the options rshunt (a resistance [ohm], ngspice), gshunt (a
// conductance [S]) and cshunt (a capacitance [F], LTspice) from the nodes of the netlist and of its
// subcircuits to ground. Library parts and devices have no shunts inside, because a node there may
// be the state of a model.
func (p *parser) addShunts() {
	siemens, farads := p.option("gshunt"), p.option("cshunt")
	if r := p.option("rshunt"); r > 0 {
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
		if farads > 0 {
			add('c', "cshunt", farads)
		}
	}
}
