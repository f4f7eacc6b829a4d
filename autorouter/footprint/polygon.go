package footprint

import (
	"errors"
	"fmt"
	"math"

	"slipstick/autorouter/board"
)

// chordError is the largest distance between a chord and its arc [nm].
const chordError = 5e3

// arcChords returns the number of chords for an arc with the given radius [nm] and angle [rad].
func arcChords(radius, angle float64) int {
	if radius <= chordError || radius > 1e18 { // above 1e18 nm the angle of a chord rounds to 0
		return 1
	}
	step := 2 * math.Acos(1-chordError/radius)
	return max(1, int(math.Ceil(math.Abs(angle)/step)))
}

// arcPoints returns the end points of an arc's chords [nm]. from is the start angle and sweep the
// signed angle of the arc [rad].
func arcPoints(centre vec, radius, from, sweep float64) []vec {
	n := arcChords(radius, sweep)
	out := make([]vec, 0, n+1)
	for i := range n + 1 {
		sin, cos := math.Sincos(from + sweep*float64(i)/float64(n))
		out = append(out, vec{centre.x + float64(radius*cos), centre.y + float64(radius*sin)})
	}
	return out
}

// maxArc is the length of the longest arc through three points [nm]. A circle whose radius is the
// diagonal of KiCad's coordinate range has a circumference of 38 m. Almost collinear points would
// otherwise give arcs of any length.
const maxArc = 40e9

// arcThrough returns the points of the arc from a to c through b. It returns a straight line for
// collinear points and nil for an arc longer than maxArc.
func arcThrough(a, b, c vec) []vec {
	d := 2 * (a.x*(b.y-c.y) + b.x*(c.y-a.y) + c.x*(a.y-b.y))
	span := math.Hypot(c.x-a.x, c.y-a.y)
	if math.Abs(d) < 1e-9*span*span+1 {
		return []vec{a, b, c}
	}
	aa, bb, cc := a.x*a.x+a.y*a.y, b.x*b.x+b.y*b.y, c.x*c.x+c.y*c.y
	centre := vec{(aa*(b.y-c.y) + bb*(c.y-a.y) + cc*(a.y-b.y)) / d,
		(aa*(c.x-b.x) + bb*(a.x-c.x) + cc*(b.x-a.x)) / d}
	angle := func(p vec) float64 { return math.Atan2(p.y-centre.y, p.x-centre.x) }
	from := angle(a)
	turn := func(p vec) float64 { return math.Mod(angle(p)-from+4*math.Pi, 2*math.Pi) }
	sweep := turn(c)
	if turn(b) > sweep {
		sweep -= 2 * math.Pi
	}
	radius := math.Hypot(a.x-centre.x, a.y-centre.y)
	if radius*math.Abs(sweep) > maxArc {
		return nil
	}
	return arcPoints(centre, radius, from, sweep)
}

func cross(o, a, b vec) float64 { return (a.x-o.x)*(b.y-o.y) - (a.y-o.y)*(b.x-o.x) }

func area(g []vec) float64 {
	sum := 0.0
	for i, p := range g {
		q := g[(i+1)%len(g)]
		sum += (p.x-g[0].x)*(q.y-g[0].y) - (q.x-g[0].x)*(p.y-g[0].y)
	}
	return sum / 2
}

// simplified removes each corner of a polygon that is within slack [nm] of the line between its
// neighbours. The result is counter-clockwise.
func simplified(g []vec, slack float64) []vec {
	if area(g) < 0 {
		turned := make([]vec, len(g))
		for i, p := range g {
			turned[len(g)-1-i] = p
		}
		g = turned
	}
	for dropped := true; dropped && len(g) > 3; {
		dropped = false
		adjacent := false // the previous corner was dropped
		var kept []vec
		for i, p := range g {
			a, b := g[(i+len(g)-1)%len(g)], g[(i+1)%len(g)]
			if len(kept) > 0 {
				a = kept[len(kept)-1]
			}
			base := math.Hypot(b.x-a.x, b.y-a.y)
			near := math.Hypot(p.x-a.x, p.y-a.y) <= slack
			between := (p.x-a.x)*(p.x-b.x)+(p.y-a.y)*(p.y-b.y) < 0
			if near || base > 0 && between && math.Abs(cross(a, p, b))/base <= slack {
				if !adjacent || near { // keep one of two adjacent corners to preserve curves
					dropped, adjacent = true, true
					continue
				}
			}
			kept, adjacent = append(kept, p), false
		}
		if len(kept) < 3 {
			return g
		}
		g = kept
	}
	return g
}

