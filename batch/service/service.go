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
// A batch is accepted only if the bytes of all its rows can be reserved within its caller's share
// of Redis or of the database. Accepted batches therefore have room until they end. Long error
// details are not reserved and are shortened if they have no room. Unused bytes are returned when
// the batch is finalized.
//
// # Calls
//
// The calls of all runs are debited before a batch is accepted. The batch is stored as pending, its
// calls are debited under its id, and it is queued. If a batch remains pending, any process rejects
// it and voids its debit. This refunds a debit that was made and prevents a later one. When an
// accepted batch has ended, its debit is finalized, at most once per batch id. This refunds the
// calls of runs that did not take place, crashed or exceeded their time limit. Then the lease is
// deleted.
package service

import (
	"context"
	"errors"
	"log/slog"
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
