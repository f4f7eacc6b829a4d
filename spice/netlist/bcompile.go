package netlist

import (
	"slices"

	"slipstick/spice/diag"
)

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
func (c *bsourceCompiler) integral(text string, initial float64, reset string) (int, error) {
	if reset != "" { // else 1 ns of the integrand would remain during the reset
		text = "if((" + reset + ")>0.5,0," + text + ")"
	}
	node, err := c.addIntegral(c.e, text, initial, c.line, c.in, c.raw)
	if err == nil && reset != "" {
		err = c.addReset(c.e, node, reset, initial, c.line, c.in, c.raw)
	}
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

// addReset adds a switch that holds the node of an integral at its initial value while the
// expression text is above 0.5. Its 1 nΩ and the 1 F of the integral have a time constant of 1 ns.
// e is the element that contains the expression, and raw is its name in errors.
func (p *parser) addReset(e *Element, node, text string, initial float64, line int, in *instance,
	raw string) error {
	control, level := node+"reset", node+"initial"
	p.registerNode(control, true)
	p.registerNode(level, true)
	source := Element{Kind: 'b', Name: control, Line: e.Line, Nodes: []string{control, "0"},
		Internal: true}
	if err := p.compileBSource(&source, &BSource{Output: 'v'}, text, line, in, raw); err != nil {
		return err
	}
	m := &Model{Name: control, Type: "sw", Line: e.Line, Params: []Param{{Name: "vt", Value: 0.5},
		{Name: "ron", Value: 1e-9}, {Name: "roff", Value: 1e30}, {Name: "noisy"}}}
	p.ckt.Elements = append(p.ckt.Elements, source,
		Element{Kind: 'v', Name: level, Line: e.Line, Nodes: []string{level, "0"}, Internal: true,
			Args: []Arg{{Text: formatNumber(initial), Value: initial, IsNumber: true,
				Line: e.Line}}},
		Element{Kind: 's', Name: control + "s", Line: e.Line, Model: m, Internal: true,
			Nodes: []string{node, level, control, "0"}})
	return nil
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
