package netlist

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// textLimits limits the size of a netlist export. KiCad's exports nest at most 10 levels deep.
var textLimits = sexpr.Limits{Bytes: 1 << 20, Depth: 50, Nodes: 250_000}

// parseExport parses the text of a netlist export. The error is an Errors list.
func parseExport(export string) (*sexpr.Node, error) {
	root, err := sexpr.Parse(export, "netlist", textLimits)
	if e, ok := errors.AsType[*sexpr.Error](err); ok {
		return nil, singleError("netlist", e.Line, "%s", e.Detail)
	}
	return root, err
}

// FromKiCad parses a KiCad netlist export (Eeschema, versions 4 to 8), which is an s-expression
// (export ... (components ...) (nets ...)). The error is an Errors list.
func FromKiCad(export string, opt Options) (*board.Netlist, error) {
	root, err := parseExport(export)
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
			singleError("netlist", root.Line, "expected (export ...) of KiCad's netlist export, found (%s%s",
				strings.Trim(text.Quote(root.Head()), `"`), advice)
	}
	components, nets := root.Each("components"), root.Each("nets")
	if len(components) == 0 || len(nets) == 0 {
		return nil, singleError("netlist", root.Line,
			"a netlist export needs (components ...) and (nets ...)")
	}
	var f errorList
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
	if err := f.err(); err != nil {
		return nil, err
	}
	d.skipDrawings(opt.overrides())
	// The search for distinct names needs time with the square of the size.
	if err := d.checkSize(); err != nil {
		return nil, err
	}
	d.nameNets()
	d.renameNets()
	d.renameParts()
	if design := root.Each("design"); len(design) > 0 {
		for _, sheet := range design[0].Each("sheet") {
			if block := sheet.Each("title_block"); len(block) > 0 && d.title == "" {
				d.title, _ = block[0].Text("title")
			}
		}
	}
	return d.build(opt)
}

// isVirtual reports whether a reference is that of a symbol without a part, such as a power flag.
func isVirtual(ref string) bool { return strings.HasPrefix(ref, "#") }

// nameNets gives each net without a name the name Net-CODE. Netlists of KiCad up to 2013 have such
// nets where the schematic has no label.
func (d *draft) nameNets() {
	taken := map[string]bool{}
	for i := range d.nets {
		taken[strings.ToUpper(d.nets[i].name)] = true
	}
	var named []string
	for i := range d.nets {
		n := &d.nets[i]
		if n.name != "" {
			continue
		}
		name := fitNet("Net-", n.code)
		n.name = distinct(name, taken, func(k int) string { return fmt.Sprintf("%s_%d", name, k) })
		named = append(named, n.name)
	}
	if len(named) > 0 {
		d.warn("nets without a name in the netlist are named by their codes: %s",
			abbreviatedList(named))
	}
}

// renameNets replaces the characters that net names on a board may not have by underscores, and
// shortens long names to their last characters. Net names contain those of sheets, which may have
// spaces and letters of any language.
func (d *draft) renameNets() {
	taken := map[string]bool{}
	for i := range d.nets {
		taken[strings.ToUpper(d.nets[i].name)] = true
	}
	var spaced, changed []string
	for i := range d.nets {
		n := &d.nets[i]
		words := strings.Join(strings.FieldsFunc(n.name, unicode.IsSpace), "_")
		name := strings.Map(func(r rune) rune {
			switch {
			case r == 'µ' || r == 'μ': // micro sign and Greek letter mu
				return 'u'
			case r <= ' ' || r > '~' || r == ',':
				return '_'
			}
			return r
		}, words)
		name = fitNet("", name)
		if name == n.name || name == "" {
			continue
		}
		old := n.name
		n.name = distinct(name, taken, func(k int) string {
			return fitNet(fmt.Sprintf("%d_", k), name)
		})
		if name == words {
			spaced = append(spaced, text.Quote(old))
		} else {
			changed = append(changed, text.Quote(old)+" is "+n.name)
		}
	}
	if len(spaced) > 0 {
		d.warn("spaces in net names are underscores on the board: %s", abbreviatedList(spaced))
	}
	if len(changed) > 0 {
		d.warn("net names on the board have at most %d characters, of ASCII without commas: %s",
			MaxNetName, abbreviatedList(changed))
	}
}

// fitNet returns a net name of at most MaxNetName characters: a prefix and the end of a name, which
// distinguishes the nets of a pair. The name of an unconnected pin also keeps its start.
func fitNet(prefix, name string) string {
	if rest, ok := strings.CutPrefix(name, unconnected); ok {
		prefix, name = unconnected+prefix, rest
	}
	return prefix + name[max(0, len(prefix)+len(name)-MaxNetName):]
}

