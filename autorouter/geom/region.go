package geom

// Region is an area bounded by closed rings under the even-odd rule: an outline, or a zone fragment
// with its holes. Its sides are indexed by horizontal slabs, so Contains visits only the sides in
// the slab of a point.
type Region struct {
	Rings [][]Vec // outline and holes
	Count int     // total number of sides
	Box   Box
	slabs [][]side
	pitch float64 // height of a slab
}

type side struct{ a, b Vec }

// NewRegion returns the region of an outline with holes.
func NewRegion(outline Polygon, holes ...Polygon) *Region {
	r := &Region{Box: EmptyBox()}
	for _, g := range append([]Polygon{outline}, holes...) {
		if len(g) == 0 {
			continue
		}
		ring := make([]Vec, len(g))
		for i, p := range g {
			ring[i] = VecOf(p)
			r.Box = r.Box.With(ring[i])
		}
		r.Rings = append(r.Rings, ring)
		r.Count += len(ring)
	}
	n := max(1, min(r.Count/4, 4096))
	r.pitch = max(1, (r.Box.Y1-r.Box.Y0)/float64(n))
	r.slabs = make([][]side, n)
	r.Sides(func(a, b Vec) {
		for i := r.slab(min(a.Y, b.Y)); i <= r.slab(max(a.Y, b.Y)); i++ {
			r.slabs[i] = append(r.slabs[i], side{a, b})
		}
	})
	return r
}

func (r *Region) slab(y float64) int {
	return max(0, min(int((y-r.Box.Y0)/r.pitch), len(r.slabs)-1))
}

// Sides calls visit for every side of every ring.
func (r *Region) Sides(visit func(a, b Vec)) {
	for _, ring := range r.Rings {
		for i, a := range ring {
			visit(a, ring[(i+1)%len(ring)])
		}
	}
}

// Contains reports whether p is inside. On the border the result is arbitrary; callers that need a
// definite result must test the distance to the border first.
func (r *Region) Contains(p Vec) bool {
	if !r.Box.Contains(p) {
		return false
	}
	inside := false
	for _, s := range r.slabs[r.slab(p.Y)] {
		if (s.a.Y > p.Y) == (s.b.Y > p.Y) {
			continue
		}
		// The sign of the cross product gives the side of the line without a division.
		if (s.b.Sub(s.a).Cross(p.Sub(s.a)) > 0) == (s.b.Y > s.a.Y) {
			inside = !inside
		}
	}
	return inside
}
