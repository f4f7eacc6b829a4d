package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
)

// Settings of solve. Positions are relative to the range.
const (
	defaultScan = 33
	rootWidth   = 1e-9 // relative width at which a root is found
	// touchWidth is the relative width at which a minimum of the distance to the target is found.
	// Near a minimum of 0, numbers of 16 digits differ only beyond about 1e-8 of the range.
	touchWidth = 1e-5
	// touchDepth is the distance below which a minimum is a root, relative to the largest distance
	// in the scan. It is about ten times the square of touchWidth.
	touchDepth = 1e-9
	// maxJump is the maximum difference of the distances at a root, relative to the difference at
	// the first interval. It is high enough for results that are rounded to three digits.
	maxJump    = 0.05
	refineRuns = 48 // maximum number of runs to refine an interval; bisection needs 30
	usualRuns  = 16 // number of runs that suffices to refine most intervals
	// Without n, solve refines with refineShare runs per scan point, and at least minRefineRuns:
	// eight roots for the default scan.
	refineShare   = 4
	minRefineRuns = 128
	// maxFailures is the number of consecutive runs without the result after which an interval is
	// abandoned. They cover the interval in steps of an eighth.
	maxFailures  = 7
	goldenRatio  = 0.6180339887498949
	itpTruncate  = 0.2 // ITP parameter kappa_1 for an interval of width 1
	itpSlackRuns = 1   // ITP parameter n_0: runs in addition to those of bisection
)

// scanPoints returns the number of runs in the first round of solve.
func (p *Plan) scanPoints() int {
	if n := p.Request.Vary[0].Points; n != nil {
		return *n
	}
	return defaultScan
}

// sample is a run of solve: its position, the value there, and its signed distance to the target.
type sample struct {
	u, x, f float64
	index   int
}

// opposite reports whether the distances of two samples have opposite signs.
func opposite(a, b sample) bool { return a.f < 0 && b.f > 0 || a.f > 0 && b.f < 0 }

// interval is a part of the range that is being refined. If touch is set, it encloses a minimum of
// the absolute distance, at sample inner. Otherwise the distance changes sign between its ends.
type interval struct {
	low, high sample
	touch     bool
	inner     sample
	jump      float64 // difference of the distances at the ends of the first interval
	width     float64 // width of the first interval
	rootWidth float64 // width at which a root is found
	whole     bool    // the varied field takes whole numbers only
	runs      int     // runs with a distance
	failures  int     // consecutive runs without a distance
}