// renameParts gives each part whose reference is not valid on a board a valid one. Other characters
// become underscores, and characters before a final number are left out.
func (d *draft) renameParts() {
	taken, renamed := map[string]bool{}, map[string]string{}
	d.renamed = renamed
	for i := range d.parts {
		taken[strings.ToUpper(d.parts[i].ref)] = true
	}
	var changed []string
	for i := range d.parts {
		p := &d.parts[i]
		id := strings.ToUpper(p.ref)
		if p.ref == "" || refPattern.MatchString(p.ref) {
			continue
		}
		if renamed[id] == "" {
			ref := strings.Map(func(r rune) rune {
				if r > '~' || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
					return '_'
				}
				return r
			}, p.ref)
			if !unicode.IsLetter(rune(ref[0])) {
				ref = "REF" + ref
			}
			head := strings.TrimRight(ref, "0123456789")
			number := ref[max(len(head), len(ref)-maxRef/2):]
			ref = head[:min(len(head), maxRef-len(number))] + number
			ref = distinct(ref, taken, func(k int) string {
				suffix := fmt.Sprintf("_%d", k)
				return ref[:min(len(ref), maxRef-len(suffix))] + suffix
			})
			renamed[id] = ref
			changed = append(changed, text.Quote(p.ref)+" is "+ref)
		}
		p.ref = renamed[id]
	}
	for i := range d.nets {
		for k := range d.nets[i].pins {
			if ref := renamed[strings.ToUpper(d.nets[i].pins[k].ref)]; ref != "" {
				d.nets[i].pins[k].ref = ref
			}
		}
	}
	if len(changed) > 0 {
		d.warn("references on the board are a letter and up to %d letters, digits or underscores: %s",
			maxRef-1, abbreviatedList(changed))
	}
}

// distinct returns a name that is not in taken, and adds it. It is the given name, or the result of
// numbered for a number from 2. The keys of taken are upper-case.
func distinct(name string, taken map[string]bool, numbered func(k int) string) string {
	for k := 2; taken[strings.ToUpper(name)]; k++ {
		name = numbered(k)
	}
	taken[strings.ToUpper(name)] = true
	return name
}

// skipDrawings removes the parts without footprint and nets, such as the symbol of a logo.
func (d *draft) skipDrawings(overrides map[string]override) {
	wired := map[string]bool{}
	for i := range d.nets {
		for _, p := range d.nets[i].pins {
			wired[strings.ToUpper(p.ref)] = true
		}
	}
	var skipped []string
	d.parts = slices.DeleteFunc(d.parts, func(p part) bool {
		id := strings.ToUpper(p.ref)
		_, given := overrides[id]
		skip := p.ref != "" && p.footprint == "" && !given && !wired[id]
		if skip {
			skipped = append(skipped, text.Quote(p.ref))
		}
		return skip
	})
	if len(skipped) > 0 {
		d.warn("symbols without footprint and nets are not on the board: %s",
			abbreviatedList(skipped))
	}
}

// component parses (comp (ref R1) (value 10k) (footprint Resistor_SMD:R_0805_2012Metric) ...) and
// adds its errors to f.
func component(c *sexpr.Node, f *errorList) part {
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
	// KiCad 4 and 5 have (fields (field (name LCSC) C25804)) and no properties.
	for _, fields := range c.Each("fields") {
		for _, field := range fields.Each("field") {
			name, _ := field.Text("name")
			p.partNumber(name, field.At(2))
		}
	}
	return p
}

// partNumber stores value as the LCSC or manufacturer part number if name is a usual field name for
// one, such as "LCSC Part #" or MPN. The first field of each kind applies.
func (p *part) partNumber(name, value string) {
	id := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '#' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	if id == "manf#" { // manf is the name of the manufacturer
		id = "mpn"
	}
	switch strings.TrimRight(id, "#") {
	case "lcsc", "lcscpart", "lcscpartnumber", "lcscpartno", "lcscpn", "jlc", "jlcpart", "jlcpcb",
		"jlcpcbpart", "jlcpcbpartnumber":
		p.lcsc = cmp.Or(p.lcsc, value)
	case "mpn", "manufacturerpartnumber", "manufacturerpart", "manufacturerpartno",
		"manufacturerpn", "mfrpartnumber", "mfrpart", "mfrpartno", "mfrpn", "mfgpartnumber",
		"mfgpart", "partnumber", "partno":
		p.mpn = cmp.Or(p.mpn, value)
	}
}

// kicadNet parses (net (code 1) (name GND) (node (ref R1) (pin 1)) ...) and adds its errors to f.
func kicadNet(n *sexpr.Node, f *errorList) net {
	m := net{path: "netlist", line: n.Line}
	var ok bool
	if m.name, ok = n.Text("name"); !ok {
		f.add("netlist", n.Line, "the net has no (name ...)")
	}
	if m.code, _ = n.Text("code"); ok && m.name == "" && m.code == "" {
		f.add("netlist", n.Line, "the net has neither a name nor a (code ...)")
	}
	for _, node := range n.Each("node") {
		p := pin{path: "netlist", line: node.Line}
		if p.ref, ok = node.Text("ref"); isVirtual(p.ref) {
			continue
		} else if !ok {
			f.add("netlist", node.Line, "a node of net %s has no (ref ...)", text.Quote(m.name))
		}
		if p.pad, ok = node.Text("pin"); !ok {
			f.add("netlist", node.Line, "a node of net %s has no (pin ...)", text.Quote(m.name))
		}
		m.pins = append(m.pins, p)
	}
	return m
}
