package service

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// State is the state of a batch. A batch is queued, then running, then in one of the final states.
type State string

// States of a batch.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Cancelled State = "cancelled"
	Failed    State = "failed" // an error prevented its completion
)

// States that are invisible to callers: the calls are not yet debited, or the debit is void.
const (
	pending  State = "pending"
	rejected State = "rejected"
)

// Finished reports whether the state is final.
func (s State) Finished() bool { return s == Done || s == Cancelled || s == Failed }

// ErrNotFound is returned for a batch that is unknown, expired, or owned by another caller.
var ErrNotFound = errors.New("there is no such batch, or its results are no longer kept")

// ErrNoRun is returned for a run that a batch does not have.
var ErrNoRun = errors.New("the batch has no run with this index")

// Batch is the state of a batch as its caller sees it. RunsTotal is the maximum number of runs for
// a search that is not done. RunsDone counts the runs with a row, including failed runs. Times are
// null until they are known. ExpiresAt is the time at which the results are deleted. EtaS is in
// seconds. After the batch has ended, Summary contains the statistics of the runs before the first
// missing run. Error is the reason for state failed.
type Batch struct {
	ID          string          `json:"id" pattern:"^[0-9a-f]{32}$"`
	State       State           `json:"state" enum:"queued,running,done,cancelled,failed"`
	Tool        string          `json:"tool"`
	ToolVersion string          `json:"tool_version"`
	Mode        string          `json:"mode"`
	Label       string          `json:"label"`
	RunsTotal   int             `json:"runs_total" doc:"Number of runs; for an unfinished search the maximum"`
	RunsDone    int             `json:"runs_done" doc:"Number of finished runs, including failed ones"`
	RunsFailed  int             `json:"runs_failed"`
	CreatedAt   time.Time       `json:"created_at"`
	StartedAt   *time.Time      `json:"started_at"`
	FinishedAt  *time.Time      `json:"finished_at"`
	ExpiresAt   *time.Time      `json:"expires_at"`
	RatePerS    float64         `json:"rate_per_s"`
	EtaS        *float64        `json:"eta_s"`
	Error       string          `json:"error,omitempty"`
	Warnings    []string        `json:"warnings,omitempty" doc:"Unknown fields of the input"`
	Summary     json.RawMessage `json:"summary,omitempty" doc:"Present once the batch has ended"`
}

// view returns the batch as its caller sees it.
func (s *Service) view(r *record) *Batch {
	b := &Batch{
		ID: r.ID, State: r.State, Tool: r.Tool, ToolVersion: r.Version, Mode: r.Mode,
		Label:     r.Label,
		RunsTotal: r.Total, RunsDone: r.Done, RunsFailed: r.Failed, CreatedAt: r.Created.UTC(),
		Error: r.Error, Summary: r.Summary, Warnings: r.Warnings,
	}
	if r.State == Done {
		b.RunsTotal = r.Done // a search may need fewer runs than its maximum
	}
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	b.StartedAt, b.FinishedAt = at(r.Started), at(r.Ended)
	end := s.opt.Now()
	if !r.Ended.IsZero() {
		b.ExpiresAt, end = at(r.Ended.Add(s.opt.TTL)), r.Ended
	}
	if took := end.Sub(r.Started).Seconds(); !r.Started.IsZero() && took > 0 {
		b.RatePerS = float64(r.Done) / took
	}
	if r.State == Running && b.RatePerS > 0 {
		eta := float64(r.Total-r.Done) / b.RatePerS
		b.EtaS = &eta
	}
	return b
}

// owned returns a batch of an owner. It returns ErrNotFound if another caller owns it.
func (s *Service) owned(ctx context.Context, id, owner string) (*record, error) {
	r, err := s.store.get(ctx, id)
	if err == nil && r.Owner != owner {
		err = ErrNotFound
	}
	return r, err
}

// Get returns a batch of an owner. It returns ErrNotFound or worker.ErrUnavailable.
func (s *Service) Get(ctx context.Context, id, owner string) (*Batch, error) {
	r, err := s.owned(ctx, id, owner)
	if err != nil {
		return nil, err
	}
	return s.view(r.asSeenByCaller()), nil
}

// asSeenByCaller returns a done batch as running until its summary is stored. A caller that polls
// for the state done would otherwise get a result without statistics.
func (r *record) asSeenByCaller() *record {
	if r.State != Done || r.Summary != nil {
		return r
	}
	running := *r
	running.State, running.Ended = Running, time.Time{}
	return &running
}

// List returns the newest batches of an owner, at most 100, without their summaries.
func (s *Service) List(ctx context.Context, owner string) ([]*Batch, error) {
	ids, err := s.store.list(ctx, owner)
	if err != nil {
		return nil, err
	}
	all := []*Batch{}
	for _, id := range ids {
		r, err := s.owned(ctx, id, owner)
		if errors.Is(err, ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		b := s.view(r.asSeenByCaller())
		b.Summary = nil
		all = append(all, b)
	}
	return all, nil
}

// Cancel cancels a batch of an owner. It does not change a batch that has ended.
func (s *Service) Cancel(ctx context.Context, id, owner string) (*Batch, error) {
	if _, err := s.owned(ctx, id, owner); err != nil {
		return nil, err
	}
	if err := s.store.end(ctx, id, "", Cancelled, "", anyRows); err != nil &&
		!errors.Is(err, errLost) {
		return nil, err
	}
	return s.Get(ctx, id, owner)
}

// Unfinished returns the unfinalized batches of all owners, oldest first.
func (s *Service) Unfinished(ctx context.Context) ([]*Batch, error) {
	ids, err := s.store.unfinished(ctx)
	if err != nil {
		return nil, err
	}
	var all []*Batch
	for _, id := range ids {
		r, err := s.store.get(ctx, id)
		if errors.Is(err, ErrNotFound) {
			continue // ended meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s.view(r))
	}
	slices.SortFunc(all, func(a, b *Batch) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all, nil
}

// Stop cancels a batch of any owner. It is intended for operators.
func (s *Service) Stop(ctx context.Context, id string) (*Batch, error) {
	r, err := s.store.get(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Cancel(ctx, id, r.Owner)
}
