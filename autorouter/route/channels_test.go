package route_test

import (
	"fmt"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route"
)

// TestTrackBetweenPins verifies that a track passes between the pins of a SOIC package at any
// position relative to the grid. The pads are 1.27 - 0.6 = 0.67 mm apart. A track of 0.25 mm with a
// clearance of 0.2 mm on both sides needs 0.65 mm. Keepouts block all other paths.
func TestTrackBetweenPins(t *testing.T) {
	for _, rotation := range []float64{0, 90} {
		for step := range 10 {
			offset := float64(step) / 100
			t.Run(fmt.Sprintf("%g degrees, %g mm", rotation, offset), func(t *testing.T) {
				b := betweenPins(rotation, offset)
				res := mustRoute(t, b, route.Options{})
				if len(res.Unrouted) > 0 || len(b.Vias) > 0 {
					t.Errorf("unrouted %v, vias %v", res.Unrouted, b.Vias)
				}
				for _, s := range b.Tracks {
					d := s.B.Sub(s.A)
					x, y := max(d.X, -d.X), max(d.Y, -d.Y)
					if x != 0 && y != 0 && x != y {
						t.Errorf("track from %v to %v has an odd angle", s.A, s.B)
					}
				}
			})
		}
	}
}

// betweenPins returns a board with a resistor on each side of a SOIC-8 package, which is offset mm
// from the grid. The only path between the resistors passes between two pins of each row.
func betweenPins(rotation, offset float64) *board.Board {
	b := &board.Board{Outline: board.Polygon{{}, at(20, 0), at(20, 20), at(0, 20)}, Rules: rules(),
		Nets: []board.Net{{Name: "N0", Class: "default"}}}
	b.Rules.PourLayers = nil
	parts := []struct {
		footprint *board.Footprint
		x, y      float64
	}{{soic(8), 10, 10}, {chip(), 3, 10}, {chip(), 17, 10}}
	turn := func(x, y float64) board.Point {
		if rotation != 0 {
			return at(y, x)
		}
		return at(x, y)
	}
	for i, p := range parts {
		place := board.Placement{At: turn(p.x, p.y), Rotation: rotation}
		if i == 0 {
			place.At = turn(p.x, p.y+offset)
		}
		b.Parts = append(b.Parts, board.Place(board.Component{Ref: fmt.Sprintf("P%d", i),
			Footprint: p.footprint}, place, func(pad string) int {
			// the pads of the resistors that face the package
			if i == 0 || (pad == "2") != (i == 1) {
				return board.NoNet
			}
			b.Nets[0].Pins = append(b.Nets[0].Pins, board.PinRef{Component: i, Pad: pad})
			return 0
		}))
	}
	for _, y := range [][2]float64{{0, 8.5}, {11.5, 20}} {
		p, q := turn(6, y[0]), turn(14, y[1])
		b.Keepouts = append(b.Keepouts, board.Keepout{Area: board.Rect{Min: p, Max: q},
			Layers: []board.Layer{board.Top}, Tracks: true})
	}
	b.Keepouts = append(b.Keepouts, board.Keepout{Area: board.Rect{Max: at(20, 20)},
		Layers: []board.Layer{board.Bottom}, Tracks: true, Vias: true})
	return b
}
