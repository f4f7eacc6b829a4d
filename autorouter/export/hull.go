package export

import (
	"cmp"
	"slices"

	"slipstick/autorouter/board"
)

// hull is the convex hull, counter-clockwise (Andrew's monotone chain).
func hull(p []board.Point) board.Polygon {
	slices.SortFunc(p, func(a, b board.Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	p = slices.Compact(p)
	if len(p) < 3 {
		return nil
	}
	half := func(p []board.Point) board.Polygon {
		var h board.Polygon
		for _, q := range p {
			for len(h) > 1 {
				a, b := h[len(h)-1].Sub(h[len(h)-2]), q.Sub(h[len(h)-2])
				if a.X*b.Y-a.Y*b.X > 0 {
					break
				}
				h = h[:len(h)-1]
			}
			h = append(h, q)
		}
		return h[:len(h)-1]
	}
	lower := half(p)
	slices.Reverse(p)
	return append(lower, half(p)...)
}
