package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hibiken/asynq"
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

	// MaxQueued bounds the jobs waiting in one queue, that is of one pool and class: a flood
	// of free jobs does not shut out the paid ones. Default 1000.
	MaxQueued int
	// MaxWait bounds how long a new job would have to wait, as far as recent runs tell. Default
	// 2 min.
	MaxWait time.Duration
	// PerCaller bounds the unfinished jobs one caller has begun. Default 50.
	PerCaller int
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
	tokenLife    = 10 * time.Second // a crashed process's waiters count no longer than this
	opTimeout    = 4 * time.Second  // for one call's conversation with Redis, each step of which has a limit of its own
	metaSlack    = 5 * time.Minute  // a job hash outlives all that can still happen to the job
)

// maxCallers is how many bytes of callers' names a job keeps. Who joins later cannot cancel it.
const maxCallers = 4000

// taskType names our tasks to asynq.
const taskType = "slipstick:run"

// Client is the caller's side of the queue; it implements Queue. It is safe for concurrent use.
type Client struct {
	opt       ClientOptions
	rdb       redis.UniversalClient
	inspector *asynq.Inspector
	process   string
	cache     *lru.Cache[string, Job] // done and refused
	metrics   clientMetrics
	store     *resultStore

	pubsub  *redis.PubSub
	quit    chan struct{}
	closing sync.Once
	ended   sync.WaitGroup

	mu       sync.Mutex
	tokens   int
	waiting  map[string]map[*waiter]bool
	watching map[string]map[*watcher]bool
	misses   map[string]int // looks in a row that found no such job
}

var _ Queue = (*Client)(nil)

// payload is what an asynq task carries. The input stays in the job hash.
type payload struct {
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Version string `json:"version"`
}

