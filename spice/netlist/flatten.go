package netlist

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// These limits exceed the needs of any valid netlist. They stop the expansion of nested subcircuits
// without elements, to which the element limit does not apply.
const (
	maxInstances = 2000
	maxNesting   = 50
)

// nodeCount returns the number of nodes of an element kind, or 0 if it varies. The second result is
// false for an unknown kind.
func nodeCount(kind byte) (int, bool) {
	switch kind {
	case 'r', 'l', 'c', 'v', 'i', 'd', 'f', 'h', 'b', 'w':
		return 2, true
	case 'j', 'u', 'z':
		return 3, true
	case 'e', 'g', 'm', 'o', 's', 't':
		return 4, true
	case 'a':
		return specialTerminals, true
	case 'k', 'q', 'x':
		return 0, true
	}
	return 0, false
}

// instance is one expansion of a block.
type instance struct {
	prefix      string            // path of instance names, such as "", "x1" or "x1.x2"
	nodes       map[string]string // outer node of each pin, by pin name
	scope       *scope
	outer       *instance
	libraryLine int // line number of the X element of a library part, or 0 outside library parts
	// mult is the number of instances in parallel according to m=, or 0 without m=.
	mult     float64
	callLine int // line number of the X element
}

// multiplier returns the product of m= of an instance and all enclosing instances. It returns 0 if
// none of them has m=.
func (in *instance) multiplier() (product float64) {
	for ; in != nil; in = in.outer {
		switch {
		case in.mult == 0:
		case product == 0:
			product = in.mult
		default:
			product *= in.mult
		}
	}
	return product
}

func (p *parser) flatten(cards []*statement) error {
	p.globals = map[string]bool{"0": true}
	p.seen, p.names, p.library = map[string]bool{}, map[string]int{}, map[string]bool{}
	p.loads, p.universalOpAmps = map[string]string{}, map[string]bool{}
	p.ckt.InternalNodes = map[string]bool{}
	for _, c := range cards {
		if c.toks[0].text == ".global" {
			for _, t := range c.withoutParens() {
				p.globals[ground(t.text)] = true
			}
		}
	}
	p.findPinCurrents(cards)
	if err := p.readEarly(cards); err != nil {
		return err
	}
	if err := p.applyStepCards(cards); err != nil {
		return err
	}
	if q := p.cfg.Override; q != nil {
		p.setParam(q.Name, q.Value, q.Line)
	}
	top := p.newScope(p.top, nil)
	if err := p.expand(&instance{scope: top}, 0); err != nil {
		return err
	}
	used := p.usedSteps(top)
	// Evaluate unused parameters as well, so that their errors are reported.
	for _, d := range p.top.params {
		if _, err := top.lookup(d.line)(d.name, 0); err != nil && !d.optional {
			return err
		}
	}
	for _, step := range p.ckt.Steps {
		if q := top.params[step.Name]; q != nil {
			q.used = used[step.Name]
		}
	}
	if err := p.readCards(cards, top); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.modelSteps)) {
		if !p.modelStepUsed[name] {
			return diag.At(diag.UnknownModel, p.modelSteps[name][0].Line,
				".step names model %s, which no element uses", excerpt(name))
		}
	}
	p.warnUnusedSteps(top)
	p.warnInitialConditions()
	p.addShunts()
	p.applyMaxStep()
	if err := p.addAmmeters(); err != nil {
		return err
	}
	if len(p.ckt.Elements) == 0 {
		return diag.At(diag.NoElements, 0, "the netlist has no elements")
	}
	return p.checkNodes()
}

// readCards reads the cards of the top level, of which flatten has read some before.
func (p *parser) readCards(cards []*statement, top *scope) error {
	for _, c := range cards {
		name := c.toks[0].text
		if p.isAnalysis(name) {
			p.analysisCards = append(p.analysisCards, name[1:])
		}
		if name == ".ac" && p.firstAC == nil {
			p.firstAC = c
		}
	}
	for _, c := range cards {
		if err := p.card(c, top); err != nil {
			return err
		}
	}
	if err := p.rejectUnsupported(); err != nil {
		return err
	}
	for _, a := range p.ckt.Analyses {
		for _, sweep := range a.Sweeps {
			if p.usesTemper && sweep.Source == "temp" {
				return diag.At(diag.NotAvailable, a.Line, "not yet supported: .dc of temp with temper in a parameter or model; .step temp computes them at each temperature")
			}
		}
	}
	return nil
}

