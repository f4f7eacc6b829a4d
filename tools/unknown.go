package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"slipstick/internal/text"
	"slipstick/tools/schema"
)

// Limits of the warnings on unknown fields, whose names the sender chooses.
const (
	maxUnknownNamed = 20  // maximum number of fields named in warnings
	maxUnknownName  = 100 // maximum bytes of a name
	maxMeant        = 5   // maximum number of fields in a hint
)

// unknownField is the beginning of a warning about an unknown field.
const unknownField = "unknown field "

// Unknown returns the warnings that Run would add for unknown fields of a body. A warning names a
// similar known field if there is one. Callers of Canonical use Unknown because Canonical removes
// these fields. It returns nothing for an invalid body.
func (t *Tool) Unknown(body []byte) []string { return t.unknown(body) }

// unknownFields returns warnings about the unknown fields at the given paths. A field that stands
// for something the tool cannot do gets the reason from unsupported.
func unknownFields(paths []string, n *schema.Node, unsupported map[string]string) []string {
	named := paths[:min(len(paths), maxUnknownNamed)]
	warnings := make([]string, 0, len(named)+1)
	for _, p := range named {
		warning := fmt.Sprintf(unknownField+"%q was ignored", text.Truncate(p, maxUnknownName))
		if reason := unsupported[p]; reason != "" {
			warning += ": " + reason
		} else {
			warning += didYouMean(p, n)
		}
		warnings = append(warnings, warning)
	}
	if more := len(paths) - len(named); more > 0 {
		warnings = append(warnings, fmt.Sprintf("%d more unknown fields were ignored", more))
	}
	return warnings
}

// withUnknown adds the warnings about unknown fields to an error of the tool's own rules. A field
// that the rule misses may be misspelt.
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

// AppendWarnings returns a copy of a tool's result with further warnings appended. Without warnings
// it returns the result itself.
func AppendWarnings(result json.RawMessage, warnings []string) json.RawMessage {
	if len(warnings) == 0 {
		return result
	}
	head, tail := SplitWarnings(result, warnings)
	return slices.Concat(head, tail)
}

// WarningsEnd is the end of every tool result, whose last member is the list of warnings.
const WarningsEnd = "]}"

// SplitWarnings is the variant of AppendWarnings that does not copy the result. head is a part of
// the result. head followed by tail is the result with the warnings. The number of added bytes does
// not depend on whether the list of warnings was empty.
func SplitWarnings(result json.RawMessage, warnings []string) (head, tail []byte) {
	head, found := bytes.CutSuffix(result, []byte(WarningsEnd))
	if !found || len(warnings) == 0 {
		return result, nil
	}
	separator := byte(',')
	if bytes.HasSuffix(head, []byte("[")) { // an empty list; entries end with a quote
		separator = ' '
	}
	return head, append(append([]byte{separator}, joined(warnings)...), WarningsEnd...)
}

// joined returns the entries of a JSON list of strings without the brackets.
func joined(texts []string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(texts) // encoding strings cannot fail
	return bytes.TrimSuffix(bytes.TrimPrefix(b.Bytes(), []byte("[")), []byte("]\n"))
}

// didYouMean returns a hint with the known field most similar to the unknown field at a path, or
// with all fields that begin with its name, which differ in their units.
func didYouMean(unknown string, n *schema.Node) string {
	names, parent := siblings(unknown, n)
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, snake(unknown[len(parent):])+"_")
	})
	if last := len(names) - 1; last > 0 && last < maxMeant {
		return "; did you mean " + parent + strings.Join(names[:last], ", ") + " or " +
			names[last] + "?"
	}
	if near := nearestField(unknown, n); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// nearestField returns the path of the field in the same object that is most similar to an unknown
// field, or "".
func nearestField(unknown string, n *schema.Node) string {
	names, parent := siblings(unknown, n)
	if near := Nearest(unknown[len(parent):], names, 1); len(near) > 0 {
		return parent + near[0]
	}
	return ""
}

// ValidFields returns the field names of the object that contains the unknown field at a path.
func ValidFields(unknown string, n *schema.Node) []string {
	names, _ := siblings(unknown, n)
	return names
}

// siblings returns the fields of the object that contains the unknown field at a path, and the
// object's path with a trailing dot.
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

// within returns the node for a path step such as "parts[3]", or nil.
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
