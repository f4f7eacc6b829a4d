package board

import (
	"math"

	"slipstick/autorouter/geom"
)

// Geometry types of the model. Coordinates are in nanometres, relative to the board origin.
type (
	// Point is a position on the board, or a vector.
	Point = geom.Point
	// Rect is an axis-parallel rectangle.
	Rect = geom.Rect
	// Polygon is a closed outline in counter-clockwise order.
	Polygon = geom.Polygon
)

// Units of length in nanometres.
const (
	Micrometre int64 = 1e3
	Millimetre int64 = 1e6
)

// MM converts millimetres to nanometres, rounded to the nearest integer.
func MM(mm float64) int64 { return int64(math.Round(mm * 1e6)) }

// ToMM converts nanometres to millimetres.
func ToMM(nm int64) float64 { return float64(nm) / 1e6 }

// Distance returns the distance between two points [nm].
func Distance(p, q Point) float64 { return p.Distance(q) }

// Copper returns the shape of a pad's copper, expanded by d [nm] on every side like its solder mask
// opening. A rectangle keeps its sharp corners.
func (p *Pad) Copper(d int64) geom.Shape {
	at := geom.VecOf(p.CopperAt())
	hw, hh := float64(p.Width)/2+float64(d), float64(p.Height)/2+float64(d)
	r := 0.0
	switch p.Shape {
	case Convex:
		s := geom.Shape{N: 4, R: float64(p.Radius + d)}
		for i, c := range p.ConvexCorners() {
			s.P[i] = geom.VecOf(c)
		}
		return s
	case Circle:
		hw = min(hw, hh)
		hh, r = hw, hw
	case Oval:
		r = min(hw, hh)
	case RoundRect:
		r = float64(max(0, p.Corner(p.Width, p.Height)+d))
	}
	return geom.RoundedRect(at, hw-r, hh-r, p.Rotation, r)
}

// HoleShape returns the slot or round hole of a pad, and false for a pad without a hole.
func (p *Pad) HoleShape() (geom.Shape, bool) {
	switch {
	case p.SlotW > 0 && p.SlotH > 0:
		w, h := float64(p.SlotW)/2, float64(p.SlotH)/2
		r := min(w, h)
		return geom.RoundedRect(geom.VecOf(p.At), w-r, h-r, p.Rotation, r), true
	case p.Drill > 0:
		return geom.Disc(p.At, p.Drill), true
	}
	return geom.Shape{}, false
}
