package measure

import "math"

// smoothRatio is the smallest ratio of the second divided differences at the two ends of a smooth
// segment. At a kink one of them is far larger, or they have opposite signs.
const smoothRatio = 0.4

// reachedTol is the distance from the level, relative to the largest magnitude of the series, at
// which an extreme reaches the level. It allows for rounding, so that v(out) reaches its maximum.
const reachedTol = 1e-12

// addCurvature sets the second divided differences of the segments of a transient. The points of a
// transient are where straight lines draw it within a tolerance, so measures between them need the
// curvature. The points of a sweep are the choice of its card. A run from which points were removed
// has straight lines, because equal kinks at the remaining points look smooth.
//
// Segment i, from x0 to x1, is y0 + (y1-y0)·(x-x0)/(x1-x0) + curvature[i]·(x-x0)·(x-x1). Its
// curvature is the mean of the second divided differences at its ends if their ratio is at least
// smoothRatio, otherwise 0. The first segment is straight. The last one has no point after it and
// continues the curvature of a smooth segment.
func (r *run) addCurvature(s *series) {
	n := len(s.x)
	if r.kind != "tran" || r.decimated || n < 4 {
		return
	}
	s.curvature = make([]float64, n)
	slope := func(i int) float64 { return (s.y[i] - s.y[i-1]) / (s.x[i] - s.x[i-1]) }
	before, last := slope(1), 0.0
	for i := 1; i+1 < n; i++ {
		after := slope(i + 1)
		second := (after - before) / (s.x[i+1] - s.x[i-1])
		a, b := math.Abs(last), math.Abs(second)
		if last*second > 0 && min(a, b) >= smoothRatio*max(a, b) {
			s.curvature[i] = (last + second) / 2
		}
		before, last = after, second
	}
	if s.curvature[n-2] != 0 {
		s.curvature[n-1] = last
	}
}

// bend returns curvature[i] times the square of the length of segment i, or 0 for a straight line.
// The middle of the segment is a quarter of it below the straight line.
func (s *series) bend(i int) float64 {
	if s.curvature == nil {
		return 0
	}
	h := s.x[i] - s.x[i-1]
	return s.curvature[i] * h * h
}

// extreme returns the position and the value of the extreme inside segment i. ok is false if the
// segment is monotonic.
func (s *series) extreme(i int) (x, y float64, ok bool) {
	a := s.bend(i)
	f := (1 - (s.y[i]-s.y[i-1])/a) / 2
	if a == 0 || !(f > 0 && f < 1) {
		return 0, 0, false
	}
	return s.x[i-1] + f*(s.x[i]-s.x[i-1]), s.y[i-1] - a*f*f, true
}

// piece is a monotonic part of a segment of a series.
type piece struct {
	segment        int
	x0, x1, y0, y1 float64 // ends
}

// pieces returns the n monotonic parts of segment i in the order of the series. reached is the
// distance from 0 at which an extreme inside the segment is 0.
func (s *series) pieces(i int, reached float64) (parts [2]piece, n int) {
	parts[0] = piece{i, s.x[i-1], s.x[i], s.y[i-1], s.y[i]}
	x, y, ok := s.extreme(i)
	if !ok {
		return parts, 1
	}
	if math.Abs(y) <= reached {
		y = 0
	}
	parts[1] = parts[0]
	parts[0].x1, parts[0].y1, parts[1].x0, parts[1].y0 = x, y, x, y
	return parts, 2
}

// zero returns the position of the zero of a piece whose ends have opposite signs or are 0.
func (s *series) zero(p piece) float64 {
	i := p.segment
	x0, h := s.x[i-1], s.x[i]-s.x[i-1]
	if a := s.bend(i); a != 0 && p.y0*p.y1 < 0 {
		// a·f² + b·f + y0 = 0
		y0 := s.y[i-1]
		b := s.y[i] - y0 - a
		q := -(b + math.Copysign(math.Sqrt(max(0, b*b-4*a*y0)), b)) / 2
		for _, f := range [...]float64{q / a, y0 / q} {
			if x := x0 + f*h; x >= p.x0 && x <= p.x1 {
				return x
			}
		}
	}
	return p.x0 + (p.x1-p.x0)*min(max(p.y0/(p.y0-p.y1), 0), 1)
}
