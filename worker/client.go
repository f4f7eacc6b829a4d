package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"slipstick/tools"
)

// ClientOptions set up a Client. Only Redis is needed.
type ClientOptions struct {
	// Redis is where the jobs are. It stays the caller's to close. Dial makes one that fails
	// quickly; any other works, at its own pace.
	Redis redis.UniversalClient
	Log   *slog.Logger

	// MaxQueueLength bounds the jobs waiting in one queue, that is of one pool and class: a flood
	// of free jobs does not shut out the paid ones. Default 1000.
	MaxQueueLength int
	// MaxWait bounds how long a new job would have to wait, as far as recent runs tell. Default
	// 2 min.
	MaxWait time.Duration
	// MaxInFlightPerCaller bounds the unfinished jobs one caller has begun. Default 50.
	MaxInFlightPerCaller int
	// QueueTimeout is how long a job may wait for a worker before it fails. Default 10 min.
	QueueTimeout time.Duration
	// ResultTTL is how long a cancelled job is remembered; workers decide for the others.
	// Default 10 min.
	ResultTTL time.Duration
	// CachedResults is how many small results (cachedBytes each at most) this process remembers.
	// Default 512.
	CachedResults int
	// Budgets bound the bytes in Redis.
	Budgets Budgets
	// Reads counts the bytes of results that are being read. Default: one with default bounds.
	Reads   *ReadAccount
	Metrics prometheus.Registerer // nil: nothing is measured
	Now     func() time.Time
}

// cachedBytes is the largest result that a client remembers.
const cachedBytes = 64 << 10

// Timing of the caller's side.
const (
	recheckEvery = time.Second      // how often a waiter's key is read again, should a message be lost
	waiterTTL    = 10 * time.Second // a crashed process's waiters count no longer than this
	opTimeout    = 4 * time.Second  // for one call's conversation with Redis, each step of which has a limit of its own
	jobTTLSlack  = 5 * time.Minute  // a job hash outlives all that can still happen to the job
)

// maxCallers bounds the callers that are noted with a job. It goes on when those beyond leave it.
const maxCallers = 100

// Client is the caller's side of the queue; it implements Queue. It is safe for concurrent use.
type Client struct {
	opt     ClientOptions
	rdb     redis.UniversalClient
	queues  fairQueues
	process string
	cache   *lru.Cache[cachedJob, Job] // done and refused
	metrics clientMetrics
	store   *resultStore

	pubsub  *redis.PubSub
	quit    chan struct{}
	closing sync.Once
	ended   sync.WaitGroup

	mu            sync.Mutex
	tokens        int
	waiting       map[string]map[*waiter]bool
	watching      map[string]map[*subscriber]bool
	notFoundCount map[string]int // looks in a row that found no such job
}

var _ Queue = (*Client)(nil)

// enqueueRequest is everything needed to place a job, and to place it again.
type enqueueRequest struct {
	id, tool, version string
	pool              string
	timeout           time.Duration
	body              json.RawMessage
	sub               SubmitOptions
	trace             string
	at                time.Time // when it was placed
}

// share is the caller that has a bound of its own for jobs at once, or "".
func (o *enqueueRequest) share() string {
	if o.sub.MaxInFlight > 0 {
		return o.sub.Caller
	}
	return ""
}

