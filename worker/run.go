package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hibiken/asynq"

	"slipstick/tools"
)

// Why a run's context ended, when it was not the tool's own deadline.
var (
	errUnwanted   = errors.New("the job is cancelled or finished elsewhere")
	errHandedBack = errors.New("the worker is shutting down")
)

// progressEvery is the least time between two notes of a run's progress.
const progressEvery = 100 * time.Millisecond

// run is a job this server is running.
type run struct {
	id, task, pool  string
	queue           string // that it was dequeued from; "" when its asynq task named it
	tool            *tools.Tool
	fields          map[string]string // the whole job hash, to write it again if Redis loses it
	timeout         time.Duration
	count           int // of runs begun, this one included
	ctx             context.Context
	end             context.CancelCauseFunc
	stopEarly       chan struct{}
	signalStopEarly func()              // closes enough, once
	latest          chan tools.Progress // holds at most one
}

// handle is asynq's way in: it brings a ticket. It ignores asynq's context, which ends when Redis
// has been away for half a minute: the computation goes on and its result is stored when Redis
// is back.
func (s *Server) handle(asynqCtx context.Context, t *asynq.Task) error {
	select {
	case s.slots <- struct{}{}:
	case <-s.draining:
		<-s.released // asynq has put the ticket back
		return errHandedBack
	}
	freed := func() { <-s.slots }

	r, err := s.next(asynqCtx, t)
	if r == nil || err != nil {
		freed()
		return err
	}
	if r.queue != "" {
		defer s.queues.ended(r.queue, r.task)
	}
	begun := s.opt.Now()
	s.metrics.begun(r, begun)
	endSpan := s.traced(r, r.fields["tool"])
	stray, state, outcome := s.compute(r)
	endSpan(state)
	if stray == nil {
		freed()
	} else { // in process, a tool that ignores its context keeps its slot
		go func() { <-stray; freed() }()
	}
	if state == "" {
		cause := context.Cause(r.ctx)
		if errors.Is(cause, errHandedBack) {
			s.requeue(r)
			s.forget(r)
			<-s.released
			return errHandedBack
		}
		s.opt.Log.Info("job stopped", "job", r.id, "tool", r.tool.Name, "why", cause)
		s.forget(r)
		return nil
	}
	s.metrics.ended(r.fields["tool"], state, s.opt.Now().Sub(begun))
	s.finish(r, state, outcome)
	s.forget(r)
	return nil
}

// next begins the job that a ticket leads to. It is nil when none is pending, or the job is not
// to run.
func (s *Server) next(asynqCtx context.Context, t *asynq.Task) (*run, error) {
	if t.Type() == runType { // from a client of the version before tickets
		var p struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(t.Payload(), &p); err != nil {
			s.opt.Log.Error("a task in the queue is not ours", "error", err)
			return nil, nil
		}
		task, _ := asynq.GetTaskID(asynqCtx)
		return s.begin(p.ID, task, "")
	}
	queue, _ := asynq.GetQueueName(asynqCtx)
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	task, err := s.queues.dequeue(ctx, queue)
	if err != nil {
		return nil, fmt.Errorf("dequeuing a job: %w", err)
	}
	if task == "" { // cancelled, or begun by another ticket
		return nil, nil
	}
	r, err := s.begin(jobOf(task), task, queue)
	if r == nil && err == nil {
		s.queues.ended(queue, task)
	}
	return r, err
}

// passOn leaves a job of a tool that this worker does not know to another worker, as happens
// while a new version is rolled out: one of the other version. asynq brings the ticket again.
func (s *Server) passOn(id, task, queue, tool string) error {
	err := fmt.Errorf("this worker does not know %s", tool)
	if queue == "" {
		return err
	}
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	v, e := s.queues.view(ctx, id)
	if e == nil {
		e = s.queues.put(ctx, v, v.group, last)
	}
	if e == nil {
		s.queues.ended(queue, task)
	}
	return errors.Join(err, e)
}

