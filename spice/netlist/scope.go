package netlist

import (
	"math"
	"strconv"

	"slipstick/spice/diag"
)

// scope resolves names during the expansion of one instance of a block. Its parent is the scope in
// which the block is defined.
type scope struct {
	block  *block
	parent *scope
	params map[string]*parameter
	models map[string]*Model
	line   int // line number of the X element of a library part, or 0 outside library parts
	warn   func(line int, text string)
	random *random
	xor    bool           // ^ between two conditions is XOR
	temper func() float64 // returns the temperature of the circuit [°C]; nil if it is unknown
}

type parameter struct {
	text  string
	line  int
	in    *scope
	value float64
	state int8 // 0 if not evaluated, 1 during evaluation, 2 if value is valid
	used  bool // the value was requested
	// source is the .step card whose value text holds, or "".
	source string
}

func (p *parser) newScope(b *block, parent *scope) *scope {
	s := &scope{block: b, parent: parent, params: map[string]*parameter{},
		models: map[string]*Model{}, warn: p.warn, random: p.random, temper: p.temper,
		xor: p.ltspice}
	for _, d := range b.defaults {
		s.params[d.name] = &parameter{text: d.text, line: d.line, in: s}
	}
	for _, d := range b.params {
		if old, ok := s.params[d.name]; ok && old.line != d.line {
			p.warn(d.line, "parameter "+d.name+" replaces the value of line "+itoa(old.line))
		}
		s.params[d.name] = &parameter{text: d.text, line: d.line, in: s, source: d.source}
	}
	return s
}

// find returns the parameter with this name from this scope or an outer scope, or nil if there is
// none.
func (s *scope) find(name string) *parameter {
	for ; s != nil; s = s.parent {
		if p := s.params[name]; p != nil {
			return p
		}
	}
	return nil
}

// lookup returns a function that evaluates the parameter with a given name at a nesting depth. line
// is the line number in errors.
func (s *scope) lookup(line int) func(string, int) (float64, error) {
	return func(name string, depth int) (float64, error) {
		p := s.find(name)
		if p == nil {
			switch name {
			case "pi":
				return math.Pi, nil
			case "e":
				return math.E, nil
			case "boltz": // [J/K], [C], [J·s] and [°C]; named as in LTspice, CODATA 2018
				return 1.380649e-23, nil
			case "echarge":
				return 1.602176634e-19, nil
			case "planck":
				return 6.62607015e-34, nil
			case "kelvin":
				return -273.15, nil
			case "temper", "temp": // PSpice and LTspice: temp
				if s.temper != nil {
					return s.temper(), nil
				}
			}
			return 0, missing(diag.At(diag.UnknownParameter, line,
				"parameter %s is not defined; add .param %s=...", name, name), name)
		}
		p.used = true
		switch p.state {
		case 1:
			return 0, diag.At(diag.ParameterCycle, p.line,
				"parameter %s is defined in terms of itself", name)
		case 0:
			p.state = 1
			names := p.in.resolver(p.line)
			if outer := p.in.parent; outer.find(name) != nil {
				// In ".subckt s a r={r}" the default of r is r of the outer scope.
				inner := names.parameter
				names.parameter = func(used string, depth int) (float64, error) {
					if used == name {
						return outer.lookup(p.line)(used, depth)
					}
					return inner(used, depth)
				}
			}
			v, err := evaluateWith(p.text, p.line, depth, names)
			if err != nil {
				p.state = 0
				return 0, err
			}
			p.value, p.state = v, 2
		}
		return p.value, nil
	}
}

// eval returns the value of an expression in this scope. line is the line number in errors.
func (s *scope) eval(text string, line int) (float64, error) {
	return evaluateWith(text, line, 0, s.resolver(line))
}

// resolver returns a resolver for the parameters and functions of this scope. line is the line
// number in errors.
func (s *scope) resolver(line int) resolver {
	return resolver{parameter: s.lookup(line), function: s.userFunction, warn: s.warn,
		random: s.random, xor: s.xor}
}

// number returns the value of a token, which must be a number, an expression or a parameter name.
// Errors use what as its description.
func (s *scope) number(t token, what string) (float64, error) {
	switch {
	case t.kind == expr:
		return s.eval(t.text, t.line)
	case t.kind == word:
		if v, ok := ParseNumber(t.text); ok {
			return v, nil
		}
		if s.find(t.text) != nil {
			return s.eval(t.text, t.line)
		}
		if v, ok := rkmNumber(t.raw); ok {
			s.warn(t.line, t.raw+" is read as "+strconv.FormatFloat(v, 'g', -1, 64))
			return v, nil
		}
	}
	return 0, missing(diag.At(diag.BadNumber, t.line, "%s must be a number, not %q", what,
		excerpt(t.raw)), t.text)
}
