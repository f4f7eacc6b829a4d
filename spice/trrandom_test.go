package spice

import (
	"slices"
	"testing"
)

// TestRandomSource verifies that TRRANDOM depends on the seed, the name and the run, and on nothing
// else.
func TestRandomSource(t *testing.T) {
	const text = "t\nV1 a 0 dc 2 TRRANDOM(2 1u 2u 0.5 1)\nI1 0 b TRRANDOM(1 1u)\nR1 a 0 {r}\nR2 b 0 1\n" +
		".param r=1k\n.tran 1u 20u\n.meas tran m avg v(a)\n"
	mean := func(options string) float64 {
		return *run(t, text+options+"\n.end", "tran").Measures[0].Value
	}
	one := mean(".options seed=1")
	if one != mean(".options seed=1") || one == mean(".options seed=2") {
		t.Error("the values do not follow from the seed")
	}
	r := run(t, text+".options seed=1\n.step param r list 1k 2k\n.end", "tran")
	runs := runsOf(r)
	if a, b := *runs[0].Measures[0].Value, *runs[1].Measures[0].Value; a != one || a == b {
		t.Errorf("the runs have the means %g and %g, the first alone %g", a, b, one)
	}
	a, b := column(t, r, "v(a)"), column(t, r, "v(b)")
	if a[0] != 0 || slices.Max(b) > 1 || slices.Min(b) < -1 || slices.Max(b) < 0.5 {
		t.Errorf("v(a) begins at %g V, v(b) is from %g to %g V", a[0], slices.Min(b), slices.Max(b))
	}
}
