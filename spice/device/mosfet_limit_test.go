package device

import (
	"math"
	"testing"
)

// TestLimitReversed verifies that the limiting of the drain voltage of a reversed MOSFET does not
// limit its bulk-drain junction, whose voltage changes less.
func TestLimitReversed(t *testing.T) {
	k := part(t, "M1 d g s b x\n.model x nmos(vto=0.7)", 27)
	m := k.d.(*mosfet)
	copy(k.l.State[m.states:], []float64{-1, -0.4, -1, 0.7})
	if _, vds, vbs := m.limitVoltages(k.l, -20.3, -20, -19.7); vds != -4 ||
		math.Abs(vbs-vds-0.3) > 1e-12 {
		t.Errorf("vds = %g V, vbs - vds = %g V, want -4 and 0.3", vds, vbs-vds)
	}
}
