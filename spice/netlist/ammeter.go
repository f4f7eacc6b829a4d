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

// isCurrent reports whether name is the head of a current in an expression. The heads are i, those
// of terminals such as ic, and ix for a pin of a subcircuit.
func isCurrent(name string) bool {
	return name == "i" || name == "ix" || isTerminalCurrent(name)
}

// currentName returns the name of the element or ammeter whose current head(name) is, such as d1
// for i(d1), q1#c for ic(q1), and x1#out for ix(x1:out).
func currentName(head, name string) string {
	switch {
	case head == "ix":
		at := strings.LastIndexByte(name, ':')
		if at < 0 {
			at = strings.LastIndexByte(name, '.')
		}
		if at < 0 {
			return name + "#"
		}
		return strings.ReplaceAll(name[:at], ":", ".") + "#" + name[at+1:]
	case isTerminalCurrent(head):
		return name + "#" + head[1:]
	}
	return name
}

// VectorName returns the canonical form of the name of a current or power in lower case. It is
// i(d1) for @d1[i] and @d1[id], i(q1#c) for ic(q1) and @q1[ic], and i(x1#out) for ix(x1:out). It
// returns other names unchanged.
func VectorName(name string) string {
	if element, quantity, ok := strings.Cut(name, "["); ok && len(element) > 1 &&
		element[0] == '@' && strings.HasSuffix(quantity, "]") {
		element, quantity = element[1:], quantity[:len(quantity)-1]
		switch {
		case quantity == "i", quantity == "p":
			return quantity + "(" + element + ")"
		case !isTerminalCurrent(quantity):
			return name
		}
		kind := element[strings.LastIndexByte(element, '.')+1:] // of q.x1.q1
		if kind == "" || terminals[kind[0]] == "" {
			return "i(" + element + ")" // @d1[id]
		}
		return "i(" + element + "#" + quantity[1:] + ")"
	}
	head, element, ok := strings.Cut(name, "(")
	if !ok || !isCurrent(head) || head == "i" || !strings.HasSuffix(element, ")") {
		return name
	}
	return "i(" + currentName(head, element[:len(element)-1]) + ")"
}

// hasBranch reports whether the current of e is an unknown of the circuit equations.
func hasBranch(e *Element) bool {
	switch e.Kind {
	case 'v', 'l', 'e', 'h':
		return e.BSource == nil || e.BSource.Output == 'v'
	case 'b':
		return e.BSource != nil && e.BSource.Output == 'v'
	}
	return false
}

// hasComputedCurrent reports whether the current of e follows from the unknowns of the circuit
// equations without an ammeter.
func hasComputedCurrent(e *Element) bool {
	return hasBranch(e) || e.Kind == 'r' && e.BSource == nil
}

// addAmmeter inserts an ammeter: a voltage source of 0 V, whose current is an unknown. name is an
// element with two terminals, such as d1, or a terminal of a transistor, such as q1#c. addAmmeter
// does nothing if the element or terminal does not exist, or if known returns true for it. It
// returns the name of the ammeter, or "" without one.
func (p *parser) addAmmeter(name string, known func(*Element) bool) string {
	element, terminal, transistor := strings.Cut(name, "#")
	k := slices.IndexFunc(p.ckt.Elements, func(e Element) bool { return e.Name == element })
	if k < 0 {
		return ""
	}
	e, node := &p.ckt.Elements[k], 0
	if transistor {
		node = strings.Index(terminals[e.Kind], terminal)
	} else {
		terminal = "i"
		if strings.IndexByte("cdisgfbrw", e.Kind) < 0 || known(e) {
			return ""
		}
	}
	inner := element + "#" + terminal
	if _, exists := p.names[inner]; exists {
		return inner
	}
	if node < 0 || node >= len(e.Nodes) {
		return ""
	}
	p.names[inner] = e.Line
	p.registerNode(inner, true)
	outer := e.Nodes[node]
	e.Nodes = slices.Clone(e.Nodes)
	e.Nodes[node] = inner
	p.ckt.Elements = append(p.ckt.Elements, Element{Kind: 'v', Name: inner, Line: e.Line,
		Nodes: []string{outer, inner}, Internal: true, Parallel: e.Parallel})
	return inner
}

// findPinCurrents records the subcircuit pins whose currents ix() names in cards, in expressions of
// the top level and in Config.Vectors.
func (p *parser) findPinCurrents(cards []*statement) {
	p.pinCurrents = map[string]bool{}
	find := func(text string) {
		for text = strings.ToLower(text); ; {
			_, rest, ok := strings.Cut(text, "ix(")
			if !ok {
				return
			}
			text = rest
			if name, _, ok := strings.Cut(rest, ")"); ok {
				p.pinCurrents[currentName("ix", strings.TrimSpace(name))] = true
			}
		}
	}
	for _, list := range [...][]*statement{cards, p.top.elements} {
		for _, st := range list {
			for _, ch := range st.chunks {
				find(ch.text)
			}
		}
	}
	for _, v := range p.cfg.Vectors {
		find(v)
	}
}

