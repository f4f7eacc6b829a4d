package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Evaluate computes one run per point of a round, in order. A point contains the values of the
// varied fields.
type Evaluate func(ctx context.Context, points [][]Value) ([]Run, error)

// Search performs the runs of solve, minimize or maximize in rounds. It returns the indices of the
// resulting runs: the roots in ascending order, or the best run. The points of a round depend only
// on the request and earlier runs, so a search can be repeated from stored runs.
func (p *Plan) Search(ctx context.Context, evaluate Evaluate) ([]int, error) {
	return (&search{plan: p, evaluate: evaluate}).run(ctx)
}

// search is a search in progress.
type search struct {
	plan     *Plan
	evaluate Evaluate
	runs     []Run
	// unrefined is the number of intervals that may contain a root when solve has used all runs.
	// abandoned is the number of those whose runs have no result.
	unrefined, abandoned int
}

func (s *search) run(ctx context.Context) ([]int, error) {
	if s.plan.Request.Mode == Solve {
		return s.solve(ctx)
	}
	return s.optimize(ctx)
}

// at computes a round of runs at positions in the unit cube.
func (s *search) at(ctx context.Context, positions [][]float64) ([]Run, error) {
	points := make([][]Value, len(positions))
	for i, u := range positions {
		points[i] = make([]Value, len(u))
		for e := range u {
			points[i][e] = s.plan.valueAt(e, u[e])
		}
	}
	runs, err := s.evaluate(ctx, points)
	s.runs = append(s.runs, runs...)
	return runs, err
}

// valueAt returns the value of an entry of vary at a relative position from 0 to 1 in its range or
// list.
func (p *Plan) valueAt(entry int, u float64) Value {
	v := &p.Request.Vary[entry]
	if n := len(v.Values); n > 0 {
		return v.Values[min(int(u*float64(n)), n-1)]
	}
	return number(p.numberAt(entry, u))
}

// numberAt returns the number of an entry of vary at a relative position in its range. It rounds
// the number if the field takes whole numbers.
func (p *Plan) numberAt(entry int, u float64) float64 {
	v := &p.Request.Vary[entry]
	x := position(*v.From, *v.To, v.logScale() || p.scansDecades())(u)
	if p.sources[entry].whole {
		return math.Round(x)
	}
	return x
}

// positionOf returns the relative position of a number in the range of mode solve.
func (p *Plan) positionOf(x float64) float64 {
	v := &p.Request.Vary[0]
	if v.logScale() || p.scansDecades() {
		return math.Log(x / *v.From) / math.Log(*v.To / *v.From)
	}
	return (x - *v.From) / (*v.To - *v.From)
}

// decadesRatio is the ratio of the range ends above which solve scans logarithmically. Over two
// decades, the default 33 points of a linear scan have one interval for the first two octaves.
const decadesRatio = 100

// scansDecades reports whether solve scans its range logarithmically although the request has no
// scale. This is the case if the range spans more than two decades and does not contain 0.
func (p *Plan) scansDecades() bool {
	v := &p.Request.Vary[0]
	if p.Request.Mode != Solve || v.Scale != nil || v.From == nil || v.To == nil ||
		*v.From**v.To <= 0 {
		return false
	}
	low, high := math.Abs(*v.From), math.Abs(*v.To)
	return max(low, high)/decadesRatio > min(low, high)
}

// errReplayed ends the replay of a search at the first run that is not stored, or is stored with
// other values.
var errReplayed = errors.New("batch: the stored runs end here")

// solutions repeats a search from its stored runs and returns the indices of the solutions. It
// returns nil if stored runs are missing or have other values. incomplete states why roots may be
// missing, or is "".
func (p *Plan) solutions(runs []Run) (found []int, incomplete string) {
	s := &search{plan: p}
	s.evaluate = func(_ context.Context, points [][]Value) ([]Run, error) {
		if len(points) > len(runs) {
			return nil, errReplayed
		}
		round := runs[:len(points)]
		runs = runs[len(points):]
		for i, r := range round {
			if !r.IsAt(points[i]) {
				return nil, errReplayed
			}
		}
		return round, nil
	}
	found, err := s.run(context.Background())
	if err != nil {
		return nil, ""
	}
	return found, s.incomplete()
}

// incomplete states why solve may have missed roots. It returns "" if the search was complete.
func (s *search) incomplete() string {
	var reasons []string
	if s.unrefined > 0 {
		reasons = append(reasons, fmt.Sprintf("the search used its %d runs, and %d intervals that "+
			"may contain a root are not refined; raise n", s.plan.runs, s.unrefined))
	}
	if s.abandoned > 0 {
		reasons = append(reasons, fmt.Sprintf("%d intervals may contain a root between runs "+
			"without %s", s.abandoned, s.plan.Request.Target.Name))
	}
	return strings.Join(reasons, "; ")
}

// roots returns the runs at the roots that mode solve found, and the result of search.incomplete.
func (p *Plan) roots(runs []Run) (roots []Point, incomplete string) {
	found, incomplete := p.solutions(runs)
	roots = []Point{}
	for _, i := range found {
		roots = append(roots, p.point(runs, i))
	}
	return roots, incomplete
}

// rootNote states the accuracy of roots that are whole numbers. It returns "" for other roots.
func (p *Plan) rootNote(roots []Point) string {
	if len(roots) == 0 || !p.sources[0].whole {
		return ""
	}
	return fmt.Sprintf("%s takes whole numbers: a root is the one of two neighbours whose %s is "+
		"nearer to the target", p.Request.Vary[0].Field, p.Request.Target.Name)
}

// best returns the best run within the limits, or nil if there is none.
func (p *Plan) best(runs []Run) *Point {
	i := p.bestIndex(runs)
	if i < 0 {
		return nil
	}
	point := p.point(runs, i)
	return &point
}

// bestIndex returns the index of the first run with the best objective within the limits, or -1 if
// no run is within the limits.
func (p *Plan) bestIndex(runs []Run) int {
	best, least := -1, math.Inf(1)
	for i, r := range runs {
		if x, ok := p.feasible(r); ok && x < least {
			best, least = i, x
		}
	}
	return best
}

// collectedIndex returns the position of a collected name, which must exist.
func (p *Plan) collectedIndex(name string) int {
	return slices.IndexFunc(p.columns, func(c column) bool { return c.name == name })
}
