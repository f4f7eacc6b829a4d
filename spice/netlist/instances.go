package netlist

import (
	"errors"
	"strings"

	"slipstick/spice/diag"
)

// Listing lists the elements at the top level of a netlist without expanding subcircuits.
type Listing struct {
	Title     string
	Instances []Instance // instances in netlist order
	Warnings  []string
}

// Instance describes one element line.
type Instance struct {
	Kind byte   // first letter of the name in lower case
	Name string // name as written
	Line int    // 1-based line number
	// Nodes holds the node names as written. It is empty for A, E, F, G, H, B, K, S and W, which
	// are not parts.
	Nodes []string
	Of    string // name of the model of D, Q and M, or of the subcircuit of X, as written
	// Value is the value of R, C and L as written, or all words of V and I after the nodes. For D,
	// Q, M and X it equals Of.
	Value  string
	Number float64 // value of R [Ω], C [F] or L [H]
	Valued bool    // Number is valid
}

// Instances lists the elements of a netlist for programs that need parts instead of a circuit, such
// as the board generator. It reads the same dialect as Parse and reports the same errors. However,
// models, analyses and .end are optional, and the arguments of A, E, F, G, H, B, K, S and W are
// ignored.
func Instances(text string, cfg Config) (*Listing, error) {
	text, err := validText(text, "a title line and elements")
	if err != nil {
		return nil, err
	}
	d, err := readDeck(text, true)
	if err != nil {
		return nil, err
	}
	p := &parser{cfg: cfg, ckt: &Circuit{Title: d.title, Warnings: d.warnings,
		InternalNodes: map[string]bool{}},
		globals: map[string]bool{"0": true}, seen: map[string]bool{}, names: map[string]int{},
		library: map[string]bool{}}
	p.top = newBlock("", 1, nil)
	p.reportLines(d)
	out, err := p.listing(d)
	if err := p.joined(err); err != nil {
		return nil, err
	}
	return out, nil
}

// listing lists the elements. It records errors and returns one after which nothing else can be
// read.
func (p *parser) listing(d *deck) (*Listing, error) {
	if err := p.classifyFirstLine(d); err != nil {
		return nil, err
	}
	var err error
	if d.stmts, err = p.selectTop(d.stmts); err != nil {
		return nil, err
	}
	warnings := p.ckt.Warnings
	cards, err := p.buildBlocks(d.stmts, p.top, true)
	if err != nil {
		return nil, err
	}
	if len(p.includes) > 0 { // The file may contain parts of the board.
		st := p.includes[0]
		return nil, diag.At(diag.ForbiddenCard, st.line,
			"%s is not allowed; netlists never read files, put what it holds into the text",
			st.toks[0].text)
	}
	top := p.newScope(p.top, nil)
	for _, c := range cards {
		// The contents of a card concern only the simulator, but its name must be known.
		if d, ok := errors.AsType[*diag.Error](p.card(c, top)); ok && d.Code == diag.UnknownCard {
			if err := p.report(c, d); err != nil {
				return nil, err
			}
		}
	}
	out := &Listing{Title: p.ckt.Title}
	// Drop the warnings of cards, which concern only a simulation.
	p.ckt.Warnings = warnings
	for _, st := range p.top.elements {
		in, err := p.instance(st, top)
		if err != nil {
			if err = p.report(st, err); err != nil {
				return nil, err
			}
		}
		out.Instances = append(out.Instances, in)
	}
	out.Warnings = p.ckt.Warnings
	return out, nil
}

