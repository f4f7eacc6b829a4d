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
	c := namesOfCircuit(others)
	if c.elements[name] || titleWords[name] {
		return false
	}
	toks := st.withoutParens()
	nodes := nodesOf(st)
	if name[0] == 'k' {
		return len(toks) > 2 && c.elements[toks[0].text] && c.elements[toks[1].text] &&
			isValue(toks[len(toks)-1])
	}
	live := false
	for _, t := range nodes {
		n := ground(t.text)
		if t.kind != word || !c.nodes[n] {
			return false
		}
		live = live || n != "0"
	}
	if !live || len(toks) <= len(nodes) {
		return false
	}
	tail := toks[len(nodes):]
	assigned := len(tail) > 1 && tail[0].kind == word && tail[1].kind == equal
	switch name[0] {
	case 'r', 'c', 'l':
		return assigned || c.isValue(tail[0]) && (len(tail) == 1 || len(tail) > 2 &&
			tail[2].kind == equal)
	case 'v', 'i':
		return bsourceForm(st, name[0], toks) != "" || c.isWaveform(name[0], tail)
	case 'q':
		return positionalCount(tail) > 0 && p.isDefined(tail, ".model", c) ||
			positionalCount(tail) > 1 && c.nodes[ground(tail[0].text)] &&
				p.isDefined(tail[1:], ".model", c)
	case 'd', 'm', 'j', 's', 'o', 'u', 'z':
		return positionalCount(tail) > 0 && p.isDefined(tail, ".model", c)
	case 'x':
		return positionalCount(tail) > 0 && p.isDefined(tail, ".subckt", c)
	case 'w':
		return positionalCount(tail) > 1 && c.elements[tail[0].text] &&
			p.isDefined(tail[1:], ".model", c)
	case 'f', 'h':
		return len(tail) == 2 && c.elements[tail[0].text] && c.isValue(tail[1]) ||
			tail[0].text == "poly"
	case 'e', 'g':
		return len(tail) == 1 && c.isValue(tail[0]) || assigned ||
			bsourceForm(st, name[0], toks) != ""
	case 'b':
		return assigned
	case 'a':
		return specialFunction(st) != ""
	}
	return false
}

// circuitNames holds the names of the top level of a circuit.
type circuitNames struct {
	nodes, elements, params map[string]bool
	// definitions maps models and subcircuits of all levels to their cards, .model or .subckt.
	definitions map[string]string
}

func namesOfCircuit(stmts []statement) *circuitNames {
	c := &circuitNames{nodes: map[string]bool{"0": true}, elements: map[string]bool{},
		params: map[string]bool{}, definitions: map[string]string{}}
	depth := 0
	for i := range stmts {
		st := &stmts[i]
		head := st.toks[0].text
		if (head == ".subckt" || head == ".model") && len(st.toks) > 1 {
			c.definitions[st.toks[1].text] = head
		}
		switch {
		case head == ".subckt":
			depth++
		case head == ".ends":
			depth--
		case (head == ".param" || head == ".params" || head == ".parameter") && depth == 0:
			for k, t := range st.toks[1:] {
				if t.kind == equal {
					c.params[st.toks[k].text] = true
				}
			}
		case head[0] != '.' && depth == 0:
			c.elements[head] = true
			for _, t := range nodesOf(st) {
				c.nodes[ground(t.text)] = true
			}
		}
	}
	return c
}

// isValue reports whether a token is a number, an expression or a parameter name.
func (c *circuitNames) isValue(t token) bool {
	_, mixed := rkmNumber(t.raw)
	return isValue(t) || t.kind == word && (mixed || c.params[t.text])
}

// isWaveform reports whether the tokens after the nodes of a source are values and words of
// sources.
func (c *circuitNames) isWaveform(kind byte, toks []token) bool {
	for k, t := range toks {
		named := k+1 < len(toks) && toks[k+1].kind == equal &&
			(t.text == "m" || isParasitic(kind, t.text))
		if !c.isValue(t) && !isSourceWord(t.text) && t.text != "sine" && t.kind != equal &&
			!named {
			return false
		}
	}
	return true
}

// isDefined reports whether the first of toks names a defined model or subcircuit, and only values
// and parameters follow. card is ".model" or ".subckt".
func (p *parser) isDefined(toks []token, card string, c *circuitNames) bool {
	found := c.definitions[toks[0].text] == card
	if !found && p.cfg.Library != nil {
		text, ok := p.cfg.Library(toks[0].text)
		if other, _ := otherName(toks[0].text); !ok && other != "" {
			text, _ = p.cfg.Library(other)
		}
		found = strings.Contains(text, card)
	}
	for _, t := range toks[1:positionalCount(toks)] {
		found = found &&
			(c.isValue(t) || t.text == "on" || t.text == "off" || t.text == "params:")
	}
	return found
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
