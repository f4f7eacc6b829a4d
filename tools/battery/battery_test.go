package battery

import (
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// TestLeadAcidFactor compares the factor with the rows of IEEE Std 485 table 1 and verifies that it
// decreases as the temperature rises.
func TestLeadAcidFactor(t *testing.T) {
	for _, row := range leadAcidRows {
		same(t, "row", LeadAcidFactor((row.fahrenheit-32)*5/9), row.factor)
	}
	same(t, "below the table", LeadAcidFactor(-20), 1.52)
	same(t, "above the table", LeadAcidFactor(60), 0.86)
	last := 2.0
	for c := -3.0; c < 48; c++ {
		if f := LeadAcidFactor(c); f >= last {
			t.Errorf("the factor at %g °C is %g, not below that at a lower temperature", c, f)
		} else {
			last = f
		}
	}
}

func same(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !scalar.EqualWithinRel(got, want, 1e-12) {
		t.Errorf("%s: got %.15g, want %.15g", name, got, want)
	}
}
