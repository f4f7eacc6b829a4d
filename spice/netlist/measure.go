package netlist

import (
	"strings"

	"slipstick/spice/diag"
)

// MaxMeasures is the largest number of .measure cards.
const MaxMeasures = 200

// MaxFourier is the largest total number of voltages and currents on all .four cards.
const MaxFourier = 50

// MaxPeriods is the largest number of periods of a .four card.
const MaxPeriods = 1000

// Measure describes a .measure card.
type Measure struct {
	// Name is in lower case. Expressions can use it if it consists of letters, digits and _.
	Name     string
	Analysis string // "tran", "ac", "dc", "op" or "noise"
	Line     int
	// Kind is "delay", "when", "find", "deriv", "avg", "rms", "integ", "pp", "max", "min",
	// "max_at", "min_at", "last" or "param". A delay has trig and targ, and "last" is the value at
	// the end of the run.
	Kind    string
	Operand *Operand // measured quantity; nil for delay, when and param
	// When is the event of when, find and deriv, or the first event of a delay or of a window. It
	// is nil for other measures, and for a delay from the start of the run.
	When  *Event
	Targ  *Event   // second event of a delay or of a window; nil for the end of the run
	From  *Formula // lower and upper limits of the sweep; nil for the start or the end of the run
	To    *Formula
	Param *Formula // expression of param; nil for other kinds
	// Unsupported is the reason why a valid measure cannot be evaluated, or "" if it can be.
	Unsupported string
}

// Event is a point of a run. It is either a given value of the sweep or a crossing of two
// quantities.
type Event struct {
	At    *Formula // value of the sweep; nil for a crossing
	Left  *Operand
	Right *Operand // quantity that Left crosses; nil if Left crosses Value
	Value *Formula
	Edge  string   // direction of Left: "rise", "fall" or "cross" for either
	Count int      // number of the crossing, counted from 1; -1 selects the last
	Delay *Formula // sweep value before which crossings are not counted; nil means 0
}

// Operand is a voltage, current or power, such as v(out), vdb(a,b) or i(v1).
type Operand struct {
	Kind byte   // 'v' for a voltage, 'i' for a current, 'p' for a power or 'x' for an expression
	Part string // part of a phasor: "m", "p", "r", "i" or "db"; "" if none is given
	Plus string // name of the node or element
	// Minus is the second node of v(a,b). It is "" for other operands.
	Minus string
	Over  *Operand // divisor of a quotient of phasors in .ac, such as v(out)/v(in); nil for none
	Text  string   // operand as written, such as vdb(a,b)
	Line  int
	// Expr is an expression of voltages, currents, the sweep variable and results of earlier
	// measures (variables of kind 'm'). It is nil unless Kind is 'x'.
	Expr *BSource
}

// Vectors returns the names of the vectors that the operand uses. Ground has no vector.
func (o *Operand) Vectors() []string {
	var out []string
	if o.Expr != nil {
		for _, v := range o.Expr.Variables {
			out = append(out, (&Operand{Kind: v.Kind, Plus: v.Plus, Minus: v.Minus}).Vectors()...)
		}
		return out
	}
	if o.Kind != 'v' && o.Kind != 'i' && o.Kind != 'p' {
		return nil
	}
	for _, n := range [...]string{o.Plus, o.Minus} {
		if n != "" && (o.Kind != 'v' || n != "0") {
			out = append(out, string(o.Kind)+"("+n+")")
		}
	}
	if o.Over != nil {
		out = append(out, o.Over.Vectors()...)
	}
	return out
}

// FourierCard describes a .four card.
type FourierCard struct {
	Frequency float64 // fundamental frequency [Hz]
	// Periods is the number of periods at the end of the run, or WholeRun. 0 selects the minimum
	// for the window.
	Periods  int
	Window   string // window name, one of Windows
	Operands []Operand
	Line     int
}

// WholeRun as the number of periods of a .four card selects all periods of the run, at most
// MaxPeriods.
const WholeRun = -1

