package ipc

import (
	"math"
	"testing"
)

// TestFitAgainstUniversalChart compares the fit with G. Hunter's public fit of the universal chart,
// which was drawn independently (mbedded.ninja, track current IPC-2152). That fit is I =
// 0.0897·ΔT^0.3938·A^(0.5038·ΔT^0.0385). From 10 to 45 K, the currents may differ by at most 15 %,
// the error that the tool states.
func TestFitAgainstUniversalChart(t *testing.T) {
	worst := 0.0
	for _, ounces := range []float64{0.5, 1, 2, 3} {
		for _, rise := range []float64{10, 20, 30, 45} {
			for _, width := range []float64{10, 20, 50, 100, 200, 400} {
				thickness := ounces * 1.378
				fit := FitOf("external", ounces).Current(rise, width, thickness)
				chart := 8.971e-2 * math.Pow(rise, 0.39379) *
					math.Pow(width*thickness, 0.50382*math.Pow(rise, 0.038496))
				worst = max(worst, math.Abs(fit/chart-1))
			}
		}
	}
	if worst > 0.155 || worst < 0.1 {
		t.Errorf("the fits differ by %.3g", worst)
	}
}

// TestFitsAreConsistent verifies that a trace on an inner layer carries 85 to 130 % of the current
// of the same trace on an outer layer. It also verifies that Current, Width and Rise are inverse
// functions.
func TestFitsAreConsistent(t *testing.T) {
	for _, ounces := range []float64{0.5, 0.74, 0.76, 1, 1.49, 1.51, 2, 2.49, 2.51, 3} {
		for _, rise := range []float64{10, 20, 45, 100} {
			for _, width := range []float64{10, 50, 400} {
				thickness := ounces * 1.378
				inner, outer := FitOf("internal", ounces), FitOf("external", ounces)
				i := inner.Current(rise, width, thickness)
				if ratio := i / outer.Current(rise, width, thickness); ratio < 0.85 || ratio > 1.3 {
					t.Errorf("%g oz, %g °C, %g mil: inside %.3g of outside", ounces, rise, width,
						ratio)
				}
				if back := inner.Width(rise, i, thickness); math.Abs(back/width-1) > 1e-9 {
					t.Errorf("width %g, want %g", back, width)
				}
				if back := inner.Rise(i, width, thickness); math.Abs(back/rise-1) > 1e-9 {
					t.Errorf("rise %g, want %g", back, rise)
				}
			}
		}
	}
}
