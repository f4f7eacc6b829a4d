package spice

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestCertifiedControlledCurrents verifies that the proof covers F, H and coupled inductors.
// The expected interval of the output is computed by hand from the tolerance limits. v(out) is
// 3·(V/R1)·RO with V = 1 V, R1 within 10 % and RO within 20 % of 1 kΩ. v(h) is the current of RO
// times 2 kΩ, so it is independent of RO.
func TestCertifiedControlledCurrents(t *testing.T) {
	const text = "t\nV1 in 0 1\nVS in a 0\nR1 a b 1k\nL1 b 0 1m\nL2 c 0 1m\nRC c 0 1\nK1 L1 L2 0.9\nF1 0 out VS 3\nRO out o2 1k\nVO o2 0 0\nH1 h 0 VO 2k\nRH h 0 1k\n.op\n.end"
	for node, want := range map[string][2]float64{"out": {3 / 1.1 * 0.8, 3 / 0.9 * 1.2},
		"h": {6 / 1.1, 6 / 0.9}} {
		r, err := Simulate(context.Background(), Request{Netlist: text, Certify: true,
			Tolerances: map[string]float64{"r1": 0.1, "ro": 0.2}, OutputNode: node})
		if err != nil {
			t.Fatal(err)
		}
		c, b := r.Certificate, r.ToleranceCertificate
		if !c.Certified || *c.H != 0 {
			t.Errorf("%+v", c)
		}
		if !b.Certified || b.Interval[0] > want[0] || b.Interval[1] < want[1] ||
			math.Abs(b.Interval[0]-want[0]) > 1e-9 || math.Abs(b.Interval[1]-want[1]) > 1e-9 {
			t.Errorf("v(%s) lies in %v, want %v (%s)", node, b.Interval, want, b.Reason)
		}
	}
}

// TestCertificateRefusesByName verifies that the rejection of a device without interval bounds
// names the device.
func TestCertificateRefusesByName(t *testing.T) {
	for name, element := range map[string]string{"b1": "B1 out 0 I=v(out)^3",
		"e1": "E1 x 0 VALUE={v(out)^2}\nRX x 0 1",
		"z1": "Z1 out 0 0 m\n.model m nmf(beta=1m)",
		"m1": "M1 out 0 0 m\n.model m vdmos(vto=2 kp=1 cgs=1n cgdmin=1p cgdmax=1n cjo=1n)"} {
		r, err := Simulate(context.Background(),
			Request{Netlist: "t\nV1 in 0 1\nR1 in out 1k\n" + element + "\n.op\n.end",
				Certify: true, Tolerances: map[string]float64{"r1": 0.1}, OutputNode: "out"})
		if err != nil {
			t.Fatal(err)
		}
		for _, reason := range []string{r.Certificate.Reason, r.ToleranceCertificate.Reason} {
			if !strings.Contains(reason, name) {
				t.Errorf("%s: %q", name, reason)
			}
		}
		if r.Certificate.Certified || r.ToleranceCertificate.Certified {
			t.Errorf("%s is certified", name)
		}
	}
}

// TestCertifiedSwitchesLinesJFETs verifies that the proof covers S, W, T and J. The
// expected voltages are computed by hand. For the JFET, v = 5 V - 1 kΩ·0.5 mA/V²·(2 V)².
func TestCertifiedSwitchesLinesJFETs(t *testing.T) {
	for _, c := range []struct {
		name, body, reason string
		want               float64 // voltage v(out) [V]
	}{
		{"switch, off", "S1 out 0 in 0 m\n.model m sw(vt=2 roff=1k)", "", 0.5},
		{"switch, on above its thresholds",
			"S1 out 0 in 0 m\n.model m sw(vt=0.5 vh=0.4 ron=1k roff=1g)", "", 0.5},
		{"switch, off between its thresholds: on is a second operating point 0.1 V away",
			"S1 out 0 in 0 m off\n.model m sw(vt=1 vh=0.5 ron=667 roff=1k)",
			"s1 is at or between its thresholds", 0},
		{"current switch", "W1 out 0 V1 m\n.model m csw(it=-1 ron=3k)", "", 0.75},
		{"switch at its threshold", "S1 out 0 in 0 m\n.model m sw(vt=1 roff=1k)",
			"s1 is at its threshold", 0},
		{"line", "T1 out 0 b 0 z0=50 td=1n\nR2 b 0 3k", "", 0.75},
		{"lossy line", "O1 out 0 b 0 m\nR2 b 0 2k\n.model m ltra(r=1k l=1u c=1n len=1)", "", 0.75},
		{"jfet", "V2 d 0 5\nR3 d e 1k\nJ1 e 0 0 j\n.model j njf(vto=-2 beta=0.5m)\nE1 out 0 e 0 1",
			"", 3},
	} {
		r, err := Simulate(context.Background(),
			Request{Netlist: "t\nV1 in 0 1\nR1 in out 1k\n" + c.body + "\n.op\n.end",
				Certify: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		cert := r.Certificate
		if c.reason != "" {
			if cert.Certified || !strings.Contains(cert.Reason, c.reason) {
				t.Errorf("%s: %+v, want the reason %q", c.name, cert, c.reason)
			}
			continue
		}
		if !cert.Certified {
			t.Errorf("%s: %s", c.name, cert.Reason)
			continue
		}
		for i, name := range cert.Unknowns {
			if slack := *cert.Rho*cert.Weights[i] + 1e-8; name == "v(out)" &&
				math.Abs(cert.Center[i]-c.want) > slack {
				t.Errorf("%s: v(out) within %g of %g, want %g", c.name, slack,
					cert.Center[i], c.want)
			}
		}
	}
}

// TestCouplingOfMany verifies that a K line with three inductors is equivalent to three K lines
// with two inductors each.
func TestCouplingOfMany(t *testing.T) {
	const text = "t\nV1 in 0 SIN(0 1 1k)\nR1 in a 10\nL1 a 0 1m\nL2 b 0 4m\nL3 c 0 2m\nR2 b 0 100\nR3 c 0 100\nK\n.tran 10u 2m\n.end"
	one := run(t, strings.Replace(text, "K\n", "K1 L1 L2 L3 0.9\n", 1), "tran")
	three := run(t, strings.Replace(text, "K\n", "K1 L1 L2 0.9\nK2 L1 L3 0.9\nK3 L2 L3 0.9\n", 1),
		"tran")
	for k, v := range one.Vectors {
		for i := range v.Values {
			if v.Values[i] != three.Vectors[k].Values[i] {
				t.Fatalf("%s differs at %d", v.Name, i)
			}
		}
	}
}

// TestPerfectCoupling verifies the voltages of an unloaded transformer with k = 1. They must be
// proportional to the square roots of the inductances.
func TestPerfectCoupling(t *testing.T) {
	r := run(t, "t\nI1 0 a PULSE(0 1m 0 1u 1u 10u 1)\nR1 a 0 1k\nL1 a 0 1m\nL2 b 0 9m\nK1 L1 L2 1\nR2 b 0 100meg\n.tran 0.1u 8u\n.end", "tran")
	a, b := column(t, r, "v(a)"), column(t, r, "v(b)")
	for i := range a {
		if math.Abs(b[i]-3*a[i]) > 1e-4*math.Abs(a[i])+1e-9 {
			t.Fatalf("v(b) = %g beside v(a) = %g", b[i], a[i])
		}
	}
	if len(a) < 20 {
		t.Errorf("%d points", len(a))
	}
}
