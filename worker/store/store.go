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

// Time constants that clients and workers share.
const (
	HeartbeatEvery = 2 * time.Second
	HeartbeatTTL   = 8 * time.Second  // a worker counts as dead if its last heartbeat is older
	WaiterTTL      = 10 * time.Second // TTL of a waiter that its process does not renew
	OpTimeout      = 4 * time.Second  // time limit of all commands of a call; each also has its own
	jobTTLSlack    = 5 * time.Minute  // how long a job hash outlives its job
)

// MaxCallers is the maximum number of callers that a job records. A job with more callers continues
// after the recorded callers have left.
const MaxCallers = 100

// Options configures a Store. Redis is required.
type Options struct {
	// Redis is the Redis client. The caller closes it.
	Redis redis.UniversalClient
	Log   *slog.Logger
	Now   func() time.Time
	// QueueTimeout is the maximum time that a job waits in a queue before it fails.
	QueueTimeout time.Duration
	// ResultTTL is the TTL of results.
	ResultTTL time.Duration
	// Budgets limits the bytes in Redis.
	Budgets Budgets
	// Reads limits the bytes of results that are being read. It is nil in a process that reads no
	// results.
	Reads   *ReadLimiter
	Metrics prometheus.Registerer // nil: no metrics
}

// Store is the queue in Redis. Its methods return ErrUnavailable if Redis is unreachable, and a
// *BusyError if Redis has no memory left. It is safe for concurrent use.
type Store struct {
	opt          Options
	rdb          redis.UniversalClient
	permitClient *asynq.Client
	inspector    *asynq.Inspector
	log          *slog.Logger
	now          func() time.Time
	metrics      metrics
	codec        *codec

	maxMemory atomic.Int64 // memory limit of Redis [bytes]; 0: unknown or unlimited
	relieving sync.Mutex
	relieved  time.Time
}

// New returns a Store. It does not connect. It returns an error if another collector has already
// registered a metric.
func New(opt Options) (*Store, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Budgets = opt.Budgets.withDefaults()
	s := &Store{
		opt: opt, rdb: opt.Redis, permitClient: asynq.NewClientFromRedisClient(opt.Redis),
		inspector: asynq.NewInspectorFromRedisClient(opt.Redis),
		log:       opt.Log, now: opt.Now, codec: newCodec(),
	}
	var err error
	s.metrics, err = newMetrics(opt.Metrics, opt.Reads)
	return s, err
}

// jobTTL returns the TTL of the hash of a job whose runs have the given timeout.
func (s *Store) jobTTL(timeout time.Duration) time.Duration {
	return s.opt.QueueTimeout + 3*timeout + jobTTLSlack
}

// FullRetry is the Retry-After of a *BusyError when Redis has no memory left. Results are evicted
// in the meantime.
const FullRetry = 5 * time.Second

// FullReason is the reason of a *BusyError when Redis has no memory left.
const FullReason = "the memory for jobs and results is used up; room is being made"

// isFull reports whether Redis rejected a write because it has no memory left.
func isFull(err error) bool {
	if err == nil {
		return false
	}
	var busy *BusyError
	return strings.Contains(err.Error(), "OOM command not allowed") ||
		errors.As(err, &busy) && busy.Reason == FullReason
}

// unavailable wraps an error of Redis in ErrUnavailable. If Redis has no memory left, it returns a
// *BusyError.
func unavailable(err error) error {
	var busy *BusyError
	if err == nil || errors.Is(err, ErrUnavailable) || errors.As(err, &busy) {
		return err
	}
	if isFull(err) {
		return &BusyError{RetryAfter: FullRetry, Reason: FullReason}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Ping returns an error if Redis does not answer.
func (s *Store) Ping(ctx context.Context) error { return unavailable(s.rdb.Ping(ctx).Err()) }

// text returns an element of a script's reply, or "" if there is none.
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

// parseMillis parses a time in milliseconds.
func parseMillis(ms string) time.Time {
	n, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n)
}

func orDefault[T int | int64 | time.Duration](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}
