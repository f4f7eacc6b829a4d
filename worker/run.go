package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hibiken/asynq"

	"slipstick/tools"
	"slipstick/worker/pool"
	"slipstick/worker/store"
)

// Causes with which the context of a run is cancelled. A time limit of the tool is not among them.
var (
	errUnwanted   = errors.New("the job is cancelled or finished elsewhere")
	errHandedBack = errors.New("the worker is shutting down")
)

// progressEvery is the minimum interval between writes of a run's progress.
const progressEvery = 100 * time.Millisecond

// run is a job that this server is executing.
type run struct {
	*store.Run
	tool            *tools.Tool
	timeout         time.Duration
	ctx             context.Context
	end             context.CancelCauseFunc
	stopEarly       chan struct{}
	signalStopEarly func()              // closes stopEarly, at most once
	latest          chan tools.Progress // contains at most one element
}

// handle processes a permit from asynq. It ignores asynq's context, which ends when Redis has been
// unavailable for half a minute. The computation continues and its result is stored later.
func (s *Server) handle(asynqCtx context.Context, t *asynq.Task) error {
	select {
	case s.slots <- struct{}{}:
	case <-s.draining:
		<-s.released // asynq has returned the permit
		return errHandedBack
	}
	freeSlot := func() { <-s.slots }
	r, err := s.next(asynqCtx, t)
	if r == nil || err != nil {
		freeSlot()
		return err
	}
	defer s.release(r.Queue, r.Task)
	if r.Priority == PriorityBatch {
		s.yieldSlots() // a job may have arrived since the permit was issued
	}
	begun := s.opt.Now()
	s.metrics.begun(r, begun)
	endSpan := s.startSpan(r)
	runaway, state, outcome := s.compute(r)
	endSpan(state)
	if runaway == nil {
		freeSlot()
	} else { // in process, a tool that ignores its context keeps its slot
		go func() { <-runaway; freeSlot() }()
	}
	if state == "" {
		cause := context.Cause(r.ctx)
		if errors.Is(cause, errHandedBack) {
			s.requeue(r)
			s.forget(r)
			<-s.released
			return errHandedBack
		}
		s.opt.Log.Info("job stopped", "job", r.ID, "tool", r.tool.Name, "why", cause)
		s.forget(r)
		return nil
	}
	s.metrics.ended(r.Tool, state, s.opt.Now().Sub(begun))
	s.finish(r, state, outcome)
	s.forget(r)
	return nil
}

// next begins the job for a permit. It returns nil if no job is pending or the task is stale.
func (s *Server) next(asynqCtx context.Context, t *asynq.Task) (*run, error) {
	if t.Type() == store.LegacyTask {
		var p struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(t.Payload(), &p); err != nil {
			s.opt.Log.Error("a task in the queue is invalid", "error", err)
			return nil, nil
		}
		task, _ := asynq.GetTaskID(asynqCtx)
		return s.begin(p.ID, task, "")
	}
	queue, _ := asynq.GetQueueName(asynqCtx)
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	task, queue, err := s.dequeue(ctx, queue)
	if err != nil {
		return nil, fmt.Errorf("dequeuing a job: %w", err)
	}
	if task == "" { // the job was cancelled, or another permit began it
		return nil, nil
	}
	r, err := s.begin(store.JobOfTask(task), task, queue)
	if r == nil && err == nil {
		s.release(queue, task)
	}
	return r, err
}

// release ends the hold on a dequeued task.
func (s *Server) release(queue, task string) {
	if queue == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	s.store.Release(ctx, queue, task)
}

// passOn requeues a job for another worker if this worker lacks its tool or tool version, as during
// a rollout. It returns the error unknown, so asynq delivers the permit again.
func (s *Server) passOn(ctx context.Context, id, task, queue string, unknown error) error {
	if queue == "" {
		return unknown
	}
	v, err := s.store.InFlight(ctx, id)
	if err == nil {
		err = s.store.PutBack(ctx, v)
	}
	if err == nil {
		s.store.Release(ctx, queue, task)
	}
	return errors.Join(unknown, err)
}

