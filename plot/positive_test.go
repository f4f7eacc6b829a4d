package plot

import "testing"

// TestPositive verifies that positive is false for lines with a value of 0 or below, and true for
// other lines, including a line without values.
func TestPositive(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want bool
	}{{nil, true}, {[]float64{}, true}, {[]float64{1, 2}, true}, {[]float64{1, 0}, false},
		{[]float64{-1}, false}} {
		if got := positive([]Line{{Y: c.y}}); got != c.want {
			t.Errorf("%v: %t", c.y, got)
		}
	}
}
