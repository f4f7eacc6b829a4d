package drc

import (
	"context"
	"math"
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

// ruleCases build boards that just satisfy a rule for by = 0 and violate it by 1 nm for by = 1. The
// actual and required values [nm] are those for by = 1.
var ruleCases = []struct {
	rule, name       string
	build            func(b *board.Board, by int64)
	actual, required int64
	items            []string
}{
	{"clearance", "two tracks", func(b *board.Board, by int64) {
		b.Tracks = append(b.Tracks, track(0, board.Top, pt(5, 5), pt(15, 5), um(250)),
			track(1, board.Top, moved(pt(5, 5), 0, um(450)-by), moved(pt(15, 5), 0, um(450)-by),
				um(250)))
	}, um(200) - 1, um(200), []string{"net A", "net B"}},
	{"clearance", "larger class", func(b *board.Board, by int64) {
		b.Tracks = append(b.Tracks, track(0, board.Top, pt(5, 5), pt(15, 5), um(250)),
			track(2, board.Top, moved(pt(5, 5), 0, um(675)-by), moved(pt(15, 5), 0, um(675)-by),
				um(500)))
	}, um(300) - 1, um(300), []string{"net A", "net P"}},
	{"clearance", "via beside a pad on the bottom", func(b *board.Board, by int64) {
		pad := smd("3", 0, pt(10, 10), um(1000), um(500))
		pad.Layers = board.Bottom.Bit()
		with(b, pad)
		b.Vias = append(b.Vias, via(1, moved(pt(10, 10), um(1000)-by, 0)))
	}, um(200) - 1, um(200), []string{"U1.3", "net B"}},
	{"clearance", "pad turned by 90", func(b *board.Board, by int64) {
		pad := smd("1", 0, pt(10, 10), um(1000), um(500))
		pad.Rotation = 90
		with(b, pad)
		with(b, smd("1", 1, moved(pt(10, 10), um(700)-by, 0), um(500), um(500)))
	}, um(200) - 1, um(200), []string{"U1.1", "U2.1"}},
	{"clearance", "free pad", func(b *board.Board, by int64) {
		with(b, smd("1", board.NoNet, pt(10, 10), um(500), um(500)))
		with(b, smd("1", board.NoNet, moved(pt(10, 10), um(700)-by, 0), um(500), um(500)))
	}, um(200) - 1, um(200), []string{"U1.1", "U2.1"}},
	{"clearance", "pad in the hole of a zone", func(b *board.Board, by int64) {
		with(b, smd("1", 1, moved(pt(10, 10), by, 0), um(500), um(500)))
		hole := reversed(rectPolygon(um(9500), um(9500), um(10500), um(10500)))
		b.Zones = []board.Zone{{Net: 0,
			Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000), um(20000)),
				Holes: []board.Polygon{hole}}}}}
	}, um(250) - 1, um(250), []string{"U1.1", "net A"}},
	{"clearance", "two zones", func(b *board.Board, by int64) {
		b.Zones = []board.Zone{
			{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(5000),
					um(5000))}}},
			{Net: 1,
				Pieces: []board.Filled{{Outline: rectPolygon(um(5250)-by, um(2000), um(8000),
					um(5000))}}}}
	}, um(250) - 1, um(250), []string{"net A", "net B"}},
	{"clearance", "fab minimum above the classes", func(b *board.Board, by int64) {
		b.Rules.MinGap = um(260)
		b.Tracks = append(b.Tracks, track(0, board.Top, pt(5, 5), pt(15, 5), um(250)),
			track(1, board.Top, moved(pt(5, 5), 0, um(510)-by), moved(pt(15, 5), 0, um(510)-by),
				um(250)))
	}, um(260) - 1, um(260), []string{"net A", "net B"}},
	{"track_width", "default class", func(b *board.Board, by int64) {
		b.Tracks = append(b.Tracks, track(0, board.Top, pt(5, 5), pt(15, 5), um(250)-by))
	}, um(250) - 1, um(250), []string{"net A"}},
	{"track_width", "neck of power", func(b *board.Board, by int64) {
		b.Tracks = append(b.Tracks, track(2, board.Top, pt(5, 5), pt(15, 5), um(250)-by))
	}, um(250) - 1, um(250), []string{"net P"}},
	{"track_width", "fab minimum above the class", func(b *board.Board, by int64) {
		b.Rules.Classes[0].TrackWidth, b.Rules.NeckWidth = um(90), um(90)
		b.Tracks = append(b.Tracks, track(0, board.Top, pt(5, 5), pt(15, 5), um(100)-by))
	}, um(100) - 1, um(100), []string{"net A"}},
	{"track_width", "no necks", func(b *board.Board, by int64) {
		b.Rules.NeckLength = 0
		b.Tracks = append(b.Tracks, track(2, board.Top, pt(5, 5), pt(15, 5), um(500)-by))
	}, um(500) - 1, um(500), []string{"net P"}},
	{"annular_ring", "via", func(b *board.Board, by int64) {
		b.Vias = []board.Via{{Net: 0, At: pt(5, 5), Drill: um(300), Diameter: um(500) - 2*by}}
	}, um(100) - 1, um(100), []string{"net A"}},
	{"annular_ring", "slot in a rectangle", func(b *board.Board, by int64) {
		pad := tht("1", 0, pt(5, 5), 0, 0)
		pad.Shape, pad.Width, pad.Height, pad.Rotation = board.RectShape, um(1000), um(2100), 90
		pad.SlotW, pad.SlotH = um(600), um(1900)+2*by
		with(b, pad)
	}, um(100) - 1, um(100), []string{"U1.1"}},
	{"annular_ring", "slot in an oval", func(b *board.Board, by int64) {
		pad := tht("1", 0, pt(5, 5), 0, 0)
		pad.Shape, pad.Width, pad.Height, pad.Rotation = board.Oval, um(800), um(2000), 30
		pad.SlotW, pad.SlotH = um(600), um(1800)+2*by
		with(b, pad)
	}, um(100) - 1, um(100), []string{"U1.1"}},
	{"drill_size", "via", func(b *board.Board, by int64) {
		b.Vias = []board.Via{{Net: 0, At: pt(5, 5), Drill: um(200) - by, Diameter: um(600)}}
	}, um(200) - 1, um(200), []string{"net A"}},
	{"drill_size", "slot", func(b *board.Board, by int64) {
		pad := tht("1", 0, pt(5, 5), um(1500), 0)
		pad.SlotW, pad.SlotH = um(900), um(200)-by
		with(b, pad)
	}, um(200) - 1, um(200), []string{"U1.1"}},
	{"hole_clearance", "mounting hole and track", func(b *board.Board, by int64) {
		b.Holes = []board.Hole{{At: pt(10, 10), Diameter: um(3000)}}
		b.Tracks = []board.Track{track(0, board.Bottom, moved(pt(5, 10), 0, um(1875)-by),
			moved(pt(15, 10), 0, um(1875)-by), um(250))}
	}, um(250) - 1, um(250), []string{"hole 1", "net A"}},
	{"hole_clearance", "thin ring", func(b *board.Board, by int64) {
		with(b, tht("1", 0, pt(10, 10), um(1000), um(980)))
		b.Tracks = []board.Track{track(1, board.Bottom, moved(pt(5, 10), 0, um(865)-by),
			moved(pt(15, 10), 0, um(865)-by), um(250))}
	}, um(250) - 1, um(250), []string{"U1.1", "net B"}},
	{"hole_to_hole", "vias of one net", func(b *board.Board, by int64) {
		b.Vias = []board.Via{via(0, pt(5, 5)), via(0, moved(pt(5, 5), um(600)-by, 0))}
	}, um(300) - 1, um(300), []string{"net A", "net A"}},
	{"hole_to_hole", "slot and mounting hole", func(b *board.Board, by int64) {
		pad := tht("1", 0, pt(10, 10), um(2500), 0)
		pad.SlotW, pad.SlotH, pad.Rotation = um(600), um(2000), 90
		with(b, pad)
		b.Holes = []board.Hole{{At: moved(pt(10, 10), um(2300)-by, 0), Diameter: um(2000)}}
	}, um(300) - 1, um(300), []string{"U1.1", "hole 1"}},
	{"edge_clearance", "track", func(b *board.Board, by int64) {
		b.Tracks = []board.Track{track(0, board.Top, moved(pt(5, 0), 0, um(525)-by),
			moved(pt(15, 0), 0, um(525)-by), um(250))}
	}, um(400) - 1, um(400), []string{"net A"}},
	{"edge_clearance", "zone", func(b *board.Board, by int64) {
		b.Zones = []board.Zone{{Net: 0,
			Pieces: []board.Filled{{Outline: rectPolygon(um(400)-by, um(400), um(39600),
				um(29600))}}}}
	}, um(400) - 1, um(400), []string{"net A"}},
	{"edge_clearance", "mounting hole", func(b *board.Board, by int64) {
		b.Holes = []board.Hole{{At: moved(pt(1.4, 5), -by, 0), Diameter: um(2000)}}
	}, um(400) - 1, um(400), []string{"hole 1"}},
	{"edge_clearance", "track beside a cut-out", func(b *board.Board, by int64) {
		cut(b, pt(10, 10))
		b.Tracks = []board.Track{track(0, board.Top, moved(pt(5, 9), 0, by-um(525)),
			moved(pt(15, 9), 0, by-um(525)), um(250))}
	}, um(400) - 1, um(400), []string{"net A"}},
	{"outside_board", "cut-out", func(b *board.Board, by int64) {
		cut(b, moved(pt(1, 10), um(10)-2*um(10)*by, 0))
	}, 0, 0, []string{"U1"}},
	{"outside_board", "courtyard", func(b *board.Board, by int64) {
		addCourtyard(b, board.Placement{At: moved(pt(1, 5), -by, 0)}, um(2000), um(4000))
	}, -1, 0, []string{"U1"}},
	{"outside_board", "mounting hole", func(b *board.Board, by int64) {
		b.Holes = []board.Hole{{At: moved(pt(1, 5), -by, 0), Diameter: um(2000)}}
	}, 0, 0, []string{"hole 1"}},
	{"courtyard_overlap", "side by side", func(b *board.Board, by int64) {
		addCourtyard(b, board.Placement{At: pt(10, 10), Rotation: 90}, um(2000), um(4000))
		addCourtyard(b, board.Placement{At: moved(pt(13, 10), -by, 0)}, um(2000), um(4000))
	}, -1, 0, []string{"U1", "U2"}},
	{"courtyard_overlap", "on the bottom, with a margin", func(b *board.Board, by int64) {
		b.Rules.CourtyardMargin = um(100)
		addCourtyard(b, board.Placement{At: pt(10, 10), Side: board.BottomSide}, um(2000), um(4000))
		addCourtyard(b, board.Placement{At: moved(pt(12.1, 10), -by, 0), Side: board.BottomSide},
			um(2000), um(4000))
	}, um(100) - 1, um(100), []string{"U1", "U2"}},
	{"courtyard_overlap", "beside the stem of a T", func(b *board.Board, by int64) {
		addCourtyard(b, board.Placement{At: pt(10, 10), Rotation: 90}, um(8000), um(8000))
		b.Parts[0].Footprint.CourtyardOutline = teeOutline()
		// The turned stem extends from y = 9 mm to 11 mm, from x = 8 mm to 14 mm.
		addCourtyard(b, board.Placement{At: moved(pt(12, 13), 0, -by)}, um(2000), um(4000))
	}, -1, 0, []string{"U1", "U2"}},
	{"courtyard_overlap", "below the bar of a T", func(b *board.Board, by int64) {
		addCourtyard(b, board.Placement{At: pt(10, 10)}, um(8000), um(8000))
		b.Parts[0].Footprint.CourtyardOutline = teeOutline()
		addCourtyard(b, board.Placement{At: moved(pt(13, 10), 0, by)}, um(2000), um(4000))
	}, -1, 0, []string{"U1", "U2"}},
	{"courtyard_overlap", "lead from the other side", func(b *board.Board, by int64) {
		with(b, tht("1", 0, moved(pt(8.5, 10), by, 0), um(1600), um(1000)))
		b.Parts[0].Footprint = &board.Footprint{Courtyard: board.Rect{Min: pt(8, 9),
			Max: pt(9, 11)}}
		addCourtyard(b, board.Placement{At: pt(10, 10), Side: board.BottomSide}, um(2000), um(4000))
	}, -1, 0, []string{"U1.1", "U2"}},
	{"keepout", "track", func(b *board.Board, by int64) {
		b.Keepouts = []board.Keepout{{Area: board.Rect{Min: pt(10, 10), Max: pt(20, 20)},
			Layers: []board.Layer{board.Top}, Tracks: true}}
		b.Tracks = []board.Track{track(0, board.Top, moved(pt(5, 9.875), 0, by),
			moved(pt(15, 9.875), 0, by), um(250))}
	}, 0, 0, []string{"net A"}},
	{"keepout", "pour", func(b *board.Board, by int64) {
		b.Keepouts = []board.Keepout{{Area: board.Rect{Min: pt(10, 10), Max: pt(20, 20)},
			Layers: []board.Layer{board.Top}, Copper: true}}
		b.Zones = []board.Zone{{Net: 0,
			Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(10000)+by,
				um(25000))}}}}
	}, 0, 0, []string{"net A"}},
	{"keepout", "part", func(b *board.Board, by int64) {
		b.Keepouts = []board.Keepout{{Area: board.Rect{Min: pt(10, 10), Max: pt(20, 20)},
			Layers: []board.Layer{board.Top}, Components: true}}
		addCourtyard(b, board.Placement{At: moved(pt(9, 15), by, 0)}, um(2000), um(4000))
	}, 0, 0, []string{"U1"}},
	{"keepout", "ring of a mounting hole", func(b *board.Board, by int64) {
		b.Holes = []board.Hole{{At: pt(10, 10), Diameter: um(3200), Keepout: um(1000)}}
		b.Vias = []board.Via{via(0, moved(pt(10, 10), um(2900)-by, 0))}
	}, um(1000) - 1, um(1000), []string{"net A"}},
	{"mask_web", "pads of one part", func(b *board.Board, by int64) {
		with(b, smd("1", 0, pt(10, 10), um(300), um(1500)),
			smd("2", 1, moved(pt(10, 10), um(500)-by, 0), um(300), um(1500)))
	}, um(100) - 1, um(100), []string{"U1.1", "U1.2"}},
	{"mask_web", "rounded corners", func(b *board.Board, by int64) {
		// With the corners facing each other, the minimum distance of the pad centres is 2·(√2·250
		// + 250 + 50) + 100 µm = 1407106.8 nm.
		p, q := smd("1", 0, pt(10, 10), um(1000), um(1000)),
			smd("2", 1, moved(pt(10, 10), 1407107-by, 0), um(1000), um(1000))
		p.Shape, q.Shape, p.Rotation, q.Rotation = board.RoundRect, board.RoundRect, 45, 135
		with(b, p, q)
	}, um(100) - 1, um(100), []string{"U1.1", "U1.2"}},
	{"mask_web", "through pads", func(b *board.Board, by int64) {
		with(b, tht("1", 0, pt(10, 10), um(1600), um(800)),
			tht("2", 1, moved(pt(10, 10), um(1800)-by, 0), um(1600), um(800)))
	}, um(100) - 1, um(100), []string{"U1.1", "U1.2"}},
	{"neck_length", "far from the pad", func(b *board.Board, by int64) {
		with(b, smd("1", 2, pt(5, 5), um(1000), um(1000)))
		b.Tracks = []board.Track{track(2, board.Top, pt(5, 5), moved(pt(8.5, 5), by, 0), um(250))}
	}, um(3000) + 1, um(3000), []string{"net P"}},
	{"neck_length", "between two pads", func(b *board.Board, by int64) {
		with(b, smd("1", 2, pt(5, 5), um(1000), um(1000)), smd("2", 2, moved(pt(12, 5), 2*by, 0),
			um(1000), um(1000)))
		b.Tracks = []board.Track{track(2, board.Top, pt(5, 5), moved(pt(12, 5), 2*by, 0), um(250))}
	}, um(3000) + 1, um(3000), []string{"net P"}},
}

