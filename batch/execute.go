package batch

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Execute runs the whole batch in this process, on at most workers runs at a time, and returns the
// runs in index order. progress, which may be nil, is called with the number of runs that have
// ended; calls do not overlap. The result does not depend on workers. A panic of the tool is an
// error. When the context ends, Execute returns the runs that are complete from the start, and the
// context's error.
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

// executor computes rounds of runs with several goroutines.
type executor struct {
	plan     *Plan
	workers  int
	progress func(int)
	ended    int
}

// round computes n runs. With an error it returns the complete runs before the first that is not.
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
