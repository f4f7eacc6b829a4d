package footprint

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// padCopper is the copper of a pad, precomputed for the comparison with all other pads.
type padCopper struct {
	layers board.LayerSet
	box    board.Rect
	shape  geom.Shape
}

func padCoppers(pads []board.FootprintPad) []padCopper {
	out := make([]padCopper, len(pads))
	for i, p := range pads {
		placed := board.Pad{At: p.At, Rotation: p.Rotation, Padstack: p.Padstack}
		out[i] = padCopper{p.CopperLayers(board.TwoLayers(), board.TopSide), bounds(p),
			placed.Copper(0)}
	}
	return out
}

// touches reports whether the copper of two pads overlaps or touches on a layer. The distance is
// that of the design rule check, without chords for arcs, so both agree on which pads are one net.
func (c *padCopper) touches(o *padCopper) bool {
	return c.layers&o.layers != 0 && c.box.Grown(rounding+1).Overlaps(o.box) &&
		geom.Distance(&c.shape, &o.shape) <= rounding
}

// joinUnnumbered gives each unnumbered pad the number of a pad whose copper it overlaps, directly
// or through other unnumbered pads.
func joinUnnumbered(pads []board.FootprintPad) {
	var numbered, free []int
	for i, p := range pads {
		switch {
		case p.Number != "":
			numbered = append(numbered, i)
		case !p.NonPlated:
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return
	}
	coppers := padCoppers(pads)
	for len(numbered) > 0 && len(free) > 0 {
		i := numbered[0]
		numbered = numbered[1:]
		var rest []int
		for _, k := range free {
			if !coppers[i].touches(&coppers[k]) {
				rest = append(rest, k)
				continue
			}
			pads[k].Number = pads[i].Number
			numbered = append(numbered, k)
		}
		free = rest
	}
}

// maxTouching is the maximum number of overlapping pairs of pad numbers.
const maxTouching = 500

// touching returns each pair of pad numbers whose copper overlaps or touches. The bool is false if
// there are more than maxTouching pairs.
func touching(pads []board.FootprintPad) ([][2]string, bool) {
	var out [][2]string
	known := map[[2]string]bool{}
	coppers := padCoppers(pads)
	for i, a := range pads {
		for j := i + 1; j < len(pads); j++ {
			b := &pads[j]
			if a.Number == "" || b.Number == "" || a.Number == b.Number ||
				!coppers[i].box.Grown(rounding+1).Overlaps(coppers[j].box) {
				continue
			}
			pair := [2]string{min(a.Number, b.Number), max(a.Number, b.Number)}
			if known[pair] || !coppers[i].touches(&coppers[j]) {
				continue
			}
			if len(out) == maxTouching {
				return nil, false
			}
			known[pair] = true
			out = append(out, pair)
		}
	}
	return out, true
}
