package pour

import (
	"context"
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// reliefDistance is the distance from the nearest thermal gap [µm], rounded down. It is at most
// farFromRelief, and 0 in a gap.
type reliefDistance uint8

const (
	// innerSpoke is the half of a spoke next to its pad. Two spokes are connected if one ends in
	// the inner half of the other. KiCad also connects spokes of pads up to twice as far apart,
	// depending on the clearance that the pour adds to the gap.
	innerSpoke    reliefDistance = 255
	farFromRelief reliefDistance = 254
)

// thermalRelief leaves a gap around a pad of the net. Four spokes along the pad's axes bridge the
// gap and extend to the pad's centre.
func (f *clearanceField) thermalRelief(p *board.Pad) {
	gap, half := float64(f.b.Rules.ThermalGap), f.halfSpoke(p)
	s, centre := p.Copper(0), geom.VecOf(p.CopperAt())
	sin, cos := math.Sincos(f.spokeAngle(p) * math.Pi / 180)
	i0, j0, i1, j1 := f.sampleRange(&s, gap+truncation)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			x, y := f.x(i), f.y(j)
			dx, dy := x-centre.X, y-centre.Y
			u, v := math.Abs(dx*cos+dy*sin), math.Abs(dy*cos-dx*sin)
			off, spoke := s.To(x, y)-gap, half-min(u, v)
			if f.spokes != nil && off < 0 && spoke >= 0 {
				f.spokes[j*f.w+i] = true
			}
			if f.reliefs != nil {
				k := j*f.w + i
				switch {
				case spoke >= 0 && off < -gap/2:
					f.reliefs[k] = innerSpoke
				case f.reliefs[k] != innerSpoke && off < float64(farFromRelief)*1e3:
					f.reliefs[k] = min(f.reliefs[k], reliefDistance(max(0, off/1e3)))
				}
			}
			open := max(off, spoke)
			f.clearance[j*f.w+i] = min(f.clearance[j*f.w+i], float32(open))
		}
	}
}

// halfSpoke returns half the width of a pad's spokes [nm]. KiCad's spokes are at most as wide as
// their pad (pcbnew/zone_filler.cpp, buildThermalSpokes).
func (f *clearanceField) halfSpoke(p *board.Pad) float64 {
	width := max(p.Spoke, f.b.Rules.ThermalSpoke)
	if f.b.Rules.KiCadSpokes {
		width = min(width, p.Width, p.Height)
	}
	return float64(width) / 2
}

// spokeAngle returns the direction of a pad's spokes [degrees].
func (f *clearanceField) spokeAngle(p *board.Pad) float64 {
	if f.b.Rules.KiCadSpokes && p.Shape == board.Circle {
		return p.Rotation + 45
	}
	return p.Rotation
}

// dropSpokes removes each spoke whose end does not lie in the pour as filled without the spoke.
// KiCad creates no spoke there, even if the side of the spoke would touch copper
// (pcbnew/zone_filler.cpp, fillCopperZone).
func (f *clearanceField) dropSpokes(ctx context.Context) error {
	r := &f.b.Rules
	if !r.KiCadSpokes || !r.ThermalRelief {
		return nil
	}
	gap := float64(r.ThermalGap)
	for pi := range f.b.Parts {
		for i := range f.b.Parts[pi].Pads {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p := &f.b.Parts[pi].Pads[i]
			if p.Net != f.net || p.Solid || !f.onLayer(p) {
				continue
			}
			s, half := p.Copper(0), f.halfSpoke(p)+float64(f.pitch)
			at := geom.VecOf(p.CopperAt())
			for quarter := range 4 {
				sin, cos := math.Sincos((f.spokeAngle(p) + 90*float64(quarter)) * math.Pi / 180)
				reach := 0.0 // distance from the centre to the end of the spoke [nm]
				for step := float64(f.pitch); step > 1e3; step /= 4 {
					for s.To(at.X+cos*(reach+step), at.Y+sin*(reach+step)) < gap+spokeExtension {
						reach += step
					}
				}
				if f.endsInCopper(at.X+cos*reach, at.Y+sin*reach) {
					continue
				}
				i0, j0, i1, j1 := f.sampleRange(&s, gap)
				for j := j0; j <= j1; j++ {
					for i := i0; i <= i1; i++ {
						dx, dy := f.x(i)-at.X, f.y(j)-at.Y
						to := s.To(f.x(i), f.y(j))
						along, across := dx*cos+dy*sin, math.Abs(dy*cos-dx*sin)
						if to > 0 && to < gap && along > 0 && across < half {
							k := j*f.w + i
							f.clearance[k] = min(f.clearance[k], -float32(f.pitch))
							f.filled[k] = false
						}
					}
				}
			}
		}
	}
	return nil
}

// spokeExtension is the distance from a thermal gap to the end of a KiCad spoke [nm].
const spokeExtension = 40e3

// discMargin reduces the reach, and increases the clearance, of the disc that must contain the end
// of a spoke [nm]. KiCad chamfers the corners of the areas that it shrinks.
const discMargin = 5e3

// endsInCopper reports whether the pour, filled without spokes, or the spoke of another pad covers
// (x, y), the end of a spoke. The pour covers it if a disc of the minimum copper width contains
// the end and lies outside the gaps around the pads.
func (f *clearanceField) endsInCopper(x, y float64) bool {
	i := int(math.Round((x - float64(f.min.X)) / float64(f.pitch)))
	j := int(math.Round((y - float64(f.min.Y)) / float64(f.pitch)))
	if i >= 0 && j >= 0 && i < f.w && j < f.h && f.reliefs[j*f.w+i] == innerSpoke {
		return true
	}
	const rings, directions = 6, 16
	for ring := range rings + 1 {
		r := (minWidth/2 - discMargin) * float64(ring) / rings
		for d := range directions {
			sin, cos := math.Sincos(2 * math.Pi * float64(d) / directions)
			if f.hasDisc(x+r*cos, y+r*sin) {
				return true
			}
		}
	}
	return false
}

// hasDisc reports whether the pour, filled without spokes, contains a disc of the minimum copper
// width at (x, y). It interpolates between the samples.
func (f *clearanceField) hasDisc(x, y float64) bool {
	u, v := (x-float64(f.min.X))/float64(f.pitch), (y-float64(f.min.Y))/float64(f.pitch)
	if u < 0 || v < 0 || u >= float64(f.w-1) || v >= float64(f.h-1) {
		return false
	}
	i, j := int(u), int(v)
	u, v = u-float64(i), v-float64(j)
	clearance, relief := 0.0, 0.0
	for n, weight := range [4]float64{(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v} {
		k := (j+n/2)*f.w + i + n%2
		if f.reliefs[k] == innerSpoke {
			return false
		}
		clearance += weight * float64(f.clearance[k])
		relief += weight * float64(f.reliefs[k]) * 1e3
	}
	return min(clearance, relief) >= minWidth/2+discMargin
}

// spokeClearance returns the field value [nm] that at least one sample across a spoke reaches, at
// any position of the spoke on the lattice.
func (f *clearanceField) spokeClearance() float64 {
	return (float64(f.b.Rules.ThermalSpoke) - math.Sqrt2*float64(f.pitch)) / 2
}

// NarrowestSpoke returns the least width of thermal spokes that the fill of a board keeps at any
// position on the lattice [nm]. Spokes as wide as Rules.ThermalSpoke are always kept.
func NarrowestSpoke(b *board.Board) int64 {
	kept := minWidth + math.Sqrt2*float64(latticePitch(b))
	return min(b.Rules.ThermalSpoke, int64(math.Ceil(kept)))
}
