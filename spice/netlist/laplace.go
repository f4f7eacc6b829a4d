package netlist

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// maxOrder is the largest order of the transfer function of a LAPLACE source.
const maxOrder = 10

// laplace reads an E or G source with a rational transfer function H(s). toks are the tokens after
// the nodes: "laplace {v(in)} = {1/(1+s)}", or "laplace=1/(1+s)" after four nodes.
func (p *parser) laplace(e *Element, st *statement, toks []token, in *instance, raw string) error {
	input, transfer := token{}, token{}
	var rest []definition
	var err error
	if len(e.Nodes) == 2 {
		if toks, rest, err = cutParams(toks); err != nil {
			return err
		}
		parts := slices.DeleteFunc(slices.Clone(toks[1:]), func(t token) bool {
			return t.kind == equal
		})
		if len(parts) != 2 || parts[0].kind != expr || parts[1].kind != expr {
			return diag.On(diag.Syntax, st.line, e.Name, "%s: laplace needs an input and a function of s, both in braces: laplace {v(in)} {1/(1+s*1m)}", raw)
		}
		input, transfer = parts[0], parts[1]
		if strings.TrimSpace(input.text) == "" {
			return diag.On(diag.BadExpression, input.line, e.Name,
				"%s: the input of laplace is empty; it needs an expression such as v(a)", raw)
		}
	} else {
		if toks[1].kind != equal {
			st = withEqual(st, toks[0])
		}
		defs, err := assignments(st)
		if err != nil {
			return err
		}
		for _, d := range defs {
			if d.name == "laplace" {
				transfer = token{text: d.text, line: d.line}
			} else {
				rest = append(rest, d)
			}
		}
	}
	for _, d := range rest {
		if d.name != "m" || e.Kind != 'g' {
			p.warn(d.line, raw+": parameter "+d.name+" is unknown and ignored")
			continue
		}
		v, err := in.scope.eval(d.text, d.line)
		if err != nil {
			return err
		}
		e.Params = append(e.Params, Param{Name: d.name, Value: v, Line: d.line})
	}
	return p.transferSource(e, input, transfer, in, raw)
}

// withEqual returns a statement with = behind its token t in the source text.
func withEqual(st *statement, t token) *statement {
	with := *st
	with.chunks = slices.Clone(st.chunks)
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(t.raw) + `\b`)
	for k := range with.chunks {
		ch := &with.chunks[k]
		if at := word.FindAllStringIndex(ch.text, -1); at != nil && ch.line == t.line {
			end := at[len(at)-1][1] // a node can have the same name
			ch.text = ch.text[:end] + "=" + ch.text[end:]
			break
		}
	}
	return &with
}

