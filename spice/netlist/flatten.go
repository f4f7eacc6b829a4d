package netlist

import (
	"strings"

	"slipstick/spice/diag"
)

// Limits of the expansion, far above what the element limit lets through; they stop
// subcircuits that contain only each other.
const (
	maxInstances = 2000
	maxNesting   = 50
)

// nodeCount is how many nodes each kind of element has; 0: varies.
func nodeCount(kind byte) (int, bool) {
	switch kind {
	case 'r', 'l', 'c', 'v', 'i', 'd':
		return 2, true
	case 'e', 'g', 'm':
		return 4, true
	case 'q', 'x':
		return 0, true
	}
	return 0, false
}

// instance is one expansion of a block.
type instance struct {
	prefix string            // "", "x1", "x1.x2"
	nodes  map[string]string // pin -> outer node
	scope  *scope
	up     *instance
	line   int // of the X line, in a part of the library; 0 elsewhere
}

func (p *parser) flatten(cards []*statement) error {
	p.globals = map[string]bool{"0": true}
	p.seen, p.names, p.library = map[string]bool{}, map[string]int{}, map[string]bool{}
	p.ckt.Inner = map[string]bool{}
	for _, c := range cards {
		if c.toks[0].text == ".global" {
			for _, t := range c.flat() {
				p.globals[ground(t.text)] = true
			}
		}
	}
	top := p.newScope(p.top, nil)
	if err := p.expand(&instance{scope: top}, 0); err != nil {
		return err
	}
	// A parameter nobody uses must still be readable: a typing error there is an error.
	for _, d := range p.top.params {
		if _, err := top.lookup(d.line)(d.name, 0); err != nil {
			return err
		}
	}
	for _, c := range cards {
		if err := p.card(c, top); err != nil {
			return err
		}
	}
	if len(p.ckt.Elements) == 0 {
		return diag.At(diag.NoElements, 0, "the netlist has no elements")
	}
	return p.checkNodes()
}

// checkNodes makes sure that .ic and .nodeset name nodes that exist.
func (p *parser) checkNodes() error {
	for i, list := range [...][]NodeValue{p.ckt.IC, p.ckt.Nodeset} {
		for _, nv := range list {
			if !p.seen[nv.Node] && nv.Node != "0" {
				err := diag.At(diag.UnknownNode, nv.Line, "%s names node %s, which no element touches", [...]string{".ic", ".nodeset"}[i], nv.Node)
				err.Node = nv.Node
				return err
			}
		}
	}
	return nil
}

func (p *parser) expand(in *instance, depth int) error {
	for _, st := range in.scope.block.elements {
		kind := st.toks[0].text[0]
		if _, ok := nodeCount(kind); !ok {
			return unknownElement(st)
		}
		if kind == 'x' {
			if err := p.expandX(st, in, depth); err != nil {
				return err
			}
			continue
		}
		if err := p.element(st, kind, in); err != nil {
			return err
		}
	}
	return nil
}

func unknownElement(st *statement) error {
	t := st.toks[0]
	what := "is not an element this simulator knows"
	switch t.text[0] {
	case 'a', 'b', 'f', 'h', 'j', 'k', 'n', 'o', 's', 't', 'u', 'w', 'y', 'z':
		what = "is an element kind that is not supported"
	}
	return diag.On(diag.UnknownElement, st.line, t.text, "%s %s; allowed are R L C V I E G D Q M and X", t.raw, what)
}

// full gives an element its flattened name: r1 in x1 is r.x1.r1.
func (in *instance) full(name string) string {
	if in.prefix == "" {
		return name
	}
	return name[:1] + "." + in.prefix + "." + name
}

func ground(n string) string {
	if n == "gnd" {
		return "0"
	}
	return n
}

// node gives the flattened name of a node.
func (p *parser) node(name string, in *instance) string {
	name = ground(name)
	if in.prefix == "" {
		return name
	}
	if n, ok := in.nodes[name]; ok {
		return n
	}
	if p.globals[name] && (in.line == 0 || name == "0") {
		return name
	}
	return in.prefix + "." + name
}

