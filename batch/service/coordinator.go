package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
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

// errLost ends the work of a coordinator whose lease is lost or whose batch has ended.
var errLost = errors.New("the batch has another coordinator, or has ended")

// fatal is the reason why a batch cannot continue.
type fatal string

func (f fatal) Error() string { return string(f) }

// work is a batch in progress.
type work struct {
	*Service
	*record
	token string
	plan  *batch.Plan
	have  []segment         // committed segments, unordered
	runs  map[int]batch.Run // committed runs of a search; nil in other modes
	pace  time.Duration     // average time per run; 0: unknown
	// spilled is set if further rows go to the database.
	spilled bool

	active atomic.Int32 // batches that are not finalized, including this one

	mu       sync.Mutex
	inFlight map[string]bool // ids of jobs
}

// gap is a range of runs without rows. most limits the runs of a chunk after a crash; 0 means no
// limit. abandoned counts how often the first run was abandoned for other jobs.
type gap struct{ from, to, most, abandoned int }

// maxAbandoned is the number of times that a run may be abandoned for other jobs. After that the
// run is completed, so a batch of long runs progresses even among many short jobs.
const maxAbandoned = 3

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

// coordinate runs a leased batch to its end, finalizes it and releases its lease. If ctx ends
// first, it releases the lease so that another process can continue.
func (s *Service) coordinate(ctx context.Context, id, token string) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, err := s.store.get(ctx, id)
	if err == nil {
		var renewing sync.WaitGroup
		quit := make(chan struct{})
		w := &work{Service: s, record: r, token: token, inFlight: map[string]bool{},
			spilled: r.InDatabase}
		renewing.Go(func() { w.keepLease(quit, stop) })
		if err = w.guard(w.ID, func() error { return w.run(ctx) }); errors.Is(err, errDefect) {
			w.cancelJobs()
			err = w.guard(w.ID, func() error { return w.fail(ctx, errDefect.Error()) })
		}
		close(quit)
		renewing.Wait()
	}
	if errors.Is(err, ErrNotFound) { // Redis has lost the record
		_ = s.store.rdb.ZRem(context.WithoutCancel(ctx), leasesKey, id).Err()
		return
	}
	if err == nil || errors.Is(context.Cause(ctx), errLost) {
		return
	}
	if ctx.Err() == nil {
		s.opt.Log.Warn("a batch is interrupted", "batch", id, "error", err)
		return // the lease expires, which limits the retries of a persistent fault
	}
	op, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTime)
	defer cancel()
	if _, _, err := s.store.renew(op, id, token, 0); err != nil {
		s.opt.Log.Warn("a lease of a batch ends by itself", "batch", id, "error", err)
	}
}

// errDefect is the reason why a batch fails after a panic.
const errDefect = fatal("an internal error ended it; the log of the service has the cause")

// guard returns the error of do, or errDefect if do panics. Without guard a defect would end the
// process, and then the next process that leases the batch.
func (s *Service) guard(id string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error("panic in a batch", "batch", id, "panic", p, "stack",
				string(debug.Stack()))
			err = errDefect
		}
	}()
	return do()
}

// keepLease renews the lease until quit is closed, and calls stop if the lease is lost. It also
// stops a running batch whose record was cancelled, which may happen at any time. It renews the
// lease after that too, because finalize may wait for memory for its summary.
func (w *work) keepLease(quit <-chan struct{}, stop context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for last := time.Now(); ; {
		op, cancel := context.WithTimeout(context.Background(), leaseTime/2)
		state, active, err := w.store.renew(op, w.ID, w.token, leaseTime)
		cancel()
		switch {
		case err == nil && state == "", err != nil && time.Since(last) > leaseTime:
			stop(errLost)
			return
		case err == nil && state == Cancelled && !w.State.Finished():
			stop(errCancelled)
			last = time.Now() // run finalizes the batch under this lease
		case err == nil:
			last = time.Now()
			w.active.Store(int32(active))
		}
		select {
		case <-quit:
			return
		case <-tick.C:
		}
	}
}

// errCancelled ends the computation of a batch that its caller has cancelled.
var errCancelled = errors.New("the batch is cancelled")

