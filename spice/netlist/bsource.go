package netlist

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// maxVariables is the largest number of voltages and currents in one expression.
const maxVariables = 64

// maxInstructions is the largest number of instructions in an expression that is evaluated in every
// iteration.
const maxInstructions = 10000

// bsourceForm classifies the syntax of a source with an expression. It returns "law" for B, V with
// V= and I with I=, and "load" for I with a table of its voltage. It returns "value" for E, F, G
// and H with value=, vol= or cur=. For other forms of E, F, G and H it returns the keyword of the
// form. It returns "" for any other element. kind is the element letter, and toks are the tokens
// after the element name.
func bsourceForm(st *statement, kind byte, toks []token) string {
	switch {
	case kind == 'b':
		return "law"
	case len(toks) < 3:
		return ""
	case kind == 'v' || kind == 'i':
		switch w := toks[2].text; {
		case w == string(kind) && len(toks) > 3 && toks[3].kind == equal:
			return "law"
		case kind == 'i' && (w == "tbl" || w == "table") && toks[2].kind == word && len(toks) > 4:
			return "load"
		}
		return ""
	case kind == 'f' || kind == 'h':
		switch {
		case toks[2].text == "poly":
			return "poly"
		case toks[2].text == "value" && len(toks) > 3 && (toks[3].kind == equal ||
			toks[3].kind == expr): // LTspice
			return "value"
		}
		return ""
	case kind != 'e' && kind != 'g':
		return ""
	}
	if len(toks) > 5 && toks[4].text == "laplace" && toks[5].kind == equal {
		return laplaceKeyword
	}
	if len(toks) > 6 && toks[4].text == "table" && toks[5].kind == equal {
		return tableKeyword
	}
	switch w := toks[2].text; w {
	case "value", "vol", "cur":
		// In "E1 a b value c 2" the word value is a node name.
		if len(toks) > 3 && (toks[3].kind == equal || toks[3].kind == expr) {
			return "value"
		}
	case "table":
		return w
	case "poly", "laplace", "freq":
		if len(toks) < 4 || toks[3].kind == expr || toks[3].kind == equal ||
			strings.ContainsAny(st.chunks[0].text, "({") {
			return w
		}
	}
	if len(toks) > 6 && toks[4].kind == word && toks[4].text == "table" {
		return tableKeyword
	}
	return ""
}

// laplaceKeyword is the form keyword of the LTspice syntax "E1 out 0 in 0 Laplace=1/(1+s)".
const laplaceKeyword = "laplace="

// tableKeyword is the form keyword of the LTspice syntax "E1 out 0 in 0 table=(0,0,1,5)", whose =
// may be missing.
const tableKeyword = "table="

// bsourceReader reads the expression of one source. Its methods return the text of the expression
// with its line number.
type bsourceReader struct {
	*parser
	e      *Element
	st     *statement
	nodes  []token // tokens after the element name, of which the first are the nodes
	toks   []token // tokens after the nodes
	in     *instance
	raw    string
	output byte // 'v' or 'i', or 0 if V=, I= or R= selects it
}

// readBSource parses the expression of a B source or of an equivalent form, and sets e.BSource.
// form is a result of bsourceForm or expressionForm. toks are the tokens after the nodes.
func (p *parser) readBSource(e *Element, st *statement, form string, toks []token,
	in *instance) error {
	r := &bsourceReader{parser: p, e: e, st: st, nodes: st.withoutParens(), toks: toks, in: in,
		raw: st.toks[0].raw, output: map[byte]byte{'e': 'v', 'f': 'i', 'g': 'i', 'h': 'v',
			'r': 'i', 's': 'i', 'w': 'i', 'c': 'i', 'd': 'i', 'l': 'v'}[e.Kind]}
	var t, transfer token
	var err error
	switch form {
	case "switch":
		t, err = r.smoothSwitch()
	case "diode":
		t, err = r.idealDiode()
	case "resistor":
		t, err = r.resistor()
	case "storage":
		t, err = r.storage()
	case "load":
		t, err = r.load()
	case "law":
		t, transfer, err = r.law()
	case "value":
		t, err = r.value()
	case "poly":
		t, err = r.poly()
	case "table", tableKeyword:
		t, err = r.table(form)
	case "laplace", laplaceKeyword:
		return p.laplace(e, st, toks, in, r.raw)
	default:
		return p.frequencyTable(e, toks, st.line, in, r.raw)
	}
	if err != nil {
		return err
	}
	if transfer.text != "" {
		e.Kind = map[byte]byte{'v': 'e', 'i': 'g'}[r.output]
		return p.transferSource(e, t, transfer, in, r.raw)
	}
	return p.compileBSource(e, &BSource{Output: r.output}, t.text, t.line, in, r.raw)
}