// solve scans the range, then refines all intervals that may contain a root, one run per interval
// and round. It refines sign changes by ITP and touching roots by golden-section search. ITP is
// from Oliveira and Takahashi 2020, "An enhancement of the bisection method average performance
// preserving minmax optimality". With few runs left it refines fewer intervals per round, so that
// these reach their roots. It ends when all runs are used, and counts the intervals left in
// s.unrefined. It counts the intervals that it abandons, because their runs fail, in s.abandoned.
func (s *search) solve(ctx context.Context) ([]int, error) {
	scan, err := s.samples(ctx, s.scanPositions())
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
	open := intervals(scan, rootWidth, s.plan.sources[0].whole)
	for {
		open = slices.DeleteFunc(open, func(v interval) bool {
			switch {
			case v.isAbandoned():
				s.abandoned++
			case v.whole && v.between() == 0:
				if root := v.root(); root != nil {
					roots = append(roots, *root)
				}
			default:
				return false
			}
			return true
		})
		left := s.plan.runs - len(s.runs)
		if len(open) == 0 || left <= 0 {
			break
		}
		present := min(len(open), max(1, left/usualRuns))
		var positions []float64
		for i := range present {
			positions = append(positions, s.next(&open[i]))
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
	slices.SortStableFunc(roots, func(a, b sample) int { return cmp.Compare(a.u, b.u) })
	out := []int{}
	for i, r := range roots {
		if i == 0 || r.u-roots[i-1].u > rootWidth {
			out = append(out, r.index)
		}
	}
	return out, nil
}

// scanPositions returns the positions of the first round. A whole number occurs once.
func (s *search) scanPositions() []float64 {
	n := s.plan.scanPoints()
	var positions []float64
	for i := range n {
		u := float64(i) / float64(n-1)
		if s.plan.sources[0].whole {
			u = s.plan.positionOf(s.plan.numberAt(0, u))
			if i > 0 && u == positions[len(positions)-1] {
				continue
			}
		}
		positions = append(positions, u)
	}
	return positions
}

// rootWidth returns the interval width at which a root is accurate to 1e-9 of the range or, for
// whole numbers, to half a number. On a logarithmic scale, the relative change of the value at the
// upper end is ln(to/from) per unit of width.
func (s *search) rootWidth() float64 {
	v, width := &s.plan.Request.Vary[0], rootWidth
	if s.plan.sources[0].whole {
		width = 0.5 / max(math.Abs(*v.From), math.Abs(*v.To), math.Abs(*v.To-*v.From))
	}
	if !v.logScale() && !s.plan.scansDecades() {
		return width
	}
	return width / max(1, math.Abs(math.Log(math.Abs(*v.To))-math.Log(math.Abs(*v.From))))
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
		out[i] = sample{positions[i], scalar(json.RawMessage(r.Values[0])),
			r.Collected[column] - t.Value, first + i}
	}
	return out, nil
}

// intervals returns the intervals of the scan that may contain a root. They are sign changes, also
// across runs without a distance, and minima of the distance without a sign change.
func intervals(scan []sample, rootWidth float64, whole bool) []interval {
	var out []interval
	last := -1 // index of the last run with a distance
	for i, b := range scan {
		if math.IsNaN(b.f) {
			continue
		}
		if last >= 0 && opposite(scan[last], b) {
			v := crossing(scan[last], b, rootWidth, whole)
			v.failures = min(1, i-last-1)
			out = append(out, v)
		}
		last = i
		if i == 0 || i+1 == len(scan) {
			continue
		}
		a, c := scan[i-1], scan[i+1]
		if a.f*b.f > 0 && b.f*c.f > 0 && math.Abs(b.f) <= math.Abs(a.f) &&
			math.Abs(b.f) <= math.Abs(c.f) &&
			(a.f != b.f || b.f != c.f) {
			touching := interval{low: a, high: c, touch: true, inner: b, rootWidth: rootWidth,
				whole: whole}
			out = append(out, touching)
		}
	}
	return out
}

func crossing(a, b sample, rootWidth float64, whole bool) interval {
	return interval{low: a, high: b, jump: math.Abs(b.f - a.f), width: b.u - a.u,
		rootWidth: rootWidth, whole: whole}
}

// between returns the number of whole numbers in the interval without a run.
func (v *interval) between() int {
	count := func(a, b sample) int { return int(math.Abs(a.x-b.x)) - 1 }
	if v.touch {
		return count(v.low, v.inner) + count(v.inner, v.high)
	}
	return count(v.low, v.high)
}

// isAbandoned reports whether too many runs in the interval have no distance.
func (v *interval) isAbandoned() bool {
	return v.failures >= maxFailures || v.whole && v.failures > 0 && v.failures >= v.between()
}

// next returns the position of the next run of an interval. If the field takes whole numbers, it is
// the position of a number in the interval that has no run.
func (s *search) next(v *interval) float64 {
	u := v.next()
	if !v.whole {
		return u
	}
	x, sides := s.plan.numberAt(0, u), [][2]sample{{v.low, v.high}}
	if v.touch {
		sides = [][2]sample{{v.low, v.inner}, {v.inner, v.high}}
		if u > v.inner.u {
			slices.Reverse(sides)
		}
	}
	for _, side := range sides {
		least, most := min(side[0].x, side[1].x)+1, max(side[0].x, side[1].x)-1
		if least <= most {
			return s.plan.positionOf(min(max(x, least), most))
		}
	}
	return u
}

// next returns the position of the next run. After a run without a distance it is a point of the
// van der Corput sequence, which avoids the earlier points.
func (v *interval) next() float64 {
	share := 1 - goldenRatio
	if v.failures > 0 {
		share = float64(sobol(uint32(v.failures)+1, 0)) / (1 << 32)
	}
	if v.touch {
		left, right := v.inner.u-v.low.u, v.high.u-v.inner.u
		if right > left {
			return v.inner.u + share*right
		}
		return v.inner.u - share*left
	}
	if v.failures > 0 {
		return v.low.u + share*(v.high.u-v.low.u)
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
	if math.IsNaN(x.f) {
		v.failures++
		return []interval{*v}, nil
	}
	v.runs++
	v.failures = 0
	switch {
	case x.f == 0:
		return nil, &x
	case v.touch:
		return v.narrowTouch(x, depth)
	case opposite(x, v.low):
		v.high = x
	default:
		v.low = x
	}
	if v.whole || v.high.u-v.low.u > v.rootWidth && v.runs < refineRuns {
		return []interval{*v}, nil
	}
	return nil, v.root()
}

// root returns the end of a refined interval that is nearer to the target. It returns nil at a pole
// or jump, where the difference of the distances does not shrink with the interval, and for a
// minimum. Whole numbers are too far apart to recognize a jump.
func (v *interval) root() *sample {
	most := maxJump * v.jump
	if v.whole {
		most = v.jump
	}
	if v.touch || math.Abs(v.high.f-v.low.f) > most {
		return nil
	}
	if math.Abs(v.high.f) < math.Abs(v.low.f) {
		return &v.high
	}
	return &v.low
}

// narrowTouch is the variant of narrow for a minimum of the distance.
func (v *interval) narrowTouch(x sample, depth float64) (rest []interval, root *sample) {
	if opposite(x, v.inner) {
		low, high := v.inner, x
		if low.u > high.u {
			low, high = high, low
		}
		between := crossing(low, high, v.rootWidth, v.whole)
		if x.u > v.inner.u {
			return []interval{between, crossing(x, v.high, v.rootWidth, v.whole)}, nil
		}
		return []interval{crossing(v.low, x, v.rootWidth, v.whole), between}, nil
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
	if v.whole || v.high.u-v.low.u > touchWidth && v.runs < refineRuns {
		return []interval{*v}, nil
	}
	if math.Abs(v.inner.f) <= depth {
		return nil, &v.inner
	}
	return nil, nil
}
