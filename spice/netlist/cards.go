package netlist

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// rejectForbidden rejects cards that read a file or run a script, wherever they occur in the
// netlist.
func rejectForbidden(st *statement) error {
	switch name := st.toks[0].text; name {
	case ".control", ".endc", ".load", ".codemodel":
		return diag.At(diag.ForbiddenCard, st.line,
			"%s is not allowed; netlists run no scripts and read no files", name)
	}
	return nil
}

// isOutputCard reports whether the card with this name only selects or prints results.
func isOutputCard(name string) bool {
	switch name {
	case ".print", ".plot", ".probe", ".probe64", ".probe/csdf", ".wave", ".backanno", ".graph",
		".width", ".save":
		return true
	}
	return false
}

// card parses a card after all elements have been parsed. An invalid command of .control is skipped
// with a warning.
func (p *parser) card(st *statement, s *scope) error {
	err := p.readCard(st, s)
	if st.command && err != nil && !p.isAnalysis(st.toks[0].text) {
		p.warn(st.line,
			"the command "+st.toks[0].text[1:]+" of .control is ignored: "+sentence(err))
		return nil
	}
	return err
}

func (p *parser) readCard(st *statement, s *scope) error {
	name := st.toks[0].text
	toks := st.withoutParens()
	if done, err := p.analysisCard(st, s); done {
		return err
	}
	switch name {
	case ".op":
		p.ckt.Analyses = append(p.ckt.Analyses, Analysis{Kind: "op", Line: st.line})
		return nil
	case ".dc":
		return p.dcCard(st, toks, s)
	case ".ac":
		return p.acCard(st, s)
	case ".tran":
		return p.tranCard(st, toks, s)
	case ".ic":
		return p.nodeValues(st, &p.ckt.IC, &instance{scope: s})
	case ".nodeset":
		return p.nodeValues(st, &p.ckt.Nodeset, &instance{scope: s})
	case ".temp":
		return p.tempCard(st, toks, s)
	case ".options", ".option", ".opt":
		return p.options(toks, s)
	case ".global", ".backanno":
		return nil
	case ".print", ".plot", ".probe", ".probe64", ".probe/csdf", ".wave", ".graph", ".width":
		p.warn(st.line,
			name+" is ignored: all vectors are returned; .save or the option vectors selects some")
		return nil
	case ".title":
		if t := strings.TrimSpace(st.chunks[0].text[len(name):]); t != "" {
			p.ckt.Title = t
		}
		return nil
	case ".save":
		return p.save(st)
	case ".noise", ".tf", ".pz", ".sens", ".disto", ".sp", ".pss", ".net", ".hb":
		p.unsupported = append(p.unsupported, st)
		return nil
	case ".step":
		return nil // already applied by applyStepCards
	case ".machine":
		return diag.At(diag.NotAvailable, st.line, "not yet supported: .machine, the state "+
			"machine of LTspice, whose outputs drive nodes; write it as flip-flops and gates "+
			"(elements A) or as sources B")
	case ".loadbias", ".savebias", ".ferret", ".text", ".data", ".enddata",
		".connect", ".stim", ".hdl", ".mc", ".wcase", ".optimize", ".stmlib", ".external",
		".vector", ".watch", ".distribution", ".autoconverge":
		p.warn(st.line, name+" is not supported and is ignored")
		return nil
	case ".measure", ".meas":
		return p.measureCard(st, s)
	case ".four", ".fourier":
		return p.fourierCard(st, s)
	case ".fft":
		return p.fftCard(st, s)
	}
	return diag.At(diag.UnknownCard, st.line,
		"%s is not a supported card; allowed are %s .model .param .subckt .ends .ic .nodeset .temp .options .measure .four .global .title .print .plot .save .end", st.toks[0].raw, p.analysisNames())
}

