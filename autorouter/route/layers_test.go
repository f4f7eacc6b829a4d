package route

import (
	"context"
	"testing"

	"slipstick/autorouter/board"
)

// TestFourLayers verifies that the router uses all layers of the stackup. The four nets cross in
// one slot. Four layers connect all of them, but two layers connect only two.
func TestFourLayers(t *testing.T) {
	open := map[int]int{}
	for _, layers := range []int{2, 4} {
		rt := small(t, 4, 4, func(b *board.Board) {
			b.Stackup = make(board.Stackup, layers)
			for i := range b.Parts {
				p := &b.Parts[i].Pads[0]
				p.Layers, p.Drill, p.Plated = b.Stackup.All(), board.MM(0.3), true
			}
			// The slot between the two walls is the only path from left to right. It fits one track
			// per layer.
			for _, y := range []int64{0, 2.2e6} {
				b.Keepouts = append(b.Keepouts, board.Keepout{
					Area: board.Rect{Min: board.Point{X: 1.8e6, Y: y},
						Max: board.Point{X: 2.2e6, Y: y + 1.8e6}},
					Layers: []board.Layer{0, 1, 2, 3}[:layers], Tracks: true, Vias: true,
				})
			}
		}, place{0.6, 0.6, 0}, place{3.4, 3.4, 0}, place{0.6, 1.6, 1}, place{3.4, 2.4, 1},
			place{0.6, 2.5, 2}, place{3.4, 1.5, 2}, place{0.6, 3.4, 3}, place{3.4, 0.6, 3})
		rt.negotiate()
		rt.legalize()
		open[layers] = rt.openCount()
		for i := range rt.nets {
			if rt.countConflicts(&rt.nets[i]) != 0 {
				t.Errorf("%d layers: net %d is in conflict", layers, i)
			}
		}
	}
	if open[2] != 2 || open[4] != 0 {
		t.Errorf("open connections by layers: %v, want 2 with two layers and none with four", open)
	}
}

// TestTracebackLayers verifies that the traceback of a path with several vias gives each segment
// the layer on which the search ran.
func TestTracebackLayers(t *testing.T) {
	rt := small(t, 8, 2, func(b *board.Board) {
		b.Stackup = make(board.Stackup, 4)
		// Each of the three walls leaves only one layer open.
		for i, open := range []board.Layer{3, 1, 2} {
			for l := range b.Stackup.All().All() {
				if l != open {
					x := 2e6 + int64(i)*2e6
					b.Keepouts = append(b.Keepouts,
						board.Keepout{Area: board.Rect{Min: board.Point{X: x - 1e5},
							Max: board.Point{X: x + 1e5, Y: 2e6}}, Layers: []board.Layer{l},
							Tracks: true})
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

// TestPlanes verifies that a plane connects the pads of its net by one via per pad, even if tracks
// cannot pass between them. The grid has only the first and the fourth layer, and other nets stay
// off the planes.
func TestPlanes(t *testing.T) {
	wall := func(layers ...board.Layer) func(b *board.Board) {
		return func(b *board.Board) {
			b.Stackup = board.Layers(4)
			b.Rules.Planes = []board.Plane{{Layer: 1, Net: 0}, {Layer: 2, Net: 2}}
			b.Keepouts = append(b.Keepouts, board.Keepout{
				Area:   board.Rect{Min: board.Point{X: 3.8e6}, Max: board.Point{X: 4.2e6, Y: 6e6}},
				Layers: layers, Tracks: true,
			})
		}
	}
	for _, c := range []struct {
		name   string
		layers []board.Layer
		open   int // open connections of net 1, which has no plane
	}{
		{"a wall on the top", []board.Layer{0}, 0},
		{"a wall on the layers with tracks", []board.Layer{0, 3}, 1},
	} {
		rt := small(t, 8, 6, wall(c.layers...), place{1, 1, 0}, place{7, 1, 0}, place{1, 3, 1},
			place{7, 3, 1}, place{1, 5, 2}, place{7, 5, 2})
		if rt.grid.layers != 2 || len(rt.pours) != 2 {
			t.Fatalf("%d layers of the grid, %d pours", rt.grid.layers, len(rt.pours))
		}
		res, err := Route(t.Context(), rt.board, Options{})
		if err != nil {
			t.Fatal(err)
		}
		vias := map[int]int{}
		for _, v := range rt.board.Vias {
			vias[v.Net]++
		}
		if len(res.Unrouted) != c.open || vias[0] != 2 || vias[2] != 2 || len(rt.board.Zones) != 2 {
			t.Errorf("%s: %d open, vias by net %v, %d zones", c.name, len(res.Unrouted), vias,
				len(rt.board.Zones))
		}
		for _, s := range rt.board.Tracks {
			if s.Layer != 0 && s.Layer != 3 {
				t.Errorf("%s: a track of net %d on layer %d", c.name, s.Net, s.Layer)
			}
		}
		for i, z := range rt.board.Zones {
			if want := (board.Plane{Layer: board.Layer(i + 1), Net: 2 * i}); z.Layer !=
				want.Layer || z.Net != want.Net {
				t.Errorf("%s: zone %d of net %d on layer %d", c.name, i, z.Net, z.Layer)
			}
		}
	}
}

// TestLayerNumbers verifies that layers with tracks are numbered before planes, and that the
// conversion to grid layers and back is the identity.
func TestLayerNumbers(t *testing.T) {
	b := board.Board{Stackup: board.Layers(4),
		Rules: board.Rules{Planes: []board.Plane{{Layer: 1}}}}
	m := numberLayers(&b)
	if got := m.of(board.LayersOf(0, 2, 3)); got != board.LayersOf(0, 1, 2) {
		t.Errorf("layers with tracks are %b", got)
	}
	if got := m.onBoard(board.LayersOf(3)); got != board.LayersOf(1) {
		t.Errorf("the last number is layer %b", got)
	}
	for set := range board.LayerSet(16) {
		if got := m.onBoard(m.of(set)); got != set {
			t.Errorf("%b becomes %b", set, got)
		}
	}
}

// TestPitchOfManyClasses verifies that many net classes coarsen the grid and that the occupancy
// maps then have at most maxCells cells.
func TestPitchOfManyClasses(t *testing.T) {
	area := board.Rect{Max: board.Point{X: 130e6, Y: 130e6}} // 1.69 million nodes at 0.1 mm
	for _, c := range []struct {
		classes, layers int
		pitch           int64
	}{{1, 2, 100e3}, {20, 2, 100e3}, {200, 2, 300e3}, {200, 30, 1000e3}} {
		rt := &router{
			board: &board.Board{Rules: board.Rules{Classes: []board.Class{{TrackWidth: 0.25e6,
				Clearance: 0.2e6}}}}}
		for i := range c.classes {
			width := int64(200e3 + 1e3*i)
			rt.nets = append(rt.nets, netState{trackWidth: width, neckWidth: 150e3,
				clearance: float64(width), viaDiameter: 3 * width, terms: make([]terminal, 2)})
		}
		pitch := rt.pickPitch(area, c.layers)
		cells := float64(area.Width()/pitch) * float64(area.Height()/pitch) *
			float64(rt.mapsPerNode(c.layers))
		if cells > maxCells || pitch > c.pitch+50e3 || pitch < c.pitch-50e3 {
			t.Errorf("%d classes on %d layers: pitch %d nm, %g cells", c.classes, c.layers,
				pitch, cells)
		}
	}
}
