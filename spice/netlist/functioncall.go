package netlist

import (
	"strings"
)

// conditional parses the arguments of if(condition, then, otherwise), or of ternary_fcn, whose
// condition is true unless it is 0. Only one branch is evaluated.
func (c *compiler) conditional(name string) error {
	comma := func() error {
		if !c.accept(",") {
			return c.fail("%s() takes a condition and two values", name)
		}
		return nil
	}
	if err := c.ternary(); err != nil {
		return err
	}
	if err := comma(); err != nil {
		return err
	}
	if name == "if" {
		c.toBoolean()
	}
	otherwise := c.out.addJump(opUnless)
	c.stack--
	if err := c.ternary(); err != nil {
		return err
	}
	if err := comma(); err != nil {
		return err
	}
	end := c.out.addJump(opJump)
	c.stack--
	c.out.patchJump(otherwise)
	if err := c.ternary(); err != nil {
		return err
	}
	c.out.patchJump(end)
	if !c.accept(")") {
		return c.fail("expected a ) after the third argument of %s()", name)
	}
	return nil
}

// composedFunctions holds the functions that are expressions of others. limit is the middle one of
// three values as in LTspice, so the bounds may have any order. In a width z on both sides of the
// bound of uplim and dnlim a parabola joins x and the bound. cbrt of LTspice is the cube root.
var composedFunctions = map[string]*userFunction{
	"cbrt":  {args: []string{"x"}, body: "pwrs(x,1/3)"},
	"fabs":  {args: []string{"x"}, body: "abs(x)"},
	"mod":   {args: []string{"x", "y"}, body: "(x%y)"},
	"limit": {args: []string{"x", "y", "z"}, body: "min(max(x,min(y,z)),max(y,z))"},
	"uplim": {args: []string{"x", "y", "z"},
		body: "(min(x,y-z)+z*(1-(min(max(0,x-y+z),2*z)/(2*z)-1)**2))"},
	"dnlim": {args: []string{"x", "y", "z"},
		body: "(max(x,y+z)-z*(1-(min(max(0,y+z-x),2*z)/(2*z)-1)**2))"},
}

// binaryFunctions holds the instructions of the functions with two arguments.
var binaryFunctions = map[string]opcode{
	"pow": opPower, "pwr": opSignedPower, "pwrs": opSignedPower,
	"atan2": opArctangent, "hypot": opHypotenuse,
}

// extremeFunctions holds the instructions of the functions that select one of their arguments.
var extremeFunctions = map[string]opcode{"min": opMin, "max": opMax}

// argumentParser returns the method that parses the arguments of a function with a syntax of its
// own, or nil for other functions.
func argumentParser(name string) func(c *compiler, name string) error {
	switch name {
	case "if", "ternary_fcn":
		return (*compiler).conditional
	case "ddt":
		return (*compiler).derivative
	case "idt", "sdt":
		return (*compiler).integral
	case "idtmod":
		return (*compiler).circularIntegral
	case "delay", "absdelay":
		return (*compiler).delay
	case "table", "tbl", "pwl":
		return (*compiler).table
	case "mc", "gauss", "agauss", "unif", "aunif", "flat":
		return (*compiler).nominal
	}
	return nil
}

// isBuiltIn reports whether expressions have a function with this name without a .func.
func isBuiltIn(name string) bool {
	_, isBinary := binaryFunctions[name]
	_, isExtreme := extremeFunctions[name]
	return isBinary || isExtreme || argumentParser(name) != nil || functionNamed(name) != nil ||
		composedFunctions[name] != nil
}

