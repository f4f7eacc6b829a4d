package route

import (
	"context"
	"testing"

	"slipstick/autorouter/board"
)

// The router uses the layers of the stackup: four nets that cross in one place are routed on four layers
// where two leave some open.
func TestFourLayers(t *testing.T) {
	open := map[int]int{}
	for _, layers := range []int{2, 4} {
		rt := small(t, 4, 4, func(b *board.Board) {
			b.Stackup = make(board.Stackup, layers)
			for i := range b.Parts {
				p := &b.Parts[i].Pads[0]
				p.Layers, p.Drill, p.Plated = b.Stackup.All(), board.MM(0.3), true
			}
			// A slot of one track between two walls is the only way from left to right.
			for _, y := range []int64{0, 2.2e6} {
				b.Keepouts = append(b.Keepouts, board.Keepout{
					Area:   board.Rect{Min: board.Point{X: 1.8e6, Y: y}, Max: board.Point{X: 2.2e6, Y: y + 1.8e6}},
					Layers: []board.Layer{0, 1, 2, 3}[:layers], Tracks: true, Vias: true,
				})
			}
		}, place{0.6, 0.6, 0}, place{3.4, 3.4, 0}, place{0.6, 1.6, 1}, place{3.4, 2.4, 1}, place{0.6, 2.5, 2}, place{3.4, 1.5, 2}, place{0.6, 3.4, 3}, place{3.4, 0.6, 3})
		rt.negotiate()
		rt.legalize()
		open[layers] = rt.openCount()
		for i := range rt.nets {
			if rt.conflicts(&rt.nets[i], 0) != 0 {
				t.Errorf("%d layers: net %d is in conflict", layers, i)
			}
		}
	}
	if open[2] != 2 || open[4] != 0 {
		t.Errorf("open connections by layers: %v, want 2 with two layers and none with four", open)
	}
}

// A path over several vias is traced back through the layers that it used.
func TestTracebackLayers(t *testing.T) {
	rt := small(t, 8, 2, func(b *board.Board) {
		b.Stackup = make(board.Stackup, 4)
		// Walls that each leave one other layer open.
		for i, open := range []board.Layer{3, 1, 2} {
			for l := range b.Stackup.All().All() {
				if l != open {
					x := 2e6 + int64(i)*2e6
					b.Keepouts = append(b.Keepouts, board.Keepout{Area: board.Rect{Min: board.Point{X: x - 1e5}, Max: board.Point{X: x + 1e5, Y: 2e6}}, Layers: []board.Layer{l}, Tracks: true})
				}
			}
		}
	}, place{0.6, 1, 0}, place{7.4, 1, 0})
	rt.reroute(0, rt.hardQuery())
	n := &rt.nets[0]
	if rt.openCount() != 0 || len(n.copper.vias) != 4 {
		t.Fatalf("%d open, %d vias, want 4", rt.openCount(), len(n.copper.vias))
	}
	for i, s := range n.copper.segments {
		for _, v := range []struct {
			x     int64
			layer board.Layer
		}{{2e6, 3}, {4e6, 1}, {6e6, 2}} {
			if min(s.a.X, s.b.X) < v.x && max(s.a.X, s.b.X) > v.x && s.layer != v.layer {
				t.Errorf("segment %d is on layer %d at %d nm", i, s.layer, v.x)
			}
		}
	}
	rt.writeCopper()
	if len(rt.board.Vias) != 4 || context.Cause(rt.ctx) != nil {
		t.Errorf("%d vias on the board", len(rt.board.Vias))
	}
}
