package spice

import (
	"context"
	"math"
	"testing"
)

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
