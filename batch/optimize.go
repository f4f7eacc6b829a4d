package batch

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/optimize"
)

// Settings of minimize and maximize.
const (
	defaultEvaluations = 500
	infeasible         = 1e100 // cost of a run that violates a limit, times 1 + its violation
	failed             = 1e200 // cost of a run without the objective
	cmaStep            = 0.3   // initial step size of CMA-ES in the unit cube
	cmaShare           = 0.8   // share of the runs for CMA-ES; Nelder-Mead refines with the rest
	minimumPopulation  = 8
)

// cost is what the optimizers minimize: the objective, or for a run outside the limits a value above
// every objective that grows with the violation (Deb's rules, 2000).
func (p *Plan) cost(r Run) float64 {
	violation := 0.0
	for name, l := range p.Request.Limits {
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

// optimize searches the unit cube with CMA-ES from its centre, then refines the best point with
// Nelder-Mead until the runs are used up or it converges.
func (s *search) optimize(ctx context.Context) ([]int, error) {
	dim, n := len(s.plan.sources), s.plan.runs
	population := min(n, max(minimumPopulation, 4+int(3*math.Log(float64(dim)))))
	if population < 3 { // too few for either method
		_, err := s.costs(ctx, corners(dim, n))
		return s.answer(), err
	}
	start := corners(dim, 1)[0]
	cma := &optimize.CmaEsChol{
		InitStepSize: cmaStep, Population: population, StopLogDet: float64(dim) * 2 * math.Log(1e-7),
		Src: rand.NewPCG(uint64(s.plan.Request.Seed), uint64(dim)),
	}
	if err := s.drive(ctx, cma, start, int(cmaShare*float64(n))); err != nil {
		return nil, err
	}
	if left := n - len(s.runs); left > dim+1 {
		if err := s.drive(ctx, &optimize.NelderMead{SimplexSize: 0.02}, s.position(), left); err != nil {
			return nil, err
		}
	}
	return s.answer(), nil
}

// answer is the best run within the limits.
func (s *search) answer() []int {
	if i := s.bestIndex(); i >= 0 && s.plan.cost(s.runs[i]) < infeasible {
		return []int{i}
	}
	return []int{}
}

// bestIndex is the index of the run of least cost.
func (s *search) bestIndex() int {
	best, least := -1, math.Inf(1)
	for i, r := range s.runs {
		if f := s.plan.cost(r); f < least {
			best, least = i, f
		}
	}
	return best
}

// position is the place of the best run in the unit cube.
func (s *search) position() []float64 { return s.positions[s.bestIndex()] }

// corners spreads n positions over the unit cube, the first in its centre.
func corners(dim, n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, dim)
		for e := range out[i] {
			out[i][e] = math.Mod(0.5+float64(i)*goldenRatio, 1)
		}
	}
	return out
}

// costs makes a round of runs. Positions outside the unit cube are reflected into it.
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
	s.positions = append(s.positions, inside...)
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = s.plan.cost(r)
	}
	return out, nil
}

// patience is the number of iterations without progress after which an optimizer ends, per
// dimension.
const patience = 15

// drive runs an optimizer with the runs of each of its iterations as one round. It ends when the
// optimizer converges, makes no progress, or has used the runs.
func (s *search) drive(ctx context.Context, method optimize.Method, start []float64, runs int) error {
	dim := len(start)
	tasks := make([]optimize.Task, method.Init(dim, runs))
	for i := range tasks {
		tasks[i] = optimize.Task{ID: i, Location: &optimize.Location{X: append([]float64(nil), start...)}}
	}
	operations, results := make(chan optimize.Task), make(chan optimize.Task)
	go method.Run(operations, results, tasks)
	end := func(task optimize.Task) {
		task.Op = optimize.PostIteration
		results <- task
		close(results)
		for range operations {
		}
	}
	var round []optimize.Task
	best, idle := math.Inf(1), 0
	for task := range operations {
		switch task.Op {
		case optimize.MajorIteration:
			if idle++; task.F < best-1e-12*math.Abs(best) || math.IsInf(best, 1) {
				best, idle = task.F, 0
			}
			if idle > patience*dim {
				end(task)
				return nil
			}
			results <- task
		case optimize.FuncEvaluation:
			if round = append(round, task); len(round) < len(tasks) {
				continue
			}
			if runs -= len(round); runs < 0 {
				end(task)
				return nil
			}
			positions := make([][]float64, len(round))
			for i, t := range round {
				positions[i] = t.X
			}
			costs, err := s.costs(ctx, positions)
			if err != nil {
				end(task)
				return err
			}
			for i, t := range round {
				t.F = costs[i]
				results <- t
			}
			round = round[:0]
		default: // the optimizer has converged or cannot go on
			end(task)
			return nil
		}
	}
	return nil
}
