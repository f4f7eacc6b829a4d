package service

import (
	"context"
	"encoding/json"
	"time"

	"slipstick/batch"
)

// Limits and intervals of events.
const (
	followEvery = 250 * time.Millisecond // polling interval of a batch
	aliveEvery  = 15 * time.Second       // maximum interval between events
	eventRows   = 1000                   // rows per event
	eventBytes  = 1 << 20                // approximate bytes of the rows per event
)

// Progress is the data of a "progress" event. EtaS is in seconds, and null unless the batch is
// running.
type Progress struct {
	State      State    `json:"state"`
	RunsDone   int      `json:"runs_done"`
	RunsFailed int      `json:"runs_failed"`
	RunsTotal  int      `json:"runs_total"`
	RatePerS   float64  `json:"rate_per_s"`
	EtaS       *float64 `json:"eta_s"`
}

// Event is a change of a batch, or some of its rows. At most one field is set; if none is set,
// nothing has changed.
type Event struct {
	Progress *Progress
	Rows     *Page // in order, without a gap after the rows of earlier events
	Summary  json.RawMessage
	End      State // final state; set in the last event
}

// Follow calls emit for each change of an owner's batch and for its rows, starting at index from.
// When the batch is finalized, Follow emits the summary and then the final state. Follow returns
// the errors of emit and of the context, ErrNotFound or worker.ErrUnavailable. A panic, also of
// emit, becomes an error, because the server calls Follow outside its handlers.
func (s *Service) Follow(ctx context.Context, id, owner string, from int,
	emit func(Event) error) error {
	return s.guard(id, func() error { return s.follow(ctx, id, owner, from, emit) })
}

// follow is the variant of Follow that may panic.
func (s *Service) follow(ctx context.Context, id, owner string, from int,
	emit func(Event) error) error {
	r, err := s.owned(ctx, id, owner)
	if err != nil {
		return err
	}
	plan, err := s.plan(r.Request)
	if err != nil {
		return err
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	shown, last := Progress{RunsDone: -1}, time.Now()
	for {
		if r, err = s.store.progress(ctx, id); err != nil {
			return err
		}
		b := s.view(r)
		// The rate changes constantly, so it is sent only with the counts.
		if b.State != shown.State || b.RunsDone != shown.RunsDone {
			shown = Progress{b.State, b.RunsDone, b.RunsFailed, b.RunsTotal, b.RatePerS, b.EtaS}
			last = time.Now()
			if err := emit(Event{Progress: &shown}); err != nil {
				return err
			}
			if from, err = s.followRows(ctx, id, plan, from, b.RunsTotal, emit); err != nil {
				return err
			}
		}
		if b.State.Finished() {
			whole, err := s.store.get(ctx, id)
			if err != nil {
				return err
			}
			if whole.Summary != nil {
				if err := emit(Event{Summary: whole.Summary}); err != nil {
					return err
				}
				return emit(Event{End: b.State})
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if time.Since(last) > aliveEvery {
			last = time.Now()
			if err := emit(Event{}); err != nil {
				return err
			}
		}
	}
}

// followRows emits the rows up to the first gap, starting at index from. It returns the index after
// the last row.
func (s *Service) followRows(
	ctx context.Context, id string, plan *batch.Plan, from, total int, emit func(Event) error,
) (int, error) {
	for {
		page := &Page{Plan: plan, Rows: batch.Rows{From: from}, Total: total}
		if err := s.read(ctx, id, page, eventRows, eventBytes, false); err != nil {
			return from, err
		}
		if len(page.Rows.Runs) == 0 {
			return from, nil
		}
		from += len(page.Rows.Runs)
		if err := emit(Event{Rows: page}); err != nil {
			return from, err
		}
	}
}
