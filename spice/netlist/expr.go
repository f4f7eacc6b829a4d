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
	// derivative returns the index of a variable that is minus the time derivative of expr. A nil
	// derivative disallows ddt().
	derivative func(expr string) (index int, err error)
	// integral returns the index of a variable that is the time integral of expr with an initial
	// value. It has this value while reset, an expression or "", is above 0.5. A nil integral
	// disallows idt().
	integral func(expr string, initial float64, reset string) (index int, err error)
	// delay returns the index of a variable that is expr, delayed by a time [s]. A nil delay
	// disallows delay().
	delay func(expr string, seconds float64) (index int, err error)
	// function returns the .func with this name, or nil. A nil function means that the netlist has
	// no .func.
	function func(name string) *userFunction
	// warn receives warnings. A nil warn discards them.
	warn func(line int, message string)
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

// compile compiles an expression. Parameters become constants, and constant subexpressions are
// folded. line is the line number in errors, and depth is the initial nesting depth.
func compile(expr string, line, depth int, names resolver) (*Program, error) {
	c := &compiler{text: expr, line: line, depth: depth, resolver: names,
		out: &Program{text: expr, line: line}}
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
func evaluate(expr string, line int, name func(string, int) (float64, error)) (float64, error) {
	return evaluateWith(expr, line, 0, resolver{parameter: name})
}

// evaluateWith returns the value of a constant expression, beginning at the given nesting depth.
// names resolves the parameters and functions in it, and line is the line number in errors.
func evaluateWith(expr string, line int, depth int, names resolver) (float64, error) {
	p, err := compile(expr, line, depth, names)
	if err != nil {
		return 0, err
	}
	// Without warn a power that is not real stays an error.
	w := EvalStack{stack: make([]float64, p.maxStack), magnitudes: names.warn != nil}
	v, err := p.constantWith(&w)
	if err != nil {
		return 0, err
	}
	if w.magnitude != nil {
		names.warn(line, fmt.Sprintf("expression %q: %s is negative and has an exponent that is not "+
			"whole; the power of its magnitude is used, as in ngspice", excerpt(expr),
			excerpt(w.magnitude.part)))
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, p.fail("expression %q has no finite value", excerpt(expr))
	}
	return v, nil
}

// excerpt truncates s to 60 bytes for use in a message.
func excerpt(s string) string { return text.Truncate(s, 60) }

func (c *compiler) fail(format string, args ...any) *diag.Error {
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
				start := c.pos
				if err := next(); err != nil {
					return err
				}
				if o.boolean {
					c.toBoolean()
				}
				operand := strings.TrimSpace(c.text[start:c.pos])
				c.emit(instruction{op: o.op, part: operand}, 2)
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
	start := c.pos
	if err := c.primary(); err != nil {
		return err
	}
	for {
		base := strings.TrimSpace(c.text[start:c.pos])
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
		c.emit(instruction{op: opPower, part: base}, 2)
	}
}

// powerOfConditions compiles ^ between two conditions, where it is XOR in LTspice and PSpice and a
// power in ngspice.
func (c *compiler) powerOfConditions() {
	op := opPower
	warning := "^ between two conditions is read as a power, as in ngspice; in LTspice and PSpice it " +
		"is XOR: write != for XOR"
	if c.condition = c.resolver.xor; c.condition {
		op = opUnequal
		warning = "^ between two conditions is read as XOR, as in LTspice; in ngspice it is a power"
	}
	if c.resolver.warn != nil {
		c.resolver.warn(c.line, warning)
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
	code := c.text[c.pos:end]
	value, ok := rkmNumber(code)
	if !ok {
		return v, n
	}
	if c.resolver.warn != nil {
		c.resolver.warn(c.line, code+" is read as "+formatNumber(value))
	}
	return value, len(code)
}

// name parses an item that starts with the given name: a variable, a function call or a parameter.
func (c *compiler) name(name string) error {
	call := c.accept("(")
	if call && isCurrent(name) && c.resolver.function != nil {
		if f := c.resolver.function(name); f != nil {
			start := c.pos
			return c.notCurrent(name, start, f, c.functionCall(name))
		}
	}
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

// notCurrent explains the error of a call of a function that has the name of a current, such as
// i(v1). An argument that is no parameter is probably an element whose current is meant. start is
// the position of the argument.
func (c *compiler) notCurrent(name string, start int, f *userFunction, err error) error {
	argument, _, _ := strings.Cut(c.text[start:], ")")
	if argument = strings.TrimSpace(argument); err == nil || !isName(argument) {
		return err
	}
	if _, unknown := c.resolver.parameter(strings.ToLower(argument), c.depth); unknown == nil {
		return err
	}
	return c.fail("parameter %s is not defined; %s(%s) calls the function %s of .func in line %d, "+
		"not the current of %s; give the function another name",
		argument, name, argument, name, f.line, argument)
}

// phasorName separates a name such as vdb or im into the head v or i and a part of a phasor. For
// other names the part is "".
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
