package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"slipstick/internal/rawjson"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker"
)

// addTools registers call_tool, the batch tools and every tool of the catalog with mcp-go. It
// passes no descriptions because mcp-go does not handle tools/list.
func (s *Server) addTools() {
	all := []server.ServerTool{{Tool: protocol.Tool{Name: callToolName}, Handler: handleAny}}
	for _, name := range batchToolNames() {
		all = append(all, server.ServerTool{Tool: protocol.Tool{Name: name}, Handler: handleBatch})
	}
	for _, e := range s.opt.Catalog.All() {
		all = append(all, server.ServerTool{Tool: protocol.Tool{Name: e.Name}, Handler: handleCall})
	}
	s.engine.AddTools(all...)
}

// describe returns the complete description of a tool for tools/list.
func describe(e *tools.Entry) (protocol.Tool, error) {
	input, err := embedded(e.InputSchema())
	if err != nil {
		return protocol.Tool{}, err
	}
	result := e.OutputSchema()
	if e.Heavy != nil {
		allowUnfinished(result)
	}
	output, err := embedded(result)
	if err != nil {
		return protocol.Tool{}, err
	}
	yes, no := true, false
	var meta *protocol.Meta
	if app := appOf(e); app != nil {
		meta = protocol.NewMetaFromMap(app)
	}
	return protocol.Tool{
		Meta: meta, Name: e.Name, Title: e.Title, Description: description(e),
		RawInputSchema:  input,
		RawOutputSchema: output,
		Annotations: protocol.ToolAnnotation{
			Title: e.Title, ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes,
			OpenWorldHint: &no,
		},
	}, nil
}

// allowUnfinished adds the unfinished job as a second form to the result schema of a queued tool.
// Clients validate results without isError against the schema.
func allowUnfinished(s map[string]any) {
	text := map[string]any{"type": "string"}
	properties, _ := s["properties"].(map[string]any)
	properties["job"] = map[string]any{
		"type":        "object",
		"description": "Unfinished job, in place of a result; repeat the call to wait for it",
		"properties": map[string]any{
			"id": text, "state": map[string]any{"type": "string",
				"enum": []worker.State{worker.Queued, worker.Running}}, "resource": text,
			"progress": map[string]any{"type": "object", "properties": map[string]any{"phase": text,
				"percent": map[string]any{"type": "number"}}},
		},
		"required": []string{"id", "state", "progress", "resource"},
	}
	delete(s, "required") // anyOf would be exact, but model providers reject it
}

// embedded encodes a schema of a tool. It deletes $schema because the protocol defines the dialect,
// and title and description because the tool itself has them.
func embedded(s map[string]any) (json.RawMessage, error) {
	delete(s, "$schema")
	delete(s, "title")
	delete(s, "description")
	return rawjson.Marshal(s)
}

// description returns the text that helps an agent select the tool and call it correctly.
func description(e *tools.Entry) string {
	var b strings.Builder
	b.WriteString(e.Description() + ".")
	if e.Heavy != nil {
		fmt.Fprintf(&b, " Takes seconds, at most %.0f; reports progress to a progress token.",
			e.Heavy.Timeout.Seconds())
	}
	if len(e.Aliases) > 0 {
		fmt.Fprintf(&b, "\nUse it for: %s.", strings.Join(e.Aliases, ", "))
	}
	if u := units(e.Input); u != "" {
		fmt.Fprintf(&b, "\nTakes %s.", u)
	}
	if u := units(e.Output); u != "" {
		fmt.Fprintf(&b, "\nGives %s.", u)
	}
	if len(e.Chain.AcceptsFrom) > 0 {
		fmt.Fprintf(&b, "\nInputs can come from: %s.", strings.Join(e.Chain.AcceptsFrom, ", "))
	}
	if len(e.Chain.Feeds) > 0 {
		fmt.Fprintf(&b, "\nResults can go to: %s.", strings.Join(e.Chain.Feeds, ", "))
	}
	x := e.Examples[0]
	fmt.Fprintf(&b, "\nExample (%s): %s", x.Title, compact(x.In))
	if x.Want != "" && len(x.Want) <= 400 {
		fmt.Fprintf(&b, " gives, among others, %s", compact(x.Want))
	}
	return b.String()
}

// maxUnits is the maximum number of fields with units in a description. The schema contains all of
// them.
const maxUnits = 12

// units lists the fields with a unit: "freq_mhz in MHz, dist_km in km".
func units(n *schema.Node) string {
	var parts []string
	for _, f := range n.Fields {
		unit := f.Unit
		if unit == "" || unit == "1" {
			continue
		}
		if len(parts) == maxUnits {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, f.Name+" in "+unit)
	}
	return strings.Join(parts, ", ")
}

func compact(raw string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw
	}
	return b.String()
}
