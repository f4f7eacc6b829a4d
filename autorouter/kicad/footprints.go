package kicad

import (
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/sexpr"
)

// readFootprints converts the footprints to parts.
func (b *builder) readFootprints() error {
	for _, n := range b.design.root.List[1:] {
		if n.Head() != "footprint" && n.Head() != "module" {
			continue
		}
		if len(b.Parts) == maxParts {
			return bad(n, "the board has more than %d footprints", maxParts)
		}
		if err := b.readFootprint(n); err != nil {
			return err
		}
		if b.fail != nil {
			return b.fail
		}
	}
	return nil
}

func (b *builder) readFootprint(n *sexpr.Node) error {
	at, degrees, err := footprint.ReadPosition(n, "at")
	if err != nil {
		return asError(err)
	}
	part := board.Part{Component: board.Component{
		Ref: reference(n), Footprint: &board.Footprint{Name: n.At(1)},
	}}
	part.At, part.Rotation = at.Sub(b.origin), degrees
	if layer, _ := n.Text("layer"); layer == b.Stackup[len(b.Stackup)-1].Name {
		part.Side = board.BottomSide
	}
	own, err := lengthOf(n, "clearance")
	if err != nil {
		return err
	}
	index := len(b.Parts)
	groups := 0
	for _, c := range n.List[1:] {
		if c.Head() != "pad" {
			continue
		}
		pads, err := b.pad(c, at, degrees)
		if err != nil {
			return err
		}
		clearance, err := lengthOf(c, "clearance")
		if err != nil {
			return err
		}
		if clearance == 0 {
			clearance = own
		}
		if clearance > int64(maxRuleMM*1e6) {
			return bad(c, "the clearance of a pad is %g mm; 0 to %g are read",
				board.ToMM(clearance), maxRuleMM)
		}
		b.setClearance(pads, clearance)
		if len(pads) > 1 {
			groups++
		}
		for i := range pads {
			if len(pads) > 1 {
				pads[i].Group = groups
			}
		}
		if len(pads) > 0 && pads[0].Net != board.NoNet {
			to := &b.Nets[pads[0].Net].Pins
			*to = append(*to, board.PinRef{Component: index, Pad: pads[0].Number})
		}
		part.Pads = append(part.Pads, pads...)
		b.count(len(pads))
	}
	divided := b.divideTie(n, at, degrees, &part)
	b.Parts = append(b.Parts, part)
	if part.Pads == nil {
		part.Pads = []board.Pad{}
	}
	for _, c := range n.List[1:] {
		if slices.Contains(divided, c) {
			continue
		}
		if err := b.item(c, at, degrees, part.Pads); err != nil {
			return err
		}
	}
	return nil
}

// divideTie adds the copper that a net tie has outside of its pads to the pads that it joins. It
// returns the graphics that are part of the pads now. Copper that cannot be divided remains an
// obstacle.
func (b *builder) divideTie(
	n *sexpr.Node, at board.Point, degrees float64, part *board.Part,
) []*sexpr.Node {
	if !footprint.IsNetTie(n) {
		return nil
	}
	outer := [2]board.Layer{board.Top, b.Stackup.Bottom()}
	var graphics []footprint.TieGraphic
	var nodes []*sexpr.Node
	for _, c := range n.List[1:] {
		if _, shape := kindOfShape(c); !shape || !strings.HasPrefix(c.Head(), "fp_") {
			continue
		}
		layers := b.design.layersOf(itemLayers(c)...)
		for side, l := range outer {
			if layers == l.Bit() {
				graphics = append(graphics, footprint.TieGraphic{Node: c, Layer: board.Layer(side)})
				nodes = append(nodes, c)
				break
			}
		}
	}
	pads := make([]board.FootprintPad, len(part.Pads))
	for i := range part.Pads {
		p := &part.Pads[i]
		pads[i] = board.FootprintPad{Number: p.Number, At: p.At, Rotation: p.Rotation,
			Padstack: p.Padstack, NonPlated: !p.Plated && p.Layers == 0}
		for side, l := range outer {
			if p.Layers.Has(l) {
				pads[i].Layers |= board.Layer(side).Bit()
			}
		}
		if pads[i].Layers == 0 { // on inner layers alone
			pads[i].Number = ""
		}
	}
	divided, ties, ok := footprint.PlacedTies(n, at.Sub(b.origin), degrees, pads, graphics,
		&b.steps)
	if b.countSteps(0); !ok {
		return nil
	}
	var out []board.Pad
	drawn := 0
	for _, q := range divided {
		if !q.Tie {
			out = append(out, part.Pads[drawn])
			out[len(out)-1].Group = q.Group
			drawn++
			continue
		}
		piece := out[len(out)-1] // for its number, net and clearance
		piece.At, piece.Rotation, piece.Padstack, piece.Plated = q.At, q.Rotation, q.Padstack, false
		piece.Layers = outer[board.Top].Bit()
		if q.Layers == board.Bottom.Bit() {
			piece.Layers = outer[board.Bottom].Bit()
		}
		out = append(out, piece)
	}
	b.count(len(out) - len(part.Pads))
	part.Pads, part.Footprint.Ties = out, ties
	return nodes
}

