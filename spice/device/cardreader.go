package device

import (
	"fmt"
	"slices"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// cardReader reads the values of an element and of its model. It records the first error and all
// warnings.
type cardReader struct {
	e        *netlist.Element
	tran     Times
	old      Device // device whose memory the new one may use, or nil
	err      error
	warnings []string
}

func (m *cardReader) fail(code diag.Code, format string, args ...any) {
	if m.err != nil {
		return
	}
	detail := fmt.Sprintf(format, args...)
	if code == diag.WrongModelType {
		detail += netlist.UnusedNote(m.e.Model.Unused)
	}
	m.err = diag.On(code, m.e.Line, m.e.Name, "%s", detail)
}

func (m *cardReader) warn(line int, format string, args ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

// value returns the principal value of the element: the first positional number, or the parameter
// called name. Error messages describe the value with the text in what.
func (m *cardReader) value(name, what string) float64 {
	if p, ok := m.e.Param(name); ok {
		if len(m.e.Args) > 0 {
			m.fail(diag.Syntax, "%s: unexpected %q beside %s=; allowed are pairs name=value",
				m.e.Name, m.e.Args[0].Text, name)
		}
		return p.Value
	}
	if len(m.e.Args) > 0 && m.e.Args[0].IsNumber {
		return m.e.Args[0].Value
	}
	if len(m.e.Args) > 0 {
		m.fail(diag.BadNumber, "%s needs %s, not %q", m.e.Name, what, m.e.Args[0].Text)
	} else {
		m.fail(diag.MissingValue, "%s needs %s", m.e.Name, what)
	}
	return 0
}

// rejectExtraArgs reports an error if there are more than n positional arguments. It warns about
// parameters that are not in known.
func (m *cardReader) rejectExtraArgs(n int, known ...string) {
	for _, a := range m.e.Args[min(n, len(m.e.Args)):] {
		m.fail(diag.Syntax, "%s: unexpected %q", m.e.Name, a.Text)
		return
	}
	for _, p := range m.e.Params {
		if !slices.Contains(known, p.Name) && !isTemperature(m.e.Kind, p.Name) {
			m.warn(p.Line, "%s: parameter %s is unknown and ignored", m.e.Name, p.Name)
		}
	}
}

// param returns an instance parameter, or def if it is not given. given reports whether the netlist
// line contains it.
func (m *cardReader) param(name string, def float64) (v float64, given bool) {
	if p, ok := m.e.Param(name); ok {
		return p.Value, true
	}
	return def, false
}

// parallel reads m=, the number of identical elements in parallel. The number may be fractional.
func (m *cardReader) parallel() float64 {
	v, _ := m.param("m", 1)
	if !(v > 0) || v > 1e9 {
		m.fail(diag.BadValue, "%s: m= must be above 0, not %g", m.e.Name, v)
		return 1
	}
	return v
}

// areaFactor reads the arguments that follow a model name: area factor, off, m= and ic=. It returns
// area times m. known lists other parameters that the device reads.
func (m *cardReader) areaFactor(known ...string) float64 {
	area, rest := 1.0, m.e.Args
	if len(rest) > 0 && rest[0].IsNumber {
		area, rest = rest[0].Value, rest[1:]
	}
	if v, ok := m.param("area", 1); ok {
		area = v
	}
	mult, _ := m.param("m", 1)
	area *= mult
	if !(area > 0) || area > 1e9 {
		m.fail(diag.BadValue, "%s: the area factor must be above 0, not %g", m.e.Name, area)
	}
	m.initialState(rest, append(known, "area", "m")...)
	return area
}

// initialState reads the arguments off and ic= of a semiconductor, which have no effect. It reports
// an error for other arguments and a warning for parameters that are not in known.
func (m *cardReader) initialState(args []netlist.Arg, known ...string) {
	for _, a := range args {
		if a.Text != "off" {
			m.fail(diag.Syntax, "%s: unexpected %q", m.e.Name, a.Text)
			return
		}
		m.warn(a.Line, "%s: off is ignored", m.e.Name)
	}
	if _, ok := m.e.Param("ic"); ok {
		m.warn(m.e.Line, "%s: ic= of a semiconductor is ignored; .ic sets node voltages", m.e.Name)
	}
	m.rejectExtraArgs(len(m.e.Args), append(known, "ic")...)
}

// modelParam describes one parameter of a .model card.
type modelParam struct {
	name  string
	value *float64
	def   float64
	min   float64 // smallest allowed value
	above bool    // the value must be above min, not equal to it
}

// model assigns the parameters of the .model card. A value below its minimum is an error; an
// unknown name causes a warning.
func (m *cardReader) model(params []modelParam) {
	for i := range params {
		*params[i].value = params[i].def
	}
	for i := range m.e.Model.Params {
		q := &m.e.Model.Params[i]
		found := false
		var first byte // compared first, because the list is long
		if q.Name != "" {
			first = q.Name[0]
		}
		for k := range params {
			p := &params[k]
			if p.name[0] != first || p.name != q.Name {
				continue
			}
			found = true
			*p.value = q.Value
			if q.Value < p.min || p.above && q.Value == p.min {
				word := "at least"
				if p.above {
					word = "above"
				}
				m.fail(diag.BadValue, "model %s (line %d): %s must be %s %g, not %g",
					m.e.Model.Name, q.Line, q.Name, word, p.min, q.Value)
			}
		}
		if !found && !isModelTemperature(q.Name) {
			m.warn(q.Line, "model %s: parameter %s is unknown and ignored", m.e.Model.Name, q.Name)
		}
	}
}

// given reports whether the .model card contains the parameter called name.
func (m *cardReader) given(name string) bool {
	for i := range m.e.Model.Params {
		if m.e.Model.Params[i].Name == name {
			return true
		}
	}
	return false
}

// level returns LEVEL of the .model card, or 1 by default. It does not read other parameters.
func (m *cardReader) level() float64 {
	level := 1.0
	for _, p := range m.e.Model.Params {
		if p.Name == "level" {
			level = p.Value
		}
	}
	return level
}

// limit reduces a model parameter to most if it exceeds most, and then adds a warning.
func (m *cardReader) limit(name string, value *float64, most float64) {
	if *value > most {
		m.warn(m.e.Model.Line, "model %s: %s = %g is limited to %g", m.e.Model.Name, name,
			*value, most)
		*value = most
	}
}
