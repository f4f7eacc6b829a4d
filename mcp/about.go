package mcp

import (
	"strconv"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/tools"
)

// About describes the endpoint and how to connect to it.
type About struct {
	Name             string                   `json:"name"`
	Title            string                   `json:"title"`
	Version          string                   `json:"version"`
	Description      string                   `json:"description"`
	Endpoint         string                   `json:"endpoint"`
	Transport        string                   `json:"transport"`
	ProtocolVersions []string                 `json:"protocol_versions"`
	Authentication   Authentication           `json:"authentication"`
	Limits           map[string]any           `json:"limits"`
	Narrowing        string                   `json:"narrowing"`
	ToolCount        int                      `json:"tool_count"`
	Tools            []ToolSummary            `json:"tools"`
	Prompts          []PromptSummary          `json:"prompts"`
	Resources        []string                 `json:"resources"`
	Clients          map[string]ClientSnippet `json:"clients"`
}

// Authentication describes how a client sends a key.
type Authentication struct {
	Required bool     `json:"required"`
	Methods  []string `json:"methods"`
	Issue    string   `json:"issue"`
}

// ToolSummary is a one-line summary of a tool.
type ToolSummary struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Category string `json:"category"`
	Summary  string `json:"summary"`
	Heavy    bool   `json:"heavy"`
}

// PromptSummary is a one-line summary of a prompt.
type PromptSummary struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// ClientSnippet is the configuration of a client and the file that contains it.
type ClientSnippet struct {
	Where  string `json:"where"`
	Config any    `json:"config"`
}

// Limits holds the limits that apply to the endpoint.
type Limits struct {
	Anonymous, FreeKey int // calls per day; 0: no limit
	MessageBytes       int
}

// dailyLimit formats a number of calls per day, followed by a qualifier. It returns "no limit" if
// the number is 0.
func dailyLimit(calls int, qualifier string) string {
	if calls == 0 {
		return "no limit"
	}
	return strconv.Itoa(calls) + " calls per day" + qualifier
}

// About describes the endpoint for a client that reaches the service at base, a URL without a
// trailing slash. It lists the tools in the selection only.
func (s *Server) About(base string, only Selection, limits Limits) About {
	endpoint := base + "/mcp"
	a := About{
		Name: "slipstick", Title: "Slipstick", Version: s.opt.Version,
		Description: "Engineering calculators for agents: every tool a typed call, with sources, units and ranges",
		Endpoint:    endpoint, Transport: "streamable-http", ProtocolVersions: Versions(),
		Authentication: Authentication{
			Methods: []string{"header X-Api-Key: <key>", "query parameter ?key=<key>"},
			Issue:   "POST " + base + "/api/keys",
		},
		Limits: map[string]any{
			"anonymous": dailyLimit(limits.Anonymous,
				" per IP address, REST and MCP together"),
			"free_key":                  dailyLimit(limits.FreeKey, ""),
			"paid_key":                  "no limit, metered",
			"message_bytes":             limits.MessageBytes,
			"first_answer_bytes":        responseLimit,
			"wait_for_heavy_tools_s":    s.opt.Wait.Seconds(),
			"not_counted":               "initialize, ping, listings, prompts and resources",
			"progress_at_most_every_ms": progressEvery.Milliseconds(),
		},
		Narrowing: endpoint + strings.Join([]string{
			"?tools=rf,mesh shows only these categories or tools",
			"?mode=search only find_tools, call_tool, the queued tools and batches",
			"?schemas=full output schemas too",
			"?results=full results up to 50 kB",
			"?images=off no pictures",
		}, ", "),
		Tools: []ToolSummary{}, Prompts: []PromptSummary{},
		Resources: []string{
			catalogURI, toolScheme + "{name}", jobScheme + "{id}{?vectors,from,to,points,whole}",
			jobScheme + "{id}/{path}{?vectors,from,to,points,whole}",
		},
		Clients: snippets(endpoint),
	}
	for _, e := range s.opt.Catalog.All() {
		if only.has(e.Name) {
			a.Tools = append(a.Tools, summary(e))
		}
	}
	a.ToolCount = len(a.Tools)
	for _, r := range s.prompts {
		a.Prompts = append(a.Prompts, PromptSummary{r.name, r.title, r.description})
	}
	return a
}

func summary(e *tools.Entry) ToolSummary {
	return ToolSummary{e.Name, e.Title, e.Category, e.Summary, e.Heavy != nil}
}

// snippets returns the configuration of common clients.
func snippets(endpoint string) map[string]ClientSnippet {
	remote := map[string]any{
		"type": "http", "url": endpoint,
		"headers": map[string]string{"X-Api-Key": "<key, or leave headers out>"},
	}
	return map[string]ClientSnippet{
		"claude_desktop": {
			"claude_desktop_config.json; slipstick is installed on this computer",
			map[string]any{
				"mcpServers": map[string]any{"slipstick": map[string]any{"command": "slipstick",
					"args": []string{"mcp"}}}}},
		"claude_desktop_proxy": {
			"claude_desktop_config.json; for this server, by way of mcp-remote",
			map[string]any{
				"mcpServers": map[string]any{"slipstick": map[string]any{"command": "npx",
					"args": []string{"-y", "mcp-remote", endpoint}}}}},
		"claude_code": {"a terminal",
			"claude mcp add --transport http slipstick " + endpoint},
		"cursor": {".cursor/mcp.json",
			map[string]any{
				"mcpServers": map[string]any{"slipstick": map[string]any{"url": endpoint}}}},
		"vs_code": {".vscode/mcp.json",
			map[string]any{"servers": map[string]any{"slipstick": remote}}},
		"plain": {"a terminal",
			`curl -s ` + endpoint + ` -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' ` +
				`-d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` +
				protocol.LATEST_LEGACY_PROTOCOL_VERSION +
				`","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}' -D -`},
	}
}
