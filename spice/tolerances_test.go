package spice

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

// TestTolerancesOfTransient verifies that tolerances above their defaults do not change a transient
// and that a warning names them. Node m is between two transistors that are off, and its voltage is
// sensitive to the residual error of Newton's method.
func TestTolerancesOfTransient(t *testing.T) {
	const text = `transistors in series, and charges for trtol
V4 b 0 SIN(0 1 3k)
R4 b c 1k
D4 c 0 dm
C4 c 0 20n
.model dm D(IS=1e-14 CJO=10p)
V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
V3 g 0 PULSE(0 5 0 0.2m 0.2m 0.2m 0.9m)
M1 m in 0 0 mn W=10u L=1u
M2 vdd g m 0 mn W=10u L=1u
.model mn NMOS(VTO=1 KP=50u LAMBDA=0.02 RD=10 RS=10)
.tran 5u 3m
.dc V1 0 5 0.1
`
	simulate := func(kind, options string) *Result {
		t.Helper()
		r, err := Simulate(context.Background(), Request{
			Netlist: text + options + ".end", Analysis: kind,
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const options = ".options reltol=0.01 abstol=1n vntol=1m trtol=7 chgtol=1e-13\n"
	plain, loose := simulate("tran", ".options chgtol=1e-13\n"), simulate("tran", options)
	if !reflect.DeepEqual(plain.Vectors, loose.Vectors) {
		t.Errorf("%d points instead of %d, or other values",
			len(loose.Vectors[0].Values), len(plain.Vectors[0].Values))
	}
	const want = "uses 0.0001, 1e-12, 1e-06, 1 instead of reltol = 0.01, abstol = 1e-09, " +
		"vntol = 0.001, trtol = 7, because"
	if all := strings.Join(loose.Warnings, "|"); !strings.Contains(all, want) {
		t.Errorf("warnings %q lack %q", all, want)
	}
	if len(plain.Warnings) > 0 {
		t.Errorf("warnings %q at the defaults", plain.Warnings)
	}
	if r := simulate("dc", options); len(r.Warnings) > 0 {
		t.Errorf("a sweep has the warnings %q", r.Warnings)
	}
	if r := simulate("tran", ".options reltol=1e-6 abstol=1e-15\n"); len(r.Warnings) > 0 ||
		reflect.DeepEqual(r.Vectors, plain.Vectors) {
		t.Errorf("a transient ignores smaller tolerances; warnings %q", r.Warnings)
	}
}
