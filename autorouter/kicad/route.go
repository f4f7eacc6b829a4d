package kicad

import (
	"context"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// Result is a routed board file.
type Result struct {
	*Board
	*placed.Result
}

// Route routes the connections that the kept tracks leave open, and checks the result. If neither o
// nor the project file defines the edge clearance, Route uses KiCad's default of 0.5 mm and, in the
// last of several attempts, the clearance of the class Default. The error is an *Error or the error
// of the context.
func (d *Design) Route(ctx context.Context, o Options, how placed.Options) (*Result, error) {
	b, err := d.Board(o)
	if err != nil {
		return nil, err
	}
	_, stated, err := d.boardRule("min_copper_edge_clearance", "")
	if err != nil {
		return nil, err
	}
	width, _, err := d.boardRule("min_track_width", "trace_min")
	if err != nil {
		return nil, err
	}
	var boards []*Board
	r, err := placed.Route(ctx, how, func(i, most int, _ bool) (placed.Attempt, error) {
		one := *b
		own := *b.Board
		one.Board = &own
		if o.EdgeClearanceMM == 0 && !stated && i > 0 && i == most-1 {
			own.Rules.EdgeClearance = own.Rules.Classes[0].Clearance
			one.Warnings = append(one.Warnings[:len(one.Warnings):len(one.Warnings)],
				"tracks are up to the clearance from the board edge; KiCad's own rule may ask for 0.5 mm",
			)
		}
		if i > 0 && width > 0 { // a track may narrow to reach fine-pitch pads
			own.Rules.NeckWidth = min(own.Rules.NeckWidth, width)
			own.Rules.MinTrack = own.Rules.NeckWidth
		}
		own.Tracks, own.Vias, own.Zones = []board.Track{}, nil, nil
		boards = append(boards, &one)
		return placed.Attempt{Board: &own, Provisional: width > 0 && width < b.Rules.NeckWidth}, nil
	})
	if err != nil {
		return nil, err
	}
	return &Result{boards[r.Attempt], r}, nil
}
