package kicad

import (
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// withSetup returns the text of a board file of KiCad 5 with a net class and board rules.
func withSetup(setup, class string) string {
	text := strings.Replace(smallBoard(class), "(setup ", "(setup "+setup+" ", 1)
	return strings.Replace(text, "20221018", "20171130", 1)
}

// TestSmallest verifies the class of later attempts. Rules in inches and rules above the sizes of
// the class do not apply.
func TestSmallest(t *testing.T) {
	const class = `(net_class Default "" (clearance 0.2) (trace_width 0.25) (via_dia 0.8) (via_drill 0.4))`
	for _, c := range []struct {
		name, setup          string
		track, via, viaDrill float64
	}{
		{"no rules", "", 0.25, 0.8, 0.4},
		{"smaller", "(trace_min 0.1524) (via_min_size 0.6) (via_min_drill 0.3)", 0.1524, 0.6, 0.3},
		{"annular ring", "(via_min_size 0.4) (via_min_drill 0.3)", 0.25, 0.56, 0.3},
		{"inches", "(trace_min 0.006) (via_min_size 0.027) (via_min_drill 0.013)", 0.127, 0.56,
			0.3},
		{"larger", "(trace_min 0.3) (via_min_size 0.9) (via_min_drill 0.5)", 0.3, 0.8, 0.4},
	} {
		d := read(t, withSetup(c.setup, class), "")
		b, err := d.Board(Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.smallest(b.Rules.Classes[0])
		if err != nil || got.TrackWidth != board.MM(c.track) ||
			got.ViaDiameter != board.MM(c.via) ||
			got.ViaDrill != board.MM(c.viaDrill) || got.Clearance != board.MM(0.2) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	project := strings.Replace(projectText, `"min_clearance": 0.1,`,
		`"min_clearance": 0.1, "min_via_diameter": 0.4, "min_through_hole_diameter": 0.3,
		"min_via_annular_width": 0.14,`, 1)
	d := read(t, smallBoard(), project)
	got, err := d.smallest(board.Class{ViaDiameter: board.MM(0.6), ViaDrill: board.MM(0.3)})
	if err != nil || got.ViaDiameter != board.MM(0.58) {
		t.Errorf("project file: %+v, %v", got, err)
	}
}

// TestNoClearance verifies the clearance of a class Default without one: the smallest track width
// of the board, but at most the default.
func TestNoClearance(t *testing.T) {
	const class = `(net_class Default "" (clearance %s) (trace_width 0.25) (via_dia 0.8) (via_drill 0.4))`
	for _, c := range []struct {
		clearance, setup string
		want             float64
	}{
		{"0", "(trace_min 0.1524)", 0.1524}, {"0", "(trace_min 0.3)", defaultClearanceMM},
		{"0", "", defaultClearanceMM}, {"0", "(trace_min 0.006)", defaultClearanceMM},
		{"0.17", "(trace_min 0.1524)", 0.17},
	} {
		b := boardOf(t, withSetup(c.setup, strings.Replace(class, "%s", c.clearance, 1)), "",
			Options{})
		if got := b.Rules.Classes[0].Clearance; got != board.MM(c.want) {
			t.Errorf("%s, %s: %g mm, want %g", c.clearance, c.setup, board.ToMM(got), c.want)
		}
	}
}
