package netlist

import (
	"fmt"
	"math"
	"strings"

	"slipstick/spice/diag"
)

// maxDepth bounds the nesting of expressions and of parameters defined by parameters,
// so that hostile text cannot exhaust the stack.
const maxDepth = 1500

// expression evaluates text such as "2*r0 + max(a, b)". The grammar, from loosest to
// tightest: ?:  ||  &&  comparisons  + -  * /  unary - + !  ** ^ (left-associative,
// and tighter than the sign, so -2^2 is -4 and 2**3**2 is 64, as ngspice has it).
type expression struct {
	text  string
	pos   int
	depth int
	line  int
	name  func(name string, depth int) (float64, error) // value of a parameter
}

// evaluate gives the value of text; names are looked up with name.
func evaluate(text string, line int, depth int, name func(string, int) (float64, error)) (float64, error) {
	e := &expression{text: text, line: line, depth: depth, name: name}
	v, err := e.ternary()
	if err != nil {
		return 0, err
	}
	if e.blanks(); e.pos < len(e.text) {
		return 0, e.fail("unexpected %q in expression %q", rest(e.text[e.pos:]), e.text)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, e.fail("expression %q has no finite value", e.text)
	}
	return v, nil
}

func rest(s string) string {
	if len(s) > 20 {
		return strings.ToValidUTF8(s[:20], "") + "..."
	}
	return s
}

func (e *expression) fail(format string, args ...any) error {
	return diag.At(diag.BadExpression, e.line, "%s", fmt.Sprintf(format, args...))
}

func (e *expression) blanks() {
	for e.pos < len(e.text) && strings.IndexByte(" \t\r\n", e.text[e.pos]) >= 0 {
		e.pos++
	}
}

// accept consumes op when it comes next.
func (e *expression) accept(op string) bool {
	e.blanks()
	if strings.HasPrefix(e.text[e.pos:], op) {
		e.pos += len(op)
		return true
	}
	return false
}

