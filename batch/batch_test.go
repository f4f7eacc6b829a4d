package batch

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// newPlan returns the plan of a valid request.
func newPlan(t *testing.T, request string) *Plan {
	t.Helper()
	r, err := Parse([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(all, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// execute runs a whole batch.
func execute(t *testing.T, request string) (*Plan, []Run) {
	t.Helper()
	p := newPlan(t, request)
	runs, err := p.Execute(t.Context(), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, runs
}

// columnOf returns a collected column.
func columnOf(t *testing.T, p *Plan, runs []Run, name string) []float64 {
	t.Helper()
	k := p.collectedIndex(name)
	if k < 0 {
		t.Fatalf("%s is not collected: %v", name, p.Collected())
	}
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = r.Collected[k]
	}
	return out
}

// TestContractExample compares the results of a logarithmic range with the equation FSPL = 20
// lg(d/km) + 20 lg(f/MHz) + 32.45.
func TestContractExample(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}]}`)
	loss := columnOf(t, p, runs, "fspl_db")
	for i, want := range []float64{91.676, 111.676, 131.676} {
		if math.Abs(loss[i]-want) > 1e-3 {
			t.Errorf("run %d: %g dB, want %g", i, loss[i], want)
		}
		if got, want := string(runs[i].Values[0]), []string{"1", "10", "100"}[i]; got != want {
			t.Errorf("run %d is at %s km", i, got)
		}
	}
	var b bytes.Buffer
	if err := p.WriteCSV(&b, Rows{Runs: runs}, true); err != nil ||
		!strings.HasPrefix(b.String(), "index,/dist_km,") {
		t.Errorf("%v\n%s", err, b.String())
	}
	text, err := json.Marshal(p.Columns(Rows{Runs: runs}, 3))
	if err != nil || !strings.Contains(string(text), `"/dist_km":[1,10,100]`) ||
		!strings.Contains(string(text), `"error":[null,null,null]`) {
		t.Errorf("%v %s", err, text)
	}
	b.Reset()
	if err := p.WriteNDJSON(&b, Rows{From: 1, Runs: runs[1:]}); err != nil ||
		!strings.HasPrefix(b.String(), `{"index":1,"/dist_km":10,`) {
		t.Errorf("%v %s", err, b.String())
	}
	for line := range strings.Lines(b.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s is not JSON", line)
		}
	}
}

// TestEqualsSingleCalls verifies that the values of every run equal the result of a single call
// with the same input.
func TestEqualsSingleCalls(t *testing.T) {
	p, runs := execute(t, `{"tool": "link_budget", "input": {"tx_dbm": 20, "freq_mhz": 915, "dist_km": 1, "rx_sensitivity_dbm": -120},
		"vary": [{"field": "/dist_km", "values": [1, 5.5, 20]}, {"field": "/tx_dbm", "from": 10, "to": 30, "points": 5}]}`)
	if len(runs) != 15 {
		t.Fatalf("%d runs", len(runs))
	}
	for i, r := range runs {
		raw, err := p.Tool.Run(t.Context(), p.Input(i))
		if err != nil {
			t.Fatal(err)
		}
		var result map[string]any
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		for k, name := range p.Collected() {
			if x, ok := result[name].(float64); ok && x != r.Collected[k] {
				t.Errorf("run %d: %s = %g, want %g", i, name, r.Collected[k], x)
			}
		}
	}
}
