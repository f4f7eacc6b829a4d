package autorouter

import (
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/export"
)

// Limits of a panel; lengths are in mm. Source: JLCPCB, "Technical guidance: V-cut panelization
// standards" and "Capabilities".
const (
	minPanelMM    = 70.0 // minimum side length of a panel with V-scores
	maxPanelMM    = 400.0
	minVScoreGap  = 0.4 // minimum distance from copper to the centre line of a V-score
	minTabHoleGap = 0.2 // minimum distance from copper to an unplated hole
	maxPanelUnits = 100
)

// checkPanel adds an error for a panel with too many boards, or whose boards V-scores or tabs
// cannot hold.
func (q *Request) checkPanel(f *InvalidFields) {
	switch {
	case q.Panel == nil:
	case len(q.Outline) > 0:
		f.add("panel", 0, "needs a rectangular board; use width_mm and height_mm, or an "+
			"automatic size")
	case q.CornerRadiusMM > 0 && !q.Panel.tabs():
		f.add("panel", 0, "needs a board with square corners, as V-scores go from edge to edge; "+
			"set panel.separation to tabs")
	case q.Panel.Columns*q.Panel.Rows > maxPanelUnits:
		f.add("panel", 0, "has %d boards; at most %d are possible", q.Panel.Columns*q.Panel.Rows,
			maxPanelUnits)
	case q.WidthMM != nil && q.HeightMM != nil && !q.hasTabSpace(*q.WidthMM, *q.HeightMM):
		f.add("panel", 0, "needs %g mm of straight side for a tab",
			board.ToMM(export.MinTabSide))
	}
}

func (p *Panel) tabs() bool { return p.Separation == "tabs" }

// hasTabSpace reports whether the sides of a board of w by h [mm] are long enough for the tabs of
// the panel. Without tabs the result is true.
func (q *Request) hasTabSpace(w, h float64) bool {
	return !q.Panel.tabs() || min(w, h)-2*q.CornerRadiusMM >= board.ToMM(export.MinTabSide)
}

func (q *Request) panelOf(b *board.Board) *export.Panel {
	if q.Panel == nil {
		return nil
	}
	size := b.Outline.Bounds().Max
	if !q.hasTabSpace(board.ToMM(size.X), board.ToMM(size.Y)) {
		return nil
	}
	return &export.Panel{Columns: q.Panel.Columns, Rows: q.Panel.Rows,
		Rail: board.MM(q.Panel.RailMM), Tabs: q.Panel.tabs(), Corner: board.MM(q.CornerRadiusMM)}
}

// panelWarnings returns warnings about properties of the panel that a manufacturer might reject,
// about parts that extend over the board edge, and about missing files. If the board is too small
// for tabs, the only warning is that there is no panel.
func (q *Request) panelWarnings(b *board.Board) []string {
	if q.Panel == nil {
		return nil
	}
	panel, size := q.panelOf(b), b.Outline.Bounds().Max
	if panel == nil {
		return []string{fmt.Sprintf("there is no panel: tabs need %g mm of straight side",
			board.ToMM(export.MinTabSide))}
	}
	var out []string
	if !slices.Contains(q.Exports, "gerber") || !slices.Contains(q.Exports, "drill") {
		out = append(out, "the files of the panel are incomplete: exports needs gerber and drill")
	}
	box := panel.Box(size)
	w, h := board.ToMM(box.Width()), board.ToMM(box.Height())
	gap, over := board.ToMM(b.Rules.EdgeClearance), panel.Gap()
	switch {
	case panel.Tabs:
		if max(w, h) > maxPanelMM {
			out = append(out, fmt.Sprintf("the panel measures %g by %g mm; JLCPCB makes %g mm",
				w, h, maxPanelMM))
		}
		if gap -= board.ToMM(export.TabHoleDepth); gap < minTabHoleGap {
			out = append(out, fmt.Sprintf(
				"copper is %.4g mm from the holes of the tabs; JLCPCB asks for %g mm", gap,
				minTabHoleGap))
		}
	case min(w, h) < minPanelMM || max(w, h) > maxPanelMM:
		out = append(out, fmt.Sprintf(
			"the panel measures %g by %g mm; JLCPCB scores panels of %g to %g mm on each side",
			w, h, minPanelMM, maxPanelMM))
	}
	if !panel.Tabs && gap < minVScoreGap {
		out = append(out, fmt.Sprintf("copper is %g mm from the V-scores; JLCPCB asks for %g mm",
			gap, minVScoreGap))
	}
	var beyond []string
	for i := range b.Parts {
		box := b.BodyBox(i)
		if box.Min.X < -over || box.Min.Y < -over || box.Max.X > size.X+over ||
			box.Max.Y > size.Y+over {
			beyond = append(beyond, b.Parts[i].Ref)
		}
	}
	slices.Sort(beyond)
	if len(beyond) > 0 {
		out = append(out, fmt.Sprintf(
			"%s extend over the edge of the board and meet the next board or the rail of the panel",
			strings.Join(beyond, ", ")))
	}
	return out
}
