package batch

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Execute runs the complete batch in this process and returns the runs in index order. workers is
// the maximum number of goroutines; the result does not depend on it. Execute calls progress, which
// may be nil, with the number of completed runs; these calls do not overlap. A panic of the tool
// becomes an error. If ctx ends, Execute returns the leading complete runs and the error of ctx.
func (p *Plan) Execute(ctx context.Context, workers int, progress func(done int)) ([]Run, error) {
	e := &executor{plan: p, workers: workers, progress: progress}
	if !p.Searches() {
		return e.round(ctx, p.runs, p.Compute)
	}
	var all []Run
	_, err := p.Search(ctx, func(ctx context.Context, points [][]Value) ([]Run, error) {
		runs, err := e.round(ctx, len(points), func(ctx context.Context, i int) (Run, error) {
			return p.ComputeAt(ctx, points[i])
		})
		all = append(all, runs...)
		return runs, err
	})
	return all, err
}

// executor computes rounds of runs on several goroutines.
type executor struct {
	plan     *Plan
	workers  int
	progress func(int)
	ended    int
}

// round computes n runs. If an error occurs, it returns the runs before the first incomplete run.
func (e *executor) round(ctx context.Context, n int,
	compute func(context.Context, int) (Run, error)) ([]Run, error) {
	runs := make([]Run, n)
	ended := make([]bool, n)
	finished := make(chan int, e.workers)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.workers)
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		for i := range finished {
			ended[i] = true
			e.ended++
			if e.progress != nil {
				e.progress(e.ended)
			}
		}
	}()
	for i := range n {
		group.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("run %d: panic: %v\n%s", i, p, debug.Stack())
				}
			}()
			if err := ctx.Err(); err != nil {
				return err
			}
			run, err := compute(ctx, i)
			if err != nil {
				return err
			}
			runs[i] = run
			finished <- i
			return nil
		})
	}
	err := group.Wait()
	close(finished)
	<-reported
	if err != nil {
		complete := 0
		for complete < n && ended[complete] {
			complete++
		}
		return runs[:complete], err
	}
	return runs, nil
}
