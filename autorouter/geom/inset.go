package geom

// movedSide is a side of a polygon that is moved inwards: a point on it and its unit direction.
type movedSide struct{ at, along Vec }

// mitredInset is Inset for polygons that are not convex. Neighbouring moved sides meet in a corner.
// A side that turns round is shorter than its corners take away, and is dropped.
func (g Polygon) mitredInset(d float64) Polygon {
	var sides []movedSide
	for i, a := range g {
		along := VecOf(g[(i+1)%len(g)].Sub(a))
		length := along.Length()
		if length == 0 {
			continue
		}
		along = along.Scale(1 / length)
		side := movedSide{VecOf(a).Add(Vec{X: -along.Y * d, Y: along.X * d}), along}
		if n := len(sides); n > 0 && sides[n-1].meets(side) == nil {
			continue // continues the side before
		}
		sides = append(sides, side)
	}
	if n := len(sides); n > 1 && sides[n-1].meets(sides[0]) == nil {
		sides = sides[:n-1]
	}
	for len(sides) > 2 {
		corners := make([]Vec, len(sides))
		for i, s := range sides {
			corner := s.meets(sides[(i+1)%len(sides)])
			if corner == nil {
				return nil
			}
			corners[i] = *corner
		}
		worst, least := -1, 0.0
		for i, s := range sides {
			before := corners[(i+len(sides)-1)%len(sides)]
			if l := corners[i].Sub(before).Dot(s.along); l <= least {
				worst, least = i, l
			}
		}
		if worst < 0 {
			return rounded(corners).checkedInset(g, d)
		}
		sides = append(sides[:worst], sides[worst+1:]...)
	}
	return nil
}

// meets returns the point where the lines of two sides cross, or nil if they are parallel.
func (s movedSide) meets(o movedSide) *Vec {
	const parallel = 1e-9
	turn := s.along.Cross(o.along)
	if turn < parallel && turn > -parallel {
		return nil
	}
	p := s.at.Add(s.along.Scale(o.at.Sub(s.at).Cross(o.along) / turn))
	return &p
}

// checkedInset returns the inset of an outline by d [nm], or nil if it crosses itself or a side of
// it is closer to the outline.
func (g Polygon) checkedInset(outline Polygon, d float64) Polygon {
	const rounding = 2 // [nm]
	if len(g) < 3 || !outline.Contains(g[0]) {
		return nil
	}
	if i, _ := g.Crossing(); i >= 0 {
		return nil
	}
	for i, a := range g {
		s := Segment(a, g[(i+1)%len(g)], 0)
		for k, b := range outline {
			o := Segment(b, outline[(k+1)%len(outline)], 0)
			if Distance(&s, &o) < d-rounding {
				return nil
			}
		}
	}
	return g
}
