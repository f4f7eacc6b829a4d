package specctra

import (
	"context"
	"math"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// Result is a routed design.
type Result struct {
	*Board
	*placed.Result
}

// kicadEdgeMM is KiCad's default clearance of copper to the board edge [mm]. DSN files from KiCad
// do not contain this rule.
const kicadEdgeMM = 0.5

// Route routes the design and checks the result at the exported positions. The attempts use
// different net orders. The first complete attempt ends the search; otherwise Route returns the
// best attempt. Only the first attempt adds a margin for rounding to the resolution of the session.
//
// A design from KiCad is first routed with KiCad's default edge clearance. If connections stay
// open, the last attempt uses the clearance of the design. The error is an *Error or the error of
// the context.
func (d *Design) Route(ctx context.Context, o Options, how placed.Options) (*Result, error) {
	var boards []*Board
	r, err := placed.Route(ctx, how, func(i, tries int, _ bool) (placed.Attempt, error) {
		options := o
		edge := options.EdgeClearanceMM == 0 && d.boundaryClearance == 0 &&
			strings.Contains(d.hostCAD, "KiCad")
		if edge && i < max(1, tries-1) {
			options.EdgeClearanceMM = kicadEdgeMM
		}
		b, err := d.Board(options)
		if err != nil {
			return placed.Attempt{}, err
		}
		if edge && options.EdgeClearanceMM == 0 {
			b.Warnings = append(b.Warnings, "tracks are up to the clearance from the board edge; "+
				"KiCad's own rule may ask for 0.5 mm")
		}
		boards = append(boards, b)
		a := placed.Attempt{Board: b.Board, Snap: b.snap}
		// Later attempts omit the margin, because a track may have to pass between pads at exactly
		// the clearance.
		if i == 0 {
			a.Margin = nm(d.step)
		}
		return a, nil
	})
	if err != nil {
		return nil, err
	}
	return &Result{boards[r.Attempt], r}, nil
}

// snap rounds a board position to the resolution of a session.
func (b *Board) snap(p board.Point) board.Point {
	w, step := sessionWriter{Board: b}, b.design.step
	return board.Point{
		X: int64(math.Round(float64(w.steps(float64(p.X+b.origin.X)))*step)) - b.origin.X,
		Y: int64(math.Round(float64(w.steps(float64(p.Y+b.origin.Y)))*step)) - b.origin.Y,
	}
}
