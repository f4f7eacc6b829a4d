package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// taskGrace is how long after being queued a job may be missing in its queue.
const taskGrace = 3 * time.Second

// taskLooks: one look in so many also asks whether a queued job is in its queue, which matters
// only when a process died in the wrong millisecond.
const taskLooks = 3

// Get implements Queue.
func (c *Client) Get(ctx context.Context, id, caller string) (Job, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	job, err := c.poll(ctx, id)
	if err != nil || caller == "" {
		return job, err
	}
	return c.seenBy(ctx, job, caller)
}

// seenBy is a job as a caller sees it.
func (c *Client) seenBy(ctx context.Context, job Job, caller string) (Job, error) {
	value, err := c.rdb.HGet(ctx, callersKey(job.ID), caller).Result()
	if errors.Is(err, redis.Nil) {
		return job, nil
	}
	if err != nil {
		return Job{}, unavailable(err)
	}
	if gone, isGone := strings.CutPrefix(value, "-"); isGone {
		left, joined, _ := strings.Cut(gone, "-")
		return c.cancelledFor(job, stampOf(joined), stampOf(left)), nil
	}
	return job.Since(stampOf(value)), nil
}

// stampOf reads a time in milliseconds.
func stampOf(ms string) time.Time {
	n, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n)
}

// Since is a job as a caller sees it who submitted or joined it at that time: an earlier time
// would tell that another caller ran it before.
func (j Job) Since(joined time.Time) Job {
	if j.EnqueuedAt.Before(joined) {
		j.EnqueuedAt = joined
	}
	if !j.FinishedAt.IsZero() && j.FinishedAt.Before(joined) {
		j.FinishedAt = joined
	}
	return j
}

// cancelledFor is a job as a caller sees it who joined and left it at those times.
func (c *Client) cancelledFor(j Job, joined, left time.Time) Job {
	j = j.Since(joined)
	return finished(j, Cancelled, Outcome{Failure: cancelledSentence}, left, c.opt.ResultTTL)
}

const cancelledSentence = "The job was cancelled."

// poll tells where a job stands, prolonging the waiters named, and mends what it finds
// broken: whoever looks at a job is its doctor, so a job somebody cares for needs no other.
func (c *Client) poll(ctx context.Context, id string, tokens ...string) (Job, error) {
	args := []any{waiterTTL.Milliseconds()}
	for _, t := range tokens {
		args = append(args, t)
	}
	keys := []string{metaKey(id), resultKey(id), waitersKey(id), heartbeatKey(id)}
	reply, err := lookupScript.Run(ctx, c.rdb, keys, args...).Slice()
	if err != nil {
		return Job{}, unavailable(err)
	}
	switch text(reply, 0) {
	case "finished":
		job, err := unpack(id, []byte(text(reply, 1)))
		if errors.Is(err, ErrJobNotFound) { // dropped
			return Job{}, err
		}
		if err != nil {
			c.opt.Log.Warn("a stored result cannot be read", "job", id, "error", err)
			return Job{}, ErrJobNotFound
		}
		return job, nil
	case "large":
		length, _ := reply[2].(int64)
		job, err := c.large(id, []byte(text(reply, 1)), length)
		if err != nil {
			c.opt.Log.Warn("a stored result cannot be read", "job", id, "error", err)
			return Job{}, ErrJobNotFound
		}
		return job, nil
	case "absent":
		return Job{}, ErrJobNotFound
	}
	v := readInFlightJob(id, reply[1])
	n, _ := reply[2].(int64)
	v.beating = n == 1
	return c.repair(ctx, v)
}

