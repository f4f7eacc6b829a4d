package analysis

import (
	"math"
	"testing"
)

// waveform is an expression of the first unknown.
type waveform func(x float64) float64

func (w waveform) CanPulse() bool { return true }

func (w waveform) CanJump() bool { return true }

func (w waveform) ValueBetween(before, after []float64, _, _, at float64) float64 {
	return w(before[0] + at*(after[0]-before[0]))
}

// TestLocateDiscontinuity searches a step of 1 s, in which the unknown rises from 0 to 1, for the
// jumps of several functions. A jump must be located within 1 ns. A continuous function has none,
// however steep it is.
func TestLocateDiscontinuity(t *testing.T) {
	above := func(level float64) waveform {
		return func(x float64) float64 {
			if x > level {
				return 5
			}
			return 0
		}
	}
	for _, c := range []struct {
		name  string
		value waveform
		want  float64 // position of the jump; 1 if there is none
	}{
		{"comparison", above(0.3), 0.3},
		{"comparison just behind the start", above(1e-6), 1e-6},
		{"comparison just before the end", above(1 - 1e-6), 1 - 1e-6},
		{"no crossing", above(2), 1},
		{"jump of a slope", func(x float64) float64 { return 3*x + above(0.7)(x) }, 0.7},
		{"straight line", func(x float64) float64 { return 5 * x }, 1},
		{"kink", func(x float64) float64 { return math.Max(0, x-0.5) }, 1},
		{"steep edge", func(x float64) float64 { return math.Tanh(1e4 * (x - 0.4)) }, 1},
		{"infinite value", func(x float64) float64 { return 1 / (1 - x) }, 1},
		{"undefined value", func(x float64) float64 { return math.Sqrt(0.5 - x) }, 1},
	} {
		control := discontinuityControl{sources: []discontinuousSource{{PulseDevice: c.value,
			low: math.Inf(1), high: math.Inf(-1), time: math.NaN()}}}
		at, found := control.locate([]float64{0}, []float64{1}, 0, 1, 1e-9)
		if found != (c.want < 1) || !(at >= c.want-1e-12 && at <= c.want+1e-9) {
			t.Errorf("%s: jump at %.12g, found %v, want %g", c.name, at, found, c.want)
		}
	}
}

// TestSmallDiscontinuity verifies that only jumps above discontinuitySize of the earlier range are
// events.
func TestSmallDiscontinuity(t *testing.T) {
	step := waveform(math.Floor)
	control := discontinuityControl{sources: []discontinuousSource{{PulseDevice: step,
		low: -0.5 / discontinuitySize, high: 0, time: math.NaN()}}}
	if _, found := control.locate([]float64{0.5}, []float64{1.5}, 0, 1, 1e-9); !found {
		t.Error("a jump of 2 % of the range is not found")
	}
	control.sources[0].low = -2 / discontinuitySize
	if _, found := control.locate([]float64{0.5}, []float64{1.5}, 0, 1, 1e-9); found {
		t.Error("a jump of 0.5 % of the range is an event")
	}
}

// TestChatter verifies that events in rapid succession end the search for jumps, and that other
// events do not.
func TestChatter(t *testing.T) {
	for _, interval := range []float64{1, 3} {
		control := discontinuityControl{sources: []discontinuousSource{{
			PulseDevice: waveform(math.Floor), low: math.Inf(1), high: math.Inf(-1),
			time: math.NaN()}}}
		for k := range 2 * mostDiscontinuities {
			control.count(float64(k)*interval, 2)
		}
		_, found := control.locate([]float64{0.5}, []float64{1.5}, 0, 1, 1e-9)
		if want := interval > 2; found != want {
			t.Errorf("events every %g s, limit 2 s: jump found %v, want %v", interval, found, want)
		}
	}
}
