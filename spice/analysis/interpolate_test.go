package analysis

import (
	"context"
	"math"
	"testing"
)

// polynomialHistory returns a history of one unknown whose values are those of f. The last point is
// at time 0, and the earlier points are behind by the sums of the given steps, the newest first.
func polynomialHistory(f func(t float64) float64, steps []float64) *history {
	p := newHistory(0, 1, nil)
	copy(p.h[:], steps)
	t := 0.0
	for n := range ringSize {
		p.xs[(p.latest+n)%ringSize][0] = f(t)
		if n < len(steps) {
			t -= steps[n]
		}
	}
	p.points = len(steps) + 1
	return &p
}

// TestInterpolationIsExact checks that the weights reproduce a polynomial of their order between
// the last two points, for equal and unequal steps.
func TestInterpolationIsExact(t *testing.T) {
	for _, steps := range [][]float64{{1, 1, 1, 1}, {1, 0.5, 2, 0.7}, {0.3, 1, 1.5, 4}} {
		for k := 2; k <= 4; k++ {
			f := func(t float64) float64 { return 3 - t + 2*math.Pow(t, float64(k)) }
			p := polynomialHistory(f, steps)
			for _, part := range []float64{0.1, 0.5, 0.9} {
				back := part * steps[0]
				got := 0.0
				for j, w := range p.interpolation(back, k) {
					got += w * p.x(j)[0]
				}
				if want := f(-back); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("steps %v, order %d, %g of the step: %g instead of %g", steps, k, part,
						got, want)
				}
			}
		}
	}
}

// TestInterpolationRatio compares the ratio with both errors for the monomial of order k+1, whose
// divided difference is constant. The largest interpolation error is searched on a grid.
func TestInterpolationRatio(t *testing.T) {
	for _, steps := range [][]float64{{1, 1, 1, 1, 1}, {1, 0.6, 0.8, 0.5, 1}, {1, 2, 1.3, 2, 1}} {
		for k := 2; k <= 4; k++ {
			f := func(t float64) float64 { return math.Pow(t, float64(k+1)) }
			h := steps[0]
			solved := polynomialHistory(f, steps[:4])
			largest := 0.0
			for n := 1; n < 100; n++ {
				back := float64(n) / 100 * h
				got := 0.0
				for j, w := range solved.interpolation(back, k) {
					got += w * solved.x(j)[0]
				}
				largest = math.Max(largest, math.Abs(got-f(-back)))
			}
			before := polynomialHistory(func(t float64) float64 { return f(t - h) }, steps[1:])
			predicted := 0.0
			w := before.extrapolation(h, k)
			for j := 1; j <= k+1; j++ {
				predicted += w[j] * before.x(j - 1)[0]
			}
			want := largest / math.Abs(predicted-f(0))
			if got := before.interpolationRatio(h, k); math.Abs(got/want-1) > 0.1 {
				t.Errorf("steps %v, order %d: ratio %.4f instead of %.4f", steps, k, got, want)
			}
		}
	}
}

// TestInterpolatedSteps verifies that interpolation halves the number of steps in the interval of a
// StepLimit. The points are no farther apart than its Step, and they lie on the curve of a run
// with 1/8 of the step.
func TestInterpolatedSteps(t *testing.T) {
	const (
		from = 1e-3
		step = 1e-3 / 400
	)
	run := func(step float64, interpolated bool) (steps int, at, v []float64) {
		j := job(t, "V1 s 0 SIN(0 2 1k)\nR1 s a 1k\nD1 a 0 dm\nC1 a 0 10n\n"+
			".model dm D(IS=1n CJO=10p)\n.tran 10u 2m")
		j.Traces = []string{"v(a)"}
		j.StepLimits = []StepLimit{{From: from, Step: step, Interpolated: interpolated}}
		out, err := Run(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		traces := map[string][]float64{}
		for _, trace := range out.Traces {
			traces[trace.Name] = trace.Real
		}
		return out.Statistics.TimeSteps, traces["time"], traces["v(a)"]
	}
	short, _, _ := run(step, false)
	long, at, v := run(step, true)
	_, x, y := run(step/8, false)
	if long > short*6/10 {
		t.Errorf("%d steps with interpolation, %d without", long, short)
	}
	k := 0
	for n := 1; n < len(at); n++ {
		if at[n-1] < from {
			continue
		}
		if gap := at[n] - at[n-1]; gap > 1.001*step {
			t.Fatalf("%.4g s between two points at %.6g s, want at most %.4g", gap, at[n], step)
		}
		for k+2 < len(x) && x[k+1] < at[n] {
			k++
		}
		want := y[k] + (y[k+1]-y[k])*(at[n]-x[k])/(x[k+1]-x[k])
		if math.Abs(v[n]-want) > 1.5e-4 { // 0.006 % of peak-to-peak
			t.Fatalf("%.5f V at %.6g s, want %.5f", v[n], at[n], want)
		}
	}
}
