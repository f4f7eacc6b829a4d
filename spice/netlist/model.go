package netlist

import (
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// model looks up a model from the inner to the outer scopes and then in the library. It evaluates
// the model once per scope. It returns nil without an error if the model does not exist.
func (p *parser) model(name string, s *scope) (*Model, error) {
	top := s
	for q := s; q != nil; q = q.parent {
		if m := q.models[name]; m != nil {
			return m, nil
		}
		if st := q.block.models[name]; st != nil {
			return p.readModel(st, name, q)
		}
		top = q
	}
	if p.addLibraryPart(name) {
		if st := p.top.models[name]; st != nil {
			return p.readModel(st, name, top)
		}
	}
	return nil, nil
}

// baseModel reads "ako: base" (a kind of) in a .model card, a form of PSpice and LTspice. The
// parameters of the card override those of the base model. baseModel returns the base model and
// toks, in which the type of the base replaces "ako: base" and a type after it.
func (p *parser) baseModel(st *statement, name string, toks []token, s *scope) (*Model, []token,
	error) {
	rest := toks[2:]
	head := token{kind: word, text: strings.TrimPrefix(toks[1].text, "ako:"), line: toks[1].line}
	if head.text == "" && len(rest) > 0 {
		head, rest = rest[0], rest[1:]
	}
	if p.akoDepth++; p.akoDepth > 20 {
		return nil, nil, diag.At(diag.UnknownModel, st.line,
			".model %s: more than 20 models refer to each other by ako", name)
	}
	base, err := p.model(head.text, s)
	p.akoDepth--
	if err == nil && base == nil {
		err = missing(diag.At(diag.UnknownModel, st.line, ".model %s: ako names model %s, which "+
			"no .model card defines", name, excerpt(head.text)), head.text)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(rest) > 0 && (len(rest) == 1 || rest[1].kind != equal) && rest[0].text == base.Type {
		rest = rest[1:]
	}
	head.text, head.raw = base.Type, base.Type
	return base, append([]token{toks[0], head}, rest...), nil
}

// toleranceLength returns the number of tokens of a tolerance of PSpice at the start of toks.
// Examples are DEV=5%, LOT 5 % and DEV/GAUSS/1=0.1. The result is 0 without a tolerance.
func toleranceLength(toks []token) int {
	kind, _, _ := strings.Cut(toks[0].text, "/")
	if toks[0].kind != word || kind != "dev" && kind != "lot" {
		return 0
	}
	n := 1
	if n < len(toks) && toks[n].kind == equal {
		n++
	}
	if n < len(toks) && (toks[n].kind == expr || scanMantissa(toks[n].text) > 0) {
		n++
	}
	if n < len(toks) && toks[n].text == "%" {
		n++
	}
	return n
}

// isModelFlag reports whether a parameter of a model may have no value. These are the channel of a
// VDMOS and the words of LTRA that select the integration in ngspice.
func isModelFlag(kind, name string) bool {
	switch name {
	case "nchan", "pchan":
		return kind == "vdmos"
	case "nocontrol", "steplimit", "nosteplimit", "lininterp", "quadinterp", "mixedinterp",
		"truncnr", "truncdontcut":
		return kind == "ltra"
	}
	return false
}

// readModel reads a .model card into the scope s.
func (p *parser) readModel(st *statement, name string, s *scope) (*Model, error) {
	toks := st.withoutParens()
	var base *Model
	if len(toks) > 1 && strings.HasPrefix(toks[1].text, "ako:") {
		var err error
		if base, toks, err = p.baseModel(st, name, toks, s); err != nil {
			return nil, err
		}
	}
	if len(toks) < 2 || toks[1].kind != word || len(toks) > 2 && toks[2].kind == equal {
		return nil, diag.At(diag.Syntax, st.line,
			".model %s needs a type, such as .model %s d(is=1e-14)", name, name)
	}
	m := &Model{Name: name, Type: toks[1].text, Line: st.line, Unused: st.unused}
	if m.Type == "vdmosn" || m.Type == "vdmosp" {
		m.Params = append(m.Params, Param{Name: m.Type[5:] + "chan", Value: 1, Line: st.line})
		m.Type = "vdmos"
	}
	tolerances := false
	for i := 2; i < len(toks); {
		if n := toleranceLength(toks[i:]); n > 0 {
			tolerances = true
			i += n
			continue
		}
		n, err := p.modelParam(m, toks[i:], s)
		if err != nil {
			return nil, err
		}
		i += n
	}
	if tolerances {
		p.warn(st.line, "model "+name+": the tolerances DEV and LOT of PSpice are not used; "+
			"mc(x,tol) or gauss(x,tol,n) as the value draws a number in each run of .step")
	}
	if base != nil {
		inherited := slices.DeleteFunc(slices.Clone(base.Params), func(old Param) bool {
			return slices.ContainsFunc(m.Params, func(q Param) bool { return q.Name == old.Name })
		})
		m.Params = append(inherited, m.Params...)
	}
	for _, q := range p.modelSteps[name] {
		m.Params = slices.DeleteFunc(m.Params, func(old Param) bool { return old.Name == q.Name })
		m.Params = append(m.Params, q)
		p.modelStepUsed[name] = true
	}
	if s.line > 0 {
		m.Line = s.line
		for i := range m.Params {
			m.Params[i].Line = s.line
		}
	}
	s.models[name] = m
	return m, nil
}

// modelParam parses the parameter at the start of toks into m.Params. It returns the number of
// tokens of the parameter.
func (p *parser) modelParam(m *Model, toks []token, s *scope) (int, error) {
	t := toks[0]
	assigned := len(toks) > 1 && toks[1].kind == equal
	at := 2 // index of the value
	switch {
	case isModelFlag(m.Type, t.text) && !assigned:
		m.Params = append(m.Params, Param{Name: t.text, Value: 1, Line: t.line})
		return 1, nil
	case t.text == "noiseless" && !assigned:
		switch m.Type {
		case "sw", "csw", "vswitch", "iswitch":
			m.Params = append(m.Params, Param{Name: "noisy", Line: t.line})
		default:
			p.warn(t.line, "model "+m.Name+": noiseless is ignored")
		}
		return 1, nil
	case t.kind == word && isLetter(rune(t.text[0])) && len(toks) > 1 && isValue(toks[1]):
		at = 1
		p.warn(t.line, "model "+m.Name+": "+t.raw+" "+excerpt(toks[at].raw)+" is read as "+t.raw+
			"="+excerpt(toks[at].raw))
	case t.kind != word || len(toks) < 3 || !assigned:
		return 0, diag.At(diag.Syntax, t.line, ".model %s: expected name=value, found %q",
			m.Name, excerpt(t.raw))
	}
	if t.text == "file" {
		return 0, diag.At(diag.ForbiddenCard, t.line,
			".model %s: file= is not allowed; netlists never read files", m.Name)
	}
	v, err := s.number(toks[at], ".model "+m.Name+": "+t.text)
	if err != nil && isPartText(t.text, toks[at]) {
		p.warn(t.line, "model "+m.Name+": "+t.text+"="+excerpt(toks[at].raw)+
			" is no number and is ignored")
		return at + 1, nil
	}
	if err != nil {
		return 0, err
	}
	switch t.text {
	case "is", "isr", "ikf", "ikr", "ik", "ise", "isc", "irb", "itf", "ibv", "it", "ih":
		v = p.readCurrent(toks[at], v)
	}
	m.Params = append(m.Params, Param{Name: t.text, Value: v, Line: t.line})
	return at + 1, nil
}