// repair enqueues a job again whose worker or task is gone, and fails one that has waited too long.
func (c *Client) repair(ctx context.Context, v inFlightJob) (Job, error) {
	now := c.opt.Now()
	switch {
	case v.State == Running && !v.beating:
		c.opt.Log.Warn("a worker has died; its job is enqueued again", "job", v.ID, "tool", v.Tool, "task", v.task)
		if err := c.queues.move(ctx, v, v.class, v.group); err != nil {
			return Job{}, unavailable(err)
		}
		v.State = Queued
	case v.State == Queued && now.After(v.deadline):
		job := finished(v.Job, Failed, Outcome{Cause: Unavailable, Failure: tooLate(v.deadline.Sub(v.EnqueuedAt))}, now, c.opt.ResultTTL)
		record, err := pack(job)
		if err != nil {
			return Job{}, err
		}
		keys := []string{metaKey(v.ID), resultKey(v.ID), waitersKey(v.ID), heartbeatKey(v.ID)}
		stored, err := storeScript.Run(ctx, c.rdb, keys, record, c.opt.ResultTTL.Milliseconds(), v.ID, doneChannel, v.task).Int()
		if err != nil {
			return Job{}, unavailable(err)
		}
		if stored != 1 { // finished or moved this very moment
			return v.Job, nil
		}
		c.queues.remove(ctx, v)
		c.releaseSlot(ctx, v.ID, v.caller, v.share)
		return job, nil
	case v.State == Queued && now.Sub(v.moved) > taskGrace && rand.IntN(taskLooks) == 0:
		lost, err := c.queues.lost(ctx, v)
		if err == nil && lost {
			c.opt.Log.Warn("a queued job is missing in its queue; it is enqueued again", "job", v.ID, "tool", v.Tool, "task", v.task)
			err = c.queues.move(ctx, v, v.class, v.group)
		}
		if err != nil {
			return Job{}, unavailable(err)
		}
	}
	return v.Job, nil
}

// Cancel implements Queue.
func (c *Client) Cancel(ctx context.Context, id, caller string) (Job, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	job, err := c.poll(ctx, id)
	if err != nil {
		return job, err
	}
	if job.State.Finished() {
		return c.Get(ctx, id, caller)
	}
	switch how, err := c.cancelJob(ctx, "", caller, job); {
	case err != nil:
		return Job{}, err
	case how == "left":
		seen, err := c.seenBy(ctx, job, caller)
		if err == nil && !seen.State.Finished() { // one of more callers than are noted
			seen = c.cancelledFor(job, c.opt.Now(), c.opt.Now())
		}
		return seen, err
	case how == "stranger":
		return Job{}, ErrNotCaller
	}
	return c.Get(ctx, id, caller)
}

// StopEarly implements Queue.
func (c *Client) StopEarly(ctx context.Context, id, caller string) (bool, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	asked, err := stopEarlyScript.Run(ctx, c.rdb, []string{metaKey(id), callersKey(id)}, caller, id, cancelChannel).Int()
	return asked == 1, unavailable(err)
}

// leave is a waiter's departure; the last one cancels the job unless it is kept. What goes
// wrong here costs only the worker's time: the token expires.
func (c *Client) leave(ctx context.Context, token string, job Job) {
	if job.Tool == "" {
		return
	}
	if _, err := c.cancelJob(ctx, token, "", job); err != nil {
		c.opt.Log.Warn("a job nobody waits for could not be cancelled", "job", job.ID, "error", err)
	}
}

// cancelJob cancels a job; with a token only if that was the last waiter, with a caller only if that
// was the last caller. It returns the first word that the cancel script answers, or "".
func (c *Client) cancelJob(ctx context.Context, token, caller string, job Job) (string, error) {
	record, err := pack(finished(job, Cancelled, Outcome{Failure: cancelledSentence}, c.opt.Now(), c.opt.ResultTTL))
	if err != nil {
		return "", err
	}
	keys := []string{metaKey(job.ID), resultKey(job.ID), waitersKey(job.ID), heartbeatKey(job.ID), callersKey(job.ID)}
	reply, err := cancelScript.Run(ctx, c.rdb, keys,
		record, c.opt.ResultTTL.Milliseconds(), job.ID, doneChannel, cancelChannel, token, caller, leftChannel).Slice()
	if err != nil {
		return "", unavailable(err)
	}
	how := text(reply, 0)
	if how == "cancelled" {
		v := readInFlightJob(job.ID, reply[1])
		if v.State == Queued {
			c.queues.remove(ctx, v)
		}
		c.releaseSlot(ctx, job.ID, v.caller, v.share)
	}
	return how, nil
}

// finished is a job with its end.
func finished(j Job, s State, o Outcome, now time.Time, ttl time.Duration) Job {
	j.State, j.Outcome, j.FinishedAt, j.ExpiresAt = s, o, now, now.Add(ttl)
	return j
}

func tooLate(waited time.Duration) string {
	return fmt.Sprintf("The job waited %s in the queue without a worker becoming free. Try again later.", inWords(waited))
}

// inWords writes a duration for people: "700 ms", "90 s", "10 min".
func inWords(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g min", d.Minutes())
}
