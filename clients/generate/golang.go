package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
)

// goClient returns the types and methods of the Go client.
func (d *document) goClient() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		"// %s\n\npackage slipstick\n\nimport (\n\"context\"\n\"encoding/json\"\n\"time\"\n)\n",
		mark)
	for _, name := range d.objects {
		fmt.Fprintf(&b, "\n// %s is %s.\ntype %[1]s struct {\n", typeName(name), about(name))
		for _, f := range d.schemas[name].fields() {
			omit := ""
			if f.optional {
				omit = ",omitempty"
			}
			fmt.Fprintf(&b, "%s %s `json:\"%s%s\"`", typeName(f.name),
				d.goType(f.schema, f.optional), f.name, omit)
			if text := d.goComment(f.schema); text != "" {
				b.WriteString(" // " + text)
			}
			b.WriteString("\n")
		}
		b.WriteString("}\n")
	}
	for _, t := range d.tools {
		name := typeName(t.name)
		fmt.Fprintf(&b, `
// %s calls %s: %s.
func (c *Client) %[1]s(ctx context.Context, in %[1]sInput, options ...CallOption) (*%[1]sResult, error) {
	return call[%[1]sResult](ctx, c, %[4]q, in, options)
}
`, name, t.name, strings.TrimSuffix(t.summary, "."), t.name)
	}
	return format.Source(b.Bytes())
}

// about describes a component of the OpenAPI document in words. A component whose name continues
// after input or result is the type of that part or of its elements.
func about(component string) string {
	for _, part := range []string{"input", "result"} {
		tool, rest, found := strings.Cut(component, "_"+part)
		switch {
		case found && rest == "":
			return "the " + part + " of " + tool
		case found:
			return "the type of " + strings.TrimPrefix(rest, "_") + " in the " + part + " of " + tool
		}
	}
	return "a type of the OpenAPI document"
}

func (d *document) goComment(s *schema) string {
	text, v := s.Description, d.shape(s)
	if len(v.Enum) > 0 {
		text += ": " + words(v.Enum)
	}
	return strings.TrimPrefix(strings.Join(strings.Fields(text), " "), ": ")
}

// goType returns the type of a field. A pointer stands for null and for an optional field.
func (d *document) goType(s *schema, optional bool) string {
	v := d.shape(s)
	pointer := ""
	if v.null || optional {
		pointer = "*"
	}
	switch {
	case len(v.alternatives) > 0:
		return "any"
	case v.any:
		return "json.RawMessage"
	case v.kind == "ref":
		return pointer + typeName(v.component())
	case v.kind == "array":
		return "[]" + d.goType(v.Items, false)
	case v.kind == "object" && v.Values.schema != nil:
		return "map[string]" + d.goType(v.Values.schema, false)
	case v.kind == "object":
		return "map[string]any"
	case v.Format == "date-time":
		return pointer + "time.Time"
	}
	return pointer + map[string]string{
		"number": "float64", "integer": "int", "string": "string", "boolean": "bool",
	}[v.kind]
}
