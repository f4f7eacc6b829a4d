package footprint

import (
	"math"

	"slipstick/autorouter/board"
)

// arcSteps is the number of chords per quarter circle. Chords lie inside the arc, within 0.5 % of
// the radius, so that touching pads do not count as overlapping.
const arcSteps = 8

type vec struct{ x, y float64 }

// outline returns a pad's copper as a counter-clockwise convex polygon in footprint coordinates
// [nm].
func outline(p board.FootprintPad) []vec {
	if p.Shape == board.Convex {
		return convexOutline(p)
	}
	w, h := float64(p.Width)/2, float64(p.Height)/2
	r := 0.0
	switch p.Shape {
	case board.RoundRect:
		r = float64(p.Corner(p.Width, p.Height))
	case board.Circle, board.Oval:
		r = math.Min(w, h)
	}
	sin, cos := math.Sincos(p.Rotation * math.Pi / 180)
	var out []vec
	add := func(x, y float64) {
		x, y = x+float64(p.Offset.X), y+float64(p.Offset.Y)
		out = append(out, vec{float64(p.At.X) + x*cos - y*sin, float64(p.At.Y) + x*sin + y*cos})
	}
	for corner, s := range [4]vec{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		cx, cy := s.x*(w-r), s.y*(h-r)
		if r == 0 {
			add(cx, cy)
			continue
		}
		for i := 0; i <= arcSteps; i++ {
			sa, ca := math.Sincos((float64(corner) + float64(i)/arcSteps) * math.Pi / 2)
			add(cx+r*ca, cy+r*sa)
		}
	}
	return out
}

// convexOutline returns the outline of a Convex pad [nm]. Chords approximate the round corners.
func convexOutline(p board.FootprintPad) []vec {
	var g []vec
	for _, c := range p.Corners {
		g = append(g, vec{float64(c.X), float64(c.Y)})
	}
	var out []vec
	sin, cos := math.Sincos(p.Rotation * math.Pi / 180)
	add := func(x, y float64) {
		x, y = x+float64(p.Offset.X), y+float64(p.Offset.Y)
		out = append(out, vec{float64(p.At.X) + x*cos - y*sin, float64(p.At.Y) + x*sin + y*cos})
	}
	r := float64(p.Radius)
	for i, c := range g {
		before, after := g[(i+3)%4], g[(i+1)%4]
		from := math.Atan2(c.y-before.y, c.x-before.x) - math.Pi/2
		to := math.Atan2(after.y-c.y, after.x-c.x) - math.Pi/2
		sweep := math.Mod(to-from+4*math.Pi, 2*math.Pi)
		// After rounding, three collinear corners may turn to the right.
		if r == 0 || sweep > math.Pi {
			add(c.x, c.y)
			continue
		}
		for k := range arcSteps + 1 {
			s, co := math.Sincos(from + sweep*float64(k)/arcSteps)
			add(c.x+r*co, c.y+r*s)
		}
	}
	return out
}

// Overlap reports whether the copper or holes of two pads overlap. Two disjoint convex polygons
// have a separating line along a side of one of them.
func Overlap(a, b board.FootprintPad) bool {
	p, q := outline(a), outline(b)
	return !isBeyondEdge(p, q) && !isBeyondEdge(q, p)
}

// rounding is the error of the coordinates of outlines [nm].
const rounding = 1

// isBeyondEdge reports whether q lies entirely outside one edge of p. Touching polygons count as
// separated.
func isBeyondEdge(p, q []vec) bool {
	for i, a := range p {
		b := p[(i+1)%len(p)]
		dx, dy := b.x-a.x, b.y-a.y
		length := math.Hypot(dx, dy)
		if length < 1e-6 {
			continue
		}
		outside := true
		for _, v := range q {
			// The cross product is positive on the left, which is inside.
			if ((v.y-a.y)*dx-(v.x-a.x)*dy)/length > rounding {
				outside = false
				break
			}
		}
		if outside {
			return true
		}
	}
	return false
}
