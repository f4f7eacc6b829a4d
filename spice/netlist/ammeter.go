package netlist

import (
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// terminals maps the kinds of elements to the letters of their terminals in names such as ic(q1),
// in the order of their nodes.
var terminals = map[byte]string{'q': "cbes", 'm': "dgsb", 'j': "dgs", 'z': "dgs"}

// isTerminalCurrent reports whether name is that of the current into a terminal of a transistor in
// LTspice, such as ic or id.
func isTerminalCurrent(name string) bool {
	return len(name) == 2 && name[0] == 'i' && strings.IndexByte("cbesdg", name[1]) >= 0
}

// hasComputedCurrent reports whether the current of e follows from the unknowns of the circuit
// equations without an ammeter.
func hasComputedCurrent(e *Element) bool {
	switch e.Kind {
	case 'r', 'v', 'l', 'e', 'h':
		return e.BSource == nil || e.BSource.Output == 'v'
	case 'b':
		return e.BSource != nil && e.BSource.Output == 'v'
	}
	return false
}

// addAmmeter inserts an ammeter: a voltage source of 0 V, whose current is an unknown. name is an
// element with two terminals, such as d1, or a terminal of a transistor, such as q1#c. addAmmeter
// does nothing if the element or terminal does not exist or needs no ammeter.
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
		if strings.IndexByte("cdisgfb", e.Kind) < 0 || hasComputedCurrent(e) {
			return
		}
	}
	inner := element + "#" + terminal
	if _, exists := p.names[inner]; exists || node < 0 || node >= len(e.Nodes) {
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

// addAmmeters inserts the ammeters for the currents that .meas, .four, .fft and .save use. It
// returns an error if a terminal current of an operand names no transistor with this terminal.
func (p *parser) addAmmeters() error {
	addFor := func(o *Operand) error {
		if o == nil {
			return nil
		}
		for _, name := range o.Vectors() {
			if name[0] != 'i' && name[0] != 'p' {
				continue
			}
			name = name[2 : len(name)-1]
			p.addAmmeter(name)
			if _, exists := p.names[name]; !exists && strings.Contains(name, "#") {
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
		if err := addFor(o); err != nil {
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
