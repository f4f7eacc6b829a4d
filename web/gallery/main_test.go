package main

import "testing"

// TestCurve verifies that levels are drawn to their ends, because a step after a level must not
// slope. A curve reaches the right edge.
func TestCurve(t *testing.T) {
	for _, test := range []struct {
		name string
		x, y []float64
		want string
	}{
		{"step between levels", []float64{0, 1, 2, 3}, []float64{0, 0, 1, 1},
			"M0 60L48 60L96 4L144 4"},
		{"ramp", []float64{0, 3}, []float64{0, 1}, "M0 60L144 4"},
		{"two runs", []float64{0, 3, 0, 3}, []float64{0, 0, 1, 1}, "M0 60L144 60M0 4L144 4"},
		{"column with a peak", []float64{0, 1, 1.001, 1.002, 3}, []float64{0, 0, 1, 0, 0},
			"M0 60L48 60L48 4L48 60L144 60"},
	} {
		if got := curve(test.x, test.y); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
