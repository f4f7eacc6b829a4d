package autorouter

import (
	"testing"

	"slipstick/autorouter/board"
)

// TestEdgeLineWarnings checks the warnings about connectors and antenna modules that are away from
// the outline. Either the board edge marked 2 mm from the origin or the end of the antenna counts.
func TestEdgeLineWarnings(t *testing.T) {
	connector := &board.Footprint{MatingSide: board.TopEdge, MarksEdge: true, EdgeDistance: 2e6}
	box := func(x1, y1, x2, y2 int64) board.Rect {
		return board.Rect{Min: board.Point{X: x1, Y: y1}, Max: board.Point{X: x2, Y: y2}}
	}
	module := &board.Footprint{Body: box(-9e6, -10e6, 9e6, 2e6),
		Keepouts: []board.FootprintKeepout{{Area: box(-24e6, -4e6, 24e6, 17e6), Tracks: true,
			Copper: true}}}
	edgeMount := &board.Footprint{MatingSide: board.TopEdge, EdgeMount: true, EdgeDistance: 2e6}
	chip := &board.Footprint{MatingSide: board.TopEdge}
	for _, c := range []struct {
		name  string
		f     *board.Footprint
		edge  board.Edge
		y     int64 // on a board of 20 mm [nm]
		fixed bool
		want  string
	}{
		{"aligned", connector, board.TopEdge, 18e6, true, ""},
		{"fixed 0.4 mm inside", connector, board.TopEdge, 17.6e6, true, ""},
		{"fixed 9 mm inside", connector, board.TopEdge, 9e6, true,
			"the board edge marked in the footprint of J1 is fixed 9.00 mm inside the board"},
		{"fixed 1 mm beyond", connector, board.TopEdge, 19e6, true,
			"the board edge marked in the footprint of J1 is fixed 1.00 mm beyond the edge"},
		{"placed 0.4 mm inside", connector, board.TopEdge, 17.6e6, false,
			"the board edge marked in the footprint of J1 is 0.40 mm inside the board: its pads " +
				"keep edge_clearance_mm (0.4 mm)"},
		{"not at an edge", connector, board.NoEdge, 9e6, true, ""},
		{"antenna", module, board.TopEdge, 10e6, true,
			"the antenna end of J1 is fixed 8.00 mm inside the board"},
		{"edge mount with the edge clearance", edgeMount, board.TopEdge, 17.6e6, false, ""},
		{"edge mount farther inside", edgeMount, board.TopEdge, 17e6, true,
			"the edge of the pads of J1 is fixed 1.00 mm inside the board"},
		{"no marked edge", chip, board.TopEdge, 9e6, true, ""},
	} {
		b := &board.Board{Outline: board.Polygon{{}, {X: 30e6}, {X: 30e6, Y: 20e6}, {Y: 20e6}},
			Rules: board.Rules{EdgeClearance: 0.4e6},
			Parts: []board.Part{{
				Component: board.Component{Ref: "J1", Footprint: c.f, Edge: c.edge},
				Placement: board.Placement{At: board.Point{X: 15e6, Y: c.y}, Fixed: c.fixed}}}}
		got := ""
		for _, w := range edgeLineWarnings(b, nil) {
			got += w
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
