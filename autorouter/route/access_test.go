package route_test

import (
	"fmt"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route"
)

// TestTrackFromNarrowPad verifies that tracks leave the inner pads of a resistor array between two
// wider pads. The array has any angle and any position relative to the grid. The pads
// of a side have 0.15, 0.2 and 0.15 mm between them. The point midway between the first and the
// third pad is 25 µm from the centre of the second. There the distance of a 0.25 mm track to both
// is exactly the clearance of 0.2 mm.
func TestTrackFromNarrowPad(t *testing.T) {
	array := closed(&board.Footprint{Name: "R_Array_Convex_4x0402", Pads: []board.FootprintPad{
		land("1", -0.5, 0.75, 0.5, 0.4), land("2", -0.5, 0.25, 0.5, 0.3),
		land("3", -0.5, -0.25, 0.5, 0.3), land("4", -0.5, -0.75, 0.5, 0.4),
		land("5", 0.5, -0.75, 0.5, 0.4), land("6", 0.5, -0.25, 0.5, 0.3),
		land("7", 0.5, 0.25, 0.5, 0.3), land("8", 0.5, 0.75, 0.5, 0.4),
	}}, 1, 2)
	for _, rotation := range []float64{0, 90, 45, 135, 30, 17, 254.5} {
		for step := range 4 {
			x := 5 + float64(step)*0.025
			b := &board.Board{Outline: board.Polygon{{}, at(20, 0), at(20, 24), at(0, 24)},
				Rules: rules()}
			b.Rules.PourLayers = nil
			for i := range 8 {
				b.Nets = append(b.Nets, board.Net{Name: fmt.Sprintf("N%d", i+1), Class: "default"})
			}
			for i, f := range []*board.Footprint{array, header(8)} {
				place := board.Placement{At: at(x, 12+float64(step)*0.025), Rotation: rotation}
				if i == 1 {
					place = board.Placement{At: at(15, 12)}
				}
				b.Parts = append(b.Parts, board.Place(board.Component{Ref: fmt.Sprintf("P%d", i),
					Footprint: f}, place, func(pad string) int {
					net := int(pad[0] - '1')
					b.Nets[net].Pins = append(b.Nets[net].Pins,
						board.PinRef{Component: i, Pad: pad})
					return net
				}))
			}
			if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
				t.Errorf("%g degrees, %g mm: unrouted %v", rotation, x, res.Unrouted)
			}
		}
	}
}