// setClearance sets the clearance [nm] of all pieces of a pad; 0 selects that of the net class. It
// counts a clearance below that of the net class in b.local.
func (b *builder) setClearance(pads []board.Pad, clearance int64) {
	for i := range pads {
		c := b.Rules.Classes[0]
		if pads[i].Net != board.NoNet {
			c = b.Rules.Class(&b.Nets[pads[i].Net])
		}
		pads[i].Clearance = clearance
		if i == 0 && clearance > 0 && clearance < c.Clearance {
			b.local++
		}
	}
}

// reference returns the reference designator of a footprint, or "". KiCad 8 and later write
// (property "Reference" R1), and earlier versions (fp_text reference R1).
func reference(n *sexpr.Node) string {
	for _, head := range []string{"property", "fp_text"} {
		for _, c := range n.Each(head) {
			if strings.EqualFold(c.At(1), "reference") {
				return c.At(2)
			}
		}
	}
	return ""
}

// pad returns the convex pieces of a pad of a footprint at position at [nm] with rotation degrees.
// It returns none for a pad with neither copper nor a hole.
func (b *builder) pad(n *sexpr.Node, at board.Point, degrees float64) ([]board.Pad, error) {
	layers := b.design.layersOf(itemLayers(n)...)
	hole := strings.HasSuffix(n.At(2), "thru_hole")
	if layers == 0 && !hole {
		return nil, nil
	}
	p, err := footprint.ReadPlacedPad(n, at, degrees)
	if err != nil {
		return nil, asError(err)
	}
	net, err := b.design.net(n)
	if err != nil {
		return nil, err
	}
	drilled := p.Drill > 0 || p.SlotW > 0
	var out []board.Pad
	if p.Kind == "np_thru_hole" || layers == 0 {
		net = board.NoNet
		if drilled {
			out = append(out, board.Pad{
				Net: net, At: p.At.Sub(b.origin), Rotation: p.Rotation, Padstack: board.Padstack{
					Shape: board.Circle,
					Width: max(p.Drill, p.SlotW), Height: max(p.Drill, p.SlotH),
					Drill: p.Drill, SlotW: p.SlotW, SlotH: p.SlotH,
				},
			})
		}
	}
	if layers == 0 {
		return out, nil
	}
	for i, q := range p.Pieces {
		one := b.padOf(q)
		one.Number, one.Net, one.Layers = p.Number, net, layers
		if one.Shape == board.Circle && n.At(3) != "circle" && p.SlotW == 0 {
			// The spokes follow the axes of the pad; see Rules.KiCadSpokes.
			one.Rotation = math.Mod(one.Rotation+45, 360)
		}
		if i == 0 && p.Kind == "thru_hole" && drilled {
			one.Drill, one.SlotW, one.SlotH, one.Plated = p.Drill, p.SlotW, p.SlotH, true
		}
		out = append(out, one)
	}
	return out, nil
}

// padOf converts a piece of a pad from file to board coordinates.
func (b *builder) padOf(q board.FootprintPad) board.Pad {
	return board.Pad{
		Net: board.NoNet, At: q.At.Sub(b.origin), Rotation: q.Rotation,
		Padstack: board.Padstack{
			Width: q.Width, Height: q.Height, Shape: q.Shape, Outline: q.Outline,
		},
	}
}
