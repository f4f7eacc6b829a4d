package analysis

import (
	"math"
	"testing"
)

// TestChordError compares the estimate with the distance between a parabola and its chord. For x =
// t² the distance of a chord over h is h²/4 at its midpoint, regardless of t.
func TestChordError(t *testing.T) {
	const before, h, range0 = 0.3, 0.2, 10.0
	x := func(t float64) []float64 { return []float64{0, t * t} }
	c := newChordControl([]int{1}, 1, 2, 1, []float64{0})
	c.start([]float64{0, 0})
	c.accept([]float64{0, range0})
	x1, x2, now := x(1)[1], x(1 - before)[1], x(1+h)
	c.line[1] = x1 + h/before*(x1-x2)
	c.predict([]float64{0, now[1] + 0.1})
	chord, predictor := c.outputError(now, h, before)
	span := c.span(0, now[1])
	if want := h * h / 4 / span / chordTolerance; math.Abs(chord-want) > 1e-9*want {
		t.Errorf("chord error %g, want %g", chord, want)
	}
	if want := 0.1 / span / (8 * chordTolerance); math.Abs(predictor-want) > 1e-9*want {
		t.Errorf("predictor error %g, want %g", predictor, want)
	}
	if want := range0 * (1 + minOutputRange*now[1]/range0); math.Abs(span-want) > 1e-9 {
		t.Errorf("span %g, want %g", span, want)
	}
}

// TestESDIRKChordError verifies that the estimate is exact for a parabola: it is the chord error of
// the widest gap between stages.
func TestESDIRKChordError(t *testing.T) {
	g := newESDIRK(1, 2)
	c := newChordControl([]int{1}, 1, 2, 1, []float64{0})
	c.start([]float64{0, 0})
	for k := range stageCount {
		g.x[k][1] = g.at[k] * g.at[k]
	}
	gap := g.at[2] * g.at[2] / 4
	want := gap / c.span(0, 1) / chordTolerance
	if got := g.chordError(&c, []float64{0, 0}, g.x[stageCount-1]); math.Abs(got-want) > 1e-9*want {
		t.Errorf("chord error %g, want %g", got, want)
	}
}

// TestDivide checks the number of lines of a step and their error. A polynomial whose error exceeds
// the tolerance, as in a step that resolves a jump, adds no points.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		chord, curve float64
		lines        int
		err          float64
	}{
		{0, 0, 1, 0},
		{0.9, 0.1, 1, 0.9},
		{3, 0.2, 2, 0.75},
		{3, 1.5, 2, 1.5},
		{30, 1, 4, 1.875},
		{3, 3, 1, 3},
		{100, 50, 1, 100},
		{100, math.Inf(1), 1, 100},
	} {
		var control chordControl
		control.divide(c.chord, c.curve)
		if control.lines != c.lines || math.Abs(control.lineError-c.err) > 1e-12 {
			t.Errorf("chord error %g, curve error %g: %d lines with error %g, want %d with %g",
				c.chord, c.curve, control.lines, control.lineError, c.lines, c.err)
		}
	}
}
