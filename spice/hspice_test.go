package spice

import (
	"context"
	"math"
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

// TestIdealOpAmp verifies E with opamp of HSPICE: an inverting amplifier with the gain -2, an
// integrator with |Z| = 1/(2π·f·C), a follower with numbers as nodes, and the gain 3 behind a node
// that is called opamp.
func TestIdealOpAmp(t *testing.T) {
	const text = `HSPICE
V1 in 0 DC 1 AC 1
R1 in n 1k
R2 n out 2k
E1 out 0 OPAMP 0 n
R3 in k 1k
C3 k o2 1u
R4 k o2 1g
EINT o2 0 opamp (0,k)
E2 3 0 opamp in 3
R5 3 0 1
.op
.ac lin 1 1k 1k
.end`
	r, err := Simulate(context.Background(), Request{Netlist: text, Analysis: "op", Certify: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"v(out)": -2, "v(n)": 0, "v(3)": 1} {
		wantNear(t, name, column(t, r, name)[0], want, 1e-9)
	}
	if !r.Certificate.Certified {
		t.Errorf("not certified: %s", r.Certificate.Reason)
	}
	r = run(t, text, "ac")
	wantNear(t, "v(o2)", column(t, r, "v(o2)_mag")[0], 1/(2*math.Pi), 1e-6)
	for name, text := range map[string]string{
		"node": "VOP opamp 0 2\nE1 out 0 opamp 0 3\nR1 out 0 1",
		"pin": "VOP a 0 2\nX1 a out s\n.subckt s opamp b\nR3 3 0 1\nE1 b 0 opamp 3 3\n" +
			"R1 b 0 1\n.ends",
	} {
		r = run(t, "t\n"+text+"\n.op\n.end", "op")
		wantNear(t, "gain behind a "+name, column(t, r, "v(out)")[0], 6, 1e-9)
	}
}
