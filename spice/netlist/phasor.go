package netlist

import (
	"math"
	"math/cmplx"
)

// phasorParts maps the functions of a phasor in .measure ac to values of Operand.Part.
var phasorParts = map[string]string{"mag": "m", "db": "db", "ph": "p", "phase": "p", "cph": "p",
	"arg": "p", "re": "r", "real": "r", "im": "i", "imag": "i"}

// PhasorPart returns a part of a phasor. The parts are the magnitude ("m" or ""), the magnitude in
// decibels ("db"), the phase in degrees ("p"), and the real and imaginary parts ("r", "i").
func PhasorPart(z complex128, part string) float64 {
	switch part {
	case "db":
		// The magnitude 0 is -∞ dB. The smallest double in its place keeps the result finite.
		return 20 * math.Log10(math.Max(cmplx.Abs(z), math.SmallestNonzeroFloat64))
	case "p":
		if z == 0 {
			return 0
		}
		if imag(z) == 0 && real(z) < 0 { // also for a negative zero
			return 180
		}
		return cmplx.Phase(z) * 180 / math.Pi
	case "r":
		return real(z)
	case "i":
		return imag(z)
	}
	return math.Hypot(real(z), imag(z))
}

// addPhasorPart appends a function of a phasor to the program.
func (c *compiler) addPhasorPart(part string) {
	c.emit(instruction{op: opPhasorPart, part: part}, 1)
}

// splitPart removes the function of a phasor that the program ends with and returns its part. It
// returns "r" if the value is a real number otherwise, and "" if it is a phasor.
func (p *Program) splitPart(variables []Variable) string {
	if n := len(p.code) - 1; n > 0 && p.code[n].op == opPhasorPart && p.lastTarget <= n {
		part := p.code[n].part
		p.code = p.code[:n]
		return part
	}
	if p.isReal(variables) {
		return "r"
	}
	return ""
}

// isReal reports whether the value of a program of phasors is a real number, such as a phase,
// instead of a phasor.
func (p *Program) isReal(variables []Variable) bool {
	type join struct {
		at      int
		complex bool
	}
	var stack []bool // the entries that are phasors
	var joins []join // branches of conditions that end at an instruction
	pop := func() bool {
		n := len(stack) - 1
		if n < 0 {
			return true
		}
		top := stack[n]
		stack = stack[:n]
		return top
	}
	settle := func(at int) {
		for n := len(joins) - 1; n >= 0 && joins[n].at == at; n-- {
			stack = append(stack, pop() || joins[n].complex)
			joins = joins[:n]
		}
	}
	for at := range p.code {
		settle(at)
		i := &p.code[at]
		switch i.op {
		case opConstant:
			stack = append(stack, false)
		case opVariable:
			kind := variables[i.n].Kind
			stack = append(stack, kind == 'v' || kind == 'i')
		case opUnless:
			pop()
		case opJump:
			joins = append(joins, join{i.n, pop()})
		case opPhasorPart, opNot:
			pop()
			stack = append(stack, false)
		case opNegate, opFunction:
			isComplex := pop()
			stack = append(stack, isComplex && !(i.op == opFunction && i.f.names == "abs"))
		case opAdd, opSubtract, opMultiply, opDivide, opPower:
			b := pop()
			stack = append(stack, pop() || b)
		default: // comparisons and functions of real parts
			pop()
			pop()
			stack = append(stack, false)
		}
	}
	settle(len(p.code))
	return len(stack) == 1 && !stack[0]
}

// Phasor returns the value of the program for phasors x. Comparisons and functions that have no
// value for complex numbers use the real parts.
func (p *Program) Phasor(x []complex128) complex128 {
	var stack []complex128
	for at := 0; at < len(p.code); at++ {
		i := &p.code[at]
		n := len(stack)
		switch i.op {
		case opConstant:
			stack = append(stack, complex(i.value, 0))
			continue
		case opVariable:
			stack = append(stack, x[i.n])
			continue
		case opJump:
			at = i.n - 1
			continue
		case opUnless:
			if stack[n-1] == 0 {
				at = i.n - 1
			}
			stack = stack[:n-1]
			continue
		}
		if i.operands() == 1 {
			stack[n-1] = i.unaryPhasor(stack[n-1])
			continue
		}
		stack[n-2] = i.binaryPhasor(stack[n-2], stack[n-1])
		stack = stack[:n-1]
	}
	return stack[0]
}

// unaryPhasor evaluates an operation on one phasor.
func (i *instruction) unaryPhasor(a complex128) complex128 {
	switch i.op {
	case opNegate:
		return -a
	case opPhasorPart:
		return complex(PhasorPart(a, i.part), 0)
	case opNot:
		return complex(boolToFloat(a == 0), 0)
	}
	switch i.f.names {
	case "abs":
		return complex(cmplx.Abs(a), 0)
	case "sqr":
		return a * a
	case "sqrt":
		return cmplx.Sqrt(a)
	case "exp":
		return cmplx.Exp(a)
	case "ln log":
		return cmplx.Log(a)
	case "log10":
		return cmplx.Log10(a)
	}
	v, _ := i.f.evalExtended(real(a))
	return complex(v, 0)
}

// binaryPhasor evaluates an operation on two phasors.
func (i *instruction) binaryPhasor(a, b complex128) complex128 {
	switch i.op {
	case opAdd:
		return a + b
	case opSubtract:
		return a - b
	case opMultiply:
		return a * b
	case opDivide:
		return a / b
	case opPower:
		if imag(a) == 0 && imag(b) == 0 {
			break
		}
		return cmplx.Pow(a, b)
	}
	v, _, _ := i.binary(real(a), real(b), false)
	return complex(v, 0)
}