// NewClient starts the client's subscription. It succeeds while Redis cannot be reached, and
// works as soon as it can.
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
		opt.Reads = NewReadAccount(ReadBudgets{})
	}
	orDefault(&opt.MaxQueueLength, 1000)
	orDefault(&opt.MaxWait, 2*time.Minute)
	orDefault(&opt.MaxInFlightPerCaller, 50)
	orDefault(&opt.CachedResults, 512)
	orDefault(&opt.QueueTimeout, 10*time.Minute)
	orDefault(&opt.ResultTTL, 10*time.Minute)
	c := &Client{
		opt: opt, rdb: opt.Redis, process: nonce(), queues: newFairQueues(opt.Redis, opt.Log, opt.Now),
		quit:    make(chan struct{}),
		waiting: map[string]map[*waiter]bool{}, watching: map[string]map[*subscriber]bool{}, notFoundCount: map[string]int{},
	}
	var err error
	if c.cache, err = lru.New[cachedJob, Job](opt.CachedResults); err != nil {
		return nil, err
	}
	if c.metrics, err = newClientMetrics(c, opt.Metrics); err != nil {
		return nil, err
	}
	c.store = &resultStore{rdb: opt.Redis, budgets: opt.Budgets.withDefaults(), log: opt.Log, metrics: c.metrics.store}
	c.pubsub = opt.Redis.Subscribe(context.Background(), doneChannel, progressChannel, leftChannel)
	c.ended.Go(c.listen)
	c.ended.Go(c.recheck)
	c.ended.Go(func() { c.store.tend(c.quit) })
	return c, nil
}

func orDefault[T int | int64 | time.Duration](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}

// Close ends the subscription. Jobs go on.
func (c *Client) Close() (err error) {
	c.closing.Do(func() {
		close(c.quit)
		err = c.pubsub.Close()
		c.ended.Wait()
	})
	return err
}

// Ready says whether Redis answers and takes a test write.
func (c *Client) Ready(ctx context.Context) error {
	ctx, cancelProbe := context.WithTimeout(ctx, opTimeout)
	defer cancelProbe()
	return unavailable(c.store.probe(ctx))
}

// fullRetry is when to try again after Redis had no memory left: workers make room meanwhile.
const fullRetry = 5 * time.Second

// fullReason is the reason of a *BusyError for a Redis without memory.
const fullReason = "the memory for jobs and results is used up; room is being made"