// note lists a node. inner: it lies inside a part of the library.
func (p *parser) note(node string, inner bool) {
	if node == "0" || p.seen[node] {
		return
	}
	p.seen[node] = true
	p.ckt.Nodes = append(p.ckt.Nodes, node)
	if inner {
		p.ckt.Inner[node] = true
	}
}

// words gives how many tokens at the start of toks come before the first name=value.
func words(toks []token) int {
	for i, t := range toks {
		if t.text == "params:" || i+1 < len(toks) && toks[i+1].kind == equal || t.kind == equal {
			return i
		}
	}
	return len(toks)
}

func (p *parser) expandX(st *statement, in *instance, depth int) error {
	toks := st.flat()
	n := words(toks)
	name := in.full(st.toks[0].text)
	if n < 1 || toks[n-1].kind != word {
		return diag.On(diag.Syntax, st.line, name, "%s needs nodes and the name of a subcircuit", st.toks[0].raw)
	}
	sub := toks[n-1].text
	b, home := p.findSub(sub, in.scope)
	if b == nil {
		return diag.On(diag.UnknownSubcircuit, st.line, name, "%s uses subcircuit %s, which is not defined", st.toks[0].raw, sub)
	}
	if depth >= maxNesting {
		return diag.On(diag.SubcircuitRecursion, st.line, name, "subcircuits are nested more than %d deep", maxNesting)
	}
	for u := in; u != nil; u = u.up {
		if u.scope.block == b {
			return diag.On(diag.SubcircuitRecursion, st.line, name, "subcircuit %s contains itself", sub)
		}
	}
	if p.expands++; p.expands > maxInstances {
		return diag.On(diag.TooManyElements, st.line, name, "the netlist expands to more than %d subcircuit instances", maxInstances)
	}
	if n-1 != len(b.pins) && b.library {
		return diag.On(diag.SubcircuitPins, st.line, name, "%s connects %d nodes, but the library part %s has %d: %s",
			st.toks[0].raw, n-1, sub, len(b.pins), strings.Join(b.pins, " "))
	}
	if n-1 != len(b.pins) {
		return diag.On(diag.SubcircuitPins, st.line, name, "%s connects %d nodes, but subcircuit %s (line %d) has %d pins",
			st.toks[0].raw, n-1, sub, b.line, len(b.pins))
	}
	if old, ok := p.names[name]; ok {
		return diag.On(diag.DuplicateElement, st.line, name, "%s is already defined on line %d", name, old)
	}
	p.names[name] = st.line
	inner := &instance{prefix: st.toks[0].text, nodes: map[string]string{}, scope: p.newScope(b, home), up: in}
	if in.prefix != "" {
		inner.prefix = in.prefix + "." + inner.prefix
	}
	for i, pin := range b.pins {
		if toks[i].kind != word {
			return diag.On(diag.Syntax, st.line, name, "%s: a node must be a name, not an expression", st.toks[0].raw)
		}
		inner.nodes[ground(pin)] = p.node(toks[i].text, in)
	}
	if b.library {
		inner.line, inner.scope.line = st.line, st.line
		// Its pins are the user's nodes, even those that nothing else touches.
		for i := range b.pins {
			p.note(inner.nodes[ground(b.pins[i])], false)
		}
		if err := p.countOne(st.line, name); err != nil {
			return err
		}
	}
	defs, err := definitionTokens(toks[n:])
	if err != nil {
		return err
	}
	for _, d := range defs {
		v, err := in.scope.eval(d.text, d.line)
		if err != nil {
			return err
		}
		if inner.scope.params[d.name] == nil {
			p.warn(d.line, "subcircuit "+sub+" does not use parameter "+d.name)
		}
		inner.scope.params[d.name] = &parameter{line: d.line, value: v, state: 2}
	}
	err = p.expand(inner, depth+1)
	if d, ok := err.(*diag.Error); ok && b.library {
		// The lines of the library mean nothing to the user.
		d.Line, d.Element, d.Detail = st.line, name, st.toks[0].raw+" ("+sub+"): "+d.Detail
	}
	return err
}

