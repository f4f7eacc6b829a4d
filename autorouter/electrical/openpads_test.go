package electrical_test

import (
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/electrical"
)

// TestOpenPadWarnings verifies the distances of a relay's open contact K1.4, 3 mm beside the
// contact K1.3 on a net of 3 mm clearance, from a track of GND whose edge is 1 mm from the pad.
func TestOpenPadWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *bench)
		want   []string // parts of the only warning; nil for none
	}{
		{"contact of mains", func(*bench) {}, []string{"K1.4 is on no net and 1.00 mm from copper of GND",
			"The clearance of K1.3 beside it is 3 mm", "a net of class mains"}},
		{"pour", func(b *bench) {
			b.Tracks = nil
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.pour(t)
		}, []string{"K1.4 is on no net", "copper of GND"}},
		{"far track", func(b *bench) {
			b.Tracks[0].A.Y, b.Tracks[0].B.Y = board.MM(16.5), board.MM(16.5)
		}, nil},
		{"track on the other side", func(b *bench) { b.Tracks[0].Layer = board.Bottom }, nil},
		{"track of the class", func(b *bench) { b.Tracks[0].Net = 1 }, nil},
		{"contact on a net of the class", func(b *bench) { b.Parts[0].Pads[1].Net = 1 }, nil},
		{"contact of two pads", func(b *bench) { // one warning, with the smallest distance
			b.Parts[0].Pads[2].Net = board.NoNet
			b.Parts[0].Pads[2].Number = "4"
			b.Parts[0].Pads[2].At = at(13, 9.5)
		}, []string{"K1.4 is on no net and 1.00 mm"}},
		{"low voltage", func(b *bench) { b.Nets[1].Class = "default" }, nil},
		{"coil beside the contact", func(b *bench) {
			b.Parts[0].Pads[0].Net = 0
			b.Parts[0].Pads[2].Net = 1
		}, nil},
	} {
		r := rules()
		r.Classes = append(slices.Clone(r.Classes), board.Class{Name: "mains",
			TrackWidth: board.MM(2), Clearance: board.MM(3), ViaDrill: board.MM(.3),
			ViaDiameter: board.MM(.6)})
		b := newBench(40, 20, r, board.Net{Name: "GND", Class: "power"},
			board.Net{Name: "L", Class: "mains"})
		b.part("K1", at(10, 10), map[string]int{"3": 1, "2": 0}, land("3", -3, 0, 2, 2),
			land("4", 0, 0, 2, 2), land("2", 20, 0, 2, 2))
		b.Tracks = []board.Track{{Net: 0, Layer: board.Top, A: at(5, 12.25), B: at(15, 12.25),
			Width: board.MM(.5)}}
		c.change(b)
		got, err := electrical.OpenPadWarnings(t.Context(), &b.Board)
		if err != nil || len(got) != min(1, len(c.want)) {
			t.Errorf("%s: %v, warnings %q", c.name, err, got)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(got[0], part) {
				t.Errorf("%s: %q lacks %q", c.name, got[0], part)
			}
		}
	}
}