// cut adds a part without pads that has a cut-out of 2 by 2 mm around its position.
func cut(b *board.Board, at board.Point) {
	b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: "U1",
		Footprint: &board.Footprint{Drawing: &board.Drawing{
			Cutouts: []board.Polygon{rectPolygon(um(-1000), um(-1000), um(1000), um(1000))}}}},
		Placement: board.Placement{At: at}})
}

func TestRulesToTheNanometre(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			b := emptyBoard()
			c.build(b, 0)
			rep := check(t, b)
			if v := rep.of(c.rule); len(v) != 0 {
				t.Errorf("at the limit: %+v", v)
			}
			b = emptyBoard()
			c.build(b, 1)
			rep = check(t, b)
			v := rep.of(c.rule)
			if len(v) != 1 {
				t.Fatalf("one nanometre beyond: %+v", rep.Violations)
			}
			if !slices.Equal(v[0].Items, c.items) {
				t.Errorf("items %q, want %q", v[0].Items, c.items)
			}
			if a, r := board.MM(v[0].ActualMM), board.MM(v[0].RequiredMM); a != c.actual ||
				r != c.required {
				t.Errorf("actual %d required %d, want %d and %d", a, r, c.actual, c.required)
			}
		})
	}
}

// TestRulesWithoutLimit verifies the rules that have no limit value, on boards that satisfy them
// and on boards that violate them.
func TestRulesWithoutLimit(t *testing.T) {
	cases := []struct {
		name  string
		build func(b *board.Board)
		want  map[string]int // expected number of violations by rule; 0 for all other rules
	}{
		{"nothing", func(*board.Board) {}, nil},
		{"crossing tracks", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)), smd("2", 0, pt(15, 15), um(500),
				um(500)), smd("3", 1, pt(5, 15), um(500), um(500)), smd("4", 1, pt(15, 5),
				um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 15), um(250)),
				track(1, board.Top, pt(5, 15), pt(15, 5), um(250))}
		}, map[string]int{"short": 1}},
		{"crossing on two layers", func(b *board.Board) {
			with(b, tht("1", 0, pt(5, 5), um(1500), um(800)), tht("2", 0, pt(15, 15), um(1500),
				um(800)), tht("3", 1, pt(5, 15), um(1500), um(800)), tht("4", 1, pt(15, 5),
				um(1500), um(800)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 15), um(250)),
				track(1, board.Bottom, pt(5, 15), pt(15, 5), um(250))}
		}, nil},
		{"pad within a foreign pour", func(b *board.Board) {
			with(b, smd("1", 1, pt(10, 10), um(500), um(500)),
				smd("2", 0, pt(15, 10), um(500), um(500)))
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
		}, map[string]int{"short": 1}},
		{"pour over a mounting hole", func(b *board.Board) {
			with(b, smd("2", 0, pt(15, 10), um(500), um(500)))
			b.Holes = []board.Hole{{At: pt(10, 10), Diameter: um(3000)}}
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
		}, map[string]int{"hole_clearance": 1}},
		{"pads of one footprint", func(b *board.Board) {
			b.Rules.MaskWeb = 0
			with(b, smd("1", 0, pt(10, 10), um(500), um(500)),
				smd("2", 1, pt(10.55, 10), um(500), um(500)))
		}, map[string]int{"mask_web": 1}}, // overlapping mask openings violate even a limit of 0
		{"touching pads of one footprint", func(b *board.Board) {
			with(b, smd("1", 0, pt(10, 10), um(500), um(500)),
				smd("2", 1, pt(10.5, 10), um(500), um(500)))
		}, map[string]int{"short": 1, "mask_web": 1}},
		{"two loose ends and no pad", func(b *board.Board) {
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 15), um(250))}
		}, map[string]int{"dangling_track": 2, "isolated_copper": 1}},
		{"one loose end", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 15), um(250))}
		}, map[string]int{"dangling_track": 1}},
		{"crumb beside the end of a wide track", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)),
				smd("2", 0, pt(15, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 5), um(1000)),
				track(0, board.Top, pt(10, 5), pt(10, 5.1), um(250))}
		}, map[string]int{"dangling_track": 1}},
		{"track between the pieces of a drawn pad", func(b *board.Board) {
			with(b, piece(smd("1", 0, pt(5, 5), um(500), um(500))),
				piece(smd("1", 0, pt(5.4, 5), um(500), um(500))))
			b.Tracks = []board.Track{track(0, board.Top, pt(5.4, 5), pt(5, 5), um(250))}
		}, map[string]int{"dangling_track": 1}},
		{"track between two overlapping pads", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)),
				smd("1", 0, pt(5.4, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5.4, 5), pt(5, 5), um(250))}
		}, nil},
		{"short link between two tracks", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)),
				smd("2", 0, pt(15, 5.1), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(10, 5), um(1000)),
				track(0, board.Top, pt(10, 5), pt(10.1, 5.1), um(1000)),
				track(0, board.Top, pt(10.1, 5.1), pt(15, 5.1), um(1000))}
		}, nil},
		{"track within the pour", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(10, 5), pt(15, 5), um(250))}
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
		}, map[string]int{"dangling_track": 1}},
		{"track ends in the pour", func(b *board.Board) {
			with(b, smd("1", 0, pt(25, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(25, 5), pt(15, 5), um(250))}
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
		}, nil},
		// A zone that touches both ends of a track counts only for the end nearer to the zone's
		// first corner (KiCad). Here it is the upper left corner. The other end needs another
		// connection.
		{"track in the pour from a pad towards the corner", func(b *board.Board) {
			with(b, smd("1", 0, pt(15, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(10, 5), pt(15, 5), um(250))}
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
		}, nil},
		{"track in the pour from a pad away from the corner", func(b *board.Board) {
			with(b, smd("1", 0, pt(10, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(10, 5), pt(15, 5), um(250))}
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
		}, map[string]int{"dangling_track": 1}},
		// Both pieces belong to one zone, which counts only for the end nearer to its first corner.
		{"track between two pieces of a pour", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)),
				smd("2", 0, pt(15, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(9.5, 5), pt(10.5, 5), um(250))}
			b.Zones = twoPieces()
		}, map[string]int{"dangling_track": 1}},
		{"track between two pieces of a pour with a knee away from the corner",
			func(b *board.Board) {
				with(b, smd("1", 0, pt(5, 5), um(500), um(500)),
					smd("2", 0, pt(15, 5), um(500), um(500)))
				b.Tracks = []board.Track{track(0, board.Top, pt(9.5, 5), pt(10.5, 3), um(250)),
					track(0, board.Top, pt(10.5, 3), pt(10.5, 5), um(250))}
				b.Zones = twoPieces()
			}, nil},
		{"island of a pour", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(9000),
					um(9000))}, {Outline: rectPolygon(um(12000), um(2000), um(15000), um(9000))}}}}
		}, map[string]int{"isolated_copper": 1}},
		{"everything off the board", func(b *board.Board) {
			with(b, smd("1", 0, pt(-5, 5), um(500), um(500)))
			b.Vias = []board.Via{via(1, pt(50, 5))}
			b.Holes = []board.Hole{{At: pt(10, -10), Diameter: um(3000)}}
			addCourtyard(b, board.Placement{At: pt(60, 60), Rotation: 30}, um(1000), um(1000))
		}, map[string]int{"outside_board": 4, "isolated_copper": 1, "via_dangling": 1}},
		{"part across a notch", func(b *board.Board) {
			b.Outline = board.Polygon{{X: 0, Y: 0}, pt(40, 0), pt(40, 30), pt(21, 30), pt(21, 10),
				pt(20, 10), pt(20, 30), pt(0, 30)}
			addCourtyard(b, board.Placement{At: pt(20.5, 20)}, um(6000), um(4000))
		}, map[string]int{"outside_board": 1}},
		{"hole and pad of one footprint", func(b *board.Board) {
			pinHole(b)
			b.Parts[0].Footprint = &board.Footprint{}
		}, map[string]int{"hole_clearance": 1}},
		{"hole and pad of one footprint with KiCad's dimensions", func(b *board.Board) {
			pinHole(b)
			b.Parts[0].Footprint = &board.Footprint{FromFigures: true}
		}, nil},
		{"connector and antenna over the edge", func(b *board.Board) {
			for i := range 2 {
				addCourtyard(b, board.Placement{At: pt(1, float64(10+10*i))}, um(6000), um(4000))
			}
			b.Parts[0].Footprint.MatingSide = board.LeftEdge
			b.Parts[1].Footprint.Keepouts = []board.FootprintKeepout{{Tracks: true}}
		}, nil},
		{"connector off the board", func(b *board.Board) {
			with(b, smd("1", 0, pt(-5, 5), um(500), um(500)))
			b.Parts[0].Footprint = &board.Footprint{MatingSide: board.LeftEdge}
		}, map[string]int{"outside_board": 1}},
		{"opposite sides", func(b *board.Board) {
			addCourtyard(b, board.Placement{At: pt(10, 10)}, um(2000), um(4000))
			addCourtyard(b, board.Placement{At: pt(10, 10), Side: board.BottomSide},
				um(2000), um(4000))
		}, nil},
		{"keepout of the other layer and kind", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)),
				smd("2", 0, pt(15, 15), um(500), um(500)))
			b.Keepouts = []board.Keepout{
				{Area: board.Rect{Min: pt(1, 1), Max: pt(20, 20)},
					Layers: []board.Layer{board.Bottom}, Tracks: true, Vias: true, Copper: true,
					Components: true},
				{Area: board.Rect{Min: pt(1, 1), Max: pt(20, 20)}, Layers: []board.Layer{board.Top},
					Vias: true, Components: true}}
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 15), um(250))}
		}, nil},
		{"keepout within a pour and around a pad", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Zones = []board.Zone{{Net: 0,
				Pieces: []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
					um(20000))}}}}
			b.Keepouts = []board.Keepout{{Area: board.Rect{Min: pt(3, 3), Max: pt(8, 8)},
				Layers: []board.Layer{board.Top}, Copper: true}}
		}, map[string]int{"keepout": 2}},
		{"via in a bottom keepout", func(b *board.Board) {
			with(b, tht("1", 0, pt(5, 5), um(1500), um(800)))
			b.Vias = []board.Via{via(0, pt(5, 5.9))}
			b.Keepouts = []board.Keepout{{Area: board.Rect{Min: pt(3, 3), Max: pt(8, 8)},
				Layers: []board.Layer{board.Top, board.Bottom}, Vias: true}}
		}, map[string]int{"keepout": 1}},
		{"openings of one net", func(b *board.Board) {
			with(b, smd("1", 0, pt(10, 10), um(500), um(500)),
				smd("2", 0, pt(10.5, 10), um(500), um(500)))
		}, nil},
		{"track ends on foreign copper", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			with(b, smd("1", 1, pt(15, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(15, 5), um(250))}
		}, map[string]int{"short": 1, "dangling_track": 1}},
		{"via astride the edge", func(b *board.Board) {
			b.Vias = []board.Via{via(1, pt(40.1, 5))}
		}, map[string]int{"outside_board": 1, "isolated_copper": 1, "via_dangling": 1}},
		{"via with a track on one layer", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(10, 5), um(250))}
			b.Vias = []board.Via{via(0, pt(10, 5))}
		}, map[string]int{"via_dangling": 1}},
		{"via beside the pour of the other layer", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(10, 5), um(250))}
			b.Vias = []board.Via{via(0, pt(10, 5))}
			b.Zones = []board.Zone{{Net: 0, Layer: board.Bottom,
				Pieces: []board.Filled{{Outline: rectPolygon(um(10301), um(2000), um(20000),
					um(20000))}}}}
		}, map[string]int{"via_dangling": 1, "isolated_copper": 1}},
		{"via that touches the pour of the other layer", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(10, 5), um(250))}
			b.Vias = []board.Via{via(0, pt(10, 5))}
			b.Zones = []board.Zone{{Net: 0, Layer: board.Bottom,
				Pieces: []board.Filled{{Outline: rectPolygon(um(10300), um(2000), um(20000),
					um(20000))}}}}
		}, nil},
		{"via within pours of both layers", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Vias = []board.Via{via(0, pt(10, 5))}
			whole := []board.Filled{{Outline: rectPolygon(um(2000), um(2000), um(20000),
				um(20000))}}
			b.Zones = []board.Zone{{Net: 0, Pieces: whole},
				{Net: 0, Layer: board.Bottom, Pieces: whole}}
		}, nil},
		{"via whose other layer has copper of another net alone", func(b *board.Board) {
			with(b, smd("1", 0, pt(5, 5), um(500), um(500)))
			b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(10, 5), um(250)),
				track(1, board.Bottom, pt(10, 5), pt(10, 5), um(250))}
			b.Vias = []board.Via{via(0, pt(10, 5))}
		}, map[string]int{"via_dangling": 1, "short": 1, "hole_clearance": 1, "dangling_track": 2,
			"isolated_copper": 1}},
		{"courtyards apart only along a diagonal", func(b *board.Board) {
			addCourtyard(b, board.Placement{At: pt(10, 10)}, um(4000), um(4000))
			addCourtyard(b, board.Placement{At: pt(13, 13), Rotation: 45}, um(2000), um(2000))
			addCourtyard(b, board.Placement{At: pt(7, 13), Rotation: 45}, um(2000), um(2000))
			b.Parts[0], b.Parts[1] = b.Parts[1], b.Parts[0]
		}, nil},
		{"courtyards without area", func(b *board.Board) {
			b.Rules.CourtyardMargin = um(100)
			with(b, tht("1", 0, pt(8.5, 10), um(1600), um(1000)))
			b.Parts[0].Footprint = &board.Footprint{Courtyard: board.Rect{Min: pt(7, 9),
				Max: pt(11, 11)}}
			addCourtyard(b, board.Placement{At: pt(10, 10)}, 0, 0)
			addCourtyard(b, board.Placement{At: pt(10, 10)}, um(2000), 0)
			addCourtyard(b, board.Placement{At: pt(10, 10), Side: board.BottomSide}, 0, 0)
			addCourtyard(b, board.Placement{At: pt(10.5, 10), Side: board.BottomSide}, um(1000), 0)
			addCourtyard(b, board.Placement{At: pt(10, 10.5), Side: board.BottomSide}, 0, um(1000))
		}, nil},
		{"lead of a part without a courtyard", func(b *board.Board) {
			with(b, tht("1", 0, pt(10, 10), um(1600), um(1000)))
			addCourtyard(b, board.Placement{At: pt(10, 10), Side: board.BottomSide},
				um(2000), um(4000))
		}, map[string]int{"courtyard_overlap": 1}},
		{"part below a keepout", func(b *board.Board) {
			b.Keepouts = []board.Keepout{{Area: board.Rect{Min: pt(5, 5), Max: pt(20, 20)},
				Layers: []board.Layer{board.Top}, Components: true}}
			addCourtyard(b, board.Placement{At: pt(10, 10), Side: board.BottomSide},
				um(2000), um(4000))
		}, nil},
		{"neck of a net without pads", func(b *board.Board) {
			b.Tracks = []board.Track{track(2, board.Top, pt(5, 5), pt(5, 6), um(300)),
				track(2, board.Top, pt(5, 6), pt(5, 5), um(500))}
		}, map[string]int{"neck_length": 1, "dangling_track": 2, "isolated_copper": 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := emptyBoard()
			c.build(b)
			got := map[string]int{}
			rep := check(t, b)
			for _, v := range rep.Violations {
				got[v.Rule]++
			}
			for rule, n := range got {
				if c.want[rule] != n {
					t.Errorf("%s: %d, want %d: %+v", rule, n, c.want[rule], rep.of(rule))
				}
			}
			for rule, n := range c.want {
				if got[rule] != n {
					t.Errorf("%s: %d, want %d", rule, got[rule], n)
				}
			}
		})
	}
}

