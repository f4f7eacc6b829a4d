package mcp

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"slipstick/internal/rawjson"
)

// scriptedAgent is an MCP client. It knows only the protocol, the server's instructions, and the
// responses of find_tools and of calls.
type scriptedAgent struct {
	*testing.T
	server *Server
}

func newScriptedAgent(t *testing.T) *scriptedAgent {
	a := &scriptedAgent{t, newServer(t, Options{InProcess: true})}
	response, _ := a.server.statelessRequest(t, "server/discover", "", nil)
	instructions := string(response.Body)
	for _, word := range []string{"find_tools finds a tool by words",
		"call_tool calls any tool by name", "parts, which are resources",
		"batch_run runs a tool many times"} {
		if !strings.Contains(instructions, word) {
			t.Fatalf("the instructions lack %q: %s", word, instructions)
		}
	}
	return a
}

// request sends a tool call and returns its result.
func (a *scriptedAgent) request(tool string, arguments any) rpc {
	a.Helper()
	params, err := rawjson.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		a.Fatal(err)
	}
	_, r := a.server.statelessRequest(a.T, "tools/call", strings.TrimSuffix(string(params[1:]), "}"),
		nil)
	if r.Error != nil {
		a.Fatalf("%s: %+v", tool, r.Error)
	}
	return r
}

// find returns the best tool for some words.
func (a *scriptedAgent) find(words string) foundTool {
	a.Helper()
	r := a.request("find_tools", map[string]any{"query": words})
	var found foundTools
	if err := json.Unmarshal([]byte(r.text()), &found); err != nil || len(found.Tools) == 0 {
		a.Fatalf("%s: %v %s", words, err, r.text())
	}
	return found.Tools[0]
}

// solve finds a tool and calls it with the facts for which its schema has fields. If an error
// contains a corrected call, solve makes that call. It returns the result and the number of calls.
func (a *scriptedAgent) solve(words string,
	facts map[string]any) (r rpc, result map[string]any, calls int) {
	a.Helper()
	tool := a.find(words)
	fields := tool.InputSchema["properties"].(map[string]any)
	arguments := map[string]any{}
	for name, value := range facts {
		if _, ok := fields[name]; ok {
			arguments[name] = value
		}
	}
	for calls = 1; ; calls++ {
		r = a.request("call_tool", map[string]any{"name": tool.Name, "arguments": arguments})
		if !r.Result.IsError {
			break
		}
		_, corrected, ok := strings.Cut(r.text(), "Corrected call: ")
		var call struct{ Arguments map[string]any }
		if !ok || calls > 3 || json.Unmarshal([]byte(corrected), &call) != nil {
			a.Fatalf("%s: %s", tool.Name, r.text())
		}
		arguments = call.Arguments
	}
	if err := json.Unmarshal(r.Result.Structured, &result); err != nil {
		a.Fatal(err)
	}
	return r, result, calls
}

// read returns the text of a resource.
func (a *scriptedAgent) read(uri string) string {
	a.Helper()
	params, err := rawjson.Marshal(map[string]string{"uri": uri})
	if err != nil {
		a.Fatal(err)
	}
	_, r := a.server.statelessRequest(a.T, "resources/read",
		strings.TrimSuffix(string(params[1:]), "}"), nil)
	return r.contents(a.T)
}

// part finds a part in the list of parts of a response. It returns the line, the URI of the job,
// and the groups of pattern.
func (a *scriptedAgent) part(r rpc, pattern string) []string {
	a.Helper()
	found := regexp.MustCompile(`(?m)^- (slipstick://jobs/[0-9a-f]{32})` +
		pattern).FindStringSubmatch(r.text())
	if found == nil {
		a.Fatalf("no part %s: %s", pattern, r.text())
	}
	return found
}

// near fails the test unless the number in a field of a result is within tolerance of want.
func (a *scriptedAgent) near(result map[string]any, field string, want, tolerance float64) {
	a.Helper()
	got, ok := result[field].(float64)
	if !ok || got < want-tolerance || got > want+tolerance {
		a.Errorf("%s is %v, want %g", field, result[field], want)
	}
}

