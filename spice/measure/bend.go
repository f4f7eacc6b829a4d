package measure

import "math"

// smoothRatio is the smallest ratio of the curvatures at the two ends of a smooth segment. At a
// kink one of them is far larger, or they have opposite signs.
const smoothRatio = 0.4

// bend sets the curvatures of the segments of a transient. The points of a transient are where
// straight lines draw it within a tolerance, so measures between them need the curvature. The
// points of a sweep are the choice of its card.
//
// Segment i, from x0 to x1, is y0 + (y1-y0)·(x-x0)/(x1-x0) + bends[i]·(x-x0)·(x-x1). Its curvature
// is the mean of the divided differences dd₂ at its ends. Where they differ, as beside a kink, the
// segment is a straight line.
func (r *run) bend(s *series) {
	n := len(s.x)
	if r.kind != "tran" || n < 4 {
		return
	}
	s.bends = make([]float64, n)
	slope := func(i int) float64 { return (s.y[i] - s.y[i-1]) / (s.x[i] - s.x[i-1]) }
	before, last := slope(1), 0.0
	for i := 1; i+1 < n; i++ {
		after := slope(i + 1)
		second := (after - before) / (s.x[i+1] - s.x[i-1]) // dd₂ at point i
		a, b := math.Abs(last), math.Abs(second)
		if last*second > 0 && min(a, b) >= smoothRatio*max(a, b) {
			s.bends[i] = (last + second) / 2
		}
		before, last = after, second
	}
	if s.bends[n-2] != 0 {
		s.bends[n-1] = last
	}
}

// sag returns bends[i] times the square of the length of segment i, or 0 for a straight line. The
// middle of the segment is a quarter of it below the straight line.
func (s *series) sag(i int) float64 {
	if s.bends == nil {
		return 0
	}
	h := s.x[i] - s.x[i-1]
	return s.bends[i] * h * h
}

// zero returns the position, from 0 to 1, of the zero of segment i, whose ends have opposite signs
// or are 0.
func (s *series) zero(i int) float64 {
	y0, y1, a := s.y[i-1], s.y[i], s.sag(i)
	if b := y1 - y0 - a; a != 0 && y0*y1 < 0 { // a·f² + b·f + y0 = 0
		q := -(b + math.Copysign(math.Sqrt(b*b-4*a*y0), b)) / 2
		for _, f := range [...]float64{q / a, y0 / q} {
			if f >= 0 && f <= 1 {
				return f
			}
		}
	}
	return min(max(y0/(y0-y1), 0), 1)
}

// extreme returns the position and the value of the extreme inside segment i. ok is false if the
// segment is monotonic.
func (s *series) extreme(i int) (x, y float64, ok bool) {
	a := s.sag(i)
	f := (1 - (s.y[i]-s.y[i-1])/a) / 2
	if a == 0 || !(f > 0 && f < 1) {
		return 0, 0, false
	}
	return s.x[i-1] + f*(s.x[i]-s.x[i-1]), s.y[i-1] - a*f*f, true
}
