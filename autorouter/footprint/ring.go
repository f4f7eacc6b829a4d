package footprint

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// thermalRing is the annular ring of the holes in other pads that are drawn without one [nm].
// It is the largest of the minimums in package fab.
const thermalRing = 0.15e6

// ringlessPad is a plated pad that its hole fills, with its index in the pads of the footprint.
type ringlessPad struct {
	drawnPad
	index int
}

// maxViaDrill is the largest drill of a hole that counts as a via [nm].
const maxViaDrill = 0.5e6

// addRingless adds the plated pads without an annular ring to the pads around them. A hole in the
// copper of pads with the same number gets a ring, which may extend beyond them. A via in a large
// surface-mount pad is left out if its ring would extend beyond the pad, so that the drawn
// clearances remain. Package electrical adds vias to the thermal pads of semiconductors only. A
// hole elsewhere becomes one without plating: KiCad's footprints MountingHole before version 4 are
// such pads.
func (r *fileReader) addRingless() error {
	list, drawn := r.ringless, r.f.Pads
	r.ringless = nil
	for _, p := range slices.Backward(list) {
		after := slices.Clone(r.f.Pads[p.index:])
		r.f.Pads = r.f.Pads[:p.index:p.index]
		var err error
		switch {
		case p.within(drawn, 0) && (p.within(drawn, thermalRing) || !p.isThermalVia(drawn)):
			r.note("the hole of pad %s leaves no copper around it and gets a ring of %g mm",
				p.name(), thermalRing/1e6)
			p.addRing(thermalRing)
			err = r.copperPad(&p.drawnPad)
		case p.within(drawn, 0):
			r.note("the hole of pad %s leaves no copper around it, and a ring of %g mm would leave "+
				"the pad; the hole is left out", p.name(), thermalRing/1e6)
		default:
			r.note("the hole of pad %s leaves no copper around it and is without plating", p.name())
			err = r.hole(&p.drawnPad, false)
		}
		if err != nil {
			return err
		}
		r.f.Pads = append(r.f.Pads, after...)
	}
	return r.checkPieces(r.root)
}

// within reports whether the hole of the pad and a ring around it [nm] lie entirely in the copper
// of pads with its number. A pad without a number belongs to any pad around it.
func (p *drawnPad) within(pads []board.FootprintPad, ring float64) bool {
	var around [][]vec
	for _, q := range pads {
		if p.belongsTo(q) {
			around = append(around, outline(q))
		}
	}
	return !slices.ContainsFunc(outline(p.ringed(ring)), func(v vec) bool {
		return !slices.ContainsFunc(around, func(g []vec) bool { return depth(v, g) > -rounding })
	})
}

// isThermalVia reports whether the hole of the pad is small and lies in a pad that is large enough
// for thermal vias of package electrical. A hole that connects copper on both sides is none.
func (p *drawnPad) isThermalVia(pads []board.FootprintPad) bool {
	if max(p.drillW, p.drillH) > maxViaDrill {
		return false
	}
	var layers board.LayerSet
	large := false
	for _, q := range pads {
		if p.belongsTo(q) && Overlap(p.ringed(0), q) {
			layers |= q.CopperLayers(board.TwoLayers(), board.TopSide)
			large = large || float64(q.Width)*float64(q.Height) >= board.MinThermalPadArea
		}
	}
	return large && layers.Count() == 1
}

// ringed returns the hole of the pad and a ring around it [nm] as a pad.
func (p *drawnPad) ringed(ring float64) board.FootprintPad {
	return board.FootprintPad{At: nanometres(p.at), Rotation: p.rotation,
		Padstack: board.Padstack{Shape: board.Oval, Width: int64(math.Round(p.drillW + 2*ring)),
			Height: int64(math.Round(p.drillH + 2*ring))}}
}

// belongsTo reports whether another pad has copper and the number of the pad, which may have none.
func (p *drawnPad) belongsTo(q board.FootprintPad) bool {
	return !q.NonPlated && q.Number != "" && (q.Number == p.number || p.number == "")
}

// addRing enlarges the pad to a ring around its hole [nm]. Its openings of the mask keep their size
// if they have a local margin. A margin of 0 would be the margin of the board, so 1 nm replaces it.
func (p *drawnPad) addRing(ring float64) {
	if p.mask != 0 {
		p.mask -= int64(math.Round(ring + (p.drillW-p.w)/2))
		if p.mask == 0 {
			p.mask = 1
		}
	}
	p.w, p.h = p.drillW+2*ring, p.drillH+2*ring
	p.shape, p.offset, p.through = "oval", vec{}, true
}
