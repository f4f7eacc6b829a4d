package main

import (
	"bytes"
	"fmt"
	"strings"
)

// vectors lists the fields that the TypeScript and Python clients convert to numeric arrays.
var vectors = map[string]bool{
	"spice_simulate_result.vectors": true, "spice_simulate_result_analyses.vectors": true,
}

// typeScriptClient returns the file with the types of the TypeScript client.
func (d *document) typeScriptClient() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n", mark)
	for _, name := range d.objects {
		fmt.Fprintf(&b, "\nexport interface %s {\n", typeName(name))
		for _, f := range d.schemas[name].fields() {
			if f.Description != "" {
				fmt.Fprintf(&b, "  /** %s */\n", strings.ReplaceAll(f.Description, "*/", "* /"))
			}
			mark, kind := "", d.typeScriptType(f.schema)
			if f.optional {
				mark = "?"
			}
			if vectors[name+"."+f.name] {
				kind = "Record<string, Float64Array>"
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", f.name, mark, kind)
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n/** The input and the result of each tool. */\nexport interface Tools {\n")
	for _, t := range d.tools {
		fmt.Fprintf(&b, "  /** %s */\n  %s: { input: %sInput; result: %[3]sResult };\n", t.summary,
			t.name, typeName(t.name))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func (d *document) typeScriptType(s *schema) string {
	v := d.shape(s)
	text := ""
	switch {
	case len(v.alternatives) > 0:
		var forms []string
		for _, one := range v.alternatives {
			forms = append(forms, d.typeScriptType(one.schema))
		}
		text = strings.Join(forms, " | ")
	case v.any:
		text = "unknown"
	case v.kind == "ref":
		text = typeName(v.component())
	case v.kind == "array":
		text = "Array<" + d.typeScriptType(v.Items) + ">"
	case v.kind == "object" && v.Values.schema != nil:
		text = "Record<string, " + d.typeScriptType(v.Values.schema) + ">"
	case v.kind == "object":
		text = "Record<string, unknown>"
	case len(v.Enum) > 0:
		text = quoted(v.Enum, " | ")
	default:
		text = map[string]string{
			"number": "number", "integer": "number", "string": "string", "boolean": "boolean",
		}[v.kind]
	}
	if v.null {
		text += " | null"
	}
	return text
}
