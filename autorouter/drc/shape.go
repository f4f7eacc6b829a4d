package drc

import (
	"math"

	"slipstick/autorouter/board"
)

// shape is the set of points within r of a convex core: a disc (one core point), a stadium (two),
// a rectangle or rounded rectangle (four, counter-clockwise). An edge of a polygon is a stadium without
// width.
type shape struct {
	core [4]vec
	n    int
	r    float64
	box  box // around the whole shape
}

func newShape(r float64, core ...vec) shape {
	s := shape{n: len(core), r: r, box: emptyBox()}
	for i, p := range core {
		s.core[i] = p
		s.box = s.box.with(p)
	}
	s.box = s.box.grown(r)
	return s
}

func disc(at vec, diameter int64) shape { return newShape(float64(diameter)/2, at) }

func stadium(a, b vec, width int64) shape {
	if a == b {
		return newShape(float64(width)/2, a)
	}
	return newShape(float64(width)/2, a, b)
}

// turned is a rectangle of half sizes hw and hh about at, turned by degrees, with r around it. A side
// without length makes the core a segment or a point.
func turned(at vec, hw, hh, degrees, r float64) shape {
	u, v := axes(degrees)
	u, v = u.times(hw), v.times(hh)
	switch {
	case hw == 0 && hh == 0:
		return newShape(r, at)
	case hh == 0:
		return newShape(r, at.sub(u), at.add(u))
	case hw == 0:
		return newShape(r, at.sub(v), at.add(v))
	}
	return newShape(r, at.sub(u).sub(v), at.add(u).sub(v), at.add(u).add(v), at.sub(u).add(v))
}

// axes are the unit vectors of a turned frame; quarter turns are exact.
func axes(degrees float64) (u, v vec) {
	switch math.Mod(math.Mod(degrees, 360)+360, 360) {
	case 0:
		return vec{1, 0}, vec{0, 1}
	case 90:
		return vec{0, 1}, vec{-1, 0}
	case 180:
		return vec{-1, 0}, vec{0, -1}
	case 270:
		return vec{0, -1}, vec{1, 0}
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return vec{cos, sin}, vec{-sin, cos}
}

// padShape returns the copper of a pad, grown by d on every side as its solder mask opening is: a
// rectangle keeps its sharp corners. A circle takes its diameter from the width.
func padShape(p *board.Pad, d int64) shape {
	hw, hh := float64(p.Width)/2+float64(d), float64(p.Height)/2+float64(d)
	at := vecOf(p.At)
	switch p.Shape {
	case board.Circle:
		return newShape(hw, at)
	case board.Oval:
		r := min(hw, hh)
		return turned(at, hw-r, hh-r, p.Rotation, r)
	case board.RoundRect:
		r := float64(board.CornerRadius(p.Width, p.Height) + d)
		return turned(at, hw-r, hh-r, p.Rotation, r)
	}
	return turned(at, hw, hh, p.Rotation, 0)
}

// holeShape returns the hole of a pad: a slot, else a round drill; false for a pad without a hole.
func holeShape(p *board.Pad) (shape, bool) {
	switch {
	case p.SlotW > 0 && p.SlotH > 0:
		w, h := float64(p.SlotW)/2, float64(p.SlotH)/2
		r := min(w, h)
		return turned(vecOf(p.At), w-r, h-r, p.Rotation, r), true
	case p.Drill > 0:
		return disc(vecOf(p.At), p.Drill), true
	}
	return shape{}, false
}

// quad is a convex polygon of four corners; the second result is false when it has no area.
func quad(g board.Polygon) (shape, bool) {
	if len(g) != 4 {
		return shape{}, false
	}
	s := newShape(0, vecOf(g[0]), vecOf(g[1]), vecOf(g[2]), vecOf(g[3]))
	return s, s.core[1].sub(s.core[0]).cross(s.core[3].sub(s.core[0])) > 0
}

// edge is the i-th side of the core; a point is a side without length.
func (s *shape) edge(i int) (a, b vec) {
	if i+1 < s.n {
		return s.core[i], s.core[i+1]
	}
	return s.core[i], s.core[0]
}

func (s *shape) edges() int {
	if s.n > 2 {
		return s.n
	}
	return 1
}

// inCore reports whether p is inside a core that has area.
func (s *shape) inCore(p vec) bool {
	if s.n < 3 {
		return false
	}
	for i := range s.n {
		a, b := s.edge(i)
		if b.sub(a).cross(p.sub(a)) < 0 {
			return false
		}
	}
	return true
}

// gap is the distance between two shapes and the place between them; zero or less when they
// touch. Below zero it is only the overlap of the rims about the nearest core points.
func (s *shape) gap(o *shape) (float64, vec) {
	if o.inCore(s.core[0]) {
		return -s.r - o.r, s.core[0]
	}
	if s.inCore(o.core[0]) {
		return -s.r - o.r, o.core[0]
	}
	d := math.Inf(1)
	var p, q vec
	for i := range s.edges() {
		a0, a1 := s.edge(i)
		for j := range o.edges() {
			b0, b1 := o.edge(j)
			if e, pe, qe := segments(a0, a1, b0, b1); e < d {
				d, p, q = e, pe, qe
			}
		}
	}
	g := d - s.r - o.r
	t := 0.5
	if d > 0 {
		t = min(1, max(0, (s.r+g/2)/d))
	}
	return g, between(p, q, t)
}

// depth is how far p is inside the shape: the distance to its rim, negative outside.
func (s *shape) depth(p vec) float64 {
	d := math.Inf(1)
	for i := range s.edges() {
		a, b := s.edge(i)
		d = min(d, pointSegment(p, a, b))
	}
	if s.inCore(p) {
		return s.r + d
	}
	return s.r - d
}

// overlap is how far two convex polygons without radius reach into each other, by the
// separating axis theorem: the shortest way to part them along a normal; negative when they are apart.
func (s *shape) overlap(o *shape) float64 {
	return min(s.reachOver(o), o.reachOver(s))
}

func (s *shape) reachOver(o *shape) float64 {
	least := math.Inf(1)
	for i := range s.edges() {
		a, b := s.edge(i)
		d := b.sub(a)
		deepest := math.Inf(-1)
		for _, p := range o.core[:o.n] {
			deepest = max(deepest, d.cross(p.sub(a))/d.length())
		}
		least = min(least, deepest)
	}
	return least
}

// crossedBy reports whether the segment a-b enters a convex polygon by more than the
// tolerance (Cyrus and Beck, clipping against the sides moved inwards).
func (s *shape) crossedBy(a, b vec) bool {
	from, to := 0.0, 1.0
	for i := range s.edges() {
		p, q := s.edge(i)
		d := q.sub(p)
		l := d.length()
		ha, hb := d.cross(a.sub(p))/l-tolerance, d.cross(b.sub(p))/l-tolerance
		switch {
		case ha <= 0 && hb <= 0:
			return false
		case ha <= 0:
			from = max(from, ha/(ha-hb))
		case hb <= 0:
			to = min(to, ha/(ha-hb))
		}
	}
	return from < to
}
