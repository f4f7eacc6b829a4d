package spice

import (
	"strings"
	"testing"
)

// TestLimitedControlledSources compares E and G of HSPICE with gain·v(a) between min= and max=.
func TestLimitedControlledSources(t *testing.T) {
	r := run(t, `HSPICE
V1 a 0 1
E1 b 0 vcvs a 0 5 max=2 min=-2
E2 c 0 a 0 gain max={most}
E3 d 0 VCVS 0 a {gain*2} min=-3
G4 0 f vccs a 0 1m max=0.5m
G5 0 g vccs a 0 1m
E6 h 0 (a,0) 5 max='most*0.5'
E7 i 0 vcvs poly(1) a 0 1 2
.param gain=5 most=4
R1 f 0 1k
R2 g 0 1k
.dc V1 -1 1 2
.end`, "dc")
	for node, want := range map[string][2]float64{
		"b": {-2, 2}, "c": {-5, 4}, "d": {10, -3}, "f": {-1, 0.5}, "g": {-1, 1}, "h": {-5, 2},
		"i": {-1, 3},
	} {
		for k, got := range column(t, r, "v("+node+")") {
			wantNear(t, node, got, want[k], 1e-9)
		}
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestAlter verifies that the lines behind .alter, which belong to a later run of HSPICE, do not
// change the first run.
func TestAlter(t *testing.T) {
	r := run(t, "t\n.param v=1.8\nV1 a 0 {v}\nR1 a 0 1\n.op\n.alter\n.param v=2\nR2 a 0 1\n.end", "op")
	wantNear(t, "current", value(t, r, "i(v1)"), -1.8, 1e-12)
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "later run of HSPICE") {
		t.Errorf("warnings %q", r.Warnings)
	}
}
