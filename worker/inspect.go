package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipstick/tools"
	"slipstick/worker/store"
)

// Inspector provides the operations on a Client's queue that operators need.
type Inspector struct{ client *Client }

// JobInfo describes a job in flight for operators.
type JobInfo struct {
	Job
	Pool     string
	Priority Priority
	Caller   string
	Runs     int
}

// Pool returns the queue lengths, the slots and the average run time of a pool.
func (i Inspector) Pool(ctx context.Context, pool string) (PoolState, error) {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	return i.client.store.Pool(ctx, pool)
}

// InFlight lists the running and waiting jobs of a pool by priority, at most the given number.
// Waiting jobs are in the order in which they will begin.
func (i Inspector) InFlight(ctx context.Context, pool string, most int) ([]JobInfo, error) {
	var all []JobInfo
	for _, p := range Priorities() {
		tasks, err := i.client.store.Tasks(ctx, store.QueueName(pool, p))
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, t := range tasks {
			id := store.JobOfTask(t)
			if seen[id] {
				continue
			}
			seen[id] = true
			l, err := i.Inspect(ctx, id)
			if errors.Is(err, ErrJobNotFound) || err == nil && (l.State.Finished() ||
				l.Priority != p) {
				continue // the job has finished or moved since
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

// Inspect returns all attributes of a job in flight. For a finished job it sets only Job.
func (i Inspector) Inspect(ctx context.Context, id string) (JobInfo, error) {
	job, err := i.client.Get(ctx, id, "")
	if err != nil {
		return JobInfo{}, err
	}
	info := JobInfo{Job: job}
	info.Pool, info.Priority, info.Caller, info.Runs, err = i.client.store.Runs(ctx, id)
	if err != nil {
		return JobInfo{}, err
	}
	return info, nil
}

// PauseQueue keeps workers from beginning jobs of a pool. Running jobs continue. ResumeQueue ends
// the pause.
func (i Inspector) PauseQueue(ctx context.Context, pool string) error {
	return i.client.store.SetPaused(ctx, pool, true)
}

// ResumeQueue allows workers to begin jobs of a pool again.
func (i Inspector) ResumeQueue(ctx context.Context, pool string) error {
	return i.client.store.SetPaused(ctx, pool, false)
}

// Paused reports whether PauseQueue or Drain has paused a pool.
func (i Inspector) Paused(ctx context.Context, pool string) (bool, error) {
	return i.client.store.Paused(ctx, pool)
}

// Drain pauses a pool and waits until none of its jobs is running or ctx ends. The pool remains
// paused.
func (i Inspector) Drain(ctx context.Context, pool string) error {
	if err := i.PauseQueue(ctx, pool); err != nil {
		return err
	}
	for {
		active, err := i.client.store.Active(pool)
		if err != nil || !active {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// DeadJobs lists the jobs whose runs all crashed, latest first.
func (i Inspector) DeadJobs(ctx context.Context) ([]DeadJob, error) {
	return i.client.store.DeadJobs(ctx)
}

// NotDeadError is returned for the retry of a job that is not dead.
type NotDeadError struct{ State State }

// Error implements the error interface.
func (e *NotDeadError) Error() string {
	return fmt.Sprintf("the job is %s; a retry is for dead jobs, which crashed in each of their runs",
		e.State)
}

// Retry resubmits a dead job, detached and with the highest priority. If the tool's version in the
// catalog has changed, the job gets a new id. It returns a *NotDeadError for a job that is not
// dead.
func (i Inspector) Retry(ctx context.Context, catalog *tools.Catalog, id string) (Job, error) {
	dead, err := i.client.store.DeadJob(ctx, id)
	if errors.Is(err, ErrJobNotFound) {
		job, err := i.client.Get(ctx, id, "")
		if err != nil {
			return Job{}, err
		}
		return Job{}, &NotDeadError{State: job.State}
	}
	if err != nil {
		return Job{}, err
	}
	entry, err := catalog.FindQueued(dead.Tool)
	if err != nil {
		return Job{}, fmt.Errorf("the tool of the dead job no longer exists: %w", err)
	}
	options := SubmitOptions{Priority: PriorityPaid, Detached: true}
	job, err := i.client.Submit(ctx, entry.Tool, []byte(dead.Input), options)
	if err != nil {
		return Job{}, err
	}
	return job, i.client.store.RemoveDead(ctx, id)
}
