package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"slipstick/tools"
	"slipstick/worker/store"
)

// Defaults of ClientOptions and ServerOptions.
const (
	DefaultQueueTimeout = 10 * time.Minute
	DefaultResultTTL    = 10 * time.Minute
)

// ClientOptions configures a Client. Redis is required.
type ClientOptions struct {
	// Redis is the Redis client. The caller closes it. Dial returns a client with short timeouts.
	Redis redis.UniversalClient
	Log   *slog.Logger

	// MaxQueueLength limits the jobs in the queue of one pool and priority. Since each priority has
	// its own queue, many free jobs do not lock out paid jobs. Default 1000.
	MaxQueueLength int
	// MaxWait limits the estimated wait of a new job. Default 2 min.
	MaxWait time.Duration
	// MaxInFlightPerCaller limits the unfinished jobs of one caller. Default 50.
	MaxInFlightPerCaller int
	// QueueTimeout is the maximum time that a job waits in its queue before it fails. Default 10
	// min.
	QueueTimeout time.Duration
	// ResultTTL is the TTL of a job that is cancelled or reaches QueueTimeout. Workers set the TTL
	// of other jobs. Default 10 min.
	ResultTTL time.Duration
	// CachedResults is the maximum number of small results, at most 64 KiB each, in the cache of
	// this process. Default 512.
	CachedResults int
	// Budgets limits the bytes in Redis.
	Budgets Budgets
	// Reads limits the bytes of results that are being read. The default is a limiter with default
	// budgets.
	Reads   *ReadLimiter
	Metrics prometheus.Registerer // nil: no metrics
	Now     func() time.Time
}

// cachedBytes is the maximum size in bytes of a cached result.
const cachedBytes = 64 << 10

// recheckEvery is the interval at which a client polls its jobs in case a message was lost.
const recheckEvery = time.Second

// Client submits jobs to the queue and waits for them. It implements Queue and is safe for
// concurrent use.
type Client struct {
	Inspector

	opt     ClientOptions
	store   *store.Store
	cache   *lru.Cache[cachedJob, Job] // reusable results
	metrics clientMetrics
	waiters *waiters

	events  *store.Subscription
	quit    chan struct{}
	closing sync.Once
	ended   sync.WaitGroup
}

var _ Queue = (*Client)(nil)

// cachedJob is the cache key: a job and its caller.
type cachedJob struct{ id, caller string }

// enqueueRequest is a request for a job. It is retained to resubmit the job if Redis loses it.
type enqueueRequest struct {
	store.NewJob
	maxInFlight int
}

// NewClient returns a Client that subscribes to events. It succeeds even if Redis is unavailable.
func NewClient(opt ClientOptions) (*Client, error) {
	if opt.Redis == nil {
		return nil, errors.New("a worker client needs a Redis client")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Reads == nil {
		opt.Reads = NewReadLimiter(ReadBudgets{})
	}
	orDefault(&opt.MaxQueueLength, 1000)
	orDefault(&opt.MaxWait, 2*time.Minute)
	orDefault(&opt.MaxInFlightPerCaller, 50)
	orDefault(&opt.CachedResults, 512)
	orDefault(&opt.QueueTimeout, DefaultQueueTimeout)
	orDefault(&opt.ResultTTL, DefaultResultTTL)
	c := &Client{opt: opt, waiters: newWaiters(), quit: make(chan struct{})}
	var err error
	if c.cache, err = lru.New[cachedJob, Job](opt.CachedResults); err != nil {
		return nil, err
	}
	if c.metrics, err = newClientMetrics(opt.Metrics); err != nil {
		return nil, err
	}
	c.store, err = store.New(store.Options{
		Redis: opt.Redis, Log: opt.Log, Now: opt.Now, QueueTimeout: opt.QueueTimeout,
		ResultTTL: opt.ResultTTL, Budgets: opt.Budgets, Reads: opt.Reads, Metrics: opt.Metrics,
	})
	if err != nil {
		return nil, err
	}
	c.Inspector = Inspector{c}
	c.events = c.store.Subscribe(context.Background(),
		store.EventDone, store.EventProgress, store.EventLeft)
	c.ended.Go(c.listen)
	c.ended.Go(c.recheck)
	c.ended.Go(func() { c.store.Maintain(c.quit) })
	return c, nil
}

func orDefault[T int | int64 | time.Duration](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}

// Close ends the subscription to events and the polling of jobs. Jobs continue to run.
func (c *Client) Close() (err error) {
	c.closing.Do(func() {
		close(c.quit)
		err = c.events.Close()
		c.ended.Wait()
	})
	return err
}

// MaxMemory returns the memory limit of Redis in bytes. It returns 0 if there is no limit or the
// limit is not yet known.
func (c *Client) MaxMemory() int64 { return c.store.MaxMemory() }

// Ready implements Queue. It returns an error unless Redis accepts a test write.
func (c *Client) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	return c.store.Probe(ctx)
}

