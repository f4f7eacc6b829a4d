package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/call"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools"
	"slipstick/worker"
)

// Tasks are the tasks of the extension io.modelcontextprotocol/tasks (SEP-2663). If the job of a
// queued tool does not finish within taskWait, the call returns a task, which the client polls. A
// task is a job and has the same id. mcp-go is not used because it supports only the tasks of the
// protocol version 2025-11-25.

// tasksExtension is the name of the extension in capabilities.
const tasksExtension = "io.modelcontextprotocol/tasks"

// Methods and notification of the extension.
const (
	methodTaskGet    = "tasks/get"
	methodTaskUpdate = "tasks/update"
	methodTaskCancel = "tasks/cancel"
	notificationTask = "notifications/tasks"
)

const (
	taskWait = time.Second // a job that finishes within this time is returned with its result
	taskPoll = time.Second // suggested polling interval of tasks/get
)

// declaresTasks reports whether the capabilities of a client contain the extension.
func declaresTasks(capabilities json.RawMessage) bool {
	return member(member(capabilities, "extensions"), tasksExtension) != nil
}

// isTaskMethod reports whether the message is a request of the extension.
func (x *Call) isTaskMethod() bool {
	if x.ready != nil || !x.stateless || !x.message.isRequest() {
		return false
	}
	switch x.message.name {
	case methodTaskGet, methodTaskUpdate, methodTaskCancel:
		return true
	}
	return false
}

// tasksRequired returns the error for a request that requires the extension.
func tasksRequired() rpcError {
	return rpcError{
		Code:    protocol.MISSING_REQUIRED_CLIENT_CAPABILITY,
		Message: "tasks need the client capability extensions." + tasksExtension,
		Data: map[string]any{"requiredCapabilities": map[string]any{
			"extensions": map[string]any{tasksExtension: map[string]any{}},
		}},
	}
}

// task is the state of a task. Result is the tools/call result of a completed task.
type task struct {
	ID            string          `json:"taskId"`
	Status        string          `json:"status"`
	StatusMessage string          `json:"statusMessage,omitempty"`
	CreatedAt     string          `json:"createdAt"`
	LastUpdatedAt string          `json:"lastUpdatedAt"`
	TTL           *int64          `json:"ttlMs"` // from CreatedAt; nil: no limit
	PollInterval  int64           `json:"pollIntervalMs,omitempty"`
	Result        json.RawMessage `json:"result,omitempty"`
}

// taskOf returns the task of a job, without its result.
func (x *Call) taskOf(job worker.Job) task {
	t := task{
		ID: job.ID, Status: "working", CreatedAt: job.EnqueuedAt.UTC().Format(time.RFC3339Nano),
		LastUpdatedAt: x.server.opt.Now().UTC().Format(time.RFC3339Nano),
		PollInterval:  taskPoll.Milliseconds(),
	}
	ttl := job.ExpiresAt.Sub(job.EnqueuedAt)
	switch {
	case !job.State.Finished():
		t.StatusMessage = string(job.State)
		if job.Progress.Phase != "" {
			t.StatusMessage = fmt.Sprintf("%s, %.0f %%", job.Progress.Phase, job.Progress.Percent)
		}
		ttl = 0
		if e, err := x.server.opt.Catalog.FindQueued(job.Tool); err == nil && e.Heavy != nil {
			ttl = worker.DefaultQueueTimeout + e.Heavy.Timeout + worker.DefaultResultTTL
		}
	case job.State == worker.Cancelled:
		t.Status, t.PollInterval = "cancelled", 0
	default:
		t.Status, t.PollInterval = "completed", 0
	}
	if job.State.Finished() {
		t.LastUpdatedAt = job.FinishedAt.UTC().Format(time.RFC3339Nano)
	}
	if ttl > 0 {
		ms := ttl.Milliseconds()
		t.TTL = &ms
	}
	return t
}

