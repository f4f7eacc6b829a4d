// Package call executes tool calls. Every protocol uses Runner.Run: REST, MCP over HTTP and
// standard input, and the web pages with their forms and sweeps. Run authenticates the caller and
// reserves quota. It computes a synchronous tool directly, or enqueues a queued tool and waits. It
// then commits or refunds the reservation, and records a span, a metric observation and an outcome.
// A protocol translates its requests into calls and the results into responses.
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

// Caller identifies the sender of a call.
type Caller struct {
	keys.Caller
	// Quota admits and counts the call instead of the Runner's quota. If it is nil, the Runner's
	// quota applies.
	Quota keys.Quota
	// RequestID is the id of the request in logs and traces; "" for none.
	RequestID string
	// Trace carries the client's trace context (W3C Trace Context); nil for none. Run reads it only
	// before the call is admitted.
	Trace propagation.TextMapCarrier
}

// Options configures a call. The functions may be nil. Run calls them in the calling goroutine
// before it returns.
type Options struct {
	// Invalid is an error that the protocol found in the request; nil for none. If it is set, Run
	// does not compute the call, counts it as a call with invalid input, and returns this error.
	Invalid error
	// Interactive adds the tool's interactive inputs if the body lacks them.
	Interactive bool
	// Interpret accepts inputs as people and models write them; see tools.Tool.Interpreted. The
	// result's warnings list every change.
	Interpret bool
	// Notes are warnings from the protocol layer about the request. They precede the tool's own
	// warnings.
	Notes []string

	// Wait is the maximum wait for a queued tool; 0 means no wait and implies Detached.
	Wait time.Duration
	// Detached keeps the job of a queued tool running after all callers have left.
	Detached bool
	// KeepWarnings stores the warnings about this request even if the job is finished. Warnings
	// about an unfinished job are always stored.
	KeepWarnings bool

	// Admitted is called when the caller is authenticated and within quota. For a queued tool this
	// is before the computation, for a synchronous tool after Respond.
	Admitted func(*Result)
	// Waiting is called when the wait for a job begins. The wait ends when the returned context
	// ends. Run calls stop after the wait.
	Waiting func(ctx context.Context, job string) (waiting context.Context, stop func())
	// Respond creates the protocol's response from a result. Run commits the call after Respond and
	// refunds it if Respond fails. After an error of Run, the protocol must not send the response.
	Respond func(*Result) error
}

// Result is the result of a call. After an error, fields that the call did not reach are zero.
type Result struct {
	// Tier and Allowance belong to the caller. Run sets them when it admits the call. When Run
	// returns, Allowance includes a refund, if any.
	Tier      keys.Tier
	Allowance keys.Allowance
	// Outcome is "" for a call that was not admitted.
	Outcome keys.Outcome

	JSON json.RawMessage // result of a synchronous tool
	// Job is the job of a queued tool in its state at the end of the wait. It is nil before that
	// and for a synchronous tool.
	Job *worker.Job
	// Warnings are the warnings about this request for a job. The job's result does not contain
	// them because other requests share it.
	Warnings []string
}

// Errors that Run returns.
var (
	// ErrInternal indicates a panic, or an unexpected error of a synchronous tool. The log contains
	// the cause and the request id.
	ErrInternal = errors.New("the computation met a defect, which has been logged")
	// ErrNoQueue indicates that a queued tool was called on a Runner without a queue.
	ErrNoQueue = errors.New("this server runs no queued tools")
)

// JobError indicates that a job failed or was cancelled.
type JobError struct{ Job *worker.Job }

// Error returns a sentence for the caller.
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

// DailyLimit implements keys.Quota. It returns 0 because there is no limit.
func (*Exempt) DailyLimit(keys.Tier) int { return 0 }
