package drc

import (
	"context"
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

// chain returns a minimal board of two nets side by side. Each net runs from a surface pad through
// a via, the bottom and a second via to a through-hole pad. No piece of copper is redundant.
func chain() *board.Board {
	b := emptyBoard()
	for net := range 2 {
		y := float64(5 + 3*net)
		with(b, smd("1", net, pt(5, y), um(1000), um(1000)))
		with(b, tht("2", net, pt(25, y), um(1600), um(800)))
		b.Tracks = append(b.Tracks,
			track(net, board.Top, pt(5, y), pt(10, y), um(250)),
			track(net, board.Bottom, pt(10, y), pt(20, y), um(250)),
			track(net, board.Top, pt(20, y), pt(25, y), um(250)))
		b.Vias = append(b.Vias, via(net, pt(10, y)), via(net, pt(20, y)))
	}
	return b
}

func TestMinimalBoardIsClean(t *testing.T) {
	rep := check(t, chain())
	if !rep.Passed || len(rep.Violations) != 0 || len(rep.Unrouted) != 0 {
		t.Fatalf("%+v", rep)
	}
}

// TestRemovingOneBreaksOne verifies that removing any piece of copper of a minimal board leaves
// exactly one connection open.
func TestRemovingOneBreaksOne(t *testing.T) {
	for i := range chain().Tracks {
		b := chain()
		b.Tracks = slices.Delete(b.Tracks, i, i+1)
		if rep := check(t, b); len(rep.Unrouted) != 1 || len(rep.of("unrouted")) != 1 ||
			rep.Passed {
			t.Errorf("without track %d: %+v", i, rep)
		}
	}
	for i := range chain().Vias {
		b := chain()
		b.Vias = slices.Delete(b.Vias, i, i+1)
		rep := check(t, b)
		if len(rep.Unrouted) != 1 || rep.Passed || len(rep.of("dangling_track")) != 2 {
			t.Errorf("without via %d: %+v", i, rep)
		}
		j := rep.Unrouted[0]
		if want := []string{"U1.1 U2.2", "U3.1 U4.2"}[i/2]; j.From+" "+j.To != want ||
			j.Distance != 20e6 {
			t.Errorf("without via %d: %+v, want %s, 20 mm", i, j, want)
		}
	}
}

func TestShiftedTrackShorts(t *testing.T) {
	b := chain()
	b.Tracks[1].A, b.Tracks[1].B = pt(10, 8), pt(20, 8)
	rep := check(t, b)
	// On the bottom layer the shifted track touches the other net's track and its two vias.
	if len(rep.of("short")) != 3 || len(rep.Unrouted) != 1 {
		t.Errorf("%+v", rep)
	}
}

func TestMergedNets(t *testing.T) {
	b := chain()
	b.Tracks[4].Net = 0 // the wrong net shorts two vias and leaves net B open
	if rep := check(t, b); len(rep.of("short")) != 2 || len(rep.Unrouted) != 1 {
		t.Errorf("%+v", rep)
	}
	b = chain()
	for i := range b.Parts {
		b.Parts[i].Pads[0].Net = 0
	}
	for i := range b.Tracks {
		b.Tracks[i].Net = 0
	}
	for i := range b.Vias {
		b.Vias[i].Net = 0
	}
	if rep := check(t, b); len(rep.Unrouted) != 1 || rep.Unrouted[0].Distance != 3e6 {
		t.Errorf("one net in two halves: %+v", rep)
	}
}

// TestPlatingJoins verifies that a pad on both layers connects them, and that a pad on one layer
// does not.
func TestPlatingJoins(t *testing.T) {
	b := emptyBoard()
	with(b, smd("1", 0, pt(5, 5), um(1000), um(1000)))
	with(b, smd("1", 0, pt(25, 5), um(1000), um(1000)))
	b.Parts[1].Pads[0].Layers = board.Bottom.Bit()
	with(b, tht("1", 0, pt(15, 5), um(1600), um(800)))
	b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 5), um(250)),
		track(0, board.Bottom, pt(15, 5), pt(25, 5), um(250))}
	if rep := check(t, b); !rep.Passed || len(rep.Unrouted) != 0 {
		t.Errorf("through pad: %+v", rep)
	}
	b.Parts[2].Pads[0].Layers = board.Top.Bit()
	if rep := check(t, b); len(rep.Unrouted) != 1 {
		t.Errorf("surface pad: %+v", rep)
	}
}

// TestSharedNumber verifies that pads with the same number count as one pin and must be connected
// by copper.
func TestSharedNumber(t *testing.T) {
	b := emptyBoard()
	with(b, tht("1", 0, pt(5, 5), um(2000), um(1100)), tht("1", 0, pt(11.5, 5), um(2000), um(1100)),
		tht("2", 1, pt(5, 9.5), um(2000), um(1100)))
	rep := check(t, b)
	if len(rep.Unrouted) != 1 || rep.Unrouted[0].From != "U1.1" || rep.Unrouted[0].To != "U1.1" {
		t.Fatalf("%+v", rep)
	}
	st, err := Statistics(context.Background(), b)
	if err != nil || st.Nets[0].PinCount != 1 || st.ConnectionsTotal != 0 ||
		st.CompletionPct != 0 || st.Nets[0].Routed {
		t.Errorf("%v %+v", err, st)
	}
	b.Tracks = []board.Track{track(0, board.Bottom, pt(5, 5), pt(11.5, 5), um(250))}
	if rep := check(t, b); !rep.Passed {
		t.Errorf("%+v", rep)
	}
}

