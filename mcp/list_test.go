package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipstick/internal/schematest"
)

// Maximum sizes of tools/list in bytes. Some clients reject longer lists, and models read the
// complete list.
const (
	maxListBytes   = 100_000
	maxSearchBytes = 12_000
)

// listAs returns tools/list in the form of the options, and its size in bytes.
func (s *Server) listAs(t *testing.T, o ListOptions) (list []toolInList, size int) {
	t.Helper()
	a, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, Caller{List: o})
	var response struct {
		Result struct{ Tools []toolInList }
	}
	if err := json.Unmarshal(a.Body, &response); err != nil {
		t.Fatal(err)
	}
	return response.Result.Tools, len(a.Body)
}

// TestListSize verifies the number of tools and the size of each form of tools/list.
func TestListSize(t *testing.T) {
	s := newServer(t, Options{})
	compact, size := s.listAs(t, ListOptions{})
	all := len(s.opt.Catalog.All())
	if len(compact) != all || size >= maxListBytes {
		t.Errorf("%d tools in %d bytes", len(compact), size)
	}
	full, fullSize := s.listAs(t, ListOptions{Full: true})
	if len(full) != all || fullSize < 3*size || full[0].Output == nil {
		t.Errorf("full: %d tools in %d bytes, output %s", len(full), fullSize, full[0].Output)
	}
	search, searchSize := s.listAs(t, ListOptions{Search: true})
	var names []string
	for _, tool := range search {
		names = append(names, tool.Name)
	}
	if strings.Join(names, " ") != "find_tools call_tool spice_simulate pcb_layout" ||
		searchSize >= maxSearchBytes {
		t.Errorf("search: %v in %d bytes", names, searchSize)
	}
	with := Caller{Batches: newLocalBatches(s.opt.Catalog, s.opt.Log, s.opt.Now)}
	for want, o := range map[int]ListOptions{maxListBytes: {}, maxSearchBytes: {Search: true}} {
		with.List = o
		a, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, with)
		if !strings.Contains(string(a.Body), batchRunName) || len(a.Body) >= want {
			t.Errorf("with batches: %d bytes", len(a.Body))
		}
		t.Logf("with batches: %d bytes", len(a.Body))
	}
	t.Logf("compact %d bytes, full %d, search %d", size, fullSize, searchSize)
}

// TestListIsSimple verifies that clients can read the schemas if they support one type per value
// and no alternatives. It also verifies that all keys are standard keys.
func TestListIsSimple(t *testing.T) {
	s := newServer(t, Options{})
	list, _ := s.listAs(t, ListOptions{})
	search, _ := s.listAs(t, ListOptions{Search: true})
	allowed := strings.Fields(
		`type properties required description enum default items additionalProperties
		minimum maximum exclusiveMinimum exclusiveMaximum minItems pattern`)
	for _, tool := range append(list, search...) {
		var input map[string]any
		if err := json.Unmarshal(tool.Input, &input); err != nil {
			t.Fatal(err)
		}
		walkSchema(input, "", func(path string, s map[string]any) {
			for key := range s {
				if !slices.Contains(allowed, key) {
					t.Errorf("%s%s: key %s", tool.Name, path, key)
				}
			}
			_, one := s["type"].(string)
			if open := len(s) == 0 && strings.HasSuffix(path, "/*"); !one && !open {
				t.Errorf("%s%s: type %v", tool.Name, path, s["type"])
			}
		})
		if tool.Description == "" || tool.Annotations["readOnlyHint"] != true ||
			input["type"] != "object" {
			t.Errorf("%s: %q, %v, type %v", tool.Name, tool.Description, tool.Annotations,
				input["type"])
		}
	}
}

// walkSchema calls f with a schema and, recursively, with the schemas of its members, items and
// values.
func walkSchema(s map[string]any, path string, f func(string, map[string]any)) {
	f(path, s)
	members, _ := s["properties"].(map[string]any)
	for name, m := range members {
		walkSchema(m.(map[string]any), path+"/"+name, f)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(map[string]any); ok {
			walkSchema(inner, path+"/*", f)
		}
	}
}

