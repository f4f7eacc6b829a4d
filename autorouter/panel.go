package autorouter

import (
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/export"
)

// Limits of a panel with V-scores [mm] (JLCPCB, Technical guidance: V-cut panelization standards,
// and Capabilities).
const (
	minPanelMM    = 70.0
	maxPanelMM    = 400.0
	minVScoreGap  = 0.4 // from copper to the centre line of a V-score
	maxPanelUnits = 100
)

// checkPanel rejects a panel whose boards cannot be separated by V-scores.
func (q *Request) checkPanel(f *InvalidFields) {
	switch {
	case q.Panel == nil:
	case len(q.Outline) > 0 || q.CornerRadiusMM > 0:
		f.add("panel", 0, "needs a board with straight sides and square corners, as V-scores go "+
			"from edge to edge; use width_mm and height_mm, or an automatic size")
	case q.Panel.Columns*q.Panel.Rows > maxPanelUnits:
		f.add("panel", 0, "has %d boards; at most %d are possible", q.Panel.Columns*q.Panel.Rows,
			maxPanelUnits)
	}
}

func (q *Request) panelOf() *export.Panel {
	if q.Panel == nil {
		return nil
	}
	return &export.Panel{Columns: q.Panel.Columns, Rows: q.Panel.Rows,
		Rail: board.MM(q.Panel.RailMM)}
}

// panelWarnings returns a warning for each property of the panel that a manufacturer might reject.
func (q *Request) panelWarnings(b *board.Board) []string {
	if q.Panel == nil {
		return nil
	}
	var out []string
	if !slices.Contains(q.Exports, "gerber") || !slices.Contains(q.Exports, "drill") {
		out = append(out, "the files of the panel are incomplete: exports needs gerber and drill")
	}
	size := b.Outline.Bounds().Max
	rails := 2 * board.MM(q.Panel.RailMM)
	w := board.ToMM(int64(q.Panel.Columns)*size.X + rails)
	h := board.ToMM(int64(q.Panel.Rows)*size.Y + rails)
	if min(w, h) < minPanelMM || max(w, h) > maxPanelMM {
		out = append(out, fmt.Sprintf(
			"the panel measures %g by %g mm; JLCPCB scores panels of %g to %g mm on each side",
			w, h, minPanelMM, maxPanelMM))
	}
	if gap := board.ToMM(b.Rules.EdgeClearance); gap < minVScoreGap {
		out = append(out, fmt.Sprintf("copper is %g mm from the V-scores; JLCPCB asks for %g mm",
			gap, minVScoreGap))
	}
	var over []string
	for i := range b.Parts {
		box := b.BodyBox(i)
		if box.Min.X < 0 || box.Min.Y < 0 || box.Max.X > size.X || box.Max.Y > size.Y {
			over = append(over, b.Parts[i].Ref)
		}
	}
	slices.Sort(over)
	if len(over) > 0 {
		out = append(out, fmt.Sprintf(
			"%s extend over the edge of the board and meet the next board or the rail of the panel",
			strings.Join(over, ", ")))
	}
	return out
}
