package autorouter

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// attemptRun is an attempt with its share of the time and of the search nodes.
type attemptRun struct {
	attempt       attempt
	schedule      *schedule
	abandonBudget int
	done          chan struct{} // closed when outcome, err and panicked are set
	outcome       *outcome
	err           error
	panicked      *panicError // panic of the attempt; nil without a panic
}

// panicError is a panic in the goroutine of an attempt, with its stack trace. The goroutine of the
// caller panics with this error.
type panicError struct {
	value any
	stack []byte
}

// Error returns the value of the panic and the stack trace.
func (p *panicError) Error() string {
	return fmt.Sprintf("%v in an attempt of a layout\n%s", p.value, p.stack)
}

// maxGridBytes limits the total memory of the grids of parallel attempts [bytes]. It suffices for
// two grids of the largest board.
const maxGridBytes = 400_000_000

// workers returns the number of attempts to run in parallel. It is limited by the parameter most,
// by the cores and by maxGridBytes. The memory limit applies to the largest grid of the earlier
// attempts.
func (a *attempts) workers(most int) int {
	n := min(a.cores, most)
	if a.gridBytes > 0 {
		n = min(n, maxGridBytes/a.gridBytes)
	}
	return max(1, n)
}

// batch runs attempts of equal board size in parallel and commits them in order while follows
// permits. Every attempt has its share of the budgets from the start. An attempt that may not
// follow is cancelled and ignored, even if its board is better. The result is therefore the same as
// on one core, where an attempt starts only after its predecessor.
func (a *attempts) batch(ctx context.Context, list []attempt) error {
	runs := make([]*attemptRun, len(list))
	for i, s := range a.schedule.split(len(list), a.attemptLimit()) {
		runs[i] = &attemptRun{attempt: list[i], schedule: s,
			abandonBudget: a.abandonBudget / len(list), done: make(chan struct{})}
	}
	n := a.workers(len(list))
	if n > 1 {
		return a.parallel(ctx, runs, n)
	}
	for i, r := range runs {
		if i > 0 && !a.follows(r.attempt) {
			break
		}
		if err := a.sequential(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// sequential runs an attempt in the goroutine of the caller and commits it. It ends the sequence if
// a stop cancels the attempt.
func (a *attempts) sequential(ctx context.Context, r *attemptRun) error {
	attemptCtx, release := ctx, func() {}
	if a.hasBoard() {
		attemptCtx, release = r.schedule.optional(ctx)
	}
	defer release()
	a.make(attemptCtx, r, func() bool { return true })
	if r.err != nil && ctx.Err() == nil && attemptCtx.Err() != nil {
		a.stopped()
		return nil
	}
	return a.commit(r)
}

// parallel runs attempts in n goroutines and commits them in order. All goroutines have ended when
// parallel returns.
func (a *attempts) parallel(ctx context.Context, runs []*attemptRun, n int) error {
	runsCtx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var next, committed atomic.Int64
	for range n {
		group.Go(func() {
			for runsCtx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(runs)) {
					return
				}
				r := runs[i]
				func() {
					defer close(r.done)
					defer func() {
						if p := recover(); p != nil {
							r.panicked = &panicError{p, debug.Stack()}
						}
					}()
					a.make(runsCtx, r, func() bool { return committed.Load() == i })
				}()
			}
		})
	}
	for i, r := range runs {
		if i > 0 && !a.follows(r.attempt) {
			break
		}
		var stop <-chan struct{}
		if a.hasBoard() {
			stop = a.schedule.stop
		}
		select {
		case <-r.done:
		case <-stop:
			a.stopped()
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		if r.panicked != nil {
			panic(r.panicked)
		}
		if err := a.commit(r); err != nil {
			return err
		}
		committed.Add(1)
	}
	return nil
}

// make runs an attempt and sets r.outcome and r.err. It forwards the progress of the attempt only
// while reports returns true.
func (a *attempts) make(ctx context.Context, r *attemptRun, reports func() bool) {
	r.outcome, r.err = a.run(ctx, r.schedule, r.attempt, r.abandonBudget,
		func(phase string, done, completion float64) {
			a.mutex.Lock()
			defer a.mutex.Unlock()
			if reports() {
				a.report(phase, a.from+a.span*done, completion)
			}
		})
}

// hasBoard reports whether the best attempt was routed in full, so that further attempts are
// optional.
func (a *attempts) hasBoard() bool { return a.best != nil && !a.best.abandoned }

// stopped ends the sequence of attempts after the caller requested a stop.
func (a *attempts) stopped() { a.sum.TimeLimited, a.ended = true, true }
