package mcp

import (
	"context"
	"encoding/json"
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
func (x *Exchange) queued(ctx context.Context, pass *keys.Pass) (json.RawMessage, string, error) {
	queue := x.server.opt.Queue
	// Not the caller's context: a submission torn off in the middle could leave a job nobody knows.
	job, err := queue.Submit(context.WithoutCancel(ctx), x.entry.Tool, x.params.arguments, worker.Submission{Class: classOf(pass), Caller: pass.Account})
	if err != nil {
		return nil, "", err
	}
	if !job.State.Finished() {
		stop := x.follow(ctx, job.ID)
		job, err = queue.Wait(ctx, job.ID, x.server.opt.Wait)
		stop()
		if err != nil {
			return nil, "", err
		}
	}
	switch job.State {
	case worker.Done:
		return job.Outcome.Result, job.ID, nil
	case worker.Refused:
		return nil, "", &tools.InputError{Faults: job.Outcome.Faults}
	case worker.Failed, worker.Cancelled:
		return nil, "", &endedError{job}
	}
	return nil, "", &unfinishedError{job}
}

// classOf is the queue that calls under a pass enter.
func classOf(p *keys.Pass) worker.Class {
	if p.Tier.Paid() {
		return worker.Paid
	}
	return worker.Free
}

// follow reports a job's progress to whoever gave a token, until stopped. Nothing is sent after
// stop has returned.
func (x *Exchange) follow(ctx context.Context, job string) (stop func()) {
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
func (x *Exchange) reporter() func(tools.Progress) {
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

// inProcess computes a heavy tool here, for one user who started this process.
func (x *Exchange) inProcess(ctx context.Context) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, x.entry.Heavy.Timeout)
	defer cancel()
	if report := x.reporter(); report != nil {
		ctx = tools.WithProgress(ctx, report)
	}
	return x.inPlace(ctx)
}