// tempCard reads .temp with one temperature. Lists are steps, which applyStepCards reads.
func (p *parser) tempCard(st *statement, toks []token, s *scope) error {
	if len(toks) == 0 {
		return diag.At(diag.MissingValue, st.line, ".temp needs a temperature in °C")
	}
	v, err := s.number(toks[0], ".temp")
	if err != nil || len(toks) > 1 {
		return err
	}
	if step := p.ckt.TemperatureStep(); step != nil {
		p.warn(st.line, fmt.Sprintf(
			".temp %g is ignored, because line %d steps the temperature", v, step.Line))
		return nil
	}
	p.ckt.TempC, p.ckt.TempLine = &v, st.line
	return nil
}

// numbers parses the numbers at the start of toks. It needs one number for each of the names, which
// describe the numbers in error messages.
func (p *parser) numbers(st *statement, toks []token, s *scope,
	names ...string) ([]float64, error) {
	card := st.toks[0].text
	if len(toks) < len(names) {
		return nil, diag.At(diag.MissingValue, st.line, "%s lacks its %s", card, names[len(toks)])
	}
	out := make([]float64, len(names))
	for i, n := range names {
		v, err := s.number(toks[i], card+": the "+n)
		if err != nil {
			return nil, err
		}
		p.suffixWarning('.', toks[i])
		out[i] = v
	}
	return out, nil
}

func (p *parser) dcCard(st *statement, toks []token, s *scope) error {
	a := Analysis{Kind: "dc", Line: st.line}
	for len(toks) > 0 || len(a.Sweeps) == 0 {
		if len(a.Sweeps) == 2 {
			return diag.At(diag.Syntax, st.line, ".dc sweeps at most two sources; .step %s with "+
				"its start, stop and step repeats the .dc for a third one", excerpt(toks[0].raw))
		}
		if len(toks) == 0 || toks[0].kind != word {
			return diag.At(diag.MissingValue, st.line,
				".dc needs a source, a start, a stop and a step")
		}
		spacing := "lin"
		if isSpacing(toks[0].text) && len(toks) > 1 && toks[1].kind == word {
			spacing, toks = toks[0].text, toks[1:] // PSpice: .dc lin v1 0 5 1
		}
		param := toks[0].text == "param" && len(toks) > 1 && toks[1].kind == word
		if param {
			toks = toks[1:]
		} else if _, isElement := p.names[toks[0].text]; !isElement && toks[0].text != "temp" {
			param = p.hasParam(toks[0].text)
		}
		w, rest, err := p.sweep(st, toks, spacing, s)
		if err != nil {
			return err
		}
		w.Param = param
		if inner, ok := p.loads[w.Source]; ok && !param {
			w.Source = inner
		}
		a.Sweeps = append(a.Sweeps, w)
		toks = rest
		if len(a.Sweeps) == 2 && (a.Sweeps[0].Param || param) {
			return diag.At(diag.NotAvailable, st.line, "not yet supported: .dc of a parameter "+
				"beside a second source; .step sweeps one of them")
		}
	}
	p.ckt.Analyses = append(p.ckt.Analyses, a)
	return nil
}

// maxSweepValues is the largest number of values of a .dc sweep by dec or oct.
const maxSweepValues = 100000

// isSpacing reports whether a word is the spacing of the values of a .dc sweep.
func isSpacing(word string) bool {
	return word == "lin" || word == "dec" || word == "oct" || word == "list"
}

