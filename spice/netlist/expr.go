package netlist

import (
	"fmt"
	"math"
	"strings"

	"slipstick/internal/text"
	"slipstick/spice/diag"
)

// maxDepth is the largest nesting depth of expressions, and of parameters that depend on
// parameters. It bounds the stack.
const maxDepth = 1500

// compiler compiles text such as "2*r0 + max(a, b)" to a Program. The operators, from lowest to
// highest precedence, are ?: then || then && then comparisons, then + -, then * /, then unary - +
// !, then ** ^. Powers are left-associative and bind tighter than a sign, as in ngspice: -2^2 is
// -4, and 2**3**2 is 64.
type compiler struct {
	text     string
	pos      int
	depth    int
	line     int
	resolver resolver
	out      *Program
	stack    int // current depth of the stack
	// condition is set if the operand that was read last is a comparison, or the result of a
	// logical operator.
	condition bool
}

// resolver resolves the names in an expression.
type resolver struct {
	// parameter returns the value of a parameter. depth is the nesting depth of the expression that
	// uses it.
	parameter func(name string, depth int) (float64, error)
	// variable returns the index of v(a), v(a,b), i(x), time or temper. ok is false for other
	// names. nodes are the words between the parentheses, and call is true if there are
	// parentheses. A nil variable disallows variables.
	variable func(head string, nodes []string, call bool) (index int, ok bool, err error)
	// derivative returns the index of a variable that is minus the time derivative of the
	// expression text. A nil derivative disallows ddt().
	derivative func(text string) (index int, err error)
	// integral returns the index of a variable that is the time integral of the expression text
	// with an initial value. A nil integral disallows idt().
	integral func(text string, initial float64) (index int, err error)
	// delay returns the index of a variable that is the expression text, delayed by a time [s]. A
	// nil delay disallows delay().
	delay func(text string, seconds float64) (index int, err error)
	// function returns the .func with this name, or nil. A nil function means that the netlist has
	// no .func.
	function func(name string) *userFunction
	// warn receives warnings. A nil warn discards them.
	warn func(line int, text string)
	// random draws the values of random functions. A nil random selects nominal values.
	random *random
	// phasor allows the functions of a phasor, such as mag() and ph(), and vdb(a) and im(v1).
	phasor bool
	// transfer marks a transfer function, whose only variable is s.
	transfer bool
	// xor selects XOR for ^ between two conditions. Otherwise ^ is always a power.
	xor bool
}

// constants returns a copy of the resolver that disallows variables, ddt(), idt() and delay().
func (r resolver) constants() resolver {
	return resolver{parameter: r.parameter, function: r.function, warn: r.warn, random: r.random,
		xor: r.xor}
}

// compile compiles text. Parameters become constants, and constant subexpressions are folded. line
// is the line number in errors, and depth is the initial nesting depth.
func compile(text string, line, depth int, names resolver) (*Program, error) {
	c := &compiler{text: text, line: line, depth: depth, resolver: names,
		out: &Program{text: text, line: line}}
	if err := c.ternary(); err != nil {
		return nil, err
	}
	if c.blanks(); c.pos < len(c.text) {
		return nil, c.fail("unexpected %q in expression %q", excerpt(c.text[c.pos:]),
			excerpt(c.text))
	}
	return c.out, nil
}

// evaluate returns the value of a constant expression. name returns the value of a parameter for
// its name and the nesting depth.
func evaluate(text string, line int, name func(string, int) (float64, error)) (float64, error) {
	return evaluateWith(text, line, 0, resolver{parameter: name})
}

// evaluateWith returns the value of a constant expression, beginning at the given nesting depth.
// names resolves the parameters and functions in it, and line is the line number in errors.
func evaluateWith(text string, line int, depth int, names resolver) (float64, error) {
	p, err := compile(text, line, depth, names)
	if err != nil {
		return 0, err
	}
	v, err := p.constant()
	if err != nil {
		return 0, err
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, p.fail("expression %q has no finite value", excerpt(text))
	}
	return v, nil
}

// excerpt truncates s to 60 bytes for use in a message.
func excerpt(s string) string { return text.Truncate(s, 60) }

func (c *compiler) fail(format string, args ...any) error {
	return diag.At(diag.BadExpression, c.line, "%s", fmt.Sprintf(format, args...))
}

