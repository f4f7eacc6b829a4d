package netlist

import (
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// terminals maps the kinds of elements to the letters of their terminals in names such as ic(q1),
// in the order of their nodes.
var terminals = map[byte]string{'q': "cbes", 'm': "dgsb", 'j': "dgs", 'z': "dgs"}

// isTerminalCurrent reports whether a name, such as ic or id, is the current into a terminal of a
// transistor, as in LTspice.
func isTerminalCurrent(name string) bool {
	return len(name) == 2 && name[0] == 'i' && strings.IndexByte("cbesdg", name[1]) >= 0
}

// hasOwnCurrent reports whether the current of an element follows from the unknowns of the
// equations without an ammeter.
func hasOwnCurrent(e *Element) bool {
	switch e.Kind {
	case 'r', 'v', 'l', 'e', 'h':
		return e.BSource == nil || e.BSource.Output == 'v'
	case 'b':
		return e.BSource != nil && e.BSource.Output == 'v'
	}
	return false
}

// addAmmeter inserts a voltage source of 0 V, whose current is an unknown, for the current of an
// element. name is an element with two terminals, such as d1, or a terminal such as q1#c. Names of
// unknown elements and of elements without such a current change nothing.
func (p *parser) addAmmeter(name string) {
	element, terminal, transistor := strings.Cut(name, "#")
	k := slices.IndexFunc(p.ckt.Elements, func(e Element) bool { return e.Name == element })
	if k < 0 {
		return
	}
	e, node := &p.ckt.Elements[k], 0
	if transistor {
		node = strings.Index(terminals[e.Kind], terminal)
	} else {
		terminal = "i"
		if strings.IndexByte("cdisgfb", e.Kind) < 0 || hasOwnCurrent(e) {
			return
		}
	}
	inner := element + "#" + terminal
	if _, done := p.names[inner]; done || node < 0 || node >= len(e.Nodes) {
		return
	}
	p.names[inner] = e.Line
	p.registerNode(inner, true)
	outer := e.Nodes[node]
	e.Nodes = slices.Clone(e.Nodes)
	e.Nodes[node] = inner
	p.ckt.Elements = append(p.ckt.Elements, Element{Kind: 'v', Name: inner, Line: e.Line,
		Nodes: []string{outer, inner}, Internal: true, Parallel: e.Parallel})
}

// addAmmeters inserts the ammeters for the currents that measures, Fourier analyses and .save use.
func (p *parser) addAmmeters() error {
	use := func(o *Operand) error {
		if o == nil {
			return nil
		}
		for _, name := range o.Vectors() {
			if name[0] != 'i' && name[0] != 'p' {
				continue
			}
			name = name[2 : len(name)-1]
			p.addAmmeter(name)
			if _, known := p.names[name]; !known && strings.Contains(name, "#") {
				element, terminal, _ := strings.Cut(name, "#")
				return diag.At(diag.UnknownElement, o.Line,
					"i%s(%s) needs a transistor %s with this terminal", terminal, excerpt(element),
					excerpt(element))
			}
		}
		return nil
	}
	var operands []*Operand
	for k := range p.ckt.Measures {
		m := &p.ckt.Measures[k]
		operands = append(operands, m.Operand)
		for _, e := range [...]*Event{m.When, m.Targ} {
			if e != nil {
				operands = append(operands, e.Left, e.Right)
			}
		}
	}
	for k := range p.ckt.Fourier {
		for j := range p.ckt.Fourier[k].Operands {
			operands = append(operands, &p.ckt.Fourier[k].Operands[j])
		}
	}
	for k := range p.ckt.FFT {
		for j := range p.ckt.FFT[k].Operands {
			operands = append(operands, &p.ckt.FFT[k].Operands[j])
		}
	}
	for _, o := range operands {
		if err := use(o); err != nil {
			return err
		}
	}
	for _, name := range p.ckt.Save {
		head, element, ok := strings.Cut(strings.TrimSuffix(name, ")"), "(")
		switch {
		case !ok:
		case head == "i" || head == "p":
			p.addAmmeter(element)
		case isTerminalCurrent(head):
			p.addAmmeter(element + "#" + head[1:])
		}
	}
	return nil
}
