package netlist

import (
	"strings"

	"slipstick/spice/diag"
)

// classifyFirstLine classifies line 1, which is always the title in SPICE. If the line can only be
// an element or a card of this circuit, it becomes a statement, with a warning. Without this rule,
// a netlist pasted without its title could lose its source, and every result would be 0.
func (p *parser) classifyFirstLine(d *deck) error {
	st := d.firstLine
	if st != nil {
		what := ""
		head := st.toks[0].text
		switch {
		case head[0] == '.' && isCard(st, d.stmts):
			what = "the card " + head
		case p.isElement(st, d.stmts):
			what = "the element " + st.toks[0].raw + ", whose nodes the circuit uses"
		}
		if what != "" {
			p.warn(st.line,
				"the first line is read as "+what+"; SPICE and ngspice take the first line as the title, whatever it says, "+
					"and would leave it out: put a title line above it")
			p.ckt.Title, p.ckt.TitleLine = "", 0
			d.stmts = append([]statement{*st}, d.stmts...)
			return nil
		}
	}
	if d.strayContinuation > 0 {
		return diag.At(diag.StrayContinuation, d.strayContinuation,
			"the line starts with + and there is no line to continue")
	}
	if f := strings.Fields(d.title); len(f) >= 4 && strings.IndexByte("rlcvi", f[0][0]|0x20) >= 0 {
		if _, ok := ParseNumber(f[3]); ok {
			p.warn(d.titleLine, "the first line is the title and was not simulated, although it reads like an element")
		}
	}
	return nil
}

// isCard reports whether line 1 is a complete card. A title may also begin with a card name, as in
// ".ic without uic". others are the statements after line 1.
func isCard(st *statement, others []statement) bool {
	toks := st.withoutParens()
	values := func(toks []token) bool {
		for _, t := range toks {
			if !isValue(t) {
				return false
			}
		}
		return len(toks) > 0
	}
	assigned := len(toks) > 2 && toks[0].kind == word && toks[1].kind == equal
	switch st.toks[0].text {
	case ".op":
		return len(toks) == 0
	case ".temp":
		return values(toks)
	case ".tran":
		for n := len(toks); n > 0 && (toks[n-1].text == "uic" ||
			toks[n-1].text == "startup"); n = len(toks) {
			toks = toks[:n-1]
		}
		return values(toks)
	case ".ac":
		return len(toks) == 4 && values(toks[1:])
	case ".dc":
		return len(toks) > 3 && values(toks[1:4])
	case ".param", ".params", ".parameter", ".options", ".option", ".opt":
		return assigned
	case ".ic", ".nodeset":
		return len(st.toks) > 5 && st.toks[2].text == "(" && st.toks[5].kind == equal
	case ".model":
		return len(st.toks) > 3 && st.toks[3].text == "(" || len(toks) > 4 && toks[3].kind == equal
	case ".subckt":
		depth := 1
		for i := range others {
			switch others[i].toks[0].text {
			case ".subckt":
				depth++
			case ".ends":
				depth--
			}
		}
		return len(toks) > 1 && depth == 0
	}
	return false
}

// titleWords holds the first words of titles such as "Lab 1 2 2024". Such a title has the form of
// an element between nodes 1 and 2.
var titleWords = map[string]bool{
	"chapter": true, "circuit": true, "exercise": true, "figure": true, "fig": true,
	"homework": true,
	"lab":      true, "lecture": true, "lesson": true, "design": true, "diagram": true,
	"module": true,
	"rev":    true, "revision": true, "version": true, "variant": true, "book": true,
	"course": true,
	"class":  true, "question": true, "quiz": true, "section": true, "sheet": true, "step": true,
}

