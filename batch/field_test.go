package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

const divider = "divider\nV1 in 0 DC 10\nR1 in out 1k\nR2 out 0 {r}\nC1 out 0 1u\n.param r=1k\n.op\n.tran 10u 1m\n.measure tran top MAX v(out)\n.end"

// TestNetlistFields verifies that parameters and elements of a netlist are varied, and that
// measures and vectors are collected.
func TestNetlistFields(t *testing.T) {
	text, err := json.Marshal(map[string]any{"netlist": divider, "analysis": "op"})
	if err != nil {
		t.Fatal(err)
	}
	p, runs := execute(t, fmt.Sprintf(`{"tool": "spice_simulate", "input": %s, "vary": [{"field": "param:R", "values": [1000, 3000]}, {"field": "element:r1", "values": [1000, 3000]}],
		"collect": [{"name": "out", "pointer": "/vectors/v(out)/0"}]}`, text))
	for i, want := range []float64{5, 2.5, 7.5, 5} {
		if got := columnOf(t, p, runs, "out")[i]; math.Abs(got-want) > 1e-6 {
			t.Errorf("run %d: %g V, want %g", i, got, want)
		}
	}
	text, err = json.Marshal(map[string]any{"netlist": strings.Replace(divider, ".op\n", "", 1)})
	if err != nil {
		t.Fatal(err)
	}
	p, runs = execute(t, fmt.Sprintf(`{"tool": "spice_simulate", "input": %s, "mode": "random", "n": 3, "vary": [{"field": "element:V1", "tolerance_pct": 10}],
		"collect": [{"name": "top", "measure": "TOP"}, {"name": "max", "vector": "v(out)", "reduce": "max"}, {"name": "mean", "vector": "v(in)", "reduce": "mean"}, {"name": "half", "vector": "v(out)", "at": 0.0005}]}`, text))
	for i, r := range runs {
		v := scalar(json.RawMessage(r.Values[0]))
		for k, want := range []float64{v / 2, v / 2, v, v / 2} {
			if math.Abs(r.Collected[k]-want) > 1e-5*v {
				t.Errorf("run %d, %s: %g, want %g (%s)", i, p.Collected()[k], r.Collected[k],
					want, r.Err)
			}
		}
	}
}
