package netlist

import (
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// maxStepValues is the largest number of values on one .step card.
const maxStepValues = 10000

// maxStepCards is the largest number of .step cards. Ten cards with two values each already exceed
// the limit of 1,000 runs.
const maxStepCards = 10

// Step describes one .step card, or a .temp card with several temperatures.
type Step struct {
	// Name is a parameter, "temp", MODEL(PARAMETER) or an independent source of the top level. It
	// is in lower case.
	Name   string
	Label  string    // name as written, or "temp"
	Values []float64 // values in the order of the runs; at least one
	Line   int
}

// stepped returns the value of a .step card in this run. k is the 0-based index of the card.
func (p *parser) stepped(k int, step Step) float64 {
	if k < len(p.cfg.Steps) {
		return step.Values[min(max(p.cfg.Steps[k], 0), len(step.Values)-1)]
	}
	return step.Values[0]
}

// applyStepCards parses the .step cards. It assigns the values selected by Config.Steps to
// parameters, model parameters, sources and the temperature. The value replaces the definition of
// the parameter.
func (p *parser) applyStepCards(cards []*statement) error {
	p.modelSteps, p.modelStepUsed = map[string][]Param{}, map[string]bool{}
	p.sourceSteps = map[string]float64{}
	for _, st := range cards {
		var err error
		if st.toks[0].text == ".temp" {
			err = p.temperatureList(st)
		}
		if st.toks[0].text == ".step" {
			err = p.stepCard(st)
		}
		if err != nil {
			if err = p.report(st, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// temperatureList parses a .temp card with several temperatures as a .step of temp. It ignores
// other .temp cards.
func (p *parser) temperatureList(st *statement) error {
	toks := st.withoutParens()
	if len(toks) < 2 {
		return nil
	}
	step := Step{Name: "temp", Label: "temp", Line: st.line}
	s := p.newScope(p.top, nil)
	for _, t := range toks {
		v, err := s.number(t, ".temp")
		if err != nil {
			return err
		}
		step.Values = append(step.Values, v)
	}
	return p.addStep(st, step)
}

func (p *parser) stepCard(st *statement) error {
	toks := st.withoutParens()
	form := ""
	isForm := func(t token) bool {
		return t.text == "lin" || t.text == "dec" || t.text == "oct" || t.text == "list"
	}
	if len(toks) > 0 && isForm(toks[0]) {
		form, toks = toks[0].text, toks[1:]
	}
	param := len(toks) > 0 && toks[0].text == "param"
	if param {
		toks = toks[1:]
	}
	name, label := "", ""
	if len(toks) > 3 && !param && strings.Contains(st.chunks[0].text, "(") &&
		toks[2].kind == word && isLetter(rune(toks[2].text[0])) {
		// The form is ".step npn 2n2222(vaf) 50 100 25".
		name, label = toks[1].text+"("+toks[2].text+")", toks[1].raw+"("+toks[2].raw+")"
		toks = toks[2:]
	} else if len(toks) > 0 {
		name, label = toks[0].text, toks[0].raw
	}
	if len(toks) > 2 && toks[1].kind == equal {
		toks = append([]token{toks[0]}, toks[2:]...)
	}
	if len(toks) > 1 && isForm(toks[1]) {
		form, toks = toks[1].text, append([]token{toks[0]}, toks[2:]...)
	}
	if len(toks) < 2 || toks[0].kind != word || toks[1].kind != word && toks[1].kind != expr {
		return diag.At(diag.MissingValue, st.line, ".step needs a parameter and values: .step param r list 1k 2k, or .step param r 1k 10k 1k")
	}
	source := !param && p.hasSource(name)
	if !param && name != "temp" && !strings.Contains(name, "(") && !source && !p.hasParam(name) {
		return diag.At(diag.NotAvailable, st.line, "not yet supported: .step of %s, which is no V or I source of the top level; .step takes param NAME, a source, a model parameter or temp", excerpt(toks[0].raw))
	}
	s := p.newScope(p.top, nil)
	var numbers []float64
	for _, t := range toks[1:] {
		v, err := s.number(t, ".step "+name)
		if err != nil {
			return err
		}
		numbers = append(numbers, v)
	}
	if n := numbers; len(n) == 3 && (form == "" || form == "lin") && n[2] > 0 && n[1] < n[0] {
		p.warn(st.line, ".step: the increment "+formatNumber(n[2])+" of falling values is read as "+
			formatNumber(-n[2])+", as in PSpice")
		n[2] = -n[2]
	}
	values, err := stepValues(st, form, numbers)
	if err != nil {
		return err
	}
	if name == "temp" {
		label = name
	}
	step := Step{Name: name, Label: label, Values: values, Line: st.line}
	if source {
		if err := p.checkStepCard(st, name); err != nil {
			return err
		}
		p.sourceSteps[name] = p.stepped(len(p.ckt.Steps), step)
		p.ckt.Steps = append(p.ckt.Steps, step)
		return nil
	}
	return p.addStep(st, step)
}

// hasSource reports whether the top level has a V or I element with this name and a value that is
// no expression.
func (p *parser) hasSource(name string) bool {
	if name == "" || name[0] != 'v' && name[0] != 'i' {
		return false
	}
	return slices.ContainsFunc(p.top.elements, func(st *statement) bool {
		return st.toks[0].text == name && bsourceForm(st, name[0], st.withoutParens()) == ""
	})
}

// setSteppedSource sets the DC value of a source to the value of its .step card, if it has one. It
// keeps the waveform.
func (p *parser) setSteppedSource(e *Element) {
	v, ok := p.sourceSteps[e.Name]
	if !ok {
		return
	}
	args := []Arg{{Text: formatNumber(v), Value: v, IsNumber: true, Line: e.Line}}
	dcPlace := true // a number at this position is the DC value
	for _, a := range e.Args {
		switch {
		case a.IsNumber && dcPlace:
			dcPlace = false
			continue
		case a.Text == "dc":
			dcPlace = true
			continue
		case !a.IsNumber:
			dcPlace = false
			if a.Text == "sin" || a.Text == "pulse" || a.Text == "pwl" || a.Text == "exp" ||
				a.Text == "am" || a.Text == "sffm" {
				p.warn(e.Line,
					e.Name+": .step sets its DC value; in .tran its waveform "+a.Text+" applies, the same in every run")
			}
		}
		args = append(args, a)
	}
	e.Args = args
}

// stepValues expands the numbers n of a .step card to a list of values. The numbers are the values
// themselves for "list", or if there are fewer than three and no form. Otherwise they are the
// start, the stop, and the increment or the number of points per decade or octave.
func stepValues(st *statement, form string, n []float64) ([]float64, error) {
	if form == "list" || form == "" && len(n) < 3 {
		if len(n) > maxStepValues {
			return nil, diag.At(diag.BadValue, st.line,
				".step has %d values; at most %d are allowed", len(n), maxStepValues)
		}
		return n, nil
	}
	if len(n) != 3 {
		return nil, diag.At(diag.MissingValue, st.line,
			".step needs a start, a stop and an increment or number of points, not %d numbers",
			len(n))
	}
	start, stop, by := n[0], n[1], n[2]
	if form == "dec" || form == "oct" {
		base := map[string]float64{"dec": 10, "oct": 2}[form]
		count := math.Log(stop/start) / math.Log(base) * by
		if !(start > 0 && stop > 0 && by >= 1) || math.IsNaN(count) || count < 0 ||
			count >= maxStepValues {
			return nil, diag.At(diag.BadValue, st.line,
				".step %s needs 0 < start <= stop, at least one point per %s, and at most %d values",
				form, map[string]string{"dec": "decade", "oct": "octave"}[form], maxStepValues)
		}
		var values []float64
		for k := 0; float64(k) <= count+1e-9; k++ {
			values = append(values, start*math.Pow(base, float64(k)/by))
		}
		return values, nil
	}
	count := (stop - start) / by
	if by == 0 && start == stop {
		count = 0
	}
	if math.IsNaN(count) || count < 0 || count >= maxStepValues {
		return nil, diag.At(diag.BadValue, st.line,
			".step: an increment of %g does not lead from %g to %g within %d values", by, start,
			stop, maxStepValues)
	}
	var values []float64
	for k := 0; float64(k) <= count+1e-9; k++ {
		values = append(values, start+float64(k)*by)
	}
	return values, nil
}

// usedSteps returns the names of the stepped parameters that an element or model has used so far.
func (p *parser) usedSteps(top *scope) map[string]bool {
	used := map[string]bool{}
	for _, step := range p.ckt.Steps {
		if q := top.params[step.Name]; q != nil && q.used {
			used[step.Name] = true
		}
	}
	return used
}

// warnUnusedSteps adds a warning for each .step of a parameter that nothing uses. A condition of
// .if and a .func count as a use, because measures evaluate functions after the analysis.
func (p *parser) warnUnusedSteps(top *scope) {
	if p.random != nil {
		return // the runs differ by their random numbers
	}
	used := p.usedSteps(top)
	for _, step := range p.ckt.Steps {
		q := top.params[step.Name]
		_, source := p.sourceSteps[step.Name]
		if q == nil || source || used[step.Name] || p.conditionNames[step.Name] ||
			len(step.Values) < 2 || p.top.functionsName(step.Name) {
			continue
		}
		text := ".step param " + step.Label + ": nothing uses this parameter, so all runs are equal"
		if line, ok := p.names[step.Name]; ok {
			text += "; for the element " + step.Name + " of line " + itoa(line) +
				" write {x} as its value and .step param x"
		}
		p.warn(step.Line, text)
	}
}

// functionsName reports whether the body of a .func of the block names the parameter.
func (b *block) functionsName(name string) bool {
	for _, f := range b.funcs {
		if slices.Contains(namesIn(f.body), name) {
			return true
		}
	}
	return false
}

// checkStepCard returns an error if the netlist already has maxStepCards .step cards, or one for
// the same name.
func (p *parser) checkStepCard(st *statement, name string) error {
	for _, other := range p.ckt.Steps {
		if other.Name == name {
			return diag.At(diag.BadValue, st.line, "%s is stepped twice, first in line %d", name,
				other.Line)
		}
	}
	if len(p.ckt.Steps) == maxStepCards {
		return diag.At(diag.BadValue, st.line, "more than %d .step cards are not allowed",
			maxStepCards)
	}
	return nil
}

// addStep adds a step to the circuit and applies its value for this run.
func (p *parser) addStep(st *statement, step Step) error {
	if err := p.checkStepCard(st, step.Name); err != nil {
		return err
	}
	v := p.stepped(len(p.ckt.Steps), step)
	p.ckt.Steps = append(p.ckt.Steps, step)
	switch model, rest, ok := strings.Cut(step.Name, "("); {
	case step.Name == "temp":
		p.ckt.TempC, p.ckt.TempLine = &v, st.line
	case ok:
		p.modelSteps[model] = append(p.modelSteps[model], Param{Name: strings.TrimSuffix(rest, ")"),
			Value: v, Line: st.line})
	default:
		p.setParam(step.Name, v, st.line)
		p.top.params[len(p.top.params)-1].source = st.text()
	}
	return nil
}

// setParam replaces the definition of a parameter of the top level. line is its line number in
// errors.
func (p *parser) setParam(name string, v float64, line int) {
	kept := p.top.params[:0]
	for _, d := range p.top.params {
		if d.name != name {
			kept = append(kept, d)
		}
	}
	p.top.params = append(kept, definition{name: name, text: formatNumber(v), line: line})
}

// hasParam reports whether the top level has a .param with this name.
func (p *parser) hasParam(name string) bool {
	for _, d := range p.top.params {
		if d.name == name {
			return true
		}
	}
	return false
}