// run computes the missing runs, then ends and finalizes the batch.
func (w *work) run(ctx context.Context) error {
	var err error
	if w.plan, err = w.Service.plan(w.Request); err != nil {
		return w.fail(ctx, "the request is not valid for this version: "+err.Error())
	}
	if w.State.Finished() {
		return w.finalize(ctx)
	}
	if now := w.plan.Tool.Version; now != w.Version {
		return w.fail(ctx, fmt.Sprintf("the version of %s changed from %s to %s before the batch "+
			"ended; the calls of the missing runs are refunded: send the batch again", w.Tool,
			w.Version, now))
	}
	bounded, cancel := context.WithDeadline(ctx, w.Created.Add(w.opt.TTL))
	defer cancel()
	err = errRows
	for idle := 0; errors.Is(err, errRows); {
		var rows, before int
		if rows, before, err = w.compute(bounded); err == nil {
			err = w.retry(bounded, func() error {
				return w.store.end(ctx, w.ID, w.token, Done, "", rows)
			})
		}
		if idle++; len(w.have) > before {
			idle = 0
		}
		if errors.Is(err, errRows) && idle >= maxIdleRounds {
			err = fatal(fmt.Sprintf("the batch has other rows than the %d that its search makes",
				rows))
		}
	}
	w.cancelJobs()
	var why fatal
	switch {
	case err == nil:
		return w.finalize(ctx)
	case errors.Is(context.Cause(ctx), errCancelled):
		return w.finalize(context.WithoutCancel(ctx))
	case ctx.Err() == nil && bounded.Err() != nil:
		return w.fail(ctx, "the batch did not end within "+w.opt.TTL.String())
	case errors.As(err, &why):
		return w.fail(ctx, why.Error())
	case errors.Is(err, errLost): // the batch may be cancelled and must then be finalized
		return w.finalize(ctx)
	}
	return err
}

// fail ends the batch in state failed and finalizes it.
func (w *work) fail(ctx context.Context, reason string) error {
	err := w.store.end(ctx, w.ID, w.token, Failed, reason, anyRows)
	if err != nil && !errors.Is(err, errLost) {
		return err
	}
	return w.finalize(ctx)
}

// finalize finalizes the debit of an ended batch and stores its summary.
func (w *work) finalize(ctx context.Context) error {
	r, err := w.store.get(ctx, w.ID)
	if err != nil {
		return err
	}
	if !r.State.Finished() {
		return errLost
	}
	if err := w.finalizeCalls(ctx, r); err != nil {
		return err
	}
	summary, err := w.summarize(ctx, r.Bytes)
	if err != nil {
		return err
	}
	if err := w.store.finalize(ctx, w.ID, w.token, summary); err != nil {
		return err
	}
	w.metrics.finalized(r.State)
	return nil
}

// summaryBytes limits the bytes of decoded rows in memory for all summaries of a process. A larger
// batch is summarized alone.
const summaryBytes = 128 << 20

// summarize returns the summary of the runs before the first missing run. bytes is the approximate
// memory of the rows.
func (w *work) summarize(ctx context.Context, bytes int64) ([]byte, error) {
	if w.plan == nil {
		return []byte("null"), nil
	}
	weight := min(bytes, summaryBytes)
	if err := w.summaries.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	defer w.summaries.Release(weight)
	var summary []byte
	err := w.guard(w.ID, func() error {
		runs, err := w.prefix(ctx)
		if err != nil {
			return err
		}
		summary, err = json.Marshal(w.plan.Summarize(runs))
		return err
	})
	if errors.Is(err, errDefect) { // the batch must end nevertheless
		return []byte("null"), nil
	}
	return summary, err
}

