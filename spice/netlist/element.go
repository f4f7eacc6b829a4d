package netlist

import (
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// element parses one element line of an instance and adds the element to the circuit. kind is the
// first letter of the name.
func (p *parser) element(st *statement, kind byte, in *instance) error {
	raw := st.toks[0].raw
	e, err := p.newElement(st, kind, in)
	if err != nil {
		return err
	}
	switch kind {
	case 'r', 'c', 'l':
		st = withBareExpression(st)
	case 'e', 'g':
		st = withoutControlWord(st, in.scope.block)
	}
	toks := p.stripTrailingComment(st, kind)
	form := bsourceForm(st, kind, toks)
	if toks, err = p.readNodes(&e, st, form, toks, in); err != nil {
		return err
	}
	if kind == 'a' {
		return p.specialElement(&e, st, toks, in, raw)
	}
	if form == "" {
		if form, err = p.expressionForm(&e, st, toks, in); err != nil {
			return err
		}
	}
	if form != "" {
		if err := p.readBSource(&e, st, form, toks, in); err != nil {
			return withElement(err, e.Name)
		}
		if form == "law" {
			kind = 'b'
		}
		return p.addElement(&e, kind, in)
	}
	switch kind {
	case 'f', 'h', 'k':
		toks, err = p.readReferences(&e, toks, in, raw)
	case 'w':
		if toks, err = p.readReferences(&e, toks, in, raw); err == nil {
			toks, err = p.readModelName(&e, st, toks, in.scope)
		}
	case 'd', 'q', 'm', 'j', 's', 'o', 'u', 'z':
		toks, err = p.readModelName(&e, st, toks, in.scope)
	case 'r', 'c', 'l':
		toks, err = p.readPassiveModel(&e, toks, in.scope, raw)
	}
	if err != nil {
		return err
	}
	if err := p.readArguments(&e, toks, in.scope, raw); err != nil {
		return err
	}
	switch kind {
	case 'r', 'c', 'l':
		e.readNoiseless()
	case 'u':
		return p.uniformLine(&e, in)
	case 't':
		p.lossyLine(&e)
	case 'i':
		load := slices.ContainsFunc(e.Args, isLoad)
		e.Args = slices.DeleteFunc(e.Args, isLoad)
		p.setSource(&e, st, toks, in.scope)
		if load {
			e.Parallel = in.multiplier()
			return p.dissipativeLoad(e, st, in)
		}
	case 'v':
		p.setSource(&e, st, toks, in.scope)
		if err := p.readPort(&e); err != nil {
			return err
		}
	}
	return p.addElement(&e, kind, in)
}

// newElement returns an element with the name of an element line. It counts the element unless a
// library part contains it.
func (p *parser) newElement(st *statement, kind byte, in *instance) (Element, error) {
	e := Element{Kind: kind, Name: in.flatName(st.toks[0].text), Line: st.line}
	if old, ok := p.names[e.Name]; ok {
		return e, diag.On(diag.DuplicateElement, st.line, e.Name,
			"%s is already defined on line %d", e.Name, old)
	}
	p.names[e.Name] = st.line
	if in.libraryLine > 0 {
		// A library part with a single element, such as a diode, has an operating point in the
		// result.
		e.Line, e.Internal = in.libraryLine, len(in.scope.block.elements) > 1
		return e, nil
	}
	return e, p.countComponent(st.line, e.Name)
}

// readNodes parses the nodes of an element into e.Nodes. form is a result of bsourceForm, and toks
// are the tokens after the name. readNodes returns the tokens after the nodes.
func (p *parser) readNodes(e *Element, st *statement, form string, toks []token,
	in *instance) ([]token, error) {
	raw, kind := st.toks[0].raw, e.Kind
	n, _ := nodeCount(kind)
	switch kind {
	case 'q':
		n = p.bipolarNodes(toks, in.scope)
	case 'm':
		n = p.mosfetNodes(toks, in.scope)
	}
	if form != "" && form != laplaceKeyword && form != tableKeyword {
		n = 2
	}
	have := positionalCount(toks)
	if kind == 'a' {
		have-- // the name of the function
	}
	if reason := unsupportedForm(kind, toks); reason != "" {
		return nil, diag.On(diag.NotAvailable, st.line, e.Name, "not yet supported: %s: %s",
			raw, reason)
	}
	if have < n {
		return nil, diag.On(diag.MissingNode, st.line, e.Name, "%s needs %d nodes and has %d",
			raw, n, have)
	}
	for _, t := range toks[:n] {
		if t.kind != word {
			return nil, diag.On(diag.Syntax, st.line, e.Name,
				"%s: a node must be a name, not an expression", raw)
		}
		if kind == 'q' && len(t.text) > 2 && t.text[0] == '[' && strings.HasSuffix(t.text, "]") {
			t.text = t.text[1 : len(t.text)-1] // PSpice: Q1 c b e [substrate] model
		}
		node := p.node(t.text, in)
		p.registerNode(node, in.libraryLine > 0)
		e.Nodes = append(e.Nodes, node)
	}
	return toks[n:], nil
}

// expressionForm returns the form of an element that is computed by an expression, apart from the
// forms of bsourceForm: "switch", "diode", "resistor" or "storage". It returns "" for other
// elements. toks are the tokens after the nodes.
func (p *parser) expressionForm(e *Element, st *statement, toks []token,
	in *instance) (string, error) {
	if form := p.switchForm(e, toks, in); form != "" {
		return form, nil
	}
	if form := p.idealDiodeForm(e, toks, in); form != "" {
		return form, nil
	}
	if e.Kind == 'r' && isCircuitExpression(toks, "r") {
		return "resistor", nil
	}
	_, ok, err := chargeExpression(st, e.Kind, st.toks[0].text, toks)
	if err != nil || !ok {
		return "", err
	}
	return "storage", nil
}

// readModelName sets the model of an element, whose name is the first of toks. It returns the
// remaining tokens.
func (p *parser) readModelName(e *Element, st *statement, toks []token,
	s *scope) ([]token, error) {
	if positionalCount(toks) == 0 {
		return nil, diag.On(diag.UnknownModel, st.line, e.Name,
			"%s needs the name of a .model after its %d nodes", st.toks[0].raw, len(e.Nodes))
	}
	m, err := p.model(toks[0].text, s)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, missing(diag.On(diag.UnknownModel, st.line, e.Name,
			"%s uses model %s, which no .model card defines", st.toks[0].raw, toks[0].text),
			toks[0].text)
	}
	if e.Kind == 's' || e.Kind == 'w' {
		if err := m.rejectParams(e, "ilimit"); err != nil {
			return nil, err
		}
	}
	e.Model = m
	return toks[1:], nil
}

