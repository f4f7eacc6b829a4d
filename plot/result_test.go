package plot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"encoding/json"

	"slipstick/plot"
	"slipstick/tools/catalog"
)

// TestResultFigure verifies the axes and curves of the figures of simulations and of tables.
func TestResultFigure(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	figure := func(tool, input string, vectors ...string) (plot.Figure, bool) {
		t.Helper()
		entry, err := all.Find(tool)
		if err != nil {
			t.Fatal(err)
		}
		result, err := entry.Run(t.Context(), []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		return plot.ResultFigure(entry.Title, entry.Output, result, vectors)
	}
	netlist := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../examples/netlists", name+".cir"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(map[string]string{"netlist": string(text)})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	f, ok := figure("spice_simulate", netlist("rc_low_pass"))
	if !ok || len(f.Panels) < 2 || !f.Panels[0].X.Log || !f.Panels[0].Y.Log ||
		f.Panels[1].Y.Unit != "°" {
		t.Errorf("AC: %v %+v", ok, f.Panels)
	}
	f, ok = figure("spice_simulate", netlist("colpitts_oscillator"), "V(c)")
	if !ok || len(f.Panels) != 1 || f.Panels[0].Y.Label != "Voltage v(c)" ||
		f.Panels[0].X.Unit != "s" {
		t.Errorf("transient: %v %+v", ok, f.Panels)
	}
	f, ok = figure("spice_simulate", `{"netlist":
		"t\nV1 a 0 dc 1 ac 1\nR1 a b 1k\nC1 b 0 1u\n.sens v(b) ac dec 2 10 1k\n.end"}`)
	if !ok || f.Panels[0].Y.Label != "Sensitivity magnitude" || !f.Panels[0].Y.Log {
		t.Errorf("sensitivities: %v %+v", ok, f.Panels)
	}
	// The noise of a voltage referred to a current source has two units.
	f, ok = figure("spice_simulate", `{"netlist":
		"t\nI1 0 A AC 1\nR1 A 0 1k\nC1 A 0 1n\n.NOISE V(A) I1 dec 5 1 1meg\n.end"}`)
	want := []plot.Axis{
		{Label: "Output noise density", Unit: "V/√Hz", Log: true},
		{Label: "Input noise density", Unit: "A/√Hz", Log: true},
	}
	if !ok || len(f.Panels) != 2 || f.Panels[0].Y != want[0] || f.Panels[1].Y != want[1] {
		t.Errorf("noise: %v %+v", ok, f.Panels)
	}
	f, ok = figure("tcp_throughput", `{"bandwidth_mbps": 100, "rtt_ms": 50}`)
	if !ok || f.Panels[0].X.Label != "Round-trip time" || !f.Panels[0].X.Log || !f.Panels[0].Y.Log {
		t.Errorf("table: %v %+v", ok, f.Panels)
	}
	var b bytes.Buffer
	if err := plot.Write(&b, f, plot.SVG); err != nil ||
		!strings.Contains(b.String(), "Round-trip time [ms]") {
		t.Error(err)
	}
	f, ok = figure("compound_interest", `{"principal": 100, "annual_rate_pct": 5, "years": 9}`)
	if !ok || f.Panels[0].X.Log || f.Panels[0].Y.Log {
		t.Errorf("even steps: %v %+v", ok, f.Panels)
	}
	if _, ok := figure("fspl", `{"freq_mhz": 915, "dist_km": 1}`); ok {
		t.Error("fspl has nothing to plot")
	}
}