var errCrossing = errors.New("crosses itself")

// convexParts divides a simple polygon into convex polygons of three or four corners. It cuts off
// ears (G. H. Meisters, Polygons have ears, 1975) and merges pairs of triangles with a common side.
func convexParts(g []vec) ([][]vec, error) {
	steps := maxSteps
	return convexPartsWithin(g, &steps)
}

// convexPartsWithin is like convexParts but fails with ErrSteps when *steps is used up. It
// subtracts the number of corner tests from *steps.
func convexPartsWithin(g []vec, steps *int) ([][]vec, error) {
	g = simplified(g, 1)
	if len(g) < 3 || area(g) < 1 {
		return nil, errors.New("has no area")
	}
	if convex(g) {
		var out [][]vec
		for i := 1; i+1 < len(g); i += 2 {
			out = append(out, []vec{g[0], g[i], g[i+1]})
			if i+2 < len(g) {
				last := len(out) - 1
				out[last] = append(out[last], g[i+2])
			}
		}
		return out, nil
	}
	triangles, err := ears(g, steps)
	if err != nil {
		return nil, err
	}
	*steps -= len(g) * len(g) // counts the comparisons of pairs in merged
	return merged(triangles), nil
}

func convex(g []vec) bool {
	turn := 0.0
	for i, p := range g {
		q, r := g[(i+1)%len(g)], g[(i+2)%len(g)]
		if cross(p, q, r) < 0 {
			return false
		}
		turn += math.Atan2(cross(p, q, r), (q.x-p.x)*(r.x-q.x)+(q.y-p.y)*(r.y-q.y))
	}
	return turn < 2.5*math.Pi // a star polygon turns twice
}

// ErrSteps is the error of ConvexPads when its limit of corner tests is reached.
var ErrSteps = errors.New("takes too long to divide")

// ears divides a polygon into triangles by ear clipping. It subtracts the corner tests from *steps.
func ears(g []vec, steps *int) ([][]vec, error) {
	var out [][]vec
	rest := append([]vec{}, g...)
	for len(rest) > 3 {
		cut := -1
		for i := range rest {
			if *steps <= 0 {
				return nil, ErrSteps
			}
			if isEar(rest, i, steps) {
				cut = i
				break
			}
		}
		if cut < 0 {
			return nil, errCrossing
		}
		n := len(rest)
		a, p, b := rest[(cut+n-1)%n], rest[cut], rest[(cut+1)%n]
		if cross(a, p, b) > 0 {
			out = append(out, []vec{a, p, b})
		}
		rest = append(rest[:cut], rest[cut+1:]...)
	}
	if cross(rest[0], rest[1], rest[2]) > 0 {
		out = append(out, rest)
	}
	sum := 0.0
	for _, t := range out {
		sum += area(t)
	}
	if want := area(g); math.Abs(sum-want) > 1e-3*want+10 {
		return nil, errCrossing
	}
	return out, nil
}

// isEar reports whether the triangle at corner i lies in the polygon. It ignores other corners with
// the same coordinates, which occur at slits to holes.
func isEar(g []vec, i int, steps *int) bool {
	n := len(g)
	*steps--
	a, p, b := g[(i+n-1)%n], g[i], g[(i+1)%n]
	turn := cross(a, p, b)
	if turn < 0 {
		return false
	}
	if turn == 0 {
		return true // an ear without area
	}
	for _, q := range g {
		*steps--
		if q == a || q == p || q == b {
			continue
		}
		if cross(a, p, q) >= 0 && cross(p, b, q) >= 0 && cross(b, a, q) >= 0 {
			return false
		}
	}
	return true
}