// findSub looks a subcircuit up from the inside outwards, then in the library.
func (p *parser) findSub(name string, s *scope) (*block, *scope) {
	top := s
	for q := s; q != nil; q = q.parent {
		if b := q.block.subs[name]; b != nil {
			return b, q
		}
		top = q
	}
	if p.inject(name) {
		if b := p.top.subs[name]; b != nil {
			return b, top
		}
	}
	return nil, nil
}

func (p *parser) element(st *statement, kind byte, in *instance) error {
	raw := st.toks[0].raw
	e := Element{Kind: kind, Name: in.full(st.toks[0].text), Line: st.line}
	if old, ok := p.names[e.Name]; ok {
		return diag.On(diag.DuplicateElement, st.line, e.Name, "%s is already defined on line %d", e.Name, old)
	}
	p.names[e.Name] = st.line
	if in.line > 0 {
		// A part that is one transistor or diode has an operating point worth showing.
		e.Line, e.Inner = in.line, len(in.scope.block.elements) > 1
	} else if err := p.countOne(st.line, e.Name); err != nil {
		return err
	}
	toks := st.flat()
	n, _ := nodeCount(kind)
	if kind == 'q' {
		n = p.bipolarNodes(toks, in.scope)
	}
	have := words(toks)
	if have < n {
		return diag.On(diag.MissingNode, st.line, e.Name, "%s needs %d nodes and has %d", raw, n, have)
	}
	for _, t := range toks[:n] {
		if t.kind != word {
			return diag.On(diag.Syntax, st.line, e.Name, "%s: a node must be a name, not an expression", raw)
		}
		node := p.node(t.text, in)
		p.note(node, in.line > 0)
		e.Nodes = append(e.Nodes, node)
	}
	toks = toks[n:]
	switch kind {
	case 'd', 'q', 'm':
		if words(toks) == 0 {
			return diag.On(diag.UnknownModel, st.line, e.Name, "%s needs the name of a .model after its nodes", raw)
		}
		m, err := p.model(toks[0].text, in.scope)
		if err != nil {
			return err
		}
		if m == nil {
			return diag.On(diag.UnknownModel, st.line, e.Name, "%s uses model %s, which no .model card defines", raw, toks[0].text)
		}
		e.Model, toks = m, toks[1:]
	case 'r', 'c', 'l':
		if len(toks) > 0 && toks[0].kind == word {
			if _, num := ParseNumber(toks[0].text); !num && in.scope.find(toks[0].text) == nil && words(toks) > 0 {
				if m, err := p.model(toks[0].text, in.scope); err != nil {
					return err
				} else if m != nil {
					return diag.On(diag.NotAvailable, st.line, e.Name, "not yet supported: %s takes its value from model %s; give the value itself", raw, m.Name)
				}
			}
		}
	}
	if err := p.tail(&e, toks, in.scope, raw); err != nil {
		return err
	}
	p.ckt.Elements = append(p.ckt.Elements, e)
	return nil
}

// bipolarNodes tells whether a transistor has three nodes or a fourth for its substrate:
// the model's name is the fourth or the fifth word.
func (p *parser) bipolarNodes(toks []token, s *scope) int {
	for n := 3; n <= 4; n++ {
		if words(toks) > n {
			if m, _ := p.model(toks[n].text, s); m != nil {
				return n
			}
		}
	}
	return 3
}

