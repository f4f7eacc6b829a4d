package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"slipstick/plot"
)

// TestAppOfTools verifies that the tools with pictures name the app and that the server declares
// the extension. It also verifies that the app has a content security policy. e2e.TestApp loads the
// app in a browser.
func TestAppOfTools(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	for _, o := range []ListOptions{{}, {Full: true}} {
		a, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, Caller{List: o})
		var list struct {
			Result struct {
				Tools []struct {
					Name string
					Meta struct{ UI struct{ ResourceURI string } } `json:"_meta"`
				}
			}
		}
		if err := json.Unmarshal(a.Body, &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Result.Tools {
			switch tool.Meta.UI.ResourceURI {
			case appURI:
				names = append(names, tool.Name)
			case "":
			default:
				t.Errorf("%s: app %q", tool.Name, tool.Meta.UI.ResourceURI)
			}
		}
		for _, name := range []string{"spice_simulate", "pcb_layout", "pcb_thermal", "heatsink_cfd",
			batchRunName} {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no app: %v", name, names)
			}
		}
		if slices.Contains(names, "fspl") || slices.Contains(names, batchResultsName) {
			t.Errorf("tools without pictures have the app: %v", names)
		}
	}
	page := s.readResource(t, appURI)
	for _, part := range []string{
		"default-src 'none'; img-src data:; script-src 'sha256-", "ui/initialize", "<main></main>",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the app lacks %q: %s", part, page)
		}
	}
	discovered, _ := s.statelessRequest(t, "server/discover", "", nil)
	const want = `"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}`
	if !strings.Contains(string(discovered.Body), want) {
		t.Errorf("the extension is not declared: %s", discovered.Body)
	}
}

// TestDraws verifies that plot.Draws is true for every tool whose worked examples have pictures.
func TestDraws(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	for _, e := range s.opt.Catalog.All() {
		if e.Heavy != nil {
			continue // TestAppOfTools
		}
		for _, x := range e.Examples {
			raw, err := e.Run(t.Context(), json.RawMessage(x.In))
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			if len(plot.Pictures(e.Title, e.Output, raw, nil)) > 0 && !plot.Draws(e.Output) {
				t.Errorf("%s (%s) has a picture and no app", e.Name, x.Title)
			}
		}
	}
}