// sweep parses one variable of .dc from toks: its name, optionally a spacing, and its values. It
// returns the tokens after them. spacing applies if none follows the name.
func (p *parser) sweep(st *statement, toks []token, spacing string, s *scope) (w Sweep,
	rest []token, err error) {
	w.Source = toks[0].text
	rest = toks[1:]
	if len(rest) > 0 && isSpacing(rest[0].text) {
		spacing, rest = rest[0].text, rest[1:]
	}
	var v []float64
	if spacing == "list" {
		n := 0
		for n < len(rest) && isValue(rest[n]) {
			n++
		}
		if n == 0 {
			return w, nil, diag.At(diag.MissingValue, st.line, ".dc: list has no values")
		}
		v, err = p.numbers(st, rest[:n], s, slices.Repeat([]string{"value"}, n)...)
	} else {
		last := map[string]string{"lin": "step", "dec": "number of points per decade",
			"oct": "number of points per octave"}[spacing]
		v, err = p.numbers(st, rest, s, "start", "stop", last)
	}
	if err != nil {
		return w, nil, err
	}
	if w.Source[0] == 'i' {
		for k := range v {
			v[k] = p.readCurrent(rest[k], v[k])
		}
	}
	rest = rest[len(v):]
	w.Start, w.Stop = v[0], v[len(v)-1]
	switch spacing {
	case "lin":
		w.Stop, w.Step = v[1], v[2]
		if w.Step == 0 && w.Start != w.Stop {
			return w, nil, diag.At(diag.BadValue, st.line, ".dc: the step must not be 0")
		}
		if w.Step > 0 && w.Stop < w.Start {
			p.warn(st.line, fmt.Sprintf(".dc: the step %g of a sweep from %g down to %g is read as %g, "+
				"as in PSpice", w.Step, w.Start, w.Stop, -w.Step))
			w.Step = -w.Step
		}
		if (w.Stop-w.Start)*w.Step < 0 {
			return w, nil, diag.At(diag.BadValue, st.line,
				".dc: a step of %g does not lead from %g to %g", w.Step, w.Start, w.Stop)
		}
		return w, rest, nil
	case "list":
		for k := 1; k < len(v); k++ {
			if (v[k]-v[k-1])*(v[1]-v[0]) <= 0 {
				return w, nil, diag.At(diag.BadValue, st.line,
					".dc: the values of list must strictly increase or decrease, %g follows %g",
					v[k], v[k-1])
			}
		}
		w.Values = v
		return w, rest, nil
	}
	w.Stop = v[1]
	ratio := map[string]float64{"dec": 10, "oct": 2}[spacing]
	n := math.Floor(v[2]*math.Log(w.Stop/w.Start)/math.Log(ratio)+1e-9) + 1
	if !(v[2] >= 1 && w.Start > 0 && w.Stop >= w.Start && n <= maxSweepValues) {
		return w, nil, diag.At(diag.BadValue, st.line,
			".dc: %s needs a start above 0, a stop not below the start, and 1 or more points "+
				"per %s but at most %d in all", spacing,
			map[string]string{"dec": "decade", "oct": "octave"}[spacing], maxSweepValues)
	}
	for k := range int(n) {
		w.Values = append(w.Values, w.Start*math.Pow(ratio, float64(k)/v[2]))
	}
	return w, rest, nil
}

func (p *parser) acCard(st *statement, s *scope) error {
	a := Analysis{Kind: "ac", Line: st.line}
	if err := p.acFrequencies(st, s, &a); err != nil {
		return err
	}
	p.ckt.Analyses = append(p.ckt.Analyses, a)
	return nil
}

// acFrequencies parses the frequencies of the .ac card st into a.
func (p *parser) acFrequencies(st *statement, s *scope, a *Analysis) error {
	toks := st.withoutParens()
	if len(toks) > 1 && toks[0].text == "file" && toks[1].kind == equal {
		return diag.At(diag.ForbiddenCard, st.line, ".ac file= is not allowed; netlists never "+
			"read files: write .ac list and the frequencies")
	}
	if len(toks) > 1 && toks[0].text == "list" {
		return p.frequencyList(st, toks[1:], s, a)
	}
	return p.frequencies(st, toks, s, a)
}

// frequencyList parses the frequencies of .ac list, or of another card with list, into a.
func (p *parser) frequencyList(st *statement, toks []token, s *scope, a *Analysis) (err error) {
	a.Variation = "list"
	names := slices.Repeat([]string{"frequency"}, len(toks))
	if a.Frequencies, err = p.numbers(st, toks, s, names...); err != nil {
		return err
	}
	for k, f := range a.Frequencies {
		p.frequencyWarning(toks[k], s)
		if f < 0 || k > 0 && f <= a.Frequencies[k-1] {
			return diag.At(diag.BadValue, st.line,
				"%s: the frequencies of list must be 0 or more and strictly increase; found %g",
				st.toks[0].text, f)
		}
	}
	a.From, a.To = a.Frequencies[0], a.Frequencies[len(a.Frequencies)-1]
	return nil
}