// voltage returns the voltage between two nodes of the element line as an expression.
func (r *bsourceReader) voltage(plus, minus int) string {
	return "v(" + r.nodes[plus].text + "," + r.nodes[minus].text + ")"
}

// withSourceParams applies the parameters after the text of a source to the text.
func (r *bsourceReader) withSourceParams(t token, params []definition) (token, error) {
	text, err := r.sourceParams(r.e, r.output, t.text, t.line, params, r.in, r.raw)
	return token{text: text, line: t.line}, err
}

func (r *bsourceReader) smoothSwitch() (token, error) {
	text, err := r.smoothSwitchExpression(r.e, r.nodes, r.toks, r.in, r.raw)
	if err != nil {
		return token{}, err
	}
	r.e.Kind, r.e.Nodes = 'b', r.e.Nodes[:2]
	return token{text: text, line: r.st.line}, nil
}

func (r *bsourceReader) idealDiode() (token, error) {
	text, err := r.idealDiodeExpression(r.e, r.nodes, r.toks, r.in, r.raw)
	r.e.Kind = 'b'
	return token{text: text, line: r.st.line}, err
}

func (r *bsourceReader) resistor() (token, error) {
	toks := r.toks
	if toks[0].kind != expr {
		toks = toks[2:]
	}
	rest, err := definitionTokens(toks[1:])
	if err != nil {
		return token{}, withElement(err, r.e.Name)
	}
	text, err := r.expressionParams(r.e, r.voltage(0, 1)+"/("+toks[0].text+")", rest, r.in, r.raw)
	r.e.Kind = 'b'
	return token{text: text, line: toks[0].line}, err
}

// storage reads a capacitor or an inductor.
func (r *bsourceReader) storage() (token, error) {
	text, _, err := chargeExpression(r.st, r.e.Kind, r.st.toks[0].text, r.toks)
	if err != nil {
		return token{}, err
	}
	var rest []definition
	if at := capacitanceEnd(r.toks, r.e.Kind); at > 0 {
		rest, err = definitionTokens(r.toks[at:])
	} else if rest, err = assignments(r.st); err == nil {
		rest = rest[1:] // q= or flux= comes first
	}
	if err != nil {
		return token{}, withElement(err, r.e.Name)
	}
	text, err = r.expressionParams(r.e, text, rest, r.in, r.raw)
	r.e.Kind = 'b'
	return token{text: text, line: r.st.line}, err
}

// load reads a current source with a table of its voltage.
func (r *bsourceReader) load() (token, error) {
	input := token{kind: expr, line: r.st.line, text: r.voltage(0, 1)}
	points, err := r.loadTable(r.toks[1:], r.raw)
	if err != nil {
		return token{}, err
	}
	text, err := r.tableExpression(append([]token{input}, points...), r.st.line, r.raw)
	r.e.Kind, r.output = 'b', 'i'
	return token{text: text, line: r.st.line}, err
}

