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

// The states of a job: queued, then running, then one of the last four, which are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"      // has a result
	Rejected  State = "refused"   // the input is invalid; never retried
	Failed    State = "failed"    // crashed repeatedly, or exceeded its time limit
	Cancelled State = "cancelled" // stopped on request
)

// Finished reports whether the state is final.
func (s State) Finished() bool {
	return s == Done || s == Rejected || s == Failed || s == Cancelled
}

// Job is the state of a job, with its outcome when it is finished.
type Job struct {
	ID           string
	Tool         string
	Version      string
	State        State
	Progress     tools.Progress
	EnqueuedAt   time.Time
	FinishedAt   time.Time // zero until finished
	ExpiresAt    time.Time // expiry of a finished job's result; zero before
	Outcome      Outcome   // of a finished job
	StoppedEarly bool      // its result answers no other request
}

// Reusable reports whether a finished job answers equal requests. A failed or cancelled job, and
// one stopped early, does not.
func (j *Job) Reusable() bool { return j.State == Done && !j.StoppedEarly || j.State == Rejected }

// Finish returns the job as finished at a time, with a result that expires after ttl.
func (j Job) Finish(s State, o Outcome, at time.Time, ttl time.Duration) Job {
	j.State, j.Outcome, j.FinishedAt, j.ExpiresAt = s, o, at, at.Add(ttl)
	return j
}

// Since returns the job as seen by a caller who submitted or joined it at a time. An earlier time
// of the job would reveal that another caller ran it before.
func (j Job) Since(joined time.Time) Job {
	if j.EnqueuedAt.Before(joined) {
		j.EnqueuedAt = joined
	}
	if !j.FinishedAt.IsZero() && j.FinishedAt.Before(joined) {
		j.FinishedAt = joined
	}
	return j
}

// Outcome is the end of a run. Exactly one of a result, FieldErrors and Failure is set; the result
// has one of three forms.
type Outcome struct {
	Result json.RawMessage `json:"result,omitempty"` // nil for a large result
	// a large result before it is stored, or nil
	Gzipped *gzipped.Result `json:"-"`
	// result that is read from Redis, or nil
	Large       *LargeResult        `json:"-"`
	FieldErrors []schema.FieldError `json:"faults,omitempty"`
	Failure     string              `json:"failure,omitempty"` // one sentence for the caller
	Cause       Cause               `json:"cause,omitempty"`   // of a failure
	ComputeMS   float64             `json:"compute_ms"`
}

// Cause is the cause of a failure.
type Cause string

// The causes of a failure.
const (
	TimedOut Cause = "out_of_time" // the time limit of the tool
	// no worker began it, or none has the tool; a retry may succeed
	Unavailable Cause = "unserved"
	Crashed     Cause = "crashed" // each run ended its process
	Internal    Cause = "defect"  // the tool returned an error of its own
)

// Priority selects the queue of a pool for a caller's jobs.
type Priority string

// The priorities, highest first. Queues are weighted, so that none starves; those of batches wait
// until no other job of the pool does.
const (
	PriorityPaid      Priority = "paid"
	PriorityFree      Priority = "free"
	PriorityAnonymous Priority = "anonymous"
	PriorityBatch     Priority = "batch" // chunks of batches, without a waiting caller
)

// Priorities returns the priorities, highest first.
func Priorities() []Priority {
	return []Priority{PriorityPaid, PriorityFree, PriorityAnonymous, PriorityBatch}
}

// Weight is the share of the workers while every priority has jobs waiting: 60, 30, 10, and 1 for
// batches.
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

// Normalize returns the priority itself, or PriorityAnonymous for an unknown one.
func (p Priority) Normalize() Priority {
	if p == PriorityPaid || p == PriorityFree || p == PriorityBatch {
		return p
	}
	return PriorityAnonymous
}

// ErrJobNotFound is the error for an unknown or expired job.
var ErrJobNotFound = errors.New("there is no such job, or its result is no longer kept")

// DropReason is the reason for the eviction of a result.
type DropReason string

// The reasons for the eviction of a result.
const (
	DroppedForRoom   DropReason = "total"     // the budget of all results
	DroppedForCaller DropReason = "caller"    // the budget of its caller
	DroppedRead      DropReason = "delivered" // above the budget of its caller, and delivered
	DroppedForMemory DropReason = "memory"    // Redis had no memory left
)

// DroppedError is the error for a job that is done and whose result was evicted. errors.Is reports
// it as ErrJobNotFound.
type DroppedError struct{ Reason DropReason }

// Error implements error.
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

// ErrNotCaller is the error for a caller that has neither submitted nor joined a job.
var ErrNotCaller = errors.New("the job was submitted by other callers")

// ErrUnavailable is the error while Redis is not reachable.
var ErrUnavailable = errors.New("the job queue cannot be reached")

// BusyError is the error of a queue that accepts no more jobs.
type BusyError struct {
	RetryAfter time.Duration
	Reason     string
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s; try again in %d s", e.Reason, int(e.RetryAfter.Seconds()+0.5))
}
