package electrical_test

import (
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/electrical"
)

// isolated returns a board with an isolator U1 whose pads are 7 mm apart: GND and SIG at the left,
// GND_ISO and OUT at the right. The pads of R1 join OUT and GND_ISO.
func isolated(r board.Rules) *bench {
	b := newBench(40, 20, r, board.Net{Name: "GND", Class: "power"},
		board.Net{Name: "GND_ISO", Class: "power"}, board.Net{Name: "SIG", Class: "default"},
		board.Net{Name: "OUT", Class: "default"})
	b.part("U1", at(20, 10), map[string]int{"1": 0, "2": 2, "3": 1, "4": 3},
		land("1", -4.5, -2, 2, 1), land("2", -4.5, 2, 2, 1), land("3", 4.5, -2, 2, 1),
		land("4", 4.5, 2, 2, 1))
	b.part("R1", at(32, 10), map[string]int{"1": 1, "2": 3},
		land("1", 0, -2, 1, 1), land("2", 0, 2, 1, 1))
	return b
}

func TestIsolationWarnings(t *testing.T) {
	tests := []struct {
		name  string
		build func(b *bench)
		want  []string // parts of the only warning; nil for none
	}{
		{"pads alone", func(*bench) {}, nil},
		{"pour around the isolated pads", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.pour(t)
		}, []string{"GND and GND_ISO are joined by no part", "0.25 mm apart", "on top",
			"pads of U1 are 7.00 mm apart"}},
		{"track of the isolated side", func(b *bench) { // sqrt(3.25² + 3.5²) - 0.25 mm from pad 1
			b.Tracks = append(b.Tracks, board.Track{Net: 3, Layer: board.Top, A: at(24.5, 12),
				B: at(19.75, 12), Width: board.MM(0.5)})
		}, []string{"GND and GND_ISO", "Copper of GND and OUT is 4.53 mm apart"}},
		{"pour within a keepout", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.Keepouts = append(b.Keepouts, board.Keepout{Area: board.Rect{Min: at(16.5, 0),
				Max: at(23.5, 20)}, Copper: true, Layers: []board.Layer{board.Top}})
			b.pour(t)
		}, nil},
		{"net tie", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.part("FB1", at(10, 17), map[string]int{"1": 0, "2": 1},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1))
			b.pour(t)
		}, nil},
		{"common-mode choke", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.part("L1", at(10, 17), map[string]int{"1": 0, "2": 1, "3": 2, "4": 3},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1), land("3", -1, 2, 1, 1),
				land("4", 1, 2, 1, 1))
			b.pour(t)
		}, nil},
		{"two grounds on one side", func(b *bench) { // SIG is AGND, which FB1 joins to GND
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.Nets[2].Name = "AGND"
			b.part("FB1", at(10, 17), map[string]int{"1": 0, "2": 2},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1))
			b.pour(t)
		}, []string{"GND and GND_ISO are joined by no part"}},
		{"Y capacitor", func(b *bench) { // joins no grounds and does not set the distance
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.part("C1", at(10, 17), map[string]int{"1": 0, "2": 1},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1))
			b.pour(t)
		}, []string{"GND and GND_ISO are joined by no part", "pads of U1 are 7.00 mm apart"}},
		{"bleeder", func(b *bench) { // joins no grounds and does not set the distance
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.part("R2", at(10, 17), map[string]int{"1": 0, "2": 1},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1))
			b.Parts[2].Value = "1M 1206"
			b.pour(t)
		}, []string{"GND and GND_ISO are joined by no part", "pads of U1 are 7.00 mm apart"}},
		{"0 ohm", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.part("R2", at(10, 17), map[string]int{"1": 0, "2": 1},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1))
			b.Parts[2].Value = "0R"
			b.pour(t)
		}, nil},
		{"copper of a footprint", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.part("X1", at(10, 17), map[string]int{"1": 0, "2": 1, "3": 2},
				land("1", -1, 0, 1, 1), land("2", 1, 0, 1, 1), land("3", 3, 0, 1, 1))
			b.Parts[2].Footprint.Ties = [][2]string{{"1", "2"}}
			b.pour(t)
		}, nil},
		{"no part between the grounds", func(b *bench) {
			b.Rules.PourLayers = []board.Layer{board.Top}
			b.Parts = b.Parts[1:]
			b.pour(t)
		}, nil},
	}
	for _, test := range tests {
		b := isolated(rules())
		test.build(b)
		got, err := electrical.IsolationWarnings(t.Context(), &b.Board)
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case len(test.want) == 0 && len(got) > 0:
			t.Errorf("%s: warns %q", test.name, got)
		case len(test.want) > 0 && len(got) != 1:
			t.Errorf("%s: %d warnings %q, want one", test.name, len(got), got)
		}
		for _, part := range test.want {
			if len(got) == 1 && !strings.Contains(got[0], part) {
				t.Errorf("%s: %q lacks %q", test.name, got[0], part)
			}
		}
	}
}
