package netlist

import "strings"

// integral parses the arguments of idt(x), idt(x, initial value) or, in LTspice, idt(x, initial
// value, reset). While the expression reset is above 0.5, the integral has its initial value.
func (c *compiler) integral(name string) error {
	index, _, err := c.integrate(name, 3, true,
		"an expression, an initial value and a condition of its reset")
	if err == nil {
		c.emit(instruction{op: opVariable, n: index}, 0)
	}
	return err
}

// circularIntegral parses the arguments of idtmod(x, initial value, modulus m, offset o), a
// function of LTspice. Its value is the time integral of x plus a multiple of m; it is at least o
// and below o + m. All arguments but x are optional. Without m it is the integral.
func (c *compiler) circularIntegral(name string) error {
	index, constants, err := c.integrate(name, 4, false,
		"an expression, an initial value, a modulus and an offset")
	if err != nil {
		return err
	}
	c.emit(instruction{op: opVariable, n: index}, 0)
	if len(constants) < 2 {
		return nil
	}
	modulus, offset := constants[1], 0.0
	if !(modulus > 0) {
		return c.fail("the modulus of %s() must be above 0, not %g", name, modulus)
	}
	if len(constants) > 2 {
		offset = constants[2]
	}
	constant := func(v float64) { c.emit(instruction{op: opConstant, value: v}, 0) }
	// x - m·floor((x - o)/m)
	c.emit(instruction{op: opVariable, n: index}, 0)
	constant(offset)
	c.emit(instruction{op: opSubtract}, 2)
	constant(modulus)
	c.emit(instruction{op: opDivide}, 2)
	c.emit(instruction{op: opFunction, f: functionNamed("floor")}, 1)
	constant(modulus)
	c.emit(instruction{op: opMultiply}, 2)
	c.emit(instruction{op: opSubtract}, 2)
	return nil
}

// integrate parses the arguments of a function that integrates: an expression, and constants of
// which the first is the initial value. most is the largest number of arguments, and takes
// describes them. If resets is set, the third argument is the expression of the reset. It returns
// the index of the integral and the constants.
func (c *compiler) integrate(name string, most int, resets bool, takes string) (index int,
	constants []float64, err error) {
	values, err := c.arguments(name)
	reset := ""
	switch {
	case err != nil:
		return 0, nil, err
	case c.resolver.integral == nil:
		return 0, nil, c.fail("%s() is valid only in expressions of sources B, E and G", name)
	case len(values) > most:
		return 0, nil, c.fail("%s() takes %s, not %d arguments", name, takes, len(values))
	}
	if resets && len(values) > 2 {
		values, reset = values[:2], values[2]
		if strings.TrimSpace(reset) == "" {
			return 0, nil, c.fail("%s(): the condition of the reset is empty", name)
		}
	}
	for _, text := range values[1:] {
		v, err := evaluateWith(strings.TrimSpace(text), c.line, c.depth, c.resolver.constants())
		if err != nil {
			return 0, nil, err
		}
		constants = append(constants, v)
	}
	initial := 0.0
	if len(constants) > 0 {
		initial = constants[0]
	}
	index, err = c.resolver.integral(values[0], initial, reset)
	return index, constants, err
}
