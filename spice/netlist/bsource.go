package netlist

import (
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
	if len(toks) > 5 && toks[4].kind == word && toks[4].text == "laplace" {
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

// laplaceKeyword is the form keyword of the LTspice syntax "E1 out 0 in 0 Laplace=1/(1+s)", whose =
// may be missing.
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
	r.dropNoJacob(defs)
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

// dropNoJacob removes the word nojacob of LTspice after the last of the definitions.
func (r *bsourceReader) dropNoJacob(defs []definition) {
	const word = " nojacob"
	if len(defs) == 0 {
		return
	}
	d := &defs[len(defs)-1]
	if at := len(d.text) - len(word); at > 0 && strings.EqualFold(d.text[at:], word) {
		d.text = strings.TrimSpace(d.text[:at])
		r.warn(d.line, r.raw+": nojacob of LTspice is ignored; it sets the precision there")
	}
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

// sourceParams reads the parameters after the expression text of a source. m= is the number of
// equal current sources in parallel; tc1= and tc2= are temperature coefficients. It keeps rpar= and
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
	text := joinChunks(st.chunks)
	name, at, _ := nextAssignment(text.text)
	if name == "" {
		return nil, nil
	}
	return text.definitions(at)
}
