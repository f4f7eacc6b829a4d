package netlist

import (
	"errors"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// positionalCount returns the number of tokens before the first name=value pair or params:.
func positionalCount(toks []token) int {
	for i, t := range toks {
		if t.text == "params:" || i+1 < len(toks) && toks[i+1].kind == equal || t.kind == equal {
			return i
		}
	}
	return len(toks)
}

// expandInstance adds the elements of an X element to the circuit.
func (p *parser) expandInstance(st *statement, in *instance, depth int) error {
	toks := st.withoutParens()
	n := positionalCount(toks)
	name := in.flatName(st.toks[0].text)
	if n < 1 || toks[n-1].kind != word {
		return diag.On(diag.Syntax, st.line, name, "%s needs nodes and the name of a subcircuit",
			st.toks[0].raw)
	}
	sub := toks[n-1].text
	b, home, err := p.instanceBlock(st, sub, n-1, in)
	if err != nil {
		return err
	}
	if b.library && strings.HasPrefix(sub, "level") {
		p.warnUniversalOpAmp(st, sub)
	}
	if depth >= maxNesting {
		return diag.On(diag.SubcircuitRecursion, st.line, name,
			"subcircuits are nested more than %d deep", maxNesting)
	}
	for u := in; u != nil; u = u.outer {
		if u.scope.block == b || u.scope.block.variantOf == b {
			return diag.On(diag.SubcircuitRecursion, st.line, name, "subcircuit %s contains itself",
				sub)
		}
	}
	if p.expands++; p.expands > maxInstances {
		return diag.On(diag.TooManyElements, st.line, name,
			"the netlist expands to more than %d subcircuit instances", maxInstances)
	}
	inner, err := p.connectInstance(st, toks[:n-1], sub, b, home, in)
	if err != nil {
		return err
	}
	given, err := p.instanceParams(st, toks[n:], sub, in, inner)
	if err != nil {
		return err
	}
	if b.library && strings.HasPrefix(sub, "level") {
		if err := inner.checkUniversalOpAmp(st, name, given); err != nil {
			return err
		}
	}
	if chosen, err := p.variant(b, inner.scope, given); err != nil {
		return err
	} else if chosen != b {
		// The parameters of the branches are now among those of the block.
		set := inner.scope.params
		inner.scope = p.newScope(chosen, home)
		inner.scope.line = inner.libraryLine
		for name := range given {
			inner.scope.params[name] = set[name]
		}
		b = chosen
	}
	if inner.mult != 0 {
		for i, pin := range b.pins {
			if !slices.Contains(b.pins[:i], pin) {
				inner.nodes[pin] = p.addMultiplier(inner.nodes[pin], pin, inner)
			}
		}
	}
	err = p.expand(inner, depth+1)
	if d, ok := errors.AsType[*diag.Error](err); ok && b.library {
		// Replace the line number of the library part, which is meaningless to the user.
		d.Line, d.Element, d.Detail = st.line, name, st.toks[0].raw+" ("+sub+"): "+d.Detail
	}
	return err
}

// instanceBlock returns the block of the subcircuit sub of an X element with a number of nodes,
// and the scope of its definition.
func (p *parser) instanceBlock(st *statement, sub string, nodes int, in *instance) (*block, *scope,
	error) {
	b, home := p.findSubcircuit(sub, in.scope)
	if b == nil {
		return nil, nil, missing(diag.On(diag.UnknownSubcircuit, st.line,
			in.flatName(st.toks[0].text), "%s uses subcircuit %s, which is not defined",
			st.toks[0].raw, sub), sub)
	}
	if b.unsupported != "" {
		return nil, nil, diag.On(diag.NotAvailable, st.line, in.flatName(st.toks[0].text),
			"not yet supported: %s uses subcircuit %s (line %d) with %s of PSpice; write optional "+
				"nodes as pins, and leave texts out", st.toks[0].raw, sub, b.line, b.unsupported)
	}
	if !b.library || sub != "opamp" || nodes != 3 {
		return b, home, nil
	}
	// LTspice's opamp.sub has three pins and no supplies.
	if ideal, top := p.findSubcircuit("opamp.3", in.scope); ideal != nil && ideal.library {
		b, home = ideal, top
		p.warn(st.line,
			st.toks[0].raw+": opamp with three nodes is that of LTspice: inverting input, "+
				"non-inverting input, output; one pole, no limits "+
				"(defaults Aol=100k, GBW=10meg)")
	}
	return b, home, nil
}

// warnUniversalOpAmp warns at the first X element with a universal op amp of LTspice.
func (p *parser) warnUniversalOpAmp(st *statement, sub string) {
	if p.universalOpAmps[sub] {
		return
	}
	p.universalOpAmps[sub] = true
	p.warn(st.line, st.toks[0].raw+": "+sub+" is the universal op amp of LTspice; the "+
		"library has a model of its own with these parameters"+map[bool]string{
		true: ", and a second pole in place of the delay"}[strings.HasSuffix(sub, "3b")])
}

// checkUniversalOpAmp returns an error for the given parameters of a universal op amp that are out
// of range. name is the flat name of the element.
func (in *instance) checkUniversalOpAmp(st *statement, name string, given map[string]bool) error {
	for _, param := range [...]string{"en", "enk", "in", "ink", "phimargin"} {
		if !given[param] {
			continue
		}
		switch v := in.scope.params[param].value; {
		case param == "phimargin" && !(v >= 1):
			return diag.On(diag.BadValue, st.line, name,
				"%s: phimargin must be at least 1 degree, not %g; from 90 on there is no second pole",
				st.toks[0].raw, v)
		case !(v >= 0):
			return diag.On(diag.BadValue, st.line, name, "%s: %s must not be negative, not %g",
				st.toks[0].raw, param, v)
		}
	}
	return nil
}

// connectInstance returns the instance of an X element with its pins connected to nodes. sub is
// the name of its subcircuit b, which is defined in the scope home.
func (p *parser) connectInstance(st *statement, nodes []token, sub string, b *block, home *scope,
	in *instance) (*instance, error) {
	raw, name := st.toks[0].raw, in.flatName(st.toks[0].text)
	if len(nodes) != len(b.pins) && b.library {
		return nil, diag.On(diag.SubcircuitPins, st.line, name,
			"%s connects %d nodes, but the library part %s has %d: %s",
			raw, len(nodes), sub, len(b.pins), strings.Join(b.pins, " "))
	}
	if len(nodes) != len(b.pins) {
		return nil, diag.On(diag.SubcircuitPins, st.line, name,
			"%s connects %d nodes, but subcircuit %s (line %d) has %d pins%s",
			raw, len(nodes), sub, b.line, len(b.pins), UnusedNote(b.unused))
	}
	if old, ok := p.names[name]; ok {
		return nil, diag.On(diag.DuplicateElement, st.line, name,
			"%s is already defined on line %d", name, old)
	}
	p.names[name] = st.line
	inner := &instance{prefix: st.toks[0].text, nodes: map[string]string{},
		scope: p.newScope(b, home), outer: in, callLine: st.line}
	if in.prefix != "" {
		inner.prefix = in.prefix + "." + inner.prefix
	}
	for i, pin := range b.pins {
		if nodes[i].kind != word {
			return nil, diag.On(diag.Syntax, st.line, name,
				"%s: a node must be a name, not an expression", raw)
		}
		outer := p.node(nodes[i].text, in)
		if first := slices.Index(b.pins, pin); first < i {
			if outer != p.node(nodes[first].text, in) {
				p.warn(st.line, raw+": the repeated pin "+pin+" of subcircuit "+sub+" leaves node "+
					excerpt(nodes[i].raw)+" open, as in ngspice")
			}
			continue
		}
		if !b.library {
			p.warnPin(st, sub, pin, outer, in)
		}
		inner.nodes[pin] = p.addPinAmmeter(inner.prefix, pin, outer, in, st.line)
	}
	if !b.library {
		return inner, nil
	}
	inner.libraryLine, inner.scope.line = st.line, st.line
	// The pins of a library part are user nodes, even if no other element is connected.
	for _, pin := range b.pins {
		p.registerNode(inner.nodes[pin], false)
	}
	return inner, p.countComponent(st.line, name)
}

// warnPin warns of a pin with a name of ground at another node. sub is the subcircuit of the X
// element st. A node that is the pin gnd of the enclosing instance has a warning already.
func (p *parser) warnPin(st *statement, sub, pin, node string, in *instance) {
	what := st.toks[0].raw + ": pin " + pin + " of subcircuit " + sub
	switch {
	case node == "0":
	case pin == "0":
		p.warn(st.line, what+" is ground, as in ngspice; node "+excerpt(node)+" is left open")
	case pin == "gnd" && node != in.nodes["gnd"]:
		p.warn(st.line, what+" is node "+excerpt(node)+", as in PSpice; in ngspice it is ground")
	}
}

// instanceParams sets the parameters of an X element in the scope of its instance inner. It returns
// the names of these parameters. sub is the name of the subcircuit.
func (p *parser) instanceParams(st *statement, toks []token, sub string, in,
	inner *instance) (map[string]bool, error) {
	b := inner.scope.block
	defs, err := definitionTokens(toks)
	if err != nil {
		return nil, err
	}
	given := map[string]bool{}
	for _, d := range defs {
		v, err := in.scope.eval(d.text, d.line)
		if err != nil {
			return nil, err
		}
		declared := inner.scope.params[d.name] != nil
		switch {
		case declared:
		case d.name == "m" && b.references("m"):
			p.warn(d.line, "subcircuit "+sub+" uses m in expressions without declaring it; "+
				"m is read as its parameter, not as a number of instances")
		case d.name == "m":
			if !(v > 0) || v > maxMultiplier {
				return nil, diag.On(diag.BadValue, d.line, in.flatName(st.toks[0].text),
					"%s: m= must be above 0, not %g", st.toks[0].raw, v)
			}
			if v != 1 {
				inner.mult = v
			}
			continue
		case !b.references(d.name):
			p.warn(d.line, "subcircuit "+sub+" does not use parameter "+d.name)
		}
		inner.scope.params[d.name] = &parameter{text: d.text, line: d.line, in: in.scope, value: v,
			state: 2}
		given[d.name] = true
	}
	return given, nil
}

// references reports whether an expression of the block contains the parameter name.
func (b *block) references(name string) bool {
	within := func(text string) bool {
		return slices.Contains(namesIn(text), name)
	}
	inExpression := func(st *statement) bool {
		return slices.ContainsFunc(st.toks, func(t token) bool {
			return t.kind == expr && within(t.text)
		})
	}
	for i := range b.conditional {
		st := &b.conditional[i]
		switch st.toks[0].text {
		case ".param", ".params", ".parameter", ".func", ".function", ".if", ".elseif", ".else":
			// These need no braces around expressions.
			if slices.ContainsFunc(st.chunks, func(ch chunk) bool { return within(ch.text) }) {
				return true
			}
		default:
			if inExpression(st) {
				return true
			}
		}
	}
	if slices.ContainsFunc(b.elements, inExpression) {
		return true
	}
	for _, d := range b.params {
		if within(d.text) {
			return true
		}
	}
	return false
}

// findSubcircuit looks up a subcircuit from the inner to the outer scopes and then in the library.
// It returns the subcircuit and the scope of its definition, or nil if the subcircuit does not
// exist.
func (p *parser) findSubcircuit(name string, s *scope) (*block, *scope) {
	top := s
	for q := s; q != nil; q = q.parent {
		if b := q.block.subs[name]; b != nil {
			return b, q
		}
		top = q
	}
	if p.addLibraryPart(name) {
		if b := p.top.subs[name]; b != nil {
			return b, top
		}
	}
	return nil, nil
}
