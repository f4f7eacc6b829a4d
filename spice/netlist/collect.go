package netlist

import (
	"errors"
	"strings"

	"slipstick/spice/diag"
)

// Parse and Instances stop after maxErrors errors about different lines or names, or maxReports
// errors altogether. Each instance of a subcircuit reports the errors of its lines.
const (
	maxErrors  = 200
	maxReports = 20000
)

// report records an error about the statement st, so that the errors of the other statements are
// found as well. It returns the error if the parser has to stop. st may be nil.
func (p *parser) report(st *statement, err error) error {
	e, ok := errors.AsType[*diag.Error](err)
	if !p.collects || !ok || e.Code == diag.TooManyElements {
		return err
	}
	p.errs = append(p.errs, e)
	p.subjects[subject(e)] = true
	if st != nil && st.toks[0].text[0] == '.' {
		for _, t := range st.toks {
			p.addFailedWord(t.text)
		}
	}
	if len(p.subjects) >= maxErrors || len(p.errs) >= maxReports {
		p.stopped = true
		return err
	}
	return nil
}

// subject returns the missing name or the line that an error is about, of which one error is
// enough. A wrong number is not a missing name on each of its lines.
func subject(e *diag.Error) string {
	switch {
	case e.Missing != "" && e.Code != diag.BadNumber:
		return string(e.Code) + " " + e.Missing
	case e.Line == 0:
		return e.Detail
	}
	return itoa(e.Line)
}

// reportLines records the errors of the lines that readDeck could not split.
func (p *parser) reportLines(d *deck) {
	p.collects, p.failedWords, p.subjects = true, map[string]int{}, map[string]bool{}
	for _, f := range d.failed {
		p.errs = append(p.errs, f.err)
		for _, w := range strings.FieldsFunc(strings.ToLower(f.text), func(r rune) bool {
			return r < 128 && !isNameByte(byte(r))
		}) {
			p.addFailedWord(w)
		}
	}
}

// addFailedWord notes a word of the line with the last recorded error.
func (p *parser) addFailedWord(word string) {
	if _, ok := p.failedWords[word]; !ok {
		p.failedWords[word] = len(p.errs) - 1
	}
}

// joined returns the recorded errors and err, which may be nil, as one error. It leaves out errors
// about missing names that another line with an error contains, which may define them, unless this
// would leave out all. Of several errors about one missing name it keeps the first.
func (p *parser) joined(err error) error {
	errs := p.errs
	if e, ok := errors.AsType[*diag.Error](err); ok {
		errs = append(errs, e)
	} else if err != nil {
		return err
	}
	var kept []*diag.Error
	have := map[string]bool{}
	for k, e := range errs {
		by, ok := p.failedWords[e.Missing]
		if e.Missing != "" && ok && by != k || have[subject(e)] {
			continue
		}
		have[subject(e)] = true
		kept = append(kept, e)
	}
	if len(kept) == 0 {
		kept = errs
	}
	first := diag.Join(kept)
	if first == nil {
		return nil
	}
	if p.stopped {
		first.Also = append(first.Also, diag.At(diag.Syntax, 0,
			"the netlist has too many errors; the rest of it was not read"))
	}
	return p.explainMissing(first)
}

// checkElements records the errors that only Config.Check finds. Parse calls it if there are errors
// already, because the simulator, which finds them otherwise, does not get the circuit.
func (p *parser) checkElements() {
	if p.cfg.Check == nil {
		return
	}
	for k := range p.ckt.Elements {
		if p.report(nil, p.cfg.Check(&p.ckt.Elements[k])) != nil {
			return
		}
	}
}

// missing sets the name that an error reports as undefined.
func missing(e *diag.Error, name string) *diag.Error {
	e.Missing = name
	return e
}
