package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// callResult is the result of a tool call.
type callResult struct {
	text       string
	structured json.RawMessage // nil if the call failed, and for find_tools
	link       *link           // link to the complete result or to the job
	pictures   [][]byte        // PNG
	isError    bool
	task       *task // returned instead of a result; nil for none
}

// link is a link to a resource.
type link struct {
	uri, name, description string
}

// compute calls the tool. Every error becomes a result with isError, except the error for an
// invalid key, which Handle returns.
func (x *Call) compute(ctx context.Context) (response callResult) {
	run := x.caller.Run
	if run == nil {
		run = x.runUncounted
	}
	wait := x.server.opt.Wait
	if x.tasks {
		wait = min(wait, taskWait)
	}
	r, err := run(ctx, x.entry, x.params.arguments, call.Options{
		Interactive: true, Interpret: true, Wait: wait, KeepWarnings: true, Detached: x.tasks,
		Notes: x.notes, Waiting: x.follow,
		Respond: func(r *call.Result) (err error) {
			response, err = x.respond(ctx, r)
			return err
		},
	})
	var limit *keys.LimitError
	switch {
	case err == nil:
		return response
	case r.Outcome == "" && !errors.As(err, &limit) && !errors.Is(err, worker.ErrUnavailable):
		x.denied = err // rejected before computation
		return callResult{}
	}
	return x.explain(err)
}

// runUncounted executes a call without counting it against a quota. It is used if Caller.Run is
// nil.
func (x *Call) runUncounted(
	ctx context.Context, tool *tools.Entry, body []byte, o call.Options,
) (*call.Result, error) {
	return x.server.calls.Run(ctx, call.Caller{RequestID: x.caller.RequestID}, tool.Tool, body, o)
}

// respond returns the response for a result: the result, the task or the state of the unfinished
// job.
func (x *Call) respond(ctx context.Context, r *call.Result) (callResult, error) {
	switch {
	case r.Job == nil:
		return x.presentWithPictures(ctx, r.JSON, ""), nil
	case !r.Job.State.Finished() && x.tasks:
		t := x.taskOf(*r.Job)
		return callResult{task: &t}, nil
	case !r.Job.State.Finished():
		return x.unfinished(r), nil
	}
	raw, release, err := r.Job.Outcome.Read(ctx, x.caller.Reader)
	if err != nil {
		return callResult{}, err
	}
	defer release()
	return x.presentWithPictures(ctx, tools.AppendWarnings(raw, r.Warnings), r.Job.ID), nil
}

// panicked logs a recovered panic with its stack.
func (x *Call) panicked(p any) {
	x.server.opt.Log.Error("panic", "request_id", x.caller.RequestID, "panic", p, "method",
		x.message.name, "tool", x.params.name, "stack", string(debug.Stack()))
}

// recoverPanic recovers from a panic in a goroutine of the call and logs it.
func (x *Call) recoverPanic() {
	if p := recover(); p != nil {
		x.panicked(p)
	}
}

// internalError returns the text for an internal error that was logged, with the request id.
func (x *Call) internalError() string {
	if x.caller.RequestID == "" {
		return call.ErrInternal.Error()
	}
	return call.ErrInternal.Error() + " under the request id " + x.caller.RequestID
}

func (x *Call) jobLink(job, name, description string) *link {
	return &link{uri: jobScheme + job, name: name, description: description}
}

// maxErrorText is the maximum size in bytes of an error text. An error text may repeat names from
// the caller.
const maxErrorText = 4000

