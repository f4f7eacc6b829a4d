package schema

import (
	"encoding/json"
	"strings"
)

// JSONSchema returns the node as JSON Schema 2020-12, with units as "x-unit". Objects allow
// additional properties because unknown fields are ignored with a warning.
func (n *Node) JSONSchema() map[string]any {
	s := map[string]any{}
	switch n.Kind {
	case Any:
	case CustomT:
		for k, v := range n.custom.FieldSchema() {
			s[k] = v
		}
	case Map:
		s["type"] = "object"
		s["additionalProperties"] = n.elemSchema()
		setCount(s, "maxProperties", n.MaxItems)
		setCount(s, "minProperties", n.MinItems)
	case Array:
		s["type"] = "array"
		s["items"] = n.elemSchema()
		setCount(s, "maxItems", n.MaxItems)
		setCount(s, "minItems", n.MinItems)
	case Object:
		s["type"] = "object"
		props := map[string]any{}
		required := []string{}
		for _, f := range n.Fields {
			props[f.Name] = f.JSONSchema()
			if f.Required {
				required = append(required, f.Name)
			}
		}
		s["properties"] = props
		if len(required) > 0 {
			s["required"] = required
		}
	default:
		s["type"] = string(n.Kind)
	}
	if n.Doc != "" {
		s["description"] = n.Doc
	}
	if n.Unit != "" && n.Kind != Array && n.Kind != Map {
		s["x-unit"] = n.Unit
	}
	setBound(s, "minimum", n.Min)
	setBound(s, "maximum", n.Max)
	setBound(s, "exclusiveMinimum", n.GT)
	setBound(s, "exclusiveMaximum", n.LT)
	if len(n.Enum) > 0 {
		s["enum"] = n.Enum
	}
	setCount(s, "minLength", n.MinLength)
	setCount(s, "maxLength", n.MaxLength)
	if n.Pattern != "" {
		s["pattern"] = n.Pattern
	}
	if n.Default != nil {
		s["default"] = n.Default
	}
	if n.Example != nil {
		s["examples"] = []json.RawMessage{n.Example}
	}
	return s
}

// TypeText returns the accepted JSON types in words, without null. Examples are "number or string"
// and "array of (number or string)".
func (n *Node) TypeText() string {
	switch n.Kind {
	case Array:
		return "array of " + n.Elem.elementText()
	case Map:
		return "object of " + n.Elem.elementText()
	case CustomT:
		return strings.Join(typesOf(n.custom.FieldSchema()), " or ")
	default:
		return string(n.Kind)
	}
}

// elementText returns the type of an element in words, alternatives in parentheses.
func (n *Node) elementText() string {
	text := n.TypeText()
	if n.Kind == CustomT && strings.Contains(text, " or ") {
		return "(" + text + ")"
	}
	return text
}

// typesOf returns the types of a JSON Schema, which states them itself or in its alternatives.
func typesOf(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []string:
		return t
	}
	var types []string
	alternatives, _ := s["anyOf"].([]any)
	for _, a := range alternatives {
		inner, _ := a.(map[string]any)
		types = append(types, typesOf(inner)...)
	}
	return types
}

// JSONSchema returns the schema of the Node. It allows null for a nullable field and for an input
// with a default.
func (f *Field) JSONSchema() map[string]any {
	s := f.Node.JSONSchema()
	if f.Nullable || f.Default != nil {
		// An absent and a null optional input have the same meaning, and a nullable output is null.
		allowNull(s)
	}
	return s
}

func (n *Node) elemSchema() map[string]any {
	s := n.Elem.JSONSchema()
	if n.NullableElem {
		allowNull(s)
	}
	return s
}

// allowNull adds null to the types, and to the values of an enum.
func allowNull(s map[string]any) {
	switch t := s["type"].(type) {
	case string:
		s["type"] = []string{t, "null"}
	case []string:
		s["type"] = append(append([]string(nil), t...), "null")
	}
	if e, ok := s["enum"].([]string); ok {
		all := make([]any, 0, len(e)+1)
		for _, v := range e {
			all = append(all, v)
		}
		s["enum"] = append(all, nil)
	}
}

// OutputSchema is the variant of JSONSchema for results, whose fields are always present unless
// they are tagged omitempty.
func (n *Node) OutputSchema() map[string]any {
	s := n.JSONSchema()
	n.requireAll(s)
	return s
}

func (n *Node) requireAll(s map[string]any) {
	switch n.Kind {
	case Object:
		required := []string{}
		props := s["properties"].(map[string]any)
		for _, f := range n.Fields {
			if !f.omitEmpty {
				required = append(required, f.Name)
			}
			f.Node.requireAll(props[f.Name].(map[string]any))
		}
		s["required"] = required
	case Array:
		n.Elem.requireAll(s["items"].(map[string]any))
	case Map:
		n.Elem.requireAll(s["additionalProperties"].(map[string]any))
	}
}

func setBound(s map[string]any, key string, v *float64) {
	if v != nil {
		s[key] = *v
	}
}

func setCount(s map[string]any, key string, v int) {
	if v > 0 {
		s[key] = v
	}
}
