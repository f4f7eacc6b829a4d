package netlist

// isLoad reports whether an argument is the word load of LTspice.
func isLoad(a Arg) bool { return a.Text == "load" }

// dissipativeLoad adds a current source with the word load, whose current falls to 0 with the
// voltage across it. In LTspice the fall begins at 0.5 V and ends with 0.25 ohm divided by the
// current in amperes. The parabola i·(1 - (1-2v)²) has both properties. An inner source drives the
// current i of the waveform through 1 ohm, and e becomes a source B with the parabola as its law. A
// negative current is that of a usual source.
func (p *parser) dissipativeLoad(e Element, st *statement, in *instance) error {
	raw, nodes := st.toks[0].raw, st.withoutParens()
	p.warn(st.line, raw+": load is read as in LTspice: the current falls below 0.5 V across the "+
		"source and is 0 below 0 V")
	name := st.toks[0].text + "#load"
	node := p.node(name, in)
	p.registerNode(node, true)
	inner := e
	inner.Name, inner.Nodes, inner.Internal = e.Name+"#load", []string{"0", node}, true
	p.loads[e.Name] = inner.Name
	ohm := Element{Kind: 'r', Name: e.Name + "#r", Line: e.Line, Nodes: []string{node, "0"},
		Args: []Arg{{Value: 1, IsNumber: true, Line: e.Line}}, Internal: true,
		Params: []Param{{Name: "noisy", Line: e.Line}}}
	x := "limit(v(" + nodes[0].text + "," + nodes[1].text + "),0,0.5)"
	i := "v(" + name + ")"
	e.Kind, e.Args, e.Seed = 'b', nil, nil
	if err := p.compileBSource(&e, &BSource{Output: 'i'}, "4*max("+i+",0)*"+x+"*(1-"+x+")+min("+i+
		",0)", st.line, in, raw); err != nil {
		return withElement(err, e.Name)
	}
	p.appendElements(e, []Element{inner, ohm})
	return nil
}