func (e *expression) ternary() (float64, error) {
	if e.depth++; e.depth > maxDepth {
		return 0, e.fail("expression is nested too deeply")
	}
	defer func() { e.depth-- }()
	c, err := e.or()
	if err != nil || !e.accept("?") {
		return c, err
	}
	a, err := e.ternary()
	if err != nil {
		return 0, err
	}
	if !e.accept(":") {
		return 0, e.fail("expression %q has a ? without a :", e.text)
	}
	b, err := e.ternary()
	if err != nil {
		return 0, err
	}
	if c != 0 {
		return a, nil
	}
	return b, nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (e *expression) or() (float64, error) {
	a, err := e.and()
	for err == nil && e.accept("||") {
		var b float64
		b, err = e.and()
		a = truth(a != 0 || b != 0)
	}
	return a, err
}

func (e *expression) and() (float64, error) {
	a, err := e.comparison()
	for err == nil && e.accept("&&") {
		var b float64
		b, err = e.comparison()
		a = truth(a != 0 && b != 0)
	}
	return a, err
}

func (e *expression) comparison() (float64, error) {
	a, err := e.sum()
	for err == nil {
		op := ""
		for _, o := range [...]string{"==", "!=", "<=", ">=", "<", ">"} {
			if e.accept(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		var b float64
		b, err = e.sum()
		switch op {
		case "==":
			a = truth(a == b)
		case "!=":
			a = truth(a != b)
		case "<=":
			a = truth(a <= b)
		case ">=":
			a = truth(a >= b)
		case "<":
			a = truth(a < b)
		case ">":
			a = truth(a > b)
		}
	}
	return a, err
}

func (e *expression) sum() (float64, error) {
	a, err := e.product()
	for err == nil {
		var b float64
		switch {
		case e.accept("+"):
			b, err = e.product()
			a += b
		case e.accept("-"):
			b, err = e.product()
			a -= b
		default:
			return a, nil
		}
	}
	return a, err
}

func (e *expression) product() (float64, error) {
	a, err := e.signed()
	for err == nil {
		var b float64
		switch {
		case e.accept("*"):
			b, err = e.signed()
			a *= b
		case e.accept("/"):
			if b, err = e.signed(); err == nil && b == 0 {
				return 0, e.fail("expression %q divides by zero", e.text)
			}
			a /= b
		default:
			return a, nil
		}
	}
	return a, err
}

func (e *expression) signed() (float64, error) {
	if e.depth++; e.depth > maxDepth {
		return 0, e.fail("expression is nested too deeply")
	}
	defer func() { e.depth-- }()
	switch {
	case e.accept("-"):
		v, err := e.signed()
		return -v, err
	case e.accept("+"):
		return e.signed()
	case e.accept("!"):
		v, err := e.signed()
		return truth(v == 0), err
	}
	a, err := e.primary()
	for err == nil && (e.accept("**") || e.accept("^")) {
		var b float64
		switch {
		case e.accept("-"):
			b, err = e.primary()
			b = -b
		case e.accept("+"):
			b, err = e.primary()
		default:
			b, err = e.primary()
		}
		a = math.Pow(a, b)
	}
	return a, err
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_'
}

func (e *expression) primary() (float64, error) {
	e.blanks()
	if e.pos >= len(e.text) {
		return 0, e.fail("expression %q ends too early", e.text)
	}
	c := e.text[e.pos]
	switch {
	case isDigit(c) || c == '.':
		v, n := scanNumber(e.text[e.pos:])
		if n == 0 {
			return 0, e.fail("%q is not a number in expression %q", rest(e.text[e.pos:]), e.text)
		}
		e.pos += n
		return v, nil
	case c == '(':
		e.pos++
		v, err := e.ternary()
		if err == nil && !e.accept(")") {
			err = e.fail("expression %q lacks a closing parenthesis", e.text)
		}
		return v, err
	case isNameByte(c):
		start := e.pos
		for e.pos < len(e.text) && isNameByte(e.text[e.pos]) {
			e.pos++
		}
		name := strings.ToLower(e.text[start:e.pos])
		if e.accept("(") {
			return e.call(name)
		}
		return e.name(name, e.depth)
	}
	return 0, e.fail("unexpected %q in expression %q", rest(e.text[e.pos:]), e.text)
}

func (e *expression) call(name string) (float64, error) {
	var args []float64
	for !e.accept(")") {
		if len(args) > 0 && !e.accept(",") {
			return 0, e.fail("expected a comma or ) after an argument of %s()", name)
		}
		v, err := e.ternary()
		if err != nil {
			return 0, err
		}
		if args = append(args, v); len(args) > 64 {
			return 0, e.fail("%s() has too many arguments", name)
		}
	}
	if f, ok := unary(name); ok {
		if len(args) != 1 {
			return 0, e.fail("%s() takes one argument, not %d", name, len(args))
		}
		return f(args[0]), nil
	}
	switch name {
	case "pow", "pwr":
		if len(args) != 2 {
			return 0, e.fail("%s() takes two arguments, not %d", name, len(args))
		}
		if name == "pwr" {
			return math.Pow(math.Abs(args[0]), args[1]), nil
		}
		return math.Pow(args[0], args[1]), nil
	case "min", "max":
		if len(args) == 0 {
			return 0, e.fail("%s() needs at least one argument", name)
		}
		v := args[0]
		for _, a := range args[1:] {
			if name == "min" {
				v = math.Min(v, a)
			} else {
				v = math.Max(v, a)
			}
		}
		return v, nil
	}
	return 0, e.fail("unknown function %s()", name)
}

// unary gives the functions of one argument. log is the natural logarithm, as in ngspice.
func unary(name string) (func(float64) float64, bool) {
	switch name {
	case "sqr":
		return func(x float64) float64 { return x * x }, true
	case "sqrt":
		return math.Sqrt, true
	case "abs":
		return math.Abs, true
	case "exp":
		return math.Exp, true
	case "ln", "log":
		return math.Log, true
	case "log10":
		return math.Log10, true
	case "sin":
		return math.Sin, true
	case "cos":
		return math.Cos, true
	case "tan":
		return math.Tan, true
	case "asin":
		return math.Asin, true
	case "acos":
		return math.Acos, true
	case "atan":
		return math.Atan, true
	case "sinh":
		return math.Sinh, true
	case "cosh":
		return math.Cosh, true
	case "tanh":
		return math.Tanh, true
	case "sgn":
		return func(x float64) float64 { return truth(x > 0) - truth(x < 0) }, true
	case "int":
		return math.Trunc, true
	case "floor":
		return math.Floor, true
	case "ceil":
		return math.Ceil, true
	case "nint":
		return math.RoundToEven, true
	}
	return nil, false
}
