package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"slipstick/tools/schema"
)

// Bounds of what is said of unknown fields, whose names the sender chooses.
const (
	maxUnknownNamed = 20  // fields that are named one by one
	maxUnknownName  = 100 // characters of a name
)

// Unknown names the fields of a body that the tool does not read, as Run does in its result's
// warnings: one sentence a field, with the known field that was probably meant. It is for callers
// of Canonical, which drops those fields. Empty for none, and for a body that Run refuses.
func (t *Tool) Unknown(body []byte) []string { return t.unknown(body) }

// unknownFields words the warnings on unknown fields, given by their paths.
func unknownFields(paths []string, n *schema.Node) []string {
	named := paths[:min(len(paths), maxUnknownNamed)]
	warnings := make([]string, 0, len(named)+1)
	for _, p := range named {
		warnings = append(warnings, fmt.Sprintf("unknown field %q was ignored%s", shorten(p, maxUnknownName), didYouMean(p, n)))
	}
	if more := len(paths) - len(named); more > 0 {
		warnings = append(warnings, fmt.Sprintf("%d more unknown fields were ignored", more))
	}
	return warnings
}

// AppendWarnings gives a tool's result with more entries at the end of its warnings. The result is
// not changed; it is returned as it is when there is nothing to add.
func AppendWarnings(result json.RawMessage, warnings []string) json.RawMessage {
	if len(warnings) == 0 {
		return result
	}
	head, tail := SplitWarnings(result, warnings)
	return slices.Concat(head, tail)
}

// WarningsEnd is how every result of a tool ends: its list of warnings is its last member.
const WarningsEnd = "]}"

// SplitWarnings is AppendWarnings without a copy of the result: head, a part of it, and tail
// together are the result with the warnings. It has as many bytes more than the result for an empty
// list of warnings as for another.
func SplitWarnings(result json.RawMessage, warnings []string) (head, tail []byte) {
	head, found := bytes.CutSuffix(result, []byte(WarningsEnd))
	if !found || len(warnings) == 0 {
		return result, nil
	}
	separator := byte(',')
	if bytes.HasSuffix(head, []byte("[")) { // no entry ends so: they are strings
		separator = ' '
	}
	return head, append(append([]byte{separator}, joined(warnings)...), WarningsEnd...)
}

// joined is the entries of a JSON list of strings, without its brackets.
func joined(texts []string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(texts) // strings cannot fail
	return bytes.TrimSuffix(bytes.TrimPrefix(b.Bytes(), []byte("[")), []byte("]\n"))
}

// didYouMean names the known field that was probably meant by an unknown one, which is given by its
// path.
func didYouMean(unknown string, n *schema.Node) string {
	if near := nearestField(unknown, n); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// nearestField is the path of the field, of those beside an unknown one, that is most like it; ""
// when none is.
func nearestField(unknown string, n *schema.Node) string {
	parent, name := "", unknown
	for {
		step, rest, deeper := strings.Cut(name, ".")
		if !deeper {
			break
		}
		if n = within(n, step); n == nil {
			return ""
		}
		parent, name = parent+step+".", rest
	}
	names := make([]string, len(n.Fields))
	for i, f := range n.Fields {
		names[i] = f.Name
	}
	if near := Nearest(name, names, 1); len(near) > 0 {
		return parent + near[0]
	}
	return ""
}

// within is the node that a step of a path such as "parts[3]" leads to; nil when there is none.
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
