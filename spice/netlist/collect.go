package netlist

import (
	"errors"
	"strings"

	"slipstick/spice/diag"
)

// maxErrors is the number of errors after which Parse and Instances stop.
const maxErrors = 200

// report records an error about the statement st, so that the errors of the other statements are
// found as well. It returns the error if the parser has to stop. st may be nil.
func (p *parser) report(st *statement, err error) error {
	e, ok := errors.AsType[*diag.Error](err)
	if !p.collects || !ok || e.Code == diag.TooManyElements {
		return err
	}
	p.errs = append(p.errs, e)
	if st != nil && st.toks[0].text[0] == '.' {
		for _, t := range st.toks {
			p.addFailedWord(t.text, st.line)
		}
	}
	if len(p.errs) >= maxErrors {
		return err
	}
	return nil
}

// reportLines records the errors of the lines that readDeck could not split.
func (p *parser) reportLines(d *deck) {
	p.collects, p.failedWords = true, map[string]int{}
	for _, f := range d.failed {
		p.errs = append(p.errs, f.err)
		for _, w := range strings.FieldsFunc(strings.ToLower(f.text), func(r rune) bool {
			return r < 128 && !isNameByte(byte(r))
		}) {
			p.addFailedWord(w, f.err.Line)
		}
	}
}

func (p *parser) addFailedWord(word string, line int) {
	if p.failedWords[word] == 0 {
		p.failedWords[word] = line
	}
}

// joined returns the recorded errors and err, which may be nil, as one error. It leaves out errors
// about missing names that another line with an error contains, which may define them. Of several
// errors about one missing name it keeps the first.
func (p *parser) joined(err error) error {
	errs := p.errs
	if e, ok := errors.AsType[*diag.Error](err); ok {
		errs = append(errs, e)
	} else if err != nil {
		return err
	}
	var kept []*diag.Error
	have := map[string]bool{}
	for _, e := range errs {
		if e.Missing != "" {
			key := string(e.Code) + " " + e.Missing
			line := p.failedWords[e.Missing]
			if line != 0 && line != e.Line || have[key] && e.Code != diag.BadNumber {
				continue
			}
			have[key] = true
		}
		kept = append(kept, e)
	}
	first := diag.Join(kept)
	if first == nil {
		return nil
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
