package netlist

import (
	"errors"
	"strings"
	"unicode"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// textLimits limits the size of a netlist export. KiCad's exports nest at most 10 levels deep.
var textLimits = sexpr.Limits{Bytes: 1 << 20, Depth: 50, Nodes: 250_000}

// parseExport parses the text of a netlist export. The error is an Errors list.
func parseExport(text string) (*sexpr.Node, error) {
	root, err := sexpr.Parse(text, "netlist", textLimits)
	if e, ok := errors.AsType[*sexpr.Error](err); ok {
		return nil, one("netlist", e.Line, "%s", e.Detail)
	}
	return root, err
}

// FromKiCad parses a KiCad netlist export (Eeschema, versions 4 to 8), which is an s-expression
// (export ... (components ...) (nets ...)). The error is an Errors list.
func FromKiCad(text string, opt Options) (*board.Netlist, error) {
	root, err := parseExport(text)
	if err != nil {
		return nil, err
	}
	if root.Head() != "export" {
		advice := ""
		switch root.Head() {
		case "kicad_pcb":
			advice = "; slipstick route and POST /api/designs/route take board files"
		case "kicad_sch":
			advice = "; the schematic editor exports it (File > Export > Netlist)"
		}
		return nil,
			one("netlist", root.Line, "expected (export ...) of KiCad's netlist export, found (%s%s",
				strings.Trim(show(root.Head()), `"`), advice)
	}
	components, nets := root.Each("components"), root.Each("nets")
	if len(components) == 0 || len(nets) == 0 {
		return nil, one("netlist", root.Line,
			"a netlist export needs (components ...) and (nets ...)")
	}
	var f faults
	d := draft{form: "netlist"}
	for _, list := range components {
		for _, c := range list.Each("comp") {
			if p := component(c, &f); !isVirtual(p.ref) {
				d.parts = append(d.parts, p)
			}
		}
	}
	for _, list := range nets {
		for _, n := range list.Each("net") {
			if made := kicadNet(n, &f); len(made.pins) > 0 {
				d.nets = append(d.nets, made)
			}
		}
	}
	d.replaceSpaces()
	if design := root.Each("design"); len(design) > 0 {
		for _, sheet := range design[0].Each("sheet") {
			if block := sheet.Each("title_block"); len(block) > 0 && d.title == "" {
				d.title, _ = block[0].Text("title")
			}
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return d.build(opt)
}

// isVirtual reports whether a reference is that of a symbol without a part, such as a power flag.
func isVirtual(ref string) bool { return strings.HasPrefix(ref, "#") }

// replaceSpaces replaces the white space in the names of nets by underscores. Sheets may have names
// with spaces, and the net names contain those of the sheets.
func (d *draft) replaceSpaces() {
	taken := map[string]bool{}
	for i := range d.nets {
		taken[d.nets[i].name] = true
	}
	var changed []string
	for i := range d.nets {
		n := &d.nets[i]
		name := strings.Join(strings.FieldsFunc(n.name, unicode.IsSpace), "_")
		if name == n.name || name == "" {
			continue
		}
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		changed = append(changed, show(n.name))
		n.name = name
	}
	if len(changed) > 0 {
		d.warnings = append(d.warnings, "spaces in net names are underscores on the board: "+
			some(changed))
	}
}

// component parses (comp (ref R1) (value 10k) (footprint Resistor_SMD:R_0805_2012Metric) ...) and
// adds its errors to f.
func component(c *sexpr.Node, f *faults) part {
	p := part{path: "netlist", line: c.Line}
	var ok bool
	if p.ref, ok = c.Text("ref"); !ok {
		f.add("netlist", c.Line, "the component has no (ref ...)")
	}
	p.value, _ = c.Text("value")
	if p.value == "~" { // KiCad's empty value
		p.value = ""
	}
	p.footprint, _ = c.Text("footprint")
	for _, property := range c.Each("property") {
		name, _ := property.Text("name")
		switch strings.ToLower(name) {
		case "dnp":
			p.dnp = true
		case "exclude_from_bom":
			p.noBOM = true
		case "exclude_from_pos_files":
			p.noPlacement = true
		}
		value, _ := property.Text("value")
		p.partNumber(name, value)
	}
	return p
}

// partNumber stores value as the LCSC or manufacturer part number if name is a usual field name for
// one. The first field of each kind applies.
func (p *part) partNumber(name, value string) {
	switch strings.ToLower(name) {
	case "lcsc", "lcsc part", "lcsc part #", "lcsc#", "jlcpcb part #", "jlc part":
		if p.lcsc == "" {
			p.lcsc = value
		}
	case "mpn", "manufacturer part number", "mfr. part #", "manufacturer_part_number",
		"part number":
		if p.mpn == "" {
			p.mpn = value
		}
	}
}

// kicadNet parses (net (code 1) (name GND) (node (ref R1) (pin 1)) ...) and adds its errors to f.
func kicadNet(n *sexpr.Node, f *faults) net {
	m := net{path: "netlist", line: n.Line}
	var ok bool
	if m.name, ok = n.Text("name"); !ok {
		f.add("netlist", n.Line, "the net has no (name ...)")
	}
	for _, node := range n.Each("node") {
		p := pin{path: "netlist", line: node.Line}
		if p.ref, ok = node.Text("ref"); isVirtual(p.ref) {
			continue
		} else if !ok {
			f.add("netlist", node.Line, "a node of net %s has no (ref ...)", show(m.name))
		}
		if p.pad, ok = node.Text("pin"); !ok {
			f.add("netlist", node.Line, "a node of net %s has no (pin ...)", show(m.name))
		}
		m.pins = append(m.pins, p)
	}
	return m
}