// measureReader reads the words of a .measure card from left to right.
type measureReader struct {
	p       *parser
	s       *scope
	card    string
	toks    []token
	line    int
	earlier map[string]bool
	m       *Measure
}

func (p *parser) measureCard(st *statement, s *scope) error {
	card := st.toks[0].text
	if len(st.toks) < 4 || st.toks[1].kind != word || st.toks[2].kind != word {
		return diag.At(diag.MissingValue, st.line, "%s needs an analysis, a name and a measure: %s tran delay trig v(a) val=1 rise=1 targ v(b) val=1 rise=1", card, card)
	}
	m := &Measure{Analysis: st.toks[1].text, Name: st.toks[2].text, Line: st.line}
	words := st.toks[3:]
	switch m.Analysis {
	case "tran", "ac", "dc", "op", "noise":
	case "sp", "tf":
		p.warn(st.line, card+" "+excerpt(m.Name)+" is not made: measures exist of tran, ac, dc, op "+
			"and noise")
		return nil
	default:
		if kind := p.defaultMeasureAnalysis(); kind != "" && measureKinds[st.toks[2].text] {
			m.Analysis, m.Name, words = kind, st.toks[1].text, st.toks[2:]
			p.warn(st.line,
				card+" "+excerpt(m.Name)+" names no analysis; it is read as a measure of "+kind)
			break
		}
		return diag.At(diag.Syntax, st.line,
			"%s must name the analysis tran, ac, dc, op or noise first, not %q", card,
			excerpt(st.toks[1].raw))
	}
	if len(m.Name) > 100 {
		return diag.At(diag.Syntax, st.line, "%s: the name %q is longer than 100 characters", card,
			excerpt(st.toks[2].raw))
	}
	if len(p.ckt.Measures) >= MaxMeasures {
		return diag.At(diag.TooManyMeasures, st.line, "the netlist has more than %d .measure cards",
			MaxMeasures)
	}
	earlier, taken := map[string]bool{}, map[string]int{}
	for _, o := range p.ckt.Measures {
		if o.Analysis == m.Analysis {
			taken[o.Name] = o.Line
		}
		earlier[o.Name] = true
	}
	if line := taken[m.Name]; line > 0 {
		name := m.Name
		for n := 2; taken[m.Name] > 0; n++ {
			m.Name = name + "_" + itoa(n)
		}
		p.warn(st.line,
			card+": measure "+name+" is already defined on line "+itoa(
				line)+"; this one is called "+m.Name)
	}
	r := &measureReader{p: p, s: s, card: card + " " + m.Name, toks: words, line: st.line,
		earlier: earlier, m: m}
	if err := r.read(); err != nil {
		return err
	}
	if m.Unsupported != "" {
		r.toks = nil
	}
	if len(r.toks) > 0 {
		return diag.At(diag.Syntax, r.toks[0].line, "%s: unexpected %q", r.card,
			excerpt(r.toks[0].raw))
	}
	p.ckt.Measures = append(p.ckt.Measures, *m)
	return nil
}

func (r *measureReader) fail(code diag.Code, format string, args ...any) error {
	line := r.line
	if len(r.toks) > 0 {
		line = r.toks[0].line
	}
	e := diag.At(code, line, format, args...)
	e.Detail = r.card + ": " + e.Detail
	return e
}

// next consumes the next word and returns it, or "" at the end.
func (r *measureReader) next() string {
	if len(r.toks) == 0 {
		return ""
	}
	t := r.toks[0]
	r.toks = r.toks[1:]
	return t.text
}

// peek reports whether the next tokens are the given words.
func (r *measureReader) peek(texts ...string) bool {
	if len(r.toks) < len(texts) {
		return false
	}
	for i, w := range texts {
		if r.toks[i].kind == expr || r.toks[i].text != w {
			return false
		}
	}
	return true
}

