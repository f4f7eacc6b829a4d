package geom_test

import (
	"math"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

func at(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }

// TestDistance compares Distance with values computed by hand [mm].
func TestDistance(t *testing.T) {
	pad := func(s board.Shape, x, y, w, h, turn float64) geom.Shape {
		return (&board.Pad{
			At: at(x, y), Rotation: turn,
			Padstack: board.Padstack{Shape: s, Width: board.MM(w), Height: board.MM(h)},
		}).Copper(0)
	}
	square := pad(board.RectShape, 0, 0, 2, 2, 0)
	for _, c := range []struct {
		name string
		a, b geom.Shape
		want float64
	}{
		{"discs", geom.Disc(at(0, 0), board.MM(1)), geom.Disc(at(3, 4), board.MM(2)), 5 - 0.5 - 1},
		// The disc centre is 3 mm in x and 4 mm in y from the corner.
		{"disc and square", geom.Disc(at(4, 5), board.MM(1)), square, 5 - 0.5},
		{"squares", square, pad(board.RectShape, 5, 0, 2, 2, 0), 3},
		{"turned square", square, pad(board.RectShape, 5, 0, 2, 2, 45), 4 - math.Sqrt2},
		{"tracks crossing", geom.Segment(at(0, -3), at(0, 3), 2e5),
			geom.Segment(at(-3, 0), at(3, 0), 2e5), -0.2},
		{"parallel tracks", geom.Segment(at(0, 0), at(9, 0), board.MM(0.2)),
			geom.Segment(at(1, 1), at(2, 1), board.MM(0.4)), 0.7},
		{"ovals end to end", pad(board.Oval, 0, 0, 4, 2, 0), pad(board.Oval, 5, 0, 2, 4, 90), 1},
		// The centre of the corner arc is at 1.75, 1.75 mm.
		{"round corner", pad(board.RoundRect, 0, 0, 4, 4, 0), geom.Disc(at(5, 6), 0),
			math.Hypot(3.25, 4.25) - 0.25},
	} {
		if got := geom.Distance(&c.a, &c.b) / 1e6; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.6f mm, want %.6f", c.name, got, c.want)
		}
		if x, y := geom.Distance(&c.a, &c.b), geom.Distance(&c.b, &c.a); x != y {
			t.Errorf("%s: %g one way, %g the other", c.name, x, y)
		}
	}
}

func TestToAndBounds(t *testing.T) {
	s := geom.Segment(at(0, 0), at(3, 4), board.MM(1))
	// The point is 4/5·5 mm along the track and 3/5·5 mm beside it.
	if got := s.To(0, 5e6); math.Abs(got-(3e6-0.5e6)) > 1 {
		t.Errorf("to a point: %g nm", got)
	}
	if got, want := s.Bounds(), (board.Rect{Min: at(-0.5, -0.5), Max: at(3.5, 4.5)}); got != want {
		t.Errorf("bounds %v, want %v", got, want)
	}
	if _, ok := (&board.Pad{}).HoleShape(); ok {
		t.Error("a land has no hole")
	}
}
