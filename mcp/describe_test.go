package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type toolInList struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations map[string]any  `json:"annotations"`
}

func (s *Server) listTools(t *testing.T, only Selection) []toolInList {
	t.Helper()
	a, _ := s.call(t, `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`, nil,
		Caller{Only: only, List: ListOptions{Full: true}})
	var list struct {
		Result struct{ Tools []toolInList }
	}
	if err := json.Unmarshal(a.Body, &list); err != nil {
		t.Fatal(err)
	}
	return list.Result.Tools
}

// TestEveryToolIsDescribed verifies that tools/list has all tools with a description, schemas and
// units.
func TestEveryToolIsDescribed(t *testing.T) {
	s := newServer(t, Options{})
	list := s.listTools(t, nil)
	if len(list) != len(s.opt.Catalog.All()) {
		t.Fatalf("%d tools", len(list))
	}
	for _, tool := range list {
		e, err := s.opt.Catalog.Find(tool.Name)
		if err != nil {
			t.Fatal(err)
		}
		a := tool.Annotations
		if tool.Title != e.Title || a["readOnlyHint"] != true || a["destructiveHint"] != false ||
			a["idempotentHint"] != true || a["openWorldHint"] != false {
			t.Errorf("%s: title %q, annotations %v", tool.Name, tool.Title, a)
		}
		for _, part := range []string{e.Summary, e.Method, "Example", compact(e.Examples[0].In)} {
			if !strings.Contains(tool.Description, part) {
				t.Errorf("%s: the description lacks %q", tool.Name, part)
			}
		}
		if len(tool.Description) > 3000 {
			t.Errorf("%s: the description has %d bytes", tool.Name, len(tool.Description))
		}
		for field := range map[string]bool{"$schema": true, "title": true} {
			if strings.Contains(string(tool.Input)[:min(40, len(tool.Input))], `"`+field+`"`) {
				t.Errorf("%s: the schema repeats %s", tool.Name, field)
			}
		}
	}
}

// TestSelect verifies the selection of tools by categories and names.
func TestSelect(t *testing.T) {
	s := newServer(t, Options{})
	all := len(s.opt.Catalog.All())
	for list, want := range map[string]int{"": all, "  ": all, "fspl": 1, "fspl,fspl": 1,
		"rf": len(s.opt.Catalog.Categories[0].Tools), " fspl , ohms_law,": 2,
		"rf,mesh,homelab,power,pcb,general": all} {
		only, err := Select(s.opt.Catalog, list)
		if err != nil {
			t.Errorf("%q: %v", list, err)
			continue
		}
		if got := len(s.listTools(t, only)); got != want {
			t.Errorf("%q: %d tools, want %d", list, got, want)
		}
	}
	_, err := Select(s.opt.Catalog, "rf,fslp,<script>,"+strings.Repeat("x", 500))
	var wrong *SelectionError
	if !errors.As(err, &wrong) || len(wrong.Unknown) != 3 ||
		!strings.Contains(err.Error(), `"fslp"`) || !strings.Contains(err.Error(), "homelab") ||
		len(err.Error()) > 400 {
		t.Errorf("got %v", err)
	}
}

// TestPrompts verifies that every prompt is listed, that its steps take values from earlier steps,
// and that it contains the user's text.
func TestPrompts(t *testing.T) {
	s := newServer(t, Options{})
	if len(s.prompts) != len(promptTemplates()) {
		t.Fatalf("%d of %d recipes name tools that exist", len(s.prompts), len(promptTemplates()))
	}
	for _, r := range promptTemplates() {
		passes := 0
		for i, step := range r.steps {
			passes += len(inputSources(s.opt.Catalog, r.steps[:i], step))
		}
		if passes == 0 {
			t.Errorf("%s: no step hands anything on", r.name)
		}
		for _, a := range r.arguments {
			if !strings.Contains(r.task+r.optional[a.Name], "{"+a.Name+"}") {
				t.Errorf("%s: the argument %s is not used", r.name, a.Name)
			}
		}
		arguments := map[string]string{}
		for _, a := range r.arguments {
			arguments[a.Name] = "<" + a.Name + "> {details}"
		}
		raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "prompts/get",
			"params": map[string]any{"name": r.name, "arguments": arguments}})
		a, _ := s.call(t, string(raw), nil)
		for _, part := range append([]string{"<" + r.arguments[0].Name + "> {details}",
			"Take from "}, r.steps...) {
			if !strings.Contains(string(a.Body), part) {
				t.Errorf("%s: %q is missing: %s", r.name, part, a.Body)
			}
		}
	}
}

// TestResources verifies the resources of the catalog and of every tool's page.
func TestResources(t *testing.T) {
	s := newServer(t, Options{})
	tools := strings.Count(s.readResource(t, catalogURI), `"summary"`)
	if want := len(s.opt.Catalog.All()); tools != want {
		t.Errorf("the catalog has %d tools, want %d", tools, want)
	}
	for _, e := range s.opt.Catalog.All() {
		if page := s.readResource(t, toolScheme+e.Name); !strings.Contains(page, "# "+e.Title) ||
			!strings.Contains(page, e.Sources[0]) {
			t.Errorf("%s: %s", e.Name, page)
		}
	}
}

// TestCompletion verifies the completion of a part of a tool's name.
func TestCompletion(t *testing.T) {
	s := newServer(t, Options{})
	for typed, want := range map[string]string{"lora_a": `"values":["lora_airtime"]`,
		"airtime": `"values":["lora_airtime"]`, "zzz": `"values":[]`} {
		a, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"slipstick://tools/{name}"},"argument":{"name":"name","value":"`+typed+`"}}}`, nil)
		if !strings.Contains(string(a.Body), want) {
			t.Errorf("%s: %s", typed, a.Body)
		}
	}
}

// TestAbout verifies the content of /mcp.json.
func TestAbout(t *testing.T) {
	s := newServer(t, Options{Version: "1.2.3"})
	a := s.About("https://calc.example.com", nil, Limits{Anonymous: 7, MessageBytes: 99})
	all := len(s.opt.Catalog.All())
	if a.ToolCount != all || len(a.Tools) != all || a.Endpoint != "https://calc.example.com/mcp" ||
		len(a.ProtocolVersions) != 4 || a.Version != "1.2.3" || len(a.Prompts) != 3 {
		t.Errorf("%+v", a)
	}
	if l := a.Limits; l["anonymous"] != "7 calls per day per IP address, REST and MCP together" ||
		l["free_key"] != "no limit" || l["message_bytes"] != 99 {
		t.Errorf("%v", l)
	}
	raw, err := json.Marshal(a.Clients)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []string{"claude_desktop", "claude_code", "cursor", "vs_code", "plain"} {
		if a.Clients[client].Config == nil {
			t.Errorf("no settings for %s", client)
		}
	}
	if strings.Count(string(raw), "https://calc.example.com/mcp") < 4 {
		t.Errorf("the settings do not name the endpoint: %s", raw)
	}
	if only, _ := Select(s.opt.Catalog, "rf"); s.About("", only, Limits{}).ToolCount !=
		len(s.opt.Catalog.Categories[0].Tools) {
		t.Error("the list is not narrowed")
	}
}
