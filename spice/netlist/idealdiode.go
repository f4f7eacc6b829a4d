package netlist

import (
	"math"

	"slipstick/spice/diag"
)

// isIdealDiode reports whether a model is the piecewise linear diode of LTspice, which has ron,
// roff, vfwd, vrev or rrev.
func isIdealDiode(m *Model) bool {
	if m.Type != "d" {
		return false
	}
	for _, q := range m.Params {
		switch q.Name {
		case "ron", "roff", "vfwd", "vrev", "rrev":
			return true
		}
	}
	return false
}

// idealDiodeForm returns "diode" if e is a piecewise linear diode and "" otherwise. toks are the
// tokens after the nodes.
func (p *parser) idealDiodeForm(e *Element, toks []token, in *instance) string {
	if e.Kind != 'd' || len(toks) == 0 || toks[0].kind != word {
		return ""
	}
	if m, err := p.model(toks[0].text, in.scope); err != nil || m == nil || !isIdealDiode(m) {
		return ""
	}
	return "diode"
}

// idealDiodeExpression returns the current [A] of LTspice's piecewise linear diode between two
// nodes as an expression. The conductance is 1/Roff, 1/Ron above Vfwd and 1/Rrev below -Vrev. The
// transitions are linear over the widths Epsilon and Revepsilon [V]. Ilimit and Revilimit [A] limit
// the current by a hyperbolic tangent (LTspice help, "D. Diode"). toks are the tokens after the
// nodes.
func (p *parser) idealDiodeExpression(e *Element, nodes, toks []token, in *instance,
	raw string) (string, error) {
	m, err := p.model(toks[0].text, in.scope)
	if err != nil {
		return "", err
	}
	v, err := p.idealDiodeModel(e, m, raw)
	if err != nil {
		return "", err
	}
	parallel, series, err := p.idealDiodeNumbers(e, toks[1:], in, raw)
	if err != nil {
		return "", err
	}
	n := formatNumber
	voltage := "v(" + nodes[0].text + "," + nodes[1].text + ")"
	if series != 1 {
		voltage = "(" + voltage + "/(" + n(series) + "))"
	}
	current := voltage + "/(" + n(v["roff"]) + ")+(" + n(1/v["ron"]-1/v["roff"]) + ")*" +
		softRamp("("+voltage+"-("+n(v["vfwd"])+"))", v["epsilon"])
	if !math.IsInf(v["vrev"], 1) {
		current += "-(" + n(1/v["rrev"]-1/v["roff"]) + ")*" +
			softRamp("(-"+voltage+"-("+n(v["vrev"])+"))", v["revepsilon"])
	}
	if !math.IsInf(v["ilimit"], 1) || !math.IsInf(v["revilimit"], 1) {
		current = "if(" + current + "<0," + softLimit(current, v["revilimit"]) + "," +
			softLimit(current, v["ilimit"]) + ")"
	}
	return "(" + n(parallel) + ")*(" + current + ")", nil
}

// softRamp returns an expression for max(u, 0) with a parabolic transition from 0 to width [V].
func softRamp(u string, width float64) string {
	if width == 0 {
		return "max(" + u + ",0)"
	}
	n := formatNumber
	return "(limit(" + u + ",0," + n(width) + ")**2/(" + n(2*width) + ")+max(" + u + "-(" +
		n(width) + "),0))"
}

// softLimit returns an expression that limits a current by a hyperbolic tangent [A]. The limit may
// be infinite.
func softLimit(current string, limit float64) string {
	if math.IsInf(limit, 1) {
		return current
	}
	n := formatNumber(limit)
	return "(" + n + ")*tanh((" + current + ")/(" + n + "))"
}

// idealDiodeModel returns the parameters of the model of a piecewise linear diode by name. Other
// parameters get a warning.
func (p *parser) idealDiodeModel(e *Element, m *Model, raw string) (map[string]float64, error) {
	v := map[string]float64{"ron": 1, "roff": 1e12, "vfwd": 0, "vrev": math.Inf(1),
		"rrev": math.NaN(), "epsilon": 0, "revepsilon": 0, "ilimit": math.Inf(1),
		"revilimit": math.Inf(1)}
	for _, q := range m.Params {
		if _, ok := v[q.Name]; !ok {
			p.warn(q.Line, "model "+m.Name+": parameter "+q.Name+
				" does not belong to a piecewise linear diode and is ignored")
			continue
		}
		v[q.Name] = q.Value
	}
	if math.IsNaN(v["rrev"]) {
		v["rrev"] = v["ron"]
	}
	for _, name := range [...]string{"ron", "roff", "rrev"} {
		if !(v[name] >= 1e-12 && v[name] <= 1e30) {
			return nil, diag.On(diag.BadValue, e.Line, e.Name,
				"%s: model %s needs %s from 1e-12 to 1e30 ohm, not %g", raw, m.Name, name, v[name])
		}
	}
	for _, name := range [...]string{"epsilon", "revepsilon"} {
		if !(v[name] >= 0 && v[name] <= 1e6) {
			return nil, diag.On(diag.BadValue, e.Line, e.Name,
				"%s: model %s needs %s from 0 to 1e6 V, not %g", raw, m.Name, name, v[name])
		}
	}
	for _, name := range [...]string{"ilimit", "revilimit"} {
		if !(v[name] > 0) {
			return nil, diag.On(diag.BadValue, e.Line, e.Name,
				"%s: model %s needs %s above 0 A, not %g", raw, m.Name, name, v[name])
		}
	}
	return v, nil
}

// idealDiodeNumbers returns the number of parallel diodes, which is the product of the area factor
// and m=, and the number n= of diodes in series. toks are the tokens after the model name.
func (p *parser) idealDiodeNumbers(e *Element, toks []token, in *instance, raw string) (parallel,
	series float64, err error) {
	parallel, series = 1, 1
	for k := 0; k < len(toks); k++ {
		t := toks[k]
		assigned := k+2 < len(toks) && toks[k+1].kind == equal
		if named := assigned && (t.text == "m" || t.text == "area" ||
			t.text == "n"); named || k == 0 && !assigned &&
			t.text != "off" {
			if named {
				k += 2
			}
			v, err := in.scope.number(toks[k], raw+": the number of diodes")
			if err != nil {
				return 0, 0, err
			}
			if t.text == "n" && named {
				series = v
			} else {
				parallel *= v
			}
			continue
		}
		if assigned {
			k += 2
		}
		p.warn(t.line, raw+": "+excerpt(t.raw)+" is ignored")
	}
	if !(series > 0 && series <= 1e6) {
		return 0, 0, diag.On(diag.BadValue, e.Line, e.Name,
			"%s: n=, the number of diodes in series, must be above 0 and at most 1e6, not %g", raw,
			series)
	}
	if !(parallel > 0 && parallel <= 1e9) {
		return 0, 0, diag.On(diag.BadValue, e.Line, e.Name,
			"%s: the area factor times m= must be above 0 and at most 1e9, not %g", raw, parallel)
	}
	return parallel, series, nil
}
