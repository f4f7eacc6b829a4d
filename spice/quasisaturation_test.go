package spice

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestQuasiSaturation compares collector currents in quasi-saturation with ngspice 39, and verifies
// the region, the proof of the operating point and .step of a parameter.
func TestQuasiSaturation(t *testing.T) {
	const text = "t\nIB 0 b 1m\nQ1 c b 0 qn\nVC c 0 2\nIB2 b2 0 1m\nQ2 c2 b2 0 qp\nVC2 c2 0 -.5\n" +
		".model qn npn(rco=20 vo=2 gamma=1e-9)\n" +
		".model qp pnp(rco=20 vo=2 gamma=1e-9 re=.1 rc=.3)\n"
	r, err := Simulate(context.Background(), Request{Netlist: text + ".op\n.end", Certify: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"i(vc)": -7.7083415029e-2, "i(vc2)": 6.97912353e-2} {
		if got := column(t, r, name)[0]; math.Abs(got/want-1) > 1e-7 {
			t.Errorf("%s = %g A, want %g A", name, got, want)
		}
	}
	if region := r.OperatingPoint[0].Region; region != "quasi-saturation" {
		t.Errorf("region %q", region)
	}
	if !r.Certificate.Certified {
		t.Errorf("not certified: %s", r.Certificate.Reason)
	}
	// Without the region, IC is BF·IB.
	r = run(t, text+".step npn qn(rco) 0 20 20\n.op\n.end", "op")
	runs := runsOf(r)
	for k, want := range []float64{-0.1, -7.7083415029e-2} {
		if got := lastOf(t, runs[k], "i(vc)"); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("step %d: %g A, want %g A", k, got, want)
		}
	}
}

// TestNoQuasiSaturation verifies that a transistor without RCO has no collector region, and that
// its other parameters then cause a warning.
func TestNoQuasiSaturation(t *testing.T) {
	const text = "t\nIB 0 b 1m\nQ1 c b 0 q\nVC c 0 .1\n.model q npn(rc=1 tr=1n %)\n.op\n.end"
	plain := run(t, strings.ReplaceAll(text, "%", ""), "op")
	zero := run(t, strings.ReplaceAll(text, "%", "rco=0 vo=0 gamma=1e-9"), "op")
	if a, b := column(t, plain, "i(vc)"), column(t, zero, "i(vc)"); !slices.Equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
	if got := strings.Join(zero.Warnings, "\n"); !strings.Contains(got,
		"model q: gamma has no effect without rco") {
		t.Errorf("warnings: %s", got)
	}
	_, err := Simulate(context.Background(),
		Request{Netlist: strings.ReplaceAll(text, "%", "rco=1 vo=0")})
	if err == nil || !strings.Contains(err.Error(), "vo must be above 0 with rco, not 0") {
		t.Errorf("error: %v", err)
	}
}
