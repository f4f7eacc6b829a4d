package netlist

import "slices"

// withoutControlWord returns a statement of E or G without the word vcvs or vccs of HSPICE before
// the controlling nodes. Limits, max= and min= behind the gain, become the expression of value=. It
// returns others unchanged. In E of HSPICE with the word opamp, the word moves behind the nodes. b
// is the block that contains the statement.
func withoutControlWord(st *statement, b *block) *statement {
	toks := st.withoutParens()
	if isIdealOpAmp(st, toks, b) {
		with := *st
		with.toks = append(st.toks[:1:1], toks[0], toks[1], toks[3], toks[4], toks[2])
		with.toks = append(with.toks, toks[5:]...)
		return &with
	}
	if len(toks) > 5 && (toks[2].text == "vcvs" || toks[2].text == "vccs") {
		toks = append(toks[:2:2], toks[3:]...)
	} else if len(toks) < 8 || toks[6].kind != equal {
		return st
	}
	with := *st
	with.toks = append(st.toks[:1:1], toks...)
	if len(toks) < 8 || len(toks)%3 != 2 {
		return &with
	}
	gain := toks[4]
	text := "(" + gain.text + ")*v(" + toks[2].text + "," + toks[3].text + ")"
	for k := 5; k < len(toks); k += 3 {
		bound := map[string]string{"max": "min", "min": "max"}[toks[k].text]
		if bound == "" || toks[k+1].kind != equal || toks[k+2].kind == equal {
			return &with
		}
		text = bound + "(" + text + ",(" + toks[k+2].text + "))"
	}
	with.toks = append(append(st.toks[:1:1], toks[:2]...),
		token{kind: word, text: "value", raw: "value", line: gain.line},
		token{kind: equal, text: "=", raw: "=", line: gain.line},
		token{kind: expr, text: text, raw: text, line: gain.line})
	with.chunks = []chunk{{"value={" + text + "}", gain.line}}
	return &with
}

// isIdealOpAmp reports whether a statement of the block b is an ideal operational amplifier of
// HSPICE: "E1 out 0 opamp in+ in-". toks are the tokens after its name. If the last one is a
// number, it can be the gain behind a node called opamp, which then is a node of another element
// or of the subcircuit too.
func isIdealOpAmp(st *statement, toks []token, b *block) bool {
	if len(toks) < 5 || toks[2].text != "opamp" || toks[3].kind != word || toks[4].kind != word ||
		st.toks[0].text[0] != 'e' {
		return false
	}
	if _, ok := ParseNumber(toks[4].text); !ok {
		return true
	}
	if slices.Contains(b.pins, "opamp") {
		return false
	}
	return !slices.ContainsFunc(b.elements, func(other *statement) bool {
		names := other.withoutParens()
		switch n := len(names); {
		case other.toks[0].text[0] == 'x' && n > 0:
			names = names[:n-1] // the subcircuit, if the line has no parameters
		case other.toks[0].text[0] == 'e' && n > 4:
			names = slices.Delete(slices.Clone(names), 2, 3)
		}
		return slices.ContainsFunc(names, func(t token) bool { return t.text == "opamp" })
	})
}
