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
	infeasible         = 1e100 // minimum cost of a run outside the limits
	failed             = 1e200 // cost of a run without the objective
	exploreShare       = 0.4   // share of the runs that the Sobol points of the first round use
	descents           = 4     // number of points from which Nelder-Mead descends concurrently
	simplexSize        = 0.08
	patience           = 25 // iterations without progress before a descent ends, per dimension
)

// cost returns the quantity to minimize. For a run within the limits it is the objective, negated
// in mode maximize. For other runs it exceeds every objective and grows with the violation (Deb's
// rules, 2000).
func (p *Plan) cost(r Run) float64 {
	violation := 0.0
	// Sums depend on the order of their terms, but a repeated search must take the same path.
	for _, name := range slices.Sorted(maps.Keys(p.Request.Limits)) {
		l := p.Request.Limits[name]
		x := r.Collected[p.collectedIndex(name)]
		switch {
		case math.IsNaN(x):
			return failed
		case l.Min != nil && x < *l.Min:
			violation += (*l.Min - x) / (math.Abs(*l.Min) + math.Abs(x))
		case l.Max != nil && x > *l.Max:
			violation += (x - *l.Max) / (math.Abs(*l.Max) + math.Abs(x))
		}
	}
	x := r.Collected[p.collectedIndex(*p.Request.Objective)]
	switch {
	case math.IsNaN(x):
		return failed
	case violation > 0:
		return infeasible * (1 + violation)
	case p.Request.Mode == Maximize:
		return -x
	}
	return x
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
	costs, err := s.costs(ctx, positions)
	if err != nil {
		return nil, err
	}
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
			return s.answer(), nil
		}
		positions = positions[:0]
		for _, d := range open {
			positions = append(positions, d.task.X)
		}
		if costs, err = s.costs(ctx, positions); err != nil {
			return nil, err
		}
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
			if d.idle <= patience*len(d.task.X) {
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

// answer returns the index of the best run within the limits.
func (s *search) answer() []int {
	if i := s.plan.bestIndex(s.runs); i >= 0 {
		return []int{i}
	}
	return []int{}
}

// costs executes a round of runs and returns their costs. It reflects positions outside the unit
// cube into it.
func (s *search) costs(ctx context.Context, positions [][]float64) ([]float64, error) {
	inside := make([][]float64, len(positions))
	for i, u := range positions {
		inside[i] = make([]float64, len(u))
		for e := range u {
			inside[i][e] = 1 - math.Abs(1-math.Mod(math.Abs(u[e]), 2))
		}
	}
	runs, err := s.at(ctx, inside)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = s.plan.cost(r)
	}
	return out, nil
}
