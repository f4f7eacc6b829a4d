package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
	"unicode/utf8"
)

// goClient returns the file with the types and methods of the Go client.
func (d *document) goClient() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		"// %s\n\npackage slipstick\n\nimport (\n\"context\"\n\"encoding/json\"\n\"time\"\n)\n",
		mark)
	for _, name := range d.objects {
		fmt.Fprintf(&b, "\n%stype %s struct {\n",
			comment("", typeName(name)+" "+d.about(name)+"."), typeName(name))
		for _, f := range d.schemas[name].fields() {
			omit := ""
			if f.optional {
				omit = ",omitempty"
			}
			b.WriteString(comment("\t", d.goComment(f.schema)))
			fmt.Fprintf(&b, "%s %s `json:\"%s%s\"`\n", typeName(f.name),
				d.goType(f.schema, f.optional), f.name, omit)
		}
		b.WriteString("}\n")
	}
	for _, t := range d.tools {
		name := typeName(t.name)
		text := name + " calls " + t.name + ": " + strings.TrimSuffix(t.summary, ".") + "."
		fmt.Fprintf(&b, `
%sfunc (c *Client) %s(
	ctx context.Context, in %[2]sInput, options ...CallOption,
) (*%[2]sResult, error) {
	return call[%[2]sResult](ctx, c, %[3]q, in, options)
}
`, comment("", text), name, t.name)
	}
	return format.Source(b.Bytes())
}

// comment returns text as a comment with the given indentation. Its lines have at most 100 columns
// at a tab width of 4. It returns "" without text.
func comment(indent, text string) string {
	var b strings.Builder
	start := indent + "//"
	left := 0 // columns that are left in the line
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word) + 1
		if n > left {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(start)
			left = 100 - 3*strings.Count(indent, "\t") - len(start)
		}
		b.WriteString(" " + word)
		left -= n
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// about returns the predicate of the doc comment for the type of a component, such as "is the input
// of fspl".
func (d *document) about(component string) string {
	owners := map[string]string{batchRequest: "the request of a batch"}
	for _, t := range d.tools {
		owners[t.name+"_input"] = "the input of " + t.name
		owners[t.name+"_result"] = "the result of " + t.name
	}
	if text, ok := owners[component]; ok {
		return "is " + text
	}
	for owner, text := range owners {
		if path := d.fieldPath(owner, component); path != "" {
			return "is the type of " + path + " in " + text
		}
	}
	if text, ok := predicates[component]; ok {
		return text
	}
	return "is a type of the OpenAPI document"
}

// predicates are the predicates of the doc comments for components that belong to no tool.
var predicates = map[string]string{
	"Batch":      "is the state of a batch",
	"BatchRun":   "is a run of a batch with its input and result",
	"Chain":      "names the tools that accept results of a tool, and those whose results it accepts",
	"Columns":    "is a page of the rows of a batch, by column",
	"DryRun":     "is the outcome of validating the request of a batch",
	"Envelope":   "is the response of a tool: the result with its metadata",
	"FieldError": "is an error in a field of a request",
	"IssuedKey":  "is an API key as it is issued",
	"Job":        "is the state of a queued computation",
	"Link":       "is a related address",
	"Problem":    "is a problem document (RFC 9457)",
	"Progress":   "is the progress of a job",
}

// fieldPath returns the path of the field in an object whose type or element type is a component,
// such as board.outline. It returns "" if the object has no such field.
func (d *document) fieldPath(object, component string) string {
	if !strings.HasPrefix(component, object+"_") {
		return ""
	}
	for _, f := range d.schemas[object].fields() {
		inner := object + "_" + f.name
		if inner == component {
			return f.name
		}
		if d.schemas[inner] == nil {
			continue
		}
		if path := d.fieldPath(inner, component); path != "" {
			return f.name + "." + path
		}
	}
	return ""
}

func (d *document) goComment(s *schema) string {
	text, v := s.Description, d.shape(s)
	if len(v.Enum) > 0 {
		text += ": " + words(v.Enum)
	}
	return strings.TrimPrefix(strings.Join(strings.Fields(text), " "), ": ")
}

// goType returns the Go type of a field. Fields that are optional or may be null are pointers,
// except lists and maps.
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
