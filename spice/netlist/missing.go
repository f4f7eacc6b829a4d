package netlist

import (
	"slices"
	"sort"
	"strings"

	"slipstick/internal/text"
	"slipstick/spice/diag"
)

// warnIncludes warns about every .include and .lib card, because these files are not read.
func (p *parser) warnIncludes() {
	for _, st := range p.includes {
		p.warn(st.line, includeCard(st)+" is not read, because netlists never read files; every model the netlist uses is known without it")
	}
}

// warnPowers warns of the first ^ in a netlist that LTspice has written. In LTspice ^ is XOR except
// in transfer functions.
func (p *parser) warnPowers(stmts []statement) {
	if !p.ltspice {
		return
	}
	for i := range stmts {
		if stmts[i].isTransfer() {
			continue
		}
		for _, ch := range stmts[i].chunks {
			if strings.Contains(ch.text, "^") {
				p.warn(ch.line, "^ is read as a power unless both sides are conditions; in "+
					"LTspice it is always XOR, and ** is the power")
				return
			}
		}
	}
}

// isTransfer reports whether a statement has a transfer function: E and G with the word laplace, or
// laplace= of any source.
func (st *statement) isTransfer() bool {
	k := slices.IndexFunc(st.toks, func(t token) bool { return t.text == "laplace" })
	return k > 0 && (strings.IndexByte("eg", st.toks[0].text[0]) >= 0 ||
		k+1 < len(st.toks) && st.toks[k+1].kind == equal)
}

func includeCard(st *statement) string { return excerpt(strings.TrimSpace(st.chunks[0].text)) }

// explainMissing extends the messages of errors about missing models, subcircuits and parameters by
// library parts with similar names. The first of them also names the files that were not read.
func (p *parser) explainMissing(errs *diag.Error) *diag.Error {
	files := ""
	for _, st := range p.includes[:min(3, len(p.includes))] {
		files += "; line " + itoa(st.line) + ": " + includeCard(st) +
			" is not read, because netlists never read files: put its models into the text"
	}
	for _, e := range append([]*diag.Error{errs}, errs.Also...) {
		switch e.Code {
		case diag.UnknownModel, diag.UnknownSubcircuit:
			if near := p.similarParts(e.Missing); near != "" {
				e.Detail += "; similar library parts: " + near
			}
		case diag.UnknownParameter, diag.BadNumber, diag.BadExpression, diag.NoElements:
		default:
			continue
		}
		e.Detail += files
		files = ""
	}
	return errs
}

// similarParts returns the names of up to three library parts with similar names, separated by
// commas.
func (p *parser) similarParts(name string) string {
	type candidate struct {
		name string
		d    int
	}
	var near []candidate
	if name == "" || len(name) > 40 {
		return ""
	}
	for _, part := range p.cfg.Parts {
		if d := text.Distance(name, part); d <= max(1, len(part)/3) || len(name) > 3 &&
			(strings.Contains(name, part) || strings.Contains(part, name)) {
			near = append(near, candidate{part, d})
		}
	}
	sort.Slice(near, func(i, j int) bool {
		return near[i].d < near[j].d || near[i].d == near[j].d && near[i].name < near[j].name
	})
	var out []string
	for i := 0; i < len(near) && i < 3; i++ {
		out = append(out, near[i].name)
	}
	return strings.Join(out, ", ")
}

// rejectUnsupported reports the cards of unsupported analyses. It returns an error if the netlist
// has no other analysis, and adds warnings otherwise.
func (p *parser) rejectUnsupported() error {
	for _, st := range p.unsupported {
		if len(p.ckt.Analyses) == 0 {
			return diag.At(diag.NotAvailable, st.line, "not yet supported: %s; the analyses are %s",
				st.toks[0].text, p.analysisNames())
		}
		p.warn(st.line, st.toks[0].text+" is not yet supported and is not run")
	}
	return nil
}