// explain returns the result for an error: its cause and the remedy.
func (x *Call) explain(err error) callResult {
	r := callResult{isError: true}
	var (
		input   = tools.AsInputError(err)
		limit   *keys.LimitError
		busy    *worker.BusyError
		reads   *worker.ReadLimitError
		dropped *worker.DroppedError
		ended   *call.JobError
	)
	switch {
	case input != nil:
		var b strings.Builder
		fmt.Fprintf(&b, "Invalid input of %s:\n", x.entry.Name)
		for _, f := range input.Fields {
			b.WriteString("- " + text.Truncate(f.Sentence(), 1000) + "\n")
		}
		b.WriteString("Correct these fields and call again." + correctedCall(x.entry, input))
		r.text = b.String()
	case errors.As(err, &limit):
		r.text = limit.Error()
		if !limit.Allowance.Reset.IsZero() {
			r.text += "; the count starts anew at " +
				limit.Allowance.Reset.UTC().Format(time.RFC3339)
		}
	case errors.As(err, &ended):
		r.text = jobErrorText(*ended.Job)
	case errors.As(err, &busy):
		r.text = busy.Error()
	case errors.As(err, &reads):
		r.text = fmt.Sprintf("%s; try again in %d s", reads, int(reads.RetryAfter.Seconds()))
	case errors.As(err, &dropped):
		r.text = dropped.Error() + "; call again, for fewer points or outputs"
	case errors.Is(err, service.ErrNoDatabase):
		r.text = service.ErrNoDatabase.Error() + "; try again in a few seconds"
	case errors.Is(err, worker.ErrUnavailable):
		r.text = worker.ErrUnavailable.Error() + "; try again in a few seconds"
	case errors.Is(err, worker.ErrJobNotFound):
		r.text = "the job was lost; call again"
	case errors.Is(err, call.ErrNoQueue):
		r.text = call.ErrNoQueue.Error()
	case errors.Is(err, context.Canceled):
		r.text = "the call was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		r.text = x.entry.Name + " was stopped at its time limit"
		if x.entry.Heavy != nil { // other tools run within the time limit of the request
			r.text += " of " + x.entry.Heavy.Timeout.String()
		}
		r.text += "; ask for less: fewer points, a shorter time, a smaller board"
	case errors.Is(err, call.ErrInternal):
		r.text = x.internalError()
	default:
		x.server.opt.Log.Error("unexpected error", "request_id", x.caller.RequestID, "tool",
			x.entry.Name, "error", err)
		r.text = "the service cannot handle this call now; try again in a few seconds"
	}
	r.text = text.Truncate(r.text, maxErrorText)
	return r
}

// unfinished returns the result of a call whose job is not finished. The result is not an error.
func (x *Call) unfinished(r *call.Result) callResult {
	var b strings.Builder
	job := r.Job
	fmt.Fprintf(&b, "Not finished yet: job %s is %s", job.ID, job.State)
	if job.Progress.Phase != "" {
		fmt.Fprintf(&b, " (%s, %.0f %%)", job.Progress.Phase, job.Progress.Percent)
	}
	fmt.Fprintf(
		&b,
		".\nCall %s again with the same arguments to go on waiting: the call joins this job, nothing is computed twice. ",
		x.entry.Name,
	)
	fmt.Fprintf(&b, "Or read the resource %s%s later", jobScheme, job.ID)
	if x.caller.Base != "" {
		fmt.Fprintf(&b, ", or GET %s/api/jobs/%s", x.caller.Base, job.ID)
	}
	b.WriteString(". The result is kept " + x.server.retentionText() + ".")
	for _, w := range r.Warnings {
		b.WriteString("\nWarning: " + w + ".")
	}
	l := x.jobLink(job.ID, "The job", "Where the job stands; its result when it is done")
	message := text.Truncate(b.String(), maxErrorText)
	return callResult{text: message, link: l, structured: x.unfinishedResult(job, l.uri)}
}

// unfinishedResult returns the structured result of an unfinished job. The outputSchema of a queued
// tool allows it as a second form, see allowUnfinished.
func (x *Call) unfinishedResult(job *worker.Job, uri string) json.RawMessage {
	body, err := rawjson.Marshal(
		map[string]any{
			"job": unfinishedJob{ID: job.ID, State: job.State, Progress: job.Progress,
				Resource: uri},
		},
	)
	if err != nil {
		x.server.opt.Log.Error("a response could not be written", "request_id", x.caller.RequestID,
			"error", err)
	}
	return body
}

// unfinishedJob is the state of a job without a result.
type unfinishedJob struct {
	ID       string         `json:"id"`
	State    worker.State   `json:"state"`
	Progress tools.Progress `json:"progress"`
	Resource string         `json:"resource"`
}

func jobErrorText(job worker.Job) string {
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
