package power

import "testing"

// TestLeadAcidFactor compares with rows of IEEE Std 485 table 1 and requires a falling factor.
func TestLeadAcidFactor(t *testing.T) {
	for _, row := range leadAcidRows {
		same(t, "row", leadAcidFactor((row.fahrenheit-32)*5/9), row.factor)
	}
	same(t, "below the table", leadAcidFactor(-20), 1.52)
	same(t, "above the table", leadAcidFactor(60), 0.86)
	last := 2.0
	for c := -3.0; c < 48; c++ {
		if f := leadAcidFactor(c); f >= last {
			t.Errorf("the factor at %g °C is %g, not below that at a lower temperature", c, f)
		} else {
			last = f
		}
	}
}
