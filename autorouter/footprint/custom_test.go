package footprint

import (
	"errors"
	"math"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// relay returns a valid spec. Each error case of TestInvalidSpecs invalidates one property of it.
func relay() Spec {
	return Spec{Name: "RELAY_G5", Body: &[2]float64{12, 6}, Pads: []PadSpec{
		{Pad: "1", X: 0, Y: 0, Width: 2, Height: 2, Drill: 1},
		{Pad: "COIL", X: 10, Y: 0, Width: 2, Height: 3, Slot: &[2]float64{1, 2}, Rotation: 90},
		{Pad: "EP", X: 5, Y: 2, Width: 1, Height: 1, Shape: "rect"},
		{X: 5, Y: -2, Drill: 1.2},
	}}
}

func TestCustom(t *testing.T) {
	f, err := Custom(relay())
	if err != nil {
		t.Fatal(err)
	}
	// The pad centres span 0 to 10 mm by -2 to 2 mm. The origin therefore moves to (5, 0) mm and
	// the body by -5 mm.
	want := []board.FootprintPad{
		{
			Number: "1", At: board.Point{X: -5e6},
			Padstack: board.Padstack{Width: 2e6, Height: 2e6, Drill: 1e6, Shape: board.Circle},
		},
		{
			Number: "COIL", At: board.Point{X: 5e6}, Rotation: 90,
			Padstack: board.Padstack{
				Width: 2e6, Height: 3e6, SlotW: 1e6, SlotH: 2e6, Shape: board.Oval,
			},
		},
		{
			Number: "EP", At: board.Point{Y: 2e6},
			Padstack: board.Padstack{Width: 1e6, Height: 1e6, Shape: board.RectShape},
		},
		{
			At: board.Point{Y: -2e6}, NonPlated: true,
			Padstack: board.Padstack{
				Width: 1.2e6, Height: 1.2e6, Drill: 1.2e6, Shape: board.Circle,
			},
		},
	}
	for i, p := range f.Pads {
		if p != want[i] {
			t.Errorf("pad %d is %+v, want %+v", i, p, want[i])
		}
	}
	if f.Body != sides(-11, -3, 1, 3) || f.Courtyard != sides(-11.25, -3.25, 6.75, 3.25) || !f.Tht {
		t.Errorf("body %v, courtyard %v", f.Body, f.Courtyard)
	}
}

func TestInvalidSpecs(t *testing.T) {
	for _, c := range []struct {
		path string
		edit func(s *Spec)
	}{
		{"name", func(s *Spec) { s.Name = "" }},
		{"name", func(s *Spec) { s.Name = "=cmd" }},
		{"name", func(s *Spec) { s.Name = "a b" }},
		{"name", func(s *Spec) { s.Name = strings.Repeat("a", 129) }},
		{"pads", func(s *Spec) { s.Pads = nil }},
		{"pads", func(s *Spec) { s.Pads = make([]PadSpec, 501) }},
		{"pads", func(s *Spec) { s.Pads = s.Pads[3:] }},
		{"pads[0].pad", func(s *Spec) { s.Pads[0].Pad = "1,2" }},
		{"pads[0].pad", func(s *Spec) { s.Pads[0].Pad = "µ" }},
		{"pads[2].pad", func(s *Spec) { s.Pads[2].Pad = "" }},
		{"pads[0].x_mm", func(s *Spec) { s.Pads[0].X = math.NaN() }},
		{"pads[0].y_mm", func(s *Spec) { s.Pads[0].Y = 1e9 }},
		{"pads[0].width_mm", func(s *Spec) { s.Pads[0].Width = 0 }},
		{"pads[0].height_mm", func(s *Spec) { s.Pads[0].Height = -1 }},
		{"pads[0].height_mm", func(s *Spec) { s.Pads[0].Height, s.Pads[0].Shape = 3, "circle" }},
		{"pads[0].shape", func(s *Spec) { s.Pads[0].Shape = "Circle" }},
		{"pads[0].drill_mm", func(s *Spec) { s.Pads[0].Drill = 2 }},
		{"pads[0].drill_mm", func(s *Spec) { s.Pads[0].Drill = math.Inf(1) }},
		{"pads[1].slot_mm", func(s *Spec) { s.Pads[1].Slot = &[2]float64{2, 2} }},
		{"pads[1].slot_mm", func(s *Spec) { s.Pads[1].Drill = .5 }},
		{"pads[1].rotation_deg", func(s *Spec) { s.Pads[1].Rotation = 1e12 }},
		{"pads[3]", func(s *Spec) { s.Pads[3].Y = 2 }},
		{"body_mm", func(s *Spec) { s.Body = &[2]float64{-1, 1} }},
	} {
		s := relay()
		c.edit(&s)
		_, err := NewLibrary([]Spec{s}, nil)
		var specErr *SpecError
		if !errors.As(err, &specErr) || specErr.Path != "custom_footprints[0]."+c.path {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

func TestCustomBeforeLibrary(t *testing.T) {
	own := relay()
	own.Name = "r_0805"
	l, err := NewLibrary([]Spec{own, relay()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, pads := range map[string]int{"R_0805": 4, "Mine:R_0805": 4, "relay_g5": 4,
		"C_0805": 2} {
		if f, err := l.Find(name); err != nil || len(f.Pads) != pads {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if _, err := NewLibrary([]Spec{relay(), relay()}, nil); err == nil ||
		!strings.Contains(err.Error(), "custom_footprints[1].name") {
		t.Errorf("the same name twice: %v", err)
	}
	var none *Library
	if f, err := none.Find("R_0805"); err != nil || len(f.Pads) != 2 {
		t.Errorf("the standard library: %v, %v", f, err)
	}
}

func TestOverlap(t *testing.T) {
	square := board.FootprintPad{Padstack: board.Padstack{Width: 1e6, Height: 1e6}}
	round := board.FootprintPad{
		Padstack: board.Padstack{Width: 1e6, Height: 1e6, Shape: board.Circle},
	}
	for _, c := range []struct {
		name string
		a, b board.FootprintPad
		x, y float64 // position of b [mm]
		turn float64 // rotation of b [degrees]
		want bool
	}{
		{"side by side", square, square, 1, 0, 0, false},
		{"a micrometre into each other", square, square, .999, 0, 0, true},
		{"corner to corner", square, square, 1, 1, 0, false},
		// The half extents sum to 0.5 + 0.707 = 1.207 mm.
		{"a corner turned towards a side", square, square, 1.2, 0, 45, true},
		{"the same, further", square, square, 1.21, 0, 45, false},
		// The centres are 1.13 mm apart.
		{"circles in the corner of squares", round, round, .8, .8, 0, false},
		{"circles", round, round, .7, .7, 0, true}, // The centres are 0.99 mm apart.
		{"one inside the other", square, board.FootprintPad{
			Padstack: board.Padstack{Width: 1e5, Height: 1e5},
		}, .1, .1, 30, true},
	} {
		c.b.At, c.b.Rotation = board.Point{X: board.MM(c.x), Y: board.MM(c.y)}, c.turn
		if got := Overlap(c.a, c.b); got != c.want || Overlap(c.b, c.a) != got {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestUnplatedSlot verifies that a slot without a name is a hole without copper of its size.
func TestUnplatedSlot(t *testing.T) {
	f, err := Custom(Spec{Name: "S", Pads: []PadSpec{
		{Pad: "1", X: -3, Width: 1, Height: 1},
		{X: 3, Slot: &[2]float64{1, 2.5}, Rotation: 90},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if p := f.Pads[1]; !p.NonPlated || p.SlotW != board.MM(1) || p.SlotH != board.MM(2.5) ||
		p.Width != p.SlotW || p.Height != p.SlotH || p.Shape != board.Oval || p.Drill != 0 {
		t.Errorf("%+v", p)
	}
}
