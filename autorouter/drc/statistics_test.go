package drc

import (
	"context"
	"math"
	"testing"

	"slipstick/autorouter/board"
)

// TestStatistics compares the statistics with values computed by hand. Net A is a right triangle of
// pads at (5, 5), (8, 5) and (8, 9) mm. Net B has two pads 10 mm apart, net P has one pin, and a
// fourth pad has no net.
func TestStatistics(t *testing.T) {
	b := emptyBoard()
	with(b, smd("1", 0, pt(5, 5), um(1000), um(1000)), smd("2", 0, pt(8, 5), um(1000), um(1000)))
	with(b, smd("1", 0, pt(8, 9), um(1000), um(1000)), smd("2", 1, pt(20, 5), um(1000), um(1000)))
	with(b, smd("1", 1, pt(20, 15), um(1000), um(1000)), smd("2", 2, pt(25, 15), um(1000),
		um(1000)), smd("3", board.NoNet, pt(30, 15), um(1000), um(1000)))
	addCourtyard(b, board.Placement{At: pt(35, 25), Rotation: 45}, um(4000), um(3000))
	addCourtyard(b, board.Placement{At: pt(0, 20)}, um(4000), um(3000)) // half of it overhangs
	b.Tracks = []board.Track{track(0, board.Top, pt(5, 5), pt(8, 5), um(250)),
		track(1, board.Top, pt(20, 5), pt(20, 15), um(250))}
	b.Vias = []board.Via{via(2, pt(25, 15))}
	st, err := Statistics(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	ints := []struct {
		name      string
		got, want int
	}{
		{"components", st.ComponentCount, 5},
		{"nets", st.NetCount, 3},
		{"pads", st.PadCount, 7},
		{"connections", st.ConnectionsTotal, 3},
		{"routed", st.ConnectionsRouted, 2},
		{"tracks", st.TrackCount, 2},
		{"vias", st.ViaCount, 1},
		{"pins of A", st.Nets[0].PinCount, 3},
		{"pins of P", st.Nets[2].PinCount, 1},
		{"vias of P", st.Nets[2].ViaCount, 1},
	}
	for _, c := range ints {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
	floats := []struct {
		name      string
		got, want float64
	}{
		{"completion", st.CompletionPct, 200.0 / 3},
		{"wirelength", st.WirelengthMM, 13},
		{"half perimeter", st.HPWLMM, 3 + 4 + 10},
		{"spanning tree", st.MSTMM, 3 + 4 + 10},
		{"lower bound", st.LowerBoundMM, math.Sqrt(3)/2*7 + 10},
		{"ratio", st.WirelengthRatio, 13.0 / 17},
		{"utilization", st.UtilizationPct, 100 * (12.0 + 6) / 1200},
		{"clearance", *st.MinClearanceMM, 4}, // smallest gap, within one footprint; replaced below
		{"length of A", st.Nets[0].LengthMM, 3},
		{"tree of B", st.Nets[1].MSTMM, 10},
	}
	// Pads of one footprint do not count. The distance from the via of P (radius 0.3 mm) to the
	// left edge of the pad without a net is 5 - 0.5 - 0.3 mm. The distance to B's track is 5 -
	// 0.125 - 0.3 mm.
	floats[7].want = 4.2
	for _, c := range floats {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if st.Nets[0].Routed || !st.Nets[1].Routed || !st.Nets[2].Routed {
		t.Errorf("routed: %+v", st.Nets)
	}
	b.Zones = []board.Zone{{Net: 0,
		Pieces: []board.Filled{{Outline: rectPolygon(um(4000), um(4000), um(9000), um(10000))}}}}
	if st, err = Statistics(context.Background(), b); err != nil || st.WirelengthRatio != 1 ||
		st.CompletionPct != 100 {
		t.Errorf("with a zone on A: %v %+v", err, st)
	}
	if st, err = Statistics(context.Background(), emptyBoard()); err != nil ||
		st.MinClearanceMM != nil || st.CompletionPct != 100 {
		t.Errorf("empty board: %v %+v", err, st)
	}
}

// bigBoard returns a board with 150 parts of eight pads. Each of the 1200 pads has its own net with
// a track of three segments and a via. A pour has a round hole around each via.
func bigBoard() *board.Board {
	b := emptyBoard()
	b.Outline = rectPolygon(0, 0, um(122000), um(162000))
	zone := board.Filled{Outline: rectPolygon(um(500), um(500), um(121500), um(161500))}
	b.Nets = nil
	for i := range 150 {
		x, y := 4+float64(i%10)*12, 4+float64(i/10)*10.5
		var pads []board.Pad
		for k := range 8 {
			net := len(b.Nets)
			b.Nets = append(b.Nets, board.Net{Name: "N" + string(rune('A'+k)), Class: "default"})
			px, py := x+float64(k/4)*6, y+float64(k%4)*1.27
			pads = append(pads, smd(string(rune('1'+k)), net, pt(px, py), um(1500), um(600)))
			pads[k].Shape = board.RoundRect
			bend := pt(px+1.5, py)
			b.Tracks = append(b.Tracks, track(net, board.Top, pt(px, py), bend, um(250)),
				track(net, board.Top, bend, moved(bend, um(500), um(500)), um(250)),
				track(net, board.Top, moved(bend, um(500), um(500)), moved(bend, um(1200), um(500)),
					um(250)))
			at := moved(bend, um(1200), um(500))
			b.Vias = append(b.Vias, via(net, at))
			var hole board.Polygon
			for a := range 32 {
				hole = append(hole, at.Add(board.Point{X: um(560)}.Rotated(-float64(a)*11.25)))
			}
			zone.Holes = append(zone.Holes, hole)
		}
		with(b, pads...)
	}
	b.Nets = append(b.Nets, board.Net{Name: "GND", Class: "power"})
	with(b, tht("1", len(b.Nets)-1, pt(119, 159), um(1700), um(1000)))
	b.Zones = []board.Zone{{Net: len(b.Nets) - 1, Layer: board.Bottom,
		Pieces: []board.Filled{zone}}}
	return b
}

func BenchmarkCheck150Parts(b *testing.B) {
	big := bigBoard()
	for b.Loop() {
		if _, err := Check(b.Context(), big); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStatistics150Parts(b *testing.B) {
	big := bigBoard()
	for b.Loop() {
		if _, err := Statistics(context.Background(), big); err != nil {
			b.Fatal(err)
		}
	}
}
