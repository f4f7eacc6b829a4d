package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestDistributions compares moments and bounds of each distribution in each random mode with their
// formulas, within five standard errors.
func TestDistributions(t *testing.T) {
	const n = 4096
	for name, c := range map[string]struct {
		source      string
		mean, sigma float64
		low, high   float64
	}{
		"normal": {`"distribution": "normal", "mean": 100, "sigma": 2`, 100,
			2, -1e9, 1e9},
		"truncated": {
			`"distribution": "normal", "mean": 100, "sigma": 2, "truncate_sigma": 2`, 100,
			2 * 0.87962566, 96, 104},
		"uniform": {`"distribution": "uniform", "min": 10, "max": 20`, 15,
			10 / math.Sqrt(12), 10, 20},
		"lognormal": {`"distribution": "lognormal", "median": 50, "sigma_ln": 0.2`,
			50 * math.Exp(0.02), 50 * math.Exp(0.02) * math.Sqrt(math.Expm1(0.04)), 0, 1e9},
		"triangular": {`"distribution": "triangular", "min": 1, "mode": 2, "max": 6`, 3,
			math.Sqrt((1 + 4 + 36 - 2 - 6 - 12) / 18.0), 1, 6},
		"tolerance": {`"tolerance_pct": 10`, 200, 20 / math.Sqrt(3), 180, 220},
		"tolerance, normal": {`"tolerance_pct": 10, "distribution": "normal"`, 200,
			20.0 / 3 * 0.98658, 180, 220},
	} {
		for _, mode := range []string{Random, LHS, Sobol} {
			t.Run(name+" "+mode, func(t *testing.T) {
				request := fmt.Sprintf(`{"tool": "fspl", "mode": %q, "n": %d, "seed": 3, "input": {"freq_mhz": 200, "dist_km": 1}, "vary": [{"field": "/freq_mhz", %s}]}`, mode, n, c.source)
				p := newPlan(t, request)
				var x []float64
				for i := range n {
					x = append(x, scalar(json.RawMessage(p.Values(i)[0])))
				}
				mean, sigma := stat.MeanStdDev(x, nil)
				if math.Abs(mean-c.mean) > 5*c.sigma/math.Sqrt(n) ||
					math.Abs(sigma/c.sigma-1) > 5/math.Sqrt(n) {
					t.Errorf("mean %g, want %g; sigma %g, want %g", mean, c.mean, sigma, c.sigma)
				}
				if slices.Min(x) < c.low || slices.Max(x) > c.high {
					t.Errorf("%g to %g", slices.Min(x), slices.Max(x))
				}
			})
		}
	}
}

// TestValuesAreNumbers verifies that the values of a very wide range are exact, and that uniform
// numbers lie between 0 and 1, exclusive.
func TestValuesAreNumbers(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "vary": [
		{"field": "/dist_km", "from": 1e-300, "to": 1e300, "points": 5, "scale": "log"}]}`)
	for i, want := range []string{"1e-300", "1e-150", "1", "1e+150", "1e+300"} {
		if got := string(p.Values(i)[0]); got != want {
			t.Errorf("value %d is %s, want %s", i, got, want)
		}
	}
	for _, mode := range []string{Random, LHS} {
		for seed := range int64(50) {
			u := newUniforms(mode, seed, 100, 1)
			for i := range 100 {
				if x := u(i, 0); x <= 0 || x >= 1 {
					t.Fatalf("%s: %g", mode, x)
				}
			}
		}
	}
}