// law reads a source with V=, I= or R=. It also returns the transfer function of laplace=, whose
// text is empty without it.
func (r *bsourceReader) law() (t, transfer token, err error) {
	written := r.e.Kind
	if r.e.Kind != 'b' {
		r.warn(r.st.line, r.raw+": the source with an expression is read as a source B")
		r.e.Kind = 'b'
	}
	if positionalCount(r.toks) > 0 {
		return t, transfer, diag.At(diag.Syntax, r.toks[0].line,
			"%s: expected V=, I= or R= after the nodes, found %q", r.raw, excerpt(r.toks[0].raw))
	}
	defs, err := assignments(r.st)
	if err != nil {
		return t, transfer, err
	}
	var rest []definition
	resistance := false
	for _, d := range defs {
		switch d.name {
		case "v", "i", "r":
			if r.output != 0 {
				return t, transfer, diag.At(diag.Syntax, d.line,
					"%s has more than one of V=, I= and R=", r.raw)
			}
			r.output, t = d.name[0], token{text: d.text, line: d.line}
			if d.name == "r" { // LTspice
				r.output, t.text = 'i', r.voltage(0, 1)+"/("+d.text+")"
				resistance = true
			}
		case "tripdv", "tripdt", "window", "nfft", "mtol", "nojacob":
			r.warn(d.line, r.raw+": "+d.name+"= of LTspice is ignored; it sets the time steps "+
				"or the precision there")
		case "laplace":
			transfer = token{text: d.text, line: d.line}
		case "rser":
			if written != 'b' {
				return t, transfer, diag.On(diag.NotAvailable, d.line, r.e.Name,
					"not yet supported: %s: rser= of a source with an expression", r.raw)
			}
			fallthrough
		default:
			rest = append(rest, d)
		}
	}
	if r.output == 0 {
		return t, transfer, diag.At(diag.MissingValue, r.st.line,
			"%s needs V=, I= or R= and an expression: %s out 0 V=v(in)^2", r.raw, r.raw)
	}
	if resistance {
		t.text, rest = r.withResistanceDrift(t.text, rest)
	}
	t, err = r.withSourceParams(t, rest)
	return t, transfer, err
}

// withResistanceDrift applies the temperature coefficients among params to the current through a
// resistance. It returns the current and the other parameters.
func (r *bsourceReader) withResistanceDrift(current string,
	params []definition) (string, []definition) {
	drift := ""
	rest := slices.DeleteFunc(params, func(d definition) bool {
		power, is := map[string]string{"tc1": "", "tc2": "**2"}[d.name]
		if is {
			drift += "+(" + d.text + ")*(temper-27)" + power
		}
		return is
	})
	if drift == "" {
		return current, rest
	}
	r.warn(r.st.line, r.raw+": tc1 and tc2 count from 27 °C")
	return "(" + current + ")/(1" + drift + ")", rest
}

// value reads E, F, G or H with value=, vol= or cur=.
func (r *bsourceReader) value() (token, error) {
	defs, err := assignments(r.st)
	if err != nil {
		return token{}, err
	}
	t := token{line: r.st.line}
	if r.toks[1].kind == expr {
		t = r.toks[1]
	} else if len(defs) > 0 {
		t, defs = token{text: defs[0].text, line: defs[0].line}, defs[1:]
	}
	return r.withSourceParams(t, defs)
}

func (r *bsourceReader) poly() (token, error) {
	toks, rest, err := cutParams(r.toks)
	if err != nil {
		return token{}, err
	}
	text, err := r.polynomial(r.e.Kind, toks[1:], r.st.line, r.in, r.raw)
	if err != nil {
		return token{}, err
	}
	return r.withSourceParams(token{text: text, line: r.st.line}, rest)
}

// table reads E or G with a table of an expression, or of its controlling nodes.
func (r *bsourceReader) table(form string) (token, error) {
	toks, rest, err := cutParams(r.toks)
	if err != nil {
		return token{}, err
	}
	points := toks[1:]
	if form == tableKeyword {
		input := token{kind: expr, line: r.st.line, text: r.voltage(2, 3)}
		points = append([]token{input}, points...)
		r.e.Nodes = r.e.Nodes[:2]
	}
	text, err := r.tableExpression(points, r.st.line, r.raw)
	if err != nil {
		return token{}, err
	}
	return r.withSourceParams(token{text: text, line: r.st.line}, rest)
}

// cutParams separates the name=value pairs after the form of E, F, G or H from its tokens.
func cutParams(toks []token) (form []token, params []definition, err error) {
	for k := 1; k+1 < len(toks); k++ {
		if toks[k].kind == word && toks[k+1].kind == equal {
			params, err = definitionTokens(toks[k:])
			return toks[:k], params, err
		}
	}
	return toks, nil, nil
}