// isElement reports whether line 1 is an element of the circuit. It must have the form of an
// element, its model or subcircuit must exist, and its name must be unused. Every node must be
// ground or a node of another element. Titles rarely meet the first condition and hardly ever the
// last. others are the statements after line 1.
func (p *parser) isElement(st *statement, others []statement) bool {
	name := st.toks[0].text
	used, names, defined := map[string]bool{"0": true}, map[string]bool{}, map[string]string{}
	params := map[string]bool{}
	depth := 0
	for i := range others {
		o := &others[i]
		head := o.toks[0].text
		if (head == ".subckt" || head == ".model") && len(o.toks) > 1 {
			defined[o.toks[1].text] = head
		}
		switch {
		case head == ".subckt":
			depth++
		case head == ".ends":
			depth--
		case (head == ".param" || head == ".params" || head == ".parameter") && depth == 0:
			for k, t := range o.toks[1:] {
				if t.kind == equal {
					params[o.toks[k].text] = true
				}
			}
		case head[0] != '.' && depth == 0:
			names[head] = true
			for _, t := range nodesOf(o) {
				used[ground(t.text)] = true
			}
		}
	}
	if names[name] || titleWords[name] {
		return false
	}
	toks := st.withoutParens()
	nodes := nodesOf(st)
	if name[0] == 'k' {
		return len(toks) > 2 && names[toks[0].text] && names[toks[1].text] &&
			isValue(toks[len(toks)-1])
	}
	live := false
	for _, t := range nodes {
		n := ground(t.text)
		if t.kind != word || !used[n] {
			return false
		}
		live = live || n != "0"
	}
	if !live || len(toks) <= len(nodes) {
		return false
	}
	tail := toks[len(nodes):]
	// value reports whether a token is a number, an expression or a parameter name.
	value := func(t token) bool {
		_, mixed := rkmNumber(t.raw)
		return isValue(t) || t.kind == word && (mixed || params[t.text])
	}
	assigned := len(tail) > 1 && tail[0].kind == word && tail[1].kind == equal
	// exists reports whether the first token of tail names a defined model or subcircuit, and only
	// values and parameters follow. card is ".model" or ".subckt".
	exists := func(tail []token, card string) bool {
		found := defined[tail[0].text] == card
		if !found && p.cfg.Library != nil {
			text, ok := p.cfg.Library(tail[0].text)
			if other, _ := otherName(tail[0].text); !ok && other != "" {
				text, _ = p.cfg.Library(other)
			}
			found = strings.Contains(text, card)
		}
		for _, t := range tail[1:positionalCount(tail)] {
			found = found && (value(t) || t.text == "on" || t.text == "off" || t.text == "params:")
		}
		return found
	}
	switch name[0] {
	case 'r', 'c', 'l':
		return assigned || value(tail[0]) && (len(tail) == 1 || len(tail) > 2 &&
			tail[2].kind == equal)
	case 'v', 'i':
		if bsourceForm(st, name[0], toks) != "" {
			return true
		}
		for k, t := range tail {
			named := k+1 < len(tail) && tail[k+1].kind == equal &&
				(t.text == "m" || isParasitic(name[0], t.text))
			if !value(t) && !isSourceWord(t.text) && t.text != "sine" && t.kind != equal && !named {
				return false
			}
		}
		return true
	case 'q':
		return positionalCount(tail) > 0 && exists(tail, ".model") ||
			positionalCount(tail) > 1 && used[ground(tail[0].text)] && exists(tail[1:], ".model")
	case 'd', 'm', 'j', 's', 'o', 'u', 'z':
		return positionalCount(tail) > 0 && exists(tail, ".model")
	case 'x':
		return positionalCount(tail) > 0 && exists(tail, ".subckt")
	case 'w':
		return positionalCount(tail) > 1 && names[tail[0].text] && exists(tail[1:], ".model")
	case 'f', 'h':
		return len(tail) == 2 && names[tail[0].text] && value(tail[1]) || tail[0].text == "poly"
	case 'e', 'g':
		return len(tail) == 1 && value(tail[0]) || assigned || bsourceForm(st, name[0], toks) != ""
	case 'b':
		return assigned
	case 'a':
		return specialFunction(st) != ""
	}
	return false
}

// isValue reports whether a token is a number or an expression.
func isValue(t token) bool {
	_, number := ParseNumber(t.text)
	return t.kind == expr || t.kind == word && number
}

// nodesOf returns the node tokens of an element line, as far as they are known without its model.
func nodesOf(st *statement) []token {
	toks := st.withoutParens()
	kind := st.toks[0].text[0]
	n, ok := nodeCount(kind)
	switch {
	case !ok || kind == 'k':
		return nil
	case kind == 'x':
		n = max(0, positionalCount(toks)-1)
	case kind == 'q':
		n = 3
	case bsourceForm(st, kind, toks) != "":
		n = 2
	}
	return toks[:min(n, len(toks))]
}