// readPassiveModel applies the model of R, C or L, whose name is the first of toks or follows the
// value. It returns the tokens for readArguments.
func (p *parser) readPassiveModel(e *Element, toks []token, s *scope,
	raw string) ([]token, error) {
	if positionalCount(toks) > 0 && toks[0].kind == word {
		if _, num := ParseNumber(toks[0].text); !num && s.find(toks[0].text) == nil {
			m, err := p.model(toks[0].text, s)
			if err == nil && m != nil {
				toks, err = p.applyPassiveModel(e, m, toks[1:], s, raw)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if positionalCount(toks) > 1 && toks[1].kind == word && isValue(toks[0]) {
		if m, err := p.model(toks[1].text, s); err == nil && m != nil {
			return p.applyPassiveModel(e, m, append(toks[:1:1], toks[2:]...), s, raw)
		}
	}
	return toks, nil
}

// setSource applies .step and the seed to an independent source, and warns of unusual values. toks
// are the tokens after its nodes.
func (p *parser) setSource(e *Element, st *statement, toks []token, s *scope) {
	p.waveformWarnings(st, toks, s)
	p.setSteppedSource(e)
	if p.seed != nil {
		seed := sourceSeed(*p.seed, p.cfg.Run, e.Name)
		e.Seed = &seed
	}
}

// unsupportedForm returns the reason why a known form of an element is not supported, with its
// alternative, or "" for other elements. toks are the tokens after the name.
func unsupportedForm(kind byte, toks []token) string {
	if n := len(toks); kind == 'k' && n > 2 && toks[n-1].kind == word {
		_, factor := ParseNumber(toks[n-2].text)
		factor = factor || toks[n-2].kind == expr
		if _, number := ParseNumber(toks[n-1].text); factor && !number {
			return "the core model " + excerpt(toks[n-1].raw) + ", with which PSpice counts the turns " +
				"of the inductors; leave it out and give the inductances in henries"
		}
	}
	if kind == 'u' && slices.ContainsFunc(toks, isDigitalSupply) {
		return "digital primitives of PSpice such as " + toks[0].raw + " do not exist here; write " +
			"a gate or flip-flop as an element A, such as A1 a 0 0 0 0 y 0 0 INV, or as a source B"
	}
	for i, t := range toks {
		named := i+1 < len(toks) && toks[i+1].kind == equal
		switch {
		case kind == 'l' && named && (t.text == "hc" || t.text == "bs" || t.text == "br"):
			return "the core model of LTspice (Hc, Br, Bs) has no flux here; write the flux, such as " +
				"Flux=1m*tanh(x)"
		case (kind == 'v' && t.text == "i" || kind == 'i' && t.text == "v") && i == 2 && named:
			return t.raw + "= of a source " + string(kind-'a'+'A') + "; write it as a source B"
		case kind == 'i' && i == 2 && named && t.text == "r":
			return "a current source as a load; write a resistor, or G with table {v(a,b)}"
		case (kind == 'e' || kind == 'g') && i == 2 && t.text == "chebyshev":
			return "chebyshev; write laplace with the poles of the filter"
		}
	}
	return ""
}

// isDigitalSupply reports whether t names a supply or a constant level of PSpice's digital
// simulator, which every digital primitive has among its nodes.
func isDigitalSupply(t token) bool {
	return strings.HasPrefix(t.text, "$g_d") || strings.HasPrefix(t.text, "$d_")
}

// addElement adds an element to the circuit, and the separate elements of its parasitics and of
// its model. kind is the kind of the element on the netlist line.
func (p *parser) addElement(e *Element, kind byte, in *instance) error {
	extra, err := p.addParasitics(e, kind)
	if err != nil {
		return err
	}
	extra = append(extra, p.addModelElements(e)...)
	e.Parallel = in.multiplier()
	p.appendElements(*e, extra)
	return nil
}

// appendElements adds an element and its separate elements to the circuit.
func (p *parser) appendElements(e Element, extra []Element) {
	for k := range extra {
		extra[k].Parallel = e.Parallel
	}
	p.ckt.Elements = append(append(p.ckt.Elements, e), extra...)
}

// withBareExpression returns a statement of R, C or L with its value as one token. In LTspice the
// value may be an expression without braces, or with braces around a part (R=1k*V(a), R={k}*V(a)).
// It returns others unchanged.
func withBareExpression(st *statement) *statement {
	name := st.toks[0].text[:1]
	for k := 3; k+2 < len(st.toks); k++ {
		value := st.toks[k+2:]
		if st.toks[k].text != name || st.toks[k+1].kind != equal ||
			value[0].kind != word && (value[0].kind != expr || !st.hasOperatorAfterBrace()) {
			continue
		}
		n := valueLength(value)
		if _, number := ParseNumber(value[0].text); n == 1 && (number ||
			value[0].kind == expr || !strings.ContainsAny(value[0].text, "+-*/^%<>&|!?:")) {
			return st
		}
		text := expressionText(value[:n])
		with := *st
		with.toks = append(append(st.toks[:k+2:k+2],
			token{kind: expr, text: text, raw: text, line: value[0].line}), value[n:]...)
		return &with
	}
	return st
}

// hasOperatorAfterBrace reports whether an operator follows a closing brace without a blank. After
// a blank a * begins a comment.
func (st *statement) hasOperatorAfterBrace() bool {
	for _, ch := range st.chunks {
		for rest := ch.text; ; {
			_, after, found := strings.Cut(rest, "}")
			if !found {
				break
			}
			if after != "" && strings.IndexByte("+-*/^%", after[0]) >= 0 {
				return true
			}
			rest = after
		}
	}
	return false
}

// stripTrailingComment returns the tokens after the element name without a trailing comment. A
// comment begins at a word that starts with *. This does not hold for B, E, G, V= and I= of
// sources, and Q= and Flux= of C and L, whose expressions may contain *.
func (p *parser) stripTrailingComment(st *statement, kind byte) []token {
	toks := st.withoutParens()
	charge := len(toks) > 3 && toks[3].kind == equal && (kind == 'c' && toks[2].text == "q" ||
		kind == 'l' && toks[2].text == "flux")
	if kind == 'e' || kind == 'g' || charge || bsourceForm(st, kind, toks) == "law" {
		return toks
	}
	for i, t := range toks {
		if i > 1 && t.kind == word && t.text[0] == '*' {
			p.warn(t.line,
				st.toks[0].raw+": the text from "+excerpt(t.raw)+" on is read as a comment")
			return toks[:i]
		}
	}
	return toks
}

// readReferences parses the element names at the start of toks into e.Refs: the controlling source
// of F, H and W, or the inductors of K. It returns the remaining tokens. raw is the element name in
// errors.
func (p *parser) readReferences(e *Element, toks []token, in *instance,
	raw string) ([]token, error) {
	n := 1
	if e.Kind == 'k' {
		if n = len(toks) - 1; n < 2 || positionalCount(toks) < n {
			return nil, diag.On(diag.MissingValue, e.Line, e.Name,
				"%s needs two or more inductors and a coupling factor: K1 L1 L2 0.99", raw)
		}
	}
	if positionalCount(toks) < n {
		return nil, diag.On(diag.MissingNode, e.Line, e.Name,
			"%s needs the name of the source whose current controls it after its nodes", raw)
	}
	for _, t := range toks[:n] {
		if t.kind != word {
			return nil, diag.On(diag.Syntax, t.line, e.Name,
				"%s: expected the name of an element, not an expression", raw)
		}
		e.Refs = append(e.Refs, in.flatName(t.text))
	}
	return toks[n:], nil
}

// bipolarNodes returns the number of nodes of a bipolar transistor. It is 4 if only the fifth token
// is a model, because a substrate node precedes it. If neither it nor the fourth is a known model,
// it is 4 if the fifth has the form of a name. toks are the tokens after the name.
func (p *parser) bipolarNodes(toks []token, s *scope) int {
	for n := 3; n <= 4; n++ {
		if positionalCount(toks) > n {
			if m, _ := p.model(toks[n].text, s); m != nil {
				return n
			}
		}
	}
	if hasSubstrate(toks) {
		return 4
	}
	return 3
}

// hasSubstrate reports whether the fifth token of a bipolar transistor has the form of a model
// name, so that the fourth is a substrate node. A number is an area. toks are the tokens after the
// name.
func hasSubstrate(toks []token) bool {
	return positionalCount(toks) > 4 && toks[4].kind == word && toks[4].text != "off" &&
		!isValue(toks[4])
}

// mosfetNodes returns the number of nodes of a MOSFET. It is 3 for a vdmos model without a bulk
// node and 4 otherwise. toks are the tokens after the name.
func (p *parser) mosfetNodes(toks []token, s *scope) int {
	if have := positionalCount(toks); have > 3 {
		if have > 4 {
			if m, _ := p.model(toks[4].text, s); m != nil {
				return 4
			}
		}
		if m, _ := p.model(toks[3].text, s); m != nil && m.Type == "vdmos" {
			return 3
		}
	}
	return 4
}
