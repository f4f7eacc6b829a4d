package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// State is where a job stands.
type State string

// A job is queued, then running, then exactly one of the last four, for good.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"      // has a result
	Rejected  State = "refused"   // the input was wrong: the caller's mistake, never retried
	Failed    State = "failed"    // could not be computed: crashed repeatedly, or ran out of time
	Cancelled State = "cancelled" // stopped on request
)

// Finished reports whether the state is final.
func (s State) Finished() bool { return s == Done || s == Rejected || s == Failed || s == Cancelled }

// Job is what is known about a job.
type Job struct {
	ID           string
	Tool         string
	Version      string
	State        State
	Progress     tools.Progress
	EnqueuedAt   time.Time
	FinishedAt   time.Time // zero until finished
	ExpiresAt    time.Time // when a finished job's result goes; zero before
	Outcome      Outcome   // filled in when finished
	StoppedEarly bool      // ended by Enough; its result answers no other request
}

// stands reports whether a finished job answers equal requests. Failed, cancelled and early ended
// ones make way for a new run.
func (j *Job) stands() bool { return j.State == Done && !j.StoppedEarly || j.State == Rejected }

// Outcome is how a run ended. Exactly one of Result, Faults and Failure is set.
type Outcome struct {
	Result      json.RawMessage     `json:"result,omitempty"` // nil of a large result that Large has
	Large       *LargeResult        `json:"-"`                // nil unless the result stays in the store until it is read
	FieldErrors []schema.FieldError `json:"faults,omitempty"`
	Failure     string              `json:"failure,omitempty"` // a sentence fit for the caller
	Cause       Cause               `json:"cause,omitempty"`   // of a failure
	ComputeMS   float64             `json:"compute_ms"`
}

// Cause is why a job failed, for those who answer differently to each.
type Cause string

// The causes of a failure.
const (
	TimedOut    Cause = "out_of_time" // the computation took longer than the tool allows
	Unavailable Cause = "unserved"    // no worker took it, or none could: worth trying again
	Crashed     Cause = "crashed"     // the computation ended its process each time
	Internal    Cause = "defect"      // the tool returned an error that is not the caller's
)

// Priority decides which queue of a pool a caller's jobs enter.
type Priority string

// The classes, best served first. They are weighted so that nobody starves.
const (
	PriorityPaid      Priority = "paid"
	PriorityFree      Priority = "free"
	PriorityAnonymous Priority = "anonymous"
)

// Priorities lists the classes, best served first.
func Priorities() []Priority { return []Priority{PriorityPaid, PriorityFree, PriorityAnonymous} }

// weight is the class's share of the workers while every class has jobs waiting.
func (c Priority) weight() int {
	switch c {
	case PriorityPaid:
		return 6
	case PriorityFree:
		return 3
	}
	return 1
}

// known gives the class itself, or the last for what is none.
func (c Priority) known() Priority {
	if c == PriorityPaid || c == PriorityFree {
		return c
	}
	return PriorityAnonymous
}

// SubmitOptions is what a caller asks for.
type SubmitOptions struct {
	Priority Priority
	Caller   string // who may cancel the job; "": nobody is noted
	// Group shares one turn in its queue and the cap ClientOptions.MaxInFlightPerCaller: an address and its
	// free keys, or the paid keys of one subject. "": the Caller; without both there is no cap.
	Group       string
	MaxInFlight int // how many unfinished jobs the Caller may have begun besides; 0: no such bound
	// Detached lets the job run to its end even when nobody waits for it (respond-async).
	Detached bool
}

// group is who shares a turn and a cap.
func (s SubmitOptions) group() string {
	if s.Group != "" {
		return s.Group
	}
	return s.Caller
}

// Queue is the caller's side of the heavy tools. Client is the real one.
type Queue interface {
	// Submit checks the body against the tool's schema and enqueues it, or joins the equal job in
	// flight or finished. Errors: *tools.InputError, *BusyError, ErrUnavailable.
	Submit(ctx context.Context, tool *tools.Tool, body []byte, s SubmitOptions) (Job, error)
	// Wait returns when the job is finished, or unfinished after d. When ctx ends the waiter has
	// left: if it was the last one, and nobody asked to keep the job, the job is cancelled.
	// A bounded wait that runs out keeps the job.
	Wait(ctx context.Context, id string, d time.Duration) (Job, error)
	// Get tells where a job stands; ErrJobNotFound when it is unknown or its result has gone. The
	// times are those of the caller, if it has submitted or joined the job: no earlier than that.
	// A caller who left the job finds it cancelled. Caller "" finds it as it is.
	Get(ctx context.Context, id, caller string) (Job, error)
	// Watch calls progress whenever the job's progress changes, until it is finished or ctx ends.
	Watch(ctx context.Context, id string, progress func(Job)) error
	// Cancel takes a caller from a job and returns the job as it then stands for the caller:
	// cancelled. The job is stopped when no other caller has it; with caller "" whoever has it.
	// A finished job stays as it was. ErrNotCaller: the caller has neither submitted nor joined it.
	Cancel(ctx context.Context, id, caller string) (Job, error)
	// StopEarly asks a running job, whose tool must be one that can (tools.Heavy.SupportsEarlyStop), to end soon with
	// the best it has. It tells whether the job was asked: not unless the caller alone has joined it.
	StopEarly(ctx context.Context, id, caller string) (bool, error)
	// KeepWarnings stores what a caller is to be told of its request for a job besides what the
	// job's result says, such as unknown fields; Warnings gives it, for as long as the job can be
	// asked for. Other callers of the job are not told.
	KeepWarnings(ctx context.Context, id, caller string, warnings []string) error
	Warnings(ctx context.Context, id, caller string) ([]string, error)
	// Ready says whether jobs can be taken.
	Ready(ctx context.Context) error
}

// ErrJobNotFound says that no such job is known.
var ErrJobNotFound = errors.New("there is no such job, or its result is no longer kept")

// DropReason says why a result was dropped before its time.
type DropReason string

// The reasons for dropping a result.
const (
	DroppedForRoom   DropReason = "total"     // the oldest made room for others
	DroppedForCaller DropReason = "caller"    // its caller stored more than one caller may
	DroppedRead      DropReason = "delivered" // larger than one caller may store, and delivered
	DroppedForMemory DropReason = "memory"    // Redis had no memory left
)

// DroppedError says that a job is done but its result is no longer stored. It is an ErrJobNotFound.
type DroppedError struct{ Reason DropReason }

func (e *DroppedError) Error() string {
	switch e.Reason {
	case DroppedForCaller:
		return "the result was dropped before its time: its caller has stored more bytes of results since than one caller may"
	case DroppedRead:
		return "the result was dropped after it had been delivered: it is larger than the results that one caller may store"
	}
	return "the result was dropped before its time to make room for newer results"
}

// Is makes it an ErrJobNotFound to those who do not ask for the reason.
func (e *DroppedError) Is(target error) bool { return target == ErrJobNotFound }

// ErrNotCaller says that a caller has neither submitted nor joined a job.
var ErrNotCaller = errors.New("the job was submitted by other callers")

// ErrUnavailable says that the queue cannot be reached.
var ErrUnavailable = errors.New("the job queue cannot be reached")

// BusyError says that the queue takes no more jobs now.
type BusyError struct {
	RetryAfter time.Duration
	Reason     string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s; try again in %d s", e.Reason, int(e.RetryAfter.Seconds()+0.5))
}