func (c *compiler) functionCall(name string) error {
	if name == "if" || name == "ternary_fcn" {
		return c.conditional(name)
	}
	if c.resolver.function != nil {
		if f := c.resolver.function(name); f != nil {
			return c.expand(name, f)
		}
	}
	if f := composedFunctions[name]; f != nil {
		return c.expand(name, f)
	}
	if parse := argumentParser(name); parse != nil {
		return parse(c, name)
	}
	if part := phasorParts[name]; part != "" && c.resolver.phasor {
		if err := c.ternary(); err != nil {
			return err
		}
		if !c.accept(")") {
			return c.fail("expected a ) after the argument of %s()", name)
		}
		c.addPhasorPart(part)
		return nil
	}
	n, start, nonNegative, from, first := 0, len(c.out.code), false, c.pos, ""
	for !c.accept(")") {
		if n > 0 && !c.accept(",") {
			return c.fail("expected a comma or ) after an argument of %s()", name)
		}
		if err := c.ternary(); err != nil {
			return err
		}
		if n++; n > 64 {
			return c.fail("%s() has too many arguments", name)
		}
		if n == 1 {
			nonNegative = c.out.isNonNegative(start)
			first = strings.TrimSpace(c.text[from:c.pos])
		}
	}
	if f := functionNamed(name); f != nil {
		if n != 1 {
			return c.fail("%s() takes one argument, not %d", name, n)
		}
		c.emit(instruction{op: opFunction, f: f}, 1)
		return nil
	}
	source := c.resolver.variable != nil && !c.resolver.transfer
	if name == "pwr" && !nonNegative && source && c.resolver.warn != nil {
		c.resolver.warn(c.line, "pwr() of a negative number is negative, as in ngspice; LTspice and "+
			"PSpice have pow(abs(x),y)")
	}
	if op, ok := binaryFunctions[name]; ok {
		if n != 2 {
			return c.fail("%s() takes two arguments, not %d", name, n)
		}
		if name == "pwr" && !source { // ngspice keeps the sign in sources only
			op = opMagnitudePower
		}
		c.emit(instruction{op: op, part: first}, 2)
		return nil
	}
	if op, ok := extremeFunctions[name]; ok {
		if n == 0 {
			return c.fail("%s() needs at least one argument", name)
		}
		for ; n > 1; n-- {
			c.emit(instruction{op: op}, 2)
		}
		return nil
	}
	return missing(c.fail("unknown function %s()", name), name)
}

// arguments returns the texts of the arguments of a call, separated by commas, and consumes the
// closing parenthesis.
func (c *compiler) arguments(name string) ([]string, error) {
	var out []string
	depth, start := 0, c.pos
	for ; c.pos < len(c.text); c.pos++ {
		switch b := c.text[c.pos]; {
		case b == '(' || b == '{':
			depth++
		case b == ',' && depth == 0:
			out = append(out, c.text[start:c.pos])
			start = c.pos + 1
		case b == '}' || b == ')' && depth > 0:
			depth--
		case b == ')':
			out = append(out, c.text[start:c.pos])
			c.pos++
			return out, nil
		}
	}
	return nil, c.fail("%s( has no closing ) in expression %q", name, excerpt(c.text))
}

// compileInline compiles text at the present position, as in a macro expansion.
func (c *compiler) compileInline(text string) error {
	if c.out.expanded += len(text) + 1; c.out.expanded > maxExpanded {
		return c.fail("the functions of expression %q expand to more than %d characters",
			excerpt(c.text), maxExpanded)
	}
	if err := c.nest(); err != nil {
		return err
	}
	defer func() { c.depth-- }()
	in := &compiler{text: text, depth: c.depth, line: c.line, resolver: c.resolver, out: c.out,
		stack: c.stack}
	if err := in.ternary(); err != nil {
		return err
	}
	if in.blanks(); in.pos < len(text) {
		return c.fail("unexpected %q in expression %q", excerpt(text[in.pos:]), excerpt(text))
	}
	c.stack = in.stack
	return nil
}

// expand parses the arguments of a call of f and compiles the body of f with these arguments.
func (c *compiler) expand(name string, f *userFunction) error {
	values, err := c.arguments(name)
	if err != nil {
		return err
	}
	if len(values) == 1 && strings.TrimSpace(values[0]) == "" {
		values = nil
	}
	if len(values) != len(f.args) {
		return c.fail("%s() takes %d arguments, not %d", name, len(f.args), len(values))
	}
	if f.callsItself(name) {
		return c.fail("the function %s of .func calls itself; write a formula without the call", name)
	}
	return c.compileInline(f.substitute(values))
}

// derivative parses the argument of ddt(x), the time derivative of an expression.
func (c *compiler) derivative(name string) error {
	values, err := c.arguments(name)
	switch {
	case err != nil:
		return err
	case c.resolver.derivative == nil:
		return c.fail("%s() is valid only in expressions of sources B, E and G", name)
	case len(values) != 1:
		return c.fail("%s() takes one argument, not %d", name, len(values))
	}
	index, err := c.resolver.derivative(values[0])
	if err != nil {
		return err
	}
	c.emit(instruction{op: opVariable, n: index}, 0)
	c.emit(instruction{op: opNegate}, 1)
	return nil
}

