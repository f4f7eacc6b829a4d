package board

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
)

// Layer is the index of a copper layer in a Stackup, counted from 0 at the top.
type Layer uint8

// Top is the first layer of every stackup, and Bottom is the last layer of TwoLayers.
// Stackup.Bottom returns the last layer of any stackup.
const (
	Top Layer = iota
	Bottom
)

// Side is a side of a board for parts, solder mask, paste and silkscreen.
type Side uint8

// Sides of a board; Stackup.Outer returns their copper layers.
const (
	TopSide Side = iota
	BottomSide
)

// Sides returns both sides, the top first.
func Sides() [2]Side { return [2]Side{TopSide, BottomSide} }

// String returns the side's name in requests and responses; the copper layer has the same name.
func (s Side) String() string {
	if s == TopSide {
		return "top"
	}
	return "bottom"
}

// MaxLayers is the maximum number of copper layers in a stackup.
const MaxLayers = 32

// Bit returns the set that contains only this layer.
func (l Layer) Bit() LayerSet { return 1 << l }

// LayerSet is a set of copper layers as a bit mask; bit l represents layer l.
type LayerSet uint32

// LayersOf returns the set of the given layers.
func LayersOf(layers ...Layer) LayerSet {
	var s LayerSet
	for _, l := range layers {
		s |= l.Bit()
	}
	return s
}

// Has reports whether a layer is in the set.
func (s LayerSet) Has(l Layer) bool { return s&l.Bit() != 0 }

// Count returns the number of layers in the set.
func (s LayerSet) Count() int { return bits.OnesCount32(uint32(s)) }

// All returns an iterator over the layers of the set, from the top.
func (s LayerSet) All() iter.Seq[Layer] {
	return func(yield func(Layer) bool) {
		for rest := s; rest != 0; rest &= rest - 1 {
			if !yield(Layer(bits.TrailingZeros32(uint32(rest)))) {
				return
			}
		}
	}
}

// CopperLayer holds the names of one layer of a stackup in requests and files.
type CopperLayer struct {
	Name   string // name in requests and responses
	Gerber string // Gerber file function (X2, section 5.6.3), such as L1,Top
	Suffix string // suffix of the Gerber file name, such as .gtl
	KiCad  string // name in a KiCad board, such as F.Cu
	ID     int    // layer number in a KiCad board (version 8 and earlier)
}

// Stackup lists the 2 to MaxLayers copper layers of a board, from the top.
type Stackup []CopperLayer

// TwoLayers returns the stackup of a two-layer board.
func TwoLayers() Stackup {
	return Stackup{
		{Name: "top", Gerber: "L1,Top", Suffix: ".gtl", KiCad: "F.Cu", ID: 0},
		{Name: "bottom", Gerber: "L2,Bot", Suffix: ".gbl", KiCad: "B.Cu", ID: 31},
	}
}

// Layers returns the stackup of a board with n copper layers, 2 to MaxLayers. The inner layers are
// named in1, in2 and so on; Gerber file suffixes follow KiCad's Protel names.
func Layers(n int) Stackup {
	out := TwoLayers()
	bottom := out[1]
	bottom.Gerber = fmt.Sprintf("L%d,Bot", n)
	out = out[:1]
	for l := 1; l < n-1; l++ {
		out = append(out, CopperLayer{
			Name: fmt.Sprintf("in%d", l), Gerber: fmt.Sprintf("L%d,Inr", l+1),
			Suffix: fmt.Sprintf(".g%d", l),
			KiCad:  fmt.Sprintf("In%d.Cu", l), ID: l,
		})
	}
	return append(out, bottom)
}

// All returns the set of all layers of the stackup.
func (s Stackup) All() LayerSet { return 1<<len(s) - 1 }

// Bottom returns the last layer.
func (s Stackup) Bottom() Layer { return Layer(len(s) - 1) }

// Outer returns the copper layer of a side.
func (s Stackup) Outer(side Side) Layer {
	if side == TopSide {
		return 0
	}
	return s.Bottom()
}

// OnSides converts a set of TwoLayers layers, such as those of a footprint pad, to this stackup.
func (s Stackup) OnSides(two LayerSet) LayerSet {
	var out LayerSet
	for _, side := range Sides() {
		if two.Has(TwoLayers().Outer(side)) {
			out |= s.Outer(side).Bit()
		}
	}
	return out
}

// Names returns the names of the layers in a set, from the top.
func (s Stackup) Names(set LayerSet) []string {
	var out []string
	for l := range set.All() {
		out = append(out, s.Name(l))
	}
	return out
}

// Layer returns the layer with the given name, and whether the stackup has this layer.
func (s Stackup) Layer(name string) (Layer, bool) {
	at := slices.IndexFunc(s, func(l CopperLayer) bool { return l.Name == name })
	return Layer(max(0, at)), at >= 0
}

// Name returns the name of a layer. An index beyond the last layer gives the name of the last
// layer.
func (s Stackup) Name(l Layer) string { return s[min(int(l), len(s)-1)].Name }

// Copper returns the stackup of a board, or TwoLayers if it has none.
func (b *Board) Copper() Stackup {
	if len(b.Stackup) == 0 {
		return TwoLayers()
	}
	return b.Stackup
}

// ViaLayers returns the layers that a via connects. The via has a pad on each of them.
func (b *Board) ViaLayers(v *Via) LayerSet {
	if v.Span == 0 {
		return b.Copper().All()
	}
	return v.Span
}

// On reports whether a pad has copper on a layer. Copper returns its shape, which is equal on all
// layers of the pad.
func (p *Pad) On(l Layer) bool { return p.Layers.Has(l) }

// Thickness is the thickness of every board [nm].
const Thickness = 1600 * Micrometre

// Barrel returns the length of a via between two layers [nm], assuming evenly spaced layers.
func (s Stackup) Barrel(from, to Layer) int64 {
	if len(s) < 2 {
		return 0
	}
	return Thickness * (int64(max(from, to)) - int64(min(from, to))) / int64(len(s)-1)
}
