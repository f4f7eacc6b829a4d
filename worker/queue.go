package worker

import (
	"context"
	"time"

	"slipstick/tools"
)

// SubmitOptions are the attributes of a request for a job.
type SubmitOptions struct {
	Priority Priority
	Caller   string // that may cancel the job; "": none
	// Group has one turn in its queue and the cap ClientOptions.MaxInFlightPerCaller: an address
	// and its free keys, or the paid keys of one subject. "": the Caller; without both there is no
	// cap.
	Group       string
	MaxInFlight int // limit of unfinished jobs of the Caller; 0: none
	// Detached lets the job continue without waiters (respond-async).
	Detached bool
}

// group is the group with the turn and the cap.
func (s SubmitOptions) group() string {
	if s.Group != "" {
		return s.Group
	}
	return s.Caller
}

// share is the caller with a bound of its own, or "".
func (s SubmitOptions) share() string {
	if s.MaxInFlight > 0 {
		return s.Caller
	}
	return ""
}

// Queue is the caller's side of the queued tools: Client, or Local for one process.
type Queue interface {
	// Submit validates the body and enqueues it, or joins the equal job in flight or finished.
	// Errors: *tools.InputError, *BusyError, ErrUnavailable.
	Submit(ctx context.Context, tool *tools.Tool, body []byte, s SubmitOptions) (Job, error)
	// Wait returns when the job is finished, or unfinished after d, which detaches the job. When
	// ctx ends the waiter leaves: the last waiter of a job that is not detached cancels it.
	Wait(ctx context.Context, id string, d time.Duration) (Job, error)
	// Get returns the state of a job; ErrJobNotFound when it is unknown or its result has expired.
	// For a caller that submitted or joined the job, no time is before that. For a caller that left
	// the job, it is cancelled. Caller "" gets the job unchanged.
	Get(ctx context.Context, id, caller string) (Job, error)
	// Watch calls progress when the job's progress changes, until it is finished or ctx ends.
	Watch(ctx context.Context, id string, progress func(Job)) error
	// Cancel removes a caller from a job, cancels the job when no other caller has it, and returns
	// its state for the caller: cancelled. Caller "" cancels it unconditionally. A finished job is
	// unchanged. ErrNotCaller: the caller has neither submitted nor joined it.
	Cancel(ctx context.Context, id, caller string) (Job, error)
	// StopEarly requests a running job to end soon with its best result so far; its tool must
	// support that (tools.Heavy.SupportsEarlyStop). It returns false when the job is not running,
	// or has other callers.
	StopEarly(ctx context.Context, id, caller string) (bool, error)
	// KeepWarnings stores a caller's warnings on its request for a job that the job's result does
	// not contain, such as those on unknown fields. Warnings returns them as long as the job is
	// kept. Other callers of the job do not get them.
	KeepWarnings(ctx context.Context, id, caller string, warnings []string) error
	Warnings(ctx context.Context, id, caller string) ([]string, error)
	// Ready returns an error when the queue accepts no jobs.
	Ready(ctx context.Context) error
}