// sourceParams reads the parameters after the expression text of a source: m=, the number of equal
// current sources in parallel, and the temperature coefficients tc1= and tc2=. It keeps rpar= and
// cpar= of B, V and I in e.Params for addParasitics. output is 'v' or 'i', and line is the line
// number of the text. sourceParams returns the expression of all m sources.
func (p *parser) sourceParams(e *Element, output byte, text string, line int, defs []definition,
	in *instance, raw string) (string, error) {
	if output == 'i' { // "I=2A"
		constant := token{kind: word, raw: strings.TrimSpace(text), line: line}
		if v := p.readCurrent(constant, math.NaN()); !math.IsNaN(v) {
			text = formatNumber(v)
		}
	}
	drift, mult := "", 1.0
	for _, d := range defs {
		switch {
		case d.name == "m":
			v, err := in.scope.eval(d.text, d.line)
			if err != nil {
				return "", err
			}
			if !(v > 0) || v > maxMultiplier {
				return "", diag.On(diag.BadValue, d.line, e.Name, "%s: m= must be above 0, not %g",
					raw, v)
			}
			if output == 'i' {
				text, mult = "("+text+")*"+formatNumber(v), v
			} else if v != 1 {
				p.warn(d.line, raw+": m= is ignored, because voltage sources in parallel have the "+
					"voltage of one; ngspice multiplies the voltage by m")
			}
		case d.name == "tc1":
			drift += "+(" + d.text + ")*(temper-27)"
		case d.name == "tc2":
			drift += "+(" + d.text + ")*(temper-27)**2"
		case e.Kind == 'b' && isParasitic('b', d.name):
			v, err := in.scope.eval(d.text, d.line)
			if err != nil {
				return "", err
			}
			e.Params = append(e.Params, Param{Name: d.name, Value: v, Line: d.line})
		default:
			p.warn(d.line, raw+": parameter "+d.name+" is unknown and ignored")
		}
	}
	// The expression holds m already, so e.Params must not have m.
	for k := range e.Params {
		switch q := &e.Params[k]; q.Name {
		case "rpar":
			q.Value /= mult
		case "cpar":
			q.Value *= mult
		}
	}
	if drift != "" {
		text = "(" + text + ")*(1" + drift + ")"
		p.warn(line, raw+": tc1 and tc2 count from 27 °C")
	}
	return text, nil
}

// expressionParams reads the parameters of R, C or L whose value is an expression of circuit
// quantities. It keeps parasitics in e.Params for addParasitics, and returns the expression text of
// the current or voltage of all m elements.
func (p *parser) expressionParams(e *Element, text string, defs []definition, in *instance,
	raw string) (string, error) {
	for _, d := range defs {
		t := token{kind: expr, text: d.text, raw: d.text, line: d.line}
		switch {
		case d.name == "m":
			v, err := in.scope.number(t, raw+": m")
			if err != nil {
				return "", withElement(err, e.Name)
			}
			if !(v > 0) || v > maxMultiplier {
				return "", diag.On(diag.BadValue, d.line, e.Name, "%s: m= must be above 0, not %g",
					raw, v)
			}
			e.Params = append(e.Params, Param{Name: "m", Value: v, Line: d.line})
			sign := "*"
			if e.Kind == 'l' {
				sign = "/"
			}
			text = "(" + text + ")" + sign + formatNumber(v)
		case isParasitic(e.Kind, d.name):
			v, err := in.scope.number(t, raw+": "+d.name)
			if err != nil {
				return "", withElement(err, e.Name)
			}
			e.Params = append(e.Params, Param{Name: d.name, Value: v, Line: d.line})
		case isRating(e.Kind, d.name):
			p.warn(d.line, raw+": "+ratingWarning(d.name, d.text))
		default:
			p.warn(d.line, raw+": parameter "+d.name+" is ignored, because the value is an expression "+
				"of circuit quantities")
		}
	}
	return text, nil
}

// bsourceCompiler resolves the names in the expression of one source.
type bsourceCompiler struct {
	*parser
	e    *Element
	law  *BSource
	line int
	in   *instance
	raw  string
}

