package netlist

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// Program is an expression compiled for a stack machine. The machine computes the value and, by
// forward-mode automatic differentiation, the derivatives with respect to the variables.
type Program struct {
	text     string
	line     int
	code     []instruction
	maxStack int // largest depth of the stack
	// expanded is the total length in bytes of all expanded .func bodies.
	expanded int
	// lastTarget is the last jump target. Constant folding must not cross it.
	lastTarget int
}

type opcode uint8

const (
	opConstant opcode = iota
	opVariable
	opFunction
	opNegate
	opNot
	opAdd
	opSubtract
	opMultiply
	opDivide
	opRemainder // of a/b, with the sign of a
	opPower
	opSignedPower    // power of |a| with the sign of a
	opMagnitudePower // power of |a|
	opArctangent     // of a/b in all four quadrants
	opHypotenuse
	opMin
	opMax
	opEqual
	opUnequal
	opAtMost
	opAtLeast
	opBelow
	opAbove
	opAnd
	opOr
	opPhasorPart // part of a phasor, only in Phasor
	opUnless     // pops a value and jumps to n if it is 0
	opJump       // jumps to n
)

type instruction struct {
	op    opcode
	n     int // index of the variable, or target of the jump
	value float64
	f     *function
	// part is the part of a phasor, or the text of a denominator or of the base of a power.
	part string
	// mayHavePole is set for a power, and for a division by anything but a constant other than 0.
	mayHavePole bool
	// dividesByZero is set for a division by the constant 0, and for a negative power of it.
	dividesByZero bool
}

// operands returns the number of operands that the instruction pops.
func (i *instruction) operands() int {
	switch i.op {
	case opConstant, opVariable, opJump:
		return 0
	case opFunction, opNegate, opNot, opPhasorPart, opUnless:
		return 1
	}
	return 2
}

// append appends an instruction. If all operands are constant, it folds the instruction into a
// constant.
func (p *Program) append(i instruction) {
	switch last := len(p.code) - 1; i.op {
	case opDivide:
		// A jump to this instruction means that the constant before it is that of one branch.
		constant := p.code[last].op == opConstant && p.lastTarget <= last
		i.dividesByZero = constant && p.code[last].value == 0
		i.mayHavePole = !constant || i.dividesByZero
	case opPower, opSignedPower, opMagnitudePower:
		i.mayHavePole = true
	}
	p.code = append(p.code, i)
	n := i.operands()
	first := len(p.code) - 1 - n
	if n == 0 || first < p.lastTarget {
		return
	}
	for _, c := range p.code[first : first+n] {
		if c.op != opConstant {
			return
		}
	}
	part := Program{text: p.text, line: p.line, code: p.code[first:], maxStack: 2}
	if v, err := part.constant(); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		p.code = append(p.code[:first], instruction{op: opConstant, value: v})
	} else if i.mayHavePole {
		p.code[first+n].dividesByZero = true
	}
}

// isNonNegative reports whether the value of the instructions from start on cannot be negative, as
// far as the last of them shows.
func (p *Program) isNonNegative(start int) bool {
	last := len(p.code) - 1
	if last < start || p.lastTarget > last {
		return false // the value may be that of another branch
	}
	switch i := &p.code[last]; i.op {
	case opConstant:
		return last == start && i.value >= 0
	case opFunction:
		return strings.Contains(" abs sqr sqrt exp cosh uramp ", " "+i.f.names+" ")
	case opHypotenuse:
		return true
	}
	return false
}

// addJump appends a jump without a target and returns its index for patchJump.
func (p *Program) addJump(op opcode) int {
	p.code = append(p.code, instruction{op: op})
	p.lastTarget = len(p.code)
	return len(p.code) - 1
}

func (p *Program) patchJump(at int) {
	p.code[at].n = len(p.code)
	p.lastTarget = len(p.code)
}

func (p *Program) fail(format string, args ...any) error {
	return diag.At(diag.BadExpression, p.line, "%s", fmt.Sprintf(format, args...))
}

// constant evaluates a program without variables. Division by zero is an error. Other undefined
// operations return NaN or infinity.
func (p *Program) constant() (float64, error) {
	return p.constantWith(&EvalStack{stack: make([]float64, p.maxStack)})
}

