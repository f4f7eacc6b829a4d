package netlist

// withoutControlWord returns a statement of E or G without the word vcvs or vccs of HSPICE before
// the controlling nodes. Limits, max= and min= behind the gain, become the expression of value=. It
// returns others unchanged.
func withoutControlWord(st *statement) *statement {
	toks := st.withoutParens()
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
