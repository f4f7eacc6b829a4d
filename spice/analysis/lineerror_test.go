package analysis

import (
	"math"
	"testing"
)

// tableOf returns a table of one column with the values of f at the times at [s].
func tableOf(at []float64, f func(t float64) float64) *table {
	t := &table{width: 2}
	for _, time := range at {
		t.data = append(t.data, time, f(time))
	}
	return t
}

// equalTimes returns n+1 times [s] from 0 to 1.
func equalTimes(n int) (at []float64) {
	for k := range n + 1 {
		at = append(at, float64(k)/float64(n))
	}
	return at
}

// TestLineErrors compares the estimated error of straight lines with the distance of the curve from
// them, relative to peak-to-peak. The estimate must be within 15 %, or within 20 % of a missed
// peak.
func TestLineErrors(t *testing.T) {
	sine := func(t float64) float64 { return math.Sin(2 * math.Pi * t) }
	kink := func(t float64) float64 { return max(0, t-0.505) / 0.495 }
	pulse := func(t float64) float64 { // edges of 1e-9 s at breakpoints
		return min(1, max(0, (t-0.3)/1e-9)) - min(1, max(0, (t-0.6)/1e-9))
	}
	edges := []float64{0, 0.1, 0.2, 0.3, 0.3 + 1e-9, 0.3 + 2e-9, 0.4, 0.5, 0.6, 0.6 + 1e-9, 0.7,
		0.8}
	spike := func(t float64) float64 { // jumps to 1 and decays
		if t < 0.5 {
			return 0
		}
		return math.Exp(-(t - 0.5) / 1e-9)
	}
	peak := []float64{0.1, 0.2, 0.3, 0.4, 0.5 - 1e-12}
	for k := range 200 {
		peak = append(peak, 0.5+4.9e-11+float64(k)*5e-11)
	}
	for _, c := range []struct {
		name           string
		at             []float64
		f              func(t float64) float64
		window, period float64
		want, within   float64
	}{
		{"sine", equalTimes(100), sine, 1e-6, 0, math.Pi * math.Pi / 4 * 1e-4, 0.15},
		{"kink in the middle of a line", equalTimes(100), kink, 1e-6, 0, 0.0025 / 0.495, 0.15},
		{"kink at a row", equalTimes(200), kink, 1e-6, 0, 0, 0},
		{"edges at breakpoints", edges, pulse, 1e-6, 0, 0, 0},
		{"peak 5 % after a jump", peak, spike, 1e-6, 0, 0.05, 0.2},
		// d of the period and d of peak-to-peak: an error e on a slope of s per period is e/(1+s)
		{"sawtooth oscillation with curved edges", equalTimes(100),
			func(t float64) float64 { return math.Exp(20*t) / math.Exp(20) }, 1e-6, 1,
			1. / 8 * 0.04 * math.Exp(-0.2) / (1 + 20*math.Exp(-0.2)), 0.3},
	} {
		out := tableOf(c.at, c.f)
		l := polyline{table: out, span: out.significantSpans([]float64{0}), period: c.period,
			window: func(float64) float64 { return c.window },
			noise:  func(int, float64) float64 { return 0 }}
		got := l.errors()[1]
		if !(math.Abs(got-c.want) <= c.within*c.want+1e-6) {
			t.Errorf("%s: error %.4g, want %.4g", c.name, got, c.want)
		}
	}
}

// TestEstimateOfRegenerativeEdges verifies that the published error of circuits with positive
// feedback is within a factor of 3 of the difference from ngspice at fine settings. Two runs are
// compared, and the error is that of the finer one.
func TestEstimateOfRegenerativeEdges(t *testing.T) {
	for _, c := range []struct {
		file       string
		difference float64 // [%]
	}{{"../testdata/compare/latch_bjt.cir", 0.0457},
		{"../testdata/compare/b_loop.cir", 0.0811},
		{"../../examples/netlists/relay_flyback_diode.cir", 0.0262}} {
		s := transientOfFile(t, c.file)
		if _, err := s.tran(); err != nil {
			t.Fatal(err)
		}
		if e := *s.stats.ErrorEstimatePct; e < c.difference/3 || e > 3*c.difference {
			t.Errorf("%s: error %.3g %%, difference %.3g %%", c.file, e, c.difference)
		}
	}
}

// TestEstimateOfLines verifies that the published error of circuits with missed peaks, kinks within
// steps and oscillations is within a factor of 3 of the difference from ngspice at fine settings.
func TestEstimateOfLines(t *testing.T) {
	for _, c := range []struct {
		name       string
		difference float64 // [%]
	}{{"s_buck", 0.533}, {"s_inverter", 0.724}, {"pwm_expression", 0.842},
		{"switch_mos_converters", 0.219}, {"line_rc_gate", 0.32}, {"ring11", 0.0745},
		{"schmitt_expression", 0.0355}} {
		s := transientOfFile(t, "../testdata/compare/"+c.name+".cir")
		if _, err := s.tran(); err != nil {
			t.Fatal(err)
		}
		e := *s.stats.ErrorEstimatePct
		if e < c.difference/3 || e > 3*max(c.difference, 100*leastCarried/3) {
			t.Errorf("%s: error %.3g %%, difference %.3g %%", c.name, e, c.difference)
		}
	}
}
