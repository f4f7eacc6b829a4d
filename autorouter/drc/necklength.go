package drc

import (
	"math"
	"sort"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// neckLength reports tracks narrower than their class that are farther from the pads of their net
// than the maximum neck length. The distance is measured from the pad's copper, on any layer, to
// the centre line of the track.
var neckLength = rule{name: "neck_length", severity: Warning,
	check: func(s *checker, f *collector) error {
		pads := s.padsByNet()
		limit := float64(s.b.Rules.NeckLength)
		for i := range s.items {
			it := &s.items[i]
			if it.kind != trackItem || it.net == board.NoNet {
				continue
			}
			t := &s.b.Tracks[it.index]
			if limit <= 0 || !tooSmall(float64(t.Width), float64(s.requiredWidth(it.net))) {
				continue // if necks are not allowed, track_width reports the narrow track
			}
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if at, far := s.farthest(geom.VecOf(t.A), geom.VecOf(t.B), pads[it.net],
				limit); tooSmall(limit, far) {
				f.add(violation{
					at: at, layer: s.layer(it), items: []string{s.name(i)}, actual: far,
					required: limit,
					message: "Narrow track too far from a pad " + limits(limit, far) +
						" on " + s.name(i),
				})
			}
		}
		return nil
	}}

// farthest searches the segment a-b for points farther than limit [nm] from every pad. It returns
// the farthest point found and its distance to the closest pad [nm], or distance 0 if no point is
// that far. Each pad covers a single interval, because the distance to a convex shape is convex
// along the segment.
func (s *checker) farthest(a, b geom.Vec, pads []int, limit float64) (geom.Vec, float64) {
	distance := func(p int, t float64) float64 {
		return -s.items[p].shape.Depth(geom.Lerp(a, b, t))
	}
	around := geom.EmptyBox().With(a).With(b).Grown(limit + tolerance)
	var covered [][2]float64
	for _, p := range pads {
		if !s.items[p].shape.Box.Intersects(around) {
			continue
		}
		if distance(p, 0) <= limit+tolerance && distance(p, 1) <= limit+tolerance {
			return a, 0
		}
		if lo, hi, ok := sublevel(func(t float64) float64 {
			return distance(p, t)
		}, limit+tolerance); ok {
			covered = append(covered, [2]float64{lo, hi})
		}
	}
	sort.Slice(covered, func(i, j int) bool { return covered[i][0] < covered[j][0] })
	worst, far := a, 0.0
	try := func(t float64) {
		d := math.Inf(1)
		for _, p := range pads {
			d = min(d, distance(p, t))
		}
		if len(pads) == 0 { // a track on a net without pads is entirely a neck
			d = limit + b.Sub(a).Length()
		}
		if d > far {
			worst, far = geom.Lerp(a, b, t), d
		}
	}
	end := 0.0
	for _, c := range append(covered, [2]float64{1, 1}) {
		if c[0] > end || end == 0 && c[0] > 0 {
			try(end)
			try((end + c[0]) / 2)
			try(c[0])
		}
		end = max(end, c[1])
	}
	if len(covered) == 0 {
		try(1)
	}
	return worst, far
}

// sublevel returns the interval within [0, 1] where a convex function is at most limit, and false
// if the interval is empty.
func sublevel(f func(float64) float64, limit float64) (lo, hi float64, ok bool) {
	l, h := 0.0, 1.0
	for range 100 { // (2/3)^100 is below the float64 resolution
		p, q := l+(h-l)/3, h-(h-l)/3
		if f(p) <= f(q) {
			h = q
		} else {
			l = p
		}
	}
	bottom := (l + h) / 2
	if f(0) <= f(bottom) {
		bottom = 0
	}
	if f(1) < f(bottom) {
		bottom = 1
	}
	if f(bottom) > limit {
		return 0, 0, false
	}
	return bisect(f, limit, bottom, 0), bisect(f, limit, bottom, 1), true
}

// bisect returns the point between below and end where f crosses the limit; f(below) must not
// exceed the limit.
func bisect(f func(float64) float64, limit, below, end float64) float64 {
	if f(end) <= limit {
		return end
	}
	for range 60 {
		if m := (below + end) / 2; f(m) <= limit {
			below = m
		} else {
			end = m
		}
	}
	return below
}
