package batch

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// TestModes compares the values of each mode with values derived by hand.
func TestModes(t *testing.T) {
	show := func(p *Plan) (out []string) {
		for i := range p.Runs() {
			out = append(out, string(p.Input(i)))
		}
		return out
	}
	p := newPlan(t, `{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [1, 2]}, {"field": "/freq_mhz", "from": 3, "to": 1, "points": 2}]}`)
	want := []string{`{"dist_km":1,"freq_mhz":3}`, `{"dist_km":1,"freq_mhz":1}`,
		`{"dist_km":2,"freq_mhz":3}`, `{"dist_km":2,"freq_mhz":1}`}
	if got := show(p); !slices.Equal(got, want) {
		t.Errorf("grid %q", got)
	}
	p = newPlan(t, `{"tool": "fspl", "mode": "zip", "vary": [{"field": "/dist_km", "values": [1, 2]}, {"field": "/freq_mhz", "from": 3, "to": 1, "points": 2}]}`)
	if got := show(p); !slices.Equal(got, []string{want[0], want[3]}) {
		t.Errorf("zip %q", got)
	}
	p = newPlan(t, `{"tool": "fspl", "mode": "list", "input": {"dist_km": 1, "freq_mhz": 2}, "inputs": [{}, {"freq_mhz": 5}]}`)
	if got := show(p); !slices.Equal(got, []string{`{"dist_km":1,"freq_mhz":2}`,
		`{"dist_km":1,"freq_mhz":5}`}) {
		t.Errorf("list %q", got)
	}
	dry, err := p.Check(t.Context())
	if err != nil || dry.RunsTotal != 2 || dry.RunsInvalid != 0 || len(dry.First) != 2 {
		t.Errorf("%v %+v", err, dry)
	}
	dry, err = newPlan(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "vary": [{"field": "/dist_km", "from": -2, "to": 2, "points": 5}]}`).Check(t.Context())
	if err != nil || dry.RunsInvalid != 3 {
		t.Errorf("%v %+v", err, dry)
	}
}

// TestListKeepsNoCopies verifies that a plan of many inputs holds the base input once.
func TestListKeepsNoCopies(t *testing.T) {
	const inputs, base = 1000, 100_000
	request := fmt.Sprintf(`{"tool": "fspl", "mode": "list",
		"input": {"x": %q, "freq_mhz": 1}, "inputs": [%s{"dist_km": 2}]}`,
		strings.Repeat("x", base), strings.Repeat(`{"dist_km": 1},`, inputs-1))
	r, err := Parse([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := NewPlan(all, r); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	perPlan := after.TotalAlloc - before.TotalAlloc
	if perPlan > inputs*base/10 {
		t.Errorf("a plan allocates %d bytes", perPlan)
	}
}

// TestInvalid verifies that every invalid request names its field.
func TestInvalid(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	vary := `"vary": [{"field": "/dist_km", "values": [1]}]`
	for request, want := range map[string]string{
		`{}`: "tool",
		`{"tool": "cooling_btu", "mode": "random", "n": 10, "input": {"people": 2},
			"vary": [{"field": "/people", "tolerance_pct": 50}]}`: "vary[0]: draws fractions, and /people takes whole numbers only",
		`{"tool": "cooling_btu", "mode": "lhs", "n": 10,
			"vary": [{"field": "/people", "distribution": "uniform", "min": 1, "max": 9}]}`: "vary[0]: draws fractions",
		`{"tool": "wire_gauge", "input": {"current_a": 20, "voltage_v": 12}, "collect": ["awg"],
			"limits": {"awg": {"min": 4}}, "vary": [{"field": "/length_m", "values": [1, 9]}]}`: "limits.awg: is a text",
		`{"tool": "fspl"}`: "vary: is required",
		`{"tool": "fspl", "runs": 3, ` + vary +
			`}`: "runs: is not a field",
		`{"tool": "fspl", "n": 3, ` + vary +
			`}`: "n: belongs to",
		`{"tool": "fspl", "target": {"name": "fspl_db", "value": 1}, ` + vary +
			`}`: "target: belongs to solve",
		`{"tool": "fspl", "mode": "solve", "n": 32, "target": {"name": "fspl_db", "value": 1},
			"vary": [{"field": "/dist_km", "from": 1, "to": 2}]}`: "n: must be at least 33",
		`{"tool": "fspl", "collect": ["/fspl_dbm"], ` + vary +
			`}`: "nearest: fspl_db",
		`{"tool": "fspl", "collect": ["/warnings"], ` + vary +
			`}`: "leads to a array",
		`{"tool": "fspl", "collect": [{"name": "x", "vector": "v(a)", "reduce": "max"}], ` + vary +
			`}`: "fspl has none",
		`{"tool": "fspl", "collect": ["fspl_db", "fspl_db"], ` + vary +
			`}`: "collect[1]",
		`{"tool": "fspl", "limits": {"x": {"min": 1}}, ` + vary +
			`}`: "limits.x",
		`{"tool": "fspl", "limits": {"fspl_db": {"min": 2, "max": 1}}, ` + vary +
			`}`: "must not exceed max",
		`{"tool": "fspl", "vary": [{"field": "/dist_kn", "values": [1]}]` +
			`}`: "nearest: dist_km",
		`{"tool": "fspl", "vary": [{"field": "dist_km", "values": [1]}]` +
			`}`: "must be a JSON pointer such as /dist_km, got",
		`{"tool": "fspl", "mode": "random", "n": 3, "input": {"dist_km": 5},
			"vary": [{"field": "dist_km", "tolerance_pct": 5}]}`: `such as /dist_km, got "dist_km"`,
		`{"tool": "link_budget", "mode": "random", "n": 3, "input": {"tx_dbm": 0},
			"vary": [{"field": "/tx_dbm", "tolerance_pct": 5}]}`: "needs a base value other than 0",
		`{"tool": "link_budget", "mode": "random", "n": 3,
			"vary": [{"field": "/rx_cable_m", "tolerance_pct": 5}]}`: "needs a base value other than 0",
		`{"tool": "fspl", "vary": [{"field": "param:x", "values": [1]}]` +
			`}`: "names a part of a netlist, which fspl has not",
		`{"tool": "spice_simulate", "vary": [{"field": "element:R1", "values": [1]}]` +
			`}`: "needs the netlist as a string in input.netlist",
		`{"tool": "fspl", "vary": [{"field": "/dist_km"}]` +
			`}`: "no source",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [1], "from": 1, "to": 2, "points": 2}]}`: "two sources",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 2}]` +
			`}`: "points",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 0, "to": 2, "points": 2, "scale": "log"}]}`: "above 0",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "distribution": "uniform", "min": 1, "max": 2}]}`:   "belongs to random",
		`{"tool": "fspl", "mode": "random", "n": 3, ` + vary +
			`}`: "needs a distribution",
		`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km", "tolerance_pct": 1}]}`:                                                       "needs a base value",
		`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km", "distribution": "normal", "mean": 1}]}`:                                      "sigma: is required",
		`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km", "distribution": "normal", "mean": 1, "sigma": 1, "min": 0}]}`:                "min: does not belong",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [1]}, {"field": "/dist_km", "values": [2]}]}`:                                                "is varied by entry 0 too",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 2, "points": 100001}, {"field": "/freq_mhz", "from": 1, "to": 2, "points": 100001}]}`: "more than 100000 runs",
		`{"tool": "fspl", "mode": "zip", "vary": [{"field": "/dist_km", "values": [1]}, {"field": "/freq_mhz", "values": [2, 3]}]}`:                             "equal numbers",
		`{"tool": "fspl", "mode": "solve", "target": {"name": "fspl_db", "value": 1}, ` + vary +
			`}`: "needs from and to",
		`{"tool": "fspl", "mode": "minimize", "vary": [{"field": "/dist_km", "from": 1, "to": 2}]}`: "objective: is required",
	} {
		r, err := Parse([]byte(request))
		if err == nil {
			_, err = NewPlan(all, r)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", request, err, want)
		}
	}
}

