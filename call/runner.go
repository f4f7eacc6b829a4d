package call

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// RunnerOptions configures a Runner. All fields are optional.
type RunnerOptions struct {
	Quota   keys.Quota            // nil: all calls are admitted and none is counted
	Queue   worker.Queue          // nil: calls of queued tools return ErrNoQueue
	Log     *slog.Logger          // nil: slog.Default()
	Metrics prometheus.Registerer // nil: no metrics
	Tracer  trace.Tracer          // nil: no spans
	// SizeLimit returns the limit of a tier for tools that have a size limit. If it is nil or
	// returns 0, the default of the tool applies.
	SizeLimit func(keys.Tier) int
}

// Runner executes calls. It is safe for concurrent use.
type Runner struct {
	opt     RunnerOptions
	seconds *prometheus.HistogramVec // nil: no metrics
}

// NewRunner returns a Runner. It returns an error if the metric is already registered.
func NewRunner(o RunnerOptions) (*Runner, error) {
	if o.Quota == nil {
		o.Quota = &Exempt{Tier: keys.Anonymous}
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	r := &Runner{opt: o}
	if o.Metrics != nil {
		r.seconds = newSeconds()
		if err := o.Metrics.Register(r.seconds); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Run executes a call of a tool with a JSON body, which it does not retain. The result is never
// nil; after an error it is incomplete.
//
// Run returns the errors of keys.Quota if the call is not admitted, and *tools.InputError,
// *JobError, ErrInternal, ErrNoQueue or an error of worker.Queue. It also returns the errors of
// Options.Invalid and Options.Respond. If ctx or the context of Options.Waiting ends, it returns
// the error or the cause of that context. The call counts if this is context.Canceled, possibly
// wrapped; otherwise it is refunded.
//
// Run commits or refunds the call before it returns, and so before the protocol sends the response.
func (r *Runner) Run(
	ctx context.Context, caller Caller, tool *tools.Tool, body []byte, o Options,
) (*Result, error) {
	if caller.Quota == nil {
		caller.Quota = r.opt.Quota
	}
	c := &invocation{Runner: r, ctx: ctx, caller: caller, tool: tool, body: body, options: o}
	var endSpan func(admitted bool, err error)
	if r.opt.Tracer != nil {
		endSpan = c.startSpan()
	}
	// Quota accounting must complete even if the caller disconnects.
	if c.accounting = c.ctx; ctx.Done() != nil {
		c.accounting = context.WithoutCancel(c.ctx)
	}
	var (
		began    = time.Now()
		admitted bool
		err      error
	)
	if tool.Heavy == nil {
		admitted, err = c.runInPlace()
	} else {
		admitted, err = c.runQueued()
	}
	if admitted && r.seconds != nil {
		took := time.Since(began).Seconds()
		r.seconds.WithLabelValues(tool.Name, string(c.result.Outcome)).Observe(took)
	}
	if endSpan != nil {
		endSpan(admitted, err)
	}
	return &c.result, err
}

// invocation is one call in progress.
type invocation struct {
	*Runner
	ctx        context.Context // context of the computation
	accounting context.Context // context of quota accounting and submission; never ends
	caller     Caller
	tool       *tools.Tool
	body       []byte
	options    Options

	notes  []string // warnings about the interpretation of the body
	result Result
	took   time.Duration // computing time, without waiting in queues
	err    error         // error of a synchronous computation
}

// runInPlace executes a call of a synchronous tool in the calling goroutine. The quota decides
// whether it counts the call before or after the computation.
func (c *invocation) runInPlace() (admitted bool, err error) {
	counted, err := c.caller.Quota.Run(c.accounting, c.caller.Caller, c.tool.Name, c.compute)
	if err != nil {
		return false, err
	}
	c.result.Tier, c.result.Allowance = counted.Tier, counted.Allowance
	if c.result.Outcome == keys.ServerError {
		c.creditRefund()
	}
	if c.options.Admitted != nil {
		c.options.Admitted(&c.result)
	}
	return true, c.err
}

// compute runs a synchronous tool and creates the response. It returns the outcome and the
// computing time for the quota. It implements keys.CallFunc.
func (c *invocation) compute(context.Context) (outcome keys.Outcome, took time.Duration) {
	outcome, c.result.Outcome = keys.ServerError, keys.ServerError // values after a panic
	defer c.recoverPanic(&c.err)
	if c.err = c.options.Invalid; c.err == nil {
		began := time.Now()
		tool := c.tool
		if c.options.Interactive && len(tool.Interactive) > 0 {
			tool = tool.Completing(func(body []byte) ([]byte, error) {
				return c.tool.InteractiveInput(body), nil
			})
		}
		run := tool.Run
		if c.options.Interpret {
			run = tool.RunInterpreted
		}
		c.result.JSON, c.err = run(c.ctx, c.body)
		took = time.Since(began)
		if c.err == nil {
			c.result.JSON = tools.AppendWarnings(c.result.JSON, c.options.Notes)
		}
		switch {
		case c.err == nil && c.options.Respond != nil:
			c.err = c.options.Respond(&c.result)
		case c.err != nil && tools.AsInputError(c.err) == nil && c.ctx.Err() == nil:
			c.opt.Log.Error("a tool has a defect",
				"request_id", c.caller.RequestID, "tool", c.tool.Name, "error", c.err)
			c.err = ErrInternal
		}
	}
	c.result.Outcome = c.outcome(c.err)
	return c.result.Outcome, took
}

// runQueued executes a call of a queued tool. It debits the call, enqueues it, waits, and commits
// or refunds it.
func (c *invocation) runQueued() (admitted bool, err error) {
	reservation, err := c.caller.Quota.Reserve(c.accounting, c.caller.Caller, 1)
	if err != nil {
		return false, err
	}
	defer c.commit(reservation, &err)
	return true, c.enqueue(reservation)
}

// commit ends the reservation of a call. The outcome ServerError refunds it.
func (c *invocation) commit(reservation *keys.Reservation, err *error) {
	if c.result.Outcome = c.outcome(*err); c.result.Outcome == keys.ServerError {
		c.creditRefund()
	}
	if reservation.Commit == nil {
		return
	}
	failed := reservation.Commit(c.accounting, c.tool.Name, c.result.Outcome, c.took)
	if failed != nil && *err == nil {
		*err = failed
	}
}

// enqueue submits the job, waits for it and creates the response. Thousands of calls may wait here,
// and a goroutine's grown stack stays large while it waits. The job is therefore passed by address.
// The submission, which needs more stack than the wait, runs in its own goroutine.
func (c *invocation) enqueue(reservation *keys.Reservation) (err error) {
	defer c.recoverPanic(&err)
	c.result.Tier, c.result.Allowance = reservation.Tier, reservation.Allowance
	if c.options.Admitted != nil {
		c.options.Admitted(&c.result)
	}
	switch {
	case c.options.Invalid != nil:
		return c.options.Invalid
	case c.opt.Queue == nil:
		return ErrNoQueue
	}
	job, err := c.submitOnOwnStack(reservation)
	if err == nil && !job.State.Finished() && c.options.Wait > 0 {
		err = c.awaitJob(job, reservation.QuotaKey)
	}
	if err != nil {
		return err
	}
	c.result.Job = job
	return c.respond(reservation.QuotaKey)
}

// submitOnOwnStack calls submit in a separate goroutine.
func (c *invocation) submitOnOwnStack(reservation *keys.Reservation) (job *worker.Job, err error) {
	var submitted sync.WaitGroup
	submitted.Go(func() {
		defer c.recoverPanic(&err)
		job, err = c.submit(reservation)
	})
	submitted.Wait()
	return job, err
}

// submit enqueues the job or joins an equal job. It continues if the caller leaves because a
// partial submission could leave a job without a waiter.
func (c *invocation) submit(reservation *keys.Reservation) (_ *worker.Job, err error) {
	if c.options.Interpret {
		if c.body, c.notes, err = c.tool.Interpreted(c.body); err != nil {
			return nil, err
		}
	}
	if c.options.Interactive { // after the interpretation, see Tool.Completing
		c.body = c.tool.InteractiveInput(c.body)
	}
	limit := 0
	if c.opt.SizeLimit != nil {
		limit = c.opt.SizeLimit(reservation.Tier)
	}
	if c.body, err = c.tool.WithSizeLimit(c.body, limit); err != nil {
		return nil, err
	}
	job, err := c.opt.Queue.Submit(c.accounting, c.tool, c.body, worker.SubmitOptions{
		Priority: priority(reservation.Tier), Caller: reservation.QuotaKey,
		Group:       reservation.Group,
		MaxInFlight: reservation.MaxInFlight, Detached: c.options.Detached || c.options.Wait <= 0,
	})
	return &job, err
}

// priority returns the queue priority of a tier.
func priority(t keys.Tier) worker.Priority {
	switch {
	case t.Paid():
		return worker.PriorityPaid
	case t == keys.Free:
		return worker.PriorityFree
	}
	return worker.PriorityAnonymous
}

// awaitJob returns when the job is finished, the wait time is over, or the caller leaves. It sets
// *job to the state of the job at that time.
func (c *invocation) awaitJob(job *worker.Job, quotaKey string) error {
	ctx := c.ctx
	if c.options.Waiting != nil {
		var stop func()
		ctx, stop = c.options.Waiting(ctx, job.ID)
		defer stop()
	}
	next, err := c.opt.Queue.Wait(ctx, job.ID, quotaKey, c.options.Wait)
	*job = next.Since(job.EnqueuedAt)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// respond sets the computing time and the warnings of a call after its wait. It then creates the
// response, or returns the error of the job.
func (c *invocation) respond(quotaKey string) error {
	job := c.result.Job
	c.took = time.Duration(job.Outcome.ComputeMS * float64(time.Millisecond))
	c.result.Warnings = slices.Concat(c.options.Notes, c.tool.Unknown(c.body), c.notes)
	if !job.State.Finished() || c.options.KeepWarnings {
		err := c.opt.Queue.KeepWarnings(c.accounting, job.ID, quotaKey, c.result.Warnings)
		if err != nil {
			c.opt.Log.Warn("warnings on a request could not be stored",
				"request_id", c.caller.RequestID, "job", job.ID, "error", err)
		}
	}
	switch {
	case job.State == worker.Rejected:
		return &tools.InputError{Fields: job.Outcome.FieldErrors}
	case job.State.Finished() && job.State != worker.Done:
		return &JobError{job}
	case c.options.Respond != nil:
		return c.options.Respond(&c.result)
	}
	return nil
}

// creditRefund adds the refunded call to the allowance after a server error.
func (c *invocation) creditRefund() {
	a := &c.result.Allowance
	a.Remaining = min(a.Limit, a.Remaining+1)
}

// outcome returns the outcome of a call with the given error. A call whose caller left counts as
// computed.
func (c *invocation) outcome(err error) keys.Outcome {
	if err == nil || errors.Is(err, context.Canceled) {
		return keys.Computed
	}
	var ended *JobError
	switch {
	case c.options.Invalid != nil, tools.AsInputError(err) != nil,
		errors.As(err, &ended) && ended.Job.State == worker.Cancelled:
		return keys.Invalid
	}
	return keys.ServerError
}

// recoverPanic logs a panic and turns it into the error of the call, which is then refunded. It
// must be deferred.
func (c *invocation) recoverPanic(err *error) {
	if p := recover(); p != nil {
		c.opt.Log.Error("panic", "request_id", c.caller.RequestID, "panic", p,
			"tool", c.tool.Name, "stack", string(debug.Stack()))
		*err = ErrInternal
	}
}