// handleTask handles tasks/get, tasks/update and tasks/cancel. code is the error code, 0 for a
// result.
func (x *Call) handleTask(ctx context.Context) (body []byte, code int) {
	fail := func(e rpcError) ([]byte, int) { return e.encode(x.message.id), e.Code }
	if !x.tasks {
		return fail(tasksRequired())
	}
	id := rawjson.Unquote(member(x.message.params, "taskId"))
	if !isJobID(id) || x.server.opt.Queue == nil {
		return fail(rpcError{Code: protocol.INVALID_PARAMS, Message: fmt.Sprintf(
			"taskId: must be the id of a task, got %q", text.Truncate(id, 40))})
	}
	job, err := x.server.opt.Queue.Get(ctx, id, x.account)
	if x.message.name == methodTaskCancel && x.caller.QuotaKey != nil && x.account == "" {
		err = worker.ErrNotCaller // "" would cancel the job for any caller
	}
	if err == nil && x.message.name == methodTaskCancel && !job.State.Finished() {
		_, err = x.server.opt.Queue.Cancel(ctx, id, x.account)
	}
	switch {
	case errors.Is(err, worker.ErrJobNotFound):
		return fail(rpcError{Code: protocol.INVALID_PARAMS, Message: fmt.Sprintf(
			"taskId: there is no task %s, or its result has expired", id)})
	case errors.Is(err, worker.ErrNotCaller):
		return fail(rpcError{Code: protocol.INVALID_PARAMS, Message: fmt.Sprintf(
			"taskId: the task %s was created with another key or from another address", id)})
	case err != nil:
		return fail(rpcError{Code: protocol.INTERNAL_ERROR,
			Message: worker.ErrUnavailable.Error() + "; try again in a few seconds"})
	case x.message.name != methodTaskGet: // no task needs input, so tasks/update has no effect
		return x.encodeMembers(x.server.members[1:]), 0
	}
	t, err := x.detailedTask(ctx, job)
	if err != nil {
		return fail(rpcError{Code: protocol.INTERNAL_ERROR, Message: x.internalError()})
	}
	return x.encodeTask(t, x.server.members), 0
}

// detailedTask returns the task of a job with its result.
func (x *Call) detailedTask(ctx context.Context, job worker.Job) (task, error) {
	t := x.taskOf(job)
	if t.Status != "completed" {
		return t, nil
	}
	entry, err := x.server.opt.Catalog.FindQueued(job.Tool)
	if err != nil {
		return t, err
	}
	// Each task needs its own Call because a subscription may present several tasks concurrently.
	y := &Call{server: x.server, caller: x.caller, message: x.message, stateless: true,
		entry: entry}
	var r callResult
	switch {
	case job.State == worker.Done:
		raw, release, err := job.Outcome.Read(ctx, x.caller.Reader)
		if err != nil {
			r = y.explain(err)
			break
		}
		defer release()
		// a result without its warnings is better than an error
		warnings, _ := x.server.opt.Queue.Warnings(ctx, job.ID, x.account)
		r = y.presentWithPictures(ctx, tools.AppendWarnings(raw, warnings), job.ID)
	case len(job.Outcome.FieldErrors) > 0:
		r = y.explain(&tools.InputError{Fields: job.Outcome.FieldErrors})
	default:
		r = y.explain(&call.JobError{Job: &job})
	}
	t.Result = y.encodeResult(r)
	return t, nil
}

// encodeTask returns the response with a task. members are further members of the result, with a
// leading comma.
func (x *Call) encodeTask(t task, members string) []byte {
	fields, _ := rawjson.Marshal(t) // cannot fail: the result is valid JSON
	return x.encodeMembers(string(fields[1:len(fields)-1]) + members)
}

// encodeMembers returns the response with the members of a result.
func (x *Call) encodeMembers(members string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, x.message.id, members)
}

// createdTask returns the response to a tools/call with a task instead of the tool's result.
func (x *Call) createdTask(t task) []byte {
	return x.encodeTask(t,
		strings.Replace(x.server.members, `"resultType":"complete"`, `"resultType":"task"`, 1))
}

// watchTask sends a notification for each change of a task until it is finished or ctx ends.
func (x *Call) watchTask(ctx context.Context, id string) {
	x.watchJob(ctx, id, func(job worker.Job) {
		t, err := x.detailedTask(ctx, job)
		if err != nil {
			return
		}
		var params map[string]any
		if fields, err := rawjson.Marshal(t); err == nil && json.Unmarshal(fields, &params) == nil {
			if t.Result != nil {
				params["result"] = t.Result
			}
			x.send(notificationTask, params)
		}
	})
}
