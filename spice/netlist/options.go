package netlist

import "slices"

// NeedsValue reports whether an option of the netlist has a unit, so that it is no flag.
func NeedsValue(name string) bool {
	switch name {
	case "gshunt", "rshunt", "cshunt", "maxstep", "defw", "defl", "defad", "defas":
		return true
	}
	return false
}

// option returns the value of a numerical option and the place where it is set. It returns 0 if the
// option is not set. The options of the request override those of .options.
func (p *parser) option(name string) (value float64, place string) {
	for _, o := range p.ckt.Options {
		if o.Name == name && o.Text == "" {
			value, place = o.Value, ".options "+name+" of line "+itoa(o.Line)
		}
	}
	if v, given := p.cfg.Options[name]; given {
		value, place = v, "the option "+name
	}
	return value, place
}

// applyMaxStep limits the time steps of transients without a largest step to the option maxstep of
// LTspice [s].
func (p *parser) applyMaxStep() {
	if most, place := p.option("maxstep"); most > 0 {
		for k := range p.ckt.Analyses {
			if a := &p.ckt.Analyses[k]; a.Kind == "tran" && a.MaxStep == 0 {
				a.MaxStep, a.MaxStepPlace = most, place
			}
		}
	}
}

// addMOSFETSizes adds the options defw and defl [m], and defad and defas [m²], to the MOSFETs of
// the netlist without the parameter. The width and length of a model override the options.
func (p *parser) addMOSFETSizes() {
	for _, name := range [...]string{"w", "l", "ad", "as"} {
		value, _ := p.option("def" + name)
		if value == 0 {
			continue
		}
		isSize := func(q Param) bool { return q.Name == name }
		for k := range p.ckt.Elements {
			e := &p.ckt.Elements[k]
			if e.Kind != 'm' || e.Internal || e.Model == nil || e.Model.Type == "vdmos" ||
				slices.ContainsFunc(e.Params, isSize) ||
				slices.ContainsFunc(e.Model.Params, isSize) {
				continue
			}
			e.Params = append(slices.Clip(e.Params), Param{Name: name, Value: value, Line: e.Line})
		}
	}
}

// leastShunt is the smallest conductance [S] and capacitance [F] of a shunt. Smaller values have no
// effect, and a resistor has at most 1e30 ohm.
const leastShunt = 1e-29

// addShunts adds the elements of three options from the nodes of the netlist and of its subcircuits
// to ground. rshunt is a resistance [ohm] (ngspice), gshunt a conductance [S], and cshunt a
// capacitance [F] (LTspice). Library parts and devices have no shunts inside, because a node there
// may be the state of a model.
func (p *parser) addShunts() {
	siemens, _ := p.option("gshunt")
	farads, _ := p.option("cshunt")
	if r, _ := p.option("rshunt"); r > 0 {
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
		if siemens >= leastShunt {
			add('r', "gshunt", 1/siemens, Param{Name: "noisy"})
		}
		if farads >= leastShunt {
			add('c', "cshunt", farads)
		}
	}
}