// Submit implements Queue.
func (c *Client) Submit(
	ctx context.Context, tool *tools.Tool, body []byte, s SubmitOptions,
) (Job, error) {
	if tool.Heavy == nil {
		return Job{}, fmt.Errorf("%s is not a queued tool", tool.Name)
	}
	canonical, err := tool.Canonical(body)
	if err != nil {
		return Job{}, err
	}
	o := &enqueueRequest{
		NewJob: store.NewJob{
			ID: store.JobID(tool, canonical), Tool: tool.Name, Version: tool.Version,
			Pool: tool.Heavy.Pool, Timeout: tool.Heavy.Timeout, Input: canonical,
			Priority: s.Priority.Normalize(), Caller: s.Caller, Group: s.group(), Share: s.share(),
			Detached: s.Detached, Trace: traceOf(ctx),
		},
		maxInFlight: s.MaxInFlight,
	}
	if err := ctx.Err(); err != nil {
		return Job{}, err
	}
	if job, ok := c.cachedResult(o.ID, s.Caller); ok {
		c.metrics.submitted(o.Tool, "cache")
		return job, nil
	}
	// The waiter is added before the job so that it misses no result. Other callers may join the
	// job, so its creation has its own context and continues if the caller leaves.
	w := c.waiters.add(o.ID, o.Caller, o)
	op, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.OpTimeout)
	defer cancel()
	began := time.Now()
	job, how, err := c.enqueueOrJoin(op, o, w.token)
	var busy *BusyError
	if errors.As(err, &busy) && busy.Reason == store.FullReason {
		c.store.Relieve(op, began)
		job, how, err = c.enqueueOrJoin(op, o, w.token)
	}
	c.metrics.submitted(o.Tool, how)
	c.cacheResult(job, s.Caller)
	if err != nil || job.State.Finished() {
		c.waiters.drop(w)
		return job, err
	}
	if ctx.Err() != nil && !s.Detached {
		c.waiters.drop(w)
		c.leave(op, w.token, job)
		return Job{}, ctx.Err()
	}
	c.waiters.handOver(w, job)
	return job, nil
}

// enqueueOrJoin joins an equal job or enqueues a new one. how is "queued", "joined", "stored" for a
// finished job, or "turned away" with an error.
func (c *Client) enqueueOrJoin(
	ctx context.Context, request *enqueueRequest, token string,
) (job Job, how string, err error) {
	o := *request // another goroutine may resubmit the request concurrently if Redis lost the job
	o.At = time.UnixMilli(c.opt.Now().UnixMilli())
	var waiting map[Priority]int64
	var lengthsErr error
	var lengthsRead sync.WaitGroup // both requests run concurrently, for the time of one round trip
	lengthsRead.Go(func() { waiting, lengthsErr = c.store.Lengths(ctx, o.Pool) })
	found, err := c.store.Admit(ctx, o.NewJob, token, false)
	lengthsRead.Wait()
	if err == nil && found.Kind == store.AdmitAbsent {
		if err = lengthsErr; err == nil {
			err = c.takeCapacity(ctx, &o, waiting)
		}
		if err == nil {
			found, err = c.create(ctx, &o, token)
		}
	}
	switch {
	case err != nil:
		return Job{}, "turned away", err
	case found.Kind == store.AdmitCreated:
		return found.Job.Job, "queued", nil
	case found.Kind == store.AdmitFinished:
		return found.Job.Job, "stored", nil
	}
	// a joined job runs even if it cannot be moved forward
	if err := c.advanceJoined(ctx, &o, found.Job); err != nil {
		c.opt.Log.Warn("a joined job keeps its place in the queue", "job", o.ID, "error", err)
	}
	return found.Job.Since(o.At), "joined", nil
}

// create creates and enqueues a job for which takeCapacity has taken slots, unless another process
// has already created the job.
func (c *Client) create(
	ctx context.Context, o *enqueueRequest, token string,
) (store.Admission, error) {
	found, err := c.store.Admit(ctx, o.NewJob, token, true)
	switch {
	case err == nil && found.Kind == store.AdmitCreated:
		if err = c.store.Enqueue(ctx, found.Job); err != nil {
			c.store.Withdraw(ctx, found.Job)
		}
	case err != nil || found.Kind != store.AdmitJoined:
		c.store.ReleaseSlots(ctx, o.ID, o.Group, o.Share)
	default: // the slots of the joined job's own callers belong to that job
		for _, caller := range []string{o.Group, o.Share} {
			if caller != found.Job.Caller && caller != found.Job.Share {
				c.store.RefundSlots(ctx, o.ID, caller)
			}
		}
	}
	return found, err
}

// advanceJoined moves a queued job forward as if the joining caller had submitted it: to the higher
// priority, or to this caller's turn.
func (c *Client) advanceJoined(ctx context.Context, o *enqueueRequest, v store.InFlightJob) error {
	switch {
	case v.State != Queued:
		return nil
	case o.Priority.Weight() > v.Priority.Weight():
		return c.store.Move(ctx, v, o.Priority, o.Group)
	case o.Priority == v.Priority && o.Group != v.Group:
		return c.store.JoinTurn(ctx, v, o.Group)
	}
	return nil
}

// cacheResult caches a small reusable result for its caller. Redis records each caller of a job, so
// the first request of another caller must reach Redis.
func (c *Client) cacheResult(job Job, caller string) {
	if job.Reusable() && job.Outcome.Large == nil && len(job.Outcome.Result) <= cachedBytes {
		c.cache.Add(cachedJob{job.ID, caller}, job)
	}
}

// cachedResult returns the job in the cache for a caller, unless the job has expired in Redis.
func (c *Client) cachedResult(id, caller string) (Job, bool) {
	job, ok := c.cache.Get(cachedJob{id, caller})
	if ok && c.opt.Now().After(job.ExpiresAt) {
		c.cache.Remove(cachedJob{id, caller})
		return Job{}, false
	}
	return job, ok
}

// KeepWarnings implements Queue.
func (c *Client) KeepWarnings(ctx context.Context, id, caller string, warnings []string) error {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	return c.store.KeepWarnings(ctx, id, caller, warnings)
}

// Warnings implements Queue.
func (c *Client) Warnings(ctx context.Context, id, caller string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, store.OpTimeout)
	defer cancel()
	return c.store.Warnings(ctx, id, caller)
}
