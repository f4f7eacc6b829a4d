package electrical

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

// ConnectPads sets how pads connect to the pour of their net; the board need not be routed. Thermal
// pads connect solidly, and so do pads to which KiCad or the fill draws no spokes. If the net
// requires a track width for its current, two spokes together have at least this width. A
// surface-mount pad connects solidly if it needs wider spokes than the rules specify and the track
// width exceeds two thirds of its shorter side. Capacitor pads and pads narrower than the track
// width keep the default spokes.
func ConnectPads(b *board.Board) {
	if !b.Rules.ThermalRelief {
		return
	}
	poured, narrowest := map[int]bool{}, pour.NarrowestSpoke(b)
	for _, p := range b.Rules.Pours() {
		poured[p.Net] = true
	}
	for i := range b.Parts {
		part := &b.Parts[i]
		for k := range part.Pads {
			p := &part.Pads[k]
			if !poured[p.Net] {
				continue
			}
			width, side := b.Nets[p.Net].Width, min(p.Width, p.Height)
			switch {
			case isThermalPad(part, k),
				b.Rules.KiCadSpokes && (side < narrowest || !hasKiCadSpokes(&b.Rules, p)):
				p.Solid = true
			case width == 0 || side < width || part.IsCapacitor():
			case width/2 <= b.Rules.ThermalSpoke:
			case p.Drill == 0 && p.SlotW == 0 && width > side*2/3:
				p.Solid = true
			default:
				p.Spoke = min((width+1)/2, side)
			}
		}
	}
}

// hasKiCadSpokes reports whether KiCad draws spokes to a pad with thermal relief. A spoke is at
// most as wide as the pad, and wider than the minimum width of the zone. The width of a drawn pad
// is that of its anchor in the file (pcbnew/zone_filler.cpp, buildThermalSpokes).
func hasKiCadSpokes(r *board.Rules, p *board.Pad) bool {
	return p.Shape != board.Convex && p.Group == 0 && min(p.Width, p.Height) > r.ZoneWidth()
}

// thermalShare is the minimum area of a thermal pad relative to the mean area of the part's other
// pads. KiCad's LED_Cree-XP has 2.6 and the tab of its SOT-223 2.53.
const thermalShare = 2.5

// isThermalPad reports whether a pad conducts the heat of its part into the board. It is a
// surface-mount pad of an IC, transistor or diode with at least three pads, and far larger than the
// other pads.
func isThermalPad(part *board.Part, k int) bool {
	p := &part.Pads[k]
	if p.Net == board.NoNet || p.Plated || p.Layers.Count() != 1 || len(part.Pads) < 3 ||
		!part.IsSemiconductor() {
		return false
	}
	own, sum := area(p), 0.0
	for i := range part.Pads {
		sum += area(&part.Pads[i])
	}
	return own >= board.MinThermalPadArea && own >= thermalShare*(sum-own)/float64(len(part.Pads)-1)
}

func area(p *board.Pad) float64 { return float64(p.Width) * float64(p.Height) }
