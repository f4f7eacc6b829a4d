// Package call makes the calls of tools. Every protocol enters at Runner.Run: REST, MCP over HTTP
// and over standard input, the page, its forms and its sweeps. Run authenticates the caller,
// reserves quota, computes a synchronous tool in place or enqueues a queued one and waits, commits
// or refunds, and records one span, one observation of the metric and one outcome. A protocol
// translates its requests into calls, and their results into its answers.
package call

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"slipstick/keys"
	"slipstick/worker"
)

// Caller is the sender of a call.
type Caller struct {
	keys.Caller
	// Quota admits and counts the call in place of the Runner's; nil: the Runner's.
	Quota keys.Quota
	// RequestID is the id of the request in logs and traces; "" for none.
	RequestID string
	// Trace carries the span of the client (W3C Trace Context). It is read before the call is
	// admitted and not later; nil for none.
	Trace propagation.TextMapCarrier
}

// Options are the wishes of a protocol. The functions may be nil; Run calls them in its own
// goroutine.
type Options struct {
	// Invalid is a fault that the protocol found in the request. The call is not computed; it
	// counts as one with an invalid input, and Run returns this error.
	Invalid error
	// Interactive adds the tool's interactive inputs where the body lacks them.
	Interactive bool
	// Interpret reads inputs as people and models write them; see tools.Tool.Interpreted. The
	// result's warnings name every change.
	Interpret bool
	// Notes are warnings of the protocol on the request, before those of the result.
	Notes []string

	// Wait is the longest wait for a queued tool; 0: none.
	Wait time.Duration
	// Detached lets the job of a queued tool run to its end when all callers have left.
	Detached bool
	// KeepWarnings stores the warnings on this request beside a finished job too. Those on a
	// request whose job is not finished are always stored.
	KeepWarnings bool

	// Admitted is called when the caller is known and the quota has room: for a queued tool before
	// it is computed, for a synchronous tool when the call is counted.
	Admitted func(*Result)
	// Waiting is called when the wait for a job begins. The wait ends with the context that it
	// returns; stop is called after the wait.
	Waiting func(ctx context.Context, job string) (waiting context.Context, stop func())
	// Respond makes the answer of the protocol from a result. The call is not committed yet: it is
	// refunded when Respond fails. After an error of Run the answer must not be sent.
	Respond func(*Result) error
}

// Result is the result of a call, complete as far as the call went.
type Result struct {
	// Tier and Allowance are the caller's, once the call is admitted. A refund is included when Run
	// returns.
	Tier      keys.Tier
	Allowance keys.Allowance
	// Outcome is "" for a call that was not computed because it was not admitted.
	Outcome keys.Outcome

	JSON json.RawMessage // of a synchronous tool
	// Job is the job of a queued tool as it stood at the end of the wait; nil before that.
	Job *worker.Job
	// Warnings are those on this request for a job, which the job's result does not contain: other
	// requests share it.
	Warnings []string
}

// Errors of calls.
var (
	// ErrInternal is a panic or a defect of a tool. The log has the cause under the request id.
	ErrInternal = errors.New("the computation met a defect, which has been logged")
	// ErrNoQueue means that there is no queue for a queued tool.
	ErrNoQueue = errors.New("this server runs no heavy tools")
)

// JobError means that a job failed or was cancelled.
type JobError struct{ Job *worker.Job }

// Error is a sentence for the caller.
func (e *JobError) Error() string {
	if e.Job.State == worker.Cancelled {
		return "the job was cancelled"
	}
	return e.Job.Outcome.Failure
}

// Exempt is a quota that admits every call under one reservation and counts none.
type Exempt keys.Reservation

var _ keys.Quota = (*Exempt)(nil)

// Reserve implements keys.Quota.
func (e *Exempt) Reserve(context.Context, keys.Caller, int) (*keys.Reservation, error) {
	return (*keys.Reservation)(e), nil
}

// Run implements keys.Quota.
func (e *Exempt) Run(
	ctx context.Context, _ keys.Caller, _ string, compute keys.CallFunc,
) (keys.CallResult, error) {
	outcome, _ := compute(ctx)
	return keys.CallResult{Tier: e.Tier, Allowance: e.Allowance, Outcome: outcome}, nil
}

// DailyLimit implements keys.Quota: there is none.
func (*Exempt) DailyLimit(keys.Tier) int { return 0 }
