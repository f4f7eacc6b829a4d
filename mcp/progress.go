package mcp

import (
	"context"
	"math"
	"sync"
	"time"

	"slipstick/internal/rawjson"
	"slipstick/tools"
	"slipstick/worker"
)

// progressEvery is the minimum interval between progress notifications.
const progressEvery = 100 * time.Millisecond

// follow reports the progress of a job to a caller with a progress token. It sends nothing after
// stop returns.
func (x *Call) follow(ctx context.Context, job string) (waiting context.Context, stop func()) {
	report := x.reporter()
	if report == nil {
		return ctx, func() {}
	}
	watching, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The error is ignored because the wait for the job then fails too and returns it.
		_ = x.server.opt.Queue.Watch(watching, job, func(j worker.Job) {
			if p := j.Progress; p.Phase == "" {
				report(tools.Progress{Phase: string(j.State), Percent: p.Percent})
			} else {
				report(p)
			}
		})
	}()
	return ctx, func() {
		cancel()
		<-done
	}
}

// reporter returns a function that sends progress, or nil if there is no progress token or stream.
// The function drops progress within progressEvery of the last report. It also drops progress that
// does not increase, as the protocol requires.
func (x *Call) reporter() func(tools.Progress) {
	token := x.params.token
	if x.notify == nil || !isScalar(token) {
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
		body, err := rawjson.Marshal(map[string]any{
			"jsonrpc": "2.0", "method": "notifications/progress",
			"params": map[string]any{"progressToken": token, "progress": percent, "total": 100,
				"message": p.Phase},
		})
		if err == nil {
			x.notify(body)
		}
	}
}
