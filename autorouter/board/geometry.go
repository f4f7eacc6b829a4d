package board

import (
	"math"

	"slipstick/autorouter/geom"
)

// The geometry of the model. Coordinates are nanometres in the frame of the board.
type (
	// Point is a position on the board, or a vector.
	Point = geom.Point
	// Rect is an axis-parallel rectangle.
	Rect = geom.Rect
	// Polygon is a closed outline, counter-clockwise.
	Polygon = geom.Polygon
)

// Units of length in nanometres.
const (
	Micrometre int64 = 1e3
	Millimetre int64 = 1e6
)

// MM returns a length in millimetres as nanometres, rounded to the nearest.
func MM(mm float64) int64 { return int64(math.Round(mm * 1e6)) }

// ToMM returns a length in nanometres as millimetres.
func ToMM(nm int64) float64 { return float64(nm) / 1e6 }

// Distance returns the distance between two points [nm].
func Distance(p, q Point) float64 { return p.Distance(q) }

// Copper returns the copper of a pad, grown by d [nm] on every side as its solder mask opening is.
// A rectangle keeps its sharp corners.
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
		r = float64(p.Corner(p.Width, p.Height) + d)
	}
	return geom.RoundedRect(at, hw-r, hh-r, p.Rotation, r)
}

// HoleShape returns the hole of a pad: a slot when it has one, else a round drill. The second
// result is false for a pad without a hole.
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