// constantWith evaluates a program without variables, as constant does, with the settings of w.
func (p *Program) constantWith(w *EvalStack) (float64, error) {
	v, _, ok := p.execute(w, nil, 1, true)
	if !ok {
		return 0, p.fail("expression %q divides by zero", excerpt(p.text))
	}
	return v, nil
}

// Smooth reports whether the value and the derivatives of the program are continuous. It returns
// false if its operators and functions do not guarantee this.
func (p *Program) Smooth() bool {
	for _, i := range p.code {
		switch i.op {
		case opConstant, opVariable, opNegate, opAdd, opSubtract, opMultiply, opDivide, opPower:
		case opFunction:
			if strings.Contains(kinked, " "+i.f.names+" ") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Polynomial reports whether the program only adds, subtracts and multiplies.
func (p *Program) Polynomial() bool {
	for _, i := range p.code {
		switch i.op {
		case opConstant, opVariable, opNegate, opAdd, opSubtract, opMultiply:
		default:
			return false
		}
	}
	return true
}

// Discontinuous reports whether the value of the program can jump. It returns true if one of the
// operators or functions can jump.
func (p *Program) Discontinuous() bool {
	for _, i := range p.code {
		switch i.op {
		case opEqual, opUnequal, opAtMost, opAtLeast, opBelow, opAbove, opAnd, opOr, opNot,
			opUnless, opRemainder:
			return true
		case opFunction:
			if strings.Contains(jumping, " "+i.f.names+" ") {
				return true
			}
		}
	}
	return false
}

const (
	// jumping lists the functions with a discontinuous value, separated by blanks.
	jumping = " sgn sign int floor ceil nint round buf inv u stp rand "
	// kinked lists the functions with a discontinuous value or derivative.
	kinked = jumping + "abs uramp table "
)

// EvalStack is a stack for the evaluation of one program.
type EvalStack struct {
	stack []float64
	// limitsPoles makes divisions by almost 0 divide by poleDivisor. limited is set if one did.
	limitsPoles, limited bool
	// findsPole makes the evaluation set pole to the last instruction with a denominator of 0.
	findsPole bool
	pole      *instruction
	// magnitudes makes powers without real value those of the magnitude. magnitude is the last one.
	magnitudes bool
	magnitude  *instruction
}

const (
	// nearPole is the largest denominator that counts as almost 0. Node voltages that are 0 before
	// an iteration reaches them have such values from roundoff.
	nearPole = 1e-14
	// poleDivisor replaces a denominator that is almost 0. It all but removes a source from the
	// circuit. The small conductance of a quotient v/r keeps the equations solvable.
	poleDivisor = 1e9
	// poleValue is the smallest value [V or A] that only a division by 0 explains. A source may
	// divide by 0 within a larger expression, such as a resistance in parallel.
	poleValue = 1e12
	// poleRoundoff is the largest value that counts as 0, relative to the sum of its terms.
	poleRoundoff = 4e-16
	// zeroDivisor replaces a denominator of 0.
	zeroDivisor = 1e-32
)

// NewStack returns a stack for a program with the given number of variables.
func (p *Program) NewStack(variables int) *EvalStack {
	return &EvalStack{stack: make([]float64, p.maxStack*(variables+1))}
}

// Value returns the value at x and its derivatives with respect to the elements of x. The slice is
// part of w and valid until the next call.
//
// Three rules keep Newton iterations finite. Outside its domain a function such as a square root
// keeps its edge value. A function such as an exponential continues along its tangent. As in
// ngspice, a division by 0 divides by 1e-32.
func (p *Program) Value(w *EvalStack, x []float64) (float64, []float64) {
	v, d, _ := p.execute(w, x, len(x)+1, false)
	return v, d
}

// ValueOffPole returns the value at x and its derivatives, as Value does, but removes poles. Where
// a denominator is almost 0, the quotient is almost 0 too. limited reports whether there is a pole.
// It serves the first iterations of Newton's method, which begin at 0 V.
func (p *Program) ValueOffPole(w *EvalStack, x []float64) (v float64, d []float64, limited bool) {
	w.limitsPoles, w.limited = true, false
	v, d, _ = p.execute(w, x, len(x)+1, false)
	w.limitsPoles = false
	return v, d, w.limited
}

// Divides reports whether the program contains an operation of which isPole can be true.
func (p *Program) Divides() bool {
	return slices.ContainsFunc(p.code, func(i instruction) bool { return i.mayHavePole })
}

// Pole returns the text of a denominator, or of the base of a negative power, that is 0 at x within
// rounding. The result is empty if there is none, or if the value is below poleValue anyway. After
// a division by the constant 0, the derivatives must be below poleValue too: 0/0 is 0, but the gain
// is infinite.
func (p *Program) Pole(w *EvalStack, x []float64) string {
	if math.Abs(p.ValueAt(w, x)) < poleValue && !p.hasInfiniteGain(w, x) {
		return ""
	}
	w.findsPole, w.pole = true, nil
	p.execute(w, x, len(x)+1, false)
	w.findsPole = false
	switch {
	case w.pole == nil:
		return ""
	case w.pole.part == "":
		return excerpt(p.text)
	}
	return excerpt(w.pole.part)
}

// hasInfiniteGain reports whether the program divides by the constant 0 and has a derivative at x
// that only this division explains.
func (p *Program) hasInfiniteGain(w *EvalStack, x []float64) bool {
	if !slices.ContainsFunc(p.code, func(i instruction) bool { return i.dividesByZero }) {
		return false
	}
	_, slopes := p.Value(w, x)
	return slices.ContainsFunc(slopes, func(d float64) bool { return math.Abs(d) >= poleValue })
}

// isPole reports whether an instruction with mayHavePole divides by b of 0 a value a other than 0,
// or any value if b is constant, or raises a of 0 to a negative power b. a and b are stack entries.
func (i *instruction) isPole(a, b, x []float64) bool {
	if i.op == opDivide {
		return isZero(b, x) && (i.dividesByZero || !isZero(a, x))
	}
	return b[0] < 0 && isZero(a, x)
}

// isZero reports whether a stack entry with derivatives with respect to x is 0 within rounding.
func isZero(entry, x []float64) bool {
	sum := 0.0
	for k, d := range entry[1:] {
		sum += math.Abs(d * x[k])
	}
	return math.Abs(entry[0]) < zeroDivisor || math.Abs(entry[0]) <= poleRoundoff*sum
}

// ValueAt returns the value at x, as Value does, without the derivatives.
func (p *Program) ValueAt(w *EvalStack, x []float64) float64 {
	v, _, _ := p.execute(w, x, 1, false)
	return v
}

// execute evaluates the program at x and returns the value and its derivatives. stride is the size
// of a stack entry: 1 for the value alone, or 1 + len(x) with the derivatives. For constants,
// strict is set: functions are not extended beyond their domain, and ok is false after a division
// by zero.
func (p *Program) execute(w *EvalStack, x []float64, stride int,
	strict bool) (value float64, slopes []float64, ok bool) {
	top := -stride // index in s of the topmost entry, which is a value followed by its derivatives
	s := w.stack
	for at := 0; at < len(p.code); at++ {
		i := &p.code[at]
		switch i.op {
		case opConstant, opVariable:
			top += stride
			clear(s[top : top+stride])
			s[top] = i.value
			if i.op == opVariable {
				s[top] = x[i.n]
				if stride > 1 {
					s[top+1+i.n] = 1
				}
			}
			continue
		case opJump:
			at = i.n - 1
			continue
		case opUnless:
			if s[top] == 0 {
				at = i.n - 1
			}
			top -= stride
			continue
		}
		if i.operands() == 1 {
			a := s[top : top+stride]
			v, d := i.unary(a[0], strict)
			a[0] = v
			for k := 1; k < stride; k++ {
				a[k] *= d
			}
			continue
		}
		top -= stride
		a, b := s[top:top+stride], s[top+stride:top+2*stride]
		if (i.op == opDivide || i.op == opRemainder) && b[0] == 0 && strict {
			return 0, nil, false
		}
		if w.limitsPoles && i.mayHavePole && i.isNearPole(a[0], b[0]) {
			w.limited = true
			for k := range a {
				a[k] /= poleDivisor
			}
			continue
		}
		if w.findsPole && i.mayHavePole && i.isPole(a, b, x) {
			w.pole = i
		}
		if w.magnitudes && i.op == opPower && a[0] < 0 && b[0] != math.Trunc(b[0]) {
			a[0], w.magnitude = -a[0], i
		}
		v, da, db := i.binary(a[0], b[0], strict)
		a[0] = v
		for k := 1; k < stride; k++ {
			// An operand with derivative 0 contributes 0, even if the factor is infinite.
			d := 0.0
			if a[k] != 0 {
				d = da * a[k]
			}
			if b[k] != 0 {
				d += db * b[k]
			}
			a[k] = d
		}
	}
	return s[0], s[1:stride], true
}

// isNearPole reports whether an instruction with mayHavePole divides by a value b that is almost 0,
// or raises such a value a to a negative power b.
func (i *instruction) isNearPole(a, b float64) bool {
	if i.op == opDivide {
		return math.Abs(b) < nearPole
	}
	return b < 0 && math.Abs(a) < nearPole
}

// unary evaluates an operation on one operand and returns the value and the derivative. With
// strict, a function is not extended beyond its domain.
func (i *instruction) unary(a float64, strict bool) (v, d float64) {
	switch i.op {
	case opNegate:
		return -a, -1
	case opNot:
		return boolToFloat(a == 0), 0
	case opPhasorPart:
		return PhasorPart(complex(a, 0), i.part), 0
	}
	if strict {
		v, _ = i.f.eval(a)
		return v, 0
	}
	return i.f.evalExtended(a)
}

// binary evaluates an operation on two operands and returns the value and the derivatives with
// respect to both. With strict, a division by 0 is not replaced.
func (i *instruction) binary(a, b float64, strict bool) (v, da, db float64) {
	switch i.op {
	case opAdd:
		return a + b, 1, 1
	case opSubtract:
		return a - b, 1, -1
	case opMultiply:
		return a * b, b, a
	case opDivide:
		if !strict && math.Abs(b) < zeroDivisor {
			b = math.Copysign(zeroDivisor, b)
		}
		v = a / b
		return v, 1 / b, -v / b
	case opRemainder:
		if !strict && math.Abs(b) < zeroDivisor {
			b = math.Copysign(zeroDivisor, b)
		}
		// The quotient is rounded, so that 1%0.1 is 0, although 0.1 is more than 1/10.
		q := math.Trunc(a / b)
		return a - float64(b*q), 1, -q
	case opPower:
		if strict {
			return math.Pow(a, b), 0, 0
		}
		return power(a, b)
	case opSignedPower:
		v, da, db = power(math.Abs(a), b)
		if a < 0 {
			return -v, da, -db
		}
		return v, da, db
	case opMagnitudePower:
		v, da, db = power(math.Abs(a), b)
		if a < 0 {
			da = -da
		}
		return v, da, db
	case opArctangent:
		v = math.Atan2(a, b)
		if square := a*a + b*b; square > 0 {
			da, db = b/square, -a/square
		}
		return v, da, db
	case opHypotenuse:
		if v = math.Hypot(a, b); v > 0 {
			da, db = a/v, b/v
		}
		return v, da, db
	case opMin:
		if a <= b {
			return a, 1, 0
		}
		return b, 0, 1
	case opMax:
		if a >= b {
			return a, 1, 0
		}
		return b, 0, 1
	case opEqual:
		v = boolToFloat(a == b)
	case opUnequal:
		v = boolToFloat(a != b)
	case opAtMost:
		v = boolToFloat(a <= b)
	case opAtLeast:
		v = boolToFloat(a >= b)
	case opBelow:
		v = boolToFloat(a < b)
	case opAbove:
		v = boolToFloat(a > b)
	case opAnd:
		v = boolToFloat(a != 0 && b != 0)
	case opOr:
		v = boolToFloat(a != 0 || b != 0)
	}
	return v, 0, 0
}

// power returns a^b and its derivatives with respect to a and b. A negative base is valid for
// integer exponents. For other exponents power uses the magnitude of the base.
func power(a, b float64) (v, da, db float64) {
	sign := 1.0
	if a < 0 && b != math.Trunc(b) {
		a, sign = -a, -1
	}
	v = math.Pow(a, b)
	switch {
	case b == 0:
	case b == 1:
		da = sign
	case a == 0 && b < 0:
		return 1e32, 0, 0 // a large constant replaces the pole
	case a == 0 && b < 1:
		return 0, 0, 0 // the derivative of a root is infinite at 0
	default:
		da = sign * b * math.Pow(a, b-1)
	}
	if a > 0 {
		db = v * math.Log(a)
	}
	return v, da, db
}

func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
