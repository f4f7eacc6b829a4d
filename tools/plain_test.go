package tools

import (
	"math"
	"testing"
)

// TestSentence verifies that %g prints plain decimals such as 2690 m instead of 2.69e+03 m.
func TestSentence(t *testing.T) {
	for _, c := range []struct {
		format string
		value  float64
		want   string
	}{
		{"%.3g", 2690.4, "2690"}, {"%.4g", -123456, "-123500"}, {"%g", 2e6, "2000000"},
		{"%.2g", 0.00012, "0.00012"}, {"%.4g", 1e9, "1e+09"}, {"%.3g", 12e-6, "1.2e-05"},
		{"%.2f", 1234.5, "1234.50"}, {"%.3e", 1234.5, "1.234e+03"}, {"%.4g", 17.5, "17.5"},
		{"%.3g", 999999999, "1000000000"}, {"%.4g", math.Inf(1), "∞"}, {"%g", math.Inf(-1), "-∞"},
	} {
		if got := sentence(c.format, c.value); got != c.want {
			t.Errorf("%s of %g is %s, want %s", c.format, c.value, got, c.want)
		}
	}
	if got := sentence("%d of %s", 3, "four"); got != "3 of four" {
		t.Error(got)
	}
}
