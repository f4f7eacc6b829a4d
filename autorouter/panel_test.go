package autorouter

import (
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

// TestPanelWarnings verifies the warning about the panel size, with correctly rounded lengths, and
// the warning about missing files of the panel.
func TestPanelWarnings(t *testing.T) {
	q := &Request{Panel: &Panel{Columns: 3, Rows: 1, RailMM: 5},
		Exports: []string{"drill", "gerber"}}
	b := &board.Board{Outline: board.Polygon{{}, {X: board.MM(20.1)},
		{X: board.MM(20.1), Y: board.MM(30)}, {Y: board.MM(30)}}}
	b.Rules.EdgeClearance = board.MM(0.4)
	// The panel measures 3 × 20.1 mm + 10 mm by 30 mm + 10 mm.
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

// TestTabWarnings verifies that panels with tabs have no minimum size. Holes of 0.6 mm extend 0.2
// mm into the board, and the slots of 1.6 mm count towards the panel size.
func TestTabWarnings(t *testing.T) {
	q := &Request{Panel: &Panel{Columns: 10, Rows: 1, RailMM: 5, Separation: "tabs"},
		Exports: []string{"drill", "gerber"}}
	b := &board.Board{Outline: board.Polygon{{}, {X: board.MM(40)},
		{X: board.MM(40), Y: board.MM(30)}, {Y: board.MM(30)}}}
	b.Rules.EdgeClearance = board.MM(0.3)
	// The panel measures 10 × 40 mm + 11 × 1.6 mm + 10 mm by 30 mm + 2 × 1.6 mm + 10 mm.
	want := []string{"the panel measures 427.6 by 43.2 mm; JLCPCB makes 400 mm",
		"copper is 0.1 mm from the holes of the tabs; JLCPCB asks for 0.2 mm"}
	if got := q.panelWarnings(b); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	q.Panel.Columns, b.Rules.EdgeClearance = 1, board.MM(0.4)
	if got := q.panelWarnings(b); len(got) > 0 {
		t.Errorf("%q", got)
	}
	b.Outline = board.Polygon{{}, {X: board.MM(4)}, {X: board.MM(4), Y: board.MM(30)},
		{Y: board.MM(30)}}
	if got := q.panelWarnings(b); len(got) != 1 || q.panelOf(b) != nil {
		t.Errorf("%q, %v", got, q.panelOf(b))
	}
}
