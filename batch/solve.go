package batch

import (
	"context"
	"math"
	"slices"
)

// Settings of solve. Positions are relative to the range.
const (
	defaultScan = 33
	rootWidth   = 1e-9 // relative width at which a root is found
	touchWidth  = 1e-5 // relative width at which a minimum of the distance to the target is found
	// touchDepth is the distance below which a minimum is a root, relative to the largest distance
	// in the scan.
	touchDepth = 1e-9
	maxJump    = 0.05 // maximum difference at a root, relative to the first interval
	refineRuns = 48   // maximum number of runs to refine an interval
	usualRuns  = 16   // number of runs that suffices to refine most intervals
	// Without n, solve refines with refineShare runs per scan point, and at least minRefineRuns.
	refineShare   = 4
	minRefineRuns = 128
	goldenRatio   = 0.6180339887498949
	itpTruncate   = 0.2 // ITP parameter kappa_1 for an interval of width 1
	itpSlackRuns  = 1   // ITP parameter n_0
)

// scanPoints returns the number of runs in the first round of solve.
func (p *Plan) scanPoints() int {
	if n := p.Request.Vary[0].Points; n != nil {
		return *n
	}
	return defaultScan
}

// sample is a run of solve: its position and its signed distance to the target.
type sample struct {
	u, f  float64
	index int
}

// interval is a part of the range that is being refined. If touch is set, it encloses a minimum of
// the absolute distance, at sample inner. Otherwise the distance changes sign between its ends.
type interval struct {
	low, high sample
	touch     bool
	inner     sample
	jump      float64 // difference of the distances at the ends of the first interval
	width     float64 // width of the first interval
	rootWidth float64 // width at which a root is found
	runs      int
}

// solve scans the range, then refines all intervals that may contain a root, one run per interval
// and round. It refines sign changes by ITP (Oliveira and Takahashi 2020, "An enhancement of the
// bisection method average performance preserving minmax optimality"), and touching roots by
// golden-section search. With few runs left it refines fewer intervals per round, so that these
// reach their roots. It ends when all runs are used, and counts the intervals left in s.unrefined.
func (s *search) solve(ctx context.Context) ([]int, error) {
	n := s.plan.scanPoints()
	positions := make([]float64, n)
	for i := range positions {
		positions[i] = float64(i) / float64(n-1)
	}
	scan, err := s.samples(ctx, positions)
	if err != nil {
		return nil, err
	}
	depth := 0.0
	for _, x := range scan {
		if !math.IsNaN(x.f) {
			depth = max(depth, math.Abs(x.f))
		}
	}
	var roots []sample
	for _, x := range scan {
		if x.f == 0 {
			roots = append(roots, x)
		}
	}
	rootWidth := s.rootWidth()
	open := intervals(scan, rootWidth)
	for {
		left := s.plan.runs - len(s.runs)
		if len(open) == 0 || left <= 0 {
			break
		}
		present := min(len(open), max(1, left/usualRuns))
		positions = positions[:0]
		for i := range present {
			positions = append(positions, open[i].next())
		}
		round, err := s.samples(ctx, positions)
		if err != nil {
			return nil, err
		}
		var rest []interval
		for i := range present {
			more, root := open[i].narrow(round[i], depth*touchDepth)
			rest = append(rest, more...)
			if root != nil {
				roots = append(roots, *root)
			}
		}
		open = append(rest, open[present:]...)
	}
	s.unrefined = len(open)
	slices.SortStableFunc(roots, func(a, b sample) int {
		switch {
		case a.u < b.u:
			return -1
		case a.u > b.u:
			return 1
		}
		return 0
	})
	out := []int{}
	for i, r := range roots {
		if i == 0 || r.u-roots[i-1].u > rootWidth {
			out = append(out, r.index)
		}
	}
	return out, nil
}

// rootWidth returns the interval width at which a root is accurate to 1e-9 of the range. On a
// logarithmic scale, the relative change of the value at the upper end is ln(to/from) per unit of
// width.
func (s *search) rootWidth() float64 {
	v := &s.plan.Request.Vary[0]
	if !v.logScale() && !s.plan.scansDecades() {
		return rootWidth
	}
	return rootWidth / max(1, math.Abs(math.Log(math.Abs(*v.To))-math.Log(math.Abs(*v.From))))
}