// order is everything needed to place a job, and to place it again.
type order struct {
	id, tool, version string
	pool              string
	timeout           time.Duration
	body              json.RawMessage
	sub               Submission
	trace             string
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
	orDefault(&opt.MaxQueued, 1000)
	orDefault(&opt.MaxWait, 2*time.Minute)
	orDefault(&opt.PerCaller, 50)
	orDefault(&opt.CachedResults, 512)
	orDefault(&opt.QueueTimeout, 10*time.Minute)
	orDefault(&opt.ResultTTL, 10*time.Minute)
	c := &Client{
		opt: opt, rdb: opt.Redis, inspector: asynq.NewInspectorFromRedisClient(opt.Redis), process: nonce(),
		quit:    make(chan struct{}),
		waiting: map[string]map[*waiter]bool{}, watching: map[string]map[*watcher]bool{}, misses: map[string]int{},
	}
	var err error
	if c.cache, err = lru.New[string, Job](opt.CachedResults); err != nil {
		return nil, err
	}
	if c.metrics, err = newClientMetrics(c, opt.Metrics); err != nil {
		return nil, err
	}
	c.store = &resultStore{rdb: opt.Redis, budgets: opt.Budgets.withDefaults(), log: opt.Log, metrics: c.metrics.store}
	c.pubsub = opt.Redis.Subscribe(context.Background(), doneChannel, progressChannel)
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

// unavailable says ErrUnavailable about trouble with Redis, and *BusyError about a Redis that is
// there but has no memory left.
func unavailable(err error) error {
	var busy *BusyError
	if err == nil || errors.Is(err, ErrUnavailable) || errors.As(err, &busy) {
		return err
	}
	if isFull(err) {
		return &BusyError{fullRetry, "the memory for jobs and results is used up; room is being made"}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Submit implements Queue.
func (c *Client) Submit(ctx context.Context, tool *tools.Tool, body []byte, s Submission) (Job, error) {
	if tool.Heavy == nil {
		return Job{}, fmt.Errorf("%s is not a heavy tool", tool.Name)
	}
	canonical, err := tool.Canonical(body)
	if err != nil {
		return Job{}, err
	}
	s.Class = s.Class.known()
	o := &order{
		id: jobID(tool, canonical), tool: tool.Name, version: tool.Version, pool: tool.Heavy.Pool,
		timeout: tool.Heavy.Timeout, body: canonical, sub: s, trace: traceOf(ctx),
	}
	if err := ctx.Err(); err != nil {
		return Job{}, err
	}
	if job, ok := c.remembered(o.id); ok {
		c.metrics.submitted(o.tool, "cache")
		return job, nil
	}
	// The waiter is known before the job is, so that no result can slip past it. The caller's
	// departure must not stop half-way what others may join, hence the context of its own.
	w := c.register(o.id, o)
	op, done := context.WithTimeout(context.WithoutCancel(ctx), opTimeout)
	defer done()
	job, how, err := c.place(op, o, w.token)
	c.metrics.submitted(o.tool, how)
	c.remember(job)
	if err != nil || job.State.Finished() {
		c.drop(w)
		return job, err
	}
	if ctx.Err() != nil && !s.Keep {
		c.drop(w)
		c.leave(op, w.token, job)
		return Job{}, ctx.Err()
	}
	c.leaveForWait(w, job)
	return job, nil
}

// place joins the equal job or enqueues a new one, and says which: "queued", "joined",
// "stored" for a finished one, or "turned away".
func (c *Client) place(ctx context.Context, o *order, token string) (job Job, how string, err error) {
	found, err := c.admit(ctx, o, token, nil)
	if err != nil || found.kind != "absent" {
		return c.joined(ctx, o, found, err)
	}
	if err := c.room(ctx, o); err != nil {
		return Job{}, "turned away", err
	}
	now := c.opt.Now()
	fields := []any{
		"tool", o.tool, "version", o.version, "state", string(Queued), "task", o.id, "pool", o.pool,
		"class", string(o.sub.Class), "caller", o.sub.Caller, "enqueued", now.UnixMilli(),
		"deadline", now.Add(c.opt.QueueTimeout).UnixMilli(), "moved", now.UnixMilli(), "progress", "",
		"timeout", o.timeout.Milliseconds(), "runs", 0, "input", string(o.body), traceField, o.trace,
	}
	if found, err = c.admit(ctx, o, token, fields); err != nil || found.kind != "created" {
		c.release(ctx, o.sub.Caller, o.id)
		return c.joined(ctx, o, found, err)
	}
	job = Job{ID: o.id, Tool: o.tool, Version: o.version, State: Queued, EnqueuedAt: time.UnixMilli(now.UnixMilli()), Callers: []string{o.sub.Caller}}
	v := view{Job: job, task: o.id, pool: o.pool, class: o.sub.Class, timeout: o.timeout}
	if err := c.enqueue(ctx, v); err != nil {
		if e := withdraw.Run(ctx, c.rdb, []string{metaKey(o.id), waitersKey(o.id)}, o.id).Err(); e != nil {
			c.opt.Log.Warn("a job that could not be enqueued was left behind", "job", o.id, "error", e)
		}
		c.release(ctx, o.sub.Caller, o.id)
		return Job{}, "turned away", unavailable(err)
	}
	return job, "queued", nil
}

// remember keeps a finished job that answers equal requests, if it is small.
func (c *Client) remember(job Job) {
	if job.stands() && job.Outcome.Large == nil && len(job.Outcome.Result) <= cachedBytes {
		c.cache.Add(job.ID, job)
	}
}

// remembered gives a job kept by remember, as long as Redis keeps it too.
func (c *Client) remembered(id string) (Job, bool) {
	job, ok := c.cache.Get(id)
	if ok && c.opt.Now().After(job.ExpiresAt) {
		c.cache.Remove(id)
		return Job{}, false
	}
	return job, ok
}

// admission is the answer of the admit script.
type admission struct {
	kind string
	job  Job // finished
	view view
}

// admit runs the script of that name; without fields it only joins.
func (c *Client) admit(ctx context.Context, o *order, token string, fields []any) (admission, error) {
	keep := "0"
	if o.sub.Keep {
		keep = "1"
	}
	life := c.opt.QueueTimeout + 3*o.timeout + metaSlack
	args := append([]any{token, tokenLife.Milliseconds(), keep, life.Milliseconds(), o.sub.Caller, maxCallers}, fields...)
	keys := []string{metaKey(o.id), resultKey(o.id), waitersKey(o.id)}
	began := time.Now()
	answer, err := admit.Run(ctx, c.rdb, keys, args...).Slice()
	if isFull(err) {
		c.store.relieve(ctx, began)
		answer, err = admit.Run(ctx, c.rdb, keys, args...).Slice()
	}
	if err != nil {
		return admission{}, unavailable(err)
	}
	a := admission{kind: text(answer, 0)}
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
				return admission{}, unavailable(err)
			}
			return c.admit(ctx, o, token, fields)
		}
	case "joined":
		a.view = readView(o.id, answer[1])
	}
	return a, nil
}