// begin begins the run of a task. It returns nil if the task is stale.
func (s *Server) begin(id, task, queue string) (*run, error) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	begun, err := s.store.Begin(ctx, id, task, queue, s.known)
	var unknown *store.UnknownToolError
	if errors.As(err, &unknown) {
		if unknown.For < staleVersionPatience {
			return nil, s.passOn(ctx, id, task, queue, err)
		}
		s.opt.Log.Error("no worker has a tool", "tool", unknown.Tool)
		begun, err = s.store.Begin(ctx, id, task, queue, nil) // compute then fails the job
	}
	if err != nil {
		return nil, fmt.Errorf("beginning a job: %w", err)
	}
	if begun == nil {
		s.opt.Log.Debug("a stale task ends", "job", id, "task", task)
		return nil, nil
	}
	r := &run{Run: begun, latest: make(chan tools.Progress, 1), stopEarly: make(chan struct{})}
	e, err := s.opt.Catalog.FindQueued(r.Tool)
	if err == nil && e.Heavy != nil && e.Version == r.Version {
		r.tool, r.timeout = e.Tool, e.Heavy.Timeout
	}
	r.ctx, r.end = context.WithCancelCause(context.Background())
	r.signalStopEarly = sync.OnceFunc(func() { close(r.stopEarly) })
	s.mu.Lock()
	s.running[task] = r
	s.mu.Unlock()
	return r, nil
}

func (s *Server) forget(r *run) {
	r.end(context.Canceled)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, r.Task)
	if len(s.running) == 0 {
		close(s.idle)
		s.idle = make(chan struct{})
	}
}

// compute runs the job and repeats it after a crash. If the state is "", there is nothing to store.
// If runaway is not nil, it is closed when a runaway computation has ended.
func (s *Server) compute(r *run) (runaway <-chan struct{}, state State, out Outcome) {
	if r.tool == nil {
		return nil, Failed, Outcome{
			Cause:   Unavailable,
			Failure: "No worker knows this version of the tool. Try again later.",
		}
	}
	if begun := s.opt.Now(); begun.After(r.Deadline) {
		return nil, Failed, Outcome{Cause: Unavailable, Failure: tooLate(begun.Sub(r.Enqueued))}
	}
	if r.Count > maxRuns { // the worker of each run died
		s.deadLetter(r, "its workers died")
		return nil, Failed, Outcome{Cause: Crashed, Failure: crashedFailure}
	}
	begun := time.Now() // before the context: a job at its limit has then taken the whole limit
	ctx, cancel := context.WithTimeout(r.ctx, r.timeout)
	defer cancel()
	stopReporting := s.reportProgress(r)
	defer stopReporting()
	go func() {
		select {
		case <-s.draining:
			r.end(errHandedBack)
		case <-ctx.Done():
		}
	}()
	s.opt.Log.Debug("job started", "job", r.ID, "tool", r.tool.Name, "run", r.Count)
	for {
		call := pool.Call{Tool: r.tool.Name, Body: []byte(r.Input)}
		o, err := s.runner.Run(tools.WithStopSignal(ctx, r.stopEarly), call, r.report)
		var crash *pool.CrashError
		var running *pool.RunawayError
		switch {
		case err == nil:
			if r.Priority != PriorityBatch { // the run times of chunks are not typical of jobs
				s.recordRuntime(r.Pool, time.Since(begun))
			}
			state, out := outcomeOf(o)
			return nil, state, out
		case ctx.Err() != nil:
			if errors.As(err, &running) {
				runaway = running.Ended
			}
			if r.ctx.Err() != nil { // the job was cancelled or handed back
				return runaway, "", Outcome{}
			}
			s.opt.Log.Warn("a job exceeded its time limit",
				"job", r.ID, "tool", r.tool.Name, "limit", r.timeout)
			out := timedOut(r.timeout)
			out.ComputeMS = milliseconds(time.Since(begun))
			return runaway, Failed, out
		case errors.As(err, &crash):
			if !s.mayRepeat(r, crash) {
				return nil, Failed, Outcome{
					Cause: Crashed, Failure: crashedFailure,
					ComputeMS: milliseconds(time.Since(begun)),
				}
			}
		default:
			s.opt.Log.Error("a job could not be run",
				"job", r.ID, "tool", r.tool.Name, "error", err)
			return nil, Failed, Outcome{
				Cause:   Unavailable,
				Failure: "The computation could not be started on this worker. Try again later.",
			}
		}
	}
}

// mayRepeat records a crash and reports whether the job runs again. If not, it becomes a dead
// letter.
func (s *Server) mayRepeat(r *run, crash *pool.CrashError) bool {
	s.metrics.crashed(r.tool.Name)
	s.opt.Log.Error("a run crashed", "job", r.ID, "tool", r.tool.Name,
		"run", r.Count, "of", maxRuns, "how", crash.How)
	if r.Count >= maxRuns {
		s.deadLetter(r, crash.How)
		return false
	}
	s.countRun(r)
	return true
}