// instance parses one element line of the top level.
func (p *parser) instance(st *statement, s *scope) (Instance, error) {
	raw, name := st.toks[0].raw, st.toks[0].text
	in := Instance{Kind: name[0], Name: raw, Line: st.line}
	if old, ok := p.names[name]; ok {
		return in, diag.On(diag.DuplicateElement, st.line, name, "%s is already defined on line %d",
			name, old)
	}
	p.names[name] = st.line
	toks := st.withoutParens()
	have := positionalCount(toks)
	var n int
	named := false // a model or subcircuit name follows the nodes
	switch in.Kind {
	case 'r', 'l', 'c', 'v', 'i':
		n = 2
	case 'e', 'g', 'f', 'h', 'b', 'k', 's', 'w':
		return in, nil
	case 'a':
		if specialFunction(st) == "" {
			return in, p.unknownElement(st)
		}
		return in, nil
	case 'd':
		n, named = 2, true
	case 'j', 'z':
		// The assignment of pin numbers depends on the manufacturer.
		return in, diag.On(diag.UnknownElement, st.line, name,
			"%s: there is no part for a junction field-effect transistor; use a subcircuit", raw)
	case 't', 'o':
		return in, diag.On(diag.UnknownElement, st.line, name,
			"%s: there is no part for a transmission line; draw it as a trace", raw)
	case 'm':
		n, named = p.mosfetNodes(toks, s), true
	case 'q':
		n, named = p.bipolarNodes(toks, s), true
		// Without a .model card the fifth token decides. A number is the area of a transistor with
		// three nodes, and a word is the model of a transistor with four nodes.
		if m, _ := p.modelAt(toks, n, s); m == nil && have > 4 {
			if _, number := ParseNumber(toks[4].text); !number {
				n = 4
			}
		}
	case 'x':
		n, named = have-1, true
	default:
		return in, p.unknownElement(st)
	}
	if n < 1 {
		return in, diag.On(diag.MissingNode, st.line, name,
			"%s needs nodes and the name of a subcircuit", raw)
	}
	if have < n {
		return in, diag.On(diag.MissingNode, st.line, name, "%s needs %d nodes and has %d",
			raw, n, have)
	}
	for _, t := range toks[:n] {
		if t.kind != word {
			return in, diag.On(diag.Syntax, st.line, name,
				"%s: a node must be a name, not an expression", raw)
		}
		in.Nodes = append(in.Nodes, t.raw)
	}
	toks = toks[n:]
	if named {
		if positionalCount(toks) == 0 || toks[0].kind != word {
			return in, diag.On(diag.UnknownModel, st.line, name,
				"%s needs %d nodes and the name of a model after them", raw, n)
		}
		in.Of, in.Value = toks[0].raw, toks[0].raw
		if in.Kind == 'x' {
			return in, p.checkPins(&in, s)
		}
		return in, nil
	}
	return in, p.instanceValue(&in, toks, s)
}

// modelAt returns the model that toks[i] names, or nil if there is none.
func (p *parser) modelAt(toks []token, i int, s *scope) (*Model, error) {
	if i >= len(toks) {
		return nil, nil
	}
	return p.model(toks[i].text, s)
}

// checkPins returns an error unless an X element has as many nodes as its subcircuit has pins.
func (p *parser) checkPins(in *Instance, s *scope) error {
	b, _ := p.findSubcircuit(strings.ToLower(in.Of), s)
	if b == nil {
		return diag.On(diag.UnknownSubcircuit, in.Line, strings.ToLower(in.Name),
			"%s uses subcircuit %s, which is not defined", in.Name, in.Of)
	}
	if ideal, _ := p.findSubcircuit("opamp.3", s); b.library && ideal != nil && b.name == "opamp" &&
		len(in.Nodes) == len(ideal.pins) {
		b = ideal
	}
	if len(in.Nodes) != len(b.pins) {
		return diag.On(diag.SubcircuitPins, in.Line, strings.ToLower(in.Name),
			"%s connects %d nodes, but subcircuit %s has %d pins",
			in.Name, len(in.Nodes), in.Of, len(b.pins))
	}
	return nil
}

// instanceValue sets the value of R, C and L, or the words of a source. toks are the tokens after
// the nodes.
func (p *parser) instanceValue(in *Instance, toks []token, s *scope) error {
	if in.Kind == 'v' || in.Kind == 'i' {
		var all []string
		for _, t := range toks {
			all = append(all, t.raw)
		}
		in.Value = strings.Join(all, " ")
		return nil
	}
	// "R1 a b r=10k" is an alternative form.
	if len(toks) >= 3 && toks[0].text == string(in.Kind) && toks[1].kind == equal {
		toks = toks[2:]
	}
	if len(toks) == 0 || toks[0].kind != expr && toks[0].kind != word || len(toks) > 1 &&
		toks[1].kind == equal {
		return nil
	}
	in.Value = toks[0].raw
	if v, err := s.number(toks[0], in.Name); err == nil {
		in.Number, in.Valued = v, true
	} else if toks[0].kind == expr {
		return withElement(err, strings.ToLower(in.Name))
	}
	return nil
}