func (r *measureReader) read() (err error) {
	m := r.m
	if m.Kind = r.next(); m.Analysis == "op" && m.Kind != "find" && m.Kind != "param" &&
		measureKinds[m.Kind] {
		return diag.At(diag.Syntax, r.line, "%s: .op has one point, which %s does not measure; "+
			"allowed are find and param", r.card, m.Kind)
	}
	switch m.Kind {
	case "trig", "targ":
		return r.readDelay(m.Kind)
	case "when":
		m.When, err = r.readEvent("when", false)
		return err
	case "find", "deriv", "derivative":
		if m.Kind == "derivative" {
			m.Kind = "deriv"
		}
		if m.Operand, err = r.readOperand(); err != nil {
			return err
		}
		if m.Analysis == "op" && len(r.toks) == 0 {
			m.Kind = "last"
			return nil
		}
		if r.peek("when") {
			r.next()
		} else if !r.peek("at") {
			return r.fail(diag.MissingValue, "%s needs at=... or when ... after %s", m.Kind,
				m.Operand.Text)
		}
		m.When, err = r.readEvent(m.Kind, false)
		return err
	case "avg", "rms", "integ", "integral", "pp", "max", "min", "max_at", "min_at":
		if m.Kind == "integral" {
			m.Kind = "integ"
		}
		if m.Operand, err = r.readOperand(); err != nil {
			return err
		}
		return r.readWindow()
	case "param":
		if len(r.toks) == 0 {
			return r.fail(diag.MissingValue, "param needs an expression: param='a/b'")
		}
		if !r.peek("=") { // LTspice: param a/b
			r.toks = append([]token{{kind: equal, text: "="}}, r.toks...)
		}
		if n := valueLength(r.toks[1:]); n > 0 && usesCircuit(expressionText(r.toks[1:1+n])) {
			// LTspice computes voltages and currents at the end of the run.
			r.next()
			m.Kind = "last"
			m.Operand, err = r.readOperand()
			return err
		}
		m.Param, err = r.readAssigned("param")
		return err
	}
	hint := ""
	if len(r.toks) > 1 && r.toks[0].kind == paren && strings.IndexAny(m.Kind, "vi") == 0 {
		hint = "; a value at one point is find " + excerpt(m.Kind+"("+r.toks[1].raw) + ") at=1k"
	}
	return diag.At(diag.Syntax, r.line, "%s: unknown measure %q; allowed are trig, when, find, deriv, avg, rms, integ, pp, max, min, max_at, min_at and param%s", r.card, excerpt(m.Kind), hint)
}

// readDelay parses the events of a delay after the word trig or targ. Without trig or without targ
// the delay is from the start or to the end of the run, as in LTspice.
func (r *measureReader) readDelay(first string) (err error) {
	r.m.Kind = "delay"
	for w := first; ; w = r.next() {
		event := map[string]**Event{"trig": &r.m.When, "targ": &r.m.Targ}[w]
		if *event != nil {
			return r.fail(diag.Syntax, "%s is given twice", w)
		}
		if *event, err = r.readEvent(w, true); err != nil {
			return err
		}
		if !r.peek("trig") && !r.peek("targ") {
			break
		}
	}
	switch {
	case r.m.Targ == nil:
		r.p.warn(r.line, r.card+": without targ the delay is to the end of the run, as in LTspice")
	case r.m.When == nil:
		r.p.warn(r.line,
			r.card+": without trig the delay is from the start of the run, as in LTspice")
	}
	return nil
}

// readAssigned parses "= value". The = is optional before a number or expression. Errors use what
// as the description of the value.
func (r *measureReader) readAssigned(what string) (*Formula, error) {
	if len(r.toks) > 0 && isValue(r.toks[0]) { // "from 1m"
		r.toks = append([]token{{kind: equal, text: "="}}, r.toks...)
	}
	if !r.peek("=") || len(r.toks) < 2 {
		return nil, r.fail(diag.MissingValue, "%s needs = and a value", what)
	}
	t := r.toks[1]
	if n := valueLength(r.toks[1:]); n > 1 {
		t.kind, t.text = expr, expressionText(r.toks[1:1+n])
		t.raw = t.text
		r.toks = r.toks[n-1:]
	}
	r.toks = r.toks[2:]
	return r.s.formula(t, r.card+": "+what, r.earlier)
}

