package batch

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Settings of minimize and maximize. Positions are relative to the range.
const (
	defaultEvaluations = 500
	// exploreShare is the share of the runs in the first round. The larger part remains for the
	// descents: 75 runs each, by default.
	exploreShare = 0.4
	// descents is the number of points from which Nelder-Mead descends. Several descents find
	// several local minima, and their runs are computed concurrently.
	descents = 4
	// simplexSize is the edge of the first simplex. It is about the distance of neighbouring
	// points when 200 points explore two fields.
	simplexSize = 0.08
	// stallIterations is the number of iterations without progress, per field, after which a
	// descent ends. A simplex may shrink several times before it finds a better point.
	stallIterations = 25
)

// The costs of runs that are not feasible. They exceed every feasible cost, which is at most a
// quarter of the largest number.
const (
	infeasibleCost = math.MaxFloat64 / 2
	failedCost     = math.MaxFloat64 // cost of a run without the objective or a limited value
	// leastBits is the negated binary logarithm of the smallest positive number.
	leastBits = 1074
	// bitsRange exceeds the difference of the binary logarithms of the largest and the smallest
	// positive number, 2098. It keeps every violation below failedCost.
	bitsRange = 2200
)

// feasible returns the quantity to minimize: the objective, negated in mode maximize. ok is false
// if the run is outside the limits, or has no objective.
func (p *Plan) feasible(r Run) (objective float64, ok bool) {
	for name := range p.Request.Limits {
		if !p.passes(r, name) {
			return 0, false
		}
	}
	x := r.Collected[p.collectedIndex(*p.Request.Objective)]
	if p.Request.Mode == Maximize {
		x = -x
	}
	return x, !math.IsNaN(x)
}

// violation returns the distance of a run from a limit, or 0 within the limit. It is NaN if the run
// has no value.
func (p *Plan) violation(r Run, name string) float64 {
	l := p.Request.Limits[name]
	x := r.Collected[p.collectedIndex(name)]
	switch {
	case math.IsNaN(x):
		return x
	case l.Min != nil && x < *l.Min:
		return min(*l.Min-x, math.MaxFloat64)
	case l.Max != nil && x > *l.Max:
		return min(x-*l.Max, math.MaxFloat64)
	}
	return 0
}

// largestViolations returns the largest violation of each limit in the given runs, or 1 if no run
// violates it.
func (p *Plan) largestViolations(runs []Run) map[string]float64 {
	out := map[string]float64{}
	for name := range p.Request.Limits {
		largest := 0.0
		for _, r := range runs {
			if v := p.violation(r, name); v > largest {
				largest = v
			}
		}
		if out[name] = largest; largest == 0 {
			out[name] = 1
		}
	}
	return out
}

// cost returns a number that orders the runs by the rules of Deb (2000). Feasible runs are ordered
// by their objective; the others follow by the sum of their violations, then failed runs.
// Nelder-Mead compares costs only. The violation of each limit is relative to its scale.
func (p *Plan) cost(r Run, scales map[string]float64) float64 {
	if x, ok := p.feasible(r); ok {
		return x / 4 // exact, and below every other cost
	}
	violation := 0.0
	// Sums depend on the order of their terms, but a repeated search must take the same path.
	for _, name := range slices.Sorted(maps.Keys(p.Request.Limits)) {
		violation += p.violation(r, name) / scales[name]
	}
	if math.IsNaN(violation + r.Collected[p.collectedIndex(*p.Request.Objective)]) {
		return failedCost
	}
	// The logarithm resolves violations of every magnitude.
	bits := math.Log2(min(max(violation, math.SmallestNonzeroFloat64), math.MaxFloat64))
	return infeasibleCost * (1 + (bits+leastBits)/bitsRange)
}

