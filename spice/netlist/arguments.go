package netlist

import (
	"errors"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// readArguments parses the tokens after the nodes and the model into e.Args and e.Params. The
// tokens are values, keywords and name=value pairs.
func (p *parser) readArguments(e *Element, toks []token, s *scope, raw string) error {
	source := e.Kind == 'v' || e.Kind == 'i'
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case source && isParasitic(e.Kind, t.text) && i+2 < len(toks) && toks[i+1].kind == equal:
			v, err := s.number(toks[i+2], raw+": "+t.text)
			if err != nil {
				return withElement(err, e.Name)
			}
			e.Params = append(e.Params, Param{Name: t.text, Value: v, Line: t.line})
			i += 2
		case t.kind == equal && source:
			continue // "dc=5" is "dc 5"
		case t.kind == equal:
			return diag.On(diag.Syntax, t.line, e.Name, "%s: = without a name before it", raw)
		case isCoefficient(e, t) && i > 0 && i+1 < len(toks) && isValue(toks[i+1]):
			// "1k TC 2m" is "1k TC=2m".
			pair := append([]token{t, {kind: equal, text: "=", raw: "=", line: t.line}},
				toks[i+1:]...)
			n, err := p.readParam(e, pair, s, raw)
			if err != nil {
				return err
			}
			i += n - 2
		case !source && t.kind == word && i+1 < len(toks) && toks[i+1].kind == equal:
			n, err := p.readParam(e, toks[i:], s, raw)
			if err != nil {
				return err
			}
			i += n - 1
		default:
			a, err := p.readArgument(e, t, s, raw)
			if err != nil {
				return err
			}
			e.Args = append(e.Args, a)
		}
	}
	return nil
}

// readParam parses the name=value pair at the start of toks into e.Params. It returns the number
// of tokens of the pair.
func (p *parser) readParam(e *Element, toks []token, s *scope, raw string) (int, error) {
	t := toks[0]
	if t.text == "file" {
		return 0, diag.On(diag.ForbiddenCard, t.line, e.Name,
			"%s: file= is not allowed; netlists never read files", raw)
	}
	if len(toks) < 3 || toks[2].kind == equal {
		return 0, diag.On(diag.MissingValue, t.line, e.Name, "%s: %s= has no value", raw, t.text)
	}
	v, err := s.number(toks[2], raw+": "+t.text)
	if err != nil && isPartText(t.text, toks[2]) {
		if t.text == "tol" {
			p.warn(t.line, raw+": "+ratingWarning(t.text, toks[2].raw))
		} else {
			p.warn(t.line, raw+": "+t.text+"="+excerpt(toks[2].raw)+" is no number and is ignored")
		}
		return 3, nil
	}
	if err != nil {
		return 0, withElement(err, e.Name)
	}
	if isRating(e.Kind, t.text) {
		p.warn(t.line, raw+": "+ratingWarning(t.text, toks[2].raw))
		return 3, nil
	}
	if e.Kind == 'l' && t.text == "ic" {
		v = p.readCurrent(toks[2], v)
	} else if t.text == string(e.Kind) {
		p.suffixWarning(e.Kind, toks[2])
	} else if e.Kind == 't' && t.text == "f" {
		p.frequencyWarning(toks[2], s)
	}
	e.Params = append(e.Params, Param{Name: t.text, Value: v, Line: t.line})
	n := 3
	// "tc=1m,1u" of PSpice gives both coefficients. Without a comma they follow the value.
	if t.text == "tc" && n < len(toks) && isValue(toks[n]) && (toks[n].comma || e.hasValue()) {
		if v, err = s.number(toks[n], raw+": tc2"); err != nil {
			return 0, withElement(err, e.Name)
		}
		e.Params = append(e.Params, Param{Name: "tc2", Value: v, Line: t.line})
		n++
	}
	// "ic=0.6,5" of a transistor is a list of values.
	for t.text == "ic" && strings.IndexByte("qjzm", e.Kind) >= 0 && n < len(toks) &&
		(toks[n].comma || isValue(toks[n])) && (n+1 == len(toks) || toks[n+1].kind != equal) {
		n++
	}
	return n, nil
}

