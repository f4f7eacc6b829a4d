package analysis

import (
	"fmt"
	"math"
	"testing"
)

// TestRadauOscillation follows a lossless resonant circuit. All points of the result must lie on
// the cosine within 0.5 %. The estimate must be within a factor of 3 of the largest error. Over
// more periods the tolerance of the steps is reduced, because their errors accumulate.
func TestRadauOscillation(t *testing.T) {
	for _, periods := range []float64{50, 500} {
		out := run(t, fmt.Sprintf("L1 a 0 1m\nC1 a 0 1u IC=1\nR1 a 0 1t\n.tran 5u %gm uic",
			0.2*math.Pi*math.Sqrt(0.1)*periods))
		time, v := values(t, out, "time"), values(t, out, "v(a)")
		omega, worst := 1/math.Sqrt(1e-3*1e-6), 0.0
		for k := 1; k < len(time); k++ {
			worst = max(worst, math.Abs(v[k]-math.Cos(omega*time[k])),
				math.Abs((v[k]+v[k-1])/2-math.Cos(omega*(time[k]+time[k-1])/2)))
		}
		if worst > 2*errorGoal {
			t.Errorf("%g periods: off by %.3g V of 2 V, at most %.3g expected", periods, worst,
				2*errorGoal)
		}
		e := out.Statistics.ErrorEstimatePct
		if e == nil || *e/100 > 3*worst/2 || *e/100 < worst/2/3 {
			t.Errorf("%g periods: error %.3g of peak-to-peak, estimate %v", periods, worst/2, *e)
		}
		if n := float64(len(time)); periods == 50 && n < periods*20 {
			t.Errorf("%g points do not draw %g periods", n, periods)
		}
	}
}

// TestRadauGrowth follows a resonant circuit with a conductance of either sign for 300 periods, in
// which its amplitude changes by a factor of 3.3. The estimate must be within a factor of 3 of the
// largest error, which grows and decays with the amplitude.
func TestRadauGrowth(t *testing.T) {
	for _, siemens := range []float64{-20e-6, 20e-6} {
		out := run(t, fmt.Sprintf("L1 a 0 10u\nC1 a 0 2.5n IC=1\nG1 a 0 a 0 %g\n.tran 1u 0.3m uic",
			siemens))
		time, v := values(t, out, "time"), values(t, out, "v(a)")
		damping := siemens / (2 * 2.5e-9)
		omega := math.Sqrt(1/(10e-6*2.5e-9) - damping*damping)
		at := func(t float64) float64 {
			s, c := math.Sincos(omega * t)
			return math.Exp(-damping*t) * (c - damping/omega*s)
		}
		worst, low, high := 0.0, 0.0, 0.0
		for k := 1; k < len(time); k++ {
			worst = max(worst, math.Abs(v[k]-at(time[k])),
				math.Abs((v[k]+v[k-1])/2-at((time[k]+time[k-1])/2)))
			low, high = min(low, v[k]), max(high, v[k])
		}
		worst /= high - low
		e := *out.Statistics.ErrorEstimatePct / 100
		if worst > acceptedError || e > 3*worst || e < worst/3 {
			t.Errorf("%g S: error %.3g of peak-to-peak, estimate %.3g", siemens, worst, e)
		}
	}
}