// frequencies parses dec, oct or lin, the number of points and two frequencies [Hz] from toks into
// a. s resolves parameters.
func (p *parser) frequencies(st *statement, toks []token, s *scope, a *Analysis) error {
	name := st.toks[0].text
	if len(toks) == 0 {
		return diag.At(diag.MissingValue, st.line,
			"%s needs dec, oct or lin, a number of points and two frequencies", name)
	}
	switch a.Variation = toks[0].text; a.Variation {
	case "dec", "oct", "lin":
	default:
		return diag.At(diag.Syntax, st.line, "%s must be dec, oct or lin, not %q", name,
			excerpt(toks[0].raw))
	}
	v, err := p.numbers(st, toks[1:], s, "number of points", "start frequency", "stop frequency")
	if err != nil {
		return err
	}
	a.Points, a.From, a.To = v[0], v[1], v[2]
	switch {
	case a.Points < 1:
		return diag.At(diag.BadValue, st.line,
			"%s: the number of points must be at least 1, not %g", name, a.Points)
	case a.From < 0 || a.From == 0 && a.Variation != "lin":
		return diag.At(diag.BadValue, st.line, "%s: the start frequency must be above 0, not %g",
			name, a.From)
	case a.To < a.From:
		hint := ""
		if raw := toks[3].raw; raw[scanMantissa(raw):] == "M" {
			hint = fmt.Sprintf("; %s is %g in SPICE, where megahertz are written meg", raw, a.To)
		}
		return diag.At(diag.BadValue, st.line,
			"%s: the stop frequency %g is below the start frequency %g%s", name, a.To, a.From, hint)
	}
	p.frequencyWarning(toks[2], s)
	p.frequencyWarning(toks[3], s)
	return nil
}

// startupTime is the rise time [s] of all sources with the LTspice option startup.
const startupTime = 20e-6

func (p *parser) tranCard(st *statement, toks []token, s *scope) error {
	a := Analysis{Kind: "tran", Line: st.line}
trailing:
	for n := len(toks); n > 0; n = len(toks) {
		switch w := toks[n-1].text; w {
		case "uic", "skipbp": // PSpice: skipbp
			a.UIC = true
		case "startup":
			a.Startup = startupTime
			p.warn(st.line, ".tran startup is read as in LTspice: all independent sources rise from 0 within "+seconds(startupTime))
		case "steady", "nodiscard", "step":
			p.warn(st.line, ".tran: the word "+w+" of LTspice is ignored")
		default:
			break trailing
		}
		toks = toks[:len(toks)-1]
	}
	if len(toks) > 4 && toks[2].text == "start" && toks[3].kind == equal { // HSPICE form
		toks = append(append(toks[:2:2], toks[4]), toks[5:]...)
	}
	names := []string{"time step", "stop time"}
	if len(toks) == 1 {
		names = names[1:]
	}
	v, err := p.numbers(st, toks, s, names...)
	if err != nil {
		return err
	}
	if len(v) == 1 {
		v, toks = []float64{0, v[0]}, []token{toks[0], toks[0]}
	}
	a.Step, a.Stop = v[0], v[1]
	if a.Step == 0 && a.Stop > 0 {
		a.Step = a.Stop / 50
		p.warn(st.line, fmt.Sprintf(".tran without a time step is read as in LTspice: the stop time is %s; the step, which waveforms take defaults from, is %s", seconds(a.Stop), seconds(a.Step)))
	}
	for i, t := range toks[2:] {
		x, err := s.number(t, ".tran: the "+[...]string{"start time", "largest step"}[min(i, 1)])
		if err != nil {
			return err
		}
		switch i {
		case 0:
			a.Start = x
		case 1:
			a.MaxStep = x
		default:
			return diag.At(diag.Syntax, st.line,
				".tran has too many numbers: step stop [start [largest step]] [uic]")
		}
	}
	if a.Start < 0 {
		p.warn(st.line, fmt.Sprintf(".tran: the start time %g s is negative and is read as 0",
			a.Start))
		a.Start = 0
	}
	switch {
	case a.Step <= 0:
		return diag.At(diag.BadValue, st.line, ".tran: the time step must be above 0, not %g",
			a.Step)
	case a.Stop <= 0:
		return diag.At(diag.BadValue, st.line, ".tran: the stop time must be above 0, not %g",
			a.Stop)
	case a.Start >= a.Stop:
		return diag.At(diag.BadValue, st.line,
			".tran: the start time %g must lie from 0 to below the stop time %g", a.Start, a.Stop)
	case a.MaxStep < 0:
		return diag.At(diag.BadValue, st.line,
			".tran: the largest step must not be negative, not %g", a.MaxStep)
	}
	p.ckt.Analyses = append(p.ckt.Analyses, a)
	return nil
}