// compileBSource compiles the expression text of a source into law. It also registers the nodes and
// elements to which the expression refers. raw is the element name in messages.
func (p *parser) compileBSource(e *Element, law *BSource, text string, line int, in *instance,
	raw string) error {
	c := &bsourceCompiler{parser: p, e: e, law: law, line: line, in: in, raw: raw}
	var err error
	if law.Program, err = compile(text, line, 0, resolver{parameter: in.scope.lookup(line),
		variable: c.variable, derivative: c.derivative, integral: c.integral,
		delay: c.delay, function: in.scope.userFunction, warn: p.warn,
		random: p.random, xor: p.ltspice}); err != nil {
		return err
	}
	if n := len(law.Program.code); n > maxInstructions {
		return diag.At(diag.BadExpression, line,
			"%s: the expression has %d operations; at most %d are computed", raw, n,
			maxInstructions)
	}
	if len(law.Variables) == 0 {
		if _, err := law.Program.constant(); err != nil {
			return err
		}
	}
	e.BSource = law
	for _, v := range law.Variables {
		switch v.Kind {
		case 'v':
			for _, n := range [...]string{v.Plus, v.Minus} {
				p.registerNode(n, in.libraryLine > 0)
				e.Nodes = append(e.Nodes, n)
			}
		case 'i':
			e.Refs = append(e.Refs, v.Plus)
		}
	}
	return nil
}

// add returns the index of a variable of the expression.
func (c *bsourceCompiler) add(v Variable) (int, error) {
	if i := slices.Index(c.law.Variables, v); i >= 0 {
		return i, nil
	}
	if len(c.law.Variables) == maxVariables {
		return 0, diag.At(diag.BadExpression, c.line,
			"%s: the expression uses more than %d voltages and currents", c.raw, maxVariables)
	}
	c.law.Variables = append(c.law.Variables, v)
	return len(c.law.Variables) - 1, nil
}

// variable is the function of the same name of resolver.
func (c *bsourceCompiler) variable(head string, nodes []string, call bool) (int, bool, error) {
	v := Variable{Minus: "0"}
	switch {
	case call && head == "v" && (len(nodes) == 1 || len(nodes) == 2):
		v.Kind, v.Plus = 'v', c.node(nodes[0], c.in)
		if len(nodes) == 2 {
			v.Minus = c.node(nodes[1], c.in)
		}
	case call && head == "ix" && len(nodes) == 1 && c.in.prefix == "":
		v.Kind, v.Plus = 'i', currentName(head, nodes[0])
	case call && head != "ix" && isCurrent(head) && len(nodes) == 1:
		v.Kind, v.Plus = 'i', currentName(head, c.in.flatName(nodes[0]))
	case call && (head == "v" || isCurrent(head)):
		what := "one element"
		if head == "v" {
			what = "one or two nodes"
		}
		return 0, false, diag.At(diag.BadExpression, c.line, "%s: %s() takes %s", c.raw, head, what)
	case !call && head == "time":
		v.Kind = 't'
	case !call && (head == "temper" || head == "temp" && c.in.scope.find(head) == nil):
		v.Kind = 'k'
	case !call && (head == "hertz" || head == "freq") && c.in.scope.find(head) == nil:
		v.Kind = 'f'
		if head == "freq" {
			c.warn(c.line, c.raw+": freq is read as hertz, the frequency of .ac, which is 0 "+
				"elsewhere")
		}
	default:
		return 0, false, nil
	}
	i, err := c.add(v)
	return i, err == nil, err
}

// derivative is the function of the same name of resolver.
func (c *bsourceCompiler) derivative(text string) (int, error) {
	name, err := c.addDerivative(c.e, text, c.line, c.in, c.raw)
	if err != nil {
		return 0, err
	}
	return c.add(Variable{Kind: 'i', Plus: name, Minus: "0"})
}

// integral is the function of the same name of resolver.
func (c *bsourceCompiler) integral(text string, initial float64) (int, error) {
	node, err := c.addIntegral(c.e, text, initial, c.line, c.in, c.raw)
	if err != nil {
		return 0, err
	}
	return c.add(Variable{Kind: 'v', Plus: node, Minus: "0"})
}

