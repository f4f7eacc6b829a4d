package board_test

import (
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

func TestLayerSet(t *testing.T) {
	s := board.LayersOf(0, 3, 31)
	if got := slices.Collect(s.All()); !slices.Equal(got, []board.Layer{0, 3, 31}) || s.Count() != 3 {
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
	if full.Count() != board.MaxLayers || board.TwoLayers().All() != board.LayersOf(board.Top, board.Bottom) {
		t.Errorf("all layers are %b and %b", full, board.TwoLayers().All())
	}
}

// A via without a span connects every layer of its board.
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
