package spice

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestCurrentIntoCapacitors verifies current sources without a DC current whose only return path is
// a capacitor. Expected is the voltage of the capacitor: I/(ωC), or the charge divided by C.
func TestCurrentIntoCapacitors(t *testing.T) {
	const shunt = "node p has no DC path to ground; 1e-12 S to ground was added"
	for name, c := range map[string]dialectCase{
		"ac": {"t\nI1 0 p AC 1\nC1 p 0 1u\n.ac lin 1 1k 1k\n.end", "v(p)_mag", 0,
			1 / (2 * math.Pi * 1e-3), shunt},
		"two sources": {"t\nI1 0 p AC 1\nI2 0 p AC 1\nC1 p 0 2u\n.ac lin 1 1k 1k\n.end", "v(p)_mag", 0,
			1 / (2 * math.Pi * 1e-3), shunt},
		"pulse": {"t\nI1 0 p PULSE(0 1m 1m 1n 1n 1m)\nC1 p 0 1u\n.tran 10u 3m\n.end", "v(p)", -1, 1,
			shunt},
		"op": {"t\nI1 0 p AC 1\nC1 p 0 1u\n.op\n.end", "v(p)", 0, 0, shunt},
	} {
		c.check(t, name)
	}
	for name, text := range map[string]string{
		"DC current":         "I1 0 p 1m AC 1\nC1 p 0 1u\n.ac lin 1 1k 1k",
		"current at 0 s":     "I1 0 p PULSE(1m 0 1m)\nC1 p 0 1u\n.tran 10u 3m",
		"swept current":      "I1 0 p 0\nC1 p 0 1u\n.dc I1 0 1m 1m",
		"no capacitor":       "I1 0 p AC 1\nR1 p q 1k\nR2 a 0 1\nV1 a 0 1\n.ac lin 1 1k 1k",
		"input of .tf":       "I1 0 p 0\nC1 p 0 1u\n.tf v(p) I1",
		"DC sensitivity":     "I1 0 p 0\nC1 p 0 1u\n.sens v(p)",
		"one of two sources": "I1 0 p AC 1\nI2 0 p 1m\nC1 p 0 2u\n.ac lin 1 1k 1k",
	} {
		_, err := Simulate(context.Background(), Request{Netlist: "t\n" + text + "\n.end"})
		if err == nil || !strings.Contains(err.Error(), "no return path at DC") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFloatingNode verifies the voltage of nodes that carry less than 1 pA while the source is near
// 0. The circuits store no charge, so a transient must follow the DC transfer curve. The current of
// a small resistance beside such a node is ten orders of magnitude below the products of its
// conductance and the node voltages. Products that large must not decide about bypass.
func TestFloatingNode(t *testing.T) {
	const zeners = "D1 m out dz\nD2 m 0 dz\n"
	for _, c := range []struct {
		name, devices string
		most          float64 // largest error relative to the range
	}{
		{"RS and a source resistor", "R1 in out 1k\n" + zeners +
			".model dz D(IS=1e-14 BV=6.2 IBV=1m RS=5)\n", 0.003},
		{"RS", "V2 out in 0\n" + zeners + ".model dz D(IS=1e-14 BV=6.2 IBV=1m RS=0.5)\n", 0.003},
		{"resistor", "R1 in out 1k\nD1 m out dz\nR2 m n 5\nD2 n 0 dz\n" +
			".model dz D(IS=1e-14 BV=6.2 IBV=1m)\n", 0.003},
		{"RE, RC and RB", "V2 out in 0\nQ2 out m m qn\nQ1 0 m m qn\n" +
			".model qn NPN(IS=1e-14 BF=100 RE=0.5 RC=0.5 RB=1)\n", 0.003},
		{"JFETs", "V2 vdd 0 5\nV3 g 0 -5\nE1 b 0 in 0 0.25\nJ1 m g 0 jn\nJ2 vdd b m jn\n" +
			".model jn NJF(VTO=-2 BETA=1m LAMBDA=0.02 RD=30 RS=30)\n", 0.003},
		{"MOSFETs", "V2 vdd 0 5\nM1 0 0 m 0 mn W=10u L=1u\nM2 vdd in m 0 mn W=10u L=1u\n" +
			".model mn NMOS(VTO=1 KP=50u LAMBDA=0.02 RD=30 RS=30)\n", 0.01},
	} {
		circuit := "floating\nV1 in 0 PULSE(-20 20 0 0.5m 0.5m 1n 1.000001m)\n" + c.devices
		curve := run(t, circuit+".options reltol=1e-6 abstol=1e-15\n.dc V1 -20 20 10m\n.end", "dc")
		from, level := curve.Vectors[0].Values, column(t, curve, "v(m)")
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range level {
			lo, hi = min(lo, v), max(hi, v)
		}
		for _, reltol := range []float64{1e-4, 1e-5, 1e-6} {
			r, err := Simulate(context.Background(), Request{
				Netlist: circuit + ".tran 5u 3m\n.end",
				Options: map[string]any{"reltol": reltol},
			})
			if err != nil {
				t.Fatal(err)
			}
			worst, at := 0.0, 0.0
			source, got := column(t, r, "v(in)"), column(t, r, "v(m)")
			for k, v := range source {
				i := max(0, min(int((v-from[0])/0.01), len(from)-2))
				want := level[i] + (level[i+1]-level[i])*(v-from[i])/0.01
				if d := math.Abs(got[k]-want) / (hi - lo); d > worst {
					worst, at = d, r.Vectors[0].Values[k]
				}
			}
			if worst > c.most {
				t.Errorf("%s, reltol %g: v(m) is %.2f %% of its range off at %g s",
					c.name, reltol, 100*worst, at)
			}
		}
	}
}