// merged merges pairs of triangles that share a side and form a convex quadrilateral.
func merged(triangles [][]vec) [][]vec {
	used := make([]bool, len(triangles))
	var out [][]vec
	for i, t := range triangles {
		if used[i] {
			continue
		}
		used[i] = true
		piece := t
		for k := i + 1; k < len(triangles) && len(piece) == 3; k++ {
			if used[k] {
				continue
			}
			if quad := quadOf(t, triangles[k]); quad != nil {
				piece, used[k] = quad, true
			}
		}
		out = append(out, piece)
	}
	return out
}

// quadOf returns the union of two triangles with a common side. It returns nil if they have none or
// if the union is not convex.
func quadOf(t, o []vec) []vec {
	for i, a := range t {
		b := t[(i+1)%3]
		for k := range o {
			if o[k] == b && o[(k+1)%3] == a {
				quad := []vec{a, o[(k+2)%3], b, t[(i+2)%3]}
				if convex(quad) {
					return quad
				}
			}
		}
	}
	return nil
}

// corners returns a convex polygon of three or four corners as four corners [nm]. For a triangle it
// adds the midpoint of the longest side.
func corners(g []vec) []vec {
	if len(g) == 4 {
		return g
	}
	longest, at := -1.0, 0
	for i, p := range g {
		q := g[(i+1)%3]
		if d := math.Hypot(p.x-q.x, p.y-q.y); d > longest {
			longest, at = d, i
		}
	}
	p, q := g[at], g[(at+1)%3]
	return []vec{p, {(p.x + q.x) / 2, (p.y + q.y) / 2}, q, g[(at+2)%3]}
}

// convexPad returns a Convex pad with the given corners, in pad coordinates, and corner radius
// [nm]. Its position is the mean of the corners, which lies inside.
func convexPad(g []vec, radius float64) board.FootprintPad {
	g = corners(g)
	var middle vec
	for _, p := range g {
		middle.x, middle.y = middle.x+p.x/4, middle.y+p.y/4
	}
	p := board.FootprintPad{At: nanometres(middle), Padstack: board.Padstack{Shape: board.Convex}}
	p.Radius = int64(math.Round(radius))
	for i, c := range g {
		q := nanometres(c).Sub(p.At)
		p.Corners[i] = q
		p.Width, p.Height = max(p.Width, 2*(max(q.X, -q.X)+p.Radius)),
			max(p.Height, 2*(max(q.Y, -q.Y)+p.Radius))
	}
	return p
}

// maxPolygon is the maximum number of corners of a polygon for ConvexPads.
const maxPolygon = 1000

// maxSteps limits the corner tests of one polygon. Their number is cubic in the number of corners,
// and maxSteps tests take seconds.
const maxSteps = 1 << 30

// ConvexPads returns the Convex pads that together cover a simple polygon [nm] expanded by radius
// [nm]. The polygon may have either orientation. ConvexPads subtracts the number of corner tests
// from *steps. The error describes why the polygon is invalid, or is ErrSteps when no steps remain.
func ConvexPads(polygon []board.Point, radius int64, steps *int) ([]board.FootprintPad, error) {
	if len(polygon) > maxPolygon {
		return nil, fmt.Errorf("has %d corners, more than %d", len(polygon), maxPolygon)
	}
	g := make([]vec, len(polygon))
	for i, p := range polygon {
		g[i] = vec{float64(p.X), float64(p.Y)}
	}
	parts, err := convexPartsWithin(g, steps)
	if err != nil {
		return nil, err
	}
	pads := make([]board.FootprintPad, len(parts))
	for i, part := range parts {
		pads[i] = convexPad(part, float64(radius))
	}
	return pads, nil
}

func nanometres(v vec) board.Point {
	return board.Point{X: int64(math.Round(v.x)), Y: int64(math.Round(v.y))}
}
