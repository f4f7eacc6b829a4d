package netlist

import (
	"math"
	"testing"
)

// TestRandomFunctions verifies rand, random and white of LTspice: the generator, the values at and
// between integers, the slopes and the distribution.
func TestRandomFunctions(t *testing.T) {
	// The first output of SplitMix64 for the seed 1234567 is 6457827717110365317 (Rosetta Code,
	// Pseudo-random numbers/Splitmix64).
	const first = uint64(6457827717110365317)
	want := float64(first>>11) / (1 << 53)
	if got := uniformAt(math.Float64frombits(1234567)); got != want {
		t.Errorf("SplitMix64 gives %g, want %g", got, want)
	}
	eval := func(name string, x float64) (float64, float64) {
		return functionNamed(name).evalExtended(x)
	}
	sum, squares := 0.0, 0.0
	const count = 10000
	for n := range count {
		x := float64(n) - count/2
		v, _ := eval("rand", x)
		inside, _ := eval("rand", x+0.99)
		smooth, _ := eval("random", x)
		white, _ := eval("white", x)
		if v != inside || v != smooth || v-0.5 != white || v < 0 || v >= 1 {
			t.Fatalf("at %g: rand %g and %g, random %g, white %g", x, v, inside, smooth, white)
		}
		sum, squares = sum+v, squares+v*v
	}
	// The standard deviation of the mean is 0.0029.
	mean := sum / count
	if variance := squares/count - mean*mean; math.Abs(mean-0.5) > 0.012 ||
		math.Abs(variance-1.0/12) > 0.003 {
		t.Errorf("mean %g and variance %g, want 1/2 and 1/12", mean, variance)
	}
	for _, name := range []string{"random", "white"} {
		for x := -3.05; x < 3; x += 0.1 {
			const d = 1e-6
			_, slope := eval(name, x)
			low, _ := eval(name, x-d)
			high, _ := eval(name, x+d)
			if want := (high - low) / (2 * d); math.Abs(slope-want) > 1e-6 {
				t.Errorf("slope of %s at %g is %g, want %g", name, x, slope, want)
			}
		}
		from, _ := eval(name, 1)
		to, _ := eval(name, 2)
		if mid, _ := eval(name, 1.5); math.Abs(mid-(from+to)/2) > 1e-15 {
			t.Errorf("%s(1.5) = %g, want the mean of %g and %g", name, mid, from, to)
		}
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), 1e308, -1e308, math.Copysign(0, -1)} {
		if v, slope := eval("white", x); math.IsNaN(v) || math.IsNaN(slope) {
			t.Errorf("white(%g) is %g with slope %g", x, v, slope)
		}
	}
}
