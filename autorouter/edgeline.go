package autorouter

import (
	"fmt"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// edgeLineWarnings returns a warning for each edge part that is away from the outline. The distance
// is that of the marked board edge, or of the end of its antenna or edge-mount pads. Such pads keep
// the edge clearance. Parts off their edge have a warning of their own.
func edgeLineWarnings(b *board.Board, offEdge []int) []string {
	const (
		maxFixed  = 500 * board.Micrometre // largest distance of a fixed part
		maxPlaced = 50 * board.Micrometre  // largest distance of another part
	)
	var out []string
	for i := range b.Parts {
		p := &b.Parts[i]
		at, known := p.BoardEdgeAt()
		if !known || p.Edge == board.NoEdge || slices.Contains(offEdge, i) {
			continue
		}
		d, wanted := math.Inf(1), 0.0
		for k, from := range b.Outline {
			to := b.Outline[(k+1)%len(b.Outline)]
			d = min(d, geom.PointSegment(geom.VecOf(at), geom.VecOf(from), geom.VecOf(to)))
		}
		what, where := "the board edge marked in the footprint of "+p.Ref, "beyond the edge"
		switch {
		case p.Footprint.EdgeMount:
			what = "the edge of the pads of " + p.Ref
			wanted = float64(b.Rules.EdgeClearance)
		case !p.Footprint.MarksEdge:
			what = "the antenna end of " + p.Ref
		}
		if b.Outline.Contains(at) {
			where = "inside the board"
		}
		switch {
		case p.Fixed && d > wanted+float64(maxFixed):
			out = append(out, fmt.Sprintf("%s is fixed %.2f mm %s", what, d/1e6, where))
		case !p.Fixed && d > wanted+float64(maxPlaced):
			out = append(out, fmt.Sprintf("%s is %.2f mm %s: its pads keep edge_clearance_mm "+
				"(%g mm)", what, d/1e6, where, board.ToMM(b.Rules.EdgeClearance)))
		}
	}
	return out
}
