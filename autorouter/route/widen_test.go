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

// slot adds a wall on the top from y = 0 to the given end [mm], with a slot of 0.4 mm in front of a
// pad at x = 1 mm, y = 2 mm. The slot is 2.1 mm from this pad of 0.6 mm.
func slot(b *board.Board, end float64) {
	for _, y := range [][2]float64{{0, 1.8}, {2.2, end}} {
		b.Keepouts = append(b.Keepouts, board.Keepout{
			Area: board.Rect{Min: board.Point{X: board.MM(3.4), Y: board.MM(y[0])},
				Max: board.Point{X: board.MM(3.45), Y: board.MM(y[1])}},
			Layers: []board.Layer{board.Top}, Tracks: true})
	}
}

// narrowMM returns the length of the necks of a net [mm].
func narrowMM(n *netState) float64 {
	narrow := 0.0
	for _, s := range n.copper.segments {
		if n.isNecked(s) {
			narrow += s.length() / 1e6
		}
	}
	return narrow
}

// TestShortNecksFirst verifies that a track of 0.6 mm makes a detour of full width around a wall
// with a slot of 0.4 mm, 2.1 mm from its pad. Without a way around, it narrows in the slot.
func TestShortNecksFirst(t *testing.T) {
	for _, end := range []float64{5, 8} {
		rt := small(t, 10, 8, func(b *board.Board) {
			wideNet(0.6)(b)
			topOnly(b)
			slot(b, end)
		}, place{1, 2, 0}, place{9, 2, 0})
		n := &rt.nets[0]
		rt.reroute(0, rt.hardQuery())
		if narrow := narrowMM(n); len(n.copper.open) > 0 || (end == 8) != (narrow > 0.4) {
			t.Errorf("wall of %g mm: %d open, %g mm narrow", end, len(n.copper.open), narrow)
		}
	}
}

// TestLongNecksEnd verifies that a reroute replaces a long neck by a detour of full width. The
// track of net 1, which blocks the gap of 1.4 mm between its pads at first, is then gone.
func TestLongNecksEnd(t *testing.T) {
	rt := small(t, 10, 8, func(b *board.Board) {
		wideNet(0.6)(b)
		topOnly(b)
		slot(b, 5)
	}, place{1, 2, 0}, place{9, 2, 0}, place{3.4, 5.5, 1}, place{3.4, 7.5, 1})
	n, wall := &rt.nets[0], &rt.nets[1]
	rt.reroute(1, rt.hardQuery())
	rt.reroute(0, rt.hardQuery())
	if narrow := narrowMM(n); len(n.copper.open) > 0 || narrow < 0.4 {
		t.Fatalf("with the wall %d open, %g mm narrow", len(n.copper.open), narrow)
	}
	rt.ripUp(wall)
	wall.copper = netRoute{}
	rt.reroute(0, rt.hardQuery())
	if narrow := narrowMM(n); len(n.copper.open) > 0 || narrow > 0.4 {
		t.Errorf("without the wall %d open, %g mm narrow", len(n.copper.open), narrow)
	}
}

// TestNeckReach verifies the distance from the edge of a pad within which a track may narrow. It is
// 2 mm, or neck_length_mm less two grid steps of 0.1 mm for long necks, and never more than this.
func TestNeckReach(t *testing.T) {
	for _, c := range []struct {
		length     float64 // neck_length_mm
		long       bool
		side, want float64 // of the pad; reach [mm]
	}{
		{3, false, 0.6, 2}, {3, false, 4, 2}, {3, true, 0.6, 2.8}, {3, true, 4, 2.8},
		{1, false, 4, 0.8}, {1, true, 4, 0.8}, {0.1, false, 0.6, 0},
	} {
		rt := small(t, 16, 8, func(b *board.Board) {
			wideNet(0.6)(b)
			b.Rules.NeckLength = board.MM(c.length)
			pad := &b.Parts[0].Pads[0]
			pad.Shape, pad.Width, pad.Height = board.RectShape, board.MM(c.side), board.MM(c.side)
		}, place{4, 4, 0}, place{14, 4, 0})
		n := &rt.nets[0]
		n.terms = n.terms[:1]
		n.copper.longNecks = c.long
		rt.markNeckNodes(n)
		reach := 0.0
		for x := 4 + c.side/2; x < 14; x += 0.1 {
			if rt.neckNodes[rt.nodeOfMM(t, x, 4, board.Top)] == rt.neckStamp {
				reach = x - 4 - c.side/2
			}
		}
		if reach < c.want-0.11 || reach > c.want {
			t.Errorf("%+v: reach %g mm", c, reach)
		}
	}
}
