package footprint

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// thermalRing is the annular ring of the holes in an exposed pad that are drawn without one [nm].
// It is the largest of the minimums in package fab.
const thermalRing = 0.15e6

// ringlessPad is a plated pad that its hole fills, with its index in the pads of the footprint.
type ringlessPad struct {
	drawnPad
	index int
}

// addRingless adds the plated pads without an annular ring to the pads around them. A hole in a pad
// with the same number is a thermal via. It gets a ring if that lies in the pad, so that the
// clearances of the drawing remain; else it is left out, because package electrical adds thermal
// vias. A hole elsewhere becomes one without plating: KiCad's footprints MountingHole before
// version 4 are such pads.
func (r *fileReader) addRingless() error {
	list, drawn := r.ringless, r.f.Pads
	r.ringless = nil
	for _, p := range slices.Backward(list) {
		after := slices.Clone(r.f.Pads[p.index:])
		r.f.Pads = r.f.Pads[:p.index:p.index]
		var err error
		switch {
		case p.within(drawn, thermalRing):
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
	hole := board.FootprintPad{At: nanometres(p.at), Rotation: p.rotation,
		Padstack: board.Padstack{Shape: board.Oval, Width: int64(math.Round(p.drillW + 2*ring)),
			Height: int64(math.Round(p.drillH + 2*ring))}}
	var around [][]vec
	for _, q := range pads {
		if !q.NonPlated && q.Number != "" && (q.Number == p.number || p.number == "") {
			around = append(around, outline(q))
		}
	}
	return !slices.ContainsFunc(outline(hole), func(v vec) bool {
		return !slices.ContainsFunc(around, func(g []vec) bool { return depth(v, g) > -rounding })
	})
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
