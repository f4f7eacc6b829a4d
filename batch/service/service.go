// Package service runs batches on the workers. A batch is a record in Redis. A coordinator, which
// every API process runs, leases it, submits chunks of its runs as jobs, and commits their rows.
//
// # Exactly once
//
// A batch has one coordinator at a time: its lease lasts 6 s and is renewed every second. Every
// write of a coordinator contains the token of its lease, and is rejected if another coordinator
// has the batch. One script stores the rows of a chunk and counts them, once per first index. A
// coordinator that takes over reads the committed ranges and submits the others. The input of a run
// depends only on the request and the index, so any process can compute it. A search is repeated
// from its committed rows and continues where they end. A batch becomes done only with as many rows
// as runs, because Redis may lose the last commits in a restart.
//
// Rows for which Redis has no room are saved in the database, under a name that only this
// coordinator uses, before the script counts them. Rows in the database that Redis does not count
// are ignored. They are deleted with their batch or when they expire.
//
// # Room
//
// A batch is accepted only if the bytes of all its rows can be reserved, in Redis or in the
// database, within the share of its caller. Accepted batches therefore have room until they end.
// Long error details are not reserved and are shortened if they have no room. Unused bytes are
// returned when the batch is finalized.
//
// # Calls
//
// The calls of all runs are debited before a batch is accepted: the batch is stored as pending, its
// calls are debited under its id, and it is queued. If a batch remains pending, any process rejects
// it and voids its debit. This refunds a debit that was made and prevents a later one. When an
// accepted batch has ended, its debit is finalized, at most once per batch id. This refunds the
// calls of runs that did not take place, crashed or exceeded their time limit. Then the lease is
// deleted.
package service

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/semaphore"

	"slipstick/batch"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
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

// Time constants and limits.
const (
	leaseTime    = 6 * time.Second
	renewEvery   = time.Second
	busyRetry    = 10 * time.Second
	fullRetry    = 10 * time.Minute // Retry-After when the memory for batches is full
	pendingTime  = 15 * time.Second // time limit for debiting the calls of a pending batch
	maxUnknown   = 1000             // batches to cancel when Redis is available again
	maxListed    = 100              // batches per list
	maxBatches   = 128              // maximum number of batches that a process coordinates
	pageBytes    = 8 << 20
	purgeEvery   = time.Hour // interval for deleting expired rows from the database
	defaultSlots = 4         // slots assumed for a pool without known workers
)

// Queue is the queue that runs the chunks.
type Queue interface {
	worker.Queue
	// Pool returns the slots of the living workers of a pool.
	Pool(ctx context.Context, pool string) (worker.PoolState, error)
	// MaxMemory returns the memory limit of Redis in bytes; 0 if there is none.
	MaxMemory() int64
}

// Options configures a Service. Redis, Catalog and Queue are required.
type Options struct {
	Redis   redis.UniversalClient
	Catalog *tools.Catalog // tools without chunk tools
	Queue   Queue
	// Quota debits the calls of a batch and finalizes the debit. If it is nil, calls are not
	// counted.
	Quota keys.BatchQuota
	// TTL is the time for which an ended batch is kept, and the maximum duration of a batch.
	// Default 24 h.
	TTL time.Duration
	// MaxRuns and MaxQueuedRuns limit the runs of a new batch, for synchronous and queued tools
	// respectively. Defaults and maximums are batch.MaxRuns and batch.MaxQueuedRuns.
	MaxRuns, MaxQueuedRuns int
	// BatchBytes and TotalBytes limit the decoded rows in Redis, per batch and in total. The
	// defaults are 48 and 256 MiB. The total is limited further to 20 % of Redis maxmemory.
	BatchBytes, TotalBytes int64
	// Database stores rows for which Redis has no room. If it is nil, such a batch fails.
	// DatabaseBytes limits the decoded rows in the database; a batch may use at most a sixteenth.
	// Default 2 GiB.
	Database      RowDatabase
	DatabaseBytes int64
	// CallerShare is the maximum share of TotalBytes and DatabaseBytes for one caller, up to 1. The
	// oldest ended batches of a caller are deleted for its new rows. Default 0.25.
	CallerShare float64
	// MaxUnfinished and MaxUnfinishedFree limit the unfinished batches per caller, with a paid key
	// and without one. Defaults 10 and 3.
	MaxUnfinished, MaxUnfinishedFree int
	// PollEvery is the interval at which a process checks for batches without a coordinator.
	// Default 1 s.
	PollEvery time.Duration
	Log       *slog.Logger          // nil: no log
	Metrics   prometheus.Registerer // nil: no metrics
	Now       func() time.Time
}

func orDefault[T int | int64 | float64 | time.Duration](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}

