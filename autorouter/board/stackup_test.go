package board_test

import (
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

func TestLayerSet(t *testing.T) {
	s := board.LayersOf(0, 3, 31)
	if got := slices.Collect(s.All()); !slices.Equal(got, []board.Layer{0, 3, 31}) ||
		s.Count() != 3 {
		t.Errorf("%v, %d", got, s.Count())
	}
	if !s.Has(31) || s.Has(1) || board.LayerSet(0).Count() != 0 {
		t.Error("wrong members")
	}
	for l := range s.All() {
		if l == 3 {
			break
		}
	}
	full := make(board.Stackup, board.MaxLayers).All()
	if full.Count() != board.MaxLayers || board.TwoLayers().All() != board.LayersOf(board.Top,
		board.Bottom) {
		t.Errorf("all layers are %b and %b", full, board.TwoLayers().All())
	}
}

// TestViaLayers verifies that a via without a span connects every layer of its board.
func TestViaLayers(t *testing.T) {
	var b board.Board
	v := board.Via{}
	if got := b.ViaLayers(&v); got != board.LayersOf(0, 1) {
		t.Errorf("%b on two layers", got)
	}
	b.Stackup = make(board.Stackup, 4)
	v.Span = board.LayersOf(1, 2)
	if got := b.ViaLayers(&v); got != v.Span {
		t.Errorf("%b for a buried via", got)
	}
	if v.Span = 0; b.ViaLayers(&v) != board.LayersOf(0, 1, 2, 3) {
		t.Error("a through via does not connect four layers")
	}
}

// TestLayers compares the names of four layers with the file functions of the Gerber format
// (2024.05, section 5.6.3). It also compares the layer names and file extensions with KiCad 6. It
// also verifies that surface pads are on outer layers and plated holes on all layers.
func TestLayers(t *testing.T) {
	s := board.Layers(4)
	want := board.Stackup{
		{Name: "top", Gerber: "L1,Top", Suffix: ".gtl", KiCad: "F.Cu", ID: 0},
		{Name: "in1", Gerber: "L2,Inr", Suffix: ".g1", KiCad: "In1.Cu", ID: 1},
		{Name: "in2", Gerber: "L3,Inr", Suffix: ".g2", KiCad: "In2.Cu", ID: 2},
		{Name: "bottom", Gerber: "L4,Bot", Suffix: ".gbl", KiCad: "B.Cu", ID: 31},
	}
	if !slices.Equal(s, want) || !slices.Equal(board.Layers(2), board.TwoLayers()) {
		t.Errorf("%+v", s)
	}
	if l, ok := s.Layer("bottom"); !ok || l != s.Bottom() || l != s.Outer(board.BottomSide) ||
		s.Outer(board.TopSide) != 0 {
		t.Errorf("the bottom is layer %d", l)
	}
	if _, ok := s.Layer("in3"); ok {
		t.Error("a third inner layer")
	}
	for _, c := range []struct {
		name string
		pad  board.FootprintPad
		side board.Side
		want board.LayerSet
	}{
		{"surface, top", board.FootprintPad{}, board.TopSide, board.LayersOf(0)},
		{"surface, bottom", board.FootprintPad{}, board.BottomSide, board.LayersOf(3)},
		{"on the back of a part on the top",
			board.FootprintPad{Layers: board.LayersOf(board.Bottom)}, board.TopSide,
			board.LayersOf(3)},
		{"on the back of a part on the bottom",
			board.FootprintPad{Layers: board.LayersOf(board.Bottom)}, board.BottomSide,
			board.LayersOf(0)},
		{"on both sides", board.FootprintPad{Layers: board.TwoLayers().All()}, board.BottomSide,
			board.LayersOf(0, 3)},
		{"a plated hole", board.FootprintPad{
			Padstack: board.Padstack{Drill: 1},
		}, board.TopSide, board.LayersOf(0, 1, 2, 3)},
		{"a hole without plating", board.FootprintPad{
			NonPlated: true,
			Padstack:  board.Padstack{Drill: 1},
		}, board.TopSide, 0},
	} {
		if got := c.pad.CopperLayers(s, c.side); got != c.want {
			t.Errorf("%s: %b, want %b", c.name, got, c.want)
		}
	}
}

// TestPours verifies that all pour layers of a net form one pour and that the ground pour comes
// first.
func TestPours(t *testing.T) {
	r := board.Rules{GroundNet: 4, PourLayers: []board.Layer{3},
		Planes: []board.Plane{{Layer: 2, Net: 1}, {Layer: 1, Net: 4}}}
	if got := r.Pours(); !slices.Equal(got, []board.Pour{{Net: 4, Layers: board.LayersOf(1, 3)},
		{Net: 1, Layers: board.LayersOf(2)}}) {
		t.Errorf("%v", got)
	}
	r.GroundNet = board.NoNet
	if got := r.Pours(); len(got) != 2 || got[0].Net != 1 || got[1].Layers != board.LayersOf(1) {
		t.Errorf("%v without a ground pour", got)
	}
}

// TestPartKeepoutLayers verifies that a footprint keepout on both sides also covers the inner
// layers.
func TestPartKeepoutLayers(t *testing.T) {
	f := board.Footprint{Keepouts: []board.FootprintKeepout{{Front: true, Back: true},
		{Front: true}, {Back: true}}}
	p := board.Part{Component: board.Component{Footprint: &f},
		Placement: board.Placement{Side: board.BottomSide}}
	var got []board.LayerSet
	for _, k := range board.Layers(4).PartKeepouts([]board.Part{p}, board.StripHeight,
		board.StripRows) {
		got = append(got, board.LayersOf(k.Layers...))
	}
	if want := []board.LayerSet{15, board.LayersOf(3), board.LayersOf(0)}; !slices.Equal(got,
		want) {
		t.Errorf("%b, want %b", got, want)
	}
}

// TestPartKeepoutShape verifies that the keepouts of a rotated part cover its rectangle and the
// legs of a C. They cover neither the inside of the C nor the corners of the box around them.
func TestPartKeepoutShape(t *testing.T) {
	at := func(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }
	rectangle := board.FootprintKeepout{Front: true,
		Area: board.Rect{Min: at(-5, -1), Max: at(5, 1)}}
	c := board.FootprintKeepout{Front: true, Area: board.Rect{Min: at(-3, -3), Max: at(3, 3)},
		Outline: board.Polygon{at(-3, -3), at(3, -3), at(3, -2), at(-2, -2), at(-2, 2), at(3, 2),
			at(3, 3), at(-3, 3)}}
	for _, k := range []struct {
		name     string
		keepout  board.FootprintKeepout
		deg      float64
		in, out  []board.Point // before the rotation
		maxStrip int
	}{
		{"rectangle", rectangle, 90, []board.Point{at(4.9, 0.9)}, []board.Point{at(0, 1.1)}, 1},
		{"rectangle at 30°", rectangle, 30, []board.Point{at(4.9, 0.9), at(-4.9, -0.9)},
			[]board.Point{at(4, 1.3), at(-4, 1.3), at(0, -1.3)}, 100},
		{"C", c, 0, []board.Point{at(0, 2.5), at(-2.5, 0)}, []board.Point{at(0, 0), at(0, 1.8)},
			130},
		{"C at 45°", c, 45, []board.Point{at(0, 2.5), at(-2.5, 0)},
			[]board.Point{at(0, 0), at(0, 1.8), at(3.2, 0)}, 180},
	} {
		p := board.Part{Component: board.Component{Footprint: &board.Footprint{
			Keepouts: []board.FootprintKeepout{k.keepout}}},
			Placement: board.Placement{At: at(7, 8), Rotation: k.deg}}
		all := board.TwoLayers().PartKeepouts([]board.Part{p}, board.StripHeight,
			board.StripRows)
		covered := func(q board.Point) bool {
			q = q.Rotated(k.deg).Add(p.At)
			return slices.ContainsFunc(all, func(k board.Keepout) bool {
				return k.Area.Min.X <= q.X && q.X <= k.Area.Max.X && k.Area.Min.Y <= q.Y &&
					q.Y <= k.Area.Max.Y
			})
		}
		if len(all) > k.maxStrip || slices.ContainsFunc(k.out, covered) ||
			slices.ContainsFunc(k.in, func(q board.Point) bool { return !covered(q) }) {
			t.Errorf("%s: %d strips: inside %v, outside %v", k.name, len(all), k.in, k.out)
		}
	}
}
