package thermal

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestGraded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.Float64Range(1e-4, 1).Draw(t, "length")
		n := rapid.IntRange(1, 40).Draw(t, "n")
		first := rapid.Float64Range(1e-7, 1).Draw(t, "first")
		c := Graded(length, n, first, 2)
		if c.Count() != n || c[0] != 0 || c[n] != length {
			t.Fatalf("%d cells from %g to %g", c.Count(), c[0], c[c.Count()])
		}
		for i := range n {
			if c.Width(i) <= 0 {
				t.Fatalf("cell %d is %g wide", i, c.Width(i))
			}
			if i > 0 && c.Width(i) > c.Width(i-1)*2.000001 {
				t.Fatalf("cell %d grows %g times", i, c.Width(i)/c.Width(i-1))
			}
		}
		lo := rapid.Float64Range(0, length).Draw(t, "lo")
		hi := rapid.Float64Range(lo, length).Draw(t, "hi")
		sum := 0.0
		for i := range n {
			sum += c.Overlap(i, lo, hi)
		}
		if math.Abs(sum-(hi-lo)) > 1e-12*length {
			t.Fatalf("overlaps add up to %g, want %g", sum, hi-lo)
		}
	})
	if w := Graded(1, 10, 0.01, 2).Width(0); math.Abs(w-0.01) > 1e-9 {
		t.Errorf("the first cell is %g wide, asked for 0.01", w)
	}
}

func TestPeak(t *testing.T) {
	// 5 - (x - 0.3)² at -1, 0 and 1 has its maximum at 0.3, 0.09 above the middle.
	offset, height := Peak(5-1.69, 5-0.09, 5-0.49)
	within(t, "offset", offset, 0.3, 1e-12)
	within(t, "height", height, 0.09, 1e-12)
	if o, h := Peak(1, 1, 1); o != 0 || h != 0 {
		t.Errorf("a level line peaks at %g, %g", o, h)
	}
}

func TestRoot(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(float64) float64
		want float64
	}{
		"√2":                   {func(x float64) float64 { return x*x - 2 }, math.Sqrt2},
		"steep":                {func(x float64) float64 { return math.Expm1(40 * (x - 3)) }, 3},
		"flat":                 {func(x float64) float64 { return math.Pow(x-1, 9) }, 1},
		"a jump":               {func(x float64) float64 { return math.Copysign(1, x-0.7) }, 0.7},
		"the upper end":        {func(x float64) float64 { return x - 1e9 }, 1e9},
		"far above the bounds": {func(x float64) float64 { return math.Log(x) - 25 }, math.Exp(25)},
	} {
		within(t, name, RootAbove(0, 0.1, c.f), c.want, 1e-12)
	}
	if x := Root(2, 3, func(x float64) float64 { return x }); x != 2 {
		t.Errorf("without a change of sign: %g, want the nearer end, 2", x)
	}
}
