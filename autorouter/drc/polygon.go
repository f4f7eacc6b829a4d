package drc

import "slipstick/autorouter/board"

// region is an area bounded by closed rings, inside by the even-odd rule: the outline of the
// board, or a piece of a zone with its holes. Sides are kept by horizontal slabs, so that asking
// for a point looks only at the sides at its height.
type region struct {
	rings [][]vec
	count int // sides of all rings
	box   box
	slabs [][]side
	pitch float64 // height of a slab
}

type side struct{ a, b vec }

func newRegion(outline board.Polygon, holes ...board.Polygon) *region {
	r := &region{box: emptyBox()}
	for _, g := range append([]board.Polygon{outline}, holes...) {
		if len(g) == 0 {
			continue
		}
		ring := make([]vec, len(g))
		for i, p := range g {
			ring[i] = vecOf(p)
			r.box = r.box.with(ring[i])
		}
		r.rings = append(r.rings, ring)
		r.count += len(ring)
	}
	n := max(1, min(r.count/4, 4096))
	r.pitch = max(1, (r.box.y1-r.box.y0)/float64(n))
	r.slabs = make([][]side, n)
	r.sides(func(a, b vec) {
		for i := r.slab(min(a.y, b.y)); i <= r.slab(max(a.y, b.y)); i++ {
			r.slabs[i] = append(r.slabs[i], side{a, b})
		}
	})
	return r
}

func (r *region) slab(y float64) int {
	return max(0, min(int((y-r.box.y0)/r.pitch), len(r.slabs)-1))
}

// sides visits every side of every ring.
func (r *region) sides(visit func(a, b vec)) {
	for _, ring := range r.rings {
		for i, a := range ring {
			visit(a, ring[(i+1)%len(ring)])
		}
	}
}

// contains reports whether p is inside. On the border the result is arbitrary; callers for which it
// matters test the distance to the border first.
func (r *region) contains(p vec) bool {
	if !r.box.contains(p) {
		return false
	}
	inside := false
	for _, s := range r.slabs[r.slab(p.y)] {
		if (s.a.y > p.y) == (s.b.y > p.y) {
			continue
		}
		// The sign gives the side of the line on which p is, without a division.
		if (s.b.sub(s.a).cross(p.sub(s.a)) > 0) == (s.b.y > s.a.y) {
			inside = !inside
		}
	}
	return inside
}

// area of a polygon in square nanometres.
func area(g board.Polygon) float64 {
	if len(g) < 3 {
		return 0
	}
	sum, o := 0.0, vecOf(g[0])
	for i := range g {
		sum += vecOf(g[i]).sub(o).cross(vecOf(g[(i+1)%len(g)]).sub(o))
	}
	return max(sum, -sum) / 2
}
