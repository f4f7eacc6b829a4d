package export

import (
	"math"
	"strings"

	"slipstick/autorouter/board"
)

// land is the shape of a pad's copper or of an opening, possibly rotated.
type land struct {
	at     board.Point
	w, h   int64
	radius int64 // corner radius, or expansion of a convex polygon [nm]
	turn   float64
	convex bool           // whether the shape is a convex polygon expanded by radius
	corner [4]board.Point // rotated corners of a convex land, relative to at
}

// landOf returns the copper of a pad, expanded by d [nm] on every side.
func landOf(p *board.Pad, d int64) land {
	l := land{at: p.CopperAt(), w: p.Width + 2*d, h: p.Height + 2*d, turn: p.Rotation}
	switch p.Shape {
	case board.Convex:
		l.convex, l.radius = true, p.Radius+d
		for i, c := range p.ConvexCorners() {
			l.corner[i] = c.Sub(l.at)
		}
	case board.Circle:
		l.w = min(p.Width, p.Height) + 2*d
		l.h, l.radius = l.w, l.w/2
	case board.Oval:
		l.radius = min(l.w, l.h) / 2
	case board.RoundRect:
		l.radius = max(0, p.Corner(p.Width, p.Height)+d)
	}
	return l
}

// PadContour returns the outline of a pad's copper in board coordinates. Round corners become
// chords with an error of at most 0.5 % of the radius.
func PadContour(p *board.Pad) board.Polygon { return landOf(p, 0).contour() }

func (l land) area() float64 {
	if l.convex {
		r, round := float64(l.radius), 0.0
		for i, c := range l.corner {
			round += board.Distance(c, l.corner[(i+1)%4]) * r
		}
		return board.Polygon(l.corner[:]).Area() + round + math.Pi*r*r
	}
	return float64(l.w)*float64(l.h) - (4-math.Pi)*float64(l.radius)*float64(l.radius)
}

// aperture returns the Gerber aperture definition of a land.
func (l land) aperture() string {
	if l.convex {
		return l.convexAperture()
	}
	quarter := math.Mod(l.turn, 90) == 0
	w, h := l.w, l.h
	if quarter && math.Mod(l.turn, 180) != 0 {
		w, h = h, w
	}
	switch {
	case l.radius > 0 && l.w == l.h && l.radius >= l.w/2:
		return "C," + mm(l.w)
	case l.radius == 0 && quarter:
		return "R," + mm(w) + "X" + mm(h)
	case l.radius == 0:
		return "TURNEDRECT," + mm(w) + "X" + mm(h) + "X" + degrees(l.turn)
	case l.radius >= min(w, h)/2 && quarter:
		return "O," + mm(w) + "X" + mm(h)
	case l.radius >= min(w, h)/2:
		turn := l.turn
		if h > w {
			w, h, turn = h, w, turn+90
		}
		e := board.Point{X: (w - h) / 2}.Rotated(turn)
		return "TURNEDOVAL," + join(mm(w-h), mm(h), degrees(turn), mm(e.X), mm(e.Y),
			mm(-e.X), mm(-e.Y))
	}
	turn := l.turn
	if quarter {
		turn = 0
	}
	parts := []string{mm(w), mm(h), mm(w - 2*l.radius), mm(h - 2*l.radius), degrees(turn),
		mm(2 * l.radius)}
	x, y := w/2-l.radius, h/2-l.radius
	for _, c := range []board.Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}} {
		c = c.Rotated(turn)
		parts = append(parts, mm(c.X), mm(c.Y))
	}
	return "ROUNDRECT," + join(parts...)
}

// convexAperture returns the aperture definition of a convex land. Thick lines along its sides and
// circles at its corners add the radius.
func (l land) convexAperture() string {
	parts := make([]string, 0, 9)
	for _, c := range l.corner {
		parts = append(parts, mm(c.X), mm(c.Y))
	}
	if l.radius == 0 {
		return "CONVEX," + join(parts...)
	}
	return "ROUNDCONVEX," + join(append(parts, mm(2*l.radius))...)
}

func join(parts ...string) string { return strings.Join(parts, "X") }

// contour returns the outline of the land, with round corners as chords.
func (l land) contour() board.Polygon {
	const chords = 8 // chords per quarter circle, for an error of 0.5 % of the radius
	var g board.Polygon
	if l.convex {
		return l.convexContour(chords)
	}
	x, y := l.w/2-l.radius, l.h/2-l.radius
	for q, c := range []board.Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}} {
		for i := 0; i <= chords; i++ {
			d := board.Point{X: l.radius}.Rotated(float64(90*q) + 90*float64(i)/chords)
			g = append(g, l.at.Add(c.Add(d).Rotated(l.turn)))
			if l.radius == 0 {
				break
			}
		}
	}
	return g
}

// convexContour returns the outline of a convex land. Each corner is an arc from the normal of the
// preceding side to that of the following side.
func (l land) convexContour(chords int) board.Polygon {
	var g board.Polygon
	// normal returns the direction of the outward normal of side ab [rad]; sides run
	// counter-clockwise.
	normal := func(a, b board.Point) float64 {
		return math.Atan2(float64(b.Y-a.Y), float64(b.X-a.X)) - math.Pi/2
	}
	for i, c := range l.corner {
		before, after := l.corner[(i+3)%4], l.corner[(i+1)%4]
		from, to := normal(before, c), normal(c, after)
		if l.radius == 0 {
			g = append(g, l.at.Add(c))
			continue
		}
		sweep := math.Mod(to-from+4*math.Pi, 2*math.Pi)
		// After rounding, three collinear corners may turn slightly to the right.
		if sweep > math.Pi {
			sweep = 0
		}
		steps := 1 + int(sweep/(math.Pi/2)*float64(chords))
		for k := range steps + 1 {
			sin, cos := math.Sincos(from + sweep*float64(k)/float64(steps))
			r := float64(l.radius)
			g = append(g, l.at.Add(c).Add(board.Point{X: int64(math.Round(float64(r * cos))),
				Y: int64(math.Round(float64(r * sin)))}))
		}
	}
	return g
}