// emit appends an instruction that pops the given number of operands and pushes one result.
func (c *compiler) emit(i instruction, takes int) {
	c.out.append(i)
	c.stack += 1 - takes
	c.out.maxStack = max(c.out.maxStack, c.stack)
}

func (c *compiler) blanks() {
	for c.pos < len(c.text) && strings.IndexByte(" \t\r\n", c.text[c.pos]) >= 0 {
		c.pos++
	}
}

// accept skips blanks, consumes op if it comes next, and reports whether it did.
func (c *compiler) accept(op string) bool {
	c.blanks()
	if strings.HasPrefix(c.text[c.pos:], op) {
		c.pos += len(op)
		return true
	}
	return false
}

// nest enters one nesting level. It returns an error if the depth exceeds maxDepth.
func (c *compiler) nest() error {
	if c.depth++; c.depth > maxDepth {
		return c.fail("expression is nested too deeply")
	}
	return nil
}

func (c *compiler) ternary() error {
	if err := c.nest(); err != nil {
		return err
	}
	defer func() { c.depth-- }()
	if err := c.or(); err != nil || !c.accept("?") {
		return err
	}
	// Only one branch is evaluated, so "b ? a/b : 0" never divides by 0.
	otherwise := c.out.addJump(opUnless)
	c.stack--
	if err := c.ternary(); err != nil {
		return err
	}
	if !c.accept(":") {
		return c.fail("expression %q has a ? without a :", excerpt(c.text))
	}
	condition := c.condition
	end := c.out.addJump(opJump)
	c.stack--
	c.out.patchJump(otherwise)
	if err := c.ternary(); err != nil {
		return err
	}
	c.condition = c.condition && condition
	c.out.patchJump(end)
	return nil
}

// chain parses a left-associative sequence of operands separated by any of ops. next parses an
// operand.
func (c *compiler) chain(next func() error, ops ...operator) error {
	if err := next(); err != nil {
		return err
	}
reading:
	for {
		for _, o := range ops {
			if c.accept(o.sign) {
				if o.boolean {
					c.toBoolean()
				}
				if err := next(); err != nil {
					return err
				}
				if o.boolean {
					c.toBoolean()
				}
				c.emit(instruction{op: o.op}, 2)
				c.condition = o.op >= opEqual && o.op <= opOr
				continue reading
			}
		}
		return nil
	}
}

type operator struct {
	sign    string
	op      opcode
	boolean bool // operands are converted by toBoolean
}

// booleanLevel is the value above which LTspice converts a number to true (LTspice help, B
// sources). ngspice has this level in buf() and inv() only. Elsewhere it takes all numbers except 0
// as true.
const booleanLevel = 0.5

// toBoolean converts the last value to 1 above booleanLevel and to 0 otherwise. It does not convert
// a constant of 0 or 1 or the result of a comparison, which are boolean already. It reports whether
// the value was converted.
func (c *compiler) toBoolean() bool {
	code := c.out.code
	if last := len(code) - 1; c.out.lastTarget <= last {
		switch i := &code[last]; {
		case i.op == opNot, i.op >= opEqual && i.op <= opOr,
			i.op == opConstant && (i.value == 0 || i.value == 1):
			return false
		}
	}
	c.emit(instruction{op: opConstant, value: booleanLevel}, 0)
	c.emit(instruction{op: opAbove}, 2)
	return true
}

func (c *compiler) or() error {
	return c.chain(c.and, operator{"||", opOr, false}, operator{"|", opOr, true})
}
func (c *compiler) and() error {
	return c.chain(c.comparison, operator{"&&", opAnd, false}, operator{"&", opAnd, true})
}
func (c *compiler) comparison() error {
	return c.chain(c.sum, operator{"==", opEqual, false}, operator{"!=", opUnequal, false},
		operator{"<=", opAtMost, false}, operator{">=", opAtLeast, false},
		operator{"<", opBelow, false}, operator{">", opAbove, false})
}
func (c *compiler) sum() error {
	return c.chain(c.product, operator{"+", opAdd, false}, operator{"-", opSubtract, false})
}
func (c *compiler) product() error {
	return c.chain(c.signed, operator{"*", opMultiply, false}, operator{"/", opDivide, false},
		operator{"%", opRemainder, false})
}

