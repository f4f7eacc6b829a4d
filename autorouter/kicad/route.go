package kicad

import (
	"context"
	"fmt"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// Result is a routed board file.
type Result struct {
	*Board
	*placed.Result
}

// Least sizes of the class Default in later attempts [mm], because some files have rules in inches
// where millimetres are meant. They are the minimums of common manufacturers (package fab).
const (
	leastTrackMM = 0.127
	leastDrillMM = 0.3
	leastRingMM  = 0.13
)

// Route routes the connections that the kept tracks leave open, and checks the result. If neither o
// nor the project file defines the edge clearance, Route uses KiCad's default of 0.5 mm. The last
// of several attempts then uses the clearance of the class Default. Later attempts use smaller
// tracks and vias as far as the board rules permit. The error is an *Error or the error of the
// context.
func (d *Design) Route(ctx context.Context, o Options, how placed.Options) (*Result, error) {
	b, err := d.Board(o)
	if err != nil {
		return nil, err
	}
	_, stated, err := d.boardRule("min_copper_edge_clearance", "")
	if err != nil {
		return nil, err
	}
	var boards []*Board
	width, _, err := d.boardRule("min_track_width", "trace_min")
	if err != nil {
		return nil, err
	}
	smallest, err := d.smallest(b.Rules.Classes[0])
	if err != nil {
		return nil, err
	}
	neck := b.Rules.NeckWidth
	if width > 0 {
		neck = min(neck, max(width, board.MM(leastTrackMM)))
	}
	least := max(b.Rules.MinGap, board.MM(leastTrackMM))
	limited, closeParts := limitClosePads(b.Board, neck, least)
	provisional := smallest != b.Rules.Classes[0] || width > 0 && width < b.Rules.NeckWidth ||
		len(closeParts) > 0
	r, err := placed.Route(ctx, how, func(i, most int, congested bool) (placed.Attempt, error) {
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
			own.Rules.NeckWidth = neck
			own.Rules.MinTrack = own.Rules.NeckWidth
		}
		if i > 0 && len(closeParts) > 0 {
			own.Parts = limited
			one.Warnings = append(one.Warnings[:len(one.Warnings):len(one.Warnings)],
				closePadsWarning(closeParts))
		}
		if (i > 1 || congested) && smallest != b.Rules.Classes[0] {
			own.Rules.Classes = slices.Clone(own.Rules.Classes)
			own.Rules.Classes[0] = smallest
			own.Rules.NeckWidth = min(own.Rules.NeckWidth, smallest.TrackWidth)
			own.Rules.MinTrack = own.Rules.NeckWidth
			one.Warnings = append(one.Warnings[:len(one.Warnings):len(one.Warnings)],
				fmt.Sprintf("nets of the class Default have tracks of %g mm and vias of %g/%g mm, which the "+
					"board rules permit", board.ToMM(smallest.TrackWidth),
					board.ToMM(smallest.ViaDiameter), board.ToMM(smallest.ViaDrill)))
		}
		own.Tracks, own.Vias, own.Zones = []board.Track{}, nil, nil
		boards = append(boards, &one)
		return placed.Attempt{Board: &own, Provisional: provisional}, nil
	})
	if err != nil {
		return nil, err
	}
	return &Result{boards[r.Attempt], r}, nil
}

// smallest returns the net class c with the smallest tracks and vias that the board rules permit.
// Sizes without a rule stay, and none increases.
func (d *Design) smallest(c board.Class) (board.Class, error) {
	var rules [4]int64
	for i, names := range [4][2]string{
		{"min_track_width", "trace_min"},
		{"min_through_hole_diameter", "via_min_drill"},
		{"min_via_diameter", "via_min_size"},
		{"min_via_annular_width", ""},
	} {
		var err error
		if rules[i], _, err = d.boardRule(names[0], names[1]); err != nil {
			return c, err
		}
	}
	if rules[0] > 0 {
		c.TrackWidth = min(c.TrackWidth, max(rules[0], board.MM(leastTrackMM)))
	}
	if rules[1] > 0 && rules[2] > 0 {
		drill := max(rules[1], board.MM(leastDrillMM))
		diameter := max(rules[2], drill+2*max(rules[3], board.MM(leastRingMM)))
		if drill <= c.ViaDrill && diameter < c.ViaDiameter {
			c.ViaDrill, c.ViaDiameter = drill, diameter
		}
	}
	return c, nil
}
