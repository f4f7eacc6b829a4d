package kicad

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/sexpr"
)

// readWiring adds the tracks and vias that keep selects as copper of their nets. It marks all
// others for removal.
func (b *builder) readWiring(keep Keep) error {
	grouped := b.groupMembers()
	dropped := 0
	for _, n := range b.design.root.List[1:] {
		if n.Head() != "segment" && n.Head() != "arc" && n.Head() != "via" {
			continue
		}
		stays := keep == KeepAll || keep == KeepLocked && (isLocked(n) || grouped[uuidOf(n)])
		if !stays {
			b.removed = append(b.removed, n)
			dropped++
			continue
		}
		if err := b.keepCopper(n); err != nil {
			return err
		}
		if b.fail != nil {
			return b.fail
		}
	}
	if dropped > 0 {
		b.warn("%d tracks and vias of the file are replaced", dropped)
	}
	return nil
}

// groupMembers returns the identifiers of all group members.
func (b *builder) groupMembers() map[string]bool {
	out := map[string]bool{}
	// A generated item contains length-tuned tracks.
	for _, head := range []string{"group", "generated"} {
		for _, g := range b.design.root.Each(head) {
			if members := g.First("members"); members != nil {
				for i := range members.List[1:] {
					out[members.At(i+1)] = true
				}
			}
		}
	}
	delete(out, "")
	return out
}

func (b *builder) keepCopper(n *sexpr.Node) error {
	net, err := b.design.net(n)
	if err != nil {
		return err
	}
	var pads []board.Pad
	layers := b.design.layersOf(itemLayers(n)...)
	if n.Head() == "via" {
		at, _, err := footprint.ReadPosition(n, "at")
		if err != nil {
			return asError(err)
		}
		size, err := lengthOf(n, "size")
		if err != nil {
			return err
		}
		drill, err := lengthOf(n, "drill")
		if err != nil {
			return err
		}
		c := b.Rules.Classes[0]
		if net != board.NoNet {
			c = b.Rules.Class(&b.Nets[net])
		}
		if size == 0 {
			size = c.ViaDiameter
		}
		if drill == 0 {
			drill = min(c.ViaDrill, size-1)
		}
		pads = []board.Pad{{
			At: at.Sub(b.origin), Plated: true,
			Padstack: board.Padstack{Width: size, Height: size, Shape: board.Circle, Drill: drill},
		}}
		layers = span(layers, len(b.design.Layers))
	} else {
		kind := "line"
		if n.Head() == "arc" {
			kind = "arc"
		}
		points, _, err := footprint.ReadShape(n, kind)
		if err != nil {
			return asError(err)
		}
		width, err := lengthOf(n, "width")
		if err != nil {
			return err
		}
		if width == 0 || layers == 0 {
			return bad(n, "a track needs a width above 0 and a copper layer")
		}
		pads = b.copper(drawn{points: points}, width, false)
	}
	for i := range pads {
		pads[i].Net, pads[i].Layers = net, layers
	}
	b.count(len(pads))
	b.wiring.Pads = append(b.wiring.Pads, pads...)
	return nil
}

// span returns all layers from the first to the last layer of s, or all layers if s is empty.
// layers is the number of copper layers.
func span(s board.LayerSet, layers int) board.LayerSet {
	all := board.LayerSet(1<<layers - 1)
	if s == 0 {
		return all
	}
	var out board.LayerSet
	first, last := layers, 0
	for l := range s.All() {
		first, last = min(first, int(l)), max(last, int(l))
	}
	for l := first; l <= last; l++ {
		out |= board.Layer(l).Bit()
	}
	return out
}