// valueLength returns the number of tokens of the expression at the start of toks, such as
// top/sqrt(2) or a - b. The expression needs no braces. Outside parentheses it ends at a comma, an
// equals sign, a keyword or a name before an equals sign, and between two names.
func valueLength(toks []token) int {
	n, depth := 0, 0
	for ; n < len(toks); n++ {
		t := toks[n]
		if t.kind == paren {
			if depth += map[string]int{"(": 1, ")": -1}[t.text]; depth < 0 {
				break
			}
			continue
		}
		if depth > 0 || n == 0 {
			continue
		}
		if t.comma || t.kind == equal || t.kind == word && expressionEnd[t.text] ||
			n+1 < len(toks) && toks[n+1].kind == equal {
			break
		}
		if (t.kind == expr || isNameByte(t.text[0])) && (toks[n-1].kind != word ||
			isNameByte(toks[n-1].text[len(toks[n-1].text)-1])) {
			break
		}
	}
	return n
}

// readWindow parses from=, to= and td= of a measure over an interval, or trig and targ of LTspice,
// between which the interval lies. td= is equivalent to from=.
func (r *measureReader) readWindow() (err error) {
	for len(r.toks) > 0 && r.m.Unsupported == "" {
		var into **Formula
		switch w := r.toks[0].text; w {
		case "trig", "targ":
			event := map[string]**Event{"trig": &r.m.When, "targ": &r.m.Targ}[w]
			if *event != nil {
				return r.fail(diag.Syntax, "%s is given twice", w)
			}
			r.next()
			if *event, err = r.readEvent(w, true); err != nil {
				return err
			}
			continue
		case "from", "td":
			into = &r.m.From
		case "to":
			into = &r.m.To
		default:
			return r.fail(diag.Syntax, "unexpected %q; from= and to=, or trig and targ, may follow",
				excerpt(r.toks[0].raw))
		}
		w := r.next()
		if *into != nil {
			return r.fail(diag.Syntax, "%s= is given twice", w)
		}
		if *into, err = r.readAssigned(w); err != nil {
			return err
		}
	}
	return nil
}

// readEvent parses an event, which is at=t or a crossing with its options. trigger is true for trig
// and targ, which accept val= but no window. Errors name the event by its keyword what.
func (r *measureReader) readEvent(what string, trigger bool) (*Event, error) {
	e := &Event{Edge: "cross", Count: 1}
	var err error
	if r.peek("at", "=") || r.peek("at") && len(r.toks) > 1 && isValue(r.toks[1]) {
		r.next()
		e.At, err = r.readAssigned("at")
		return e, err
	}
	if e.Left, err = r.readOperand(); err != nil {
		return nil, err
	}
	if r.peek("=") {
		if err := r.readLevel(e); err != nil {
			return nil, err
		}
	} else if !trigger {
		return nil, r.fail(diag.MissingValue, "%s needs = and a level after %s", what, e.Left.Text)
	}
	edge := false
	for len(r.toks) > 0 && !(trigger && (r.peek("targ") || r.peek("trig"))) {
		w := r.toks[0].text
		if len(r.toks) > 1 && (isValue(r.toks[1]) || r.toks[1].text == "last") { // "rise 1"
			r.toks = append([]token{r.toks[0], {kind: equal, text: "="}}, r.toks[1:]...)
		}
		if len(r.toks) < 2 || r.toks[1].kind != equal {
			return nil, r.fail(diag.Syntax, "unexpected %q", excerpt(r.toks[0].raw))
		}
		r.next()
		switch {
		case w == "val" && trigger && e.Value == nil && e.Right == nil:
			err = r.readLevel(e)
		case w == "td" && e.Delay == nil:
			e.Delay, err = r.readAssigned(w)
		case w == "from" && !trigger && r.m.From == nil:
			r.m.From, err = r.readAssigned(w)
		case w == "to" && !trigger && r.m.To == nil:
			r.m.To, err = r.readAssigned(w)
		case (w == "rise" || w == "fall" || w == "cross") && !edge:
			edge = true
			e.Edge = w
			if r.peek("=", "last") {
				e.Count = -1
				r.toks = r.toks[2:]
				continue
			}
			if len(r.toks) < 2 {
				return nil, r.fail(diag.MissingValue, "%s= has no value", w)
			}
			e.Count, err = r.s.crossingNumber(r.toks[1], r.card+": "+w)
			r.toks = r.toks[2:]
		default:
			return nil, r.fail(diag.Syntax, "unexpected %s=", excerpt(w))
		}
		if err != nil {
			return nil, err
		}
	}
	if e.Value == nil && e.Right == nil {
		return nil, r.fail(diag.MissingValue, "%s needs val= after %s", what, e.Left.Text)
	}
	return e, nil
}

