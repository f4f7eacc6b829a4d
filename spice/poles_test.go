package spice

import (
	"math"
	"strings"
	"testing"
)

// TestConstantPowerLoad compares the operating points of loads of P watts at 12 V and a resistance
// r with the roots of v² - 12·v + r·P = 0. Newton's method begins at 0 V, which is a pole of P/v.
// A node voltage given by .nodeset selects the root.
func TestConstantPowerLoad(t *testing.T) {
	roots := func(r, p float64) (high, low float64) {
		d := math.Sqrt(36 - r*p)
		return 6 + d, r * p / (6 + d)
	}
	high, low := roots(0.1, 10)
	much, _ := roots(0.1, 355)
	for _, c := range []struct {
		load string
		want float64
	}{
		{"B1 out 0 I=10/V(out)", high},
		{"B1 out 0 I=10*V(out)**(-1)", high},
		{"G1 out 0 VALUE={10*pow(V(out),-1)}", high},
		{"B1 out 0 R=V(out)**2/10", high},
		{"B1 out 0 I=355/V(out)", much},
		{"B1 out 0 I=V(p)*V(p)/V(out)\nB2 p 0 V=V(q)*V(q)\nB3 q 0 V=V(u)*V(u)\n" +
			"V2 u 0 {10**0.125}", high},
		{"B1 out 0 I=10/V(out)\n.nodeset v(out)=11", high},
		{"B1 out 0 I=10/V(out)\n.nodeset v(out)=12 v(s)=12", high},
		{"B1 out 0 I=10/V(out)\n.nodeset v(out)=0.09", low},
		{"B1 0 out I=-10/V(out)\nC1 out 0 1u", high},
	} {
		r := run(t, "t\nV1 s 0 12\nR1 s out 0.1\n"+c.load+"\n.op\n.end", "op")
		wantNear(t, c.load, value(t, r, "v(out)"), c.want, 1e-9)
		if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %q", c.load, r.Warnings)
		}
	}
	// A transient begins at the operating point, with the voltages of .ic at first.
	for ic, first := range map[string]float64{"": high, ".ic v(out)=11": 11} {
		r := run(t, "t\nV1 s 0 12\nR1 s out 0.1\nB1 out 0 I=10/V(out)\nC1 out 0 1u\n"+ic+
			"\n.tran 1u 10u\n.end", "tran")
		wantNear(t, "first of "+ic, column(t, r, "v(out)")[0], first, 1e-6)
		wantNear(t, "last of "+ic, value(t, r, "v(out)"), high, 1e-6)
	}
}

// TestReciprocalSource verifies sources that divide by another voltage, as the capacitors of op-amp
// models do, at voltages of both signs. A division by 0 V at the solution is refused.
func TestReciprocalSource(t *testing.T) {
	for _, v := range []string{"5", "-2m", "1e6"} {
		r := run(t, "t\nVC c 0 "+v+"\nE1 2 0 VALUE={1/V(c)}\nR1 2 0 1k\n.op\n.end", "op")
		wantNear(t, v, value(t, r, "v(2)")*value(t, r, "v(c)"), 1, 1e-12)
	}
	r := run(t, "t\nVC c 0 5\nE1 2 0 VALUE={1/V(c)}\nR1 2 0 1k\n.dc VC 1 4 1\n.end", "dc")
	for k, got := range column(t, r, "v(2)") {
		wantNear(t, "sweep", got, 1/float64(k+1), 1e-12)
	}
	_, err := Simulate(t.Context(), Request{
		Netlist: "t\nVC c 0 0\nE1 2 0 VALUE={1/V(c)}\nR1 2 0 1k\n.op\n.end"})
	if err == nil || !strings.Contains(err.Error(), "no operating point") {
		t.Errorf("1/0: %v", err)
	}
	// 0 divided by 0 stays 0, as in ngspice.
	r = run(t, "t\nVC c 0 0\nE1 2 0 VALUE={V(c)/V(c)}\nR1 2 0 1k\n.op\n.end", "op")
	wantNear(t, "0/0", value(t, r, "v(2)"), 0, 0)
}