// joined completes place when there was a job already.
func (c *Client) joined(ctx context.Context, o *order, a admission, err error) (Job, string, error) {
	if err != nil {
		return Job{}, "turned away", err
	}
	if a.kind == "finished" {
		return a.job, "stored", nil
	}
	v := a.view
	if v.State == Queued && v.class == Free && o.sub.Class == Paid {
		// Who pays need not wait where the job was first put. Failing to move it costs only time.
		if err := c.moveTo(ctx, v, Paid); err != nil {
			c.opt.Log.Warn("a job could not be moved to the paid queue", "job", o.id, "error", err)
		}
	}
	return v.Job, "joined", nil
}

// enqueue gives a job's task to asynq. When asynq still knows a task of that name, left by an
// earlier run of an equal job, the job goes on under another.
func (c *Client) enqueue(ctx context.Context, v view) error {
	body, err := json.Marshal(payload{ID: v.ID, Tool: v.Tool, Version: v.Version})
	if err != nil {
		return err
	}
	// A new asynq client each time: it announces a queue once in its life, and would not again
	// after Redis lost its memory. It holds no connection of its own.
	_, err = asynq.NewClientFromRedisClient(c.rdb).EnqueueContext(ctx, asynq.NewTask(taskType, body),
		asynq.TaskID(v.task), asynq.Queue(queueName(v.pool, v.class)),
		// Retries are only for trouble with Redis; crashes are counted in the job hash. asynq
		// archives a task that ran out of retries, and an archived task blocks its name.
		asynq.MaxRetry(1<<30), asynq.Timeout(v.timeout+2*storePatience), asynq.Retention(0))
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return c.moveTo(ctx, v, v.class)
	}
	if err == nil { // a ring that is lost costs a tenth of a second
		if e := c.rdb.Publish(ctx, workChannel, v.pool).Err(); e != nil {
			c.opt.Log.Debug("no worker was told of a job", "job", v.ID, "error", e)
		}
	}
	return err
}

// moveTo puts a job into a queue under a new task name, unless somebody was first.
func (c *Client) moveTo(ctx context.Context, v view, class Class) error {
	task, old := anotherTask(v.ID), v
	keys := []string{metaKey(v.ID), resultKey(v.ID), beatKey(v.ID)}
	moved, err := move.Run(ctx, c.rdb, keys, v.task, task, string(v.State), string(class), c.opt.Now().UnixMilli()).Int()
	if err != nil || moved == 0 {
		return err
	}
	v.task, v.class, v.State = task, class, Queued
	if err := c.enqueue(ctx, v); err != nil {
		return err // whoever looks next finds the task missing and enqueues it
	}
	if old.State == Queued {
		c.forgetTask(old)
	}
	return nil
}

// forgetTask takes a task that would do nothing out of its queue. It may be gone already.
func (c *Client) forgetTask(v view) {
	err := c.inspector.DeleteTask(queueName(v.pool, v.class), v.task)
	if err != nil && !errors.Is(err, asynq.ErrTaskNotFound) && !errors.Is(err, asynq.ErrQueueNotFound) {
		c.opt.Log.Debug("a stale task stays until its turn", "job", v.ID, "error", err)
	}
}

// view is an unfinished job as the job hash has it.
type view struct {
	Job
	task     string
	pool     string
	class    Class
	caller   string
	deadline time.Time // for beginning
	moved    time.Time // when it was last put into a queue
	timeout  time.Duration
	beating  bool
}

// readView reads the values of viewFields.
func readView(id string, values any) view {
	list, _ := values.([]any)
	v := view{
		Job:   Job{ID: id, Tool: text(list, 0), Version: text(list, 1), State: State(text(list, 2)), EnqueuedAt: millis(list, 7)},
		task:  text(list, 3),
		pool:  text(list, 4),
		class: Class(text(list, 5)), caller: text(list, 6),
		deadline: millis(list, 8), moved: millis(list, 9),
		timeout: time.Duration(number(list, 11)) * time.Millisecond,
	}
	v.Progress = readProgress(text(list, 10))
	v.Callers = strings.Split(strings.TrimSuffix(text(list, 12), "\n"), "\n")
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
