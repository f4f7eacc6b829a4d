package main

import "testing"

// TestCurve verifies that a horizontal segment is drawn to its end, so that a step after it does
// not become a slope. It also verifies that the curve reaches the right edge.
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
