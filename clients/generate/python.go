package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// reserved lists the field names that are keywords of Python.
var reserved = []string{"class", "from"}

// pythonTypes returns the file with the types of the Python client.
func (d *document) pythonTypes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\"\"\"Inputs and results of the tools.\"\"\"\n\nfrom __future__ import annotations\n\n"+
		"from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal, NotRequired, TypedDict\n", mark)
	for _, name := range d.objects {
		fields := d.schemas[name].fields()
		if slices.ContainsFunc(fields, func(f field) bool {
			return slices.Contains(reserved, f.name)
		}) {
			fmt.Fprintf(&b, "\n\n%s = TypedDict(\n    %[1]q,\n    {\n", typeName(name))
			for _, f := range fields {
				fmt.Fprintf(&b, "        %q: %q,\n", f.name, d.pythonField(name, f))
			}
			b.WriteString("    },\n)\n")
			continue
		}
		fmt.Fprintf(&b, "\n\nclass %s(TypedDict):\n", typeName(name))
		for _, f := range fields {
			fmt.Fprintf(&b, "    %s: %s", f.name, d.pythonField(name, f))
			if text := strings.Join(strings.Fields(f.Description), " "); text != "" {
				b.WriteString("  # " + text)
			}
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

// pythonMethods returns the file with the class that has a method per tool.
func (d *document) pythonMethods() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		"# %s\n\"\"\"One method per tool.\"\"\"\n\nfrom __future__ import annotations\n\n"+
			"from typing import Any, Unpack\n\nfrom . import _types as t\n\n\nclass ToolMethods:\n"+
			"    def _call(self, tool: str, values: Any) -> Any:\n        raise NotImplementedError\n", mark)
	for _, tool := range d.tools {
		fmt.Fprintf(
			&b,
			"\n    def %s(self, **values: Unpack[t.%sInput]) -> t.%[2]sResult:\n        \"\"\"%s.\"\"\"\n        return self._call(%q, values)\n",
			tool.name, typeName(tool.name), strings.TrimSuffix(tool.summary, "."), tool.name,
		)
	}
	return b.Bytes()
}

func (d *document) pythonField(object string, f field) string {
	kind := d.pythonType(f.schema)
	if vectors[object+"."+f.name] {
		kind = "dict[str, Any]"
	}
	if f.optional {
		return "NotRequired[" + kind + "]"
	}
	return kind
}

func (d *document) pythonType(s *schema) string {
	v := d.shape(s)
	text := ""
	switch {
	case len(v.alternatives) > 0:
		var forms []string
		for _, one := range v.alternatives {
			forms = append(forms, d.pythonType(one.schema))
		}
		text = strings.Join(forms, " | ")
	case v.any:
		return "Any"
	case v.kind == "ref":
		text = typeName(v.component())
	case v.kind == "array":
		text = "Sequence[" + d.pythonType(v.Items) + "]"
	case v.kind == "object" && v.Values.schema != nil:
		text = "Mapping[str, " + d.pythonType(v.Values.schema) + "]"
	case v.kind == "object":
		text = "Mapping[str, Any]"
	case len(v.Enum) > 0:
		text = "Literal[" + quoted(v.Enum, ", ") + "]"
	default:
		text = map[string]string{"number": "float", "integer": "int", "string": "str",
			"boolean": "bool"}[v.kind]
	}
	if v.null {
		text += " | None"
	}
	return text
}
