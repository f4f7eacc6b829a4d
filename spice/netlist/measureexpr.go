package netlist

import (
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// measureKinds holds the keywords that select the kind of a measure.
var measureKinds = map[string]bool{"trig": true, "targ": true, "when": true, "find": true,
	"deriv": true, "derivative": true, "avg": true, "rms": true,
	"integ": true, "integral": true, "pp": true, "max": true, "min": true, "max_at": true,
	"min_at": true, "param": true}

// defaultMeasureAnalysis returns the kind of the first analysis that has measures, preferably other
// than .op, or "" if there is none.
func (p *parser) defaultMeasureAnalysis() (kind string) {
	for _, a := range p.analysisCards {
		if a != "op" && isMeasured(a) {
			return a
		}
		if a == "op" {
			kind = a
		}
	}
	return kind
}

// isMeasured reports whether an analysis of this kind has measures.
func isMeasured(kind string) bool {
	switch kind {
	case "tran", "ac", "dc", "op", "noise":
		return true
	}
	return false
}

// expressionEnd holds the keywords that may follow the operand of a measure.
var expressionEnd = map[string]bool{"from": true, "to": true, "td": true, "at": true, "when": true,
	"trig": true, "targ": true,
	"val": true, "rise": true, "fall": true, "cross": true}

// readExpression parses an operand other than a single voltage or current, such as -v(a)*i(v1),
// par('v(a)*i(v1)'), p(r1) or mag(v(out)). done is false if the next words are not such an operand.
func (r *measureReader) readExpression() (o *Operand, done bool, err error) {
	n, depth := 0, 0
	for ; n < len(r.toks); n++ {
		t := r.toks[n]
		if depth == 0 && (t.kind == equal || n > 0 && t.kind == word && expressionEnd[t.text]) {
			break
		}
		if t.kind == paren {
			depth += map[string]int{"(": 1, ")": -1}[t.text]
		}
	}
	toks := r.toks[:n]
	if n == 0 || depth != 0 {
		return nil, false, nil
	}
	if _, k, fault := readOperand(toks); fault == nil && (k == n || toks[k].kind == expr ||
		strings.IndexByte("+-*/^%?<>=&|", toks[k].text[0]) < 0) || n == 1 && toks[0].kind == word &&
		toks[0].text != "power" && (toks[0].text != "time" || r.m.Analysis != "tran") &&
		(toks[0].text != "frequency" || r.m.Analysis != "ac" && r.m.Analysis != "noise") {
		return nil, false, nil
	}
	if n > 4 && toks[1].text == "(" && toks[n-1].text == ")" && r.m.Analysis == "ac" &&
		phasorParts[toks[0].text] != "" {
		if o, k, fault := readOperand(toks[2 : n-1]); fault == nil && k == n-3 && o.Part == "" {
			o.Part = phasorParts[toks[0].text]
			o.Text = toks[0].text + "(" + o.Text + ")"
			r.toks = r.toks[n:]
			return o, true, nil
		}
	}
	if r.m.Analysis == "ac" {
		inner, part := toks, ""
		if n > 2 && phasorParts[toks[0].text] != "" && toks[1].text == "(" && toks[n-1].text == ")" {
			inner, part = toks[2:n-1], phasorParts[toks[0].text]
		}
		if o := quotient(inner); o != nil {
			o.Part, o.Text = part, expressionText(toks)
			r.toks = r.toks[n:]
			return o, true, nil
		}
	}
	if toks[0].text == "power" {
		r.toks, r.m.Unsupported = r.toks[n:], "the total power is not computed; write the power of "+
			"the sources, such as "+r.p.sourcePower()
		return &Operand{Text: "power", Kind: 'x', Line: toks[0].line}, true, nil
	}
	o = &Operand{Kind: 'x', Text: expressionText(toks), Line: toks[0].line,
		Expr: &BSource{Output: 'v'}}
	if err = r.compileOperand(o, o.Text); err != nil {
		if _, _, fault := readOperand(toks); fault != nil && toks[0].kind != expr {
			return nil, true, r.fail(fault.code, "%s", fault.text)
		}
		return nil, true, err
	}
	r.toks = r.toks[n:]
	return o, true, nil
}

// sourcePower returns an expression for the power that the sources of the circuit deliver. After
// some sources it ends with "...".
func (p *parser) sourcePower() string {
	text := ""
	for _, e := range p.ckt.Elements {
		if (e.Kind == 'v' || e.Kind == 'i') && !e.Internal {
			if len(text) > 60 {
				return text + "..."
			}
			text += "-p(" + e.Name + ")"
		}
	}
	return text
}

// quotient parses the quotient of two voltages or currents, such as v(out)/v(in) or v(in)/i(v1). It
// returns nil for other tokens.
func quotient(toks []token) *Operand {
	o, n, fault := readOperand(toks)
	if fault != nil || o.Part != "" || o.Kind == 'p' || n >= len(toks) || toks[n].kind != word ||
		toks[n].text[0] != '/' {
		return nil
	}
	rest := slices.Clone(toks[n:])
	if rest[0].text = rest[0].text[1:]; rest[0].text == "" {
		rest = rest[1:]
	}
	over, n, fault := readOperand(rest)
	if fault != nil || over.Part != "" || over.Kind == 'p' || n != len(rest) {
		return nil
	}
	o.Over = over
	return o
}

// expressionText joins tokens to the text of an expression. It restores the commas, which are not
// tokens, and adds one between two names, as in v(a b). It omits par of par('...').
func expressionText(toks []token) string {
	var text strings.Builder
	for i, t := range toks {
		between := ""
		if i > 0 && toks[i-1].kind == word && t.kind == word {
			between = " "
			if previous := toks[i-1].text; isNameByte(previous[len(previous)-1]) &&
				isNameByte(t.text[0]) {
				between = ","
			}
		}
		if t.comma && i > 0 {
			between = ","
		}
		switch {
		case t.kind == word && t.text == "par" && i+1 < len(toks) && toks[i+1].text == "(":
		case t.kind == expr:
			text.WriteString(between + "(" + t.text + ")")
		default:
			text.WriteString(between + t.text)
		}
	}
	return text.String()
}

// noiseVector returns the name of a vector of .noise: onoise, inoise or gain, or onoise_ with the
// name of a noise source. It returns "" for other words.
func noiseVector(word string) string {
	switch {
	case word == "onoise_spectrum", word == "inoise_spectrum":
		return strings.TrimSuffix(word, "_spectrum")
	case word == "onoise", word == "inoise", word == "gain", strings.HasPrefix(word, "onoise_"):
		return word
	}
	return ""
}

// usesCircuit reports whether an expression has a voltage, current or power, or a part of a phasor.
func usesCircuit(text string) bool {
	for rest := text; ; {
		at := strings.IndexByte(rest, '(')
		if at < 0 {
			return false
		}
		start := at
		for start > 0 && isNameByte(rest[start-1]) {
			start--
		}
		head := rest[start:at]
		if head == "p" || phasorParts[head] != "" || isCurrent(head) {
			return true
		}
		if head != "" && (head[0] == 'v' || head[0] == 'i') {
			switch head[1:] {
			case "", "m", "p", "r", "i", "db":
				return true
			}
		}
		rest = rest[at+1:]
	}
}

// compileOperand compiles text into the expression of an operand.
func (r *measureReader) compileOperand(o *Operand, text string) (err error) {
	law := o.Expr
	variable := func(head string, nodes []string, call bool) (int, bool, error) {
		v := Variable{Minus: "0"}
		switch {
		case call && head == "v" && (len(nodes) == 1 || len(nodes) == 2):
			v.Kind, v.Plus = 'v', ground(nodes[0])
			if len(nodes) == 2 {
				v.Minus = ground(nodes[1])
			}
			if r.m.Analysis == "noise" && noiseVector(v.Plus) != "" {
				v.Plus = noiseVector(v.Plus)
			}
		case call && (head == "i" || head == "p") && len(nodes) == 1:
			v.Kind, v.Plus, v.Minus = head[0], nodes[0], ""
		case call && isCurrent(head) && len(nodes) == 1:
			v.Kind, v.Plus, v.Minus = 'i', currentName(head, nodes[0]), ""
		case !call && (head == "time" && r.m.Analysis == "tran" ||
			head == "frequency" && (r.m.Analysis == "ac" || r.m.Analysis == "noise")):
			v.Kind = 't'
		case !call && r.m.Analysis == "noise" && noiseVector(head) != "":
			v.Kind, v.Plus = 'v', noiseVector(head)
		case !call && r.earlier[head] && r.s.find(head) == nil:
			v.Kind, v.Plus = 'm', head
		default:
			return 0, false, nil
		}
		for i, k := range law.Variables {
			if k == v {
				return i, true, nil
			}
		}
		if len(law.Variables) == maxVariables {
			return 0, false,
				r.fail(diag.BadExpression, "the expression uses more than %d voltages and currents",
					maxVariables)
		}
		law.Variables = append(law.Variables, v)
		return len(law.Variables) - 1, true, nil
	}
	law.Program, err = compile(text, o.Line, 0, resolver{parameter: r.s.lookup(o.Line),
		variable: variable, function: r.s.userFunction, warn: r.p.warn,
		phasor: r.m.Analysis == "ac", xor: r.s.xor})
	switch {
	case err != nil:
		return err
	case r.m.Analysis == "ac":
		o.Part = law.Program.splitPart(law.Variables)
	}
	switch {
	case len(law.Variables) == 0:
		return r.fail(diag.Syntax, "the expression %q has no voltage or current", excerpt(o.Text))
	case len(law.Program.code) > maxInstructions:
		return r.fail(diag.BadExpression, "the expression has more than %d operations",
			maxInstructions)
	}
	return nil
}
