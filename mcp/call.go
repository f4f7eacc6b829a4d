package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// result is the answer of a tool call.
type result struct {
	text       string
	structured json.RawMessage // nil when failed
	link       *link           // to the whole of what is shortened, or to the job
	failed     bool
}

// link points to a resource.
type link struct {
	uri, name, description string
}

// unfinishedError says that the bounded wait for a job is over.
type unfinishedError struct {
	job      worker.Job
	warnings []string // on the request
}

func (e *unfinishedError) Error() string { return "the job " + e.job.ID + " is not finished" }

// endedError says that a job ended without a result.
type endedError struct{ job worker.Job }

func (e *endedError) Error() string { return e.job.Outcome.Failure }

// Errors of computing.
var (
	errNoHeavyTools = errors.New("this server runs no heavy tools")
	errDefect       = errors.New("the computation met a defect, which has been logged")
)

// compute runs the tool on the caller's account. Whatever goes wrong becomes a result that says
// so, except that a caller who is not known at all is denied.
func (x *Call) compute(ctx context.Context) result {
	var (
		answer  result
		failure error
		made    bool
	)
	call := func(ctx context.Context, pass *keys.Reservation) (outcome keys.Outcome, took time.Duration) {
		made = true
		answer, took, failure = x.answered(ctx, pass)
		return outcomeOf(failure), took
	}
	if x.caller.Admit == nil {
		call(ctx, &keys.Reservation{Tier: keys.Anonymous})
	} else if err := x.caller.Admit(ctx, x.entry, call); err != nil {
		var limit *keys.LimitError
		if !made && !errors.As(err, &limit) && !errors.Is(err, worker.ErrUnavailable) {
			x.denied = err
			return result{}
		}
		return x.explain(err)
	}
	if failure != nil {
		return x.explain(failure)
	}
	return answer
}

// answered runs the tool and words its answer. A panic is an error, so that the call is settled.
func (x *Call) answered(ctx context.Context, pass *keys.Reservation) (answer result, took time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.panicked(p)
			err = errDefect
		}
	}()
	done, err := x.run(ctx, pass)
	if done.release != nil {
		defer done.release()
	}
	if err == nil {
		answer = x.present(done.result, done.job)
	}
	return answer, done.took, err
}

// panicked logs a panic.
func (x *Call) panicked(p any) {
	x.server.opt.Log.Error("panic", "request_id", x.caller.RequestID, "panic", p, "method", x.message.name, "tool", x.params.name, "stack", string(debug.Stack()))
}

// defect tells of a defect that has been logged, and under which id.
func (x *Call) defect() string {
	if x.caller.RequestID == "" {
		return errDefect.Error()
	}
	return errDefect.Error() + " under the request id " + x.caller.RequestID
}

// computed is what a run came to.
type computed struct {
	result json.RawMessage
	job    string        // the job that keeps the result; "" for none
	took   time.Duration // computing, without waiting in queues

	release func() // called when the result is no longer used; nil for nothing
}

// run computes a light tool in place and gives a heavy one to whoever computes it here.
func (x *Call) run(ctx context.Context, pass *keys.Reservation) (computed, error) {
	x.params.arguments = x.entry.InteractiveInput(x.params.arguments)
	switch {
	case x.entry.Heavy == nil:
		return x.inPlace(ctx)
	case x.server.opt.Queue != nil:
		return x.queued(ctx, pass)
	}
	return computed{}, errNoHeavyTools
}

// inPlace runs the tool and turns a panic into an error.
func (x *Call) inPlace(ctx context.Context) (done computed, err error) {
	began := time.Now()
	defer func() {
		done.took = time.Since(began)
		if p := recover(); p != nil {
			x.panicked(p)
			done.result, err = nil, errDefect
		}
	}()
	done.result, err = x.entry.RunInterpreted(ctx, x.params.arguments)
	if err != nil && tools.AsInputError(err) == nil && ctx.Err() == nil {
		x.server.opt.Log.Error("a tool has a defect", "request_id", x.caller.RequestID, "tool", x.entry.Name, "error", err)
		return done, errDefect
	}
	return done, err
}

// outcomeOf says what a call's error means for its account, as POST /api/{tool} does.
func outcomeOf(err error) keys.Outcome {
	var (
		input      *tools.InputError
		unfinished *unfinishedError
		ended      *endedError
	)
	switch {
	case err == nil, errors.As(err, &unfinished), errors.Is(err, context.Canceled): // who leaves has used the service all the same
		return keys.Computed
	case errors.As(err, &input), errors.As(err, &ended) && ended.job.State == worker.Cancelled:
		return keys.Invalid
	}
	return keys.ServerError
}