// addPinAmmeter inserts an ammeter into a pin of an instance if a card or expression uses its
// current. prefix is the path of the instance, such as xu1.x2. LTspice omits the first x, or all.
// addPinAmmeter returns the node inside of the ammeter, or outer without one.
func (p *parser) addPinAmmeter(prefix, pin, outer string, in *instance, line int) string {
	first := strings.TrimPrefix(prefix, "x")
	plain := strings.ReplaceAll(first, ".x", ".")
	if !p.pinCurrents[prefix+"#"+pin] && !p.pinCurrents[first+"#"+pin] &&
		!p.pinCurrents[plain+"#"+pin] {
		return outer
	}
	name := prefix + "#" + pin
	p.names[name] = line
	p.registerNode(outer, false)
	p.registerNode(name, true)
	p.ckt.Elements = append(p.ckt.Elements, Element{Kind: 'v', Name: name, Line: line,
		Nodes: []string{outer, name}, Internal: true, Parallel: in.multiplier()})
	return name
}

// elementPath returns the flattened name of an element or ammeter for its path. The path x1:d1 or
// x1.d1 stands for d.x1.d1, and u1#out for xu1#out. It returns a name that exists unchanged.
func (p *parser) elementPath(name string) string {
	if _, exists := p.names[name]; exists {
		return name
	}
	element, terminal, hasTerminal := strings.Cut(name, "#")
	candidates := []string{"x" + name,
		"x" + strings.ReplaceAll(name, ".", ".x")} // paths of LTspice without the letters x
	path := strings.ReplaceAll(element, ":", ".")
	if at := strings.LastIndexByte(path, '.'); at > 0 && at+1 < len(path) {
		flat := path[at+1:at+2] + "." + path
		if hasTerminal {
			flat += "#" + terminal
		}
		candidates = append(candidates, flat)
		if _, exists := p.names[path[at+1:at+2]+"."+path]; exists {
			return flat
		}
	}
	for _, c := range candidates {
		if _, exists := p.names[c]; exists {
			return c
		}
	}
	return name
}

// nodePath returns the flattened name of a node that is given by its path in the form of LTspice,
// such as x1:out for x1.out. It returns other names unchanged.
func (p *parser) nodePath(name string) string {
	if flat := strings.ReplaceAll(name, ":", "."); !p.seen[name] && p.seen[flat] {
		return flat
	}
	return name
}

