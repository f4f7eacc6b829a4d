package mcp

import (
	"context"
	"math"
	"sync"
	"time"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// progressEvery is the least time between two progress notifications.
const progressEvery = 100 * time.Millisecond

// queued gives the call to the queue and waits for a bounded time.
func (x *Call) queued(ctx context.Context, pass *keys.Reservation) (computed, error) {
	queue := x.server.opt.Queue
	class := worker.PriorityAnonymous
	if x.caller.Class != nil {
		class = x.caller.Class(pass)
	}
	read, notes, err := x.entry.Interpreted(x.params.arguments)
	if err != nil {
		return computed{}, err
	}
	x.params.arguments = read
	// Not the caller's context: a submission torn off in the middle could leave a job nobody knows.
	job, err := queue.Submit(context.WithoutCancel(ctx), x.entry.Tool, x.params.arguments, worker.SubmitOptions{
		Priority: class, Caller: pass.QuotaKey, Group: pass.Group, MaxInFlight: pass.MaxInFlight,
	})
	if err != nil {
		return computed{}, err
	}
	if !job.State.Finished() {
		stop := x.follow(ctx, job.ID)
		job, err = queue.Wait(ctx, job.ID, x.server.opt.Wait)
		stop()
		if err != nil {
			return computed{}, err
		}
	}
	done := computed{took: time.Duration(job.Outcome.ComputeMS * float64(time.Millisecond))}
	// The job knows nothing of fields that the tool does not read: equal requests share it.
	warnings := append(x.entry.Unknown(x.params.arguments), notes...)
	if err := queue.KeepWarnings(context.WithoutCancel(ctx), job.ID, pass.QuotaKey, warnings); err != nil {
		x.server.opt.Log.Warn("warnings on a request could not be stored", "request_id", x.caller.RequestID, "job", job.ID, "error", err)
	}
	switch job.State {
	case worker.Done:
		done.job = job.ID
		raw, release, err := job.Outcome.Read(ctx, x.caller.Reader)
		done.result, done.release = tools.AppendWarnings(raw, warnings), release
		return done, err
	case worker.Rejected:
		return done, &tools.InputError{Fields: job.Outcome.FieldErrors}
	case worker.Failed, worker.Cancelled:
		return done, &endedError{job}
	}
	return done, &unfinishedError{job, warnings}
}

// follow reports a job's progress to whoever gave a token, until stopped. Nothing is sent after
// stop has returned.
func (x *Call) follow(ctx context.Context, job string) (stop func()) {
	report := x.reporter()
	if report == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// What ends the watch early also ends the wait, which reports it.
		_ = x.server.opt.Queue.Watch(ctx, job, func(j worker.Job) {
			if p := j.Progress; p.Phase == "" {
				report(tools.Progress{Phase: string(j.State), Percent: p.Percent})
			} else {
				report(p)
			}
		})
	}()
	return func() {
		cancel()
		<-done
	}
}

// reporter gives the function that sends progress, or nil when nobody would hear it. Progress
// that comes too soon after the last one is dropped, and so is progress that does not rise: the
// protocol wants it to.
func (x *Call) reporter() func(tools.Progress) {
	token := x.params.token
	if x.notify == nil || !scalar(token) {
		return nil
	}
	var mu sync.Mutex // a tool may report from several goroutines
	last, sent := -1.0, time.Time{}
	return func(p tools.Progress) {
		mu.Lock()
		defer mu.Unlock()
		percent := math.Round(10*min(max(p.Percent, 0), 100)) / 10
		now := time.Now()
		if percent <= last || now.Sub(sent) < progressEvery {
			return
		}
		last, sent = percent, now
		body, err := marshal(map[string]any{
			"jsonrpc": "2.0", "method": "notifications/progress",
			"params": map[string]any{"progressToken": token, "progress": percent, "total": 100, "message": p.Phase},
		})
		if err == nil {
			x.notify(body)
		}
	}
}
