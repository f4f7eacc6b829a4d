package service

import (
	"context"
	"errors"
	"io"
	"time"

	"slipstick/batch"
	"slipstick/worker"
)

// Time constants and limits of chunks.
const (
	chunkWait    = time.Minute // maximum time of one wait; the coordinator then waits again
	retryPause   = time.Second // pause after the queue has rejected a chunk
	maxChunkRuns = 5000
	minChunk     = 100 * time.Millisecond // minimum duration of a chunk
	chunkReader  = "batches"              // reader name for large results
)

// chunkResult is the outcome of a chunk: the rows of its first runs, a crash, or an error.
type chunkResult struct {
	gap       gap
	runs      []batch.Run
	uncharged int
	compute   time.Duration
	crashed   string        // cause of the crash; the chunk must be divided
	early     bool          // the chunk yielded to other jobs
	spilled   bool          // set if Redis has no room, so the rows go to the database
	values    []batch.Value // in a search: values of the first run
	err       error
}

// chunk computes a chunk on a worker. start is the index of the first point of a search.
func (w *work) chunk(ctx context.Context, g gap, start int, points [][]batch.Value) chunkResult {
	e := chunkResult{gap: g}
	if points != nil {
		points = points[g.from-start : g.to-start]
	}
	body, err := batch.ChunkBody(w.ID, w.Request, g.from, g.to-g.from, points,
		g.abandoned >= maxAbandoned)
	if err != nil {
		e.err = err
		return e
	}
	var job worker.Job
	e.err = w.retry(ctx, func() error {
		job, err = w.submit(ctx, body)
		return err
	})
	if e.err == nil {
		w.read(ctx, job, &e)
	}
	if points != nil {
		e.values = points[0]
	}
	return e
}

// submit submits a chunk and waits for the outcome. If the queue is busy or has lost the job,
// submit returns worker.ErrUnavailable, after which retry submits the chunk again.
func (w *work) submit(ctx context.Context, body []byte) (worker.Job, error) {
	pool := batch.ChunkPool(w.plan.Tool)
	tool := w.chunks[pool]
	if tool == nil {
		return worker.Job{}, fatal("no worker pool computes this batch")
	}
	group := w.Group
	if group != "" {
		group = "batch:" + group
	}
	job, err := w.opt.Queue.Submit(ctx, tool, body, worker.SubmitOptions{
		Priority: worker.PriorityBatch, Group: group, Detached: true,
	})
	var busy *worker.BusyError
	if errors.As(err, &busy) {
		return job, worker.ErrUnavailable
	}
	if err != nil || job.State.Finished() {
		return job, err
	}
	w.track(job.ID, true)
	for !job.State.Finished() {
		if job, err = w.opt.Queue.Wait(ctx, job.ID, "", chunkWait); err != nil {
			break
		}
	}
	if err == nil {
		w.track(job.ID, false)
	}
	if errors.Is(err, worker.ErrJobNotFound) {
		return job, worker.ErrUnavailable
	}
	return job, err
}

func (w *work) track(job string, inFlight bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inFlight[job] = true; !inFlight {
		delete(w.inFlight, job)
	}
}

// cancelJobs cancels the jobs in flight when the batch ends.
func (w *work) cancelJobs() {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), leaseTime/2)
	defer cancel()
	for id := range w.inFlight {
		if _, err := w.opt.Queue.Cancel(ctx, id, ""); err != nil {
			w.opt.Log.Debug("a chunk could not be cancelled", "job", id, "error", err)
		}
	}
	clear(w.inFlight)
}

// read decodes the outcome of a chunk's job.
func (w *work) read(ctx context.Context, job worker.Job, e *chunkResult) {
	out := job.Outcome
	e.compute, e.early = time.Duration(out.ComputeMS*float64(time.Millisecond)), job.StoppedEarly
	switch {
	case job.State == worker.Rejected:
		e.err = fatal("a worker rejected a chunk: " + faultsOf(out))
	case job.State == worker.Cancelled, out.Cause == worker.Unavailable:
		e.err = pause(ctx) // no rows; the chunk is submitted again
	case job.State == worker.Failed && out.Cause == worker.TimedOut:
		e.crashed = "time limit reached"
	case job.State == worker.Failed:
		e.crashed = out.Failure
	default:
		result := []byte(out.Result)
		if out.Large != nil {
			var err error
			if result, err = readLarge(ctx, out.Large); err != nil {
				w.opt.Log.Debug("the rows of a chunk were lost", "batch", w.ID, "error", err)
				e.err = pause(ctx)
				return
			}
		}
		e.runs, e.err = batch.ChunkRuns(result)
		if e.err == nil && len(e.runs) == 0 && !e.early {
			// The queue would return this result for the same chunk forever.
			e.err = fatal("a worker returned no rows of a chunk that was not stopped early")
		}
	}
}

func readLarge(ctx context.Context, large *worker.LargeResult) ([]byte, error) {
	r, err := large.Open(ctx, chunkReader)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func faultsOf(o worker.Outcome) string {
	text := ""
	for _, f := range o.FieldErrors {
		text += " " + f.Path + " " + f.Detail
	}
	return text
}
