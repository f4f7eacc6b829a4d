package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/tools"
	"slipstick/worker"
)

// Limits of batches that a process keeps in memory.
const (
	maxLocalRunning = 4
	// maxLocalBytes and maxLocalBatches limit the requests, rows and summaries of all batches, and
	// their number. The oldest ended batches are deleted first.
	maxLocalBytes   = 64 << 20
	maxLocalBatches = 1000
	localBusyRetry  = 10 * time.Second
	// cancelWait is the maximum time to wait for the end of a cancelled batch. A run of a tool that
	// does not check its context ends later.
	cancelWait = 2 * time.Second
)

// localBatches runs batches in this process and stores their rows in memory.
type localBatches struct {
	catalog *tools.Catalog
	log     *slog.Logger
	now     func() time.Time
	ctx     context.Context // cancelled by close
	stop    context.CancelFunc
	running sync.WaitGroup

	mu  sync.Mutex
	all []*localBatch // in order of creation
}

type localBatch struct {
	plan   *batch.Plan
	state  service.Batch
	runs   []batch.Run // set when the batch has ended
	bytes  int         // of the request, and of rows and summary when the batch has ended
	cancel context.CancelFunc
}

func newLocalBatches(catalog *tools.Catalog, log *slog.Logger, now func() time.Time) *localBatches {
	l := &localBatches{catalog: catalog, log: log, now: now}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

func (l *localBatches) close() {
	l.stop()
	l.running.Wait()
}

// Plan implements Batches.
func (l *localBatches) Plan(body []byte) (*batch.Plan, error) {
	r, err := batch.Parse(body)
	if err != nil {
		return nil, err
	}
	p, err := batch.NewPlan(l.catalog, r)
	if err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// Create implements Batches.
func (l *localBatches) Create(_ context.Context, p *batch.Plan,
	body []byte) (*service.Batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	unfinished := 0
	for _, b := range l.all {
		if !b.state.State.Finished() {
			unfinished++
		}
	}
	if unfinished >= maxLocalRunning {
		return nil, &worker.BusyError{RetryAfter: localBusyRetry,
			Reason: fmt.Sprintf("%d batches are running", unfinished)}
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime crashes the program instead
	now := l.now().UTC()
	b := &localBatch{plan: p, bytes: len(body), state: service.Batch{
		ID: hex.EncodeToString(id[:]), State: service.Running, Tool: p.Tool.Name,
		ToolVersion: p.Tool.Version,
		Mode:        p.Request.Mode, RunsTotal: p.Runs(), CreatedAt: now, StartedAt: &now,
		Warnings: p.Warnings(),
	}}
	if p.Request.Label != nil {
		b.state.Label = *p.Request.Label
	}
	ctx, cancel := context.WithCancel(l.ctx)
	b.cancel = cancel
	l.all = append(l.all, b)
	l.trim()
	l.running.Go(func() {
		defer cancel()
		l.run(ctx, b)
	})
	state := b.state
	return &state, nil
}

// run executes a batch and stores its rows, its statistics and its final state.
func (l *localBatches) run(ctx context.Context, b *localBatch) {
	runs, summary, err := l.compute(ctx, b)
	state, reason := service.Done, ""
	switch {
	case ctx.Err() != nil:
		state = service.Cancelled
	case err != nil:
		l.log.Error("a batch failed", "tool", b.plan.Tool.Name, "error", err)
		state, reason = service.Failed, call.ErrInternal.Error()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UTC()
	b.runs = runs
	b.state.State, b.state.Error, b.state.Summary = state, reason, summary
	b.state.FinishedAt, b.state.RunsDone = &now, len(runs)
	if state == service.Done {
		b.state.RunsTotal = len(runs) // a goal seek may end early
	}
	if took := now.Sub(*b.state.StartedAt).Seconds(); took > 0 {
		b.state.RatePerS = float64(len(runs)) / took
	}
	b.bytes += len(summary)
	for _, r := range runs {
		b.bytes += r.Size()
		if r.Err != "" {
			b.state.RunsFailed++
		}
	}
	l.trim()
}

// compute executes a batch and returns its runs and its summary. A panic becomes an error. If ctx
// ends, the runs are the leading complete ones.
func (l *localBatches) compute(ctx context.Context,
	b *localBatch) (runs []batch.Run, summary json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	runs, err = b.plan.Execute(ctx, runtime.GOMAXPROCS(0), func(done int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		b.state.RunsDone = done
	})
	summary, summaryErr := json.Marshal(b.plan.Summarize(runs))
	return runs, summary, cmp.Or(err, summaryErr)
}

// trim deletes the oldest ended batches until bytes and number are within the limits. It never
// deletes the newest batch. The caller must hold the lock.
func (l *localBatches) trim() {
	total := 0
	for _, b := range l.all {
		total += b.bytes
	}
	for i := 0; (total > maxLocalBytes || len(l.all) > maxLocalBatches) && i < len(l.all)-1; {
		if b := l.all[i]; b.state.State.Finished() {
			total -= b.bytes
			l.all = slices.Delete(l.all, i, i+1)
			continue
		}
		i++
	}
}

// find returns a batch. The caller must hold the lock.
func (l *localBatches) find(id string) (*localBatch, error) {
	for _, b := range l.all {
		if b.state.ID == id {
			return b, nil
		}
	}
	return nil, service.ErrNotFound
}

// Get implements Batches.
func (l *localBatches) Get(_ context.Context, id string) (*service.Batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.find(id)
	if err != nil {
		return nil, err
	}
	state := b.state
	if took := l.now().Sub(*state.StartedAt).Seconds(); !state.State.Finished() && took > 0 &&
		state.RunsDone > 0 {
		state.RatePerS = float64(state.RunsDone) / took
		eta := float64(state.RunsTotal-state.RunsDone) / state.RatePerS
		state.EtaS = &eta
	}
	return &state, nil
}

// Cancel implements Batches. It returns when all runs have ended, or after cancelWait.
func (l *localBatches) Cancel(ctx context.Context, id string) (*service.Batch, error) {
	l.mu.Lock()
	b, err := l.find(id)
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	b.cancel()
	deadline := time.Now().Add(cancelWait)
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		state, err := l.Get(ctx, id)
		if err != nil || state.State.Finished() || time.Now().After(deadline) {
			return state, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Rows implements Batches. A batch has rows only after it has ended.
func (l *localBatches) Rows(_ context.Context, id string, from, limit int) (*service.Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.find(id)
	if err != nil {
		return nil, err
	}
	runs := b.runs[min(from, len(b.runs)):]
	return &service.Page{
		Plan: b.plan, Rows: batch.Rows{From: from, Runs: runs[:min(limit, len(runs))]},
		Total: b.state.RunsTotal,
	}, nil
}