// delay parses the arguments of delay(x, t) or delay(x, t, tmax). The times [s] are constant.
func (c *compiler) delay(name string) error {
	values, err := c.arguments(name)
	switch {
	case err != nil:
		return err
	case c.resolver.delay == nil:
		return c.fail("%s() is valid only in expressions of sources B, E and G", name)
	case len(values) != 2 && len(values) != 3:
		return c.fail("%s() takes an expression, a time and a longest time, not %d arguments", name,
			len(values))
	}
	var times []float64
	for _, text := range values[1:] {
		varies := false
		names := c.resolver.constants()
		names.variable = func(head string, _ []string, call bool) (int, bool, error) {
			is := call && (head == "v" || head == "i") ||
				!call && (head == "time" || head == "temper" || head == "temp")
			varies = varies || is
			return 0, is, nil
		}
		p, err := compile(strings.TrimSpace(text), c.line, c.depth, names)
		if err != nil {
			return err
		}
		if varies {
			return c.fail("the time of %s() must be constant, not %q; for a delay that varies, add several %s() with weights that depend on the circuit",
				name, excerpt(text), name)
		}
		t, err := p.constant()
		if err != nil {
			return err
		}
		times = append(times, t)
	}
	switch t := times[0]; {
	case !(t >= 0) || t > 1e9:
		return c.fail("the time of %s() must be 0 to 1e9 s, not %g", name, t)
	case len(times) > 1 && !(times[1] >= t):
		return c.fail("the longest time of %s(), %g s, is below its time %g s", name, times[1], t)
	case t == 0:
		return c.compileInline("(" + values[0] + ")")
	}
	index, err := c.resolver.delay(values[0], times[0])
	if err != nil {
		return err
	}
	c.emit(instruction{op: opVariable, n: index}, 0)
	return nil
}

// nominal parses the arguments of a random function. With a seed it compiles a random number.
// Without a seed it compiles the nominal value: the first argument, or 0 for flat(x) and gauss(x),
// which have one.
func (c *compiler) nominal(name string) error {
	values, err := c.arguments(name)
	if err != nil {
		return err
	}
	deviation := len(values) == 1 && (name == "flat" || name == "gauss")
	switch {
	case name == "flat" && !deviation:
		return c.fail("flat() takes one argument, the largest deviation from 0, not %d",
			len(values))
	case len(values) < 2 && !deviation:
		return c.fail("%s() takes a nominal value and a tolerance", name)
	}
	var x []float64
	if deviation {
		x = append(x, 0)
	}
	if g := c.resolver.random; g != nil || deviation {
		for _, text := range values[:min(len(values), 3)] {
			v, err := evaluateWith(strings.TrimSpace(text), c.line, c.depth, c.resolver.constants())
			if err != nil {
				return err
			}
			x = append(x, v)
		}
	}
	if g := c.resolver.random; g != nil {
		if len(x) > 2 && !(x[2] > 0) {
			return c.fail("%s(): the number of standard deviations must be above 0, not %g", name,
				x[2])
		}
		if deviation {
			name = map[string]string{"flat": "aunif", "gauss": "agauss"}[name]
		}
		c.emit(instruction{op: opConstant, value: g.draw(name, x)}, 0)
		return nil
	}
	if c.resolver.warn != nil {
		c.resolver.warn(c.line, name+"() is evaluated as its nominal value, without a random "+
			"number; .options seed=1 draws random numbers")
	}
	if deviation {
		c.emit(instruction{op: opConstant}, 0)
		return nil
	}
	return c.compileInline(values[0])
}

// table parses the arguments of table(x, x1, y1, x2, y2, ...). The function is linear between
// points with ascending x and constant outside.
func (c *compiler) table(name string) error {
	values, err := c.arguments(name)
	if err != nil {
		return err
	}
	if len(values) < 3 || len(values)%2 == 0 {
		return c.fail("%s() takes an expression and pairs of numbers: table(x, x1, y1, x2, y2)",
			name)
	}
	points := make([]float64, 0, len(values)-1)
	for i, v := range values[1:] {
		x, err := evaluateWith(strings.TrimSpace(v), c.line, c.depth, c.resolver.constants())
		if err != nil {
			return err
		}
		if points = append(points, x); i > 1 && i%2 == 0 && !(x > points[i-2]) {
			return c.fail("%s(): the x values must increase; %g is not above %g", name, x,
				points[i-2])
		}
	}
	if err := c.compileInline(values[0]); err != nil {
		return err
	}
	c.emit(instruction{op: opFunction, f: piecewiseLinear(points)}, 1)
	return nil
}
