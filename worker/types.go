package worker

import (
	"context"
	"io"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
	"slipstick/worker/pool"
	"slipstick/worker/store"
)

// These types are documented in package store.

type (
	// Job is the state of a job and, if it is finished, its outcome.
	Job = store.Job
	// State is the state of a job.
	State = store.State
	// Outcome is the outcome of a run.
	Outcome = store.Outcome
	// Cause is the cause of a failure.
	Cause = store.Cause
	// Priority selects the queue of a pool for a caller's jobs.
	Priority = store.Priority
	// PoolState is the load and capacity of a worker pool.
	PoolState = store.PoolState
	// DeadJob is a job whose runs all crashed.
	DeadJob = store.DeadJob
	// BusyError is returned for a job that the queue does not accept at present.
	BusyError = store.BusyError
	// DropReason is the reason for the eviction of a result.
	DropReason = store.DropReason
	// DroppedError is returned for a job whose result was evicted.
	DroppedError = store.DroppedError
	// Budgets limits the bytes in Redis.
	Budgets = store.Budgets
	// ReadBudgets limits the bytes of large results in a process.
	ReadBudgets = store.ReadBudgets
	// ReadLimiter limits the bytes of responses that a process is sending.
	ReadLimiter = store.ReadLimiter
	// ReadLimitError is returned for a read that exceeds the ReadBudgets.
	ReadLimitError = store.ReadLimitError
	// LargeResult is a result that stays in Redis until it is read.
	LargeResult = store.LargeResult
	// ResultReader reads the JSON of a large result.
	ResultReader = store.ResultReader
	// Embedded is a Redis server inside this process.
	Embedded = store.Embedded
)

// States of a job. A job is queued, then running, then in one of the last four states, which are
// final.
const (
	Queued    = store.Queued
	Running   = store.Running
	Done      = store.Done
	Rejected  = store.Rejected
	Failed    = store.Failed
	Cancelled = store.Cancelled
)

// Causes of a failure.
const (
	TimedOut    = store.TimedOut
	Unavailable = store.Unavailable
	Crashed     = store.Crashed
	Internal    = store.Internal
)

// Priorities, highest first.
const (
	PriorityPaid      = store.PriorityPaid
	PriorityFree      = store.PriorityFree
	PriorityAnonymous = store.PriorityAnonymous
	PriorityBatch     = store.PriorityBatch
)

// Reasons for the eviction of a result.
const (
	DroppedForRoom   = store.DroppedForRoom
	DroppedForCaller = store.DroppedForCaller
	DroppedRead      = store.DroppedRead
	DroppedForMemory = store.DroppedForMemory
)

// Errors that a Queue returns.
var (
	ErrJobNotFound = store.ErrJobNotFound
	ErrNotCaller   = store.ErrNotCaller
	ErrUnavailable = store.ErrUnavailable
)

// Priorities returns the priorities, highest first.
func Priorities() []Priority { return store.Priorities() }

// NewReadLimiter returns a limiter with the given budgets.
func NewReadLimiter(b ReadBudgets) *ReadLimiter { return store.NewReadLimiter(b) }

// Dial returns a Redis client with short timeouts. store.Dial describes the URL formats.
func Dial(rawURL string) (redis.UniversalClient, error) { return store.Dial(rawURL) }

// RedactedURL returns a Redis URL without user, password and query, for messages.
func RedactedURL(rawURL string) string { return store.RedactedURL(rawURL) }

// Reach returns an error if the Redis server of rdb does not answer. Dial must have returned rdb
// for rawURL.
func Reach(ctx context.Context, rdb redis.UniversalClient, rawURL string) error {
	return store.Reach(ctx, rdb, rawURL)
}

// StartEmbedded starts a Redis server inside this process.
func StartEmbedded() (*Embedded, error) { return store.StartEmbedded() }

// RunChild is the main function of a child process. See pool.RunChild.
func RunChild(ctx context.Context, catalog *tools.Catalog, in io.Reader, out io.Writer) error {
	return pool.RunChild(ctx, catalog, in, out)
}
