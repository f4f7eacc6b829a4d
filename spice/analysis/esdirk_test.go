package analysis

import (
	"math"
	"testing"
)

// TestTableau checks Butcher's conditions for order 4 and those for order 3 of the embedded
// formula. Every stage must have order 2 (Hairer and Wanner, Solving Ordinary Differential
// Equations II, section IV.5). One wrong digit in a coefficient violates a condition.
func TestTableau(t *testing.T) {
	g := newTableau()
	var twice, cubed, nested [stageCount]float64 // A·c, A·c², A·A·c
	for i := range stageCount {
		row := 0.0
		for j, w := range g.weight[i] {
			row += w
			twice[i] += w * g.at[j]
			cubed[i] += w * g.at[j] * g.at[j]
		}
		if math.Abs(row-g.at[i]) > 1e-15 {
			t.Errorf("stage %d stands at %g, its weights sum to %g", i, g.at[i], row)
		}
		if math.Abs(twice[i]-g.at[i]*g.at[i]/2) > 1e-15 && i > 1 {
			t.Errorf("stage %d is not of order 2: %g", i, twice[i]-g.at[i]*g.at[i]/2)
		}
	}
	for i := range stageCount {
		for j, w := range g.weight[i] {
			nested[i] += w * twice[j]
		}
	}
	for _, c := range []struct {
		name  string
		order int
		value func(i int) float64
		want  float64
	}{
		{"sum of b", 1, func(int) float64 { return 1 }, 1},
		{"b·c", 2, func(i int) float64 { return g.at[i] }, 1.0 / 2},
		{"b·c²", 3, func(i int) float64 { return g.at[i] * g.at[i] }, 1.0 / 3},
		{"b·A·c", 3, func(i int) float64 { return twice[i] }, 1.0 / 6},
		{"b·c³", 4, func(i int) float64 { return g.at[i] * g.at[i] * g.at[i] }, 1.0 / 4},
		{"b·c·A·c", 4, func(i int) float64 { return g.at[i] * twice[i] }, 1.0 / 8},
		{"b·A·c²", 4, func(i int) float64 { return cubed[i] }, 1.0 / 12},
		{"b·A·A·c", 4, func(i int) float64 { return nested[i] }, 1.0 / 24},
	} {
		full, third := 0.0, 0.0
		for i := range stageCount {
			full += g.weight[stageCount-1][i] * c.value(i)
			third += (g.weight[stageCount-1][i] - g.errWeights[i]) * c.value(i)
		}
		if math.Abs(full-c.want) > 1e-15 {
			t.Errorf("%s = %.17g, not %.17g", c.name, full, c.want)
		}
		if off := math.Abs(third - c.want); off > 1e-15 && c.order < 4 {
			t.Errorf("of the embedded formula %s = %.17g, not %.17g", c.name, third, c.want)
		} else if off < 1e-5 && c.order == 4 {
			t.Errorf("the embedded formula meets %s, so it shows no error of it", c.name)
		}
	}
}
