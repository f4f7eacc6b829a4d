package netlist

import (
	"fmt"
	"strings"

	"slipstick/spice/diag"
)

// polynomial converts "poly(n) a+ a- b+ b- p0 p1 ..." of E and G, or "poly(n) va vb p0 p1 ..." of F
// and H, to an expression. The coefficients belong to 1, to the n controls, to their pairwise
// products and so on. In the products the first factor varies slowest. A single coefficient of
// poly(1) is the gain (SPICE2 user's guide, appendix B).
func (p *parser) polynomial(kind byte, toks []token, line int, in *instance,
	raw string) (string, error) {
	controls, rest, err := polynomialControls(kind, toks, line, raw)
	if err != nil {
		return "", err
	}
	n := len(controls)
	var coefficients []float64
	for _, t := range rest {
		v, err := in.scope.number(t, raw+": a coefficient of poly")
		if err != nil {
			return "", err
		}
		coefficients = append(coefficients, v)
	}
	switch {
	case len(coefficients) == 0:
		return "", diag.At(diag.MissingValue, toks[0].line, "%s: poly(%d) has no coefficients", raw,
			n)
	case len(coefficients) > 200:
		return "", diag.At(diag.BadValue, toks[0].line, "%s: poly has more than 200 coefficients",
			raw)
	case n == 1 && len(coefficients) == 1:
		p.warn(line, raw+": the only coefficient of poly(1) is the gain, as in SPICE2 and PSpice; "+
			"ngspice takes it for a constant")
		coefficients = []float64{0, coefficients[0]}
	}
	var sum strings.Builder
	term := []int{} // ascending indices of the factors of the product
	for i, c := range coefficients {
		fmt.Fprintf(&sum, "+(%g)", c)
		for _, k := range term {
			sum.WriteString("*" + controls[k])
		}
		if i+1 < len(coefficients) {
			term = nextProduct(term, n)
		}
	}
	return sum.String(), nil
}

// polynomialControls parses the number of controls of a polynomial and the controls. It returns the
// controls as expressions, and the tokens of the coefficients. toks begins with the number.
func polynomialControls(kind byte, toks []token, line int,
	raw string) (controls []string, coefficients []token, err error) {
	n := 0
	if len(toks) > 0 && toks[0].kind == word {
		if v, ok := ParseNumber(toks[0].text); ok && v >= 1 && v <= 16 && v == float64(int(v)) {
			n = int(v)
		}
	}
	if n == 0 {
		return nil, nil, diag.At(diag.BadValue, line,
			"%s: poly needs its number of controls, 1 to 16, in parentheses", raw)
	}
	each, what := 2, "nodes"
	if kind == 'f' || kind == 'h' {
		each, what = 1, "sources"
	}
	first := 1 + each*n // index of the first coefficient
	if len(toks) < first {
		return nil, nil, diag.At(diag.MissingNode, toks[0].line,
			"%s: poly(%d) needs %d controlling %s and has %d", raw, n, each*n, what, len(toks)-1)
	}
	for k := 1; k < first; k += each {
		for _, t := range toks[k : k+each] {
			if t.kind != word {
				return nil, nil, diag.At(diag.Syntax, t.line,
					"%s: a node or source must be a name, not an expression", raw)
			}
		}
		if each == 1 {
			controls = append(controls, "i("+toks[k].text+")")
		} else {
			controls = append(controls, "v("+toks[k].text+","+toks[k+1].text+")")
		}
	}
	return controls, toks[first:], nil
}

// nextProduct returns the next product of n controls in the order 1, x, y, xx, xy, yy, xxx and so
// on. A product is the list of the ascending indices of its factors. nextProduct may modify term.
func nextProduct(term []int, n int) []int {
	for k := len(term) - 1; k >= 0; k-- {
		if term[k]+1 < n {
			next := term[k] + 1
			for ; k < len(term); k++ {
				term[k] = next
			}
			return term
		}
	}
	return make([]int, len(term)+1)
}
