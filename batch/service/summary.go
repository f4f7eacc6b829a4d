package service

import (
	"context"
	"encoding/json"
	"errors"

	"slipstick/batch"
)

// summaryBytes limits the bytes of decoded rows in memory for all summaries of a process. A larger
// batch is summarized alone.
const summaryBytes = 128 << 20

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
