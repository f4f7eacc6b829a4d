package specctra

import (
	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// isShape reports whether a list is a shape that the method shape parses.
func isShape(n *sexpr.Node) bool {
	switch n.Head() {
	case "circle", "circ", "rect", "polygon", "path":
		return true
	}
	return false
}

// shape parses (circle L D [X Y]), (rect L X Y X Y), (polygon L W X Y ...) or (path L W X Y ...),
// where L is the layer, D the diameter and W the width.
func (r *reader) shape(n *sexpr.Node) (shape, error) {
	s := shape{layer: n.At(1)}
	var err error
	switch n.Head() {
	case "circle", "circ":
		if s.width, err = r.length(n, 2); err != nil {
			return s, err
		}
		at := geom.Vec{}
		if len(n.List) > 4 && n.List[3].Leaf {
			if at, err = r.point(n, 3); err != nil {
				return s, err
			}
		}
		s.points = []geom.Vec{at}
	case "rect":
		p, err := r.points(n, 2)
		if err != nil || len(p) != 2 {
			return s, orBad(err, n, "(rect %s ...) needs two corners", text.Word(s.layer))
		}
		s.filled = true
		s.points = []geom.Vec{p[0], {X: p[1].X, Y: p[0].Y}, p[1], {X: p[0].X, Y: p[1].Y}}
	case "polygon", "path":
		if s.width, err = r.length(n, 2); err != nil {
			return s, err
		}
		if s.points, err = r.points(n, 3); err != nil {
			return s, err
		}
		if len(s.points) < 2 {
			return s, bad(
				n,
				"(%s %s ...) has %d points, fewer than 2",
				n.Head(),
				text.Word(s.layer),
				len(s.points),
			)
		}
		// EasyEDA writes polygons with two corners.
		s.filled = n.Head() == "polygon" && len(s.points) > 2
	}
	if s.width < 0 {
		return s, bad(
			n,
			"(%s %s ...) has the width %s, below 0",
			n.Head(),
			text.Word(s.layer),
			text.Word(n.At(2)),
		)
	}
	return s, nil
}

func orBad(err error, n *sexpr.Node, format string, args ...any) error {
	if err != nil {
		return err
	}
	return bad(n, format, args...)
}
