package netlist

import (
	"strings"

	"slipstick/autorouter/board"
)

// FromKiCad reads a netlist export of KiCad (Eeschema, versions 4 to 8): an s-expression
// (export ... (components ...) (nets ...)). The error is Errors.
func FromKiCad(text string, opt Options) (*board.Netlist, error) {
	root, err := parseSexpr(text)
	if err != nil {
		return nil, err
	}
	if root.head() != "export" {
		return nil, one("netlist", root.line, "expected (export ...) of KiCad's netlist export, found (%s", strings.Trim(show(root.head()), `"`))
	}
	components, nets := root.each("components"), root.each("nets")
	if len(components) == 0 || len(nets) == 0 {
		return nil, one("netlist", root.line, "a netlist export needs (components ...) and (nets ...)")
	}
	var f faults
	d := draft{form: "netlist"}
	for _, list := range components {
		for _, c := range list.each("comp") {
			d.parts = append(d.parts, component(c, &f))
		}
	}
	for _, list := range nets {
		for _, n := range list.each("net") {
			if made := kicadNet(n, &f); len(made.pins) > 0 {
				d.nets = append(d.nets, made)
			}
		}
	}
	if design := root.each("design"); len(design) > 0 {
		for _, sheet := range design[0].each("sheet") {
			if block := sheet.each("title_block"); len(block) > 0 && d.title == "" {
				d.title, _ = block[0].text("title")
			}
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return d.build(opt)
}

// component reads (comp (ref R1) (value 10k) (footprint Resistor_SMD:R_0805_2012Metric) ...).
func component(c *sexpr, f *faults) part {
	p := part{path: "netlist", line: c.line}
	var ok bool
	if p.ref, ok = c.text("ref"); !ok {
		f.add("netlist", c.line, "the component has no (ref ...)")
	}
	p.value, _ = c.text("value")
	if p.value == "~" { // how KiCad writes no value
		p.value = ""
	}
	p.footprint, _ = c.text("footprint")
	for _, property := range c.each("property") {
		if name, _ := property.text("name"); strings.EqualFold(name, "dnp") {
			p.dnp = true
		}
	}
	return p
}

// kicadNet reads (net (code 1) (name GND) (node (ref R1) (pin 1)) ...).
func kicadNet(n *sexpr, f *faults) net {
	m := net{path: "netlist", line: n.line}
	var ok bool
	if m.name, ok = n.text("name"); !ok {
		f.add("netlist", n.line, "the net has no (name ...)")
	}
	for _, node := range n.each("node") {
		p := pin{path: "netlist", line: node.line}
		if p.ref, ok = node.text("ref"); !ok {
			f.add("netlist", node.line, "a node of net %s has no (ref ...)", show(m.name))
		}
		if p.pad, ok = node.text("pin"); !ok {
			f.add("netlist", node.line, "a node of net %s has no (pin ...)", show(m.name))
		}
		m.pins = append(m.pins, p)
	}
	return m
}