// transferSource converts an E or G source with a rational transfer function of s to capacitors and
// controlled sources. Its input is the expression text of input, or the voltage between its third
// and fourth node without a text. The circuit is the controllable canonical form (Kailath, Linear
// Systems, 1980, section 2.1). A time scale makes the coefficients comparable.
func (p *parser) transferSource(e *Element, input, transfer token, in *instance,
	raw string) error {
	line := transfer.line
	num, den, err := p.transferFunction(transfer.text, line, in)
	if err != nil {
		return withElement(err, e.Name)
	}
	order := len(den) - 1
	if p.extraStates += order + 1; p.extraStates > maxExtraStates {
		return diag.On(diag.BadExpression, line, e.Name,
			"%s: all ddt() and laplace of the netlist together have an order above %d", raw,
			maxExtraStates)
	}
	apart := false
	add := func(kind byte, suffix string, value float64, nodes ...string) {
		apart = apart || math.IsNaN(value) || math.Abs(value) > 1e12
		p.ckt.Elements = append(p.ckt.Elements,
			Element{Kind: kind, Name: string(kind) + "." + e.Name + "#" + suffix, Line: e.Line,
				Nodes: nodes, Internal: true,
				Args: []Arg{{Text: "laplace", Value: value, IsNumber: true, Line: e.Line}}})
	}
	node := func(suffix string) string {
		name := e.Name + "#" + suffix
		p.registerNode(name, true)
		return name
	}
	sum := node("sum")
	control, err := p.transferInput(e, input, in, raw, node)
	if err != nil {
		return err
	}
	rate := transferRate(den)
	// The states satisfy s·x[k] = rate·x[k+1], with the input at the last state. The coefficient of
	// (s/rate)^k is therefore the coefficient of s^k times rate^k.
	last := den[order] * math.Pow(rate, float64(order))
	through := 0.0
	if len(num) > order {
		through = num[order] / den[order]
	}
	states := make([]string, order)
	for k := range states {
		states[k] = node("state" + itoa(k+1))
	}
	for k, x := range states {
		add('c', "c"+itoa(k+1), 1/rate, x, "0")
		if k+1 < order {
			add('g', "chain"+itoa(k+1), 1, "0", x, states[k+1], "0")
		}
		scale := math.Pow(rate, float64(k))
		add('g', "back"+itoa(k+1), -den[k]*scale/last, "0", states[order-1], x, "0")
		out := -through * den[k] * scale
		if k < len(num) {
			out += num[k] * scale
		}
		add('g', "out"+itoa(k+1), out/last, "0", sum, x, "0")
	}
	if order > 0 {
		add('g', "in", 1, "0", states[order-1], control[0], control[1])
	}
	add('g', "through", through, "0", sum, control[0], control[1])
	add('r', "r", 1, sum, "0")
	e.Nodes = []string{e.Nodes[0], e.Nodes[1], sum, "0"}
	e.Args = []Arg{{Text: "1", Value: 1, IsNumber: true, Line: e.Line}}
	if apart {
		return diag.On(diag.BadValue, line, e.Name,
			"%s: the coefficients of its transfer function differ by more than 1e12 after scaling", raw)
	}
	return nil
}

// transferInput returns the nodes of the input of transferSource. For an expression it adds a
// source of this voltage.
func (p *parser) transferInput(e *Element, input token, in *instance, raw string,
	node func(suffix string) string) (control []string, err error) {
	if input.text == "" {
		return slices.Clone(e.Nodes[2:]), nil
	}
	control = []string{node("input"), "0"}
	source := Element{Kind: 'b', Name: control[0], Line: e.Line, Nodes: slices.Clone(control),
		Internal: true}
	if err := p.compileBSource(&source, &BSource{Output: 'v'}, input.text, input.line, in,
		raw); err != nil {
		return nil, err
	}
	p.ckt.Elements = append(p.ckt.Elements, source)
	return control, nil
}

// transferRate returns the time scale [1/s] of a transfer function with denominator den.
func transferRate(den []float64) float64 {
	order := len(den) - 1
	rate := 1.0 // time scale [1/s]
	if low := slices.IndexFunc(den, func(d float64) bool { return d != 0 }); low < order {
		rate = math.Pow(math.Abs(den[low]/den[order]), 1/float64(order-low))
	}
	return rate
}

// transferFunction parses a rational function of s. It returns the coefficients of the numerator
// and the denominator in ascending powers of s. The order of the numerator must not exceed that of
// the denominator.
func (p *parser) transferFunction(text string, line int,
	in *instance) (num, den []float64, err error) {
	variable := func(head string, _ []string, call bool) (int, bool, error) {
		return 0, head == "s" && !call, nil
	}
	program, err := compile(text, line, 0, resolver{parameter: in.scope.lookup(line),
		variable: variable, function: in.scope.userFunction, warn: p.warn, transfer: true})
	if err != nil {
		return nil, nil, err
	}
	r, err := program.rational()
	if err != nil {
		return nil, nil, err
	}
	for len(r.den) > 1 && len(r.num) > 1 && r.den[0] == 0 && r.num[0] == 0 {
		r.num, r.den = r.num[1:], r.den[1:]
	}
	switch {
	case len(r.num) > len(r.den):
		return nil, nil,
			program.fail("laplace: %q has more zeros than poles (improper transfer function)",
				excerpt(text))
	case len(r.den) > maxOrder+1:
		return nil, nil, program.fail("laplace: %q is of order %d; at most %d is computed",
			excerpt(text), len(r.den)-1, maxOrder)
	}
	return r.num, r.den, nil
}

