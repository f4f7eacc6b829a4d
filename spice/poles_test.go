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
// models do, at voltages of both signs.
func TestReciprocalSource(t *testing.T) {
	for _, v := range []string{"5", "-2m", "1e6"} {
		r := run(t, "t\nVC c 0 "+v+"\nE1 2 0 VALUE={1/V(c)}\nR1 2 0 1k\n.op\n.end", "op")
		wantNear(t, v, value(t, r, "v(2)")*value(t, r, "v(c)"), 1, 1e-12)
	}
	r := run(t, "t\nVC c 0 5\nE1 2 0 VALUE={1/V(c)}\nR1 2 0 1k\n.dc VC 1 4 1\n.end", "dc")
	for k, got := range column(t, r, "v(2)") {
		wantNear(t, "sweep", got, 1/float64(k+1), 1e-12)
	}
	// 0 divided by 0 stays 0, as in ngspice.
	r = run(t, "t\nVC c 0 0\nE1 2 0 VALUE={V(c)/V(c)}\nR1 2 0 1k\n.op\n.end", "op")
	wantNear(t, "0/0", value(t, r, "v(2)"), 0, 0)
}

// TestSolutionAtPole verifies that a division by 0 at the operating point is an error that names
// the denominator, unless the value of the expression is finite.
func TestSolutionAtPole(t *testing.T) {
	for text, want := range map[string]string{
		"B1 o 0 V=1/v(a)\n.op":                  "divides by v(a), which is 0",
		"B1 o 0 V=1/(v(b)-1)\n.op":              "divides by (v(b)-1), which is 0",
		"B1 o 0 V=5/(v(b)-v(c)/3)\n.op":         "divides by (v(b)-v(c)/3), which is 0",
		"B1 o 0 I=1/(v(b)-1)\n.op":              "divides by (v(b)-1), which is 0",
		"B1 o 0 V=pow(v(b)-1,-2)\n.op":          "divides by v(b)-1, which is 0",
		"B1 o 0 V=(v(b)-1)**-2\n.dc VB 0 2 1":   "at vb = 1; b1 (line 2) divides by (v(b)-1)",
		"B1 o 0 V=1/(v(b)<5 ? v(b)-1 : 2)\n.op": "divides by (v(b)<5 ? v(b)-1 : 2), which is 0",
		"B1 o 0 V=1/if(v(b)>5,v(b),0)\n.op":     "divides by if(v(b)>5,v(b),0), which is 0",
		".param tau=0\nB1 o 0 V=v(b)/tau\n.op":  "divides by tau, which is 0",
		// v(a) is 0, so the value is 0/0, but the gain is 1/0.
		".param tau=0\nB1 o 0 V=v(a)/tau\n.op":                     "divides by tau, which is 0",
		".param tau=0\nB1 o 0 V=v(a)/(2*tau)\n.ac lin 1 1 1":       "divides by (2*tau), which is 0",
		".param tau=0\nB1 o 0 V=v(a)*tau**-2\n.tf v(o) VA":         "divides by tau, which is 0",
		".param tau=0\nE1 o 0 VALUE={v(a)*(1/tau)}\n.ac lin 1 1 1": "divides by tau, which is 0",
		".func f(x) {1/(x-1)}\nB1 o 0 V=f(v(b))\n.tran 1u 1m": "divides by ((v(b))-1), " +
			"which is 0",
	} {
		_, err := Simulate(t.Context(), Request{Netlist: "t\n" + text +
			"\nVA a 0 0\nVB b 0 1\nVC c 0 3\nR1 o 0 1k\n.end"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for law, want := range map[string]float64{
		"1/(1/v(a)+1)":          0, // a resistance of 0 in parallel
		"atan(1/v(a))":          math.Pi / 2,
		"5/v(a)*u(v(a)-1)":      0,
		"v(a)>0.5 ? 1/v(a) : 2": 2,
		"1/(v(a)>0.5 ? 0 : 2)":  0.5,
		"v(a)>0.5 ? v(a)/0 : 2": 2,
		"(v(a)+2)/(1/0+1)":      0,
		"0*v(a)/0":              0,
	} {
		r := run(t, "t\nVA a 0 0\nB1 o 0 V="+law+"\nR1 o 0 1k\n.op\n.end", "op")
		if got := value(t, r, "v(o)"); !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s: %g, want %g", law, got, want)
		}
	}
	// A resistance of 0 between nodes that are not at 0 V is a short.
	r := run(t, "t\nVA a 0 0\nVC c 0 3\nB1 c o R=v(a)\nR1 o 0 1k\n.op\n.end", "op")
	wantNear(t, "short", value(t, r, "v(o)"), 3, 1e-9)
}