// outcomeOf returns the final state of a job from the outcome of its computation.
func outcomeOf(o pool.Outcome) (State, Outcome) {
	state := Done
	switch {
	case o.Failure != "":
		state = Failed
	case len(o.FieldErrors) > 0:
		state = Rejected
	}
	return state, Outcome{
		Result: o.Result, Gzipped: o.Gzipped, FieldErrors: o.FieldErrors, Failure: o.Failure,
		Cause: Cause(o.Cause), ComputeMS: o.ComputeMS,
	}
}

// timedOut returns the outcome of a run that exceeded the time limit of its tool.
func timedOut(limit time.Duration) Outcome {
	return Outcome{
		Cause: TimedOut,
		Failure: "The computation was stopped because it took longer than " +
			formatDuration(limit) + ".",
	}
}

const crashedFailure = "The computation crashed each time it was tried. The input may need more " +
	"memory than a job is given, or it met a defect of the tool, which has been logged."

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// stoppedEarly reports whether the run was asked to stop early.
func (r *run) stoppedEarly() bool {
	select {
	case <-r.stopEarly:
		return true
	default:
		return false
	}
}

// countRun counts another run of the job.
func (s *Server) countRun(r *run) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	if err := s.store.CountRun(ctx, r.Run); err != nil {
		s.opt.Log.Warn("a run could not be counted", "job", r.ID, "error", err)
	}
}

// deadLetter stores a crashed job for the operator. It only logs errors.
func (s *Server) deadLetter(r *run, how string) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	if err := s.store.AddDead(ctx, r.Run, how); err != nil {
		s.opt.Log.Warn("a dead job could not be kept", "job", r.ID, "error", err)
	}
}

// report accepts progress from the computation without blocking it. Only the latest value is kept.
func (r *run) report(p tools.Progress) {
	for {
		select {
		case r.latest <- p:
			return
		default:
		}
		select {
		case <-r.latest:
		default:
		}
	}
}

// reportProgress writes progress, at most once per progressEvery, until stop is called.
func (s *Server) reportProgress(r *run) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-quit:
				return
			case p := <-r.latest:
				s.setProgress(r, p)
			}
			select {
			case <-quit:
				return
			case <-time.After(progressEvery):
			}
		}
	}()
	return func() { close(quit); <-ended }
}

func (s *Server) setProgress(r *run, p tools.Progress) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	if err := s.store.SetProgress(ctx, r.Run, p); err != nil {
		s.opt.Log.Debug("progress was lost", "job", r.ID, "error", err)
	}
}

// finish stores the outcome. It retries for storePatience.
func (s *Server) finish(r *run, state State, out Outcome) {
	job := Job{
		ID: r.ID, Tool: r.Tool, Version: r.Version, EnqueuedAt: r.Enqueued,
		StoppedEarly: r.stoppedEarly(),
	}
	record, end, err := s.store.PackResult(job, state, out)
	if err != nil {
		s.opt.Log.Error("a result cannot be encoded", "job", r.ID, "error", err)
		return
	}
	var stored int
	begun := time.Now()
	err = s.retry(func(ctx context.Context) error {
		n, err := s.store.StoreResult(ctx, r.Run, record, time.Since(begun))
		stored = max(stored, n) // n is 0 if an earlier attempt stored the result
		return err
	})
	switch {
	case err != nil:
		s.opt.Log.Error("a result could not be stored", "job", r.ID, "error", err)
	case stored == 0:
		s.opt.Log.Debug("another run was first", "job", r.ID)
	default:
		s.opt.Log.Info("job finished", "job", r.ID, "tool", job.Tool, "state", end.State,
			"compute_ms", end.Outcome.ComputeMS)
	}
}

// retry calls try until it succeeds or storePatience has elapsed.
func (s *Server) retry(try func(context.Context) error) error {
	pause := 50 * time.Millisecond
	for until := time.Now().Add(storePatience); ; {
		ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
		err := try(ctx)
		cancel()
		if err == nil || time.Now().After(until) {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Second)
	}
}

// requeue returns the job to the queue. asynq returns the permit at shutdown.
func (s *Server) requeue(r *run) {
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	queued, err := s.store.Requeue(ctx, r.Run)
	if err != nil && !queued {
		s.opt.Log.Warn("a job could not be handed back; a poll after its last heartbeat finds it",
			"job", r.ID, "error", err)
		return
	}
	if err != nil {
		s.opt.Log.Warn("a job that was handed back is missing in its queue; a poll finds it",
			"job", r.ID, "error", err)
	}
	s.opt.Log.Info("job handed back", "job", r.ID, "tool", r.tool.Name)
}

// recordRuntime adds a run time to the moving average of its pool, which register publishes.
func (s *Server) recordRuntime(name string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.avgRuntime[name]
	if known {
		took = (4*old + took) / 5
	}
	s.avgRuntime[name] = took
}