// TestInvalidFields verifies that overlapping fields, text within a netlist, draws beyond the
// largest number, and searches over one whole number are rejected.
func TestInvalidFields(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	simulate := func(vary string) string {
		return `{"tool": "spice_simulate", "vary": [` + vary + `],
			"input": {"netlist": "t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end"}}`
	}
	for _, c := range []struct{ name, request, want string }{
		{"netlist and element", simulate(`{"field": "element:r1", "values": [1]},
			{"field": "/netlist", "values": ["t"]}`), "another entry varies"},
		{"member before its object", `{"tool": "spice_template", "vary": [
			{"field": "/params/r1", "values": [1]}, {"field": "/params", "values": [{}]}]}`,
			"vary[0].field: lies inside"},
		{"text in a netlist", simulate(`{"field": "element:r1", "values": [1, "2k"]}`),
			"vary[0].values[1]: must be a number"},
		{"lognormal overflow",
			`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km",
			"distribution": "lognormal", "median": 1, "sigma_ln": 500}]}`,
			"beyond the largest number"},
		{"one whole number", `{"tool": "lora_airtime", "mode": "minimize",
			"objective": "airtime_ms",
			"vary": [{"field": "/payload_bytes", "from": 1.2, "to": 2.9}]}`,
			"vary[0]: needs two whole numbers from 1.2 to 2.9"},
	} {
		r, err := Parse([]byte(c.request))
		if err == nil {
			_, err = NewPlan(all, r)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzPlan verifies that no request makes a plan panic, and that every input of a plan is JSON.
func FuzzPlan(f *testing.F) {
	f.Add(
		[]byte(
			`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 2, "points": 2}]}`))
	f.Add([]byte(`{"tool": "friis_cascade", "mode": "random", "n": 2, "input": {"stages": [{"gain_db": 1}]}, "vary": [{"field": "/stages/0/gain_db", "tolerance_pct": 5}]}`))
	f.Add([]byte(`{"tool": "spice_simulate", "input": {"netlist": "t\nR1 a 0 1k\n.param x=2"}, "vary": [{"field": "param:x", "values": [1]}, {"field": "element:R1", "values": [1]}]}`))
	f.Add([]byte(`{"tool": "fspl", "mode": "solve", "target": {"name": "fspl_db", "value": 3}, "vary": [{"field": "/dist_km", "from": 1, "to": 2}]}`))
	all, err := catalog.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Parse(body)
		if err != nil {
			return
		}
		p, err := NewPlan(all, r)
		if err != nil || p.Searches() {
			return
		}
		for i := range min(p.Runs(), 20) {
			if input := p.Input(i); !json.Valid(input) {
				t.Fatalf("run %d: %s", i, input)
			}
		}
	})
}
