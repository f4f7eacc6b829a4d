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

// kicadEdgeMM is the distance of copper from the board edge that KiCad's board rules ask for unless
// they are changed [mm]. Its design files do not state it.
const kicadEdgeMM = 0.5

// Route routes the design and checks the result by its exported positions. Attempts differ in the
// order of the nets; the first complete attempt ends the search, else the result is the best
// attempt. Only the first attempt keeps a margin for the rounding to the resolution of the session.
// A design of KiCad is first routed with KiCad's distance from the board edge, and with the
// design's distance only if connections stay open. The error is an *Error or the context's error.
func (d *Design) Route(ctx context.Context, o Options, how placed.Options) (*Result, error) {
	var boards []*Board
	r, err := placed.Route(ctx, how, func(i, tries int) (placed.Attempt, error) {
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
		if i == 0 { // pads that a track passes at its clearance leave none in later attempts
			a.Margin = nm(d.step())
		}
		return a, nil
	})
	if err != nil {
		return nil, err
	}
	return &Result{boards[r.Attempt], r}, nil
}

// snap moves a position to that which a session states.
func (b *Board) snap(p board.Point) board.Point {
	w, step := sessionWriter{Board: b}, b.design.step()
	return board.Point{
		X: int64(math.Round(float64(w.steps(float64(p.X+b.origin.X)))*step)) - b.origin.X,
		Y: int64(math.Round(float64(w.steps(float64(p.Y+b.origin.Y)))*step)) - b.origin.Y,
	}
}