// delay is the function of the same name of resolver.
func (c *bsourceCompiler) delay(text string, seconds float64) (int, error) {
	node, err := c.addDelay(c.e, text, seconds, c.line, c.in, c.raw)
	if err != nil {
		return 0, err
	}
	return c.add(Variable{Kind: 'v', Plus: node, Minus: "0"})
}

// maxExtraStates is the largest number of additional states in a netlist. Each ddt(), idt(),
// delay() and freq counts as one state. A LAPLACE source counts as its order plus one. Each state
// adds at least one node.
const maxExtraStates = 100

// addDerivative adds a voltage source with the expression text [V] and a 1 F capacitor across it.
// The capacitor current is the derivative, which is 0 at DC. addDerivative returns the name of the
// source, whose current is minus the derivative. e is the element that contains the expression, and
// raw is its name in errors.
func (p *parser) addDerivative(e *Element, text string, line int, in *instance,
	raw string) (string, error) {
	if p.extraStates++; p.extraStates > maxExtraStates {
		return "", diag.At(diag.BadExpression, line, "%s: the netlist has more than %d ddt()", raw,
			maxExtraStates)
	}
	node := e.Name + "#ddt" + itoa(p.extraStates)
	source := Element{Kind: 'b', Name: node, Line: e.Line, Nodes: []string{node, "0"},
		Internal: true}
	p.registerNode(node, true)
	if err := p.compileBSource(&source, &BSource{Output: 'v'}, text, line, in, raw); err != nil {
		return "", err
	}
	one := Arg{Text: "1", Value: 1, IsNumber: true, Line: e.Line}
	p.ckt.Elements = append(p.ckt.Elements, source,
		Element{Kind: 'c', Name: node + "#c", Line: e.Line, Nodes: []string{node, "0"},
			Args: []Arg{one}, Internal: true})
	return node, nil
}

// addIntegral adds a current source with the expression text [A] that charges a 1 F capacitor.
// Another element sets the initial value at DC. addIntegral returns the node, whose voltage is the
// integral. e is the element that contains the expression, and raw is its name in errors.
func (p *parser) addIntegral(e *Element, text string, initial float64, line int, in *instance,
	raw string) (string, error) {
	if p.extraStates++; p.extraStates > maxExtraStates {
		return "", diag.At(diag.BadExpression, line,
			"%s: the netlist has more than %d ddt() and idt()", raw, maxExtraStates)
	}
	node := e.Name + "#idt" + itoa(p.extraStates)
	source := Element{Kind: 'b', Name: node, Line: e.Line, Nodes: []string{"0", node},
		Internal: true}
	p.registerNode(node, true)
	if err := p.compileBSource(&source, &BSource{Output: 'i'}, text, line, in, raw); err != nil {
		return "", err
	}
	number := func(v float64) []Arg {
		return []Arg{{Text: formatNumber(v), Value: v, IsNumber: true, Line: e.Line}}
	}
	p.ckt.Elements = append(p.ckt.Elements, source,
		Element{Kind: 'c', Name: node + "#c", Line: e.Line, Nodes: []string{node, "0"},
			Args: number(1), Internal: true,
			Params: []Param{{Name: "ic", Value: initial, Line: e.Line}}},
		Element{Kind: 'y', Name: node + "#y", Line: e.Line, Nodes: []string{node, "0"},
			Args: number(initial), Internal: true})
	return node, nil
}

// addDelay adds a voltage source with the expression text [V] and a matched lossless line of 1 Ω
// with a delay of the given seconds. It returns the node at the end of the line, which has the
// delayed voltage. e is the element that contains the expression, and raw is its name in errors.
func (p *parser) addDelay(e *Element, text string, seconds float64, line int, in *instance,
	raw string) (string, error) {
	if p.extraStates++; p.extraStates > maxExtraStates {
		return "", diag.At(diag.BadExpression, line,
			"%s: the netlist has more than %d ddt(), idt() and delay()", raw, maxExtraStates)
	}
	input := e.Name + "#delay" + itoa(p.extraStates)
	end := input + "end"
	source := Element{Kind: 'b', Name: input, Line: e.Line, Nodes: []string{input, "0"},
		Internal: true}
	p.registerNode(input, true)
	p.registerNode(end, true)
	if err := p.compileBSource(&source, &BSource{Output: 'v'}, text, line, in, raw); err != nil {
		return "", err
	}
	number := func(name string, v float64) Param {
		return Param{Name: name, Value: v, Line: e.Line}
	}
	p.ckt.Elements = append(p.ckt.Elements, source,
		Element{Kind: 't', Name: input + "#t", Line: e.Line, Nodes: []string{input, "0", end, "0"},
			Params: []Param{number("z0", 1), number("td", seconds)}, Internal: true},
		Element{Kind: 'r', Name: input + "#r", Line: e.Line, Nodes: []string{end, "0"},
			Args:   []Arg{{Text: "1", Value: 1, IsNumber: true, Line: e.Line}},
			Params: []Param{number("noisy", 0)}, Internal: true})
	return end, nil
}

