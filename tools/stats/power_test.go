package stats

import (
	"math"
	"testing"
)

// TestGroupsForMeans compares the group sizes of two-sided tests at the 5 % level with published
// values.
func TestGroupsForMeans(t *testing.T) {
	// The source is the MRC Cognition and Brain Sciences Unit, table after Cohen (1988). The
	// columns are d and the group sizes for a power of 80 % and 90 %.
	for _, row := range [][3]float64{
		{0.1, 1571, 2103}, {0.2, 394, 527}, {0.3, 176, 235}, {0.4, 100, 133}, {0.5, 64, 86},
		{0.6, 45, 60}, {0.7, 34, 44}, {0.8, 26, 34}, {1.0, 17, 23}, {1.1, 15, 19}, {1.2, 12, 16},
		{1.3, 11, 14},
	} {
		for i, power := range []float64{0.8, 0.9} {
			// The table corrects the n of the normal distribution, so its values deviate by one or
			// two.
			got := GroupsForMeans(row[0], 0.05, power, false)
			if math.Abs(got-row[i+1]) > max(1, 0.005*row[i+1]) {
				t.Errorf("d = %g, power %g: %g, published %g", row[0], power, got, row[i+1])
			}
		}
	}
	if got := GroupsForMeans(1, 0.05, 0.90, false); got != 23 {
		t.Errorf("R, power.t.test(delta = 1, power = .90): %g, want 22.02 rounded up", got)
	}
	// The reference values come from Simpson's rule over pieces of the noncentral t density, with
	// critical values from mpmath.
	for _, c := range []struct{ effect, confidence, power, want float64 }{
		{0.2, 0.95, 0.80, 199}, {0.5, 0.95, 0.80, 34}, {0.8, 0.95, 0.80, 15},
	} {
		if got := GroupsForMeans(c.effect, 1-c.confidence, c.power, true); got != c.want {
			t.Errorf("pairs, d = %g: %g, want %g", c.effect, got, c.want)
		}
	}
	// The source is docest.com, G*Power: t Tests, after Wuensch. It publishes a power of 0.360 for
	// n = 25 and d = 1/3, with both tails.
	df := 24.0
	if got := tPower(math.Sqrt(25)/3, df, Student(df).Upper(0.025)); math.Abs(got-0.360) > 6e-4 {
		t.Errorf("G*Power, one sample: a power of %g, published 0.360", got)
	}
}

// TestGroupsForProportions compares the group sizes with the R documentation of power.prop.test
// (76.7 and 50) and with JMP (2554).
func TestGroupsForProportions(t *testing.T) {
	for _, c := range []struct{ p1, p2, power, want, within float64 }{
		{0.50, 0.75, 0.90, 76.7, 0.05}, {0.5, 0.8026, 0.90, 50, 0.05}, {0.08, 0.06, 0.8, 2554, 1},
	} {
		if got := GroupsForProportions(c.p1, c.p2, 0.05, c.power); math.Abs(got-c.want) > c.within {
			t.Errorf("%g against %g: %g, published %g", c.p1, c.p2, got, c.want)
		}
	}
}