// isCoefficient reports whether t is TC of R, C or L, whose coefficients may follow without =.
func isCoefficient(e *Element, t token) bool {
	return t.text == "tc" && (e.Kind == 'r' || e.Kind == 'c' || e.Kind == 'l')
}

// hasValue reports whether the value of R, C or L is read already.
func (e *Element) hasValue() bool {
	return len(e.Args) > 0 || slices.ContainsFunc(e.Params, func(q Param) bool {
		return q.Name == string(e.Kind)
	})
}

// readArgument parses a value or a keyword of an element.
func (p *parser) readArgument(e *Element, t token, s *scope, raw string) (Arg, error) {
	source := e.Kind == 'v' || e.Kind == 'i'
	if source && (t.text == "file" || t.text == "wavefile") {
		return Arg{}, diag.On(diag.ForbiddenCard, t.line, e.Name,
			"%s: %s= is not allowed; netlists never read files", raw, t.text)
	}
	if source && t.text == "sine" {
		t.text = "sin"
		p.warn(t.line, raw+": SINE is read as SIN")
	}
	a := Arg{Text: t.text, Line: t.line}
	if t.kind != expr && isSourceWord(t.text) {
		return a, nil
	}
	v, err := s.number(t, raw)
	switch {
	case err == nil:
		a.Value, a.IsNumber = v, true
		if e.Kind == 'i' {
			a.Value = p.readCurrent(t, v)
		}
		p.suffixWarning(e.Kind, t)
	case t.kind == expr || s.find(t.text) != nil:
		return Arg{}, withElement(err, e.Name)
	}
	return a, nil
}

// isPartText reports whether name=value describes a part by a text, such as mfg="TDK", and is no
// quantity.
func isPartText(name string, value token) bool {
	switch name {
	case "mfg", "mfr", "vendor", "pn", "type":
		return value.kind == word
	case "tol": // LTspice: tol=5%
		return value.kind == word && strings.HasSuffix(value.text, "%")
	}
	return value.kind == word && value.text[0] == '"'
}

// readNoiseless replaces the word noiseless, which LTspice writes behind R, C and L, by noisy=0. It
// applies to the resistances of the parasitics of C and L.
func (e *Element) readNoiseless() {
	n := len(e.Args)
	e.Args = slices.DeleteFunc(e.Args, func(a Arg) bool { return a.Text == "noiseless" })
	if len(e.Args) < n {
		e.Params = append(e.Params, Param{Name: "noisy", Line: e.Line})
	}
}

// isRating reports whether a parameter of an element kind is a tolerance or rating. LTspice
// describes parts with them; they have no influence on the circuit.
func isRating(kind byte, name string) bool {
	switch name {
	case "tol":
		return kind == 'r' || kind == 'c' || kind == 'l'
	case "pwr":
		return kind == 'r'
	case "v":
		return kind == 'c'
	case "irms":
		return kind == 'c' || kind == 'l'
	case "ipk":
		return kind == 'l'
	}
	return false
}

// ratingWarning returns the text of the warning that a rating of an element is ignored.
func ratingWarning(name, value string) string {
	if name == "tol" {
		return "tol=" + excerpt(value) + " is not used; a value such as {mc(1k,0.05)} has a tolerance"
	}
	return name + "= of LTspice describes the part and is ignored"
}

func withElement(err error, name string) error {
	if d, ok := errors.AsType[*diag.Error](err); ok && d.Element == "" {
		d.Element = name
	}
	return err
}

func isSourceWord(s string) bool {
	switch s {
	case "dc", "ac", "sin", "pulse", "pwl", "exp", "sffm", "am", "trrandom":
		return true
	}
	return false
}
