package netlist

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// applyPassiveModel applies the model of R, C or L to an element. The model supplies the value,
// from the geometry or as a default, and temperature coefficients. toks are the tokens after the
// nodes without the model name. applyPassiveModel returns toks without the geometry parameters l
// and w.
func (p *parser) applyPassiveModel(e *Element, m *Model, toks []token, s *scope,
	raw string) ([]token, error) {
	types := map[byte]string{'r': "r res", 'c': "c cap", 'l': "l ind"}[e.Kind]
	if m.Type == "" || !strings.Contains(" "+types+" ", " "+m.Type+" ") {
		return nil, diag.On(diag.WrongModelType, e.Line, e.Name,
			"%s needs a model of type %s, but %s is of type %s%s", raw, strings.Fields(types)[0],
			m.Name, m.Type, UnusedNote(m.Unused))
	}
	given := map[string]float64{}
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].kind == word && toks[i+1].kind == equal && (toks[i].text == "l" ||
			toks[i].text == "w") && e.Kind != 'l' {
			v, err := s.number(toks[i+2], raw+": "+toks[i].text)
			if err != nil {
				return nil, withElement(err, e.Name)
			}
			given[toks[i].text] = v
			toks = append(toks[:i:i], toks[i+3:]...)
			i--
		}
	}
	hasValue := len(toks) > 0 && (toks[0].kind == expr || toks[0].kind == word &&
		positionalCount(toks) > 0) ||
		len(toks) > 1 && toks[0].text == string(e.Kind) && toks[1].kind == equal
	if !hasValue {
		value, found := m.passiveValue(e.Kind, given)
		if !found {
			return nil, diag.On(diag.MissingValue, e.Line, e.Name,
				"%s has no value, and model %s gives none", raw, m.Name)
		}
		e.Args = append(e.Args, Arg{Text: formatNumber(value), Value: value, IsNumber: true,
			Line: e.Line})
	}
	p.passiveParams(e, m, hasValue, raw)
	return toks, nil
}

// passiveValue returns the value that the model of R, C or L gives to an element. It follows from
// the geometry of the element, or is the default of the model. given holds l and w [m] of the
// element.
func (m *Model) passiveValue(kind byte, given map[string]float64) (value float64, found bool) {
	or := func(v float64, names ...string) float64 {
		for _, n := range names {
			if x, ok := m.param(n); ok {
				return x
			}
		}
		return v
	}
	length, hasL := given["l"]
	width, hasW := given["w"]
	if !hasW {
		width = or(1e-5, "defw", "w")
	}
	// R = RSH (L-SHORT)/(W-NARROW) (ngspice user's manual, 3.3.2). SPICE3 subtracts NARROW from
	// both.
	length -= or(0, "short", "dlr")
	width -= or(0, "narrow", "dw")
	sheet, hasSheet := m.param("rsh")
	cj, hasCJ := m.param("cj")
	switch {
	case kind == 'r' && hasSheet && hasL && length > 0 && width > 0:
		return sheet * length / width, true
	case kind == 'c' && hasCJ && (hasL || hasW) && length > 0 && width > 0:
		return cj*length*width + 2*or(0, "cjsw")*(length+width), true
	}
	if value, found = m.param(string(kind)); found {
		return value, true
	}
	return m.param(map[byte]string{'r': "resistance", 'c': "capacitance", 'l': "inductance"}[kind])
}

// param returns the last value of a parameter of the model. found is false without the parameter.
func (m *Model) param(name string) (value float64, found bool) {
	for _, q := range slices.Backward(m.Params) {
		if q.Name == name {
			return q.Value, true
		}
	}
	return 0, false
}