// readEarly reads the seed and the temperature from .options and .temp, because expressions need
// them before the other cards are read.
func (p *parser) readEarly(cards []*statement) error {
	seed := p.cfg.Seed
	p.earlyTempC = 27
	for _, c := range cards {
		switch c.toks[0].text {
		case ".temp":
			if toks := c.withoutParens(); len(toks) > 0 {
				if v, ok := ParseNumber(toks[0].text); ok {
					p.earlyTempC = v
				}
			}
		case ".options", ".option", ".opt":
			for i := 1; i+2 < len(c.toks); i++ {
				if c.toks[i+1].kind != equal {
					continue
				}
				v, ok := ParseNumber(c.toks[i+2].text)
				switch name := c.toks[i].text; {
				case name == "temp" && ok:
					p.earlyTempC = v
				case name == "seed" && p.cfg.Seed == nil:
					if !ok || v < 0 || v > 1<<53 || v != math.Trunc(v) {
						return diag.At(diag.BadOption, c.line,
							".options seed must be a whole number from 0 to 2^53, not %s",
							excerpt(c.toks[i+2].raw))
					}
					n := uint64(v)
					seed = &n
				}
			}
		}
	}
	p.seed, p.random = seed, newRandom(seed, p.cfg.Run)
	p.ckt.Random = seed != nil
	return nil
}

// temper returns the temperature of the circuit [°C] for expressions of parameters and models.
func (p *parser) temper() float64 {
	p.usesTemper = true
	switch {
	case p.cfg.TempC != nil && p.ckt.TemperatureStep() == nil:
		return *p.cfg.TempC
	case p.ckt.TempC != nil:
		return *p.ckt.TempC
	}
	return p.earlyTempC
}