func TestSilkOverMask(t *testing.T) {
	b := emptyBoard()
	with(b, smd("1", 0, pt(10, 10), um(1000), um(1000)))
	b.Holes = []board.Hole{{At: pt(20, 20), Diameter: um(3000)}}
	// The mask opening ends 0.55 mm from the pad centre, and a stroke of 0.15 mm extends 0.075 mm
	// from its centre line.
	at := func(by int64) Silk {
		return Silk{Side: board.TopSide, Width: um(150), Ref: "U1", A: moved(pt(10.625, 9), -by, 0),
			B: moved(pt(10.625, 11), -by, 0)}
	}
	overHole := Silk{Side: board.BottomSide, Width: um(150), A: pt(15, 20), B: pt(25, 20)}
	for _, c := range []struct {
		name string
		silk []Silk
		want int
	}{
		{"touching", []Silk{at(0)}, 0},
		{"one nanometre over", []Silk{at(1)}, 1},
		{"twice the same", []Silk{at(1), at(1000)}, 1},
		{"bare hole", []Silk{overHole}, 1},
		{"no silkscreen", nil, 0},
	} {
		rep, err := CheckWithSilk(context.Background(), b, c.silk)
		if err != nil || len(rep.of("silk_over_mask")) != c.want {
			t.Errorf("%s: %v %+v", c.name, err, rep.of("silk_over_mask"))
		}
		if !slices.Equal(rep.RulesChecked, Rules()) {
			t.Errorf("rules %q", rep.RulesChecked)
		}
	}
	if rep := check(t, b); slices.Contains(rep.RulesChecked, "silk_over_mask") {
		t.Error("a rule is said to be checked that was not")
	}
}

