package netlist

import (
	"slipstick/spice/diag"
)

// AnalysisCard defines an analysis card other than .op, .dc, .ac and .tran. A higher-level package
// implements the analysis.
type AnalysisCard struct {
	Name string // name without the dot, in lower case
	// Read parses the card into a, whose Kind and Line are already set. Errors are of type
	// *diag.Error.
	Read func(c *CardReader, a *Analysis) error
}

// CardReader reads the words of one card from left to right.
type CardReader struct {
	p    *parser
	s    *scope
	st   *statement
	toks []token
}

// More reports whether the card has unread words.
func (c *CardReader) More() bool { return len(c.toks) > 0 }

// Peek returns the next word in lower case without consuming it, or "" at the end of the card.
func (c *CardReader) Peek() string {
	if len(c.toks) == 0 {
		return ""
	}
	return c.toks[0].text
}

// Fail returns an error with the given code and message, prefixed by the name of the card. The
// error has the line number of the card.
func (c *CardReader) Fail(code diag.Code, format string, args ...any) error {
	e := diag.At(code, c.st.line, format, args...)
	e.Detail = c.st.toks[0].text + ": " + e.Detail
	return e
}

// Warn adds a warning that begins with the line number and the name of the card.
func (c *CardReader) Warn(text string) { c.p.warn(c.st.line, c.st.toks[0].text+": "+text) }

// Word consumes the next word and returns it in lower case. The argument describes the word in
// error messages.
func (c *CardReader) Word(what string) (string, error) {
	if len(c.toks) == 0 || c.toks[0].kind != word {
		return "", c.missing(what)
	}
	w := c.toks[0].text
	c.toks = c.toks[1:]
	return w, nil
}

func (c *CardReader) missing(what string) error {
	if len(c.toks) == 0 {
		return c.Fail(diag.MissingValue, "the card lacks its %s", what)
	}
	return c.Fail(diag.Syntax, "expected the %s, found %q", what, excerpt(c.toks[0].raw))
}

// Node consumes the next word as a node name, which is "0" for ground. The argument describes the
// node in error messages.
func (c *CardReader) Node(what string) (string, error) {
	w, err := c.Word(what)
	return ground(w), err
}

// Number consumes the next number or expression and returns its value. The argument describes the
// number in error messages.
func (c *CardReader) Number(what string) (float64, error) {
	if len(c.toks) == 0 {
		return 0, c.missing(what)
	}
	v, err := c.s.number(c.toks[0], c.st.toks[0].text+": the "+what)
	if err != nil {
		return 0, err
	}
	c.p.suffixWarning('.', c.toks[0])
	c.toks = c.toks[1:]
	return v, nil
}

// Output consumes the next voltage or current, such as v(a), v(a,b) or i(v1). It rejects powers and
// parts of phasors.
func (c *CardReader) Output() (*Operand, error) {
	o, n, fault := readOperand(c.toks)
	if fault != nil {
		return nil, c.Fail(fault.code, "%s", fault.text)
	}
	if o.Kind == 'p' {
		return nil, c.Fail(diag.Syntax, "%s is a power; write v(...) or i(...)", o.Text)
	}
	if o.Part != "" {
		return nil, c.Fail(diag.Syntax, "%s names a part of a phasor; write %c(...)",
			o.Text, o.Kind)
	}
	c.toks = c.toks[n:]
	return o, nil
}

// Frequencies parses dec, oct or lin, the number of points and two frequencies [Hz] into a, or list
// and all frequencies of the card.
func (c *CardReader) Frequencies(a *Analysis) error {
	if c.Peek() == "list" && len(c.toks) > 1 {
		toks := c.toks[1:]
		c.toks = nil
		return c.p.frequencyList(c.st, toks, c.s, a)
	}
	toks := c.toks[:min(4, len(c.toks))]
	c.toks = c.toks[len(toks):]
	return c.p.frequencies(c.st, toks, c.s, a)
}

// FrequenciesOfAC copies the frequencies of the first .ac card into a if no spacing follows on this
// card, only a number or nothing. PSpice writes .noise in this form. done is false for other cards.
func (c *CardReader) FrequenciesOfAC(a *Analysis) (done bool, err error) {
	if len(c.toks) > 0 && !isValue(c.toks[0]) {
		return false, nil
	}
	st := c.p.firstAC
	if st == nil {
		return true, c.Fail(diag.MissingValue, "a card without dec, oct or lin has the "+
			"frequencies of the .ac card, as in PSpice, and the netlist has no .ac card")
	}
	c.Warn("the frequencies are those of the .ac card of line " + itoa(st.line) +
		", as in PSpice")
	return true, c.p.acFrequencies(st, c.s, a)
}

// End returns an error if the card has unread words.
func (c *CardReader) End() error {
	if len(c.toks) == 0 {
		return nil
	}
	return c.Fail(diag.Syntax, "unexpected %q", excerpt(c.toks[0].raw))
}

// analysisCard parses st if it is a card of Config.Analyses. done is false for any other card.
func (p *parser) analysisCard(st *statement, s *scope) (done bool, err error) {
	for _, card := range p.cfg.Analyses {
		if st.toks[0].text != "."+card.Name {
			continue
		}
		a := Analysis{Kind: card.Name, Line: st.line}
		c := &CardReader{p: p, s: s, st: st, toks: st.toks[1:]}
		if err := card.Read(c, &a); err != nil {
			return true, err
		}
		if err := c.End(); err != nil {
			return true, err
		}
		if inner, ok := p.loads[a.Input]; ok && a.Kind == "noise" {
			a.Input = inner
		}
		p.ckt.Analyses = append(p.ckt.Analyses, a)
		return true, nil
	}
	return false, nil
}

// analysisNames lists the names of all analysis cards for messages.
func (p *parser) analysisNames() string {
	names := ".op .dc .ac .tran"
	for _, card := range p.cfg.Analyses {
		names += " ." + card.Name
	}
	return names
}

// isAnalysis reports whether the card with this name, which includes the dot, requests an analysis.
func (p *parser) isAnalysis(name string) bool {
	for _, card := range p.cfg.Analyses {
		if name == "."+card.Name {
			return true
		}
	}
	return name == ".op" || name == ".dc" || name == ".ac" || name == ".tran"
}
