package electrical_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/electrical"
)

// TestPairs verifies the recognition of differential pairs by name, their length mismatch and their
// coupled fraction.
func TestPairs(t *testing.T) {
	names := []string{"USB_DP", "USB_DM", "TX_P", "TX_N", "D+", "D-", "+12", "-12", "LED_P", "A+"}
	var nets []board.Net
	for _, n := range names {
		nets = append(nets, board.Net{Name: n})
	}
	nets[6].Supply, nets[7].Supply = true, true
	b := newBench(50, 50, rules(), nets...)
	line := func(net int, x1, y1, x2, y2 float64) {
		b.Tracks = append(b.Tracks, board.Track{Net: net, A: at(x1, y1), B: at(x2, y2),
			Width: board.MM(.25)})
	}
	line(0, 0, 10, 20, 10)
	line(1, 0, 10.5, 20, 10.5)
	line(2, 0, 20, 20, 20)
	line(3, 0, 30, 16, 30)
	b.Rules.Pairs = b.Rules.NamedPairs(nets, func(i int) bool { return nets[i].Supply })
	pairs, err := electrical.Pairs(t.Context(), &b.Board)
	if err != nil {
		t.Fatal(err)
	}
	want := []electrical.Pair{{0, 1, 0, 1, 20e6}, {2, 3, 4e6, 0, 20e6}, {4, 5, 0, 0, 0}}
	if !slices.EqualFunc(pairs, want, func(a, b electrical.Pair) bool {
		return a.Positive == b.Positive && a.Negative == b.Negative && a.Mismatch == b.Mismatch &&
			math.Abs(a.Coupled-b.Coupled) < .01
	}) {
		t.Errorf("%+v, want %+v", pairs, want)
	}
	if w := electrical.PairWarnings(&b.Board, pairs); len(w) != 2 ||
		!strings.Contains(w[0], "TX_P and TX_N differ by 4 mm") ||
		!strings.Contains(w[1], "TX_P and TX_N run side by side on 0 %") {
		t.Error(w)
	}
}

// TestPairEnds verifies that the mismatch of a pair compares the tracks from end to end. The tracks
// to the second contacts of a connector and to a pull-up do not count; the barrels of vias do.
func TestPairEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts func(b *bench)
		more  []board.Track // beside tracks of 20 mm and of 20.5 mm between J1 and U1
		vias  []board.Via
		want  float64
	}{
		{"plain", nil, nil, nil, 0.5},
		{"doubled contacts", func(b *bench) {
			b.Parts[0].Pads[2].Net, b.Parts[0].Pads[3].Net = 0, 1
		}, []board.Track{{Net: 1, A: at(5, 11), B: at(5, 13)}}, nil, 0.5},
		{"a pull-up", func(b *bench) {
			b.part("R1", at(15, 5), map[string]int{"1": 0}, land("1", 0, 0, 1, 1))
		}, []board.Track{{Net: 0, A: at(15, 10), B: at(15, 5)}}, nil, 0.5},
		{"series resistors", func(b *bench) {
			b.Parts[1].Pads[0].Net, b.Parts[1].Pads[1].Net = board.NoNet, board.NoNet
			b.part("R1", at(25, 10), map[string]int{"1": 0}, land("1", 0, 0, 0.5, 0.5))
			b.part("R2", at(25, 11.5), map[string]int{"1": 1}, land("1", 0, 0, 0.5, 0.5))
		}, nil, nil, 0.5},
		{"two vias through 1.6 mm", func(b *bench) { b.Tracks[1].B = at(15, 11) },
			[]board.Track{{Net: 1, Layer: board.Bottom, A: at(15, 11), B: at(20, 11)},
				{Net: 1, A: at(20, 11), B: at(25, 11)}},
			[]board.Via{{Net: 1, At: at(15, 11), Drill: board.MM(.3), Diameter: board.MM(.6)},
				{Net: 1, At: at(20, 11), Drill: board.MM(.3), Diameter: board.MM(.6)}}, 3.7},
		{"an open track", func(b *bench) { b.Tracks[1].B = at(15, 11) },
			[]board.Track{{Net: 1, A: at(15.5, 11), B: at(25, 11)}}, nil, 0},
	} {
		b := newBench(40, 20, rules(), board.Net{Name: "D_P"}, board.Net{Name: "D_N"})
		b.Rules.Pairs = []board.Pair{{Positive: 0, Negative: 1}}
		b.part("J1", at(5, 10), map[string]int{"1": 0, "2": 1}, land("1", 0, 0, 0.5, 0.5),
			land("2", 0, 1, 0.5, 0.5), land("3", 0, 2, 0.5, 0.5), land("4", 0, 3, 0.5, 0.5))
		b.part("U1", at(25, 10), map[string]int{"1": 0, "2": 1}, land("1", 0, 0, 0.5, 0.5),
			land("2", 0, 1.5, 0.5, 0.5))
		b.Tracks = []board.Track{{Net: 0, A: at(5, 10), B: at(25, 10)},
			{Net: 1, A: at(5, 11), B: at(25, 11)}, {Net: 1, A: at(25, 11), B: at(25, 11.5)}}
		if c.parts != nil {
			c.parts(b)
		}
		b.Tracks, b.Vias = append(b.Tracks, c.more...), c.vias
		for i := range b.Tracks {
			b.Tracks[i].Width = board.MM(0.2)
		}
		pairs, err := electrical.Pairs(t.Context(), &b.Board)
		if err != nil {
			t.Fatal(err)
		}
		if got := pairs[0].Mismatch; got != board.MM(c.want) {
			t.Errorf("%s: %g mm, want %g", c.name, board.ToMM(got), c.want)
		}
	}
}

// TestPairGap verifies that tracks at the declared gap of their pair count as coupled even beyond
// the default limit.
func TestPairGap(t *testing.T) {
	b := newBench(50, 50, rules(), board.Net{Name: "D_P"}, board.Net{Name: "D_N"})
	for net, y := range []float64{10, 12.25} { // gap 2 mm
		b.Tracks = append(b.Tracks, board.Track{Net: net, A: at(0, y), B: at(20, y),
			Width: board.MM(.25)})
	}
	for gap, want := range map[float64]float64{0: 0, 2: 1} {
		b.Rules.Pairs = []board.Pair{{Positive: 0, Negative: 1, Gap: board.MM(gap)}}
		pairs, err := electrical.Pairs(t.Context(), &b.Board)
		if err != nil {
			t.Fatal(err)
		}
		if got := pairs[0].Coupled; math.Abs(got-want) > 1e-9 {
			t.Errorf("gap of %g mm: %g coupled, want %g", gap, got, want)
		}
	}
}

// TestPairWarnings verifies that the limit of USB is named for pairs of USB alone.
func TestPairWarnings(t *testing.T) {
	for name, want := range map[string]string{
		"USB_P": "high-speed USB allows 3.81 mm", "D+": "high-speed USB allows 3.81 mm",
		"/MCU_DP": "high-speed USB allows 3.81 mm", "RS485_P": "check the limit of its interface",
		"LED+": "check the limit of its interface",
	} {
		b := newBench(30, 20, rules(), board.Net{Name: name}, board.Net{Name: "N"})
		got := electrical.PairWarnings(&b.Board, []electrical.Pair{{Positive: 0, Negative: 1,
			Mismatch: board.MM(4.7), Coupled: 1}})
		if len(got) != 1 || !strings.HasSuffix(got[0], "by 4.7 mm in length; "+want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