func (c *compiler) signed() error {
	if err := c.nest(); err != nil {
		return err
	}
	defer func() { c.depth-- }()
	for _, sign := range [...]byte{'-', '+', '!', '~'} {
		if c.accept(string(sign)) {
			err := c.signed()
			c.condition = sign == '!' || sign == '~'
			switch {
			case err != nil:
			case sign == '-':
				c.emit(instruction{op: opNegate}, 1)
			case c.condition:
				if c.toBoolean() && sign == '!' && c.resolver.variable != nil &&
					c.resolver.warn != nil {
					c.resolver.warn(c.line,
						"! of a number is 1 up to 0.5, as in LTspice; in ngspice it is 1 only at 0")
				}
				c.emit(instruction{op: opNot}, 1)
			}
			return err
		}
	}
	if err := c.primary(); err != nil {
		return err
	}
	for {
		left, xor := c.condition, false
		if !c.accept("**") {
			if xor = c.accept("^"); !xor {
				return nil
			}
		}
		minus := c.accept("-")
		if !minus {
			c.accept("+")
		}
		if err := c.primary(); err != nil {
			return err
		}
		if minus {
			c.emit(instruction{op: opNegate}, 1)
		}
		if xor && left && c.condition && !minus {
			c.powerOfConditions()
			continue
		}
		c.condition = false
		c.emit(instruction{op: opPower}, 2)
	}
}

// powerOfConditions compiles ^ between two conditions, where it is XOR in LTspice and PSpice and a
// power in ngspice.
func (c *compiler) powerOfConditions() {
	op := opPower
	text := "^ between two conditions is read as a power, as in ngspice; in LTspice and PSpice it " +
		"is XOR: write != for XOR"
	if c.condition = c.resolver.xor; c.condition {
		op = opUnequal
		text = "^ between two conditions is read as XOR, as in LTspice; in ngspice it is a power"
	}
	if c.resolver.warn != nil {
		c.resolver.warn(c.line, text)
	}
	c.emit(instruction{op: op}, 2)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_'
}

func (c *compiler) primary() error {
	c.condition = false
	c.blanks()
	if c.pos >= len(c.text) && strings.HasSuffix(strings.TrimSpace(c.text), "%") {
		return c.fail("expression %q ends with %%, which is the remainder of a division; write 5%% "+
			"as 0.05", excerpt(c.text))
	}
	if c.pos >= len(c.text) {
		return c.fail("expression %q ends too early", excerpt(c.text))
	}
	b := c.text[c.pos]
	switch {
	case isDigit(b) || b == '.':
		v, n := scanNumber(c.text[c.pos:])
		if n == 0 {
			return c.fail("%q is not a number in expression %q", excerpt(c.text[c.pos:]),
				excerpt(c.text))
		}
		if end := c.pos + n; end < len(c.text) && isDigit(c.text[end]) {
			v, n = c.rkm(v, n)
		}
		c.pos += n
		c.emit(instruction{op: opConstant, value: v}, 0)
		return nil
	case b == '(' || b == '{': // "V=v(a)*{gain}"
		c.pos++
		if err := c.ternary(); err != nil {
			return err
		}
		if closing := map[byte]string{'(': ")", '{': "}"}[b]; !c.accept(closing) {
			if c.pos < len(c.text) {
				return c.fail("expression %q has %q where an operator or a closing %s is expected",
					excerpt(c.text), excerpt(c.text[c.pos:]), closing)
			}
			return c.fail("expression %q lacks a closing %s", excerpt(c.text), closing)
		}
		return nil
	case isNameByte(b):
		start := c.pos
		for c.pos < len(c.text) && isNameByte(c.text[c.pos]) {
			c.pos++
		}
		if c.pos-start > maxWord {
			return c.fail("the name that starts with %q has %d characters; at most %d are read",
				excerpt(c.text[start:c.pos]), c.pos-start, maxWord)
		}
		err := c.name(strings.ToLower(c.text[start:c.pos]))
		c.condition = false
		return err
	}
	return c.fail("unexpected %q in expression %q", excerpt(c.text[c.pos:]), excerpt(c.text))
}

