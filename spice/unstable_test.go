package spice

import (
	"context"
	"strings"
	"testing"
)

// TestUnstableRest verifies the warning about a circuit that rests at an unstable operating point.
// A ring of five equal inverters rests where all voltages are equal. A capacitor at one node starts
// it. A chain of inverters and a filter with complex poles are stable.
func TestUnstableRest(t *testing.T) {
	const inverter = `
.subckt inv i o v
MP o i v v mp W=4u L=0.5u
MN o i 0 0 mn W=2u L=0.5u
C o 0 10f
.ends
.model mn nmos(vto=0.6 kp=100u)
.model mp pmos(vto=-0.6 kp=40u)
`
	const ring = "VDD vdd 0 PWL(0 0 1n 3.3)\nX1 1 2 vdd inv\nX2 2 3 vdd inv\nX3 3 4 vdd inv\n" +
		"X4 4 5 vdd inv\nX5 5 1 vdd inv" + inverter
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"ring":          {ring + ".tran 10p 20n", true},
		"started ring":  {ring + "CX 1 0 5f\n.tran 10p 20n", false},
		"too short run": {ring + ".tran 1p 0.1n uic", false},
		"chain": {"VDD vdd 0 PWL(0 0 1n 3.3)\nX1 0 2 vdd inv\nX2 2 3 vdd inv" + inverter +
			".tran 10p 50n", false},
		"resonance": {"V1 in 0 PWL(0 0 1u 1)\nR1 in a 10\nL1 a o 1m\nC1 o 0 1u\nR2 o 0 1k\n" +
			".tran 10u 100m", false},
	} {
		r, err := Simulate(context.Background(), Request{Netlist: "t\n" + c.text + "\n.end"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := strings.Join(r.Warnings, "\n")
		if strings.Contains(all, "rests at an unstable operating point") != c.want {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
	}
}