// readLevel parses "= value", "= a/sqrt(2)" or "= v(b)" into e.Value or e.Right.
func (r *measureReader) readLevel(e *Event) (err error) {
	if n := valueLength(r.toks[1:]); n > 0 && usesCircuit(expressionText(r.toks[1:1+n])) {
		r.next()
		e.Right, err = r.readOperand()
		return err
	}
	e.Value, err = r.readAssigned("the level")
	return err
}

func (r *measureReader) readOperand() (*Operand, error) {
	if o, done, err := r.readExpression(); done {
		return o, err
	}
	if len(r.toks) > 0 && r.m.Analysis == "noise" && r.toks[0].kind == word &&
		noiseVector(r.toks[0].text) != "" {
		t := r.toks[0]
		r.toks = r.toks[1:]
		return &Operand{Kind: 'v', Plus: noiseVector(t.text), Text: t.text, Line: t.line}, nil
	}
	o, n, err := readOperand(r.toks)
	if err != nil {
		return nil, r.fail(err.code, "%s", err.text)
	}
	if r.m.Analysis == "noise" {
		if v := noiseVector(o.Plus); v != "" {
			o.Plus = v
		}
		if o.Kind != 'v' || o.Minus != "" || o.Part != "" && o.Part != "m" && o.Part != "db" {
			return nil, r.fail(diag.Syntax, "%s is not a vector of .noise; write v(onoise), "+
				"v(inoise), gain, or v(r1) for the part of a device", o.Text)
		}
	} else if o.Part != "" && r.m.Analysis != "ac" {
		return nil, r.fail(diag.Syntax, "%s is for .ac; write %c(...)", o.Text, o.Kind)
	}
	r.toks = r.toks[n:]
	return o, nil
}

type operandError struct {
	code diag.Code
	text string
}