// nodeValues parses the v(node)=value pairs of .ic and .nodeset, and the i(inductor)=value pairs of
// .ic, and appends them to into.
func (p *parser) nodeValues(st *statement, into *[]NodeValue, in *instance) error {
	toks := st.withoutParens()
	if len(toks) == 0 {
		p.warn(st.line, st.toks[0].text+" without values is ignored")
	}
	for i := 0; i < len(toks); i += 4 {
		t := toks[i:]
		if len(t) > 2 && t[0].text == "v" && t[1].kind == word && isValue(t[2]) {
			p.warn(st.line,
				st.toks[0].text+" v("+excerpt(t[1].raw)+") "+excerpt(
					t[2].raw)+" is read as v("+excerpt(t[1].raw)+")="+excerpt(t[2].raw))
			t = append([]token{t[0], t[1], {kind: equal, text: "=", line: t[1].line}}, t[2:]...)
			i--
		}
		if len(t) > 3 && t[0].text == "i" && t[1].kind == word && t[2].kind == equal &&
			st.toks[0].text == ".ic" {
			if err := p.inductorCurrent(t, in, into); err != nil {
				return err
			}
			continue
		}
		if len(t) < 4 || t[0].text != "v" || t[1].kind != word || t[2].kind != equal {
			return diag.At(diag.Syntax, toks[i].line, "%s must read v(node)=value, found %q",
				st.toks[0].text, excerpt(toks[i].raw))
		}
		v, err := in.scope.number(t[3], st.toks[0].text+" v("+t[1].text+")")
		if err != nil {
			return err
		}
		*into = append(*into, NodeValue{Node: p.node(t[1].text, in), Value: v, Line: t[0].line})
	}
	return nil
}

// warnInitialConditions adds a warning for each ic= of a capacitor or inductor that has no effect,
// because no analysis has uic.
func (p *parser) warnInitialConditions() {
	tran := false
	for _, a := range p.ckt.Analyses {
		if a.UIC {
			return
		}
		tran = tran || a.Kind == "tran"
	}
	for k := range p.ckt.Elements {
		e := &p.ckt.Elements[k]
		held := slices.ContainsFunc(p.ckt.IC, func(v NodeValue) bool {
			return v.Inductor == e.Name
		})
		if q, ok := e.Param("ic"); tran && ok && !held && !e.Internal &&
			(e.Kind == 'c' || e.Kind == 'l') {
			p.warn(q.Line, e.Name+": ic= has no effect without uic on .tran; "+
				".ic holds voltages and currents of inductors at 0 s")
		}
	}
}

