package netlist

import "slipstick/spice/diag"

// addLibraryPart adds the definitions of a library part to the top level. It tries each name at
// most once and reports whether the part was added.
func (p *parser) addLibraryPart(name string) bool {
	if p.cfg.Library == nil || p.library[name] {
		return false
	}
	p.library[name] = true
	text, ok := p.cfg.Library(name)
	if !ok {
		return false
	}
	d, err := readDeck("library\n"+text+"\n.end\n", false)
	if err != nil {
		return false
	}
	part := newBlock("", 0, nil)
	if _, err = p.buildBlocks(d.stmts, part, false); err != nil {
		return false
	}
	// Definitions in the netlist override those of the library.
	for n, m := range part.models {
		if p.top.models[n] == nil {
			p.top.models[n] = m
		}
	}
	for n, b := range part.subs {
		if p.top.subs[n] == nil {
			b.parent, b.library = p.top, true
			p.top.subs[n] = b
		}
	}
	return true
}

// countComponent counts an element of the user or a library part and enforces Config.MaxElements.
// line and name identify the element in the error.
func (p *parser) countComponent(line int, name string) error {
	if p.cfg.MaxElements > 0 && p.ckt.Components >= p.cfg.MaxElements {
		return diag.On(diag.TooManyElements, line, name,
			"the circuit has more than %d elements after expanding subcircuits", p.cfg.MaxElements)
	}
	p.ckt.Components++
	return nil
}
