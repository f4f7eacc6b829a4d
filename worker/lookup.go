package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hibiken/asynq"
)

// taskGrace is how long after being queued a job's task may be unknown to asynq.
const taskGrace = 3 * time.Second

// taskLooks: one look in so many also asks asynq for the task, which costs more than all the
// rest and matters only when a process died in the wrong millisecond.
const taskLooks = 3

// Get implements Queue.
func (c *Client) Get(ctx context.Context, id string) (Job, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	return c.refresh(ctx, id)
}

// refresh tells where a job stands, prolonging the waiters named, and mends what it finds
// broken: whoever looks at a job is its doctor, so a job somebody cares for needs no other.
func (c *Client) refresh(ctx context.Context, id string, tokens ...string) (Job, error) {
	args := []any{tokenLife.Milliseconds()}
	for _, t := range tokens {
		args = append(args, t)
	}
	keys := []string{metaKey(id), resultKey(id), waitersKey(id), beatKey(id)}
	reply, err := look.Run(ctx, c.rdb, keys, args...).Slice()
	if err != nil {
		return Job{}, unavailable(err)
	}
	switch text(reply, 0) {
	case "finished":
		job, err := unpack(id, []byte(text(reply, 1)))
		if errors.Is(err, ErrNoJob) { // dropped
			return Job{}, err
		}
		if err != nil {
			c.opt.Log.Warn("a stored result cannot be read", "job", id, "error", err)
			return Job{}, ErrNoJob
		}
		return job, nil
	case "large":
		length, _ := reply[2].(int64)
		job, err := c.large(id, []byte(text(reply, 1)), length)
		if err != nil {
			c.opt.Log.Warn("a stored result cannot be read", "job", id, "error", err)
			return Job{}, ErrNoJob
		}
		return job, nil
	case "absent":
		return Job{}, ErrNoJob
	}
	v := readView(id, reply[1])
	n, _ := reply[2].(int64)
	v.beating = n == 1
	return c.mend(ctx, v)
}

// mend enqueues a job again whose worker or task is gone, and fails one that has waited too long.
func (c *Client) mend(ctx context.Context, v view) (Job, error) {
	now := c.opt.Now()
	switch {
	case v.State == Running && !v.beating:
		c.opt.Log.Warn("a worker has died; its job is enqueued again", "job", v.ID, "tool", v.Tool, "task", v.task)
		if err := c.moveTo(ctx, v, v.class); err != nil {
			return Job{}, unavailable(err)
		}
		v.State = Queued
	case v.State == Queued && now.After(v.deadline):
		job := finished(v.Job, Failed, Outcome{Cause: Unserved, Failure: tooLate(v.deadline.Sub(v.EnqueuedAt))}, now, c.opt.ResultTTL)
		record, err := pack(job)
		if err != nil {
			return Job{}, err
		}
		keys := []string{metaKey(v.ID), resultKey(v.ID), waitersKey(v.ID), beatKey(v.ID)}
		stored, err := store.Run(ctx, c.rdb, keys, record, c.opt.ResultTTL.Milliseconds(), v.ID, doneChannel, v.task).Int()
		if err != nil {
			return Job{}, unavailable(err)
		}
		if stored == 0 { // finished or moved this very moment
			return v.Job, nil
		}
		c.forgetTask(v)
		c.release(ctx, v.caller, v.ID)
		return job, nil
	case v.State == Queued && now.Sub(v.moved) > taskGrace && rand.IntN(taskLooks) == 0 && c.taskLost(v):
		c.opt.Log.Warn("a queued job has lost its task; it is enqueued again", "job", v.ID, "tool", v.Tool, "task", v.task)
		if err := c.moveTo(ctx, v, v.class); err != nil {
			return Job{}, unavailable(err)
		}
	}
	return v.Job, nil
}

// taskLost says that asynq will not run a job's task: the process that queued it died before
// it told asynq, Redis lost the queue, or the worker died before it began.
func (c *Client) taskLost(v view) bool {
	info, err := c.inspector.GetTaskInfo(queueName(v.pool, v.class), v.task)
	if err != nil {
		return errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound)
	}
	switch info.State {
	case asynq.TaskStateActive:
		return info.IsOrphaned || !c.inHand(v.task)
	case asynq.TaskStateArchived, asynq.TaskStateCompleted:
		return true
	}
	return false
}

// inHand tells whether a living worker process says that it has a task. Asynq itself gives a dead one's
// tasks up after a minute. A worker says what it has every five seconds, but begins a job within
// milliseconds of taking its task, so a task that is taken, not begun and in nobody's list is a dead
// worker's; taken for one by mistake, it steps aside.
func (c *Client) inHand(task string) bool {
	servers, err := c.inspector.Servers()
	if err != nil {
		return true
	}
	for _, s := range servers {
		for _, w := range s.ActiveWorkers {
			if w.TaskID == task {
				return true
			}
		}
	}
	return false
}

// Cancel implements Queue.
func (c *Client) Cancel(ctx context.Context, id string) (Job, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	job, err := c.refresh(ctx, id)
	if err != nil || job.State.Finished() {
		return job, err
	}
	if _, err := c.stop(ctx, "", job); err != nil {
		return Job{}, err
	}
	return c.refresh(ctx, id)
}

// Enough implements Queue.
func (c *Client) Enough(ctx context.Context, id, caller string) (bool, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	asked, err := enough.Run(ctx, c.rdb, []string{metaKey(id)}, caller, id, cancelChannel).Int()
	return asked == 1, unavailable(err)
}

// leave is a waiter's departure; the last one cancels the job unless it is kept. What goes
// wrong here costs only the worker's time: the token expires.
func (c *Client) leave(ctx context.Context, token string, job Job) {
	if job.Tool == "" {
		return
	}
	if _, err := c.stop(ctx, token, job); err != nil {
		c.opt.Log.Warn("a job nobody waits for could not be cancelled", "job", job.ID, "error", err)
	}
}

// stop cancels a job; with a token only if that was the last waiter.
func (c *Client) stop(ctx context.Context, token string, job Job) (bool, error) {
	record, err := pack(finished(job, Cancelled, Outcome{Failure: "The job was cancelled."}, c.opt.Now(), c.opt.ResultTTL))
	if err != nil {
		return false, err
	}
	keys := []string{metaKey(job.ID), resultKey(job.ID), waitersKey(job.ID), beatKey(job.ID)}
	reply, err := cancel.Run(ctx, c.rdb, keys, record, c.opt.ResultTTL.Milliseconds(), job.ID, doneChannel, cancelChannel, token).Slice()
	if err != nil {
		return false, unavailable(err)
	}
	if len(reply) == 0 {
		return false, nil
	}
	v := view{Job: job, task: text(reply, 0), pool: text(reply, 1), class: Class(text(reply, 2))}
	c.forgetTask(v)
	c.release(ctx, text(reply, 3), job.ID)
	return true, nil
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
