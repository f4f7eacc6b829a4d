package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// reservedFill is the width of the fill around a reserved via [nm], so that the samples of the pour
// at its edge are filled.
const reservedFill = 70 * board.Micrometre

// addFixedItems adds the pads, board edges, holes, reserved vias and keepouts, which routing cannot
// move, to the index.
func (rt *router) addFixedItems() {
	b := rt.board
	r := &b.Rules
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			if rt.cancelled() {
				return
			}
			rt.addPad(pi, i)
		}
	}
	for i, p := range b.Outline {
		q := b.Outline[(i+1)%len(b.Outline)]
		rt.index.add(copperItem{shape: geom.Segment(p, q, 0), kind: boardEdge,
			clearance: float64(r.EdgeClearance), net: board.NoNet, layers: rt.layers, terminal: -1})
	}
	for _, h := range b.Holes {
		rt.index.add(copperItem{
			shape: geom.Disc(h.At, h.Diameter), kind: unplatedHole,
			clearance: float64(max(r.HoleClearance, h.Keepout)),
			net:       board.NoNet, layers: rt.layers, terminal: -1,
		})
	}
	for _, v := range rt.opt.Reserved {
		rt.addReserved(v)
	}
	for _, k := range b.Keepouts {
		it := copperItem{shape: geom.RectShape(k.Area), net: board.NoNet,
			layers: rt.numbers.of(board.LayersOf(k.Layers...)), terminal: -1}
		if k.Tracks || k.Copper {
			it.kind = trackKeepout
			rt.index.add(it)
		}
		if k.Vias || k.Copper {
			it.kind = viaKeepout
			rt.index.add(it)
		}
	}
}

// addReserved adds a reserved via. On the poured layers of its net, other nets keep clear of the
// fill around it too. The layers of the pad that contains it are an exception.
func (rt *router) addReserved(v board.Via) {
	r := &rt.board.Rules
	via := copperItem{shape: geom.Disc(v.At, v.Diameter), hole: geom.Disc(v.At, v.Drill),
		hasHole: true, via: true, net: int32(v.Net), layers: rt.layers, terminal: -1,
		clearance: rt.nets[v.Net].clearance}
	rt.index.add(via)
	var padLayers board.LayerSet
	at := geom.VecOf(v.At)
	for i := range rt.board.Parts {
		for k := range rt.board.Parts[i].Pads {
			p := &rt.board.Parts[i].Pads[k]
			if copper := p.Copper(0); p.Net == v.Net && copper.To(at.X, at.Y) <= 0 {
				padLayers |= p.Layers
			}
		}
	}
	for _, p := range r.Pours() {
		if layers := p.Layers &^ padLayers; p.Net == v.Net && layers != 0 {
			fill := via
			fill.layers = rt.numbers.of(layers)
			fill.clearance = max(via.clearance, float64(r.PourClearance+reservedFill))
			rt.index.add(fill)
		}
	}
}

func (rt *router) addPad(part, i int) {
	p := &rt.board.Parts[part].Pads[i]
	hole, hasHole := p.HoleShape()
	if !p.Plated && hasHole {
		rt.index.add(copperItem{shape: hole, kind: unplatedHole, clearance: max(rt.holeClearance,
			float64(p.Clearance)), net: board.NoNet, layers: rt.layers, terminal: -1})
		return
	}
	it := copperItem{shape: p.Copper(0), hole: hole, hasHole: hasHole, net: int32(p.Net),
		layers: rt.numbers.of(p.Layers), terminal: -1}
	it.clearance = float64(rt.board.Rules.Classes[0].Clearance)
	if p.Net != board.NoNet {
		it.clearance = rt.nets[p.Net].clearance
	}
	it.clearance = max(it.clearance, float64(p.Clearance))
	it.limit = float64(p.ClearanceLimit)
	if it.layers == 0 {
		return
	}
	it.thermalPad = p.Net != board.NoNet && isExposedPad(rt.board.Parts[part].Pads, i,
		2*rt.nets[p.Net].viaDiameter)
	if p.Net != board.NoNet {
		n := &rt.nets[p.Net]
		it.terminal = int32(len(n.terms))
		n.terms = append(n.terms, terminal{part: part, pad: i, at: p.At, shape: it.shape,
			layers: it.layers})
	}
	rt.index.add(it)
}

// isExposedPad reports whether pad i is the exposed pad below a package, in which vias are allowed.
// An exposed pad has other pads on all four sides, and its width and height are not below least
// [nm]. In any other surface-mount pad, solder would drain into the hole of the via.
func isExposedPad(pads []board.Pad, i int, least int64) bool {
	p := &pads[i]
	if min(p.Width, p.Height) < least {
		return false
	}
	var left, right, below, above bool
	for k := range pads {
		d := pads[k].At.Sub(p.At)
		left, right, below, above = left || d.X < 0, right || d.X > 0, below || d.Y < 0,
			above || d.Y > 0
	}
	return left && right && below && above
}
