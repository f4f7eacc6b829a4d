package spice

import (
	"os"
	"strings"
	"testing"
)

// TestSwitchBesideTransistor verifies that a run with transistors and a source-controlled switch
// carries its error. The expected values are those of ngspice 39 at reltol 1e-6 and steps of 2 ns.
func TestSwitchBesideTransistor(t *testing.T) {
	text, err := os.ReadFile("testdata/compare/switch_mos_converters.cir")
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, strings.Replace(string(text), ".end", `.meas tran a avg v(o1) from=200u to=300u
.meas tran b avg v(o2) from=200u to=300u
.meas tran c max i(l1) from=200u to=300u
.meas tran d max i(l2) from=200u to=300u
.meas tran e min i(l2) from=200u to=300u
.end`, 1), "tran")
	for k, want := range []float64{4.542965, 9.483878, 1.238354, 1.362199, 0.4821586} {
		wantNear(t, r.Measures[k].Name, *r.Measures[k].Value, want, 1e-3)
	}
	if e := r.Statistics.ErrorEstimatePct; e == nil || *e > 0.2 {
		t.Errorf("the estimated error is %v %%", e)
	}
}