// checkNodes returns an error if .ic or .nodeset names an unknown node.
func (p *parser) checkNodes() error {
	for i, list := range [...][]NodeValue{p.ckt.IC, p.ckt.Nodeset} {
		for _, nv := range list {
			if nv.Inductor == "" && !p.seen[nv.Node] && nv.Node != "0" {
				err := diag.At(diag.UnknownNode, nv.Line,
					"%s names node %s, which no element is connected to",
					[...]string{".ic", ".nodeset"}[i], nv.Node)
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
		if kind == 'a' && specialFunction(st) == "" {
			return unknownElement(st)
		}
		if kind == 'x' {
			if err := p.expandInstance(st, in, depth); err != nil {
				return err
			}
			continue
		}
		if err := p.element(st, kind, in); err != nil {
			return err
		}
	}
	for _, st := range in.scope.block.initial {
		into := &p.ckt.IC
		if st.toks[0].text == ".nodeset" {
			into = &p.ckt.Nodeset
		}
		if err := p.nodeValues(st, into, in); err != nil {
			return err
		}
	}
	return nil
}

func unknownElement(st *statement) error {
	t := st.toks[0]
	what := "is not a supported element"
	switch t.text[0] {
	case 'n', 'p', 'u', 'y':
		what = "is an element of an unsupported kind"
	case 'a':
		what = "is an element of an unsupported kind (of A only the special functions of LTspice " +
			"are read: eight nodes and one of " + strings.Join(specialNames, " ") + ")"
	}
	return diag.On(diag.UnknownElement, st.line, t.text,
		"%s %s; allowed are R L C K V I E F G H B S W T O U D Q J Z M A and X", t.raw, what)
}

// flatName returns the flattened name of an element. For example, r1 in instance x1 becomes
// r.x1.r1.
func (in *instance) flatName(name string) string {
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

// unquoted returns a node name without the double quotes that users of KiCad write around names
// with slashes. It returns a name of quotes alone unchanged.
func unquoted(name string) string {
	if bare := strings.ReplaceAll(name, `"`, ""); bare != "" {
		return bare
	}
	return name
}

// node returns the flattened name of a node of an instance.
func (p *parser) node(name string, in *instance) string {
	name = in.withoutColons(ground(unquoted(name)))
	if in.prefix == "" {
		return name
	}
	if n, ok := in.nodes[name]; ok {
		return n
	}
	if name == "0" {
		return name
	}
	if p.globals[name] && in.libraryLine == 0 {
		return p.globalNode(name, in)
	}
	return in.prefix + "." + name
}

// withoutColons converts the path of a node in the form of LTspice, such as x1:out or u1:out for a
// node of instance xu1, to x1.out or xu1.out. It returns other names unchanged.
func (in *instance) withoutColons(name string) string {
	first, _, ok := strings.Cut(name, ":")
	if !ok || in.scope == nil {
		return name
	}
	path := strings.ReplaceAll(name, ":", ".")
	switch b := in.scope.block; {
	case b.hasInstance(first):
		return path
	case b.hasInstance("x" + first):
		return "x" + path
	}
	return name
}

// hasInstance reports whether the block has an X element with this name.
func (b *block) hasInstance(name string) bool {
	if b.instanceNames == nil {
		b.instanceNames = map[string]bool{}
		for _, st := range b.elements {
			if st.toks[0].text[0] == 'x' {
				b.instanceNames[st.toks[0].text] = true
			}
		}
	}
	return b.instanceNames[name]
}

// globalNode returns the node that represents a global node inside an instance. It is the global
// node itself, or the inner node of addMultiplier if the instance has m=.
func (p *parser) globalNode(name string, in *instance) string {
	for in != nil && in.mult == 0 {
		in = in.outer
	}
	if in == nil {
		return name
	}
	if _, ok := in.nodes["global "+name]; !ok {
		in.nodes["global "+name] = p.addMultiplier(p.globalNode(name, in.outer), name, in)
	}
	return in.nodes["global "+name]
}

// addMultiplier connects an outer node of an instance with m= to a new inner node and returns the
// inner node. Both nodes have the same voltage, and m times the inner current flows at the outer
// node. The inner circuit thus describes one instance.
func (p *parser) addMultiplier(outer, pin string, in *instance) string {
	if outer == "0" {
		return outer // currents into ground need no scaling
	}
	inner := in.prefix + "." + pin + "#m"
	p.registerNode(outer, false)
	p.registerNode(inner, true)
	p.ckt.Elements = append(p.ckt.Elements, Element{Kind: 'x', Name: "x." + in.prefix + "#" + pin,
		Line: in.callLine, Nodes: []string{outer, inner},
		Args: []Arg{{Value: in.mult, IsNumber: true, Line: in.callLine}}, Internal: true})
	return inner
}

// registerNode adds a node to the circuit unless it is ground or already registered. inner marks
// nodes inside a library part.
func (p *parser) registerNode(node string, inner bool) {
	if node == "0" || p.seen[node] {
		return
	}
	p.seen[node] = true
	p.ckt.Nodes = append(p.ckt.Nodes, node)
	if inner {
		p.ckt.InternalNodes[node] = true
	}
}

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
		for _, pin := range b.pins {
			inner.nodes[ground(pin)] = p.addMultiplier(inner.nodes[ground(pin)], pin, inner)
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
		return nil, nil, diag.On(diag.UnknownSubcircuit, st.line, in.flatName(st.toks[0].text),
			"%s uses subcircuit %s, which is not defined", st.toks[0].raw, sub)
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
		inner.nodes[ground(pin)] = p.addPinAmmeter(inner.prefix, pin, p.node(nodes[i].text, in), in,
			st.line)
	}
	if !b.library {
		return inner, nil
	}
	inner.libraryLine, inner.scope.line = st.line, st.line
	// The pins of a library part are user nodes, even if no other element is connected.
	for _, pin := range b.pins {
		p.registerNode(inner.nodes[ground(pin)], false)
	}
	return inner, p.countComponent(st.line, name)
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
		inner.scope.params[d.name] = &parameter{line: d.line, value: v, state: 2}
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

// model looks up a model from the inner to the outer scopes and then in the library. It evaluates
// the model once per scope. It returns nil without an error if the model does not exist.
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
	if p.addLibraryPart(name) {
		if st := p.top.models[name]; st != nil {
			return p.readModel(st, name, top)
		}
	}
	return nil, nil
}

// baseModel reads "ako: base" (a kind of) in a .model card, a form of PSpice and LTspice. The
// parameters of the card override those of the base model. baseModel returns the base model and
// toks, in which the type of the base replaces "ako: base" and a type after it.
func (p *parser) baseModel(st *statement, name string, toks []token, s *scope) (*Model, []token,
	error) {
	rest := toks[2:]
	head := token{kind: word, text: strings.TrimPrefix(toks[1].text, "ako:"), line: toks[1].line}
	if head.text == "" && len(rest) > 0 {
		head, rest = rest[0], rest[1:]
	}
	if p.akoDepth++; p.akoDepth > 20 {
		return nil, nil, diag.At(diag.UnknownModel, st.line,
			".model %s: more than 20 models refer to each other by ako", name)
	}
	base, err := p.model(head.text, s)
	p.akoDepth--
	if err == nil && base == nil {
		err = diag.At(diag.UnknownModel, st.line, ".model %s: ako names model %s, which no .model "+
			"card defines", name, excerpt(head.text))
	}
	if err != nil {
		return nil, nil, err
	}
	if len(rest) > 0 && (len(rest) == 1 || rest[1].kind != equal) && rest[0].text == base.Type {
		rest = rest[1:]
	}
	head.text, head.raw = base.Type, base.Type
	return base, append([]token{toks[0], head}, rest...), nil
}

// toleranceLength returns the number of tokens of a tolerance of PSpice at the start of toks, such
// as DEV=5%, LOT 5 % or DEV/GAUSS/1=0.1, or 0 if there is none.
func toleranceLength(toks []token) int {
	kind, _, _ := strings.Cut(toks[0].text, "/")
	if toks[0].kind != word || kind != "dev" && kind != "lot" {
		return 0
	}
	n := 1
	if n < len(toks) && toks[n].kind == equal {
		n++
	}
	if n < len(toks) && (toks[n].kind == expr || scanMantissa(toks[n].text) > 0) {
		n++
	}
	if n < len(toks) && toks[n].text == "%" {
		n++
	}
	return n
}

// isModelFlag reports whether a parameter of a model may have no value: the channel of a VDMOS, and
// the words of LTRA that select the integration in ngspice.
func isModelFlag(kind, name string) bool {
	switch name {
	case "nchan", "pchan":
		return kind == "vdmos"
	case "nocontrol", "steplimit", "nosteplimit", "lininterp", "quadinterp", "mixedinterp",
		"truncnr", "truncdontcut":
		return kind == "ltra"
	}
	return false
}

// readModel reads a .model card into the scope s.
func (p *parser) readModel(st *statement, name string, s *scope) (*Model, error) {
	toks := st.withoutParens()
	var base *Model
	if len(toks) > 1 && strings.HasPrefix(toks[1].text, "ako:") {
		var err error
		if base, toks, err = p.baseModel(st, name, toks, s); err != nil {
			return nil, err
		}
	}
	if len(toks) < 2 || toks[1].kind != word || len(toks) > 2 && toks[2].kind == equal {
		return nil, diag.At(diag.Syntax, st.line,
			".model %s needs a type, such as .model %s d(is=1e-14)", name, name)
	}
	m := &Model{Name: name, Type: toks[1].text, Line: st.line, Unused: st.unused}
	if m.Type == "vdmosn" || m.Type == "vdmosp" {
		m.Params = append(m.Params, Param{Name: m.Type[5:] + "chan", Value: 1, Line: st.line})
		m.Type = "vdmos"
	}
	tolerances := false
	for i := 2; i < len(toks); {
		if n := toleranceLength(toks[i:]); n > 0 {
			tolerances = true
			i += n
			continue
		}
		n, err := p.modelParam(m, toks[i:], s)
		if err != nil {
			return nil, err
		}
		i += n
	}
	if tolerances {
		p.warn(st.line, "model "+name+": the tolerances DEV and LOT of PSpice are not used; "+
			"mc(x,tol) or gauss(x,tol,n) as the value draws a number in each run of .step")
	}
	if base != nil {
		inherited := slices.DeleteFunc(slices.Clone(base.Params), func(old Param) bool {
			return slices.ContainsFunc(m.Params, func(q Param) bool { return q.Name == old.Name })
		})
		m.Params = append(inherited, m.Params...)
	}
	for _, q := range p.modelSteps[name] {
		m.Params = slices.DeleteFunc(m.Params, func(old Param) bool { return old.Name == q.Name })
		m.Params = append(m.Params, q)
		p.modelStepUsed[name] = true
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

// modelParam parses the parameter at the start of toks into m.Params. It returns the number of
// tokens of the parameter.
func (p *parser) modelParam(m *Model, toks []token, s *scope) (int, error) {
	t := toks[0]
	assigned := len(toks) > 1 && toks[1].kind == equal
	at := 2 // index of the value
	switch {
	case isModelFlag(m.Type, t.text) && !assigned:
		m.Params = append(m.Params, Param{Name: t.text, Value: 1, Line: t.line})
		return 1, nil
	case t.kind == word && isLetter(rune(t.text[0])) && len(toks) > 1 && isValue(toks[1]):
		at = 1
		p.warn(t.line, "model "+m.Name+": "+t.raw+" "+excerpt(toks[at].raw)+" is read as "+t.raw+
			"="+excerpt(toks[at].raw))
	case t.kind != word || len(toks) < 3 || !assigned:
		return 0, diag.At(diag.Syntax, t.line, ".model %s: expected name=value, found %q",
			m.Name, excerpt(t.raw))
	}
	if t.text == "file" {
		return 0, diag.At(diag.ForbiddenCard, t.line,
			".model %s: file= is not allowed; netlists never read files", m.Name)
	}
	v, err := s.number(toks[at], ".model "+m.Name+": "+t.text)
	if err != nil && isPartText(t.text, toks[at]) {
		p.warn(t.line, "model "+m.Name+": "+t.text+"="+excerpt(toks[at].raw)+
			" is no number and is ignored")
		return at + 1, nil
	}
	if err != nil {
		return 0, err
	}
	switch t.text {
	case "is", "isr", "ikf", "ikr", "ik", "ise", "isc", "irb", "itf", "ibv", "it", "ih":
		v = p.readCurrent(toks[at], v)
	}
	m.Params = append(m.Params, Param{Name: t.text, Value: v, Line: t.line})
	return at + 1, nil
}
