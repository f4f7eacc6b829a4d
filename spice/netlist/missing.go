package netlist

import (
	"errors"
	"maps"
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

// explainMissing extends the error for a missing model, subcircuit or parameter. The message then
// also names all missing models, library parts with similar names and the files that were not read.
func (p *parser) explainMissing(err error) error {
	e, ok := errors.AsType[*diag.Error](err)
	if !ok {
		return err
	}
	switch e.Code {
	case diag.UnknownModel, diag.UnknownSubcircuit:
		if names := p.undefinedModels(); len(names) > 0 {
			if len(names) == 1 { // the detail has its name
				if near := p.similarParts(names[0]); near != "" {
					e.Detail += "; similar library parts: " + near
				}
				break
			}
			var list []string
			for i, n := range names {
				if i == 20 {
					list = append(list, "and more")
					break
				}
				if near := p.similarParts(n); near != "" {
					n += " (similar library parts: " + near + ")"
				}
				list = append(list, n)
			}
			e.Detail += "; all undefined models and subcircuits: " + strings.Join(list, ", ")
		}
	case diag.UnknownParameter, diag.BadNumber, diag.BadExpression, diag.NoElements:
	default:
		return err
	}
	for i, st := range p.includes {
		if i == 3 {
			break
		}
		e.Detail += "; line " + itoa(st.line) + ": " + includeCard(st) +
			" is not read, because netlists never read files: put its models into the text"
	}
	return e
}

// undefinedModels lists the names of the models and subcircuits that neither the netlist nor the
// library defines, in netlist order.
func (p *parser) undefinedModels() (names []string) {
	have := map[string]bool{}
	add := func(name string) {
		if !have[name] {
			have[name] = true
			names = append(names, name)
		}
	}
	var walk func(b *block, parent *scope)
	walk = func(b *block, parent *scope) {
		if b.library {
			return
		}
		s := &scope{block: b, parent: parent, params: map[string]*parameter{},
			models: map[string]*Model{}, warn: func(int, string) {}}
		known := func(t token) bool {
			m, err := p.model(t.text, s)
			return m != nil || err != nil
		}
		for _, st := range b.elements {
			toks := st.withoutParens()
			toks = toks[:positionalCount(toks)]
			switch kind := st.toks[0].text[0]; kind {
			case 'x':
				if n := len(toks); n > 0 && toks[n-1].kind == word {
					if b, _ := p.findSubcircuit(toks[n-1].text, s); b == nil {
						add(toks[n-1].text)
					}
				}
			case 'q':
				if len(toks) > 3 && !known(toks[3]) && (len(toks) < 5 || !known(toks[4])) {
					if hasSubstrate(toks) {
						add(toks[4].text)
					} else {
						add(toks[3].text)
					}
				}
			case 'd', 'm', 'j', 's', 'w', 'o', 'u', 'z':
				n, _ := nodeCount(kind)
				if kind == 'w' {
					n++
				}
				if kind == 'm' && len(toks) == 4 {
					n = 3 // a vdmos transistor without a bulk node
				}
				if len(toks) > n && toks[n].kind == word && !known(toks[n]) {
					add(toks[n].text)
				}
			}
		}
		inner := make([]*block, 0, len(b.subs))
		for _, sub := range b.subs {
			inner = append(inner, sub)
			for _, key := range slices.Sorted(maps.Keys(sub.variants)) {
				inner = append(inner, sub.variants[key])
			}
		}
		sort.SliceStable(inner, func(i, j int) bool { return inner[i].line < inner[j].line })
		for _, sub := range inner {
			walk(sub, s)
		}
	}
	walk(p.top, nil)
	return names
}

// similarParts returns the names of up to three library parts with similar names, separated by
// commas.
func (p *parser) similarParts(name string) string {
	type candidate struct {
		name string
		d    int
	}
	var near []candidate
	if len(name) > 40 {
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
