package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
)

// Timing that clients and workers share.
const (
	HeartbeatEvery = 2 * time.Second
	HeartbeatTTL   = 8 * time.Second  // a worker without a heartbeat for so long is dead
	WaiterTTL      = 10 * time.Second // of a waiter that its process does not renew
	OpTimeout      = 4 * time.Second  // of the commands of one call; each has its own timeout too
	jobTTLSlack    = 5 * time.Minute  // a job hash outlives every event of the job
)

// MaxCallers bounds the callers that a job records. A job with more continues when they leave.
const MaxCallers = 100

// Options configure a Store. Redis is required.
type Options struct {
	// Redis remains the caller's to close.
	Redis redis.UniversalClient
	Log   *slog.Logger
	Now   func() time.Time
	// QueueTimeout is the longest time of a job in a queue before it fails.
	QueueTimeout time.Duration
	// ResultTTL is the TTL of results.
	ResultTTL time.Duration
	// Budgets bound the bytes in Redis.
	Budgets Budgets
	// Reads counts the bytes of results that are being read; nil in a process that reads none.
	Reads   *ReadLimiter
	Metrics prometheus.Registerer // nil: no metrics
}

// Store is the queue in Redis. Its methods return ErrUnavailable when Redis is not reachable, and a
// *BusyError when Redis has no memory left. It is safe for concurrent use.
type Store struct {
	opt       Options
	rdb       redis.UniversalClient
	inspector *asynq.Inspector
	log       *slog.Logger
	now       func() time.Time
	metrics   metrics

	maxMemory atomic.Int64 // of Redis [bytes]; 0: unknown or unlimited
	relieving sync.Mutex
	relieved  time.Time
}

// New returns a Store. It does not connect. The error is that of a metric that another collector
// has registered.
func New(opt Options) (*Store, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Budgets = opt.Budgets.withDefaults()
	s := &Store{
		opt: opt, rdb: opt.Redis, inspector: asynq.NewInspectorFromRedisClient(opt.Redis),
		log: opt.Log, now: opt.Now,
	}
	var err error
	s.metrics, err = newMetrics(opt.Metrics, opt.Reads)
	return s, err
}

// jobTTL is the TTL of the hash of a job whose run has a timeout.
func (s *Store) jobTTL(timeout time.Duration) time.Duration {
	return s.opt.QueueTimeout + 3*timeout + jobTTLSlack
}

// FullRetry is the Retry-After of a *BusyError for a Redis without memory: results are evicted
// meanwhile.
const FullRetry = 5 * time.Second

// FullReason is the reason of a *BusyError for a Redis without memory.
const FullReason = "the memory for jobs and results is used up; room is being made"

// isFull reports whether Redis refused a write because it has no memory left.
func isFull(err error) bool {
	if err == nil {
		return false
	}
	var busy *BusyError
	return strings.Contains(err.Error(), "OOM command not allowed") ||
		errors.As(err, &busy) && busy.Reason == FullReason
}

// unavailable wraps an error of Redis in ErrUnavailable, or returns a *BusyError for a Redis that
// has no memory left.
func unavailable(err error) error {
	var busy *BusyError
	if err == nil || errors.Is(err, ErrUnavailable) || errors.As(err, &busy) {
		return err
	}
	if isFull(err) {
		return &BusyError{FullRetry, FullReason}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Ping reports whether Redis answers.
func (s *Store) Ping(ctx context.Context) error { return unavailable(s.rdb.Ping(ctx).Err()) }

// text returns an element of a script's reply, or "".
func text(list []any, i int) string {
	if i < len(list) {
		s, _ := list[i].(string)
		return s
	}
	return ""
}

func number(list []any, i int) int64 {
	n, _ := strconv.ParseInt(text(list, i), 10, 64)
	return n
}

func millis(list []any, i int) time.Time { return time.UnixMilli(number(list, i)) }

// parseMillis reads a time in milliseconds.
func parseMillis(ms string) time.Time {
	n, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n)
}

func orDefault[T int | int64 | time.Duration](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}
