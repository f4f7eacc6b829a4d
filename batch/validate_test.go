package batch

import (
	"slices"
	"strings"
	"testing"

	"slipstick/tools"
)

// TestValidate verifies which requests are rejected for their base input, with the paths of the
// errors, and which unknown fields give a warning. An error that depends on the run is none of the
// request.
func TestValidate(t *testing.T) {
	const vary = `"vary": [{"field": "/dist_km", "values": [1, 2, -3]}]}`
	const spice = `{"tool": "spice_simulate", "input": {"netlist": `
	const list = `{"tool": "fspl", "mode": "list", `
	for name, c := range map[string]struct {
		request, want string // paths of the errors
		warnings      int
	}{
		"valid": {`{"tool": "fspl", "input": {"freq_mhz": 9}, ` + vary, "", 0},
		"label": {`{"tool": "fspl", "label": "a\u202eb", "input": {"freq_mhz": 9}, ` + vary,
			"label", 0},
		"unknown": {`{"tool": "fspl", "input": {"freq_mhz": 9, "foo": 1}, ` + vary, "", 1},
		"type":    {`{"tool": "fspl", "input": {"freq_mhz": "abc"}, ` + vary, "input.freq_mhz", 0},
		"type of a varied field": {`{"tool": "fspl", "input": {"freq_mhz": 9, "dist_km": "x"}, ` +
			vary, "", 0},
		"missing": {`{"tool": "fspl", ` + vary, "input.freq_mhz", 0},
		"twice": {`{"tool": "fspl", "input": {"freq_mhz": 9, "freq_mhz": 8}, ` + vary,
			"input.freq_mhz", 0},
		"varied field twice": {`{"tool": "fspl", "input": {"freq_mhz": 9, "dist_km": 1,
			"dist_km": 2}, ` + vary, "input.dist_km", 0},
		"varied values": {`{"tool": "fspl", "input": {"freq_mhz": 9},
			"vary": [{"field": "/dist_km", "values": [-1, -2]}]}`, "", 0},
		"in a list": {`{"tool": "noise_figure_cascade", "input": {"stages": [{"gain_db": 1, "nf_db": "x"}]},
			"vary": [{"field": "/stages/0/gain_db", "values": [1, 2]}]}`, "input.stages[0].nf_db", 0},
		"rule of the tool": {`{"tool": "link_budget", "input": {"tx_dbm": 20, "freq_mhz": 915,
			"tx_cable_m": 2}, "vary": [{"field": "/dist_km", "values": [1, 2]}]}`,
			"input.cable_type", 0},
		"rule of the tool for all but one run": {`{"tool": "link_budget", "input": {"tx_dbm": 20,
			"freq_mhz": 915, "dist_km": 1}, "vary": [{"field": "/tx_cable_m",
			"values": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 17]}]}`, "", 0},
		"rule of the tool for all but some runs of a search": {`{"tool": "link_budget",
			"mode": "minimize", "objective": "margin_db", "n": 60, "input": {"tx_dbm": 20,
			"freq_mhz": 915, "dist_km": 1}, "vary": [{"field": "/tx_cable_m",
			"values": [1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 11, 12, 13, 14, 15, 16, 17]}]}`, "", 0},
		"rule of the tool for all runs of a search": {`{"tool": "link_budget",
			"mode": "minimize", "objective": "margin_db", "n": 60, "input": {"tx_dbm": 20,
			"freq_mhz": 915, "dist_km": 1}, "vary": [{"field": "/tx_cable_m",
			"values": [1, 2, 3, 4]}]}`, "input.cable_type", 0},
		"search": {`{"tool": "fspl", "mode": "solve", "input": {"freq_mhz": -1},
			"vary": [{"field": "/dist_km", "from": 1, "to": 2}],
			"target": {"name": "fspl_db", "value": 3}}`, "input.freq_mhz", 0},
		"entry of a list": {list + `"input": {"freq_mhz": 9},
			"inputs": [{"dist_km": "x"}, {"dist_km": 1, "foo": 2}, {"foo": 3}]}`, "", 1},
		"entry twice": {list + `"input": {"freq_mhz": 9},
			"inputs": [{"dist_km": 1}, {"dist_km": 1, "dist_km": 2}]}`, "inputs[1].dist_km", 0},
		"base of a list":       {list + `"inputs": [{"dist_km": 1}]}`, "input.freq_mhz", 0},
		"replaced by each":     {list + `"input": {"dist_km": 1}, "inputs": [{"freq_mhz": 1}]}`, "", 0},
		"netlist":              {spice + `"t\nV1 a 0 1\nR1 a 0 zz\n.op\n.end"}, "vary": [{"field": "element:V1", "values": [1, 2]}]}`, "input.netlist", 0},
		"netlist, no analysis": {spice + `"t\nV1 a 0 1\nR1 a 0 1\n.end"}, "vary": [{"field": "element:V1", "values": [1, 2]}]}`, "input.netlist", 0},
		"netlist, valid":       {spice + `"t\nV1 a 0 1\nR1 a 0 1\n.op\n.end"}, "vary": [{"field": "element:V1", "values": [1, 2]}]}`, "", 0},
		"netlist of some runs": {spice + `"t\nV1 a 0 1\nR1 a 0 1\n.op\n.end"}, "vary": [{"field": "element:R1", "values": [0, 2]}]}`, "", 0},
		"names of the netlist": {spice + `"t\nV1 a 0 1\nX1 a rc\n.subckt rc b\nR1 b 0 1\n.ends\n.tran 1 2\n.meas tran vm max v(a)\n.end"},
			"collect": [{"name": "x", "measure": "VM"}, {"name": "y", "vector": "V(A)", "reduce": "max"}, {"name": "z", "vector": "i(x1.r1)", "reduce": "max"},
			{"name": "t", "vector": "time", "reduce": "last"}], "vary": [{"field": "element:V1", "values": [1, 2]}]}`, "", 0},
		"names that the netlist lacks": {spice + `"t\nV1 a 0 1\nR1 a 0 1\n.tran 1 2\n.meas tran vm max v(a)\n.end"},
			"collect": [{"name": "x", "measure": "vmax"}, {"name": "y", "vector": "v(out)", "reduce": "max"}], "vary": [{"field": "element:V1", "values": [1, 2]}]}`,
			"collect[0].measure collect[1].vector", 0},
		"parts of names of the netlist": {spice + `"t\nV1 out 0 1\nR1 out 0 1\n.tran 1 2\n.meas tran vmax max v(out)\n.end"},
			"collect": [{"name": "x", "measure": "vm"}, {"name": "y", "vector": "v(ou)", "reduce": "max"}], "vary": [{"field": "element:V1", "values": [1, 2]}]}`,
			"collect[0].measure collect[1].vector", 0},
		"current in a subcircuit": {spice + `"t\n.subckt s a b\nVsense a c 0\nR1 c b 1\n.ends\nV1 a 0 1\nX1 a 0 s\n.tran 1 2\n.end"},
			"collect": [{"name": "y", "vector": "i(v.x1.vsense)", "reduce": "max"}], "vary": [{"field": "element:V1", "values": [1, 2]}]}`, "", 0},
		"names of a varied netlist": {`{"tool": "spice_simulate", "mode": "list", "inputs": [{"netlist": "t\nV1 b 0 1\n.op\n.end"}], "input": {"netlist": "t\nV1 a 0 1\n.op\n.end"},
			"collect": [{"name": "y", "vector": "v(b)", "reduce": "max"}]}`, "", 0},
		"option of the netlist": {spice + `"t\nV1 a 0 1\nR1 a 0 1\n.op\n.end", "from": 3, "to": 2}, "vary": [{"field": "element:V1", "values": [1, 2]}]}`, "input.to", 0},
	} {
		p := newPlan(t, c.request)
		var paths []string
		if err := tools.AsInputError(p.Validate()); err != nil {
			for _, f := range err.Fields {
				paths = append(paths, f.Path)
			}
		}
		if got := strings.Join(slices.Compact(paths), " "); got != c.want {
			t.Errorf("%s: errors of %q, want %q", name, got, c.want)
		}
		if n := len(p.Warnings()); n != c.warnings {
			t.Errorf("%s: warnings %q, want %d", name, p.Warnings(), c.warnings)
		}
	}
}

// TestFirstError verifies that a dry run and a summary contain the first error.
func TestFirstError(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "input": {"freq_mhz": 9},
		"vary": [{"field": "/dist_km", "values": [1, -2, -3]}]}`)
	dry, err := p.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, first := range map[string]*RunError{
		"dry run": dry.FirstError, "summary": p.Summarize(runs).FirstError,
	} {
		if first == nil || first.Index != 1 || !strings.Contains(first.Error, "dist_km: must be") ||
			!strings.Contains(first.Error, "-2") {
			t.Errorf("%s: %+v", name, first)
		}
	}
}

// TestHasWord verifies names at both ends of a text and names behind a longer word.
func TestHasWord(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"out", "out", true}, {"r1 vout out 1", "out", true}, {"v(out)=1", "out", true},
		{"out2 vout out_p äout", "out", false}, {"aaaa", "aa", false}, {"r1 +5v 0", "+5v", true},
		{"", "a", false}, {"a", "", false},
	} {
		if got := hasWord(c.text, c.name); got != c.want {
			t.Errorf("%q in %q: %t", c.name, c.text, got)
		}
	}
}
