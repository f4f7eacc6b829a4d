package analysis

import (
	"math"
	"testing"
)

// TestUICChargesJunctions starts a JFET and a diode with uic. Their depletion layers have the
// charge of the initial voltages. By conservation of charge, a node that only capacitors connect to
// the other nodes stays at 0 V, except for the leakage within a nanosecond.
func TestUICChargesJunctions(t *testing.T) {
	for name, text := range map[string]string{
		"jfet": `J1 d g s j
C1 g 0 40p
C2 d 0 1n
R1 s 0 100meg
C3 s 0 1n
.ic v(d)=5.1
.model j njf(vto=-0.5 rd=10 rs=10 cgs=4p cgd=2p)
.tran 10p 1n uic`,
		"diode": `D1 g d d1
C1 g 0 40p
C2 d 0 1n
.ic v(d)=5.1
.model d1 d(rs=10 cjo=4p)
.tran 10p 1n uic`,
	} {
		out := run(t, text)
		for _, v := range out.Vectors {
			if v.Name != "v(g)" {
				continue
			}
			for _, x := range v.Values {
				if math.Abs(x) > 5e-3 {
					t.Errorf("%s: v(g) leaves 0 V for %g V", name, x)
					break
				}
			}
		}
	}
}
