package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker/gzipped"
)

// State is the state of a job.
type State string

// States of a job. A job is queued, then running, then in one of the last four states, which are
// final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"      // the job has a result
	Rejected  State = "refused"   // the input is invalid; the job is never retried
	Failed    State = "failed"    // the run failed or never began; see Outcome.Cause
	Cancelled State = "cancelled" // stopped on request
)

// Finished reports whether the state is final.
func (s State) Finished() bool {
	return s == Done || s == Rejected || s == Failed || s == Cancelled
}

// Job is the state of a job and, if it is finished, its outcome.
type Job struct {
	ID           string
	Tool         string
	Version      string
	State        State
	Progress     tools.Progress
	EnqueuedAt   time.Time
	FinishedAt   time.Time // zero until finished
	ExpiresAt    time.Time // expiry of the result; zero until finished
	Outcome      Outcome   // set when the job is finished
	StoppedEarly bool      // the result must not answer other requests
}

// Reusable reports whether a finished job answers equal requests. Failed, cancelled and
// early-stopped jobs do not.
func (j *Job) Reusable() bool { return j.State == Done && !j.StoppedEarly || j.State == Rejected }

// Finish returns the job in a final state at the given time. Its result expires after ttl.
func (j Job) Finish(s State, o Outcome, at time.Time, ttl time.Duration) Job {
	j.State, j.Outcome, j.FinishedAt, j.ExpiresAt = s, o, at, at.Add(ttl)
	return j
}

// Since returns the job as seen by a caller that submitted or joined it at the given time. An
// earlier time in the job would reveal that another caller ran it before.
func (j Job) Since(joined time.Time) Job {
	if j.EnqueuedAt.Before(joined) {
		j.EnqueuedAt = joined
	}
	if !j.FinishedAt.IsZero() && j.FinishedAt.Before(joined) {
		j.FinishedAt = joined
	}
	return j
}

// Outcome is the outcome of a run. Exactly one of a result, FieldErrors and Failure is set. A
// result is in Result, Gzipped or Large.
type Outcome struct {
	Result json.RawMessage `json:"result,omitempty"` // nil for a large result
	// large result before it is stored, or nil
	Gzipped *gzipped.Result `json:"-"`
	// result to be read from Redis, or nil
	Large       *LargeResult        `json:"-"`
	FieldErrors []schema.FieldError `json:"faults,omitempty"`
	Failure     string              `json:"failure,omitempty"` // one sentence for the caller
	Cause       Cause               `json:"cause,omitempty"`   // of a failure
	ComputeMS   float64             `json:"compute_ms"`
}

// Cause is the cause of a failure.
type Cause string

// Causes of a failure.
const (
	TimedOut Cause = "out_of_time" // the tool reached its time limit
	// Unavailable means that no worker began the job, or none has its tool. A retry may succeed.
	Unavailable Cause = "unserved"
	Crashed     Cause = "crashed" // every run crashed
	Internal    Cause = "defect"  // the tool returned an error other than invalid input
)

// Priority selects the queue of a pool for a caller's jobs.
type Priority string

// Priorities, highest first. The queues are weighted, so none starves. Batch jobs wait while any
// other job of the pool waits.
const (
	PriorityPaid      Priority = "paid"
	PriorityFree      Priority = "free"
	PriorityAnonymous Priority = "anonymous"
	PriorityBatch     Priority = "batch" // chunks of batches; no caller waits for them
)

// Priorities returns the priorities, highest first.
func Priorities() []Priority {
	return []Priority{PriorityPaid, PriorityFree, PriorityAnonymous, PriorityBatch}
}

// Weight returns the weight of the priority's queue. It determines the share of the workers while
// every priority has waiting jobs: 60, 30, 10, and 1 for batches.
func (p Priority) Weight() int {
	switch p {
	case PriorityPaid:
		return 60
	case PriorityFree:
		return 30
	case PriorityBatch:
		return 1
	}
	return 10
}

// Normalize returns p, or PriorityAnonymous if p is unknown.
func (p Priority) Normalize() Priority {
	if p == PriorityPaid || p == PriorityFree || p == PriorityBatch {
		return p
	}
	return PriorityAnonymous
}

// ErrJobNotFound is returned for an unknown or expired job.
var ErrJobNotFound = errors.New("there is no such job, or its result is no longer kept")

// DropReason is the reason for the eviction of a result.
type DropReason string

// Reasons for the eviction of a result.
const (
	DroppedForRoom   DropReason = "total"     // budget of all results exceeded
	DroppedForCaller DropReason = "caller"    // budget of the caller exceeded
	DroppedRead      DropReason = "delivered" // budget of the caller exceeded; already delivered
	DroppedForMemory DropReason = "memory"    // Redis had no memory left
)

// DroppedError is returned for a finished job whose result was evicted. It matches ErrJobNotFound
// in errors.Is.
type DroppedError struct{ Reason DropReason }

// Error implements the error interface.
func (e *DroppedError) Error() string {
	switch e.Reason {
	case DroppedForCaller:
		return "the result was dropped before its time: its caller has stored more bytes of results " +
			"since than one caller may"
	case DroppedRead:
		return "the result was dropped after it had been delivered: it is larger than the results " +
			"that one caller may store"
	}
	return "the result was dropped before its time to make room for newer results"
}

// Is reports whether target is ErrJobNotFound.
func (e *DroppedError) Is(target error) bool { return target == ErrJobNotFound }

// ErrNotCaller is returned to a caller that has neither submitted nor joined the job.
var ErrNotCaller = errors.New("the job was submitted by other callers")

// ErrUnavailable is returned while Redis is unreachable or refuses writes, as a read-only replica
// does.
var ErrUnavailable = errors.New("the job queue cannot be reached or refuses writes")

// BusyError is returned for a job that the queue does not accept at present. The queue is full, or
// a caller has reached a limit.
type BusyError struct {
	RetryAfter time.Duration
	Reason     string
	OfCaller   bool // the limit is one of the caller, not of the service
}

// Error implements the error interface.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s; try again in %d s", e.Reason, int(e.RetryAfter.Seconds()+0.5))
}
