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
	if other, origin := otherName(name); !ok && other != "" {
		if text, ok = p.cfg.Library(other); ok {
			part = other
			whose := " of the library"
			if p.top.models[part] != nil || p.top.subs[part] != nil {
				whose = ""
			}
			p.warn(0, "model "+name+origin+" is read as "+part+whose)
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
	if part != name && p.top.subs[name] == nil {
		p.top.subs[name] = p.top.subs[part]
	}
	return true
}

// otherName returns the name under which the library has a part, or "". PSpice puts the element
// letter before the part number, as in d1n4148; origin then names PSpice. Names with a suffix, such
// as bc547b, are those whose data the part of the library has.
func otherName(name string) (part, origin string) {
	switch name {
	case "2n2222a", "2n2907a", "bc547b", "bc548b", "bc557b", "bc558b":
		return name[:len(name)-1], ""
	case "bc337-25", "bc327-25":
		return name[:len("bc337")], ""
	}
	if strings.HasPrefix(name, "d1n") || strings.HasPrefix(name, "q2n") {
		return name[1:], " of PSpice"
	}
	return "", ""
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