// inductorCurrent parses i(inductor)=value of .ic, a form of LTspice, and appends it to into. It
// also sets the ic parameter of the inductor, which applies with uic.
func (p *parser) inductorCurrent(t []token, in *instance, into *[]NodeValue) error {
	name := in.flatName(t[1].text)
	v, err := in.scope.number(t[3], ".ic i("+t[1].text+")")
	if err != nil {
		return err
	}
	v = p.readCurrent(t[3], v)
	for k := range p.ckt.Elements {
		if e := &p.ckt.Elements[k]; e.Name == name && e.Kind == 'l' && e.BSource == nil {
			e.Params = append(slices.Clone(e.Params), Param{Name: "ic", Value: v, Line: t[0].line})
			*into = append(*into, NodeValue{Inductor: name, Value: v, Line: t[0].line})
			return nil
		}
	}
	return diag.On(diag.UnknownElement, t[0].line, name,
		".ic: i(%s) needs an inductor of this name", excerpt(t[1].raw))
}

// addMissingEquals inserts = between the name and the value of options such as "reltol .001" and
// "method gear", with a warning.
func (p *parser) addMissingEquals(st *statement) {
	for i := 1; i+1 < len(st.toks); i++ {
		t, v := st.toks[i], st.toks[i+1]
		method := t.text == "method" && (v.text == "gear" || v.text == "trap")
		if t.kind != word || !isName(t.text) || st.toks[i-1].kind == equal ||
			!isValue(v) && !method {
			continue
		}
		p.warn(v.line, st.toks[0].raw+" "+t.raw+" "+excerpt(v.raw)+" is read as "+t.raw+"="+
			excerpt(v.raw))
		st.toks = slices.Insert(st.toks, i+1, token{kind: equal, text: "=", raw: "=", line: v.line})
		i += 2
	}
}

func (p *parser) options(toks []token, s *scope) error {
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind != word {
			return diag.At(diag.Syntax, t.line, ".options must list name=value, found %q",
				excerpt(t.raw))
		}
		o := Param{Name: t.text, Value: 1, Line: t.line}
		if i+1 < len(toks) && toks[i+1].kind == equal {
			if i+2 >= len(toks) || toks[i+2].kind == equal {
				return diag.At(diag.MissingValue, t.line, ".options: %s= has no value", t.text)
			}
			v := toks[i+2]
			x, err := s.number(v, ".options "+t.text)
			if err != nil {
				if v.kind == expr {
					return err
				}
				o.Text = v.text
			}
			o.Value = x
			i += 2
		} else if NeedsValue(o.Name) {
			return diag.At(diag.MissingValue, t.line, ".options %s needs a value: %s=1n", o.Name,
				o.Name)
		}
		if o.Name == "savecurrents" {
			p.saveCurrents = o.Value != 0
			continue
		}
		p.ckt.Options = append(p.ckt.Options, o)
	}
	return nil
}

// save parses the entries of a .save card: v(node), i(element), p(element) and all.
func (p *parser) save(st *statement) error {
	toks := st.toks[1:]
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case (t.text == "v" || t.text == "p" || isCurrent(t.text)) &&
			i+3 < len(toks) &&
			toks[i+1].text == "(" && toks[i+3].text == ")":
			p.ckt.Save = append(p.ckt.Save, t.text+"("+ground(toks[i+2].text)+")")
			i += 3
		case t.text == "v" && i+4 < len(toks) && toks[i+1].text == "(" && toks[i+4].text == ")":
			for _, n := range toks[i+2 : i+4] {
				if g := ground(n.text); g != "0" {
					p.ckt.Save = append(p.ckt.Save, "v("+g+")")
				}
			}
			p.warn(t.line,
				".save v("+toks[i+2].text+","+toks[i+3].text+") is read as both voltages; their difference is no vector")
			i += 4
		case t.kind == word && t.text != "v" && t.text != "i" && t.text != "p":
			p.ckt.Save = append(p.ckt.Save, t.text)
		default:
			return diag.At(diag.Syntax, t.line,
				".save must list v(node), i(element), p(element) or all, found %q", excerpt(t.raw))
		}
	}
	return nil
}
