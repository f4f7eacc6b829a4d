package route

import (
	"testing"

	"slipstick/autorouter/board"
)

// wideNet gives net 0 tracks of the given width [mm] that narrow to 0.2 mm within 3 mm of a pad.
func wideNet(width float64) func(*board.Board) {
	return func(b *board.Board) {
		b.Rules.NeckWidth, b.Rules.NeckLength = board.MM(0.2), board.MM(3)
		wide := b.Rules.Classes[0]
		wide.Name, wide.TrackWidth = "wide", board.MM(width)
		b.Rules.Classes = append(b.Rules.Classes, wide)
		b.Nets[0].Class = "wide"
	}
}

// TestWidenNecks verifies that a necked track of a net of 1 mm gets its full width. It stays narrow
// beside a pad of 0.6 mm whose centre is 0.8 mm away. Half of 0.8 mm - 0.3 mm - 0.2 mm is left
// there for each side, so 0.6 mm.
func TestWidenNecks(t *testing.T) {
	for _, c := range []struct {
		name        string
		pads        []place
		least, most int64
	}{
		{"free", []place{{1, 2, 0}, {7, 2, 0}}, 1e6, 1e6},
		{"a pad beside it", []place{{1, 2, 0}, {7, 2, 0}, {4, 2.8, 1}}, 0.6e6, 1e6},
	} {
		rt := small(t, 8, 4, wideNet(1), c.pads...)
		n := &rt.nets[0]
		n.copper.segments = []segment{{a: n.terms[0].at, b: n.terms[1].at, width: 0.2e6}}
		rt.commit(n)
		rt.widenNecks()
		length, least, most := 0.0, int64(1e9), int64(0)
		for _, s := range n.copper.segments {
			length += s.length()
			least, most = min(least, s.width), max(most, s.width)
			if it := rt.trackItem(0, s); !rt.isClear(&it) {
				t.Errorf("%s: %+v is too close", c.name, s)
			}
		}
		if least != c.least || most != c.most || length != 6e6 || len(rt.ratsnest(n)) > 0 {
			t.Errorf("%s: %d to %d nm wide, %g mm long: %+v", c.name, least, most, length/1e6,
				n.copper.segments)
		}
	}
}

// TestWidenNecksKeepsPours verifies that a track stays narrow where its width would split a pour.
// Beside the end at y = 0.95 mm, the pour has 0.95 mm - 0.1 mm - 0.2 mm - 0.1 mm = 0.55 mm. With a
// track of 1 mm it has 0.15 mm, which is less than its minimum width of 0.2 mm.
func TestWidenNecksKeepsPours(t *testing.T) {
	rt := small(t, 8, 4, func(b *board.Board) {
		wideNet(1)(b)
		b.Nets[0].Class, b.Nets[1].Class = "", "wide"
		b.Rules.GroundNet, b.Rules.PourLayers = 0, []board.Layer{board.Bottom}
		for i := range b.Parts[:2] {
			p := &b.Parts[i].Pads[0]
			p.Layers, p.Drill, p.Plated = board.LayersOf(board.Top, board.Bottom),
				board.MM(0.3), true
		}
	}, place{1, 2, 0}, place{7, 2, 0}, place{4, 0.95, 1}, place{4, 3.5, 1})
	n := &rt.nets[1]
	narrow := segment{a: n.terms[0].at, b: n.terms[1].at, width: 0.2e6, layer: board.Bottom}
	n.copper.segments = []segment{narrow}
	rt.commit(n)
	rt.writeCopper()
	if !rt.probePours() || rt.pourIslands() != 1 {
		t.Fatalf("%d islands before", rt.pourIslands())
	}
	rt.widenNecks()
	if len(n.copper.segments) != 1 || n.copper.segments[0] != narrow || rt.pourIslands() != 1 {
		t.Errorf("%d islands, tracks %+v", rt.pourIslands(), n.copper.segments)
	}
}

// TestShortNecksFirst verifies that a track of 0.6 mm makes a detour of full width around a wall
// with a slot of 0.4 mm, 2.1 mm from its pad. Without a way around, it narrows in the slot.
func TestShortNecksFirst(t *testing.T) {
	for _, closed := range []bool{false, true} {
		rt := small(t, 10, 8, func(b *board.Board) {
			wideNet(0.6)(b)
			topOnly(b)
			top := 5.0
			if closed {
				top = 8
			}
			for _, y := range [][2]float64{{0, 1.8}, {2.2, top}} {
				b.Keepouts = append(b.Keepouts, board.Keepout{
					Area: board.Rect{Min: board.Point{X: board.MM(3.4), Y: board.MM(y[0])},
						Max: board.Point{X: board.MM(3.45), Y: board.MM(y[1])}},
					Layers: []board.Layer{board.Top}, Tracks: true})
			}
		}, place{1, 2, 0}, place{9, 2, 0})
		n := &rt.nets[0]
		rt.reroute(0, rt.hardQuery())
		narrow := 0.0
		for _, s := range n.copper.segments {
			if n.isNecked(s) {
				narrow += s.length()
			}
		}
		if len(n.copper.open) > 0 || closed != (narrow > 0.4e6) {
			t.Errorf("closed %v: %d open, %g mm narrow", closed, len(n.copper.open), narrow/1e6)
		}
	}
}
