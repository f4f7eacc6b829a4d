package tools

import (
	"fmt"
	"maps"
	"slices"

	"slipstick/tools/schema"
)

// ChainLink links a tool to another tool that accepts its values as inputs.
type ChainLink struct {
	From   string      `json:"from"`
	To     string      `json:"to"`
	Fields []FieldLink `json:"fields"`
}

// FieldLink links a field of From to an input field of To. The field belongs to the result of From,
// or to its input if both tools use the same quantity (such as a frequency).
type FieldLink struct {
	Out string `json:"from"`
	In  string `json:"to"`
}

// SameName returns the FieldLink between fields of the same name.
func SameName(name string) FieldLink { return FieldLink{name, name} }

// Chain contains the names of the tools to which a tool is linked (Feeds) and of the tools that are
// linked to it (AcceptsFrom).
type Chain struct {
	Feeds       []string `json:"feeds"`
	AcceptsFrom []string `json:"accepts_from"`
}

// check verifies that the linked fields exist and have the same kind and unit.
func (e ChainLink) check(from, to *Tool) error {
	if len(e.Fields) == 0 {
		return fmt.Errorf("chain %s to %s passes no field", e.From, e.To)
	}
	for _, p := range e.Fields {
		out := from.Output.Field(p.Out)
		if out == nil {
			out = from.Input.Field(p.Out)
		}
		in := to.Input.Field(p.In)
		switch {
		case out == nil:
			return fmt.Errorf("chain %s to %s: %s has no field %s", e.From, e.To, e.From, p.Out)
		case in == nil:
			return fmt.Errorf("chain %s to %s: %s has no input %s", e.From, e.To, e.To, p.In)
		case !fits(out.Kind, in.Kind):
			return fmt.Errorf("chain %s.%s to %s.%s: a %s does not fit a %s", e.From,
				p.Out, e.To, p.In,
				out.Kind, in.Kind)
		case out.Unit != in.Unit:
			return fmt.Errorf("chain %s.%s to %s.%s: unit %q does not fit %q", e.From,
				p.Out, e.To, p.In,
				out.Unit, in.Unit)
		}
	}
	return nil
}

func fits(out, in schema.Kind) bool {
	return out == in || in == schema.CustomT || out == schema.Integer && in == schema.Number
}

// chains returns the chain of each linked tool by its name.
func chains(edges []ChainLink) map[string]Chain {
	m := map[string]Chain{}
	add := func(list []string, name string) []string {
		if slices.Contains(list, name) {
			return list
		}
		return append(list, name)
	}
	for _, e := range edges {
		from := m[e.From]
		from.Feeds = add(from.Feeds, e.To)
		m[e.From] = from
		to := m[e.To]
		to.AcceptsFrom = add(to.AcceptsFrom, e.From)
		m[e.To] = to
	}
	return m
}

// source is a tool whose results an input may contain, and the links of their fields.
type source struct {
	tool  *Tool
	links []FieldLink
}

// passedOn reads the fields of a passed-on result. It moves values to the inputs that the chain
// graph links to them. If the input contains the warnings of the result, every link is certain. A
// linked value then replaces the result's own field of the input's name. passedOn leaves out
// the other fields of the result.
func (r *reader) passedOn(n *schema.Node, m map[string]any) {
	_, isResult := m["warnings"].([]any)
	isResult = isResult && n.Field("warnings") == nil
	moved := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		f, l := r.linked(n, name)
		if f == nil || m[name] == nil || moved[f.Name] || !isResult && !l.certain {
			continue
		}
		switch {
		case isFree(m, f):
			r.note(name, "read as %s, which it feeds", f.Name)
		case isResult && l.replaces:
			r.note(name, "read as %s, which it feeds, in place of the %s of the result", f.Name,
				f.Name)
		default:
			continue
		}
		m[f.Name], moved[f.Name] = m[name], true
		delete(m, name)
	}
	if !isResult {
		return
	}
	delete(m, "warnings")
	others := 1
	for name, v := range m {
		if f, _ := r.linked(n, name); f != nil && v != nil || n.Field(name) != nil {
			continue
		}
		if slices.ContainsFunc(r.sources, func(s source) bool {
			return s.tool.Output.Field(name) != nil || s.tool.Input.Field(name) != nil
		}) {
			delete(m, name)
			others++
		}
	}
	if others == 1 {
		r.note("warnings", "left out, as the warnings of a passed-on result")
		return
	}
	r.note("", "%d other fields of a passed-on result are left out", others)
}

// link describes the links of an unknown field to an input.
type link struct {
	certain  bool // a name or label has a common word besides unit and quantity
	replaces bool // a result with the field has a field of the input's name too
}

// linked returns the input that the chain graph links to an unknown field. It returns nil if there
// is none, or if there are several.
func (r *reader) linked(n *schema.Node, name string) (f *schema.Field, l link) {
	if n.Field(name) != nil {
		return nil, l
	}
	for _, s := range r.sources {
		for _, p := range s.links {
			switch {
			case p.Out != name:
			case f != nil && f.Name != p.In:
				return nil, link{}
			default:
				f = n.Field(p.In)
				l.replaces = l.replaces || s.tool.Output.Field(p.In) != nil
				l.certain = l.certain || shareWord(s.field(p.Out), f)
			}
		}
	}
	return f, l
}

// field returns the field of a source's result, or else of its input.
func (s source) field(name string) *schema.Field {
	if f := s.tool.Output.Field(name); f != nil {
		return f
	}
	return s.tool.Input.Field(name)
}

// shareWord reports whether names or labels of two fields have a common word that is no quantity.
func shareWord(a, b *schema.Field) bool {
	words := slices.Concat(ownWords(b), wordsOf(b.Label))
	return slices.ContainsFunc(slices.Concat(ownWords(a), wordsOf(a.Label)), func(w string) bool {
		return slices.Contains(words, w) && quantityUnits[w] == "" && w != "temperature"
	})
}