// present makes a result of what a tool answered, shortened if need be.
func (x *Call) present(raw json.RawMessage, job string) result {
	r := result{structured: raw}
	if len(raw) <= structuredLimit {
		r.text = readable(x.entry.Output, raw, len(raw) > textLimit)
		return r
	}
	uri := ""
	if job != "" {
		r.link = x.jobLink(job, "The whole result", "The result of "+x.entry.Name+" with nothing left out, as JSON")
		uri = r.link.uri
	}
	short, left := shrink(raw, uri)
	r.structured = short
	var b strings.Builder
	fmt.Fprintf(&b, "Shortened to fit: the whole result has %d kB. ", (len(raw)+500)/1000)
	switch {
	case job != "":
		fmt.Fprintf(&b, "It can be read as the resource %s, and parts of it as %s/{path}, such as %s/%s", uri, uri, uri, left.firstPath())
		if x.caller.Base != "" {
			fmt.Fprintf(&b, ", or at %s/api/jobs/%s", x.caller.Base, job)
		}
		b.WriteString(", " + x.server.kept() + ".\n")
	case x.caller.Base != "":
		fmt.Fprintf(&b, "POST %s/api/%s with the same arguments gives all of it.\n", x.caller.Base, x.entry.Name)
	default:
		fmt.Fprintf(&b, "\"slipstick run %s --json\" with the same arguments gives all of it.\n", x.entry.Name)
	}
	for _, line := range left.lines() {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString(readable(x.entry.Output, short, true))
	r.text = b.String()
	return r
}

func (x *Call) jobLink(job, name, description string) *link {
	return &link{uri: jobScheme + job, name: name, description: description}
}

// maxExplained bounds the text of an error: it repeats names that the caller sent.
const maxExplained = 4000

// explain says what went wrong and what to do about it.
func (x *Call) explain(err error) result {
	r := result{failed: true}
	var (
		input      = tools.AsInputError(err)
		limit      *keys.LimitError
		busy       *worker.BusyError
		reads      *worker.ReadLimitError
		dropped    *worker.DroppedError
		unfinished *unfinishedError
		ended      *endedError
	)
	switch {
	case input != nil:
		var b strings.Builder
		fmt.Fprintf(&b, "%s refused its input:\n", x.entry.Name)
		for _, f := range input.Fields {
			b.WriteString("- " + shorten(f.Sentence(), 1000) + "\n")
		}
		b.WriteString("Correct what is named and call again." + correctedCall(x.entry, input))
		r.text = b.String()
	case errors.As(err, &limit):
		r.text = limit.Error()
		if !limit.Allowance.Reset.IsZero() {
			r.text += "; the count starts anew at " + limit.Allowance.Reset.UTC().Format(time.RFC3339)
		}
	case errors.As(err, &unfinished):
		r.text, r.link = x.explainUnfinished(unfinished)
		r.failed, r.structured = false, x.unfinishedResult(unfinished.job, r.link.uri)
	case errors.As(err, &ended):
		r.text = explainEnd(ended.job)
	case errors.As(err, &busy):
		r.text = busy.Error()
	case errors.As(err, &reads):
		r.text = fmt.Sprintf("%s; try again in %d s", reads, int(reads.RetryAfter.Seconds()))
	case errors.As(err, &dropped):
		r.text = dropped.Error() + "; call again, for fewer points or outputs"
	case errors.Is(err, worker.ErrUnavailable):
		r.text = worker.ErrUnavailable.Error() + "; try again in a few seconds"
	case errors.Is(err, worker.ErrJobNotFound):
		r.text = "the job was lost; call again"
	case errors.Is(err, errNoHeavyTools):
		r.text = errNoHeavyTools.Error()
	case errors.Is(err, context.Canceled):
		r.text = "the call was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		r.text = fmt.Sprintf("stopped after %s, which is as long as %s may take; ask for less: fewer points, a shorter time, a smaller board", x.entry.Heavy.Timeout, x.entry.Name)
	case errors.Is(err, errDefect):
		r.text = x.defect()
	default:
		x.server.opt.Log.Error("unexpected error", "request_id", x.caller.RequestID, "tool", x.entry.Name, "error", err)
		r.text = "the service cannot answer this now; try again in a few seconds"
	}
	r.text = shorten(r.text, maxExplained)
	return r
}

func (x *Call) explainUnfinished(e *unfinishedError) (string, *link) {
	var b strings.Builder
	job := e.job
	fmt.Fprintf(&b, "Not finished yet: job %s is %s", job.ID, job.State)
	if job.Progress.Phase != "" {
		fmt.Fprintf(&b, " (%s, %.0f %%)", job.Progress.Phase, job.Progress.Percent)
	}
	fmt.Fprintf(&b, ".\nCall %s again with the same arguments to go on waiting: the call joins this job, nothing is computed twice. ", x.entry.Name)
	fmt.Fprintf(&b, "Or read the resource %s%s later", jobScheme, job.ID)
	if x.caller.Base != "" {
		fmt.Fprintf(&b, ", or GET %s/api/jobs/%s", x.caller.Base, job.ID)
	}
	b.WriteString(". The result is kept " + x.server.kept() + ".")
	for _, w := range e.warnings {
		b.WriteString("\nWarning: " + w + ".")
	}
	return b.String(), x.jobLink(job.ID, "The job", "Where the job stands; its result when it is done")
}

// unfinishedResult is the structured answer of a call whose job is not finished, which is no error:
// the other form of a heavy tool's outputSchema, see describe.
func (x *Call) unfinishedResult(job worker.Job, uri string) json.RawMessage {
	body, err := marshal(map[string]any{"job": unfinishedJob{ID: job.ID, State: job.State, Progress: job.Progress, Resource: uri}})
	if err != nil {
		x.server.opt.Log.Error("an answer could not be written", "request_id", x.caller.RequestID, "error", err)
	}
	return body
}

// unfinishedJob is what a call tells of its job while there is no result.
type unfinishedJob struct {
	ID       string         `json:"id"`
	State    worker.State   `json:"state"`
	Progress tools.Progress `json:"progress"`
	Resource string         `json:"resource"`
}

func explainEnd(job worker.Job) string {
	switch {
	case job.State == worker.Cancelled:
		return "the job was cancelled before it was finished; call again to start a new one"
	case job.Outcome.Cause == worker.TimedOut:
		return job.Outcome.Failure + " Ask for less: fewer points, a shorter time, a smaller board."
	case job.Outcome.Cause == worker.Unavailable:
		return job.Outcome.Failure + " Try again in a few seconds."
	}
	return job.Outcome.Failure
}
