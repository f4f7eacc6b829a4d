package worker

import (
	"context"
	"errors"
	"time"

	"slipstick/worker/store"
)

// Wait implements Queue. Thousands of calls may wait, each with its own stack. Large values such as
// a Job are therefore handled in functions that do not block.
func (c *Client) Wait(
	ctx context.Context, id, caller string, d time.Duration,
) (job Job, err error) {
	w, err := c.beginWait(ctx, id, caller)
	if err != nil {
		return job, err
	}
	defer c.waiters.drop(w)
	err = c.endWait(ctx, w, w.await(ctx, d), &job)
	return job, err
}

// beginWait returns a waiter. If the job is finished, or the caller has left it, the waiter already
// has its result.
func (c *Client) beginWait(ctx context.Context, id, caller string) (*waiter, error) {
	if w := c.waiters.adopt(id, caller); w != nil {
		return w, nil
	}
	w := c.waiters.add(id, caller, nil)
	op, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	job, err := c.poll(op, id, w.token)
	seen := job
	if err == nil && caller != "" {
		c.waiters.setState(w, job) // from now on, EventLeft ends the wait
		seen, err = c.seenBy(op, job, caller)
	}
	if err != nil {
		c.waiters.drop(w)
		return nil, err
	}
	c.waiters.setState(w, seen)
	if seen.State.Finished() {
		w.deliver(&waitResult{job: seen})
	}
	if seen.State != job.State { // the caller has left a job that continues for others
		c.leave(op, w.token, job)
	}
	return w, nil
}

// await returns the result, or nil if ctx ends or d elapses first.
func (w *waiter) await(ctx context.Context, d time.Duration) *waitResult {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case a := <-w.got:
		return a
	case <-ctx.Done():
	case <-timer.C:
	}
	return nil
}

// endWait ends a wait. If there is a result, it updates job from the result. Otherwise it detaches
// the waiter, or leaves the job if ctx has ended.
func (c *Client) endWait(ctx context.Context, w *waiter, a *waitResult, job *Job) (err error) {
	if a != nil {
		if w.request != nil {
			c.cacheResult(a.job, w.caller)
		}
		*job = a.job
		return a.err
	}
	op, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.OpTimeout)
	defer cancel()
	if ctx.Err() != nil {
		c.waiters.drop(w)
		c.leave(op, w.token, c.waiters.known(w))
		return ctx.Err()
	}
	*job = c.detach(op, w)
	return nil
}

// detach ends a wait at its time limit. It logs errors of Redis because the job continues, and
// returns the last known state.
func (c *Client) detach(ctx context.Context, w *waiter) Job {
	if err := c.store.Detach(ctx, w.id, w.token); err != nil {
		c.opt.Log.Warn("a job could not be detached", "job", w.id, "error", err)
		return c.waiters.known(w)
	}
	job, err := c.poll(ctx, w.id)
	if err != nil {
		return c.waiters.known(w)
	}
	return job
}

// Watch implements Queue. The first call of progress reports the initial state.
func (c *Client) Watch(ctx context.Context, id string, progress func(Job)) error {
	w, remove := c.waiters.subscribe(id)
	defer remove()
	last, err := c.Get(ctx, id, "")
	if err != nil || last.State.Finished() {
		return err
	}
	progress(last)
	for {
		select {
		case a := <-w.got:
			return a.err
		case <-ctx.Done():
			return ctx.Err()
		case <-w.changed:
			state, p := c.waiters.progressOf(w)
			// A poll and a message may arrive out of order, but progress must not decrease.
			older := state == last.State && p.Phase == last.Progress.Phase &&
				p.Percent < last.Progress.Percent
			if !older && (state != last.State || p != last.Progress) {
				last.State, last.Progress = state, p
				progress(last)
			}
		}
	}
}

// listen handles events. recheck compensates for lost events.
func (c *Client) listen() {
	for e := range c.events.Events() {
		switch {
		case e.Kind == store.EventProgress:
			c.waiters.progressed(e.ID, e.Progress)
		case e.Kind == store.EventLeft:
			c.ended.Go(func() { c.callerLeft(e.ID, e.Caller) })
		case c.waiters.isWatched(e.ID):
			c.ended.Go(func() { c.check(e.ID) })
		}
	}
}

// callerLeft ends a caller's waits for a job that it has left and that continues for other callers.
// If EventLeft is lost, these waits last until the job ends.
func (c *Client) callerLeft(id, caller string) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	left := c.waiters.deliverTo(id, caller, func(j Job) waitResult {
		return waitResult{job: c.cancelledFor(j, j.EnqueuedAt, c.opt.Now())}
	})
	for _, w := range left { // these may be the only waiters of their jobs
		c.leave(ctx, w.token, c.waiters.known(w))
	}
}

// recheck polls every job with a waiter or subscriber once per second. It renews waiters, finds
// results whose event was lost, and revives jobs whose worker died.
func (c *Client) recheck() {
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-tick.C:
		}
		for _, id := range c.waiters.jobs() {
			if !c.check(id) {
				break // Redis is unavailable, so each further poll would take the same timeout
			}
		}
	}
}

// check polls one job for its waiters and subscribers. It returns false if Redis is unavailable.
func (c *Client) check(id string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	job, err := c.poll(ctx, id, c.waiters.tokensOf(id)...)
	switch {
	case err == nil && job.State.Finished():
		c.waiters.deliver(id, waitResult{job: job})
	case err == nil:
		c.waiters.update(id, job)
	case errors.Is(err, ErrJobNotFound):
		return c.confirmAbsent(ctx, id)
	default:
		c.opt.Log.Debug("a job could not be polled", "job", id, "error", err)
		return false
	}
	return true
}

// confirmAbsent counts polls that find neither job nor result. If the job is lost and this process
// submitted it, confirmAbsent resubmits it and returns false if this fails. Other callers get
// ErrJobNotFound.
func (c *Client) confirmAbsent(ctx context.Context, id string) bool {
	lost, again := c.waiters.notFound(id)
	switch {
	case !lost:
	case again == nil:
		c.waiters.deliver(id, waitResult{err: ErrJobNotFound})
	default:
		c.opt.Log.Warn("Redis has lost a job; it is submitted again", "job", id)
		job, _, err := c.enqueueOrJoin(ctx, again.request, again.token)
		if err != nil {
			return false
		}
		if job.State.Finished() {
			c.waiters.deliver(id, waitResult{job: job})
		}
	}
	return true
}