// rational is a quotient of polynomials. The coefficients are in ascending powers of s, and the
// last one is not 0 unless the polynomial is 0.
type rational struct{ num, den []float64 }

// rational evaluates a program with the variable s as a rational function.
func (p *Program) rational() (rational, error) {
	var stack []rational
	for k := range p.code {
		i := &p.code[k]
		switch i.op {
		case opConstant:
			stack = append(stack, rational{[]float64{i.value}, []float64{1}})
			continue
		case opVariable:
			stack = append(stack, rational{[]float64{0, 1}, []float64{1}})
			continue
		}
		n := len(stack) - i.operands()
		a, b := stack[n], stack[len(stack)-1]
		stack = stack[:n]
		var r rational
		switch i.op {
		case opNegate:
			r = rational{polyMul(a.num, []float64{-1}), a.den}
		case opSubtract:
			r = rationalAdd(a, rational{polyMul(b.num, []float64{-1}), b.den})
		case opAdd:
			r = rationalAdd(a, b)
		case opMultiply:
			r = rational{polyMul(a.num, b.num), polyMul(a.den, b.den)}
		case opDivide:
			r = rational{polyMul(a.num, b.den), polyMul(a.den, b.num)}
		case opPower, opSignedPower, opMagnitudePower:
			n := b.num[0]
			if len(b.num) > 1 || len(b.den) > 1 || b.den[0] != 1 || n != math.Trunc(n) ||
				math.Abs(n) > maxOrder {
				return r, p.fail("laplace: a power in %q is not a whole number from %d to %d",
					excerpt(p.text), -maxOrder, maxOrder)
			}
			r = rational{[]float64{1}, []float64{1}}
			for range int(math.Abs(n)) {
				r = rational{polyMul(r.num, a.num), polyMul(r.den, a.den)}
			}
			if n < 0 {
				r.num, r.den = r.den, r.num
			}
		default:
			return r, p.fail("laplace: %q is not a rational function of s", excerpt(p.text))
		}
		if len(r.num) > 4*maxOrder || len(r.den) > 4*maxOrder {
			return r, p.fail("laplace: %q is of an order above %d", excerpt(p.text), maxOrder)
		}
		if len(r.den) == 1 && r.den[0] == 0 {
			return r, p.fail("laplace: %q divides by zero", excerpt(p.text))
		}
		for _, v := range append(slices.Clone(r.num), r.den...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return r, p.fail("laplace: a coefficient of %q is not finite", excerpt(p.text))
			}
		}
		stack = append(stack, r)
	}
	return stack[0], nil
}

// rationalAdd returns the sum of two rational functions. If the denominators are equal, the sum has
// the same denominator.
func rationalAdd(a, b rational) rational {
	if slices.Equal(a.den, b.den) {
		return rational{polyAdd(a.num, b.num), a.den}
	}
	return rational{polyAdd(polyMul(a.num, b.den), polyMul(b.num, a.den)), polyMul(a.den, b.den)}
}

// polyAdd returns the sum of two polynomials.
func polyAdd(a, b []float64) []float64 {
	c := make([]float64, max(len(a), len(b)))
	copy(c, a)
	for k, v := range b {
		c[k] += v
	}
	return trimZeros(c)
}

// polyMul returns the product of two polynomials.
func polyMul(a, b []float64) []float64 {
	c := make([]float64, len(a)+len(b)-1)
	for i, v := range a {
		for k, w := range b {
			c[i+k] += v * w
		}
	}
	return trimZeros(c)
}

// trimZeros removes zero coefficients of the highest powers but keeps at least one coefficient.
func trimZeros(c []float64) []float64 {
	for len(c) > 1 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	return c
}