// TestListFitsExamples verifies that the compact schema accepts the input of every worked example.
// It also verifies that the schema shows every required field and every field that an example uses.
func TestListFitsExamples(t *testing.T) {
	s := newServer(t, Options{})
	list, _ := s.listAs(t, ListOptions{})
	for _, tool := range list {
		e, err := s.opt.Catalog.Find(tool.Name)
		if err != nil {
			t.Fatal(err)
		}
		compiled := schematest.Compile(t, tool.Input)
		var listed struct {
			Properties map[string]map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(tool.Input, &listed); err != nil {
			t.Fatal(err)
		}
		shown := listed.Properties
		for _, f := range e.Input.Fields {
			if f.Required && shown[f.Name] == nil {
				t.Errorf("%s: the required field %s is missing", tool.Name, f.Name)
			}
		}
		for _, x := range e.Examples {
			in, err := jsonschema.UnmarshalJSON(strings.NewReader(x.In))
			if err != nil {
				t.Fatal(err)
			}
			for name := range in.(map[string]any) {
				if shown[name] == nil {
					t.Errorf("%s: the field %s of an example is missing", tool.Name, name)
				}
			}
			// A field that accepts numbers and strings is listed as a string. For such a field, the
			// numbers of the example become strings.
			odd := false
			for name, v := range in.(map[string]any) {
				kind := shown[name]["type"]
				if _, text := v.(string); text && kind == "number" {
					odd = true // such as 12'6", which the description names
				}
				if n, ok := v.(json.Number); ok && kind == "string" {
					in.(map[string]any)[name] = n.String()
				}
			}
			if err := compiled.Validate(in); err != nil && !odd {
				t.Errorf("%s (%s): %v", tool.Name, x.Title, err)
			}
			if e.Heavy != nil {
				continue
			}
			raw, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Run(t.Context(), raw); err != nil {
				t.Errorf("%s (%s): %v", tool.Name, x.Title, err)
			}
		}
	}
}

// TestAdvancedInputs verifies that the compact form names every input of every tool. It also
// verifies that a call accepts inputs that the form lists by name only.
func TestAdvancedInputs(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	list, _ := s.listAs(t, ListOptions{})
	byName := map[string]toolInList{}
	for _, tool := range list {
		byName[tool.Name] = tool
		if isBatchTool(tool.Name) {
			continue
		}
		e, err := s.opt.Catalog.Find(tool.Name)
		if err != nil {
			t.Fatal(err)
		}
		var input struct{ Properties map[string]any }
		if err := json.Unmarshal(tool.Input, &input); err != nil {
			t.Fatal(err)
		}
		_, names, _ := strings.Cut(tool.Description, " More inputs: ")
		more := strings.Split(names, ", ")
		for _, f := range e.Input.Fields {
			listed := input.Properties[f.Name] != nil
			switch named := slices.Contains(more, f.Name); {
			case listed && named:
				t.Errorf("%s: %s has a schema and stands under More inputs", tool.Name, f.Name)
			case !listed && !named && f.Alias == "" && !slices.Contains(uncommonInputs(e), f.Name):
				t.Errorf("%s: %s is missing", tool.Name, f.Name)
			}
		}
		if len(tool.Description) > 1500 {
			t.Errorf("%s: the description has %d bytes", tool.Name, len(tool.Description))
		}
	}
	if d := byName["link_budget"].Description; !strings.Contains(d, "More inputs: ") ||
		!strings.Contains(d, ", pointing_loss_db, ") {
		t.Errorf("link_budget: %q", d)
	}
	if d := byName["fspl"].Description; strings.Contains(d, "More inputs") {
		t.Errorf("fspl: %q", d)
	}
	// Without the pointing loss, the received power is 20 dBm + 2·2.15 dBi - 105.6556 dB of
	// free-space loss = -81.36 dBm.
	_, r := s.call(t, callBody("link_budget",
		`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"pointing_loss_db":3}`, ""), nil)
	var result struct {
		Power float64 `json:"rx_power_dbm"`
	}
	if err := json.Unmarshal(r.Result.Structured, &result); err != nil {
		t.Fatal(err)
	}
	if want := 20 + 2*2.15 - 105.6556 - 3; math.Abs(result.Power-want) > 0.001 {
		t.Errorf("link_budget with an advanced input: %g dBm, want %g", result.Power, want)
	}
}

// TestParseListOptions verifies the query parameters schemas and mode.
func TestParseListOptions(t *testing.T) {
	for _, c := range []struct {
		schemas, mode string
		want          ListOptions
		wrong         string
	}{
		{"", "", ListOptions{}, ""},
		{"compact", "list", ListOptions{}, ""},
		{"full", "", ListOptions{Full: true}, ""},
		{"full", "search", ListOptions{Full: true, Search: true}, ""},
		{"short", "", ListOptions{}, `schemas: unknown "short"; must be compact or full`},
		{"", "find", ListOptions{}, `mode: unknown "find"; must be list or search`},
	} {
		got, err := ParseListOptions(c.schemas, c.mode)
		if c.wrong != "" {
			if err == nil || err.Error() != c.wrong {
				t.Errorf("%q %q: %v", c.schemas, c.mode, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%q %q: %+v, %v", c.schemas, c.mode, got, err)
		}
	}
}

// TestFindTools verifies that searches in the words of a user find the expected tools.
func TestFindTools(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	for query, want := range map[string]string{
		"free space path loss":                   "fspl",
		"how long does a battery last":           "battery_life",
		"LoRa time on air":                       "lora_airtime",
		"AWG wire size":                          "wire_gauge",
		"usable capacity of a ZFS pool":          "zfs_capacity",
		"simulate a circuit netlist":             "spice_simulate",
		"route a printed circuit board, gerbers": "pcb_layout",
		"monthly payment of a mortgage":          "loan_amortization",
		"IPv4 subnet mask":                       "subnet_calculator",
		"NE555":                                  "timer_555",
		"solar panel size":                       "solar_sizing",
		"convert units miles to km":              "unit_convert",
		"cable loss":                             "link_budget",
		"goal seek":                              batchRunName,
		"decibel":                                "dbm_convert",
		"transformer":                            "spice_simulate",
		"Sallen-Key":                             "spice_simulate",
		"thermistor":                             "spice_simulate",
		"E24 nearest value":                      "resistor_color_code",
	} {
		_, r := s.call(t, callBody("find_tools", `{"query":"`+query+`","limit":3}`, ""), nil)
		var found struct {
			Tools []struct {
				Name  string
				Input map[string]any `json:"input_schema"`
			}
		}
		if err := json.Unmarshal([]byte(r.text()), &found); err != nil {
			t.Fatalf("%q: %v %+v", query, err, r)
		}
		var names []string
		for _, f := range found.Tools {
			names = append(names, f.Name)
			if f.Input["properties"] == nil {
				t.Errorf("%s has no schema", f.Name)
			}
		}
		if !slices.Contains(names, want) {
			t.Errorf("%q: %v", query, names)
		}
	}
	for _, c := range []struct {
		query string
		limit int
		first string
		batch bool
	}{
		{"lora_param_optimizer", 1, "lora_param_optimizer", false},
		{"lora_param_optimizer", 3, "lora_param_optimizer", false},
		{"AC frequency sweep of a netlist", 3, "spice_simulate", false},
		{"solar energy yield", 2, "", false},
		{"Monte-Carlo of a voltage divider", 1, "voltage_divider", false},
		{"Monte-Carlo of a voltage divider", 2, "voltage_divider", true},
		{"goal seek", 1, batchRunName, true},
	} {
		_, r := s.call(t, callBody("find_tools", fmt.Sprintf(`{"query":%q,"limit":%d}`, c.query,
			c.limit), ""), nil)
		var found struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal([]byte(r.text()), &found); err != nil ||
			len(found.Tools) == 0 || len(found.Tools) > c.limit ||
			c.first != "" && found.Tools[0].Name != c.first ||
			strings.Contains(r.text(), `"name":"`+batchRunName) != c.batch {
			t.Errorf("%q, limit %d: %v %+v", c.query, c.limit, err, found)
		}
	}
	// The complete schema of pcb_layout has 16 kB.
	for query, complete := range map[string]bool{"pcb layout": false, "pcb_layout": true} {
		_, r := s.call(t, callBody("find_tools", `{"query":"`+query+`","limit":1}`, ""), nil)
		hasSchema := strings.Contains(r.text(), `"mask_web_mm":{`)
		namesMore := strings.Contains(r.text(), `mask_web_mm, `) &&
			strings.Contains(r.text(), `The query \"pcb_layout\" returns the complete schema`)
		if hasSchema != complete || namesMore == complete || !complete && len(r.text()) > 8000 {
			t.Errorf("%q: %d bytes, complete %t, more %t", query, len(r.text()), hasSchema,
				namesMore)
		}
	}
	for arguments, want := range map[string]string{
		`{}`:                              "query: is required",
		`{"query":5}`:                     "query: must be a text, got 5",
		`{"query":"path","limit":0}`:      "limit: must be a whole number from 1 to 20, got 0",
		`{"query":"path","limit":"many"}`: "got \"many\"",
		`{"query":"zzzz"}`:                `"rf":["fspl",`,
	} {
		_, r := s.call(t, callBody("find_tools", arguments, ""), nil)
		if !strings.Contains(r.text(), want) ||
			r.Result.IsError == strings.Contains(arguments, "zzzz") {
			t.Errorf("%s: %+v", arguments, r)
		}
	}
	long := `{"query":"` + strings.Repeat("a ", 501) + `"}`
	if _, r := s.call(t, callBody("find_tools", long, ""), nil); !r.Result.IsError ||
		!strings.Contains(r.text(), "query: must have at most 1000 bytes, has 1002") {
		t.Errorf("%+v", r)
	}
	only, _ := Select(s.opt.Catalog, "mesh")
	_, r := s.call(t, callBody("find_tools", `{"query":"path loss"}`, ""), nil, Caller{Only: only})
	if strings.Contains(r.text(), "fspl") {
		t.Errorf("a tool outside of the selection: %s", r.text())
	}
}

// TestCallTool verifies that call_tool returns the response of a direct call.
func TestCallTool(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	direct, _ := s.call(t, callBody("fspl", `{"freq_mhz":915,"dist_km":5}`, ""), nil)
	for _, arguments := range []string{
		`{"name":"fspl","arguments":{"freq_mhz":915,"dist_km":5}}`,
		`{"tool":"fspl","arguments":{"freq_mhz":915,"dist_km":5}}`,
		`{"name":"fspl","freq_mhz":915,"dist_km":5}`,
	} {
		if a, _ := s.call(t, callBody("call_tool", arguments, ""), nil); !bytes.Equal(a.Body,
			direct.Body) {
			t.Errorf("%s: %s", arguments, a.Body)
		}
	}
	queued := `{"name":"spice_simulate","arguments":{"netlist":"divider\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end"}}`
	if _, r := s.call(t, callBody("call_tool", queued, ""), nil); r.Result.IsError ||
		!strings.Contains(r.text(), "v(out)") {
		t.Errorf("%+v", r)
	}
	for arguments, want := range map[string]string{
		`{}`:                               "call_tool: name: is required",
		`{"name":"fslp","arguments":{}}`:   "did you mean fspl",
		`{"name":"fspl"}`:                  "freq_mhz: is required",
		`{"name":"call_tool"}`:             "there is no tool",
		`{"name":"fspl","arguments":null}`: "freq_mhz: is required",
	} {
		if _, r := s.call(t, callBody("call_tool", arguments, ""), nil); !r.Result.IsError ||
			!strings.Contains(r.text(), want) {
			t.Errorf("%s: %+v", arguments, r)
		}
	}
	find := `{"name":"find_tools","arguments":{"query":"path loss"}}`
	if _, r := s.call(t, callBody("call_tool", find, ""), nil); r.Result.IsError ||
		!strings.Contains(r.text(), `"fspl"`) {
		t.Errorf("%+v", r)
	}
	only, _ := Select(s.opt.Catalog, "mesh")
	_, r := s.call(t, callBody("call_tool", `{"name":"fspl","arguments":{}}`, ""), nil,
		Caller{Only: only})
	if !r.Result.IsError || !strings.Contains(r.text(), "?tools=") {
		t.Errorf("%+v", r)
	}
}

// TestInstructions verifies that the instructions in the handshake name the search tools and the
// query parameters that narrow the list.
func TestInstructions(t *testing.T) {
	s := newServer(t, Options{})
	a, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, nil)
	var homelab int
	for _, category := range s.opt.Catalog.Categories {
		if category.Name == "homelab" {
			homelab = len(category.Tools)
		}
	}
	for _, part := range []string{"?tools=", "?mode=search", "find_tools", "call_tool",
		fmt.Sprintf("homelab (%d)", homelab),
		fmt.Sprintf("%d tools", len(s.opt.Catalog.All()))} {
		if !strings.Contains(string(a.Body), part) {
			t.Errorf("without %q: %s", part, a.Body)
		}
	}
}