func TestMessages(t *testing.T) {
	b := emptyBoard()
	with(b, smd("3", 0, pt(10, 10), um(1000), um(1000)))
	b.Vias = []board.Via{via(1, pt(10.95, 10))}
	rep := check(t, b)
	want := "Clearance violation (limit 0.2 mm; actual 0.15 mm): pad U1.3 of net A and via of net B"
	v := rep.of("clearance")
	if len(v) != 1 || v[0].Message != want || v[0].Layer != "top" || v[0].Severity != Error {
		t.Fatalf("%+v", v)
	}
	if math.Abs(v[0].X-10.575) > 1e-6 || math.Abs(v[0].Y-10) > 1e-6 {
		t.Errorf("place %v %v, want the middle of the gap", v[0].X, v[0].Y)
	}
	if rep.Passed || rep.ErrorCount != 1 {
		t.Errorf("%+v", rep)
	}
}

// twoPieces returns a zone of net 0 on the top layer in two pieces. A vertical gap of 0.2 mm at x =
// 10 mm separates them.
func twoPieces() []board.Zone {
	return []board.Zone{{Net: 0, Pieces: []board.Filled{
		{Outline: rectPolygon(um(2000), um(2000), um(9900), um(20000))},
		{Outline: rectPolygon(um(10100), um(2000), um(20000), um(20000))},
	}}}
}

// pinHole adds a part with a pad and, 0.175 mm beside it, a hole without plating.
func pinHole(b *board.Board) {
	with(b, smd("1", 0, pt(10, 10), um(1000), um(1000)), board.Pad{At: pt(11, 10),
		Net: board.NoNet, Padstack: board.Padstack{Width: um(650), Height: um(650),
			Shape: board.Circle, Drill: um(650)}})
}

// teeOutline is a T: a stem of 2 mm by 6 mm below a bar of 8 mm by 2 mm, around the origin.
func teeOutline() board.Polygon {
	return board.Polygon{pt(-1, -4), pt(1, -4), pt(1, 2), pt(4, 2), pt(4, 4), pt(-4, 4), pt(-4, 2),
		pt(-1, 2)}
}