// begin marks the job as running. It is nil when the task is stale.
func (s *Server) begin(id, task, queue string) (*run, error) {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	keys := []string{metaKey(id), resultKey(id), heartbeatKey(id)}
	args := []any{task, heartbeatTTL.Milliseconds(), id, progressChannel}
	var known []any
	for _, e := range s.opt.Catalog.All() {
		if e.Heavy != nil {
			known = append(known, e.Name+" "+e.Version)
		}
	}
	reply, err := beginScript.Run(ctx, s.rdb, keys, append(args, known...)...).StringSlice()
	if err == nil && len(reply) == 3 && reply[0] == "unknown" {
		if ms, _ := strconv.Atoi(reply[2]); time.Duration(ms)*time.Millisecond < staleVersionPatience {
			return nil, s.passOn(id, task, queue, reply[1])
		}
		s.opt.Log.Error("no worker knows a tool", "tool", reply[1])
		reply, err = beginScript.Run(ctx, s.rdb, keys, args...).StringSlice() // and compute says so
	}
	if err != nil {
		return nil, fmt.Errorf("beginning a job: %w", err)
	}
	if len(reply) == 0 {
		s.opt.Log.Debug("a stale task steps aside", "job", id, "task", task)
		return nil, nil
	}
	r := &run{id: id, task: task, queue: queue, fields: map[string]string{}, latest: make(chan tools.Progress, 1)}
	for i := 0; i+1 < len(reply); i += 2 {
		r.fields[reply[i]] = reply[i+1]
	}
	r.pool = r.fields["pool"]
	r.count, _ = strconv.Atoi(r.fields["runs"])
	if e, err := s.opt.Catalog.Find(r.fields["tool"]); err == nil && e.Heavy != nil && e.Version == r.fields["version"] {
		r.tool, r.timeout = e.Tool, e.Heavy.Timeout
	}
	r.ctx, r.end = context.WithCancelCause(context.Background())
	r.stopEarly = make(chan struct{})
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
	delete(s.running, r.task)
	if len(s.running) == 0 {
		close(s.idle)
		s.idle = make(chan struct{})
	}
}

// compute runs the job, again after a crash. No state means that there is nothing to store.
// The channel, unless nil, is closed when a computation that could not be stopped has ended.
func (s *Server) compute(r *run) (stray <-chan struct{}, state State, out Outcome) {
	if r.tool == nil {
		return nil, Failed, Outcome{Cause: Unavailable, Failure: "No worker knows this version of the tool. Try again later."}
	}
	if begun := s.opt.Now(); begun.After(r.stamp("deadline")) {
		return nil, Failed, Outcome{Cause: Unavailable, Failure: tooLate(begun.Sub(r.stamp("enqueued")))}
	}
	if r.count > maxRuns { // each time the whole worker went, or nobody would have begun anew
		s.deadLetter(r, "its workers died")
		return nil, Failed, Outcome{Cause: Crashed, Failure: crashedSentence}
	}
	ctx, done := context.WithTimeout(r.ctx, r.timeout)
	defer done()
	stopReporting := s.reportProgress(r)
	defer stopReporting()
	go func() {
		select {
		case <-s.draining:
			r.end(errHandedBack)
		case <-ctx.Done():
		}
	}()

	s.opt.Log.Debug("job started", "job", r.id, "tool", r.tool.Name, "run", r.count)
	begun := time.Now()
	for {
		out, err := s.runner.run(tools.WithStopSignal(ctx, r.stopEarly), call{tool: r.tool.Name, body: []byte(r.fields["input"])}, r.report)
		var crash *crashError
		var strayed *runawayError
		switch {
		case err == nil:
			s.recordRuntime(r.pool, time.Since(begun))
			switch {
			case out.Failure != "":
				return nil, Failed, out
			case len(out.FieldErrors) > 0:
				return nil, Rejected, out
			}
			return nil, Done, out
		case ctx.Err() != nil:
			if errors.As(err, &strayed) {
				stray = strayed.ended
			}
			if r.ctx.Err() != nil { // unwanted or handed back
				return stray, "", Outcome{}
			}
			s.opt.Log.Warn("a job ran out of time", "job", r.id, "tool", r.tool.Name, "limit", r.timeout)
			return stray, Failed, Outcome{
				Cause:     TimedOut,
				Failure:   "The computation was stopped because it took longer than " + inWords(r.timeout) + ".",
				ComputeMS: milliseconds(time.Since(begun)),
			}
		case errors.As(err, &crash):
			s.metrics.crashed(r.tool.Name)
			s.opt.Log.Error("a run crashed", "job", r.id, "tool", r.tool.Name, "run", r.count, "of", maxRuns, "how", crash.how)
			if r.count >= maxRuns {
				s.deadLetter(r, crash.how)
				return nil, Failed, Outcome{Cause: Crashed, Failure: crashedSentence, ComputeMS: milliseconds(time.Since(begun))}
			}
			s.countRun(r)
		default:
			s.opt.Log.Error("a job could not be run", "job", r.id, "tool", r.tool.Name, "error", err)
			return nil, Failed, Outcome{Cause: Unavailable, Failure: "The computation could not be started on this worker. Try again later."}
		}
	}
}

const crashedSentence = "The computation crashed each time it was tried. The input may need more memory than a job is given, or it met a defect of the tool, which has been logged."

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// stoppedEarly says that the run was told to end with what it has.
func (r *run) stoppedEarly() bool {
	select {
	case <-r.stopEarly:
		return true
	default:
		return false
	}
}

