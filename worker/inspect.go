package worker

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"
)

// JobInfo is a job in flight as an operator sees it.
type JobInfo struct {
	Job
	Pool   string
	Class  Priority
	Caller string
	Runs   int
}

// InFlight lists up to most jobs of a pool that are running or waiting, by class; those that wait
// in the order in which they are to begin.
func (c *Client) InFlight(ctx context.Context, pool string, most int) ([]JobInfo, error) {
	var all []JobInfo
	for _, class := range Priorities() {
		tasks, err := c.queues.inFlight(ctx, queueName(pool, class))
		if err != nil {
			return nil, unavailable(err)
		}
		seen := map[string]bool{}
		for _, t := range tasks {
			id := jobOf(t)
			if seen[id] {
				continue
			}
			seen[id] = true
			l, err := c.Inspect(ctx, id)
			if errors.Is(err, ErrJobNotFound) || err == nil && (l.State.Finished() || l.Class != class) { // ended or moved since
				continue
			}
			if err != nil {
				return nil, err
			}
			if all = append(all, l); len(all) >= most {
				return all, nil
			}
		}
	}
	return all, nil
}

// Inspect tells everything about a job in flight. A finished one has only what Get tells.
func (c *Client) Inspect(ctx context.Context, id string) (JobInfo, error) {
	job, err := c.Get(ctx, id, "")
	if err != nil {
		return JobInfo{}, err
	}
	f, err := c.rdb.HMGet(ctx, metaKey(id), "pool", "class", "caller", "runs").Result()
	if err != nil {
		return JobInfo{}, unavailable(err)
	}
	return JobInfo{Job: job, Pool: text(f, 0), Class: Priority(text(f, 1)), Caller: text(f, 2), Runs: int(number(f, 3))}, nil
}

// PauseQueue keeps workers from beginning jobs of a pool; those running go on. Release undoes it.
func (c *Client) PauseQueue(ctx context.Context, pool string) error {
	return c.eachQueue(ctx, pool, 0, c.queues.inspector.PauseQueue)
}

// ResumeQueue lets workers begin jobs of a pool again.
func (c *Client) ResumeQueue(ctx context.Context, pool string) error {
	return c.eachQueue(ctx, pool, 1, c.queues.inspector.UnpauseQueue)
}

// eachQueue changes every queue of a pool that is held (1) or not held (0). asynq refuses to
// change a queue to what it is, so its mark is looked at first.
func (c *Client) eachQueue(ctx context.Context, pool string, held int64, change func(string) error) error {
	for _, class := range Priorities() {
		queue := queueName(pool, class)
		is, err := c.rdb.Exists(ctx, pausedKey(queue)).Result()
		if err == nil && is == held {
			err = change(queue)
		}
		if err != nil {
			return unavailable(err)
		}
	}
	return nil
}

// Drain holds a pool and waits until none of its jobs is running.
func (c *Client) Drain(ctx context.Context, pool string) error {
	if err := c.PauseQueue(ctx, pool); err != nil {
		return err
	}
	for {
		running := 0
		for _, class := range Priorities() {
			active, err := c.queues.inspector.ListActiveTasks(queueName(pool, class), asynq.PageSize(1))
			if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
				return unavailable(err)
			}
			running += len(active)
		}
		if running == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
