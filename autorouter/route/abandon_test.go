package route

import (
	"testing"

	"slipstick/autorouter/board"
)

// TestAbandonConflicts verifies that a run with AbandonConflicts ends without a board if most nets
// stay in conflict. The run goes on if they do not. All 60 nets cross the board, through a slot
// with space for six tracks or for all.
func TestAbandonConflicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		slot    int64 // height of the slot [nm]
		abandon bool
		want    bool
	}{
		{"narrow slot", 3e6, true, true},
		{"narrow slot, no other run", 3e6, false, false},
		{"no wall", 60e6, true, false},
	} {
		var pads []place
		for i := range 60 {
			y := 2 + float64(i)*0.9
			pads = append(pads, place{1, y, i}, place{7, y, i})
		}
		b := small(t, 8, 58, func(b *board.Board) {
			topOnly(b)
			for _, area := range []board.Rect{
				{Min: board.Point{X: 3.5e6}, Max: board.Point{X: 4.5e6, Y: 29e6 - c.slot/2}},
				{Min: board.Point{X: 3.5e6, Y: 29e6 + c.slot/2},
					Max: board.Point{X: 4.5e6, Y: 58e6}},
			} {
				if area.Min.Y < area.Max.Y {
					b.Keepouts = append(b.Keepouts, board.Keepout{Area: area,
						Layers: []board.Layer{board.Top}, Tracks: true, Vias: true})
				}
			}
		}, pads...).board
		r, err := Route(t.Context(), b, Options{Effort: Fast, AbandonConflicts: c.abandon})
		if err != nil || r.Abandoned != c.want || r.Conflicts != c.want {
			t.Errorf("%s: abandoned %v, conflicts %v, %v", c.name, r.Abandoned, r.Conflicts, err)
		}
	}
}