// stamp reads a time from the job hash.
func (r *run) stamp(field string) time.Time {
	ms, _ := strconv.ParseInt(r.fields[field], 10, 64)
	return time.UnixMilli(ms)
}

// countRun notes that the job is tried again.
func (s *Server) countRun(r *run) {
	r.count++
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	if err := countRunScript.Run(ctx, s.rdb, []string{metaKey(r.id)}, r.task).Err(); err != nil {
		s.opt.Log.Warn("a run could not be counted", "job", r.id, "error", err)
	}
}

// report takes progress from the computation without making it wait: only the latest counts.
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

// reportProgress passes progress on, at most every progressEvery, until stopped.
func (s *Server) reportProgress(r *run) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-quit:
				return
			case p := <-r.latest:
				s.advance(r, p)
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

func (s *Server) advance(r *run, p tools.Progress) {
	text, err := json.Marshal(p)
	if err != nil { // not a number, or infinite
		return
	}
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	if err := progressScript.Run(ctx, s.rdb, []string{metaKey(r.id)}, r.task, text, r.id, progressChannel).Err(); err != nil {
		s.opt.Log.Debug("progress was lost", "job", r.id, "error", err)
	}
}

// finish stores the outcome, waiting for Redis if need be.
func (s *Server) finish(r *run, state State, out Outcome) {
	job := Job{ID: r.id, Tool: r.fields["tool"], Version: r.fields["version"], EnqueuedAt: r.stamp("enqueued"), StoppedEarly: r.stoppedEarly()}
	record, err := pack(finished(job, state, out, s.opt.Now(), s.opt.ResultTTL))
	if err != nil {
		s.opt.Log.Error("a result cannot be packed", "job", r.id, "error", err)
		return
	}
	if most := s.store.limits().Results; int64(len(record)+entryOverhead) > most {
		state, out = Rejected, tooLarge(len(record), most)
		if record, err = pack(finished(job, state, out, s.opt.Now(), s.opt.ResultTTL)); err != nil {
			s.opt.Log.Error("a result cannot be packed", "job", r.id, "error", err)
			return
		}
	}
	var stored int
	begun := time.Now()
	tried := s.persist(func(ctx context.Context) error {
		n, err := s.storeResult(ctx, r, record, time.Since(begun))
		if err != nil || n < 0 { // the present run of the job has its input and slots
			return err
		}
		stored = max(stored, n) // 0 at a try after one that stored it
		s.store.releaseInput(ctx, r.id)
		for _, caller := range []string{r.fields["caller"], r.fields["share"]} {
			if err == nil && caller != "" {
				err = s.rdb.ZRem(ctx, callerKey(caller), r.id).Err()
			}
		}
		return err
	})
	switch {
	case tried != nil:
		s.opt.Log.Error("a result could not be stored", "job", r.id, "error", tried)
	case stored == 0:
		s.opt.Log.Debug("another run was first", "job", r.id)
	default:
		s.opt.Log.Info("job finished", "job", r.id, "tool", job.Tool, "state", state, "compute_ms", out.ComputeMS)
	}
}

// persist tries until it succeeds, or storePatience has passed.
func (s *Server) persist(try func(context.Context) error) error {
	pause := 50 * time.Millisecond
	for until := time.Now().Add(storePatience); ; {
		ctx, done := context.WithTimeout(context.Background(), opTimeout)
		err := try(ctx)
		done()
		if err == nil || time.Now().After(until) {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Second)
	}
}

// requeue returns the job to the queue; the ticket follows when asynq shuts down.
func (s *Server) requeue(r *run) {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	err := requeueScript.Run(ctx, s.rdb, []string{metaKey(r.id), heartbeatKey(r.id)}, r.task, s.opt.Now().UnixMilli()).Err()
	if err != nil {
		s.opt.Log.Warn("a job could not be handed back; it will be found when its beat stops", "job", r.id, "error", err)
		return
	}
	if r.queue != "" {
		v, err := s.queues.view(ctx, r.id)
		if err == nil && v.task == r.task && v.State == Queued {
			err = s.queues.put(ctx, v, v.group, first)
		}
		if err != nil {
			s.opt.Log.Warn("a job that was handed back is missing in its queue; it will be found", "job", r.id, "error", err)
		}
	}
	s.opt.Log.Info("job handed back", "job", r.id, "tool", r.tool.Name)
}

// recordRuntime folds a run's duration into the pool's moving average, which the beats make known.
func (s *Server) recordRuntime(pool string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.avgRuntime[pool]
	if known {
		took = (4*old + took) / 5
	}
	s.avgRuntime[pool] = took
}