// addAmmeters inserts the ammeters for the currents that expressions of sources, .meas, .four,
// .fft, .save and Config.Vectors use. It returns an error if the current of a terminal or pin of an
// operand does not exist.
func (p *parser) addAmmeters() error {
	p.addControlAmmeters()
	addFor := func(o *Operand) error {
		if o == nil {
			return nil
		}
		p.resolveOperand(o)
		for _, name := range o.Vectors() {
			if name[0] != 'i' && name[0] != 'p' {
				continue
			}
			name = name[2 : len(name)-1]
			p.addAmmeter(name, hasComputedCurrent)
			if _, exists := p.names[name]; !exists && strings.Contains(name, "#") {
				return p.missingTerminal(name, o.Line)
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
	if err := p.expandSave(); err != nil {
		return err
	}
	p.ckt.Aliases = map[string]string{}
	for _, list := range [...][]string{p.ckt.Save, p.cfg.Vectors} {
		for _, name := range list {
			p.addVectorAmmeter(strings.ToLower(strings.ReplaceAll(name, " ", "")))
		}
	}
	return nil
}

// expandSave replaces names of .save with * and ?, such as v(x1:*) and i(*), by the nodes and the
// elements with two terminals that they match. It adds the currents of .options savecurrents. It
// returns an error above maxPatterns names with * and ?.
func (p *parser) expandSave() error {
	if p.saveCurrents {
		if len(p.ckt.Save) == 0 {
			p.ckt.Save = []string{"all"}
		}
		p.ckt.Save = append(p.ckt.Save, "i(*)")
	}
	var expanded []string
	patterns := 0
	taken := map[string]bool{}
	add := func(name string) {
		if !taken[name] {
			taken[name] = true
			expanded = append(expanded, name)
		}
	}
	for _, name := range p.ckt.Save {
		if taken[name] {
			continue
		}
		head, inner, call := strings.Cut(strings.TrimSuffix(name, ")"), "(")
		if !strings.ContainsAny(name, "*?") || !call || head != "v" && head != "i" && head != "p" {
			add(name)
			continue
		}
		taken[name] = true
		if patterns++; patterns > maxPatterns {
			return diag.At(diag.BadValue, 0, ".save has more than %d different names with * and ?",
				maxPatterns)
		}
		inner = strings.ReplaceAll(inner, ":", ".")
		found := false
		for _, n := range p.ckt.Nodes {
			if head == "v" && !p.ckt.InternalNodes[n] && matches(inner, n) {
				found = true
				add("v(" + n + ")")
			}
		}
		for k := range p.ckt.Elements {
			e := &p.ckt.Elements[k]
			_, path, _ := strings.Cut(e.Name, ".") // x1.d1 of d.x1.d1
			if head != "v" && !e.Internal && strings.IndexByte("rclvebhdisgfw", e.Kind) >= 0 &&
				(matches(inner, e.Name) || matches(inner, path)) {
				found = true
				add(head + "(" + e.Name + ")")
			}
		}
		if !found {
			p.warn(0, ".save: nothing matches "+excerpt(name))
		}
	}
	p.ckt.Save = expanded
	return nil
}

// maxPatterns is the largest number of different names with * and ? on .save cards. Each of them is
// compared with every node or element before a budget applies.
const maxPatterns = 100

// matches reports whether name matches a pattern in which * is any text and ? any byte. A mismatch
// returns to the last * only, so the time is at most the product of both lengths.
func matches(pattern, name string) bool {
	star, from := -1, 0 // position of the last *, and the first byte of name after its text
	i, k := 0, 0
	for k < len(name) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, from = i, k
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == name[k]):
			i++
			k++
		case star >= 0:
			from++
			i, k = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}

// addVectorAmmeter inserts the ammeter for a vector of .save or Config.Vectors and records its
// canonical name in Circuit.Aliases.
func (p *parser) addVectorAmmeter(name string) {
	canonical := VectorName(strings.TrimSuffix(strings.TrimSuffix(name, "_mag"), "_phase_deg"))
	head, inner, ok := strings.Cut(strings.TrimSuffix(canonical, ")"), "(")
	switch {
	case !ok:
		return
	case head == "v":
		canonical = "v(" + p.nodePath(inner) + ")"
	case head == "i" || head == "p":
		inner = p.elementPath(inner)
		p.addAmmeter(inner, hasComputedCurrent)
		canonical = head + "(" + inner + ")"
	}
	p.ckt.Aliases[name] = canonical
}

// resolveOperand replaces paths of LTspice in an operand by flattened names.
func (p *parser) resolveOperand(o *Operand) {
	resolve := func(kind byte, name string) string {
		switch {
		case name == "":
		case kind == 'v':
			return p.nodePath(name)
		case kind == 'i' || kind == 'p':
			return p.elementPath(name)
		}
		return name
	}
	for q := o; q != nil; q = q.Over {
		q.Plus, q.Minus = resolve(q.Kind, q.Plus), resolve(q.Kind, q.Minus)
		if q.Expr == nil {
			continue
		}
		for k := range q.Expr.Variables {
			v := &q.Expr.Variables[k]
			v.Plus, v.Minus = resolve(v.Kind, v.Plus), resolve(v.Kind, v.Minus)
		}
	}
}

// missingTerminal returns the error for the current of a terminal or pin that does not exist.
func (p *parser) missingTerminal(name string, line int) error {
	element, terminal, _ := strings.Cut(name, "#")
	if strings.HasPrefix(element, "x") || !isTerminalCurrent("i"+terminal) {
		return diag.At(diag.UnknownElement, line,
			"ix(%s:%s) needs an instance %s of a subcircuit with a pin %s", excerpt(element),
			excerpt(terminal), excerpt(element), excerpt(terminal))
	}
	return diag.At(diag.UnknownElement, line, "i%s(%s) needs a transistor %s with this terminal",
		terminal, excerpt(element), excerpt(element))
}

// control returns the name of the unknown for the current that controls a source, and inserts an
// ammeter if the element has none.
func (p *parser) control(name string) string {
	name = p.elementPath(name)
	if ammeter := p.addAmmeter(name, hasBranch); ammeter != "" {
		return ammeter
	}
	return name
}

// addControlAmmeters inserts the ammeters for the currents that control sources.
func (p *parser) addControlAmmeters() {
	for k := 0; k < len(p.ckt.Elements); k++ {
		law := p.ckt.Elements[k].BSource
		if law == nil {
			switch p.ckt.Elements[k].Kind {
			case 'f', 'h', 'w':
				for j, name := range p.ckt.Elements[k].Refs {
					p.ckt.Elements[k].Refs[j] = p.control(name)
				}
			}
			continue
		}
		var refs []string
		for j := range law.Variables {
			v := &law.Variables[j]
			if v.Kind != 'i' {
				continue
			}
			v.Plus = p.control(v.Plus)
			refs = append(refs, v.Plus)
		}
		p.ckt.Elements[k].Refs = refs
	}
}