// Service accepts batches and coordinates them. It is safe for concurrent use.
type Service struct {
	opt     Options
	store   *store
	metrics metrics
	chunks  map[string]*tools.Tool // by pool
	wake    chan struct{}
	slots   chan struct{} // one element per coordinated batch
	// summaries limits the bytes of decoded rows in memory for summaries.
	summaries *semaphore.Weighted

	mu      sync.Mutex
	unknown []string // batches that Redis may have accepted although the reply was lost
}

// New returns a Service. The method Run coordinates its batches.
func New(o Options) (*Service, error) {
	if o.Redis == nil || o.Catalog == nil || o.Queue == nil {
		return nil, errors.New("batches need a Redis client, a catalog and a queue")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	orDefault(&o.TTL, 24*time.Hour)
	orDefault(&o.BatchBytes, 48<<20)
	orDefault(&o.TotalBytes, 256<<20)
	orDefault(&o.DatabaseBytes, 2<<30)
	orDefault(&o.CallerShare, 0.25)
	orDefault(&o.MaxUnfinished, 10)
	orDefault(&o.MaxUnfinishedFree, 3)
	orDefault(&o.MaxRuns, batch.MaxRuns)
	orDefault(&o.MaxQueuedRuns, batch.MaxQueuedRuns)
	orDefault(&o.PollEvery, time.Second)
	s := &Service{
		opt: o, chunks: map[string]*tools.Tool{}, wake: make(chan struct{}, 1),
		slots: make(chan struct{}, maxBatches), summaries: semaphore.NewWeighted(summaryBytes),
	}
	s.store = &store{rdb: o.Redis, opt: &s.opt}
	for _, t := range batch.ChunkTools(o.Catalog) {
		s.chunks[t.Heavy.Pool] = t
	}
	var err error
	s.metrics, err = newMetrics(s, o.Metrics)
	return s, err
}

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

// Plan validates a new request. It returns *tools.InputError or *tools.NotFoundError.
func (s *Service) Plan(body []byte) (*batch.Plan, error) {
	p, err := s.plan(body)
	if err != nil {
		return nil, err
	}
	most := s.opt.MaxRuns
	if p.Tool.Heavy != nil {
		most = s.opt.MaxQueuedRuns
	}
	if err := checkSize(p); err != nil {
		return nil, err
	}
	if err := p.Limit(most); err != nil {
		return nil, err
	}
	if err := s.checkBytes(p, body); err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// plan parses the request of an accepted batch. It ignores the present limits.
func (s *Service) plan(body []byte) (*batch.Plan, error) {
	r, err := batch.Parse(body)
	if err != nil {
		return nil, err
	}
	return batch.NewPlan(s.opt.Catalog, r)
}

// checkBytes rejects a plan whose rows would not fit even if its caller had no other batch.
func (s *Service) checkBytes(p *batch.Plan, body []byte) error {
	need, most := p.RowBytes()+recordBytes+int64(len(body)), s.store.batchBytes()
	if need <= most {
		return nil
	}
	return tools.Invalid("collect", "the rows need %s, more than the %s that one batch may store; "+
		"collect fewer results or make fewer runs", mebibytes(need), mebibytes(most))
}

// checkSize rejects a plan that raises the size limit of its tool. Only the default limit is
// available to batches.
func checkSize(p *batch.Plan) error {
	limit := p.Tool.SizeLimit
	if limit == nil {
		return nil
	}
	for i, v := range p.Request.Vary {
		if v.Field == "/"+limit.Input {
			return tools.Invalid(fmt.Sprintf("vary[%d].field", i), "%s cannot vary", limit.Input)
		}
	}
	_, err := p.Tool.WithSizeLimit(p.Request.Input, limit.Default)
	for _, input := range p.Request.Inputs {
		if err == nil {
			_, err = p.Tool.WithSizeLimit(input, limit.Default)
		}
	}
	return err
}

// Create creates a batch from a plan and debits its runs. body is the request of the plan. The
// allowance is zero unless the debit was made or rejected. Create returns *keys.InvalidKeyError,
// *keys.LimitError, keys.ErrUnavailable, *worker.BusyError or worker.ErrUnavailable.
func (s *Service) Create(ctx context.Context, who keys.Caller, p *batch.Plan,
	body []byte) (*Batch, keys.Allowance, error) {
	reservation := &keys.Reservation{}
	if s.opt.Quota != nil {
		var err error
		if reservation, err = s.opt.Quota.Prepare(ctx, who, p.Runs()); err != nil {
			return nil, keys.Allowance{}, err
		}
	}
	b, err := s.CreateReserved(ctx, reservation, p, body)
	var limit *keys.LimitError
	if err != nil && !errors.As(err, &limit) { // the remaining calls are unknown
		return nil, keys.Allowance{}, err
	}
	if limit != nil && p.Searches() && reservation.Allowance.Remaining > 0 {
		lower := *limit
		lower.Reason += fmt.Sprintf("; a search needs its maximum number of runs, %d, of which "+
			"it refunds the unused ones: lower n", p.Runs())
		err = &lower
	}
	return b, reservation.Allowance, err
}

// CreateReserved is like Create for runs that are already reserved. The debit of the reservation
// must not have been made.
func (s *Service) CreateReserved(ctx context.Context, reservation *keys.Reservation, p *batch.Plan,
	body []byte) (*Batch, error) {
	r := &record{
		ID: newID(), Owner: reservation.QuotaKey, Request: body, Tool: p.Tool.Name,
		Version: p.Tool.Version, Mode: p.Request.Mode, State: Queued, Total: p.Runs(),
		Warnings: p.Warnings(), Debit: reservation.Debit, Group: reservation.Group,
		RowBytes: p.RowBytes(),
	}
	if p.Request.Label != nil {
		r.Label = *p.Request.Label
	}
	most := s.opt.MaxUnfinishedFree
	if reservation.Tier.Paid() || s.opt.Quota == nil {
		most = s.opt.MaxUnfinished
	}
	if r.Debit.Counter != "" {
		r.State = pending
	}
	if err := s.store.create(ctx, r, most); err != nil {
		s.cancelUnknown(r.ID, err)
		return nil, err
	}
	if r.State == pending {
		if err := s.debitAndAccept(ctx, r.ID, reservation); err != nil {
			return nil, err
		}
		r.State = Queued
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	stored, err := s.store.get(ctx, r.ID)
	if err != nil { // the batch is accepted; after an error the client would send it again
		r.Created = s.opt.Now()
		stored = r
	}
	return s.view(stored), nil
}

// newID returns 128 random bits in hexadecimal.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails: the runtime crashes the program instead
	return hex.EncodeToString(id[:])
}

// debitAndAccept debits the calls of a pending batch and accepts it. If it is unknown after an
// error whether the debit was made, a later pass rejects the batch.
func (s *Service) debitAndAccept(ctx context.Context, id string, r *keys.Reservation) error {
	after := context.WithoutCancel(ctx)
	err := s.opt.Quota.Debit(ctx, id, r)
	var limit *keys.LimitError
	if errors.As(err, &limit) {
		if e := s.store.delete(after, id); e != nil {
			s.opt.Log.Warn("a batch over its caller's limit is not deleted yet", "error", e)
		}
	}
	if err != nil {
		return err
	}
	var busy *worker.BusyError
	switch err = s.store.accept(after, id); {
	case errors.Is(err, errLost): // rejected because the debit took longer than pendingTime
		return fmt.Errorf("%w: the debit took too long", worker.ErrUnavailable)
	case errors.As(err, &busy):
		if e := s.void(after, id); e != nil {
			s.opt.Log.Warn("the calls of a rejected batch are not refunded yet", "error", e)
		}
	}
	s.cancelUnknown(id, err)
	return err
}

// void refunds the calls of a batch that was not accepted, and deletes the batch.
func (s *Service) void(ctx context.Context, id string) error {
	r, err := s.store.stored(ctx, id)
	if errors.Is(err, ErrNotFound) { // another process has already deleted it
		return nil
	}
	if err != nil {
		return err
	}
	if s.opt.Quota != nil {
		if err := s.opt.Quota.Void(ctx, id, r.Debit); err != nil {
			return err
		}
	}
	return s.store.delete(ctx, id)
}

// voidPending rejects the batches of all processes that have been pending for pendingTime, and
// refunds their calls.
func (s *Service) voidPending(ctx context.Context) {
	ids, err := s.store.reject(ctx, pendingTime)
	for _, id := range ids {
		if e := s.void(ctx, id); e != nil {
			err = e
		}
	}
	if err != nil && ctx.Err() == nil {
		s.opt.Log.Warn("the calls of rejected batches are not refunded yet", "error", err)
	}
}

// cancelUnknown records a batch for a later cancellation if Redis was unavailable, because Redis
// may have accepted it.
func (s *Service) cancelUnknown(id string, err error) {
	if !errors.Is(err, worker.ErrUnavailable) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknown) < maxUnknown {
		s.unknown = append(s.unknown, id)
		return
	}
	s.opt.Log.Error("too many batches wait for Redis: one may run although its caller got an error",
		"batch", id)
}

// cancelAllUnknown cancels the batches whose callers received an error. A batch that cannot be
// cancelled remains for the next call.
func (s *Service) cancelAllUnknown(ctx context.Context) {
	s.mu.Lock()
	ids := s.unknown
	s.unknown = nil
	s.mu.Unlock()
	for _, id := range ids {
		err := s.store.end(ctx, id, "", Cancelled, "", anyRows)
		if errors.Is(err, errLost) { // the batch was not accepted or has ended
			err = nil
		}
		s.cancelUnknown(id, err)
	}
}

// finalizeCalls refunds the calls of runs that did not take place and records the others.
func (s *Service) finalizeCalls(ctx context.Context, r *record) error {
	if s.opt.Quota == nil {
		return nil
	}
	return s.opt.Quota.Finalize(ctx, r.ID, r.Debit, keys.DebitUsage{
		Tool: r.Tool, Computed: r.Done - r.Failed, Invalid: r.Failed - r.Uncharged,
		Compute: r.Compute,
	})
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

// Page contains rows of a batch.
type Page struct {
	Plan *batch.Plan
	Rows batch.Rows
	// Total is the number of runs of the batch.
	Total int
}

// Rows returns at most the given number of rows of a batch, in order, starting at index from. Rows
// stops at the first missing row unless partial is set. A page contains at most about 8 MiB, but
// always one row if there is one.
func (s *Service) Rows(ctx context.Context, id, owner string, from, limit int,
	partial bool) (*Page, error) {
	r, err := s.owned(ctx, id, owner)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(r.Request)
	if err != nil {
		return nil, err
	}
	page := &Page{Plan: p, Rows: batch.Rows{From: from}, Total: s.view(r).RunsTotal}
	return page, s.read(ctx, id, page, limit, pageBytes, partial)
}

// read adds rows to a page until it has limit rows. It stops after the row that reaches maxBytes.
func (s *Service) read(ctx context.Context, id string, page *Page, limit, maxBytes int,
	partial bool) error {
	segments, err := s.store.segments(ctx, id)
	if err != nil {
		return err
	}
	from, next, size := page.Rows.From, 0, 0
	for _, g := range segments {
		if g.from > next && !partial || len(page.Rows.Runs) >= limit || size >= maxBytes {
			break
		}
		if next = g.from + g.count; next <= from {
			continue
		}
		runs, err := s.store.rows(ctx, id, g)
		if err != nil {
			return err
		}
		for i := max(0, from-g.from); i < len(runs) && len(page.Rows.Runs) < limit &&
			size < maxBytes; i++ {
			page.Rows.Runs = append(page.Rows.Runs, runs[i])
			page.Rows.Indexes = append(page.Rows.Indexes, g.from+i)
			size += runs[i].Size()
		}
	}
	return nil
}

// RunInput returns the tool of a batch and the input of one of its runs. It returns ErrNotFound, or
// ErrNoRun if the batch has no such run or a search has not reached it.
func (s *Service) RunInput(ctx context.Context, id, owner string,
	index int) (*tools.Tool, json.RawMessage, error) {
	r, err := s.owned(ctx, id, owner)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.plan(r.Request)
	if err != nil {
		return nil, nil, err
	}
	if !p.Searches() {
		if index < 0 || index >= p.Runs() {
			return nil, nil, ErrNoRun
		}
		return p.Tool, p.Input(index), nil
	}
	page, err := s.Rows(ctx, id, owner, index, 1, true)
	if err != nil {
		return nil, nil, err
	}
	if len(page.Rows.Runs) == 0 || page.Rows.Indexes[0] != index {
		return nil, nil, ErrNoRun
	}
	return p.Tool, p.InputAt(page.Rows.Runs[0].Values), nil
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

// Run coordinates batches until ctx ends. It then ends their leases so that another process can
// continue.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(s.opt.PollEvery)
	defer tick.Stop()
	var working sync.WaitGroup
	defer working.Wait()
	var purged time.Time
	for {
		for s.take(ctx, &working) {
		}
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTime)
			defer cancel()
			s.cancelAllUnknown(last)
			return
		case <-tick.C:
			s.cancelAllUnknown(ctx)
			s.voidPending(ctx)
			purge := time.Since(purged) > purgeEvery
			if err := s.store.deleteRows(ctx, purge); err != nil {
				s.opt.Log.Debug("rows of deleted batches are not deleted yet", "error", err)
			} else if purge {
				purged = time.Now()
			}
		case <-s.wake:
		}
	}
}

// take leases one batch and coordinates it. It returns false if there is none, or if this process
// has reached its limit.
func (s *Service) take(ctx context.Context, working *sync.WaitGroup) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return false
	}
	token := newID()
	id, err := s.store.lease(ctx, token)
	if err != nil || id == "" {
		<-s.slots
		if err != nil && ctx.Err() == nil {
			s.opt.Log.Warn("batches cannot be leased", "error", err)
		}
		return false
	}
	working.Go(func() {
		defer func() { <-s.slots }()
		s.coordinate(ctx, id, token)
	})
	return true
}