// rkm reads the number in RKM code at the present position, such as 4k7, with a warning. If there
// is none, it returns the value v and the length n of the number before the digits.
func (c *compiler) rkm(v float64, n int) (float64, int) {
	end := c.pos + n
	for end < len(c.text) && isNameByte(c.text[end]) {
		end++
	}
	text := c.text[c.pos:end]
	value, ok := rkmNumber(text)
	if !ok {
		return v, n
	}
	if c.resolver.warn != nil {
		c.resolver.warn(c.line, text+" is read as "+formatNumber(value))
	}
	return value, len(text)
}

// name parses an item that starts with the given name: a variable, a function call or a parameter.
func (c *compiler) name(name string) error {
	call := c.accept("(")
	if c.resolver.variable != nil {
		var nodes []string
		end := 0
		name, part := c.phasorName(name, call)
		if call && (name == "v" || name == "p" || isCurrent(name)) {
			if end = strings.IndexByte(c.text[c.pos:], ')'); end < 0 {
				return c.fail("%s( has no closing ) in expression %q", name, excerpt(c.text))
			}
			nodes = strings.FieldsFunc(strings.ToLower(c.text[c.pos:c.pos+end]), func(r rune) bool {
				return r == ',' || r == ' ' || r == '\t' || r == '"'
			})
		}
		index, ok, err := c.resolver.variable(name, nodes, call)
		if err != nil {
			return err
		}
		if ok {
			if call {
				c.pos += end + 1
			}
			c.emit(instruction{op: opVariable, n: index}, 0)
			if part != "" {
				c.addPhasorPart(part)
			}
			return nil
		}
	}
	if call {
		return c.functionCall(name)
	}
	v, err := c.resolver.parameter(name, c.depth)
	if err != nil {
		return err
	}
	c.emit(instruction{op: opConstant, value: v}, 0)
	return nil
}

// phasorName separates a name such as vdb or im before the name of a node or element into the head
// v or i and a part of a phasor. For other names the part is "".
func (c *compiler) phasorName(name string, call bool) (head, part string) {
	if !call || !c.resolver.phasor || len(name) < 2 || name[0] != 'v' && name[0] != 'i' {
		return name, ""
	}
	switch part = name[1:]; part {
	case "m", "p", "r", "i", "db":
	default:
		return name, ""
	}
	// im(v(a)) is the imaginary part of an expression, im(v1) the magnitude of a current.
	if end := strings.IndexAny(c.text[c.pos:], "()"); end < 0 || c.text[c.pos+end] == '(' {
		return name, ""
	}
	return name[:1], part
}

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
	switch name {
	case "ddt":
		return c.derivative()
	case "idt", "sdt":
		return c.integral(name)
	case "idtmod":
		return c.circularIntegral(name)
	case "delay", "absdelay":
		return c.delay(name)
	case "table", "tbl", "pwl":
		return c.table(name)
	case "mc", "gauss", "agauss", "unif", "aunif", "flat":
		return c.nominal(name)
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
	n, start, nonNegative := 0, len(c.out.code), false
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
	switch name {
	case "pow", "pwr", "pwrs", "atan2", "hypot":
		if n != 2 {
			return c.fail("%s() takes two arguments, not %d", name, n)
		}
		op := map[string]opcode{"pow": opPower, "pwr": opSignedPower, "pwrs": opSignedPower,
			"atan2": opArctangent, "hypot": opHypotenuse}[name]
		if name == "pwr" && !source { // ngspice keeps the sign in sources only
			op = opMagnitudePower
		}
		c.emit(instruction{op: op}, 2)
		return nil
	case "min", "max":
		if n == 0 {
			return c.fail("%s() needs at least one argument", name)
		}
		for ; n > 1; n-- {
			c.emit(instruction{op: map[string]opcode{"min": opMin, "max": opMax}[name]}, 2)
		}
		return nil
	}
	return c.fail("unknown function %s()", name)
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
func (c *compiler) derivative() error {
	values, err := c.arguments("ddt")
	switch {
	case err != nil:
		return err
	case c.resolver.derivative == nil:
		return c.fail("ddt() is valid only in expressions of sources B, E and G")
	case len(values) != 1:
		return c.fail("ddt() takes one argument, not %d", len(values))
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
