package service

import (
	"context"
	"errors"
	"time"

	"slipstick/batch"
)

// gap is a range of runs without rows. most limits the runs of a chunk after a crash; 0 means no
// limit. abandoned counts how often the first run was abandoned for other jobs.
type gap struct{ from, to, most, abandoned int }

// maxAbandoned is the number of times that a run may be abandoned for other jobs. After that the
// run is completed, so a batch of long runs progresses even among many short jobs.
const maxAbandoned = 3

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
