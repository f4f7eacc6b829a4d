package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"slipstick/tools/schema"
)

// Bounds of the warnings on unknown fields, whose names the sender chooses.
const (
	maxUnknownNamed = 20  // fields that are named in warnings
	maxUnknownName  = 100 // characters of a name
)

// unknownField is the beginning of the warning on an unknown field.
const unknownField = "unknown field "

// Unknown returns the warnings of Run on the unknown fields of a body: one sentence per field, with
// a similar known field. It serves callers of Canonical, which drops these fields. It is empty for
// an invalid body.
func (t *Tool) Unknown(body []byte) []string { return t.unknown(body) }

// unknownFields returns the warnings on unknown fields, given by their paths.
func unknownFields(paths []string, n *schema.Node) []string {
	named := paths[:min(len(paths), maxUnknownNamed)]
	warnings := make([]string, 0, len(named)+1)
	for _, p := range named {
		warnings = append(warnings,
			fmt.Sprintf(unknownField+"%q was ignored%s", shorten(p, maxUnknownName),
				didYouMean(p, n)))
	}
	if more := len(paths) - len(named); more > 0 {
		warnings = append(warnings, fmt.Sprintf("%d more unknown fields were ignored", more))
	}
	return warnings
}

// withUnknown adds the warnings on unknown fields to an error of the tool's own rules: one of these
// fields may be meant for the one that the rule misses.
func withUnknown(err error, warnings []string) error {
	invalid := AsInputError(err)
	if invalid == nil || len(invalid.Fields) == 0 || len(warnings) == 0 {
		return err
	}
	named := *invalid
	named.Fields = slices.Clone(invalid.Fields)
	named.Fields[0].Detail += " (" + strings.Join(warnings, "; ") + ")"
	return &named
}

// AppendWarnings returns a copy of a tool's result with further warnings at the end. Without any it
// returns the result.
func AppendWarnings(result json.RawMessage, warnings []string) json.RawMessage {
	if len(warnings) == 0 {
		return result
	}
	head, tail := SplitWarnings(result, warnings)
	return slices.Concat(head, tail)
}

// WarningsEnd is the end of every result of a tool: its list of warnings is its last member.
const WarningsEnd = "]}"

// SplitWarnings is AppendWarnings without a copy of the result: head, which is a part of it, and
// tail together are the result with the warnings. It has as many bytes more than the result for an
// empty list of warnings as for another.
func SplitWarnings(result json.RawMessage, warnings []string) (head, tail []byte) {
	head, found := bytes.CutSuffix(result, []byte(WarningsEnd))
	if !found || len(warnings) == 0 {
		return result, nil
	}
	separator := byte(',')
	if bytes.HasSuffix(head, []byte("[")) { // empty list: entries end with a quote
		separator = ' '
	}
	return head, append(append([]byte{separator}, joined(warnings)...), WarningsEnd...)
}

// joined returns the entries of a JSON list of strings, without its brackets.
func joined(texts []string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(texts) // strings cannot fail
	return bytes.TrimSuffix(bytes.TrimPrefix(b.Bytes(), []byte("[")), []byte("]\n"))
}

// didYouMean returns a hint at the known field that is similar to an unknown one, given by its
// path.
func didYouMean(unknown string, n *schema.Node) string {
	if near := nearestField(unknown, n); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// nearestField returns the path of the most similar field of the same object as an unknown one, or
// "".
func nearestField(unknown string, n *schema.Node) string {
	names, parent := siblings(unknown, n)
	if near := Nearest(unknown[len(parent):], names, 1); len(near) > 0 {
		return parent + near[0]
	}
	return ""
}

// ValidFields returns the names of the fields of the object that has an unknown field, given by its
// path.
func ValidFields(unknown string, n *schema.Node) []string {
	names, _ := siblings(unknown, n)
	return names
}

// siblings returns the fields of the object that has an unknown field, and the object's path with a
// dot at its end.
func siblings(unknown string, n *schema.Node) (names []string, parent string) {
	name := unknown
	for {
		step, rest, deeper := strings.Cut(name, ".")
		if !deeper {
			break
		}
		if n = within(n, step); n == nil {
			return nil, parent
		}
		parent, name = parent+step+".", rest
	}
	for _, f := range n.Fields {
		names = append(names, f.Name)
	}
	return names, parent
}

// within returns the node of a step of a path such as "parts[3]", or nil.
func within(n *schema.Node, step string) *schema.Node {
	name, indices, _ := strings.Cut(step, "[")
	if n.Kind == schema.Map {
		n = n.Elem
	} else if f := n.Field(name); f != nil {
		n = &f.Node
	} else {
		return nil
	}
	for range strings.Count(indices, "]") {
		if n.Kind != schema.Array {
			return nil
		}
		n = n.Elem
	}
	return n
}
