package route

import (
	"fmt"
	"math"
	"testing"

	"slipstick/autorouter/board"
)

// TestWidestTrack verifies that the stated width is that of the gap, rounded down to 1 µm, at any
// angle of the part. Only widths below that of the track are stated. Pads of 0.2 mm at a pitch of p
// leave 2·(p - 0.1 mm - clearance).
func TestWidestTrack(t *testing.T) {
	pad := board.Padstack{Width: 0.2e6, Height: 0.9e6, Shape: board.RectShape}
	for _, pitch := range []int64{400_000, 400_600, 399_300} {
		for angle := range 72 {
			sin, cos := math.Sincos(float64(5*angle) * math.Pi / 180)
			at := board.Point{X: int64(math.Round(float64(pitch) * cos)),
				Y: int64(math.Round(float64(pitch) * sin))}
			rt := &router{board: &board.Board{
				Rules: board.Rules{Classes: []board.Class{{Clearance: 0.2e6}}},
				Nets:  []board.Net{{Name: "A"}},
				Parts: []board.Part{{Component: board.Component{Ref: "U1"}, Pads: []board.Pad{
					{Number: "1", Net: 0, Layers: board.Top.Bit(), Padstack: pad},
					{Number: "2", Net: board.NoNet, At: at, Layers: board.Top.Bit(),
						Rotation: float64(5 * angle), Padstack: pad},
				}}},
			}}
			text := rt.widestTrack(&netState{neckWidth: 0.2e6}, &terminal{pad: 0})
			// The coordinates are rounded to 1 nm, and the distance to its nearest value.
			exact := math.Round(math.Hypot(float64(at.X), float64(at.Y))) - 0.3e6
			want := ""
			if width := math.Floor(2*exact/1e3) / 1e3; width < 0.2 {
				want = fmt.Sprintf(": tracks of at most %g mm can leave pad U1.1 beside pad U1.2 "+
					"at the clearance of 0.2 mm, and the track has 0.2 mm", width)
			}
			if text != want {
				t.Errorf("pitch %d nm, %d degrees: %q, want %q", pitch, 5*angle, text, want)
			}
		}
	}
}