// passiveParams copies the parameters of the model of R, C or L that apply to an element. hasValue
// is true if the element has a value of its own.
func (p *parser) passiveParams(e *Element, m *Model, hasValue bool, raw string) {
	for _, q := range m.Params {
		switch q.Name {
		case "tce":
			if e.Kind != 'r' {
				p.warn(e.Line, "model "+m.Name+": parameter "+q.Name+" is unknown and ignored")
				continue
			}
			fallthrough
		case "tc1", "tc2", "tnom", "t_measured":
			if q.Name == "t_measured" {
				q.Name = "tnom"
			}
			e.Params = append(e.Params, Param{Name: q.Name, Value: q.Value, Line: e.Line})
		case "t_abs":
			// At absolute zero a resistor makes no noise. Macromodels use it for this.
			q.Name = "temp"
			if q.Value <= -270 {
				q.Name, q.Value = "noisy", 0
			}
			if q.Name == "temp" || e.Kind == 'r' {
				e.Params = append(e.Params, Param{Name: q.Name, Value: q.Value, Line: e.Line})
			}
		case "t_rel_global":
			e.Params = append(e.Params, Param{Name: "dtemp", Value: q.Value, Line: e.Line})
		case "r", "c", "l", "resistance", "capacitance", "inductance":
			if hasValue && q.Value != 1 {
				p.warn(e.Line,
					raw+": its own value counts, and "+q.Name+"="+formatNumber(
						q.Value)+" of model "+m.Name+" does not; in PSpice the two are multiplied")
			}
		case "rsh", "cj", "cjsw", "narrow", "short", "defw", "w", "dw", "dlr", "kf", "af":
		default:
			p.warn(e.Line, "model "+m.Name+": parameter "+q.Name+" is unknown and ignored")
		}
	}
}

// isCircuitExpression reports whether the value of a resistor, capacitor or inductor is an
// expression of circuit quantities. toks are the tokens after the nodes. The value may have the
// prefix name=.
func isCircuitExpression(toks []token, name string) bool {
	t := token{}
	switch {
	case len(toks) > 2 && toks[0].text == name && toks[1].kind == equal:
		t = toks[2]
	case len(toks) > 0:
		t = toks[0]
	}
	if t.kind != expr {
		return false
	}
	text := strings.ToLower(strings.ReplaceAll(t.text, " ", ""))
	for _, head := range [...]string{"v(", "i("} {
		for at := 0; ; {
			k := strings.Index(text[at:], head)
			if k < 0 {
				break
			}
			if at += k; at == 0 || !isNameByte(text[at-1]) {
				return true
			}
			at++
		}
	}
	for _, name := range namesIn(text) {
		if name == "time" || name == "temper" {
			return true
		}
	}
	return false
}

// switchForm returns "switch" if e is a smooth switch of PSpice, which is S with a VSWITCH model or
// W with an ISWITCH model. It returns "" for all other elements. With VT and VH instead of VON and
// VOFF the model follows SPICE3. toks are the tokens after the nodes.
func (p *parser) switchForm(e *Element, toks []token, in *instance) string {
	at := map[byte]int{'s': 0, 'w': 1}
	i, ok := at[e.Kind]
	if !ok || len(toks) <= i || toks[i].kind != word {
		return ""
	}
	m, err := p.model(toks[i].text, in.scope)
	if err != nil || m == nil {
		return ""
	}
	p.smoothHysteresis(m)
	if m.Type != "vswitch" && m.Type != "iswitch" {
		return ""
	}
	for _, q := range m.Params {
		if q.Name == "vt" || q.Name == "vh" || q.Name == "it" || q.Name == "ih" {
			m.Type = map[byte]string{'s': "sw", 'w': "csw"}[e.Kind]
			p.warn(m.Line, "model "+m.Name+" has "+q.Name+" and is read as "+m.Type)
			return ""
		}
	}
	return "switch"
}

