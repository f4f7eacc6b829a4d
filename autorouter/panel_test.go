package autorouter

import (
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

// TestPanelWarnings: the size of a panel has no digits beyond nanometres; a panel without its files
// gets a warning.
func TestPanelWarnings(t *testing.T) {
	q := &Request{Panel: &Panel{Columns: 3, Rows: 1, RailMM: 5},
		Exports: []string{"drill", "gerber"}}
	b := &board.Board{Outline: board.Polygon{{}, {X: board.MM(20.1)},
		{X: board.MM(20.1), Y: board.MM(30)}, {Y: board.MM(30)}}}
	b.Rules.EdgeClearance = board.MM(0.4)
	// 3 × 20.1 mm + 10 mm by 30 mm + 10 mm
	want := []string{"the panel measures 70.3 by 40 mm; JLCPCB scores panels of 70 to 400 mm on each side"}
	if got := q.panelWarnings(b); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	q.Exports = []string{"bom", "drill"}
	if got := q.panelWarnings(b); len(got) != 2 ||
		got[0] != "the files of the panel are incomplete: exports needs gerber and drill" {
		t.Errorf("%q", got)
	}
}