// prefix returns the runs before the first missing run.
func (w *work) prefix(ctx context.Context) ([]batch.Run, error) {
	segments, err := w.store.segments(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	var all []batch.Run
	for _, g := range segments {
		if g.from != len(all) {
			break
		}
		runs, err := w.store.rows(ctx, w.ID, g)
		if errors.Is(err, ErrNotFound) { // the rows are lost, and the batch must end
			w.opt.Log.Error("rows of a batch are lost: its summary lacks them", "batch", w.ID,
				"from", g.from)
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
	}
	return all, nil
}

// maxIdleRounds is the number of rounds without a new row after which a search fails. The stored
// rows then contradict the search, and more rounds would repeat the same points.
const maxIdleRounds = 2

// compute computes every run without a row. rows is the number of runs, and before is the number of
// ranges that were already stored.
func (w *work) compute(ctx context.Context) (rows, before int, err error) {
	if w.have, err = w.store.segments(ctx, w.ID); err != nil {
		return 0, 0, err
	}
	before = len(w.have)
	if !w.plan.Searches() {
		return w.plan.Runs(), before, w.fill(ctx, 0, w.plan.Runs(), nil)
	}
	w.runs = map[int]batch.Run{}
	for _, g := range w.have {
		runs, err := w.store.rows(ctx, w.ID, g)
		if errors.Is(err, ErrNotFound) {
			return 0, before, fatal("rows that its search needs are lost; send the batch again")
		}
		if err != nil {
			return 0, before, err
		}
		w.remember(g.from, runs)
	}
	_, err = w.plan.Search(ctx,
		func(ctx context.Context, points [][]batch.Value) ([]batch.Run, error) {
			if err := w.fill(ctx, rows, rows+len(points), points); err != nil {
				return nil, err
			}
			round := make([]batch.Run, len(points))
			for i := range round {
				round[i] = w.runs[rows+i]
				if !round[i].IsAt(points[i]) {
					return nil,
						fatal("its stored rows are of a search of another version; send the batch again")
				}
			}
			rows += len(points)
			return round, nil
		})
	return rows, before, err
}

// remember keeps the committed runs of a search in memory because its next round depends on them.
func (w *work) remember(from int, runs []batch.Run) {
	if w.runs == nil {
		return
	}
	for i, r := range runs {
		w.runs[from+i] = r
	}
}

// gaps returns the parts of a range that have no rows.
func (w *work) gaps(from, to int) []gap {
	taken := make([]bool, to-from)
	for _, g := range w.have {
		for i := max(g.from, from); i < min(g.from+g.count, to); i++ {
			taken[i-from] = true
		}
	}
	var out []gap
	for i := 0; i < len(taken); i++ {
		if taken[i] {
			continue
		}
		begin := i
		for i < len(taken) && !taken[i] {
			i++
		}
		out = append(out, gap{from: from + begin, to: from + i})
	}
	return out
}

// fill computes the runs of a range that have no rows. points are the points of the range in a
// search.
func (w *work) fill(ctx context.Context, from, to int, points [][]batch.Value) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	gaps, inFlight, results := w.gaps(from, to), 0, make(chan chunkResult)
	defer func() {
		stop()
		for ; inFlight > 0; inFlight-- {
			<-results
		}
	}()
	for {
		limit := w.share(ctx)
		for len(gaps) > 0 && inFlight < limit {
			g, rest := claim(gaps, limit, w.minChunkRuns())
			gaps = rest
			inFlight++
			go func() {
				var r chunkResult
				if err := w.guard(w.ID, func() error {
					r = w.chunk(ctx, g, from, points)
					return nil
				}); err != nil {
					r = chunkResult{gap: g, err: err}
				}
				results <- r
			}()
		}
		if inFlight == 0 {
			return nil
		}
		e := <-results
		inFlight--
		again, err := w.commit(ctx, e)
		if err != nil {
			return err
		}
		gaps = append(again, gaps...)
	}
}

// share returns the maximum number of chunks of this batch in flight. It is two per slot, so no
// worker waits for the next chunk, and fewer if there are several batches. All batches together
// have at most four per slot because a search may have fewer runs than its share.
func (w *work) share(ctx context.Context) int {
	slots := defaultSlots
	st, err := w.opt.Queue.Pool(ctx, batch.ChunkPool(w.plan.Tool))
	if err == nil && st.Slots > 0 {
		slots = st.Slots
	}
	active := max(1, int(w.active.Load()))
	return min(2*slots, max(2, (4*slots+active-1)/active))
}

// minChunkRuns returns the minimum number of runs for which a job is worth its overhead.
func (w *work) minChunkRuns() int {
	switch {
	case w.pace > 0:
		return int(max(1, minChunk/w.pace))
	case w.plan.Tool.Heavy == nil:
		return 100
	}
	return 1
}

// claim takes a chunk from the first gap and returns it with the remaining gaps. The size of the
// chunk is a share of the remaining runs, so chunks become smaller towards the end and the workers
// finish together.
func claim(gaps []gap, limit, least int) (gap, []gap) {
	left := 0
	for _, g := range gaps {
		left += g.to - g.from
	}
	first := gaps[0]
	size := min(max(least, (left+limit-1)/limit), maxChunkRuns, first.to-first.from)
	if first.most > 0 {
		size = min(size, first.most)
	}
	chunk := gap{first.from, first.from + size, first.most, first.abandoned}
	first.abandoned = 0
	if first.from += size; first.from == first.to {
		return chunk, gaps[1:]
	}
	rest := append([]gap{first}, gaps[1:]...)
	return chunk, rest
}

// commit stores the rows of a chunk and returns the remaining ranges of the chunk.
func (w *work) commit(ctx context.Context, e chunkResult) ([]gap, error) {
	g := e.gap
	n := g.to - g.from
	switch {
	case e.err != nil:
		return nil, e.err
	case e.crashed != "" && n > 1:
		return []gap{{from: g.from, to: g.to, most: (n + 1) / 2}}, nil
	case e.crashed != "":
		e.runs, e.uncharged = []batch.Run{w.plan.FailedRun(g.from, e.values, e.crashed)}, 1
	case len(e.runs) > n:
		return nil, fatal("a worker returned more rows than a chunk has runs")
	}
	if len(e.runs) == 0 {
		if e.early {
			g.abandoned++
		}
		return []gap{g}, nil
	}
	g.abandoned, e.spilled = 0, w.spilled
	if err := w.retry(ctx, func() error {
		return w.store.commit(ctx, w.ID, w.token, g.from, &e)
	}); err != nil {
		return nil, err
	}
	w.spilled = e.spilled
	w.metrics.committed(e)
	w.have = append(w.have, segment{from: g.from, count: len(e.runs)})
	w.remember(g.from, e.runs)
	if e.uncharged == 0 {
		w.pace = max(time.Microsecond, e.compute/time.Duration(len(e.runs)))
	}
	if g.from += len(e.runs); g.from < g.to {
		return []gap{g}, nil
	}
	return nil, nil
}

// retry repeats an operation while Redis or the database is unavailable.
func (w *work) retry(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, worker.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(retryPause):
		return nil
	}
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