// samples computes a round of runs and returns their distances to the target.
func (s *search) samples(ctx context.Context, positions []float64) ([]sample, error) {
	first := len(s.runs)
	points := make([][]float64, len(positions))
	for i, u := range positions {
		points[i] = []float64{u}
	}
	runs, err := s.at(ctx, points)
	if err != nil {
		return nil, err
	}
	t := s.plan.Request.Target
	column := s.plan.collectedIndex(t.Name)
	out := make([]sample, len(runs))
	for i, r := range runs {
		out[i] = sample{positions[i], r.Collected[column] - t.Value, first + i}
	}
	return out, nil
}

// intervals returns the intervals of the scan that may contain a root: sign changes, and minima of
// the distance without a sign change.
func intervals(scan []sample, rootWidth float64) []interval {
	var out []interval
	for i := 1; i < len(scan); i++ {
		a, b := scan[i-1], scan[i]
		if a.f*b.f < 0 {
			out = append(out, crossing(a, b, rootWidth))
		}
		if i+1 == len(scan) {
			continue
		}
		c := scan[i+1]
		if a.f*b.f > 0 && b.f*c.f > 0 && math.Abs(b.f) <= math.Abs(a.f) &&
			math.Abs(b.f) <= math.Abs(c.f) &&
			(a.f != b.f || b.f != c.f) {
			touching := interval{low: a, high: c, touch: true, inner: b, rootWidth: rootWidth}
			out = append(out, touching)
		}
	}
	return out
}

func crossing(a, b sample, rootWidth float64) interval {
	return interval{
		low: a, high: b, jump: math.Abs(b.f - a.f), width: b.u - a.u, rootWidth: rootWidth,
	}
}

// next returns the position of the next run.
func (v *interval) next() float64 {
	if v.touch {
		left, right := v.inner.u-v.low.u, v.high.u-v.inner.u
		if right > left {
			return v.inner.u + (1-goldenRatio)*right
		}
		return v.inner.u - (1-goldenRatio)*left
	}
	a, b, fa, fb := v.low.u, v.high.u, v.low.f, v.high.f
	if fa > 0 {
		fa, fb = -fa, -fb
	}
	middle := (a + b) / 2
	steps := math.Ceil(math.Log2(v.width/v.rootWidth)) + itpSlackRuns
	radius := v.rootWidth/2*math.Exp2(steps-float64(v.runs)) - (b-a)/2
	falsi := (fb*a - fa*b) / (fb - fa)
	toward := math.Copysign(1, middle-falsi)
	x := middle
	if shift := itpTruncate / v.width * (b - a) * (b - a); shift <= math.Abs(middle-falsi) {
		x = falsi + toward*shift
	}
	if math.Abs(x-middle) > radius {
		x = middle - toward*max(radius, 0)
	}
	if x <= a || x >= b || math.IsNaN(x) {
		return middle
	}
	return x
}

// narrow updates an interval with the run x at the position that next returned. It returns the
// remaining intervals, and the root or nil.
func (v *interval) narrow(x sample, depth float64) (rest []interval, root *sample) {
	v.runs++
	switch {
	case math.IsNaN(x.f):
		return nil, nil
	case x.f == 0:
		return nil, &x
	case v.touch:
		return v.narrowTouch(x, depth)
	case x.f*v.low.f > 0:
		v.low = x
	default:
		v.high = x
	}
	if v.high.u-v.low.u > v.rootWidth && v.runs < refineRuns {
		return []interval{*v}, nil
	}
	// At a pole or jump, the difference does not shrink with the interval.
	if math.Abs(v.high.f-v.low.f) > maxJump*v.jump {
		return nil, nil
	}
	best := v.low
	if math.Abs(v.high.f) < math.Abs(v.low.f) {
		best = v.high
	}
	return nil, &best
}

// narrowTouch is the variant of narrow for a minimum of the distance.
func (v *interval) narrowTouch(x sample, depth float64) (rest []interval, root *sample) {
	if x.f*v.inner.f < 0 {
		low, high := v.inner, x
		if low.u > high.u {
			low, high = high, low
		}
		between := crossing(low, high, v.rootWidth)
		if x.u > v.inner.u {
			return []interval{between, crossing(x, v.high, v.rootWidth)}, nil
		}
		return []interval{crossing(v.low, x, v.rootWidth), between}, nil
	}
	switch {
	case math.Abs(x.f) < math.Abs(v.inner.f) && x.u > v.inner.u:
		v.low, v.inner = v.inner, x
	case math.Abs(x.f) < math.Abs(v.inner.f):
		v.high, v.inner = v.inner, x
	case x.u > v.inner.u:
		v.high = x
	default:
		v.low = x
	}
	if v.high.u-v.low.u > touchWidth && v.runs < refineRuns {
		return []interval{*v}, nil
	}
	if math.Abs(v.inner.f) <= depth {
		return nil, &v.inner
	}
	return nil, nil
}
