// Package docgen generates the documentation page of a tool from its definition: method, sources,
// fields with units and ranges, and worked examples.
package docgen

//go:generate go test slipstick/tools/docgen -run TestPagesAreCurrent|TestAccuracyPage -update

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Page returns the documentation page of a tool in Markdown, including its links in the catalog.
func Page(c *tools.Catalog, e *tools.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`%s` (%s), version %s. %s.\n", e.Title, e.Name, e.Category, e.Version,
		e.Summary)
	if len(e.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAlso found as: %s.\n", strings.Join(e.Aliases, ", "))
	}
	fmt.Fprintf(&b, "\n## Method\n\n%s.\n", strings.TrimSuffix(e.Method, "."))
	list(&b, "Sources", e.Sources)
	list(&b, "Limits", e.Limits)
	b.WriteString("\n## Input\n\n")
	fields(&b, e.Input, true)
	b.WriteString("\n## Result\n\n")
	fields(&b, e.Output, false)
	b.WriteString("\n## Examples\n")
	for _, x := range e.Examples {
		fmt.Fprintf(&b, "\n%s:\n\n```json\nPOST /api/%s\n%s\n```\n", x.Title, e.Name, indent(x.In))
		if x.Want != "" {
			fmt.Fprintf(&b, "\ngives, among other fields,\n\n```json\n%s\n```\n", indent(x.Want))
		}
		if x.From != "" {
			fmt.Fprintf(&b, "\n(%s)\n", x.From)
		}
	}
	edges(&b, c, e)
	return b.String()
}

// Index returns the list of tools by category, linked to the pages in a folder.
func Index(c *tools.Catalog, folder string) string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"# Tools\n\n%d tools, each with its method, source, fields and worked examples.\nGenerated from the definitions by `go generate ./...`.\n",
		len(c.All()),
	)
	for _, cat := range c.Categories {
		fmt.Fprintf(&b, "\n## %s\n\n| tool | computes |\n|---|---|\n", cat.Title)
		for _, t := range cat.Tools {
			fmt.Fprintf(&b, "| [`%s`](%s/%s.md) | %s |\n", t.Name, folder, t.Name, cell(t.Summary))
		}
	}
	return b.String()
}

func list(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, s := range items {
		fmt.Fprintf(b, "- %s\n", s)
	}
}

func fields(b *strings.Builder, n *schema.Node, input bool) {
	if input {
		b.WriteString(
			"| field | label | type | unit | allowed | default | |\n|---|---|---|---|---|---|---|\n",
		)
	} else {
		b.WriteString("| field | label | type | unit | |\n|---|---|---|---|---|\n")
	}
	for _, r := range Fields(n) {
		if input {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", r.Path,
				cell(r.Label), r.Type,
				cell(r.Unit), cell(r.Allowed), cell(r.Default), cell(r.Doc))
		} else {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", r.Path, cell(r.Label), r.Type,
				cell(r.Unit),
				cell(r.Doc))
		}
	}
}

// Field describes a field of an input or result in words.
type Field struct {
	Path    string // stages[].nf_db
	Label   string
	Type    string // number, array of object, string or null
	Unit    string // "" for a dimensionless field
	Allowed string // enum, range and number of entries; "" for no limit
	Default string // JSON, "required" or "optional"
	Doc     string
}

// Fields returns descriptions of the fields of an object in order. Nested fields follow their
// parent.
func Fields(n *schema.Node) []Field { return appendFields(nil, "", n) }

func appendFields(list []Field, prefix string, n *schema.Node) []Field {
	for _, f := range n.Fields {
		path := prefix + f.Name
		unit := f.Unit
		if f.Kind == schema.Array || f.Kind == schema.Map {
			unit = f.Elem.Unit
		}
		if unit == "1" {
			unit = ""
		}
		list = append(list, Field{path, f.Label, kindOf(f), unit, allowed(f), standard(f), f.Doc})
		switch inner := &f.Node; {
		case inner.Kind == schema.Object:
			list = appendFields(list, path+".", inner)
		case inner.Kind == schema.Array && inner.Elem.Kind == schema.Object:
			list = appendFields(list, path+"[].", inner.Elem)
		case inner.Kind == schema.Map && inner.Elem.Kind == schema.Object:
			list = appendFields(list, path+".*.", inner.Elem)
		}
	}
	return list
}

func kindOf(f *schema.Field) string {
	if f.Nullable {
		return f.TypeText() + " or null"
	}
	return f.TypeText()
}

func allowed(f *schema.Field) string {
	n := &f.Node
	var parts []string
	if f.Kind == schema.Array {
		switch {
		case n.MinItems > 0 && n.MaxItems > 0:
			parts = append(parts, fmt.Sprintf("%d to %d entries", n.MinItems, n.MaxItems))
		case n.MaxItems > 0:
			parts = append(parts, fmt.Sprintf("at most %d entries", n.MaxItems))
		case n.MinItems > 0:
			parts = append(parts, fmt.Sprintf("at least %d entries", n.MinItems))
		}
		n = n.Elem
	}
	if len(n.Enum) > 0 {
		parts = append(parts, strings.Join(n.Enum, ", "))
	}
	if r := n.Range(); r != "" {
		parts = append(parts, r)
	}
	if n.MaxLength > 0 {
		parts = append(parts, fmt.Sprintf("at most %d characters", n.MaxLength))
	}
	return strings.Join(parts, "; ")
}

func standard(f *schema.Field) string {
	switch {
	case f.Required:
		return "required"
	case f.Default != nil:
		return string(f.Default)
	default:
		return "optional"
	}
}

func edges(b *strings.Builder, c *tools.Catalog, e *tools.Entry) {
	var lines []string
	for _, edge := range c.Edges {
		var passes []string
		for _, p := range edge.Fields {
			passes = append(passes, fmt.Sprintf("`%s` as `%s`", p.Out, p.In))
		}
		switch e.Name {
		case edge.From:
			lines = append(lines,
				fmt.Sprintf("feeds [`%s`](%s.md): %s", edge.To, edge.To,
					strings.Join(passes, ", ")))
		case edge.To:
			lines = append(lines,
				fmt.Sprintf("takes from [`%s`](%s.md): %s", edge.From, edge.From,
					strings.Join(passes, ", ")))
		}
	}
	list(b, "Chains", lines)
}

// cell escapes a text for a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func indent(raw string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(raw), "", "  "); err != nil || b.Len() < 100 {
		return raw
	}
	return b.String()
}
