package netlist

import (
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
		if err = p.report(nil, err); err != nil {
			return err
		}
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
			if err = p.report(nil, err); err != nil {
				return err
			}
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
	if len(p.errs) > 0 {
		p.checkElements()
		return nil // the checks below would report consequences of these errors
	}
	if err := p.rejectUnsupported(); err != nil {
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
	p.addMOSFETSizes()
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
			if err = p.report(c, err); err != nil {
				return err
			}
		}
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
		if err := p.expandElement(st, in, depth); err != nil {
			if in.libraryLine > 0 {
				return err // expandInstance sets the line of the X element
			}
			if err = p.report(st, err); err != nil {
				return err
			}
		}
	}
	for _, st := range in.scope.block.initial {
		into := &p.ckt.IC
		if st.toks[0].text == ".nodeset" {
			into = &p.ckt.Nodeset
		}
		if err := p.nodeValues(st, into, in); err != nil {
			if err = p.report(st, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// expandElement adds one line of a block to the circuit.
func (p *parser) expandElement(st *statement, in *instance, depth int) error {
	kind := st.toks[0].text[0]
	if _, ok := nodeCount(kind); !ok || kind == 'a' && specialFunction(st) == "" {
		return p.unknownElement(st)
	}
	if kind == 'x' {
		return p.expandInstance(st, in, depth)
	}
	return p.element(st, kind, in)
}

// unknownElement returns the error for an element of an unsupported kind. Only the first one lists
// the supported kinds.
func (p *parser) unknownElement(st *statement) error {
	t := st.toks[0]
	what := "is not a supported element"
	if strings.IndexByte("anpuy", t.text[0]) >= 0 {
		what = "is an element of an unsupported kind"
	}
	if t.text[0] == 'a' && !p.listedFunctions {
		p.listedFunctions = true
		what += " (of A only the special functions of LTspice are read: eight nodes and one of " +
			strings.Join(specialNames, " ") + ")"
	}
	if !p.listedKinds {
		p.listedKinds = true
		what += "; allowed are R L C K V I E F G H B S W T O U D Q J Z M A and X"
	}
	return diag.On(diag.UnknownElement, st.line, t.text, "%s %s", t.raw, what)
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

// node returns the flattened name of a node of an instance. In an instance gnd is the pin of this
// name, if there is one, as in PSpice. 0 is always ground.
func (p *parser) node(name string, in *instance) string {
	name = in.withoutColons(unquoted(name))
	if in.prefix == "" || name == "0" {
		return ground(name)
	}
	if n, ok := in.nodes[name]; ok {
		return n
	}
	if name = ground(name); name == "0" {
		return name
	}
	if p.globals[name] && in.libraryLine == 0 {
		return p.globalNode(name, in)
	}
	return in.prefix + "." + name
}

// withoutColons converts the path of a node in the form of LTspice to that of SPICE. x1:out becomes
// x1.out, and u1:out of an instance xu1 becomes xu1.out. It returns other names unchanged.
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