// TestScriptedAgent verifies the results of complete engineering tasks that the agent solves.
func TestScriptedAgent(t *testing.T) {
	t.Run("link budget", func(t *testing.T) {
		a := newScriptedAgent(t)
		facts := map[string]any{"freq_mhz": 868, "dist_km": 2.5, "tx_dbm": 14,
			"rx_sensitivity_dbm": -137}
		_, loss, _ := a.solve("free-space path loss", facts)
		a.near(loss, "fspl_db", 99.18, 0.01) // 20 log10(4 π · 2500 m · 868 MHz / c), by hand
		facts["fspl_db"] = loss["fspl_db"]
		_, budget, calls := a.solve("link budget margin", facts)
		a.near(budget, "rx_power_dbm", 14+2.15+2.15-99.18, 0.01)
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
	t.Run("board from a KiCad netlist", func(t *testing.T) {
		a := newScriptedAgent(t)
		raw, err := os.ReadFile("../examples/boards/rs485_node.json")
		if err != nil {
			t.Fatal(err)
		}
		var facts map[string]any
		if err := json.Unmarshal(raw, &facts); err != nil {
			t.Fatal(err)
		}
		r, board, _ := a.solve("PCB layout from a netlist, with Gerber files", facts)
		if board["status"] != "complete" {
			t.Errorf("status %v", board["status"])
		}
		images := 0
		for _, c := range r.Result.Content {
			if c.Type == "image" {
				images++
			}
		}
		if images != 2 {
			t.Errorf("%d pictures", images)
		}
		files := a.part(r, `/files/\{name\}: (.*)$`)
		names := regexp.MustCompile(`([^ ,]+) \d+ k?B`).FindAllStringSubmatch(files[2], -1)
		if len(names) < 15 {
			t.Fatalf("files %s", files[2])
		}
		for _, name := range names {
			if text := a.read(files[1] + "/files/" + name[1]); len(text) < 50 {
				t.Errorf("%s: %q", name[1], text)
			}
		}
		if nets := a.read(a.part(r, `/nets: `)[1] + "/nets"); !strings.Contains(nets,
			`"routed":true`) {
			t.Errorf("nets %s", nets)
		}
	})
	t.Run("ZFS pool", func(t *testing.T) {
		a := newScriptedAgent(t)
		r, pool, _ := a.solve("usable capacity of a ZFS pool", map[string]any{
			"raid_level": "raidz2", "drive_size_tb": 4, "drives_per_vdev": 6,
		})
		a.near(pool, "raw_tb", 24, 1e-9)
		if !strings.Contains(r.text(), "usable") {
			t.Errorf("%s", r.text())
		}
	})
	t.Run("wire with a mistake", func(t *testing.T) {
		a := newScriptedAgent(t)
		_, wire, calls := a.solve("wire size for a current and a distance", map[string]any{
			"current_a": "20 A", "voltage_v": 12, "length_m": 5, "material": "coper",
		})
		if calls != 2 {
			t.Errorf("%d calls, want the second with the corrected material", calls)
		}
		// NEC chapter 9 table 8 gives 1.61 Ω/km for 6 AWG of 75 °C copper, so 2·20 A·5 m drop 0.322
		// V (2.7 %). 8 AWG with 2.551 Ω/km would drop 0.51 V, above 3 %.
		if awg := wire["awg"]; awg != "6" {
			t.Errorf("size %v of %v", awg, wire)
		}
	})
	t.Run("op-amp Monte Carlo", func(t *testing.T) {
		a := newScriptedAgent(t)
		tool := a.find("gain of an inverting op-amp amplifier")
		fields := tool.InputSchema["properties"].(map[string]any)
		request := map[string]any{
			"tool": tool.Name, "mode": "lhs", "n": 2000, "seed": 7,
			"input": map[string]any{"configuration": "inverting", "rin_ohm": 10_000,
				"rf_ohm": 100_000},
			"collect": []string{"gain"},
			"limits":  map[string]any{"gain": map[string]any{"min": -10.5, "max": -9.5}},
		}
		var vary []any
		for _, name := range []string{"rin_ohm", "rf_ohm"} {
			if fields[name] == nil {
				t.Fatalf("%s has no field %s", tool.Name, name)
			}
			vary = append(vary, map[string]any{"field": "/" + name, "tolerance_pct": 5})
		}
		request["vary"] = vary
		r := a.request("batch_run", request)
		var b struct {
			ID      string
			State   string
			Summary *struct {
				Yield struct {
					Pct     float64 `json:"pct"`
					LowPct  float64 `json:"low_pct"`
					HighPct float64 `json:"high_pct"`
				}
			}
		}
		for polls := 0; ; polls++ {
			if err := json.Unmarshal(r.Result.Structured, &b); err != nil || r.Result.IsError ||
				polls > 100 {
				t.Fatalf("%v %s", err, r.text())
			}
			if b.Summary != nil {
				break
			}
			r = a.request("batch_status", map[string]any{"id": b.ID})
		}
		// Both resistors are uniform within 5 %, so their relative values fill a square of area
		// 0.01. The gain is -Rf/Rin. The part of the square with 9.5 ≤ Rf/Rin ≤ 10.5 has the area
		// 0.0036875 + 0.0038125 = 0.0075, which is 75 %.
		if y := b.Summary.Yield; b.State != "done" || y.Pct < 74 || y.Pct > 76 || y.LowPct > 75 ||
			y.HighPct < 75 {
			t.Errorf("%s, yield %+v, want 75 %%", b.State, y)
		}
		if !strings.Contains(r.text(), "yield") || len(r.Result.Content) < 2 ||
			r.Result.Content[1].Type != "image" {
			t.Errorf("no yield or no picture: %s", r.text())
		}
		page := a.request("batch_results", map[string]any{"id": b.ID, "limit": 50})
		_, table, _ := strings.Cut(page.text(), "index,")
		lines := strings.Split(strings.TrimSpace("index,"+table), "\n")
		names := strings.Split(lines[0], ",")
		checked := 0
		for _, line := range lines[1:] {
			cells := strings.Split(line, ",")
			if len(cells) != len(names) {
				continue // a note after the rows
			}
			value := map[string]float64{}
			for i, name := range names {
				if name != "error" {
					x, err := strconv.ParseFloat(cells[i], 64)
					if err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					value[name] = x
				}
			}
			if got, want := value["gain"],
				-value["/rf_ohm"]/value["/rin_ohm"]; math.Abs(got-want) > 1e-9 {
				t.Errorf("row %s: gain %g, want %g", line, got, want)
			}
			checked++
		}
		if checked != 50 {
			t.Errorf("%d rows of 50: %.300s", checked, page.text())
		}
	})
	t.Run("part of a transient", func(t *testing.T) {
		a := newScriptedAgent(t)
		r, _, _ := a.solve("circuit simulation of a SPICE netlist", map[string]any{
			"netlist": "rc\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 100n\nV2 clk 0 SIN(0 1 100k)\nR2 clk 0 1k\n.tran 0.1u 1m\n.end",
		})
		found := a.part(r, `(\?vectors=v%28out%29&from=)&to=&points=200`)
		var window struct {
			Points  int
			Vectors map[string][]float64
		}
		uri := found[1] + found[2] + "5e-4&to=1e-3&points=100"
		if err := json.Unmarshal([]byte(a.read(uri)), &window); err != nil {
			t.Fatal(err)
		}
		v := window.Vectors["v(out)"]
		// 1 - exp(-5)
		if window.Points > 100 || window.Points < 2 || v[0] < 0.99 ||
			window.Vectors["time"][0] < 5e-4 {
			t.Errorf("%d points from %g", window.Points, v[0])
		}
	})
}