// smoothHysteresis converts an SW or CSW model with negative VH or IH to a smooth switch, as
// LTspice does. Between VT+VH and VT-VH LTspice interpolates the logarithm of the conductance by a
// low-order polynomial. smoothHysteresis uses the polynomial of VSWITCH instead.
func (p *parser) smoothHysteresis(m *Model) {
	letter := map[string]string{"sw": "v", "csw": "i"}[m.Type]
	if letter == "" {
		return
	}
	v := map[string]float64{"ron": 1, "roff": 1e12}
	var others []Param
	for _, q := range m.Params {
		switch q.Name {
		case letter + "t", letter + "h", "ron", "roff":
			v[q.Name] = q.Value
		default:
			others = append(others, q)
		}
	}
	middle, half := v[letter+"t"], -v[letter+"h"]
	if !(half > 0) {
		return
	}
	p.warn(m.Line, fmt.Sprintf("model %s: %sh = %g is below 0: the switch is read as in LTspice, "+
		"with a smooth transition from %g to %g", m.Name, letter, -half, middle-half, middle+half))
	m.Type, m.Params = letter+"switch", append(others,
		Param{Name: "ron", Value: v["ron"]}, Param{Name: "roff", Value: v["roff"]},
		Param{Name: letter + "on", Value: middle + half},
		Param{Name: letter + "off", Value: middle - half})
}

// rejectParams returns an error if the model of e gives one of the parameters names of LTspice's
// switch a value other than 0.
func (m *Model) rejectParams(e *Element, names ...string) error {
	for _, q := range m.Params {
		if q.Value != 0 && slices.Contains(names, q.Name) {
			return diag.On(diag.NotAvailable, e.Line, e.Name, "not yet supported: %s of model %s; "+
				"write an element of its own, or a source B with limit()", q.Name, m.Name)
		}
	}
	return nil
}

// smoothSwitchExpression returns the current [A] of a VSWITCH or ISWITCH as an expression. The
// logarithm of the resistance is the cubic of PSpice from ROFF at VOFF to RON at VON (PSpice
// reference guide, "Voltage-controlled switch"). nodes are all nodes of the element, and toks are
// the tokens after them.
func (p *parser) smoothSwitchExpression(e *Element, nodes, toks []token, in *instance,
	raw string) (string, error) {
	control, on, off := "", "von", "voff"
	if e.Kind == 's' {
		control = "v(" + nodes[2].text + "," + nodes[3].text + ")"
	}
	if e.Kind == 'w' {
		control, on, off = "i("+toks[0].text+")", "ion", "ioff"
		toks = toks[1:]
	}
	m, err := p.model(toks[0].text, in.scope)
	if err != nil {
		return "", err
	}
	if err := m.rejectParams(e, "ilimit", "vser", "lser"); err != nil {
		return "", err
	}
	v := map[string]float64{"ron": 1, "roff": 1e6, "von": 1, "voff": 0, "ion": 1e-3, "ioff": 0}
	for _, q := range m.Params {
		if _, ok := v[q.Name]; !ok && q.Name != "vser" && q.Name != "lser" && q.Name != "noisy" {
			p.warn(q.Line, "model "+m.Name+": parameter "+q.Name+" is unknown and ignored")
		}
		v[q.Name] = q.Value
	}
	if !(v["ron"] >= 1e-12) || !(v["roff"] >= 1e-12) || v["ron"] > 1e30 || v["roff"] > 1e30 ||
		v[on] == v[off] {
		return "", diag.On(diag.BadValue, e.Line, e.Name,
			"%s: model %s needs ron and roff from 1e-12 to 1e30 ohm and %s other than %s", raw,
			m.Name, on, off)
	}
	n := formatNumber
	// x is -1 at VOFF and 1 at VON.
	x := "limit((2*(" + control + ")-(" + n(v[on]+v[off]) + "))/(" + n(v[on]-v[off]) + "),-1,1)"
	middle, half := math.Log(v["ron"]*v["roff"])/2, math.Log(v["ron"]/v["roff"])/4
	return "v(" + nodes[0].text + "," + nodes[1].text + ")*exp(-(" + n(middle) + ")-(" + n(half) +
		")*(3*" + x + "-" + x + "**3))", nil
}
