package spice

import (
	"context"
	"math"
	"testing"
)

// TestFloatingNode verifies the voltage between two zener diodes, which carry less than 1 pA near
// the zero of the source. The circuit stores no charge, so a transient must follow the DC transfer
// curve. A small resistance in series connects nodes that have no other path for a current: the
// products of its conductance and the voltages exceed the current by ten orders of magnitude, and
// must not determine when a diode need not be evaluated.
func TestFloatingNode(t *testing.T) {
	const (
		series   = "D1 m out dz\nD2 m 0 dz\n.model dz D(IS=1e-14 BV=6.2 IBV=1m RS=5)\n"
		explicit = "D1 m out dz\nR2 m n 5\nD2 n 0 dz\n.model dz D(IS=1e-14 BV=6.2 IBV=1m)\n"
	)
	for name, diodes := range map[string]string{"RS": series, "resistor": explicit} {
		circuit := "zeners\nV1 in 0 PULSE(-20 20 0 0.5m 0.5m 1n 1.000001m)\nR1 in out 1k\n" + diodes
		curve := run(t, circuit+".dc V1 -20 20 10m\n.end", "dc")
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
				i := min(int((v-from[0])/0.01), len(from)-2)
				want := level[i] + (level[i+1]-level[i])*(v-from[i])/0.01
				if d := math.Abs(got[k]-want) / (hi - lo); d > worst {
					worst, at = d, r.Vectors[0].Values[k]
				}
			}
			if worst > 0.004 {
				t.Errorf("%s, reltol %g: v(m) is %.2f %% of its range off at %g s",
					name, reltol, 100*worst, at)
			}
		}
	}
}
