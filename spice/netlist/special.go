package netlist

import (
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// specialTerminals is the number of nodes of a special function of LTspice: five inputs, inverted
// output, output and common node.
const specialTerminals = 8

// specialNames lists the special functions of LTspice that A elements may name. The names of
// symbols are accepted beside those of netlists, which LTspice writes itself.
var specialNames = []string{"BUF", "INV", "AND", "OR", "XOR", "SCHMITT", "SCHMTBUF", "SCHMTINV",
	"DIFFSCHMITT", "DIFFSCHMTBUF", "DIFFSCHMTINV", "SRFLOP", "DFLOP", "COUNTER", "PHASEDET",
	"PHIDET", "SAMPLEHOLD", "MODULATE", "MODULATOR", "VARISTOR", "OTA"}

// specialSynonyms maps the names of symbols to the functions of netlists.
var specialSynonyms = map[string]string{"inv": "buf", "schmtbuf": "schmitt", "schmtinv": "schmitt",
	"diffschmitt": "schmitt", "diffschmtbuf": "schmitt", "diffschmtinv": "schmitt",
	"phidet": "phasedet", "modulate": "modulator"}

// specialFunction returns the function name of an A element of LTspice, and "" for other elements
// such as the code models of XSPICE. The name follows eight nodes. If there are fewer nodes, it is
// the last word before the parameters.
func specialFunction(st *statement) string {
	toks := st.withoutParens()
	for _, t := range toks {
		if t.kind == word && strings.ContainsAny(t.text, "[]") {
			return ""
		}
	}
	isName := func(t token) bool {
		return t.kind == word && slices.Contains(specialNames, strings.ToUpper(t.text))
	}
	if len(toks) > specialTerminals && isName(toks[specialTerminals]) {
		return toks[specialTerminals].text
	}
	if n := positionalCount(toks); n > 2 && n <= specialTerminals && isName(toks[n-1]) {
		return toks[n-1].text
	}
	return ""
}

// specialElement reads an A element of LTspice. toks are the tokens after the nodes. Digital
// functions and the sample and hold become elements of kind 'a'. The other functions become
// sources with expressions.
func (p *parser) specialElement(e *Element, st *statement, toks []token, in *instance,
	raw string) error {
	name := toks[0].text
	function := name
	if f, ok := specialSynonyms[name]; ok {
		function = f
	}
	if len(toks) > 1 && toks[1].text == "table" {
		return diag.On(diag.NotAvailable, e.Line, e.Name,
			"not yet supported: %s with table; %s takes name=value", raw, strings.ToUpper(name))
	}
	if err := p.readArguments(e, toks[1:], in.scope, raw); err != nil {
		return err
	}
	e.Model = &Model{Name: function, Type: function, Line: e.Line}
	e.Parallel = in.multiplier()
	s := &special{parser: p, e: e, in: in, raw: raw, name: strings.ToUpper(name),
		terminals: st.withoutParens()[:specialTerminals]}
	var err error
	switch function {
	case "ota":
		err = s.ota()
	case "varistor":
		err = s.varistor()
	case "modulator":
		err = s.modulator()
	default:
		err = s.logic(strings.HasSuffix(name, "inv"))
	}
	if err != nil {
		return withElement(err, e.Name)
	}
	for k := range s.extra {
		s.extra[k].Parallel = e.Parallel
	}
	p.ckt.Elements = append(p.ckt.Elements, s.extra...)
	return nil
}

// special holds an A element while it is converted to elements of the circuit.
type special struct {
	*parser
	e         *Element
	in        *instance
	raw, name string
	terminals []token
	extra     []Element // elements of the circuit
}

// isUsed reports whether a terminal, beginning with 1, is not connected to the common node.
func (s *special) isUsed(terminal int) bool {
	return s.e.Nodes[terminal-1] != s.e.Nodes[specialTerminals-1]
}

// volts returns the voltage between two terminals as text of an expression.
func (s *special) volts(plus, minus int) string {
	return "v(" + s.terminals[plus-1].text + "," + s.terminals[minus-1].text + ")"
}

// param returns a parameter, or def if it is not given.
func (s *special) param(name string, def float64) float64 {
	if q, ok := s.e.Param(name); ok {
		return q.Value
	}
	return def
}

// inRange returns an error unless all named parameters are from least to most.
func (s *special) inRange(least, most float64, names ...string) error {
	for _, name := range names {
		q, ok := s.e.Param(name)
		if ok && !(q.Value >= least && q.Value <= most) {
			return diag.On(diag.BadValue, q.Line, s.e.Name, "%s: %s= must lie from %g to %g, not %g",
				s.raw, name, least, most, q.Value)
		}
	}
	return nil
}

// unknown warns of the parameters and words that are not in the lists.
func (s *special) unknown(words []string, names ...string) error {
	for _, a := range s.e.Args {
		if !slices.Contains(words, a.Text) {
			return diag.On(diag.Syntax, a.Line, s.e.Name, "%s: unexpected %q", s.raw,
				excerpt(a.Text))
		}
	}
	for _, q := range s.e.Params {
		if !slices.Contains(names, q.Name) {
			s.warn(q.Line, s.raw+": parameter "+q.Name+" is unknown and ignored")
		}
	}
	return nil
}

// hasWord reports whether a word such as linear follows the function.
func (s *special) hasWord(text string) bool {
	for _, a := range s.e.Args {
		if a.Text == text {
			return true
		}
	}
	return s.param(text, 0) >= 0.5
}

// add adds an element between two nodes of the circuit.
func (s *special) add(kind byte, suffix string, value float64, a, b string) *Element {
	s.extra = append(s.extra, Element{Kind: kind, Name: s.e.Name + "#" + suffix, Line: s.e.Line,
		Nodes: []string{a, b}, Args: []Arg{{Value: value, IsNumber: true, Line: s.e.Line}},
		Internal: true})
	return &s.extra[len(s.extra)-1]
}

// source adds a source with an expression between two nodes of the circuit. output is 'v' or 'i'.
func (s *special) source(name string, output byte, text, a, b string) error {
	e := Element{Kind: 'b', Name: name, Line: s.e.Line, Nodes: []string{a, b},
		Internal: name != s.e.Name}
	err := s.compileBSource(&e, &BSource{Output: output}, text, s.e.Line, s.in, s.raw)
	s.extra = append(s.extra, e)
	return err
}

// capacitance adds cout=, or tau= divided by rout, to the terminals that are used. ohms is the
// default of rout. With initial, ic= is the voltage at DC.
func (s *special) capacitance(ohms float64, initial bool, terminals ...int) error {
	if err := s.inRange(0, 1e30, "cout", "tau", "rout"); err != nil {
		return err
	}
	farads := s.param("cout", 0)
	if tau := s.param("tau", 0); tau > 0 {
		rout := s.param("rout", ohms)
		if !(rout > 0) || math.IsInf(rout, 0) {
			return diag.On(diag.BadValue, s.e.Line, s.e.Name, "%s: tau= needs rout= above 0", s.raw)
		}
		farads += tau / rout
	}
	com := s.e.Nodes[specialTerminals-1]
	for _, t := range terminals {
		if !s.isUsed(t) || farads == 0 {
			continue
		}
		c := s.add('c', "cout"+itoa(t), farads, s.e.Nodes[t-1], com)
		if q, ok := s.e.Param("ic"); ok && initial {
			c.Params = []Param{q}
			s.add('y', "ic"+itoa(t), q.Value, s.e.Nodes[t-1], com)
		}
	}
	return nil
}

// clamp returns the current [A] into the output at terminal 7 that limits its voltage to vlow and
// vhigh, as text of an expression.
func (s *special) clamp(low, high float64) (string, error) {
	if err := s.inRange(1e-6, 1e12, "rclamp"); err != nil {
		return "", err
	}
	vlow, vhigh := s.param("vlow", low), s.param("vhigh", high)
	if vlow > vhigh {
		return "", diag.On(diag.BadValue, s.e.Line, s.e.Name,
			"%s: vlow= %g is above vhigh= %g", s.raw, vlow, vhigh)
	}
	text, out, g := "", s.volts(7, 8), formatNumber(1/s.param("rclamp", 1))
	if vhigh < 1e30 {
		text += "-max(" + out + "-(" + formatNumber(vhigh) + "),0)*" + g
	}
	if vlow > -1e30 {
		text += "+max(" + formatNumber(vlow) + "-" + out + ",0)*" + g
	}
	return text, nil
}

// logic converts a digital function. inverting is set for the symbols whose output is inverted.
func (s *special) logic(inverting bool) error {
	for _, a := range s.e.Args {
		return diag.On(diag.Syntax, a.Line, s.e.Name,
			"%s: unexpected %q; parameters of %s are written name=value", s.raw, excerpt(a.Text),
			s.name)
	}
	if inverting && !s.isUsed(6) && s.isUsed(7) {
		n := slices.Clone(s.e.Nodes)
		n[5], n[6] = n[6], n[5]
		s.e.Nodes = n
		s.warn(s.e.Line, s.raw+": "+s.name+" has only the output of terminal 7, which is read as "+
			"the inverted one; LTspice has it at terminal 6")
	}
	inputs := 0
	for t := 1; t <= 5; t++ {
		if s.isUsed(t) {
			inputs++
		}
	}
	if inputs == 0 {
		s.warn(s.e.Line, s.raw+": all inputs of "+s.name+
			" are connected to its common node, so none is used and the output is constant")
	}
	if !s.isUsed(6) && !s.isUsed(7) {
		s.warn(s.e.Line, s.raw+": no output of "+s.name+" is connected")
	}
	var err error
	switch s.e.Model.Name {
	case "samplehold":
		err = s.capacitance(1e3, false, 6, 7)
	case "phasedet":
		err = s.phaseDetector()
	default:
		err = s.capacitance(1, false, 6, 7)
	}
	// The parameters of other elements are not those of the gate, so .sens does not vary them.
	device := *s.e
	device.Params = slices.DeleteFunc(slices.Clone(s.e.Params), func(q Param) bool {
		return q.Name == "cout" || q.Name == "tau" || q.Name == "rclamp" ||
			q.Name == "rout" && s.e.Model.Name == "phasedet"
	})
	s.extra = append([]Element{device}, s.extra...)
	return err
}

// phaseDetector adds the resistance, the capacitance and the limits of the output voltage of a
// phase detector.
func (s *special) phaseDetector() error {
	if s.isUsed(6) {
		return diag.On(diag.NotAvailable, s.e.Line, s.e.Name,
			"%s: terminal 6 of %s is no output; connect it to the common node", s.raw, s.name)
	}
	if !s.isUsed(7) {
		return nil
	}
	limits, err := s.clamp(0, 1)
	if err != nil {
		return err
	}
	out, com := s.e.Nodes[6], s.e.Nodes[7]
	if limits != "" {
		if err := s.source(s.e.Name+"#clamp", 'i', limits, com, out); err != nil {
			return err
		}
	}
	if r := s.param("rout", 0); r > 0 {
		s.add('r', "rout", r, out, com).Params = []Param{{Name: "noisy", Line: s.e.Line}}
	}
	return s.capacitance(math.Inf(1), true, 7)
}

// ota converts a transconductance amplifier. Its output current is the limited product
// g·(ref - v(1,2))·v(3,4), where v(3,4) is 1 if both terminals are unused.
func (s *special) ota() error {
	if err := s.unknown([]string{"linear", "asym"}, "g", "ref", "iout", "isource", "isrc", "isink",
		"ioffset", "linear", "asym", "rout", "cout", "tau", "vhigh", "vlow", "rclamp", "ic", "en",
		"enk", "in", "ink", "incm", "incmk", "powerup", "tripdt", "epsilon"); err != nil {
		return err
	}
	if err := s.inRange(-1e15, 1e15, "g", "ref", "iout", "isource", "isrc", "isink", "ioffset",
		"ic"); err != nil {
		return err
	}
	if s.isUsed(6) {
		return diag.On(diag.NotAvailable, s.e.Line, s.e.Name,
			"not yet supported: %s with terminal 6, the lower limit of the output of %s; connect "+
				"it to the common node", s.raw, s.name)
	}
	for _, name := range [...]string{"en", "in", "incm"} {
		if s.param(name, 0) != 0 {
			s.warn(s.e.Line, s.raw+": "+name+"= is ignored; an OTA makes no noise here")
		}
	}
	iout := math.Abs(s.param("iout", 10e-6))
	up := math.Abs(s.param("isource", s.param("isrc", iout)))
	down := math.Abs(s.param("isink", iout))
	n := formatNumber
	product := n(s.param("g", 1)) + "*(" + n(s.param("ref", 0)) + "-" + s.volts(1, 2) + ")"
	if s.isUsed(3) || s.isUsed(4) {
		product += "*" + s.volts(3, 4)
	}
	product = "(" + product + ")"
	// limited returns the product with the largest magnitude most [A].
	limited := func(most float64) string {
		if most == 0 {
			return "0"
		}
		return n(most) + "*tanh(" + product + "/" + n(most) + ")"
	}
	text := product
	switch {
	case s.param("powerup", 1) < 0.5:
		text = "0"
	case s.hasWord("linear"):
	case s.hasWord("asym"):
		text = "if(" + product + ">0," + limited(up) + "," + limited(down) + ")"
	default:
		text = limited((up+down)/2) + "+(" + n((up-down)/2) + ")"
	}
	limits, err := s.clamp(0, 2)
	if err != nil {
		return err
	}
	out, com := s.e.Nodes[6], s.e.Nodes[7]
	if !s.isUsed(7) {
		s.warn(s.e.Line, s.raw+": no output of "+s.name+" is connected")
		return nil
	}
	text += "+(" + n(s.param("ioffset", 0)) + ")" + limits
	if err := s.source(s.e.Name, 'i', text, com, out); err != nil {
		return err
	}
	if r := s.param("rout", 0); r > 0 {
		s.add('r', "rout", r, out, com).Params = []Param{{Name: "noisy", Line: s.e.Line}}
	}
	return s.capacitance(math.Inf(1), true, 7)
}

// varistor converts a resistance that conducts above the voltage |v(1,2)|.
func (s *special) varistor() error {
	if err := s.unknown(nil, "rclamp", "rout", "cout", "tau", "tripdt"); err != nil {
		return err
	}
	if err := s.inRange(1e-6, 1e12, "rclamp"); err != nil {
		return err
	}
	if !s.isUsed(7) {
		s.warn(s.e.Line, s.raw+": no output of "+s.name+" is connected")
		return nil
	}
	if _, given := s.e.Param("rclamp"); !given {
		s.warn(s.e.Line, s.raw+": rclamp= is not given; the varistor has 1 ohm above its voltage")
	}
	v, limit := s.volts(7, 8), "abs("+s.volts(1, 2)+")"
	text := "(max(" + v + "-" + limit + ",0)+min(" + v + "+" + limit + ",0))*" +
		formatNumber(1/s.param("rclamp", 1)) + "+" + v + "*1e-12"
	if err := s.source(s.e.Name, 'i', text, s.e.Nodes[6], s.e.Nodes[7]); err != nil {
		return err
	}
	return s.capacitance(math.Inf(1), false, 7)
}

// modulator converts a voltage-controlled oscillator. Terminal 1 sets the frequency: space at 0 V
// and mark at 1 V. Terminal 2 is the amplitude. Both are 1 V if they are unused. The outputs are
// the sine at terminal 7 and the cosine at terminal 6.
func (s *special) modulator() error {
	if err := s.unknown(nil, "mark", "space", "rout", "cout", "tau", "tripdt"); err != nil {
		return err
	}
	if err := s.inRange(-1e15, 1e15, "mark", "space"); err != nil {
		return err
	}
	if err := s.inRange(0, 1e12, "rout"); err != nil {
		return err
	}
	for _, name := range [...]string{"mark", "space"} {
		if _, given := s.e.Param(name); !given {
			return diag.On(diag.MissingValue, s.e.Line, s.e.Name, "%s needs mark= and space=, the "+
				"frequencies in hertz at 1 V and at 0 V", s.raw)
		}
	}
	mark, space := s.param("mark", 0), s.param("space", 0)
	frequency := formatNumber(mark)
	if s.isUsed(1) {
		frequency = formatNumber(space) + "+(" + formatNumber(mark-space) + ")*" + s.volts(1, 8)
	}
	amplitude := "1"
	if s.isUsed(2) {
		amplitude = s.volts(2, 8)
	}
	com := s.e.Nodes[7]
	for k, shape := range [...]string{"cos", "sin"} {
		t := 6 + k
		if !s.isUsed(t) {
			continue
		}
		text := amplitude + "*" + shape + "(" + formatNumber(2*math.Pi) + "*idt(" + frequency + "))"
		inner := s.e.Name + "#" + shape
		s.registerNode(inner, true)
		if err := s.source(inner, 'v', text, inner, com); err != nil {
			return err
		}
		r := s.add('r', "rout"+itoa(t), math.Max(s.param("rout", 1), 1e-6), inner, s.e.Nodes[t-1])
		r.Params = []Param{{Name: "noisy", Line: s.e.Line}}
	}
	return s.capacitance(1, false, 6, 7)
}
