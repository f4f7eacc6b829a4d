package plot

import (
	"math"
	"slices"
	"testing"
)

// TestSI: prefixes and digits.
func TestSI(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "4.7k": 4700, "-12m": -0.012, "1M": 999999, "330": 330, "1µ": 1e-6, "150f": 1.5e-13, "1e-18": 1e-18, "2.2P": 2.2e15, "1e+18": 1e18,
	} {
		if got := SI(x, 3); got != want {
			t.Errorf("SI(%g) = %s, want %s", x, got, want)
		}
	}
	if got := SI(math.Inf(1), 3); got != "+Inf" {
		t.Error(got)
	}
}

// TestTicks: labels are round, distinct and within the axis.
func TestTicks(t *testing.T) {
	labels := func(low, high float64, unit string) (out []string) {
		for _, k := range (siTicks{unit}).Ticks(low, high) {
			if k.Value < low-1e-9 || k.Value > high*(1+1e-9)+1e-9 {
				t.Errorf("tick %g is outside %g to %g", k.Value, low, high)
			}
			out = append(out, k.Label)
		}
		return out
	}
	if got := labels(-1, 1, "V"); !slices.Equal(got, []string{"-1", "-500m", "0", "500m", "1"}) {
		t.Errorf("%q", got)
	}
	if got := labels(0, 3e-3, "s"); !slices.Equal(got, []string{"0", "500µ", "1m", "1.5m", "2m", "2.5m", "3m"}) {
		t.Errorf("%q", got)
	}
	if got := labels(1000000, 1000003, "Hz"); len(got) != len(slices.Compact(slices.Clone(got))) {
		t.Errorf("labels repeat: %q", got)
	}
	var decades []string
	for _, k := range (decadeTicks{"Hz"}).Ticks(10, 1e6) {
		if k.Label != "" {
			decades = append(decades, k.Label)
		}
	}
	if !slices.Equal(decades, []string{"10", "100", "1k", "10k", "100k", "1M"}) {
		t.Errorf("%q", decades)
	}
}