// unavailable says ErrUnavailable about trouble with Redis, and *BusyError about a Redis that is
// there but has no memory left.
func unavailable(err error) error {
	var busy *BusyError
	if err == nil || errors.Is(err, ErrUnavailable) || errors.As(err, &busy) {
		return err
	}
	if isFull(err) {
		return &BusyError{fullRetry, fullReason}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Submit implements Queue.
func (c *Client) Submit(ctx context.Context, tool *tools.Tool, body []byte, s SubmitOptions) (Job, error) {
	if tool.Heavy == nil {
		return Job{}, fmt.Errorf("%s is not a heavy tool", tool.Name)
	}
	canonical, err := tool.Canonical(body)
	if err != nil {
		return Job{}, err
	}
	s.Priority = s.Priority.known()
	o := &enqueueRequest{
		id: jobID(tool, canonical), tool: tool.Name, version: tool.Version, pool: tool.Heavy.Pool,
		timeout: tool.Heavy.Timeout, body: canonical, sub: s, trace: traceOf(ctx),
	}
	if err := ctx.Err(); err != nil {
		return Job{}, err
	}
	if job, ok := c.cachedResult(o.id, s.Caller); ok {
		c.metrics.submitted(o.tool, "cache")
		return job, nil
	}
	// The waiter is known before the job is, so that no result can slip past it. The caller's
	// departure must not stop half-way what others may join, hence the context of its own.
	w := c.register(o.id, o)
	op, done := context.WithTimeout(context.WithoutCancel(ctx), opTimeout)
	defer done()
	began := time.Now()
	job, how, err := c.enqueueOrJoin(op, o, w.token)
	var busy *BusyError
	if errors.As(err, &busy) && busy.Reason == fullReason {
		c.store.relieve(op, began)
		job, how, err = c.enqueueOrJoin(op, o, w.token)
	}
	c.metrics.submitted(o.tool, how)
	c.cacheResult(job, s.Caller)
	if err != nil || job.State.Finished() {
		c.drop(w)
		return job, err
	}
	if ctx.Err() != nil && !s.Detached {
		c.drop(w)
		c.leave(op, w.token, job)
		return Job{}, ctx.Err()
	}
	c.handOver(w, job)
	return job, nil
}

// enqueueOrJoin joins the equal job or enqueues a new one, and says which: "queued", "joined",
// "stored" for a finished one, or "turned away".
func (c *Client) enqueueOrJoin(ctx context.Context, o *enqueueRequest, token string) (job Job, how string, err error) {
	now := time.UnixMilli(c.opt.Now().UnixMilli())
	placed := *o // another goroutine may place it too, when Redis has lost it
	placed.at = now
	o = &placed
	found, err := c.admit(ctx, o, token, nil)
	if err != nil || found.kind != "absent" {
		return c.joined(ctx, o, found, err)
	}
	if err := c.checkCapacity(ctx, o); err != nil {
		return Job{}, "turned away", err
	}
	fields := []any{
		"tool", o.tool, "version", o.version, "state", string(Queued), "task", o.id, "pool", o.pool,
		"class", string(o.sub.Priority), "caller", o.sub.group(), "group", o.sub.group(), "share", o.share(), "enqueued", now.UnixMilli(),
		"deadline", now.Add(c.opt.QueueTimeout).UnixMilli(), "moved", now.UnixMilli(), "progress", "",
		"timeout", o.timeout.Milliseconds(), "runs", 0, "input", string(o.body), traceField, o.trace,
	}
	if found, err = c.admit(ctx, o, token, fields); err != nil || found.kind != "created" {
		switch {
		case found.kind != "joined":
			c.releaseSlot(ctx, o.id, o.sub.group(), o.share())
		case found.view.caller != o.sub.group(): // else the slot is the joined job's own
			c.refundSlots(ctx, o.id, o.sub.group(), o.share())
		}
		return c.joined(ctx, o, found, err)
	}
	job = Job{ID: o.id, Tool: o.tool, Version: o.version, State: Queued, EnqueuedAt: now}
	v := inFlightJob{
		Job: job, task: o.id, pool: o.pool, class: o.sub.Priority, group: o.sub.group(), timeout: o.timeout,
		deadline: now.Add(c.opt.QueueTimeout),
	}
	if err := c.queues.enqueue(ctx, v, last); err != nil {
		// It has no ticket of its own: remove would delete the ticket of another job.
		if _, e := c.queues.takeOut(ctx, v); e != nil {
			c.opt.Log.Debug("a stale job stays in the queue until its turn", "job", o.id, "error", e)
		}
		if e := withdrawScript.Run(ctx, c.rdb, []string{metaKey(o.id), waitersKey(o.id)}, o.id).Err(); e != nil {
			c.opt.Log.Warn("a job that could not be enqueued was left behind", "job", o.id, "error", e)
		}
		c.releaseSlot(ctx, o.id, o.sub.group(), o.share())
		return Job{}, "turned away", unavailable(err)
	}
	return job, "queued", nil
}

// cacheResult keeps a finished job that answers equal requests of its caller, if it is small. Redis
// has to note each caller of a job, so that the first request of another caller goes there.
func (c *Client) cacheResult(job Job, caller string) {
	if job.stands() && job.Outcome.Large == nil && len(job.Outcome.Result) <= cachedBytes {
		c.cache.Add(cachedJob{job.ID, caller}, job)
	}
}

// cachedResult gives a job kept by remember, as long as Redis keeps it too.
func (c *Client) cachedResult(id, caller string) (Job, bool) {
	job, ok := c.cache.Get(cachedJob{id, caller})
	if ok && c.opt.Now().After(job.ExpiresAt) {
		c.cache.Remove(cachedJob{id, caller})
		return Job{}, false
	}
	return job, ok
}

// cachedJob names a job that a client remembers, and the caller for whom.
type cachedJob struct{ id, caller string }

// admitResult is the answer of the admit script.
type admitResult struct {
	kind string
	job  Job // finished
	view inFlightJob
}

// admit runs the script of that name; without fields it only joins.
func (c *Client) admit(ctx context.Context, o *enqueueRequest, token string, fields []any) (admitResult, error) {
	keep := "0"
	if o.sub.Detached {
		keep = "1"
	}
	life := c.opt.QueueTimeout + 3*o.timeout + jobTTLSlack
	args := append([]any{
		token, waiterTTL.Milliseconds(), keep, life.Milliseconds(), o.sub.Caller, maxCallers, (life + c.opt.ResultTTL).Milliseconds(), o.at.UnixMilli(),
	}, fields...)
	keys := []string{metaKey(o.id), resultKey(o.id), waitersKey(o.id), callersKey(o.id)}
	answer, err := admitScript.Run(ctx, c.rdb, keys, args...).Slice()
	if err != nil {
		return admitResult{}, unavailable(err)
	}
	a := admitResult{kind: text(answer, 0)}
	switch a.kind {
	case "finished", "large":
		if a.kind == "large" {
			a.kind = "finished"
			length, _ := answer[2].(int64)
			a.job, err = c.large(o.id, []byte(text(answer, 1)), length)
		} else {
			a.job, err = unpack(o.id, []byte(text(answer, 1)))
		}
		if err != nil { // written by another version: compute anew
			c.opt.Log.Warn("a stored result cannot be read", "job", o.id, "error", err)
			if err := c.rdb.Del(ctx, resultKey(o.id)).Err(); err != nil {
				return admitResult{}, unavailable(err)
			}
			return c.admit(ctx, o, token, fields)
		}
	case "joined":
		a.view = readInFlightJob(o.id, answer[1])
	}
	return a, nil
}

// joined completes place when there was a job already.
func (c *Client) joined(ctx context.Context, o *enqueueRequest, a admitResult, err error) (Job, string, error) {
	if err != nil {
		return Job{}, "turned away", err
	}
	if a.kind == "finished" {
		return a.job, "stored", nil
	}
	v := a.view
	if v.State == Queued {
		if err := c.advanceJoined(ctx, o, v); err != nil { // it costs only time
			c.opt.Log.Warn("a joined job keeps its place in the queue", "job", o.id, "error", err)
		}
	}
	return v.Job.Since(o.at), "joined", nil
}

// advanceJoined lets a queued job begin as soon as if the caller who joins it had submitted it: in
// the better class, or when it is this caller's turn.
func (c *Client) advanceJoined(ctx context.Context, o *enqueueRequest, v inFlightJob) error {
	if o.sub.Priority.weight() > v.class.weight() {
		return c.queues.move(ctx, v, o.sub.Priority, o.sub.group())
	}
	if o.sub.Priority == v.class && o.sub.group() != v.group {
		err := c.queues.put(ctx, v, o.sub.group(), also)
		return err
	}
	return nil
}

// inFlightJob is an unfinished job as the job hash has it.
type inFlightJob struct {
	Job
	task     string
	pool     string
	class    Priority
	group    string    // whose turn it waits for
	caller   string    // whose cap it counts against
	share    string    // and whose bound of jobs at once; "" for none
	deadline time.Time // for beginning
	moved    time.Time // when it was last put into a queue
	timeout  time.Duration
	beating  bool
}

// readInFlightJob reads the values of inFlightFields.
func readInFlightJob(id string, values any) inFlightJob {
	list, _ := values.([]any)
	v := inFlightJob{
		Job:   Job{ID: id, Tool: text(list, 0), Version: text(list, 1), State: State(text(list, 2)), EnqueuedAt: millis(list, 7)},
		task:  text(list, 3),
		pool:  text(list, 4),
		class: Priority(text(list, 5)), caller: text(list, 6),
		deadline: millis(list, 8), moved: millis(list, 9),
		timeout: time.Duration(number(list, 11)) * time.Millisecond,
	}
	v.Progress = readProgress(text(list, 10))
	if v.group, v.share = text(list, 12), text(list, 13); v.group == "" {
		v.group = v.caller // submitted by the version before groups
	}
	return v
}

func readProgress(s string) (p tools.Progress) {
	if s != "" {
		_ = json.Unmarshal([]byte(s), &p) // progress that cannot be read is no progress
	}
	return p
}

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