// optimize explores the unit cube with Sobol points, starting at its centre. It then descends with
// Nelder-Mead from the best points, one run per descent and round. It ends when all runs are used
// or every descent has converged.
//
// CMA-ES would do both, but version 0.17 of Gonum ignores the step size when it draws samples.
func (s *search) optimize(ctx context.Context) ([]int, error) {
	dim, n := len(s.plan.sources), s.plan.runs
	explored := min(n, max(dim+2, int(exploreShare*float64(n))))
	u := newUniforms(Sobol, s.plan.Request.Seed, explored, dim)
	positions := make([][]float64, explored)
	for i := range positions {
		positions[i] = make([]float64, dim)
		for e := range positions[i] {
			if positions[i][e] = 0.5; i > 0 {
				positions[i][e] = u(i, e)
			}
		}
	}
	runs, err := s.inside(ctx, positions)
	if err != nil {
		return nil, err
	}
	scales := s.plan.largestViolations(runs)
	costs := s.costs(runs, scales)
	order := make([]int, explored)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(costs[a], costs[b]) })
	var open []*descent
	for _, i := range order[:min(descents, explored)] {
		open = append(open, newDescent(positions[i]))
	}
	defer func() {
		for _, d := range open {
			d.end()
		}
	}()
	for {
		open = slices.DeleteFunc(open, func(d *descent) bool { return !d.next() })
		if left := n - len(s.runs); len(open) == 0 || left < len(open) {
			return s.solution(), nil
		}
		positions = positions[:0]
		for _, d := range open {
			positions = append(positions, d.task.X)
		}
		if runs, err = s.inside(ctx, positions); err != nil {
			return nil, err
		}
		costs = s.costs(runs, scales)
		for i, d := range open {
			d.task.F = costs[i]
			d.results <- d.task
		}
	}
}

// descent is a Nelder-Mead descent that waits for the cost of its task.
type descent struct {
	operations, results chan optimize.Task
	task                optimize.Task
	ended               bool
	best                float64
	idle                int // iterations without progress
}

func newDescent(start []float64) *descent {
	d := &descent{operations: make(chan optimize.Task), results: make(chan optimize.Task),
		best: math.Inf(1)}
	method := &optimize.NelderMead{SimplexSize: simplexSize}
	method.Init(len(start), 1)
	task := optimize.Task{Location: &optimize.Location{X: slices.Clone(start)}}
	go method.Run(d.operations, d.results, []optimize.Task{task})
	return d
}

// next advances to the next point that needs a cost. It returns false if the descent has ended.
func (d *descent) next() bool {
	for {
		d.task = <-d.operations
		switch d.task.Op {
		case optimize.FuncEvaluation:
			return true
		case optimize.MajorIteration:
			if d.idle++; math.IsInf(d.best, 1) || d.task.F < d.best-1e-12*math.Abs(d.best) {
				d.best, d.idle = d.task.F, 0
			}
			if d.idle <= stallIterations*len(d.task.X) {
				d.results <- d.task
				continue
			}
		}
		d.end()
		return false
	}
}

// end stops the method. The method must be waiting for the result of a task.
func (d *descent) end() {
	if d.ended {
		return
	}
	d.ended = true
	d.task.Op = optimize.PostIteration
	d.results <- d.task
	close(d.results)
	for range d.operations {
	}
}

// solution returns the index of the best run within the limits.
func (s *search) solution() []int {
	if i := s.plan.bestIndex(s.runs); i >= 0 {
		return []int{i}
	}
	return []int{}
}

// inside executes a round of runs. It reflects positions outside the unit cube into it.
func (s *search) inside(ctx context.Context, positions [][]float64) ([]Run, error) {
	inside := make([][]float64, len(positions))
	for i, u := range positions {
		inside[i] = make([]float64, len(u))
		for e := range u {
			inside[i][e] = 1 - math.Abs(1-math.Mod(math.Abs(u[e]), 2))
		}
	}
	return s.at(ctx, inside)
}

// costs returns the costs of runs.
func (s *search) costs(runs []Run, scales map[string]float64) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = s.plan.cost(r, scales)
	}
	return out
}
