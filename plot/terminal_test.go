package plot

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestWriteText verifies that a figure as text contains the extremes of its curves, the units and
// the names.
func TestWriteText(t *testing.T) {
	ramp := Line{Name: "v(a)", Connect: true}
	for i := range 1000 {
		ramp.X = append(ramp.X, math.Pow(10, float64(i)/250))
		ramp.Y = append(ramp.Y, float64(i))
	}
	ramp.Y[400] = 5000 // a spike between two columns
	f := Figure{Title: "Ramp", Panels: []Panel{{
		X: Axis{Label: "Frequency", Unit: "Hz", Log: true}, Y: Axis{Label: "Voltage", Unit: "V"},
		Lines: []Line{ramp, {Name: "v(b)", X: ramp.X, Y: make([]float64, 1000)}},
	}}}
	var b strings.Builder
	if err := WriteText(&b, f, 80); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Ramp\n", "5k ┤", "Voltage [V] over Frequency [Hz]", "v(a)", "v(b)",
		"9.91k"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in\n%s", part, b.String())
		}
	}
	for _, empty := range []Figure{{}, {Panels: []Panel{{Lines: []Line{{X: []float64{1},
		Y: []float64{math.NaN()}}}}}}} {
		if err := WriteText(&b, empty, 80); !errors.Is(err, ErrEmpty) {
			t.Errorf("%v", err)
		}
	}
	bars := Figure{Panels: []Panel{{Bars: &Bars{Edges: []float64{0, 1, 2, 3},
		Counts: []int{1, 7, 2}}}}}
	b.Reset()
	if err := WriteText(&b, bars, 40); err != nil || !strings.Contains(b.String(), "7 ┤") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
