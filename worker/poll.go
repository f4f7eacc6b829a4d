package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"slipstick/worker/store"
)

// taskGrace is the time after queuing during which a job may be missing from its queue.
const taskGrace = 3 * time.Second

// taskPolls is the average number of polls per check that a queued job is in its queue. A job is
// missing only if a process died between two commands or Redis lost the queue.
const taskPolls = 3

// Get implements Queue.
func (c *Client) Get(ctx context.Context, id, caller string) (Job, error) {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	job, err := c.poll(ctx, id)
	if err != nil || caller == "" {
		return job, err
	}
	return c.seenBy(ctx, job, caller)
}

// seenBy returns a job as the given caller sees it.
func (c *Client) seenBy(ctx context.Context, job Job, caller string) (Job, error) {
	joined, left, err := c.store.Membership(ctx, job.ID, caller)
	switch {
	case err != nil:
		return Job{}, err
	case !left.IsZero():
		return c.cancelledFor(job, joined, left), nil
	}
	return job.Since(joined), nil
}

// cancelledFor returns the state of a job for a caller that has left it.
func (c *Client) cancelledFor(j Job, joined, left time.Time) Job {
	return j.Since(joined).Finish(Cancelled,
		Outcome{Failure: store.CancelledFailure}, left, c.opt.ResultTTL)
}

// poll returns the state of a job and renews the waiters with the given tokens. It also repairs the
// job: since each poll detects dead workers and lost tasks, jobs with a waiter need no other
// monitor.
func (c *Client) poll(ctx context.Context, id string, tokens ...string) (Job, error) {
	v, err := c.store.Lookup(ctx, id, tokens...)
	if err != nil || v.State.Finished() {
		return v.Job, err
	}
	return c.repair(ctx, v)
}

// repair enqueues a job again if its worker has died or its task is lost. It fails a job that has
// reached its QueueTimeout.
func (c *Client) repair(ctx context.Context, v store.InFlightJob) (Job, error) {
	now := c.opt.Now()
	log := c.opt.Log.With("job", v.ID, "tool", v.Tool, "task", v.Task)
	switch {
	case v.State == Running && !v.Beating:
		log.Warn("a worker has died; its job is enqueued again")
		if err := c.store.Move(ctx, v, v.Priority, v.Group); err != nil {
			return Job{}, err
		}
		v.State = Queued
	case v.State == Queued && now.After(v.Deadline):
		failure := Outcome{Cause: Unavailable, Failure: tooLate(v.Deadline.Sub(v.EnqueuedAt))}
		job, _, err := c.store.FailQueued(ctx, v, failure)
		if err != nil {
			return Job{}, err
		}
		return job, nil
	case v.State == Queued && now.Sub(v.Moved) > taskGrace && rand.IntN(taskPolls) == 0:
		lost, err := c.store.Lost(ctx, v)
		if err == nil && lost {
			log.Warn("a queued job is missing in its queue; it is enqueued again")
			err = c.store.Move(ctx, v, v.Priority, v.Group)
		}
		if err != nil {
			return Job{}, err
		}
	}
	return v.Job, nil
}

// Cancel implements Queue.
func (c *Client) Cancel(ctx context.Context, id, caller string) (Job, error) {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	job, err := c.poll(ctx, id)
	if err != nil {
		return job, err
	}
	if job.State.Finished() {
		return c.Get(ctx, id, caller)
	}
	result, err := c.store.Cancel(ctx, job, "", caller)
	switch {
	case err != nil:
		return Job{}, err
	case result == store.CancelLeft:
		seen, err := c.seenBy(ctx, job, caller)
		if err == nil && !seen.State.Finished() { // not recorded: beyond store.MaxCallers
			seen = c.cancelledFor(job, c.opt.Now(), c.opt.Now())
		}
		return seen, err
	case result == store.CancelStranger:
		return Job{}, ErrNotCaller
	}
	return c.Get(ctx, id, caller)
}

// StopEarly implements Queue.
func (c *Client) StopEarly(ctx context.Context, id, caller string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	return c.store.StopEarly(ctx, id, caller)
}

// leave removes a waiter. The last waiter cancels the job unless it is detached. After an error the
// token expires, which only wastes worker time.
func (c *Client) leave(ctx context.Context, token string, job Job) {
	if job.Tool == "" {
		return
	}
	if _, err := c.store.Cancel(ctx, job, token, ""); err != nil {
		c.opt.Log.Warn("a job without waiters could not be cancelled", "job", job.ID, "error", err)
	}
}

// tooLate returns the failure text of a job that has reached its QueueTimeout.
func tooLate(waited time.Duration) string {
	return fmt.Sprintf(
		"The job waited %s in the queue without a worker becoming free. Try again later.",
		formatDuration(waited),
	)
}

// formatDuration formats a duration for users: "700 ms", "90 s", "10 min".
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g min", d.Minutes())
}
