package tolerance

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRoundOutward(t *testing.T) {
	for _, c := range []struct {
		x        float64
		digits   int
		down, up float64
	}{
		{13.24, 3, 13.2, 13.3},
		{1.7320508, 4, 1.732, 1.733},
		{192.15, 4, 192.1, 192.2},
		{9.9996, 4, 9.999, 10},
		{10.0004, 4, 10, 10.01},
		{-0.12345, 3, -0.124, -0.123},
		{1.2345e-7, 3, 1.23e-7, 1.24e-7},
		{123456, 2, 120000, 130000},
		{0.1 + 0.2, 4, 0.3, 0.3},        // 0.30000000000000004
		{3 * 3.2, 4, 9.6, 9.6},          // 9.600000000000001
		{869.65 - 869.4, 4, 0.25, 0.25}, // 0.25000000000000 less rounding
		{0, 3, 0, 0},
		{math.Inf(1), 3, math.Inf(1), math.Inf(1)},
	} {
		if got := RoundDown(c.x, c.digits); got != c.down {
			t.Errorf("%v down to %d digits: %v, want %v", c.x, c.digits, got, c.down)
		}
		if got := RoundUp(c.x, c.digits); got != c.up {
			t.Errorf("%v up to %d digits: %v, want %v", c.x, c.digits, got, c.up)
		}
	}
	if !math.IsNaN(RoundUp(math.NaN(), 3)) {
		t.Error("NaN")
	}
}

func TestRoundOutside(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0.49996, 0.4999}, {0.49994, 0.4999}, {0.49986, 0.4999}, {2.80004, 2.801}, {2.9972, 2.997},
		{-0.00001, -0.00001}, {math.Inf(1), math.Inf(1)},
	} {
		if got := RoundOutside(c.x, 0.5, 2.8, 4); got != c.want {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	for _, c := range []struct{ x, above, below float64 }{
		{3.00004, 3.001, 3}, {2.99996, 3, 2.999}, {3.0126, 3.013, 3.013}, {2.9874, 2.987, 2.987},
		{-0.00001, -0.00001, -0.00001},
	} {
		if got := RoundAbove(c.x, 3, 4); c.x > 3 && got != c.above {
			t.Errorf("%v above 3: %v, want %v", c.x, got, c.above)
		}
		if got := RoundBelow(c.x, 3, 4); c.x < 3 && got != c.below {
			t.Errorf("%v below 3: %v, want %v", c.x, got, c.below)
		}
	}
}

// TestRoundOutwardLaw verifies that the rounded numbers enclose x and have at most the digits asked
// for. They must differ from x by less than one unit of the last digit.
func TestRoundOutwardLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-12, 1e12).Draw(t, "x")
		digits := rapid.IntRange(1, 6).Draw(t, "digits")
		down, up := RoundDown(x, digits), RoundUp(x, digits)
		if down > x*(1+noise) || up < x*(1-noise) || up-down > 1.001*x*math.Pow10(1-digits) {
			t.Fatalf("%v: %v to %v", x, down, up)
		}
		for _, r := range []float64{down, up} {
			text, _, _ := strings.Cut(strconv.FormatFloat(r, 'e', -1, 64), "e")
			if len(strings.ReplaceAll(text, ".", "")) > digits {
				t.Fatalf("%v has more than %d digits", r, digits)
			}
		}
	})
}