// tail reads what follows nodes and model: values, words and name=value pairs.
func (p *parser) tail(e *Element, toks []token, s *scope, raw string) error {
	source := e.Kind == 'v' || e.Kind == 'i'
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.kind == equal && source:
			continue // "dc=5" reads as "dc 5"
		case t.kind == equal:
			return diag.On(diag.Syntax, t.line, e.Name, "%s: = without a name before it", raw)
		case !source && t.kind == word && i+1 < len(toks) && toks[i+1].kind == equal:
			if t.text == "file" {
				return diag.On(diag.ForbiddenCard, t.line, e.Name, "%s: file= is not allowed; netlists never read files", raw)
			}
			if i+2 >= len(toks) || toks[i+2].kind == equal {
				return diag.On(diag.MissingValue, t.line, e.Name, "%s: %s= has no value", raw, t.text)
			}
			v, err := s.number(toks[i+2], raw+": "+t.text)
			if err != nil {
				return withElement(err, e.Name)
			}
			e.Params = append(e.Params, Param{Name: t.text, Value: v, Line: t.line})
			i += 2
			// "ic=0.6,5" of a transistor lists several values; they belong to ic.
			for t.text == "ic" && e.Kind == 'q' && i+1 < len(toks) && toks[i+1].kind != equal {
				i++
			}
		default:
			if source && t.text == "file" {
				return diag.On(diag.ForbiddenCard, t.line, e.Name, "%s: file= is not allowed; netlists never read files", raw)
			}
			a := Arg{Text: t.text, Line: t.line}
			if t.kind == expr || !isSourceWord(t.text) {
				if v, err := s.number(t, raw); err == nil {
					a.Value, a.IsNumber = v, true
					p.suffixWarning(e.Kind, t)
				} else if t.kind == expr || s.find(t.text) != nil {
					return withElement(err, e.Name)
				}
			}
			e.Args = append(e.Args, a)
		}
	}
	return nil
}

func withElement(err error, name string) error {
	if d, ok := err.(*diag.Error); ok && d.Element == "" {
		d.Element = name
	}
	return err
}

func isSourceWord(s string) bool {
	switch s {
	case "dc", "ac", "sin", "pulse", "pwl", "exp", "sffm", "am":
		return true
	}
	return false
}

// suffixWarning points out the three suffixes that catch everybody.
func (p *parser) suffixWarning(kind byte, t token) {
	if t.kind != word || t.raw == "" || !isDigit(t.raw[0]) && t.raw[0] != '.' {
		return
	}
	unit := strings.TrimLeft(t.raw, "0123456789.")
	switch {
	case kind == 'c' && strings.EqualFold(unit, "f"):
		p.warn(t.line, t.raw+" is femtofarads in SPICE; for farads leave the F out")
	case kind == 'i' && strings.EqualFold(unit, "a"):
		p.warn(t.line, t.raw+" is attoamperes in SPICE; for amperes leave the A out")
	case kind == 'r' && unit == "M":
		p.warn(t.line, t.raw+" is milliohms in SPICE; megohms are written meg")
	}
}

// model finds a model from the inside outwards, then in the library, and evaluates it
// once per scope. nil without an error: there is none of that name.
func (p *parser) model(name string, s *scope) (*Model, error) {
	top := s
	for q := s; q != nil; q = q.parent {
		if m := q.models[name]; m != nil {
			return m, nil
		}
		if st := q.block.models[name]; st != nil {
			return p.readModel(st, name, q)
		}
		top = q
	}
	if p.inject(name) {
		if st := p.top.models[name]; st != nil {
			return p.readModel(st, name, top)
		}
	}
	return nil, nil
}

func (p *parser) readModel(st *statement, name string, s *scope) (*Model, error) {
	toks := st.flat()
	if len(toks) < 2 || toks[1].kind != word || len(toks) > 2 && toks[2].kind == equal {
		return nil, diag.At(diag.Syntax, st.line, ".model %s needs a type, such as .model %s d(is=1e-14)", name, name)
	}
	m := &Model{Name: name, Type: toks[1].text, Line: st.line}
	for i := 2; i < len(toks); i++ {
		t := toks[i]
		if t.kind != word || i+2 >= len(toks) || toks[i+1].kind != equal {
			return nil, diag.At(diag.Syntax, t.line, ".model %s: expected name=value, found %q", name, rest(t.raw))
		}
		if t.text == "file" {
			return nil, diag.At(diag.ForbiddenCard, t.line, ".model %s: file= is not allowed; netlists never read files", name)
		}
		v, err := s.number(toks[i+2], ".model "+name+": "+t.text)
		if err != nil {
			return nil, err
		}
		m.Params = append(m.Params, Param{Name: t.text, Value: v, Line: t.line})
		i += 2
	}
	if s.line > 0 {
		m.Line = s.line
		for i := range m.Params {
			m.Params[i].Line = s.line
		}
	}
	s.models[name] = m
	return m, nil
}
