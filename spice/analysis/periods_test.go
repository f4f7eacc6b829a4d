package analysis

import (
	"math"
	"testing"
)

// oscillation returns a table of two sines with the given period [s] over 10 s. The first sine has
// the given amplitude. The second has the amplitude 1 and leads by 90 degrees.
func oscillation(period, amplitude float64, rows int) *table {
	t := &table{width: 3}
	for r := range rows {
		time := 10 * float64(r) / float64(rows-1)
		a := 2 * math.Pi * time / period
		t.data = append(t.data, time, amplitude*math.Sin(a), math.Cos(a))
	}
	return t
}

// TestAlignPeriods uses two runs with a period error of 0.4 %, which differ by a tenth of a period
// after 25 periods. After alignment they differ only in amplitude, and the difference of the
// periods is returned.
func TestAlignPeriods(t *testing.T) {
	rough, fine := oscillation(0.4016, 1.02, 4001), oscillation(0.4, 1, 4001)
	floor := []float64{1e-6, 1e-6}
	if d, _ := rough.normalizedDifference(fine, alignment{}, floor); d < 0.2 {
		t.Errorf("side by side the runs differ by %g, too little for this test", d)
	}
	ways, period := rough.alignPeriods(fine)
	if len(ways) == 0 || math.Abs(period-0.004) > 1e-4 {
		t.Fatalf("%d alignments, period off by %g, want 0.004", len(ways), period)
	}
	if d, _ := rough.normalizedDifference(fine, ways[0], floor); d > 0.0101 || d < 0.005 {
		t.Errorf("aligned runs differ by %g, want about 0.01 of the range, the amplitude's 2 %%", d)
	}
	// A damped oscillation is not a sustained one.
	for r := range rough.rows() {
		rough.data[3*r+1] *= math.Exp(-rough.data[3*r])
		rough.data[3*r+2] *= math.Exp(-rough.data[3*r])
	}
	if ways, _ := rough.alignPeriods(fine); ways != nil {
		t.Error("a dying oscillation was aligned with a lasting one")
	}
}

// TestAlignStartUp verifies that the alignment compensates for different starts of an oscillation
// from an unstable equilibrium. The start depends on rounding, but the waveform is the same.
func TestAlignStartUp(t *testing.T) {
	grown := func(from float64) *table {
		t := &table{width: 2}
		for r := range 4001 {
			time := 10 * float64(r) / 4000
			amplitude := math.Min(1, math.Exp((time-from)/0.05))
			t.data = append(t.data, time, amplitude*math.Sin(2*math.Pi*(time-from)/0.4))
		}
		return t
	}
	floor := []float64{1e-6}
	for _, from := range []float64{1, 1.7} {
		rough, fine := grown(from), grown(1.25)
		if d, _ := rough.normalizedDifference(fine, alignment{}, floor); d < 0.2 {
			t.Errorf("side by side the runs differ by %g, too little for this test", d)
		}
		ways, period := rough.alignPeriods(fine)
		if len(ways) == 0 || period > 1e-4 {
			t.Fatalf("%d alignments, period off by %g, want 0", len(ways), period)
		}
		closest := 1.0
		for _, a := range ways {
			d, _ := rough.normalizedDifference(fine, a, floor)
			closest = min(closest, d)
		}
		if closest > 0.005 {
			t.Errorf("growing from %g s instead of 1.25 s: aligned runs differ by %g, want none",
				from, closest)
		}
	}
}

// TestPeriodError uses a shift that grows by 1 µs in each of four periods of 1 ms and then
// decreases as fast. It is an error of 0.1 % in every period, although the shift is 0 at both ends
// of the run.
func TestPeriodError(t *testing.T) {
	var p phaseError
	for k := 1; k <= 100; k++ {
		at := float64(k) * 8e-3 / 100
		p.shift = append(p.shift, timeShift{at, 1e-3 * min(at, 8e-3-at)})
	}
	for _, c := range []struct{ from, want float64 }{{0, 1e-3}, {4e-3, 1e-3}, {6e-3, 1e-3}} {
		if got := p.periodError(c.from, 1e-3); math.Abs(got-c.want) > 0.1*c.want {
			t.Errorf("from %g s: relative error %g, want %g", c.from, got, c.want)
		}
	}
}
