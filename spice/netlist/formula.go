package netlist

import (
	"math"
	"strings"

	"slipstick/spice/diag"
)

// Formula is a value of a .measure card. It may use the results of earlier measures, so it is
// evaluated after the analysis. The netlist parameters in it are evaluated before the analysis.
type Formula struct {
	Text  string
	Line  int
	known map[string]float64 // values of the netlist parameters by name
	scope *scope             // scope that contains the .func functions
}

// Value evaluates the formula. measure returns the result of an earlier measure by name. Errors are
// of type *diag.Error.
func (f *Formula) Value(measure func(name string) (float64, error)) (float64, error) {
	if v, ok := ParseNumber(f.Text); ok {
		return v, nil
	}
	return evaluateWith(f.Text, f.Line, 0, resolver{function: f.scope.userFunction,
		xor: f.scope.xor,
		parameter: func(name string, depth int) (float64, error) {
			if v, ok := f.known[name]; ok {
				return v, nil
			}
			if f.scope.find(name) != nil { // the name is a parameter in the body of a .func
				return f.scope.lookup(f.Line)(name, depth)
			}
			return measure(name)
		}})
}

// formula creates a Formula from a token. Every name in it must be a parameter or a measure in
// earlier. Errors use what as the description of the value.
func (s *scope) formula(t token, what string, earlier map[string]bool) (*Formula, error) {
	if t.kind != expr && t.kind != word {
		return nil, diag.At(diag.Syntax, t.line, "%s must be a number or an expression, not %q",
			what, excerpt(t.raw))
	}
	f := &Formula{Text: t.text, Line: t.line, known: map[string]float64{}, scope: s}
	if _, ok := ParseNumber(f.Text); ok {
		return f, nil
	}
	for _, name := range namesIn(f.Text) {
		if earlier[name] {
			continue
		}
		if s.find(name) == nil && name != "pi" {
			if t.kind == word && t.text == name {
				return nil, diag.At(diag.BadNumber, t.line, "%s must be a number, not %q", what,
					excerpt(t.raw))
			}
			return nil, missing(diag.At(diag.UnknownParameter, t.line,
				"%s uses %s, which is neither a parameter nor a measure on an earlier line", what,
				name), name)
		}
		v, err := s.lookup(t.line)(name, 0)
		if err != nil {
			return nil, err
		}
		f.known[name] = v
	}
	// A trial evaluation with 1 for each measure finds all errors that do not depend on the values.
	if _, err := f.Value(func(string) (float64, error) {
		return 1, nil
	}); err != nil && !dependsOnValues(err) {
		return nil, err
	}
	return f, nil
}

// dependsOnValues reports whether an error, such as a division by zero, may disappear for other
// values of the measures.
func dependsOnValues(err error) bool {
	return strings.Contains(err.Error(), "divides by zero") ||
		strings.Contains(err.Error(), "no finite value")
}

// namesIn lists the names in an expression in lower case. It omits function names and number
// suffixes.
func namesIn(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		c := text[i]
		if isDigit(c) || c == '.' {
			if _, n := scanNumber(text[i:]); n > 0 {
				i += n
				continue
			}
		}
		if !isNameByte(c) {
			i++
			continue
		}
		start := i
		for i < len(text) && isNameByte(text[i]) {
			i++
		}
		if !strings.HasPrefix(strings.TrimLeft(text[i:], " \t"), "(") {
			out = append(out, strings.ToLower(text[start:i]))
		}
	}
	return out
}

// crossingNumber parses the number of a crossing, which is an integer of at least 1. Errors use
// what as its description.
func (s *scope) crossingNumber(t token, what string) (int, error) {
	v, err := s.number(t, what)
	if err != nil {
		return 0, err
	}
	if v < 1 || v > 1e9 || v != math.Trunc(v) {
		return 0, diag.At(diag.BadValue, t.line,
			"%s must be an integer of at least 1, or last, not %g", what, v)
	}
	return int(v), nil
}