// TestZoneJoins verifies that a zone connects the pads inside it. Pads in holes of the zone are
// connected only through spokes.
func TestZoneJoins(t *testing.T) {
	b := emptyBoard()
	with(b, smd("1", 0, pt(5, 5), um(1000), um(1000)))
	with(b, smd("1", 0, pt(15, 15), um(1000), um(1000)))
	outline := rectPolygon(um(2000), um(2000), um(20000), um(20000))
	b.Zones = []board.Zone{{Net: 0, Pieces: []board.Filled{{Outline: outline}}}}
	if rep := check(t, b); !rep.Passed || len(rep.Violations) != 0 {
		t.Errorf("%+v", rep)
	}
	gap := reversed(rectPolygon(um(14200), um(14200), um(15800), um(15800)))
	b.Zones[0].Pieces[0].Holes = []board.Polygon{gap}
	if rep := check(t, b); len(rep.Unrouted) != 1 {
		t.Errorf("in a hole: %+v", rep)
	}
	// A spoke leads from the left edge of the hole to the left edge of the pad at x = 14.5 mm.
	gap = reversed(board.Polygon{pt(14.2, 14.2), pt(15.8, 14.2), pt(15.8, 15.8), pt(14.2, 15.8),
		pt(14.2, 15.2), pt(14.5, 15.2), pt(14.5, 14.8), pt(14.2, 14.8)})
	b.Zones[0].Pieces[0].Holes = []board.Polygon{gap}
	if rep := check(t, b); !rep.Passed {
		t.Errorf("with a spoke: %+v", rep)
	}
	b.Zones[0].Layer = board.Bottom
	if rep := check(t, b); len(rep.Unrouted) != 1 || len(rep.of("isolated_copper")) != 1 {
		t.Errorf("on the other layer: %+v", rep)
	}
	b.Zones[0] = board.Zone{Net: 0, Pieces: []board.Filled{
		{Outline: rectPolygon(um(2000), um(2000), um(10000), um(20000))},
		{Outline: rectPolygon(um(10000), um(2000), um(20000), um(20000))}}}
	if rep := check(t, b); !rep.Passed {
		t.Errorf("two pieces that touch: %+v", rep)
	}
	b.Zones[0].Pieces[1].Outline[0].X++
	b.Zones[0].Pieces[1].Outline[3].X++
	if rep := check(t, b); len(rep.Unrouted) != 1 {
		t.Errorf("two pieces one nanometre apart: %+v", rep)
	}
}

// TestTrackMeetsZoneByEnd verifies that a track is connected to a zone if one of its ends is in the
// zone, as in KiCad. A track whose side alone overlaps the zone is not connected.
func TestTrackMeetsZoneByEnd(t *testing.T) {
	for _, c := range []struct {
		y    float64 // height of the end [mm]; the zone has its lower side at 2 mm
		open int
	}{
		{2.05, 0},  // in the zone
		{1.95, 1},  // beside the zone, with an overlap of 0.075 mm
		{1.875, 1}, // touches the zone
	} {
		b := emptyBoard()
		with(b, smd("1", 0, pt(15, 15), um(1000), um(1000)))
		with(b, smd("1", 0, pt(25, 1.95), um(1000), um(1000)))
		b.Zones = []board.Zone{{Net: 0, Pieces: []board.Filled{
			{Outline: rectPolygon(um(2000), um(2000), um(20000), um(20000))}}}}
		b.Tracks = []board.Track{track(0, board.Top, pt(25, 1.95), pt(21, c.y), um(250)),
			track(0, board.Top, pt(21, c.y), pt(15, c.y), um(250))}
		if rep := check(t, b); len(rep.Unrouted) != c.open {
			t.Errorf("end at %g mm: %d open, want %d", c.y, len(rep.Unrouted), c.open)
		}
	}
}

// TestJoinsAreShortest verifies that the missing connections form a minimum spanning tree over the
// copper clusters.
func TestJoinsAreShortest(t *testing.T) {
	b := emptyBoard()
	for _, x := range []float64{2, 20, 5, 11} {
		with(b, smd("1", 0, pt(x, 5), um(1000), um(1000)))
	}
	b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(11, 5), um(250))}
	var got []string
	for _, j := range check(t, b).Unrouted {
		got = append(got, j.From+"-"+j.To)
	}
	if want := []string{"U1.1-U3.1", "U4.1-U2.1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNetTie verifies that the copper of a net tie may join two nets within its footprint, and that
// any other copper that joins them is a short circuit.
func TestNetTie(t *testing.T) {
	tie := func() *board.Board {
		b := emptyBoard()
		with(b, smd("1", 0, pt(10, 5), um(2000), um(1000)), smd("2", 1, pt(12, 5), um(2000),
			um(1000)))
		b.Parts[0].Footprint = &board.Footprint{Ties: [][2]string{{"1", "2"}}}
		return b
	}
	for _, c := range []struct {
		name   string
		change func(b *board.Board)
		shorts int
	}{
		{"tie", func(*board.Board) {}, 0},
		{"no tie", func(b *board.Board) { b.Parts[0].Footprint.Ties = nil }, 1},
		{"a tie of other pads", func(b *board.Board) {
			b.Parts[0].Footprint.Ties = [][2]string{{"1", "3"}}
		}, 1},
		{"a track across", func(b *board.Board) {
			b.Tracks = []board.Track{track(0, board.Top, pt(10, 5), pt(12, 5), um(250))}
		}, 1},
		{"pads of another part", func(b *board.Board) {
			with(b, smd("1", 1, pt(10, 5), um(1000), um(1000)))
		}, 1},
	} {
		b := tie()
		c.change(b)
		if rep := check(t, b); len(rep.of("short")) != c.shorts {
			t.Errorf("%s: %d shorts, want %d: %+v", c.name, len(rep.of("short")), c.shorts,
				rep.Violations)
		}
	}
}
