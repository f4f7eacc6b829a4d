package worker

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"slipstick/tools"
	"slipstick/worker/pool"
	"slipstick/worker/store"
)

// LocalOptions configures a Local. Catalog is required.
type LocalOptions struct {
	Catalog *tools.Catalog
	// Concurrency is the number of slots. Default GOMAXPROCS, at most 4.
	Concurrency int
	// MaxJobs limits the unfinished jobs. Default 50.
	MaxJobs int
	// ResultBytes limits the bytes of all results. The newest result is always kept, and older
	// results while they fit. Default 128 MiB.
	ResultBytes int
	Log         *slog.Logger // nil: no log
	Now         func() time.Time
}

// Limits of a Local.
const (
	localConcurrency = 4
	localJobs        = 50
	localBytes       = 128 << 20
	localKept        = 1000            // finished jobs
	localRetryAfter  = 5 * time.Second // at MaxJobs
	localResult      = (1 << 31) - 1   // bytes per result; tools have their own limits
)

// Local is a Queue without Redis and workers for a single user. It computes in this process and
// keeps results in memory. Equal requests share one run. A tool that ignores its context cannot be
// stopped. Local is safe for concurrent use.
type Local struct {
	opt    LocalOptions
	runner pool.Runner
	slots  chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu         sync.Mutex
	jobs       map[string]*localJob
	unfinished int
	finished   []*localJob // oldest first
	bytes      int         // bytes of the results
}

var _ Queue = (*Local)(nil)

// localJob is a job of a Local. Local.mu guards its fields.
type localJob struct {
	job      Job
	cancel   context.CancelFunc
	waiters  int
	joining  int // submissions that are not detached and have not begun to wait
	detached bool
	changed  chan struct{} // closed and replaced at every change
	warnings map[string][]string
}

// NewLocal returns a Local. The caller must call Close.
func NewLocal(opt LocalOptions) *Local {
	orDefault(&opt.Concurrency, min(runtime.GOMAXPROCS(0), localConcurrency))
	orDefault(&opt.MaxJobs, localJobs)
	orDefault(&opt.ResultBytes, localBytes)
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	l := &Local{
		opt: opt, runner: pool.NewInProcess(opt.Catalog, localResult, opt.Log),
		slots: make(chan struct{}, opt.Concurrency), jobs: map[string]*localJob{},
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Close cancels all jobs and waits for their end, up to twice pool.KillGrace. It does not wait
// longer for a tool that ignores its context.
func (l *Local) Close() {
	l.cancel()
	ended := make(chan struct{})
	go func() {
		l.ended.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(2 * pool.KillGrace):
	}
}

// Submit implements Queue.
func (l *Local) Submit(
	ctx context.Context, tool *tools.Tool, body []byte, s SubmitOptions,
) (Job, error) {
	canonical, err := tool.Canonical(body)
	if err == nil {
		err = errors.Join(ctx.Err(), l.ctx.Err())
	}
	if err != nil {
		return Job{}, err
	}
	id := store.JobID(tool, canonical)
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil && (!j.job.State.Finished() || j.job.Reusable()) {
		j.join(s.Detached)
		return j.job, nil
	}
	if l.unfinished >= l.opt.MaxJobs {
		return Job{}, &BusyError{
			OfCaller: true, RetryAfter: localRetryAfter,
			Reason: "there are as many unfinished jobs as there may be",
		}
	}
	l.forget(id) // the job is not reusable
	run, cancel := context.WithCancel(l.ctx)
	j := &localJob{
		job: Job{
			ID: id, Tool: tool.Name, Version: tool.Version, State: Queued, EnqueuedAt: l.opt.Now(),
		},
		cancel: cancel, changed: make(chan struct{}), warnings: map[string][]string{},
	}
	j.join(s.Detached)
	l.jobs[id] = j
	l.unfinished++
	l.ended.Go(func() { l.run(run, j, tool, canonical) })
	return j.job, nil
}

// join counts a submission, which keeps the job until it waits. The caller must hold Local.mu.
func (j *localJob) join(detached bool) {
	j.detached = j.detached || detached
	if !detached {
		j.joining++
	}
}

// run computes a job when a slot is free.
func (l *Local) run(ctx context.Context, j *localJob, tool *tools.Tool, body []byte) {
	defer j.cancel()
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		l.finish(j, Cancelled, Outcome{})
		return
	}
	defer func() { <-l.slots }()
	if ctx.Err() != nil { // both channels may be ready
		l.finish(j, Cancelled, Outcome{})
		return
	}
	l.change(j, func(job *Job) { job.State = Running })
	begun := time.Now()
	limited, stop := context.WithTimeout(ctx, tool.Heavy.Timeout)
	defer stop()
	call := pool.Call{Tool: tool.Name, Body: body}
	o, err := l.runner.Run(limited, call, func(p tools.Progress) {
		l.change(j, func(job *Job) { job.Progress = p })
	})
	var (
		crash   *pool.CrashError
		runaway *pool.RunawayError
	)
	state, out := outcomeOf(o)
	if err != nil {
		state = Failed
	}
	switch {
	case err == nil:
	case errors.As(err, &crash):
		out = Outcome{
			Cause:   Crashed,
			Failure: "The computation met a defect of the tool, which has been logged.",
		}
	case ctx.Err() != nil:
		state = Cancelled
	case limited.Err() != nil:
		out = timedOut(tool.Heavy.Timeout)
	default:
		out = Outcome{Cause: Unavailable, Failure: err.Error()}
	}
	if out.ComputeMS == 0 {
		out.ComputeMS = milliseconds(time.Since(begun))
	}
	l.finish(j, state, out)
	if errors.As(err, &runaway) {
		<-runaway.Ended // the slot stays occupied until then
	}
}

// change modifies an unfinished job and notifies its subscribers.
func (l *Local) change(j *localJob, edit func(*Job)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changeLocked(j, edit)
}

// changeLocked is change for callers that hold l.mu.
func (l *Local) changeLocked(j *localJob, edit func(*Job)) {
	if j.job.State.Finished() {
		return
	}
	edit(&j.job)
	close(j.changed)
	j.changed = make(chan struct{})
}

// finish ends a job, at most once, and deletes the oldest results that no longer fit.
func (l *Local) finish(j *localJob, state State, out Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finishLocked(j, state, out)
}

// finishLocked is finish for callers that hold l.mu.
func (l *Local) finishLocked(j *localJob, state State, out Outcome) {
	l.changeLocked(j, func(job *Job) {
		job.State, job.Outcome, job.FinishedAt = state, out, l.opt.Now()
		if state == Done {
			job.Progress.Percent = 100
		}
		l.unfinished--
		l.finished = append(l.finished, j)
		l.bytes += len(out.Result)
		for len(l.finished) > 1 && (l.bytes > l.opt.ResultBytes || len(l.finished) > localKept) {
			l.forget(l.finished[0].job.ID)
		}
	})
}

// forget deletes a finished job. The caller must hold l.mu.
func (l *Local) forget(id string) {
	for i, j := range l.finished {
		if j.job.ID == id {
			l.bytes -= len(j.job.Outcome.Result)
			l.finished = append(l.finished[:i:i], l.finished[i+1:]...)
			delete(l.jobs, id)
			return
		}
	}
}

// find returns a job, its state, and a channel that is closed at its next change.
func (l *Local) find(id string) (*localJob, Job, <-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[id]
	if j == nil {
		return nil, Job{}, nil, ErrJobNotFound
	}
	return j, j.job, j.changed, nil
}

// Wait implements Queue.
func (l *Local) Wait(ctx context.Context, id, _ string, d time.Duration) (Job, error) {
	j, _, _, err := l.find(id)
	if err != nil {
		return Job{}, err
	}
	l.mu.Lock()
	j.waiters++
	j.joining = max(0, j.joining-1)
	l.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		l.mu.Lock()
		job, changed := j.job, j.changed
		if job.State.Finished() {
			j.waiters--
			l.mu.Unlock()
			return job, nil
		}
		l.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			l.leave(j, true)
			return job, nil
		case <-ctx.Done():
			l.leave(j, false)
			return job, ctx.Err()
		}
	}
}

