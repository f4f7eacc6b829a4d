package pv

import "testing"

// TestTableVocFactor compares the factor with NEC 2023 table 690.7(A) by its bands: 24 to 20, 19 to
// 15, ... -36 to -40 °C.
func TestTableVocFactor(t *testing.T) {
	for _, c := range []struct{ warm, cold, factor float64 }{
		{24, 20, 1.02}, {19, 15, 1.04}, {14, 10, 1.06}, {9, 5, 1.08}, {4, 0, 1.10}, {-1, -5, 1.12},
		{-6, -10, 1.14}, {-11, -15, 1.16},
		{-16, -20, 1.18}, {-21, -25, 1.20}, {-26, -30, 1.21}, {-31, -35, 1.23}, {-36, -40, 1.25},
	} {
		for _, temp := range []float64{c.warm, c.cold} {
			if got, ok := VocFactor(temp); !ok || got != c.factor {
				t.Errorf("%g °C: %g, want %g", temp, got, c.factor)
			}
		}
	}
	if got, ok := VocFactor(24.5); !ok || got != 1 {
		t.Errorf("24.5 °C: %g, want 1", got)
	}
	if _, ok := VocFactor(-40.1); ok {
		t.Error("the table reaches below -40 °C")
	}
	if len(vocBands) != 13 {
		t.Errorf("%d bands, want 13", len(vocBands))
	}
}

// TestFractionWarning verifies that a fraction per degree gets a warning with the percentage, and
// that coefficients of data sheets get none.
func TestFractionWarning(t *testing.T) {
	const want = "c: -0.0027 %/°C is close to zero; for the fraction -0.0027 per °C send -0.27"
	if got := FractionWarning("c", -0.0027); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []float64{-0.22, -0.27, -0.5} {
		if got := FractionWarning("c", c); got != "" {
			t.Errorf("%g: %q", c, got)
		}
	}
}
