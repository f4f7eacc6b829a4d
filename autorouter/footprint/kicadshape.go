package footprint

import (
	"cmp"
	"math"
	"strconv"

	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// maxLength is the largest magnitude of a coordinate in a footprint file [mm].
const maxLength = maxExtent

// numbers parses at most the first most numbers of a list: lengths [mm] or angles [degrees]. The
// result is shorter if the list has fewer numbers. A keyword before the first number is an error,
// except in (at ...) and (drill ...); later keywords are skipped.
func numbers(n *sexpr.Node, most int) ([]float64, error) {
	var out []float64
	for i := 1; i < len(n.List) && len(out) < most; i++ {
		if !n.List[i].Leaf {
			continue
		}
		v, err := strconv.ParseFloat(n.List[i].Word, 64)
		if err != nil {
			if len(out) > 0 || n.Head() == "drill" || n.Head() == "at" {
				continue
			}
			return nil, bad(n, "%s is not a number in (%s ...)",
				text.Word(strconv.Quote(n.List[i].Word)), n.Head())
		}
		if math.IsNaN(v) || math.Abs(v) > maxAngle {
			return nil,
				bad(n, "%g is out of range in (%s ...): lengths in mm and angles in degrees "+
					"are read up to %g", v, n.Head(), float64(maxAngle))
		}
		out = append(out, v)
	}
	return out, nil
}

// point parses a child list of parent, for example (start 1 2), and returns the point in [nm] with
// y up.
func point(parent *sexpr.Node, head string) (vec, error) {
	return pointWithin(parent, head, maxLength)
}

// pointWithin is like point but limits the magnitude of the coordinates to limit [mm].
func pointWithin(parent *sexpr.Node, head string, limit float64) (vec, error) {
	n := parent.First(head)
	if n == nil {
		return vec{}, bad(parent, "(%s ...) has no (%s X Y)", parent.Head(), head)
	}
	return pointOf(n, limit)
}

func pointOf(n *sexpr.Node, limit float64) (vec, error) {
	v, err := numbers(n, 2)
	if err != nil {
		return vec{}, err
	}
	if len(v) < 2 {
		return vec{}, bad(n, "(%s ...) has no two coordinates", n.Head())
	}
	if math.Abs(v[0]) > limit || math.Abs(v[1]) > limit {
		return vec{}, bad(n, "the coordinates %g, %g are beyond %g mm", v[0], v[1], limit)
	}
	return vec{v[0] * 1e6, -v[1] * 1e6}, nil
}

// length parses the number [mm] of a child list of parent and returns it in [nm], or 0 if the child
// is absent.
func length(parent *sexpr.Node, head string) (float64, error) {
	n := parent.First(head)
	if n == nil {
		return 0, nil
	}
	v, err := numbers(n, 1)
	if err != nil {
		return 0, err
	}
	if len(v) == 0 || v[0] < 0 || v[0] > maxLength {
		return 0, bad(n, "(%s ...) must be 0 to %g", head, maxLength)
	}
	return v[0] * 1e6, nil
}

// strokeWidth returns the stroke width of a drawn item [nm]. The file contains (width W) before
// KiCad 7 and (stroke (width W) ...) since KiCad 7.
func strokeWidth(n *sexpr.Node) (float64, error) {
	if s := n.First("stroke"); s != nil {
		return length(s, "width")
	}
	return length(n, "width")
}

// shapeOf returns a drawn item as a chain of points [nm, y up] and reports whether the chain is
// closed.
func shapeOf(n *sexpr.Node, kind string) (points []vec, closed bool, err error) {
	return shapeWithin(n, kind, maxLength)
}

// shapeWithin is like shapeOf but limits the magnitude of the coordinates to limit [mm].
func shapeWithin(
	n *sexpr.Node, kind string, limit float64,
) (points []vec, closed bool, err error) {
	switch kind {
	case "line":
		p, err := pointsAt(n, limit, "start", "end")
		return p, false, err
	case "rect":
		p, err := pointsAt(n, limit, "start", "end")
		return []vec{p[0], {p[1].x, p[0].y}, p[1], {p[0].x, p[1].y}}, true, err
	case "circle":
		p, err := pointsAt(n, limit, "center", "end")
		circle := arcPoints(p[0], math.Hypot(p[1].x-p[0].x, p[1].y-p[0].y), 0, 2*math.Pi)
		return circle[:len(circle)-1], true, err
	case "arc":
		points, err = arcOf(n, limit)
		return points, false, err
	}
	if points, err = pointList(n, limit); err != nil {
		return nil, false, err
	}
	if kind == "curve" {
		if len(points) != 4 {
			return nil, false, bad(n, "a curve has 4 points, not %d", len(points))
		}
		return bezier(points), false, nil
	}
	if len(points) < 2 {
		return nil, false, bad(n, "a polygon has 3 points or more, not %d", len(points))
	}
	return points, true, nil
}

// pointsAt returns the points of the child lists with the given heads. After an error, the
// remaining points are zero.
func pointsAt(n *sexpr.Node, limit float64, heads ...string) ([]vec, error) {
	p := make([]vec, len(heads))
	for i, h := range heads {
		var err error
		if p[i], err = pointWithin(n, h, limit); err != nil {
			return p, err
		}
	}
	return p, nil
}

// arcOf returns a drawn arc as a chain of points. Before KiCad 6, start is the centre and end the
// first point.
func arcOf(n *sexpr.Node, limit float64) ([]vec, error) {
	if n.First("mid") != nil {
		p, err := pointsAt(n, limit, "start", "mid", "end")
		points := arcThrough(p[0], p[1], p[2])
		if len(points) == 0 && err == nil {
			err = bad(n, "the arc is longer than %g m", maxArc/1e9)
		}
		return points, err
	}
	p, err := pointsAt(n, limit, "start", "end")
	var angle []float64
	if a := n.First("angle"); a != nil && err == nil {
		angle, err = numbers(a, 1)
	}
	if err != nil || len(angle) == 0 {
		return nil, cmp.Or(err, bad(n, "the arc has no (angle ...)"))
	}
	from := math.Atan2(p[1].y-p[0].y, p[1].x-p[0].x)
	return arcPoints(p[0], math.Hypot(p[1].x-p[0].x, p[1].y-p[0].y), from,
		-min(360, max(-360, angle[0]))*math.Pi/180), nil
}

// pointList returns the points of the child list (pts ...), in which arcs are chains of points.
func pointList(n *sexpr.Node, limit float64) ([]vec, error) {
	list := n.First("pts")
	if list == nil {
		return nil, bad(n, "(%s ...) has no (pts ...)", n.Head())
	}
	var points []vec
	for _, c := range list.List[1:] {
		switch c.Head() {
		case "xy":
			q, err := pointOf(c, limit)
			if err != nil {
				return nil, err
			}
			points = append(points, q)
		case "arc":
			arc, err := arcOf(c, limit)
			if err != nil {
				return nil, err
			}
			points = append(points, arc...)
		}
	}
	return points, nil
}

// bezier approximates a cubic Bézier curve by 32 chords.
func bezier(p []vec) []vec {
	const steps = 32
	var out []vec
	for i := range steps + 1 {
		t := float64(i) / steps
		u := 1 - t
		a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		out = append(out, vec{a*p[0].x + b*p[1].x + c*p[2].x + d*p[3].x,
			a*p[0].y + b*p[1].y + c*p[2].y + d*p[3].y})
	}
	return out
}
