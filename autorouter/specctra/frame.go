package specctra

import (
	"math"

	"slipstick/autorouter/geom"
)

// frame transforms pad or component coordinates to design coordinates [nm]. It combines a
// translation, a rotation and, on the back, a reflection.
type frame struct {
	at   geom.Vec
	x, y geom.Vec // images of the unit vectors under the transformation
	back bool
}

// identity returns the frame that maps each position to itself.
func identity() frame { return turned(0) }

// turned returns a frame rotated counter-clockwise by an angle [degrees].
func turned(degrees float64) frame {
	d := direction(degrees)
	return frame{x: d, y: geom.Vec{X: -d.Y, Y: d.X}}
}

// frame returns the frame of a placed component. A component on the back is mirrored at its y axis
// before its rotation, unless the design has flip_style rotate_first.
func (d *Design) frame(c *component) frame {
	p := turned(c.rotation)
	p.at, p.back = c.at, c.back
	switch {
	case c.back && d.rotateFirst:
		p.x.X, p.y.X = -p.x.X, -p.y.X
	case c.back:
		p.x = p.x.Scale(-1)
	}
	return p
}

// apply transforms a position to design coordinates.
func (p frame) apply(v geom.Vec) geom.Vec { return p.at.Add(p.vector(v)) }

// vector transforms a direction to design coordinates.
func (p frame) vector(v geom.Vec) geom.Vec { return p.x.Scale(v.X).Add(p.y.Scale(v.Y)) }

// pin returns the frame of pin n of a component with frame p.
func (p frame) pin(n pin) frame {
	t := turned(n.rotation)
	return frame{at: p.apply(n.at), x: p.vector(t.x), y: p.vector(t.y), back: p.back}
}

// direction returns the unit vector at an angle [degrees]. The result is exact for multiples of 90
// degrees.
func direction(degrees float64) geom.Vec {
	switch math.Mod(degrees+360, 360) {
	case 0:
		return geom.Vec{X: 1}
	case 90:
		return geom.Vec{Y: 1}
	case 180:
		return geom.Vec{X: -1}
	case 270:
		return geom.Vec{Y: -1}
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return geom.Vec{X: cos, Y: sin}
}