// chargeExpression converts a nonlinear capacitor or inductor with the given name to an expression
// with ddt(). It accepts "C1 a b Q=f(x)" and "L1 a b Flux=f(x)" of LTspice, where x is the voltage
// or current. It also accepts "C1 a b {f(v(a))}", whose value depends on voltages and currents. ok
// is false for other elements. toks are the tokens after the nodes.
func chargeExpression(st *statement, kind byte, name string,
	toks []token) (text string, ok bool, err error) {
	key := map[byte]string{'c': "q", 'l': "flux"}[kind]
	if key == "" || len(toks) == 0 {
		return "", false, nil
	}
	nodes := st.withoutParens()
	x := "v(" + nodes[0].text + "," + nodes[1].text + ")"
	if kind == 'l' {
		x = "i(" + name + ")"
	}
	if at := capacitanceEnd(toks, kind); at > 0 {
		return "(" + toks[at-1].text + ")*ddt(" + x + ")", true, nil
	}
	if len(toks) < 3 || toks[0].text != key || toks[1].kind != equal {
		return "", false, nil
	}
	defs, err := assignments(st)
	if err != nil || len(defs) == 0 {
		return "", false, err
	}
	f := userFunction{args: []string{"x"}, body: defs[0].text}
	return "ddt(" + f.substitute([]string{x}) + ")", true, nil
}

// capacitanceEnd returns the number of leading tokens that form the expression of a capacitance or
// inductance. It returns 0 if the value is not an expression of circuit quantities.
func capacitanceEnd(toks []token, kind byte) int {
	switch {
	case !isCircuitExpression(toks, string(kind)):
		return 0
	case toks[0].kind == expr:
		return 1
	}
	return 3
}

// loadTable returns the points of a load in which each current may have the unit A. raw is the
// element name in errors.
func (p *parser) loadTable(toks []token, raw string) ([]token, error) {
	var points []token
	for _, t := range toks {
		if t.kind == equal && len(points) == 0 {
			continue // "TBL=(0 0 1 1m)"
		}
		_, number := ParseNumber(t.text)
		_, mixed := rkmNumber(t.raw)
		if t.kind == equal || t.kind == word && !number && !mixed {
			return nil, diag.At(diag.Syntax, t.line,
				"%s: TBL takes pairs of a voltage and a current, not %q", raw, excerpt(t.raw))
		}
		if v := p.readCurrent(t, math.NaN()); len(points)%2 == 1 && !math.IsNaN(v) {
			t.text = formatNumber(v)
		}
		points = append(points, t)
	}
	if len(points) < 2 || len(points)%2 != 0 {
		return nil, diag.At(diag.Syntax, toks[0].line,
			"%s: TBL takes pairs of a voltage and a current, not %d values", raw, len(points))
	}
	return points, nil
}

// tableExpression converts the tokens of "table {x} = (x1,y1) (x2,y2) ..." of E and G elements to
// an expression. raw is the element name in errors.
func (p *parser) tableExpression(toks []token, line int, raw string) (string, error) {
	var parts []string
	for _, t := range toks {
		switch {
		case t.kind == equal:
		case len(parts) == 0 && t.kind != expr:
			return "", diag.At(diag.Syntax, line, "%s: table needs an expression in braces and pairs of numbers: table {v(in)} = (0,0) (1,5)", raw)
		default:
			parts = append(parts, t.text)
		}
	}
	return "table(" + strings.Join(parts, ",") + ")", nil
}

