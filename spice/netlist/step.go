package netlist

import (
	"strings"

	"slipstick/spice/diag"
)

// applyStepCards applies the first value of every .step card to its parameter or the temperature.
// The value replaces the definition of the parameter.
func (p *parser) applyStepCards(cards []*statement) error {
	for _, st := range cards {
		if st.toks[0].text != ".step" {
			continue
		}
		toks := st.withoutParens()
		for len(toks) > 0 && (toks[0].text == "lin" || toks[0].text == "dec" || toks[0].text == "oct") {
			toks = toks[1:]
		}
		param := len(toks) > 0 && toks[0].text == "param"
		if param {
			toks = toks[1:]
		}
		if len(toks) > 2 && toks[1].kind == equal {
			toks = append([]token{toks[0]}, toks[2:]...)
		}
		if len(toks) > 1 && (toks[1].text == "list" || toks[1].text == "lin" || toks[1].text == "dec" || toks[1].text == "oct") {
			toks = append([]token{toks[0]}, toks[2:]...)
		}
		if len(toks) < 2 || toks[0].kind != word || toks[1].kind != word && toks[1].kind != expr {
			return diag.At(diag.MissingValue, st.line, ".step needs a parameter and values: .step param r list 1k 2k, or .step param r 1k 10k 1k")
		}
		name, first := toks[0].text, toks[1]
		switch {
		case name == "temp" && !param:
			v, err := p.newScope(p.top, nil).number(first, ".step temp")
			if err != nil {
				return err
			}
			p.ckt.TempC, p.ckt.TempLine = &v, st.line
		case !param && !p.hasParam(name):
			return diag.At(diag.NotAvailable, st.line, "not yet supported: .step of %s; .step takes param NAME or temp, and .dc sweeps sources", excerpt(toks[0].raw))
		default:
			kept := p.top.params[:0]
			for _, d := range p.top.params {
				if d.name != name {
					kept = append(kept, d)
				}
			}
			p.top.params = append(kept, definition{name: name, text: first.text, line: st.line})
		}
		p.warn(st.line, ".step is not repeated: the run takes its first value, "+strings.TrimSpace(name+" = "+excerpt(first.raw)))
	}
	return nil
}

// hasParam reports whether a .param of the top level has the name.
func (p *parser) hasParam(name string) bool {
	for _, d := range p.top.params {
		if d.name == name {
			return true
		}
	}
	return false
}
