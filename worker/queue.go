package worker

import (
	"context"
	"time"

	"slipstick/tools"
)

// SubmitOptions are the options of a request for a job.
type SubmitOptions struct {
	Priority Priority
	Caller   string // caller that may cancel the job; "": none
	// Group identifies the callers that share one turn in the queue and
	// ClientOptions.MaxInFlightPerCaller. It is an address with its free keys, or the paid keys of
	// one subject. If it is "", the Caller is the group. If both are "", there is no limit.
	Group       string
	MaxInFlight int // limit of unfinished jobs of the Caller; 0: no limit
	// Detached lets the job continue without waiters (respond-async).
	Detached bool
}

// group returns the group that takes a turn in the queue and whose limit applies.
func (s SubmitOptions) group() string {
	if s.Group != "" {
		return s.Group
	}
	return s.Caller
}

// share returns the Caller if it has its own limit, MaxInFlight, and otherwise "".
func (s SubmitOptions) share() string {
	if s.MaxInFlight > 0 {
		return s.Caller
	}
	return ""
}

// Queue is the interface through which callers run queued tools. Client implements it with Redis,
// and Local within a single process.
type Queue interface {
	// Submit validates the body. It enqueues a job, or joins an equal job that is in flight or
	// finished. It returns *tools.InputError, *BusyError or ErrUnavailable.
	Submit(ctx context.Context, tool *tools.Tool, body []byte, s SubmitOptions) (Job, error)
	// Wait returns when the job is finished, when the caller leaves it, or when d has elapsed. In
	// the last case it detaches the job. When ctx ends, Wait returns the error of ctx, and the last
	// waiter to leave cancels a job that is not detached.
	Wait(ctx context.Context, id, caller string, d time.Duration) (Job, error)
	// Get returns the state of a job. It returns ErrJobNotFound if the job is unknown or its result
	// has expired. No time in the job precedes the request with which the caller submitted or
	// joined it. A caller that left the job gets the cancelled state. Caller "" gets the unmodified
	// job.
	Get(ctx context.Context, id, caller string) (Job, error)
	// Watch calls progress when the progress of the job changes, until the job is finished or ctx
	// ends.
	Watch(ctx context.Context, id string, progress func(Job)) error
	// Cancel removes a caller from a job and returns the cancelled state for that caller. It
	// cancels the job if no other caller has it. Caller "" cancels it unconditionally. A finished
	// job does not change. Cancel returns ErrNotCaller if the caller has neither submitted nor
	// joined the job.
	Cancel(ctx context.Context, id, caller string) (Job, error)
	// StopEarly asks a running job to end soon with its best result so far. The tool must support
	// it (tools.Heavy.SupportsEarlyStop). StopEarly returns false unless the job is running and
	// caller is its only caller.
	StopEarly(ctx context.Context, id, caller string) (bool, error)
	// KeepWarnings stores a caller's warnings about its own request, such as unknown fields. The
	// result of the job does not contain them. Warnings returns them to this caller only, for as
	// long as the job is kept.
	KeepWarnings(ctx context.Context, id, caller string, warnings []string) error
	Warnings(ctx context.Context, id, caller string) ([]string, error)
	// Ready returns an error if the queue accepts no jobs.
	Ready(ctx context.Context) error
}
