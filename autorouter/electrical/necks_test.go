package electrical_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/electrical"
)

// TestNeckWarnings checks the warning about two narrow tracks in a net for 5 A, which needs 2.77 mm
// by IPC-2221 at 10 K and 1 oz/ft². A net without a current has no warning. The stubs in the pad of
// J1 and in the end of the wide track have none either. The lengths are those outside of the pads
// and of the round ends of the wide track: 8 - 2.77/2 - 6 mm, and 19.6 - 17 - 2.77/2 mm.
func TestNeckWarnings(t *testing.T) {
	for current, want := range map[float64][]string{0: nil, 5: {
		"net P: 5 A needs 2.77 mm by IPC-2221, tracks have 0.25 to 0.30 mm over 1.2 mm at C1.1, " +
			"0.50 to 1.00 mm over 0.6 mm at J1.1"}} {
		net := board.Net{Name: "P", Supply: true, Current: current, Width: board.MM(2.77)}
		b := newBench(30, 20, rules(), board.Net{Name: "A"}, net)
		b.part("J1", at(4, 10), map[string]int{"1": 1}, land("1", 0, 0, 4, 4))
		b.part("C1", at(20, 10), map[string]int{"1": 1}, land("1", 0, 0, .8, .95))
		for _, c := range []struct{ from, to, width float64 }{
			{4, 6.5, 1}, {6.5, 8, .5}, {8, 17, 2.77}, {17, 18.6, .3}, {18.6, 20, .25},
			{4, 4.14, .2}, {17, 18, .2},
		} {
			b.Tracks = append(b.Tracks, board.Track{Net: 1, A: at(c.from, 10), B: at(c.to, 10),
				Width: board.MM(c.width)})
		}
		if got := electrical.NeckWarnings(&b.Board, b.necks(t)); !slices.Equal(got, want) {
			t.Errorf("%g A: warnings %q, want %q", current, got, want)
		}
	}
}

// necks returns the necks of the board.
func (b *bench) necks(t *testing.T) []electrical.Neck {
	t.Helper()
	necks, err := electrical.Necks(t.Context(), &b.Board)
	if err != nil {
		t.Fatal(err)
	}
	return necks
}

// TestNecks verifies that connected narrow tracks are one neck, also through a via. Necks with a
// wide track or a via in a pad between them are two. The pads leave 4 mm on the top between them. A
// track of width w adds (1.4 mm / w - 1) times its length to the resistance of a track of 1.4 mm. A
// neck of more than 2 mm is long if this exceeds 2 mm too.
func TestNecks(t *testing.T) {
	const top, bottom = board.Top, board.Bottom
	for _, c := range []struct {
		name    string
		widths  [3]float64 // of the thirds of the connection [mm]
		layers  [3]board.Layer
		pad     float64   // size of a pad around the via [mm]; 0 for none
		lengths []int64   // [0.1 mm]
		excess  []float64 // [mm]
		long    int
	}{
		{"one neck", [3]float64{0.25, 0.25, 0.25}, [3]board.Layer{top, top, top}, 0,
			[]int64{40}, []float64{4 * 4.6}, 1},
		{"two necks", [3]float64{0.25, 1.4, 0.25}, [3]board.Layer{top, top, top}, 0,
			[]int64{8, 8}, []float64{0.8 * 4.6, 0.8 * 4.6}, 0},
		{"through a via", [3]float64{0.25, 0.25, 0.25}, [3]board.Layer{top, bottom, bottom}, 0,
			[]int64{40}, []float64{4 * 4.6}, 1},
		{"through a via in a pad", [3]float64{0.25, 0.25, 0.25},
			[3]board.Layer{top, bottom, bottom}, 1.2,
			[]int64{9, 19}, []float64{0.9 * 4.6, 1.9 * 4.6}, 0},
		{"slightly narrow", [3]float64{1.12, 1.12, 1.12}, [3]board.Layer{top, top, top}, 0,
			[]int64{40}, []float64{4 * 0.25}, 0},
		{"half of the width", [3]float64{0.68, 0.68, 0.68}, [3]board.Layer{top, top, top}, 0,
			[]int64{40}, []float64{4 * 1.0588}, 1},
	} {
		b := newBench(30, 20, rules(), board.Net{Name: "SW", Current: 3, Width: board.MM(1.4)})
		b.part("U1", at(4, 10), map[string]int{"1": 0}, land("1", 0, 0, 1, 1))
		b.part("L1", at(9, 10), map[string]int{"1": 0}, land("1", 0, 0, 1, 1))
		b.Parts[1].Pads[0].Layers = c.layers[2].Bit()
		for i, width := range c.widths {
			x := []float64{4, 6, 7, 9}
			b.Tracks = append(b.Tracks, board.Track{Net: 0, Layer: c.layers[i], A: at(x[i], 10),
				B: at(x[i+1], 10), Width: board.MM(width)})
		}
		if c.layers[0] != c.layers[1] {
			b.Vias = []board.Via{{Net: 0, At: at(6, 10), Drill: board.MM(0.3),
				Diameter: board.MM(0.6)}}
		}
		if c.pad > 0 {
			b.part("J1", at(6, 10), map[string]int{"1": 0}, land("1", 0, 0, c.pad, c.pad))
			b.Parts[2].Pads[0].Layers = top.Bit() | bottom.Bit()
		}
		necks := b.necks(t)
		var lengths []int64
		for i, n := range necks {
			lengths = append(lengths, int64(math.Round(float64(n.Length)/1e5)))
			if i < len(c.excess) && math.Abs(n.Excess/1e6-c.excess[i]) > 0.02*c.excess[i] {
				t.Errorf("%s: excess %g mm, want %g", c.name, n.Excess/1e6, c.excess[i])
			}
		}
		if !slices.Equal(lengths, c.lengths) || electrical.LongNecks(necks) != c.long {
			t.Errorf("%s: %+v", c.name, necks)
		}
	}
}

// BenchmarkNecks measures the necks of boards whose size differs by a factor of eight.
func BenchmarkNecks(b *testing.B) {
	for _, parts := range []int{500, 4000} {
		board := &crowded(parts).Board
		b.Run(fmt.Sprint(parts), func(b *testing.B) {
			for b.Loop() {
				if _, err := electrical.Necks(b.Context(), board); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestInnerWarnings checks the warning about tracks for 3 A on inner layers. By IPC-2221 at 10 K
// and 1 oz/ft², external conductors need 1.37 mm and internal ones 2^(1/0.725) = 2.60 times as
// much.
func TestInnerWarnings(t *testing.T) {
	const in2 = 2 // second inner layer
	for _, c := range []struct {
		layer board.Layer
		width float64
		want  []string
	}{
		{board.Top, 1.37, nil},
		{3, 1.37, nil},   // bottom
		{in2, 3.57, nil}, // 2^(1/0.725) · 1.37 mm is 3.564 mm, rounded up in the warning
		{in2, 1.37, []string{"net P: 3 A needs 3.57 mm on inner layers by IPC-2221, tracks on in2 " +
			"have 1.37 mm; keep the net on the outer layers or give its class that width"}},
	} {
		b := newBench(30, 20, rules(), board.Net{Name: "P", Current: 3, Width: board.MM(1.37)})
		b.Stackup = board.Layers(4)
		b.Tracks = []board.Track{{Net: 0, A: at(4, 10), B: at(20, 10), Layer: c.layer,
			Width: board.MM(c.width)}}
		got, err := electrical.InnerWarnings(t.Context(), &b.Board)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%g mm on layer %d: warnings %q, %v, want %q", c.width, c.layer, got, err,
				c.want)
		}
	}
}