// leave removes a waiter and, if detach is true, detaches the job. The last waiter to leave cancels
// a job that is not detached, unless an equal submission is about to wait.
func (l *Local) leave(j *localJob, detach bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j.detached = j.detached || detach
	j.waiters--
	if j.waiters == 0 && j.joining == 0 && !j.detached {
		l.stop(j)
	}
}

// stop cancels a job immediately, so no equal request joins a run that is ending. The caller must
// hold l.mu.
func (l *Local) stop(j *localJob) {
	l.finishLocked(j, Cancelled, Outcome{Failure: store.CancelledFailure})
	j.cancel()
}

// Get implements Queue.
func (l *Local) Get(_ context.Context, id, _ string) (Job, error) {
	_, job, _, err := l.find(id)
	return job, err
}

// Watch implements Queue.
func (l *Local) Watch(ctx context.Context, id string, progress func(Job)) error {
	j, last, changed, err := l.find(id)
	if err != nil {
		return err
	}
	for !last.State.Finished() {
		progress(last)
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		l.mu.Lock()
		last, changed = j.job, j.changed
		l.mu.Unlock()
	}
	return nil
}

// Cancel implements Queue.
func (l *Local) Cancel(_ context.Context, id, _ string) (Job, error) {
	j, job, _, err := l.find(id)
	if err != nil || job.State.Finished() {
		return job, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop(j)
	return j.job, nil
}

// StopEarly implements Queue. It always returns false because a Local does not support early stop.
func (l *Local) StopEarly(context.Context, string, string) (bool, error) { return false, nil }

// KeepWarnings implements Queue.
func (l *Local) KeepWarnings(_ context.Context, id, caller string, warnings []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		j.warnings[caller] = warnings
	}
	return nil
}

// Warnings implements Queue.
func (l *Local) Warnings(_ context.Context, id, caller string) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		return j.warnings[caller], nil
	}
	return nil, nil
}

// Ready implements Queue.
func (l *Local) Ready(context.Context) error { return l.ctx.Err() }
