package netlist

import (
	"strings"

	"slipstick/spice/diag"
)

// addLibraryPart adds the definitions of a library part to the top level. It tries each name at
// most once and reports whether the part was added.
func (p *parser) addLibraryPart(name string) bool {
	if p.cfg.Library == nil || p.library[name] {
		return false
	}
	p.library[name] = true
	part := name
	text, ok := p.cfg.Library(name)
	if !ok && (strings.HasPrefix(name, "d1n") || strings.HasPrefix(name, "q2n")) {
		part = name[1:] // in PSpice the element letter precedes the part number
		if text, ok = p.cfg.Library(part); ok {
			p.warn(0, "model "+name+" of PSpice is read as "+part+" of the library")
		}
	}
	if !ok {
		return false
	}
	d, err := readDeck("library\n"+text+"\n.end\n", false)
	if err != nil {
		return false
	}
	defined := newBlock("", 0, nil)
	if _, err = p.buildBlocks(d.stmts, defined, false); err != nil {
		return false
	}
	// Definitions in the netlist override those of the library.
	for n, m := range defined.models {
		if p.top.models[n] == nil {
			p.top.models[n] = m
		}
	}
	if part != name && p.top.models[name] == nil {
		p.top.models[name] = p.top.models[part]
	}
	for n, b := range defined.subs {
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
