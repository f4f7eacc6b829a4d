package service

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"slipstick/batch"
	"slipstick/worker"
)

// errLost ends the work of a coordinator whose lease is lost or whose batch has ended.
var errLost = errors.New("the batch has another coordinator, or has ended")

// fatal is the reason why a batch cannot continue.
type fatal string

func (f fatal) Error() string { return string(f) }

// work is a batch in progress.
type work struct {
	*Service
	*record
	token string
	plan  *batch.Plan
	have  []segment         // committed segments, unordered
	runs  map[int]batch.Run // committed runs of a search; nil in other modes
	pace  time.Duration     // average time per run; 0: unknown
	// spilled is set if further rows go to the database.
	spilled bool

	active atomic.Int32 // batches that are not finalized, including this one

	mu       sync.Mutex
	inFlight map[string]bool // ids of jobs
}

// coordinate runs a leased batch to its end, finalizes it and releases its lease. If ctx ends
// first, it releases the lease so that another process can continue.
func (s *Service) coordinate(ctx context.Context, id, token string) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, err := s.store.get(ctx, id)
	if err == nil {
		var renewing sync.WaitGroup
		quit := make(chan struct{})
		w := &work{Service: s, record: r, token: token, inFlight: map[string]bool{},
			spilled: r.InDatabase}
		renewing.Go(func() { w.keepLease(quit, stop) })
		if err = w.guard(w.ID, func() error { return w.run(ctx) }); errors.Is(err, errDefect) {
			w.cancelJobs()
			err = w.guard(w.ID, func() error { return w.fail(ctx, errDefect.Error()) })
		}
		close(quit)
		renewing.Wait()
	}
	if errors.Is(err, ErrNotFound) { // Redis has lost the record
		_ = s.store.rdb.ZRem(context.WithoutCancel(ctx), leasesKey, id).Err()
		return
	}
	if err == nil || errors.Is(context.Cause(ctx), errLost) {
		return
	}
	if ctx.Err() == nil {
		s.opt.Log.Warn("a batch is interrupted", "batch", id, "error", err)
		return // the lease expires, which limits the retries of a persistent fault
	}
	op, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTime)
	defer cancel()
	if _, _, err := s.store.renew(op, id, token, 0); err != nil {
		s.opt.Log.Warn("a lease of a batch ends by itself", "batch", id, "error", err)
	}
}

// errDefect is the reason why a batch fails after a panic.
const errDefect = fatal("an internal error ended it; the log of the service has the cause")

// guard returns the error of do, or errDefect if do panics. Without guard a defect would end the
// process, and then the next process that leases the batch.
func (s *Service) guard(id string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error("panic in a batch", "batch", id, "panic", p, "stack",
				string(debug.Stack()))
			err = errDefect
		}
	}()
	return do()
}

// keepLease renews the lease until quit is closed, and calls stop if the lease is lost. It also
// stops a running batch whose record was cancelled, which may happen at any time. It renews the
// lease after that too, because finalize may wait for memory for its summary.
func (w *work) keepLease(quit <-chan struct{}, stop context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for last := time.Now(); ; {
		op, cancel := context.WithTimeout(context.Background(), leaseTime/2)
		state, active, err := w.store.renew(op, w.ID, w.token, leaseTime)
		cancel()
		switch {
		case err == nil && state == "", err != nil && time.Since(last) > leaseTime:
			stop(errLost)
			return
		case err == nil && state == Cancelled && !w.State.Finished():
			stop(errCancelled)
			last = time.Now() // run finalizes the batch under this lease
		case err == nil:
			last = time.Now()
			w.active.Store(int32(active))
		}
		select {
		case <-quit:
			return
		case <-tick.C:
		}
	}
}

// errCancelled ends the computation of a batch that its caller has cancelled.
var errCancelled = errors.New("the batch is cancelled")

// run computes the missing runs, then ends and finalizes the batch.
func (w *work) run(ctx context.Context) error {
	var err error
	if w.plan, err = w.Service.plan(w.Request); err != nil {
		return w.fail(ctx, "the request is not valid for this version: "+err.Error())
	}
	if w.State.Finished() {
		return w.finalize(ctx)
	}
	if now := w.plan.Tool.Version; now != w.Version {
		return w.fail(ctx, fmt.Sprintf("the version of %s changed from %s to %s before the batch "+
			"ended; the calls of the missing runs are refunded: send the batch again", w.Tool,
			w.Version, now))
	}
	bounded, cancel := context.WithDeadline(ctx, w.Created.Add(w.opt.TTL))
	defer cancel()
	err = errRows
	for idle := 0; errors.Is(err, errRows); {
		var rows, before int
		if rows, before, err = w.compute(bounded); err == nil {
			err = w.retry(bounded, func() error {
				return w.store.end(ctx, w.ID, w.token, Done, "", rows)
			})
		}
		if idle++; len(w.have) > before {
			idle = 0
		}
		if errors.Is(err, errRows) && idle >= maxIdleRounds {
			err = fatal(fmt.Sprintf("the batch has other rows than the %d that its search makes",
				rows))
		}
	}
	w.cancelJobs()
	var why fatal
	switch {
	case err == nil:
		return w.finalize(ctx)
	case errors.Is(context.Cause(ctx), errCancelled):
		return w.finalize(context.WithoutCancel(ctx))
	case ctx.Err() == nil && bounded.Err() != nil:
		return w.fail(ctx, "the batch did not end within "+w.opt.TTL.String())
	case errors.As(err, &why):
		return w.fail(ctx, why.Error())
	case errors.Is(err, errLost): // the batch may be cancelled and must then be finalized
		return w.finalize(ctx)
	}
	return err
}

// fail ends the batch in state failed and finalizes it.
func (w *work) fail(ctx context.Context, reason string) error {
	err := w.store.end(ctx, w.ID, w.token, Failed, reason, anyRows)
	if err != nil && !errors.Is(err, errLost) {
		return err
	}
	return w.finalize(ctx)
}

// retry repeats an operation while Redis or the database is unavailable.
func (w *work) retry(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, worker.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(retryPause):
		return nil
	}
}
