package export

import (
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// TestPanel verifies that a panel repeats every layer of the board as a step-and-repeat block. It
// must contain the holes of all boards, and the fiducials and tooling holes of its rails. The
// expected numbers are computed by hand for 3 by 2 boards with rails of 5 mm.
func TestPanel(t *testing.T) {
	b := bench("U1", "A", "N")
	size := b.Outline.Bounds().Max
	files, err := All(t.Context(), b, Options{Formats: []string{"gerber", "drill"},
		Panel: &Panel{Columns: 3, Rows: 2, Rail: board.MM(5)}})
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.Role] = f.Content
	}
	between := func(s, from, to string) string {
		_, s, _ = strings.Cut(s, from)
		s, _, _ = strings.Cut(s, to)
		return s
	}
	for _, role := range []string{"copper_top", "copper_bottom", "mask_top", "silk_top"} {
		want := "%SRX3Y2I" + mm(size.X) + "J" + mm(size.Y) + "*%\n"
		unit := between(text["panel_"+role], want, "%SR*%")
		one := between(text[role], "G01*\n", "M02*")
		// Both the block and the file of one board delete the last attributes after the drawing.
		if unit == "" || unit != one {
			t.Errorf("%s: the block differs from the board", role)
		}
	}
	lines := func(role, op string) int { return strings.Count(text[role], op) }
	if got := lines("panel_mask_top", "D03") - lines("mask_top", "D03"); got != 3 {
		t.Errorf("%d openings for fiducials, want 3", got)
	}
	if got := lines("panel_copper_top", "D03") - lines("copper_top", "D03"); got != 3 {
		t.Errorf("%d fiducials, want 3", got)
	}
	if got := lines("panel_v_scores", "D01"); got != 4+3 {
		t.Errorf("%d V-scores, want 7", got)
	}
	hits := func(role string) int {
		n := 0
		for line := range strings.Lines(text[role]) {
			if strings.HasPrefix(line, "X") || strings.HasPrefix(line, "G00X") {
				n++
			}
		}
		return n
	}
	if one, all := hits("drill_plated"), hits("panel_drill_plated"); one == 0 || all != 6*one {
		t.Errorf("%d plated holes, want six times %d", all, one)
	}
	if one, all := hits("drill_nonplated"), hits("panel_drill_nonplated"); all != 6*one+4 {
		t.Errorf("%d holes without plating, want six times %d and 4", all, one)
	}
	p := panel{Panel{Columns: 3, Rows: 2, Rail: board.MM(5)}, size}
	box := p.box()
	for _, at := range p.fiducials() {
		// A fiducial is 3.58 mm from two edges of the panel, and its mask opening of 2 mm does not
		// reach the boards.
		d := []int64{at.X - box.Min.X, at.Y - box.Min.Y, box.Max.X - at.X, box.Max.Y - at.Y}
		slices.Sort(d)
		if d[0] != board.MM(3.58) || d[1] != board.MM(3.58) || d[0]+board.MM(1) > board.MM(5) {
			t.Errorf("fiducial %v", at)
		}
	}
	if got := box.Width(); got != 3*size.X+board.MM(10) {
		t.Errorf("the panel is %d nm wide", got)
	}
}

// TestNarrowPanel verifies that tooling holes and fiducials do not overlap on panels at least 18 mm
// wide.
func TestNarrowPanel(t *testing.T) {
	for width := 8.0; width < 40; width += 0.25 {
		p := panel{Panel{Columns: 1, Rows: 1, Rail: board.MM(5)},
			board.Point{X: board.MM(width), Y: board.MM(30)}}
		holes := p.toolingHoles()
		for i, h := range holes {
			for _, o := range holes[:i] {
				if d := board.Distance(h.At, o.At); d < float64(2*toolingHole) {
					t.Errorf("board of %g mm: holes at %g nm", width, d)
				}
			}
			for _, at := range p.fiducials() {
				if d := board.Distance(h.At, at); d < float64(toolingHole+fiducialOpening)/2 {
					t.Errorf("board of %g mm: a hole at %g nm from a fiducial", width, d)
				}
			}
		}
	}
}
