package netlist

import (
	"strings"

	"slipstick/spice/diag"
)

// userFunction is a .func definition, which consists of a body and named arguments.
type userFunction struct {
	args []string
	body string
	line int
}

// maxExpanded is the largest total length in bytes of the .func bodies expanded in one expression.
const maxExpanded = 1 << 16

// readFunction parses ".func f(x, y) {body}" and adds the function to a block.
func (p *parser) readFunction(st *statement, into *block) error {
	s := strings.TrimSpace(st.text())[len(st.toks[0].text):]
	name, after, opened := strings.Cut(s, "(")
	args, body, closed := strings.Cut(after, ")")
	name = strings.ToLower(strings.TrimSpace(name))
	f := &userFunction{line: st.line,
		body: strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(body), "="))}
	f.body = unwrap(f.body)
	valid := opened && closed && isName(name) && strings.TrimSpace(f.body) != ""
	for _, a := range strings.FieldsFunc(strings.ToLower(args), func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t'
	}) {
		valid = valid && isName(a) && len(f.args) < 32
		f.args = append(f.args, a)
	}
	if !valid {
		return diag.At(diag.Syntax, st.line,
			".func needs a name, arguments and an expression: .func f(x,y) {x*y}")
	}
	switch {
	case name == "if" || name == "ternary_fcn" || name == "v":
		p.warn(st.line, "the function "+name+" of .func is not used, because it is built in")
	case isBuiltIn(name), isCurrent(name):
		p.warn(st.line, "the function "+name+" of .func replaces the built-in one")
	}
	if old := into.funcs[name]; old != nil {
		p.warn(st.line, "function "+name+" replaces that of line "+itoa(old.line))
	}
	into.funcs[name] = f
	return nil
}

// callsItself reports whether the body of a function with this name calls the function.
func (f *userFunction) callsItself(name string) bool {
	body := strings.ToLower(f.body)
	for i := 0; i < len(body); i++ {
		if !isNameByte(body[i]) {
			continue
		}
		start := i
		for i < len(body) && isNameByte(body[i]) {
			i++
		}
		if body[start:i] == name && strings.HasPrefix(strings.TrimSpace(body[i:]), "(") {
			return true
		}
	}
	return false
}

func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}

// userFunction returns the .func with this name from this scope or an outer scope, or nil if there
// is none.
func (s *scope) userFunction(name string) *userFunction {
	for ; s != nil; s = s.parent {
		if f := s.block.funcs[name]; f != nil {
			return f
		}
	}
	return nil
}

// substitute returns the body with each argument replaced by its value in parentheses. values has
// one entry per argument.
func (f *userFunction) substitute(values []string) string {
	var out strings.Builder
	for i := 0; i < len(f.body); {
		c := f.body[i]
		if isDigit(c) || c == '.' {
			if _, n := scanNumber(f.body[i:]); n > 0 {
				out.WriteString(f.body[i : i+n])
				i += n
				continue
			}
		}
		if !isNameByte(c) {
			out.WriteByte(c)
			i++
			continue
		}
		start := i
		for i < len(f.body) && isNameByte(f.body[i]) {
			i++
		}
		name := f.body[start:i]
		for k, a := range f.args {
			if strings.EqualFold(a, name) {
				name = "(" + values[k] + ")"
				break
			}
		}
		out.WriteString(name)
		if out.Len() > maxExpanded {
			break
		}
	}
	return out.String()
}