// readOperand parses v(a), v(a,b), i(x) or p(x) at the start of toks. It also accepts a part of a
// phasor: vm, vp, vr, vi, vdb, im, ip, ir, ii or idb. The second result is the number of tokens of
// the operand.
func readOperand(toks []token) (*Operand, int, *operandError) {
	if len(toks) == 0 {
		return nil, 0, &operandError{diag.MissingValue,
			"a voltage or current such as v(out) or i(v1) is missing"}
	}
	head := toks[0].text
	// @r1[i], @r1[p] and @q1[ic] are equivalent to i(r1), p(r1) and ic(q1).
	if vector := VectorName(head); toks[0].kind == word && head != "" && head[0] == '@' &&
		vector != head {
		return &Operand{Kind: vector[0], Plus: vector[2 : len(vector)-1], Text: head,
			Line: toks[0].line}, 1, nil
	}
	wrong := &operandError{diag.Syntax,
		"expected a voltage or current such as v(out), v(a,b) or i(v1), found \"" +
			excerpt(toks[0].raw) + "\""}
	if part := phasorParts[head]; part != "" && len(toks) > 3 && toks[1].text == "(" &&
		toks[3].text == ")" {
		node := excerpt(toks[2].raw)
		wrong.text += "; " + head + "(" + node + ") is written v" + part + "(" + node + ")"
	}
	if toks[0].kind != word || head == "" || head != "p" && head[0] != 'v' && head[0] != 'i' ||
		len(toks) < 4 || toks[1].text != "(" || toks[1].kind != paren {
		return nil, 0, wrong
	}
	o := &Operand{Kind: head[0], Part: head[1:], Line: toks[0].line}
	terminal := ""
	switch o.Part {
	case "", "m", "p", "r", "i", "db":
	default:
		if !isCurrent(head) {
			return nil, 0, wrong
		}
		o.Part, terminal = "", head
	}
	var names []string
	n := 2
	for ; n < len(toks) && toks[n].kind == word; n++ {
		names = append(names, toks[n].text)
	}
	if n >= len(toks) || toks[n].kind != paren || toks[n].text != ")" {
		return nil, 0, &operandError{diag.Syntax, head + "( has no closing )"}
	}
	if len(names) == 0 || len(names) > 2 || o.Kind != 'v' && len(names) > 1 {
		return nil, 0,
			&operandError{diag.Syntax, head + "() takes " + map[byte]string{'v': "one or two nodes",
				'i': "one element", 'p': "one element"}[o.Kind]}
	}
	o.Plus = currentName(terminal, names[0])
	if o.Kind == 'v' {
		o.Plus = ground(o.Plus)
		if len(names) == 2 {
			o.Minus = ground(names[1])
		}
	}
	o.Text = head + "(" + strings.Join(names, ",") + ")"
	return o, n + 1, nil
}

func (p *parser) fourierCard(st *statement, s *scope) error {
	if len(st.toks) < 2 {
		return diag.At(diag.MissingValue, st.line,
			".four needs a frequency and voltages or currents: .four 1k v(out)")
	}
	f, err := s.number(st.toks[1], ".four: the frequency")
	if err != nil {
		return err
	}
	if !(f > 0) {
		return diag.At(diag.BadValue, st.line, ".four: the frequency must be above 0, not %g", f)
	}
	p.frequencyWarning(st.toks[1], s)
	c := FourierCard{Frequency: f, Window: "rect", Line: st.line}
	toks := st.toks[2:]
	if len(toks) > 0 && isValue(toks[0]) { // LTspice: .four frequency harmonics periods v(out)
		n, err := s.crossingNumber(toks[0], ".four: the number of harmonics")
		if err != nil {
			return err
		}
		if n != 9 {
			p.warn(st.line, ".four: "+excerpt(toks[0].raw)+" is read as LTspice's number of "+
				"harmonics; the result has 9")
		}
		toks = toks[1:]
		if len(toks) > 0 && toks[0].text == "-1" {
			c.Periods, toks = WholeRun, toks[1:]
		} else if len(toks) > 0 && isValue(toks[0]) {
			c.Periods, err = s.crossingNumber(toks[0], ".four: the number of periods")
			if err != nil {
				return err
			}
			toks = toks[1:]
		}
	}
	c.Operands, err = p.operands(".four", toks, func(name string, value token) (err error) {
		switch name {
		case "window":
			c.Window, err = p.windowName(value, ".four")
		case "periods":
			c.Periods, err = s.crossingNumber(value, ".four: periods")
		default:
			err = diag.At(diag.Syntax, value.line,
				".four: %s= is unknown; allowed are periods= and window=", excerpt(name))
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.Periods > MaxPeriods {
		return diag.At(diag.BadValue, st.line, ".four: at most %d periods are taken, not %d",
			MaxPeriods, c.Periods)
	}
	if len(c.Operands) == 0 {
		return diag.At(diag.MissingValue, st.line,
			".four needs a voltage or current after the frequency: .four 1k v(out)")
	}
	total := len(c.Operands)
	for _, o := range p.ckt.Fourier {
		total += len(o.Operands)
	}
	if total > MaxFourier {
		return diag.At(diag.TooManyMeasures, st.line,
			".four names more than %d voltages and currents", MaxFourier)
	}
	p.ckt.Fourier = append(p.ckt.Fourier, c)
	return nil
}
