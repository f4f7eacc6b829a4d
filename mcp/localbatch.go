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
	// localBusyRetry is the time after which a client may create a batch again. It is a guess,
	// since the end of a running batch is unknown.
	localBusyRetry = 10 * time.Second
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

	mu      sync.Mutex
	batches []*localBatch // in order of creation
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
	for _, b := range l.batches {
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
	l.batches = append(l.batches, b)
	l.evict()
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
	b.state.RatePerS = runsPerSecond(len(runs), now.Sub(*b.state.StartedAt))
	b.bytes += len(summary)
	for _, r := range runs {
		b.bytes += r.Size()
		if r.Err != "" {
			b.state.RunsFailed++
		}
	}
	l.evict()
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

// evict deletes the oldest ended batches until bytes and number are within the limits. It never
// deletes the newest batch. The caller must hold the lock.
func (l *localBatches) evict() {
	total := 0
	for _, b := range l.batches {
		total += b.bytes
	}
	isFull := func() bool { return total > maxLocalBytes || len(l.batches) > maxLocalBatches }
	for i := 0; isFull() && i < len(l.batches)-1; {
		if b := l.batches[i]; b.state.State.Finished() {
			total -= b.bytes
			l.batches = slices.Delete(l.batches, i, i+1)
			continue
		}
		i++
	}
}

// find returns a batch. The caller must hold the lock.
func (l *localBatches) find(id string) (*localBatch, error) {
	for _, b := range l.batches {
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
	if state.State.Finished() {
		return &state, nil
	}
	state.RatePerS = runsPerSecond(state.RunsDone, l.now().Sub(*state.StartedAt))
	if state.RatePerS > 0 {
		eta := float64(state.RunsTotal-state.RunsDone) / state.RatePerS
		state.EtaS = &eta
	}
	return &state, nil
}

// runsPerSecond returns the mean rate of a batch, or 0 if no time has passed.
func runsPerSecond(runs int, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(runs) / elapsed.Seconds()
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
	deadline := l.now().Add(cancelWait)
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		state, err := l.Get(ctx, id)
		if err != nil || state.State.Finished() || l.now().After(deadline) {
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
