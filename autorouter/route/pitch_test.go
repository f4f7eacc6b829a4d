package route

import (
	"context"
	"testing"

	"slipstick/autorouter/board"
)

// TestFittedPitch verifies that a congested board gets a grid on which parallel tracks have their
// clearance without waste. Three tracks of 0.15 mm with 0.15 mm between them need 0.75 mm. A slot
// of 0.94 mm leaves 0.19 mm for the position and the margins of the grid. On a grid of 0.1 mm, they
// need 0.95 mm and margins.
func TestFittedPitch(t *testing.T) {
	for _, congested := range []bool{false, true} {
		b := small(t, 9, 6, func(b *board.Board) {
			topOnly(b)
			b.Rules.Classes[0].TrackWidth, b.Rules.Classes[0].Clearance = 150e3, 150e3
			for _, y := range []int64{0, 3.47e6} {
				b.Keepouts = append(b.Keepouts, board.Keepout{
					Area: board.Rect{Min: board.Point{X: 3e6, Y: y},
						Max: board.Point{X: 6e6, Y: y + 2.53e6}},
					Layers: []board.Layer{board.Top}, Tracks: true, Vias: true,
				})
			}
		}, place{1, 1.5, 0}, place{8, 1.5, 0}, place{1, 3, 1}, place{8, 3, 1}, place{1, 4.5, 2},
			place{8, 4.5, 2}).board
		rt, err := newRouter(context.Background(), b, Options{Congested: congested})
		if err != nil {
			t.Fatal(err)
		}
		rt.negotiate()
		rt.legalize()
		if open := rt.openCount(); (open == 0) != congested {
			t.Errorf("congested %v, pitch %d nm: %d open", congested, rt.grid.pitch, open)
		}
	}
}

// TestPitch verifies the pitch of congested boards. It is three or four steps per track where 0.1
// mm wastes a fifth of the spacing, and 0.1 mm elsewhere.
func TestPitch(t *testing.T) {
	for _, c := range []struct {
		width, clearance int64
		steps            int64 // grid steps between parallel tracks
		fitted           bool
	}{
		{200e3, 200e3, 4, true},
		{152400, 152400, 3, true},
		{254e3, 177800, 5, false},
		{250e3, 200e3, 5, false},
	} {
		b := small(t, 6, 6, func(b *board.Board) {
			b.Rules.Classes[0].TrackWidth, b.Rules.Classes[0].Clearance = c.width, c.clearance
		}, place{1, 1, 0}, place{5, 5, 0}).board
		rt, err := newRouter(context.Background(), b, Options{Congested: true})
		if err != nil {
			t.Fatal(err)
		}
		spacing, pitch := c.width+c.clearance, rt.grid.pitch
		if (pitch != defaultPitch) != c.fitted || pitch*c.steps <= spacing ||
			c.fitted && pitch*c.steps > spacing+spacing/30 {
			t.Errorf("tracks %d nm apart: pitch %d nm", spacing, pitch)
		}
	}
}
