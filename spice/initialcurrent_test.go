package spice

import (
	"math"
	"testing"
)

// TestInitialInductorCurrents compares circuits that start from the inductor currents of .ic with
// their closed forms. Without uic the currents hold while the operating point is computed, as in
// LTspice.
func TestInitialInductorCurrents(t *testing.T) {
	decay := math.Exp(-1)
	for _, c := range []struct {
		name, text string
		want       float64
	}{
		{"decay through a resistor", "R1 0 b 10\nL1 b 0 1m\n.ic I(L1)=1\n.tran 1u 1m\n" +
			".meas tran x find i(l1) at=100u", decay},
		{"with uic", "R1 0 b 10\nL1 b 0 1m\n.ic I(L1)=1\n.tran 1u 1m uic\n" +
			".meas tran x find i(l1) at=100u", decay},
		{"a kiloampere", "R1 0 b 10\nL1 b 0 1m Rser=1u\n.ic I(L1)=1k\n.tran 1u 1m\n" +
			".meas tran x find i(l1) at=100u", 1e3 * decay},
		{"the voltage at 0 s follows", "R1 0 b 10\nL1 b 0 1m\n.ic I(L1)=2m V(b)=5\n.tran 1u 1m\n" +
			".meas tran x find i(l1) at=0", 2e-3},
		{"a source drives the inductor", "V1 a 0 5\nR1 a b 1\nL1 b 0 1m\n.ic I(L1)=2\n" +
			".tran 1u 1m\n.meas tran x find i(l1) at=1m", 5 - 3*decay},
		{"inside a subcircuit", "X1 b s\nR1 0 b 10\n.subckt s p\nL1 p 0 1m\n.ic I(L1)=1\n.ends\n" +
			".tran 1u 1m\n.meas tran x find i(l.x1.l1) at=100u", decay},
		{"coupled: the flux is that of both", "R1 0 b 10\nL1 b 0 1m\nL2 c 0 1m\nR2 c 0 10\n" +
			"K1 L1 L2 1\n.ic I(L1)=1 I(L2)=1\n.tran 1u 1m\n.meas tran x find i(l1) at=200u", decay},
		{"a diode carries it on", "D1 0 b DI\nL1 b 0 1m\n.model DI D(Ron=1 Roff=1g Vfwd=0)\n" +
			".ic I(L1)=1\n.tran 1u 2m\n.meas tran x find i(l1) at=1m", decay},
	} {
		r := run(t, "t\n"+c.text+"\n.end", "tran")
		if m := r.Measures; len(m) != 1 || m[0].Value == nil ||
			math.Abs(*m[0].Value-c.want) > 2e-3*c.want {
			t.Errorf("%s: %s, want %g; %q", c.name, show(m[0].Value), c.want, r.Warnings)
		}
	}
}
