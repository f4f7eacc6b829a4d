package worker

import (
	"context"
	"io"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
	"slipstick/worker/pool"
	"slipstick/worker/store"
)

// The types of package store that callers use.
type (
	Job            = store.Job
	State          = store.State
	Outcome        = store.Outcome
	Cause          = store.Cause
	Priority       = store.Priority
	PoolState      = store.PoolState
	DeadJob        = store.DeadJob
	BusyError      = store.BusyError
	DropReason     = store.DropReason
	DroppedError   = store.DroppedError
	Budgets        = store.Budgets
	ReadBudgets    = store.ReadBudgets
	ReadAccount    = store.ReadAccount
	ReadLimitError = store.ReadLimitError
	LargeResult    = store.LargeResult
	ResultReader   = store.ResultReader
	Embedded       = store.Embedded
)

// The states of a job: queued, then running, then one of the last four, which are final.
const (
	Queued    = store.Queued
	Running   = store.Running
	Done      = store.Done
	Rejected  = store.Rejected
	Failed    = store.Failed
	Cancelled = store.Cancelled
)

// The causes of a failure.
const (
	TimedOut    = store.TimedOut
	Unavailable = store.Unavailable
	Crashed     = store.Crashed
	Internal    = store.Internal
)

// The priorities, highest first.
const (
	PriorityPaid      = store.PriorityPaid
	PriorityFree      = store.PriorityFree
	PriorityAnonymous = store.PriorityAnonymous
)

// The reasons for the eviction of a result.
const (
	DroppedForRoom   = store.DroppedForRoom
	DroppedForCaller = store.DroppedForCaller
	DroppedRead      = store.DroppedRead
	DroppedForMemory = store.DroppedForMemory
)

// Errors of a Queue.
var (
	ErrJobNotFound = store.ErrJobNotFound
	ErrNotCaller   = store.ErrNotCaller
	ErrUnavailable = store.ErrUnavailable
)

// Priorities returns the priorities, highest first.
func Priorities() []Priority { return store.Priorities() }

// NewReadAccount returns an account with bounds.
func NewReadAccount(b ReadBudgets) *ReadAccount { return store.NewReadAccount(b) }

// Dial returns a Redis client with short timeouts; store.Dial lists the forms of the URL.
func Dial(rawURL string) (redis.UniversalClient, error) { return store.Dial(rawURL) }

// Reach reports whether the server of a client that Dial returned for a URL answers.
func Reach(ctx context.Context, rdb redis.UniversalClient, rawURL string) error {
	return store.Reach(ctx, rdb, rawURL)
}

// StartEmbedded starts a Redis inside this process.
func StartEmbedded() (*Embedded, error) { return store.StartEmbedded() }

// RunChild is the main function of a child process: pool.RunChild.
func RunChild(ctx context.Context, catalog *tools.Catalog, in io.Reader, out io.Writer) error {
	return pool.RunChild(ctx, catalog, in, out)
}