// assignments parses the name=expression pairs of an element. It uses the source text instead of
// the tokens, because the expressions may contain blanks, commas and parentheses.
func assignments(st *statement) ([]definition, error) {
	for i, ch := range st.chunks {
		if name, at, _ := nextAssignment(ch.text); name != "" {
			rest := append([]chunk{{ch.text[at:], ch.line}}, st.chunks[i+1:]...)
			return definitions(rest, 0)
		}
	}
	return nil, nil
}

// polynomial converts "poly(n) a+ a- b+ b- p0 p1 ..." of E and G, or "poly(n) va vb p0 p1 ..." of F
// and H, to an expression. The coefficients belong to 1, to the n controls, to their pairwise
// products and so on. In the products the first factor varies slowest. A single coefficient of
// poly(1) is the gain (SPICE2 user's guide, appendix B).
func (p *parser) polynomial(kind byte, toks []token, line int, in *instance,
	raw string) (string, error) {
	controls, rest, err := polynomialControls(kind, toks, line, raw)
	if err != nil {
		return "", err
	}
	n := len(controls)
	var coefficients []float64
	for _, t := range rest {
		v, err := in.scope.number(t, raw+": a coefficient of poly")
		if err != nil {
			return "", err
		}
		coefficients = append(coefficients, v)
	}
	switch {
	case len(coefficients) == 0:
		return "", diag.At(diag.MissingValue, toks[0].line, "%s: poly(%d) has no coefficients", raw,
			n)
	case len(coefficients) > 200:
		return "", diag.At(diag.BadValue, toks[0].line, "%s: poly has more than 200 coefficients",
			raw)
	case n == 1 && len(coefficients) == 1:
		coefficients = []float64{0, coefficients[0]}
	}
	var sum strings.Builder
	term := []int{} // ascending indices of the factors of the product
	for i, c := range coefficients {
		fmt.Fprintf(&sum, "+(%g)", c)
		for _, k := range term {
			sum.WriteString("*" + controls[k])
		}
		if i+1 < len(coefficients) {
			term = nextProduct(term, n)
		}
	}
	return sum.String(), nil
}

// polynomialControls parses the number of controls of a polynomial and the controls. It returns the
// controls as expressions, and the tokens of the coefficients. toks begins with the number.
func polynomialControls(kind byte, toks []token, line int,
	raw string) (controls []string, coefficients []token, err error) {
	n := 0
	if len(toks) > 0 && toks[0].kind == word {
		if v, ok := ParseNumber(toks[0].text); ok && v >= 1 && v <= 16 && v == float64(int(v)) {
			n = int(v)
		}
	}
	if n == 0 {
		return nil, nil, diag.At(diag.BadValue, line,
			"%s: poly needs its number of controls, 1 to 16, in parentheses", raw)
	}
	each, what := 2, "nodes"
	if kind == 'f' || kind == 'h' {
		each, what = 1, "sources"
	}
	first := 1 + each*n // index of the first coefficient
	if len(toks) < first {
		return nil, nil, diag.At(diag.MissingNode, toks[0].line,
			"%s: poly(%d) needs %d controlling %s and has %d", raw, n, each*n, what, len(toks)-1)
	}
	for k := 1; k < first; k += each {
		for _, t := range toks[k : k+each] {
			if t.kind != word {
				return nil, nil, diag.At(diag.Syntax, t.line,
					"%s: a node or source must be a name, not an expression", raw)
			}
		}
		if each == 1 {
			controls = append(controls, "i("+toks[k].text+")")
		} else {
			controls = append(controls, "v("+toks[k].text+","+toks[k+1].text+")")
		}
	}
	return controls, toks[first:], nil
}

// nextProduct returns the next product of n controls in the order 1, x, y, xx, xy, yy, xxx and so
// on. A product is the list of the ascending indices of its factors. nextProduct may modify term.
func nextProduct(term []int, n int) []int {
	for k := len(term) - 1; k >= 0; k-- {
		if term[k]+1 < n {
			next := term[k] + 1
			for ; k < len(term); k++ {
				term[k] = next
			}
			return term
		}
	}
	return make([]int, len(term)+1)
}
