package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"

	"slipstick/tools"
)

// ServerOptions set up a Server. Redis and Catalog are needed.
type ServerOptions struct {
	// Redis is where the jobs are. It stays the caller's to close.
	Redis   redis.UniversalClient
	Catalog *tools.Catalog
	// Pools are the pools served; by default all that the catalog's heavy tools name.
	Pools []string
	// Concurrency is how many jobs run at once. Default GOMAXPROCS.
	Concurrency int
	// Child is the command line of a child process, which calls RunChild; without it jobs run
	// in this process, where an endless loop cannot be stopped and a fatal error is fatal.
	Child []string
	// ChildMemory bounds a child's memory in bytes; 0 does not. Less than 1 GiB is raised to it.
	ChildMemory int64
	// TaskCheckInterval is how long asynq rests, deaf, after it found every queue empty; then it
	// waits to be rung for, so that little is gained by resting longer. Default 1 ms.
	TaskCheckInterval time.Duration
	// DelayedTaskCheckInterval is how often tasks are looked for whose retry is due. Default 1 s.
	DelayedTaskCheckInterval time.Duration
	// ResultTTL is how long results are kept. Default 10 min.
	ResultTTL time.Duration
	// MaxResultBytes bounds a result's JSON. Default 32 MiB.
	MaxResultBytes int
	// Budgets bound the bytes in Redis.
	Budgets Budgets
	// ShutdownTimeout is how long running jobs may go on at the end of Run before they are
	// handed back to the queue. Default 8 s.
	ShutdownTimeout time.Duration
	Log             *slog.Logger
	Metrics         prometheus.Registerer // nil: nothing is measured
	Tracer          trace.Tracer          // nil: nothing is traced
	Now             func() time.Time
}

// Timing and limits of the worker's side.
const (
	heartbeatEvery = 2 * time.Second
	heartbeatTTL   = 8 * time.Second // a beat this old means that the worker is dead
	maxRuns        = 3               // a crash is retried twice
	storePatience  = time.Minute     // how long a result waits for Redis to come back
	// staleVersionPatience is for how long workers pass on a job whose tool their catalogs do not
	// know, as happens while a new version is rolled out. A pass takes a second or two.
	staleVersionPatience = 90 * time.Second
)

// Server is the worker's side of the queue.
type Server struct {
	opt     ServerOptions
	rdb     redis.UniversalClient
	queues  fairQueues
	runner  runner
	warm    func() // starts a first child; nil when jobs run in this process
	name    string
	metrics serverMetrics
	store   *resultStore

	slots    chan struct{} // holds one for each run until its child is done or killed
	draining chan struct{} // closed when running jobs are to be handed back
	released chan struct{} // closed when asynq has put their tickets back

	mu         sync.Mutex
	running    map[string]*run          // by task
	idle       chan struct{}            // closed and replaced when the last run ends
	avgRuntime map[string]time.Duration // of recent runs, by pool
}

// NewServer makes a server; Run starts it.
func NewServer(opt ServerOptions) (*Server, error) {
	if opt.Redis == nil || opt.Catalog == nil {
		return nil, errors.New("a worker server needs a Redis client and a catalog")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	for _, e := range opt.Catalog.All() {
		if e.Heavy != nil && e.Heavy.Timeout <= 0 {
			return nil, fmt.Errorf("the heavy tool %s has no timeout", e.Name)
		}
	}
	have := QueuedPools(opt.Catalog)
	if len(opt.Pools) == 0 {
		opt.Pools = have
	}
	for _, p := range opt.Pools {
		if !slices.Contains(have, p) {
			return nil, fmt.Errorf("no tool belongs to the worker pool %q; the pools are %v", p, have)
		}
	}
	if len(opt.Pools) == 0 {
		return nil, errors.New("the catalog has no heavy tool, so there is nothing for a worker to do")
	}
	orDefault(&opt.Concurrency, runtime.GOMAXPROCS(0))
	orDefault(&opt.TaskCheckInterval, time.Millisecond)
	orDefault(&opt.DelayedTaskCheckInterval, time.Second)
	orDefault(&opt.ResultTTL, 10*time.Minute)
	orDefault(&opt.MaxResultBytes, 32<<20)
	orDefault(&opt.ShutdownTimeout, 8*time.Second)
	s := &Server{
		opt: opt, rdb: opt.Redis, queues: newFairQueues(opt.Redis, opt.Log, opt.Now), name: nonce(),
		slots:    make(chan struct{}, opt.Concurrency),
		draining: make(chan struct{}), released: make(chan struct{}),
		running: map[string]*run{}, idle: make(chan struct{}), avgRuntime: map[string]time.Duration{},
	}
	var err error
	if s.metrics, err = newServerMetrics(s, opt.Metrics); err != nil {
		return nil, err
	}
	s.store = &resultStore{rdb: opt.Redis, budgets: opt.Budgets.withDefaults(), log: opt.Log, metrics: s.metrics.store}
	if len(opt.Child) > 0 {
		c := newProcessPool(opt.Child, opt.ChildMemory, opt.MaxResultBytes, opt.Log)
		s.runner, s.warm = c, c.warm
	} else {
		s.runner = &inProcess{catalog: opt.Catalog, maxResult: opt.MaxResultBytes, log: opt.Log}
	}
	return s, nil
}

// QueuedPools lists the worker pools that a catalog's tools name, in order.
func QueuedPools(catalog *tools.Catalog) []string {
	var pools []string
	for _, e := range catalog.All() {
		if e.Heavy != nil && !slices.Contains(pools, e.Heavy.Pool) {
			pools = append(pools, e.Heavy.Pool)
		}
	}
	return pools
}

// Run takes and runs jobs until ctx ends; then it takes no more, lets those running go on for
// ShutdownTimeout and hands the rest back, to be begun again elsewhere. A Server runs once.
func (s *Server) Run(ctx context.Context) error {
	queues := map[string]int{}
	for _, p := range s.opt.Pools {
		for _, c := range Priorities() {
			queues[queueName(p, c)] = c.weight()
		}
	}
	door := newNotifyingRedis(s.rdb, len(queues))
	srv := asynq.NewServerFromRedisClient(door, asynq.Config{
		Concurrency: s.opt.Concurrency, Queues: queues,
		TaskCheckInterval: s.opt.TaskCheckInterval, DelayedTaskCheckInterval: s.opt.DelayedTaskCheckInterval,
		// An error means trouble with Redis or an unknown tool, never a crashed job.
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return time.Second },
		// By then the jobs have had their time: what still runs is handed back at once.
		ShutdownTimeout: time.Millisecond,
		Logger:          asynqLog{s.opt.Log}, LogLevel: asynq.WarnLevel,
	})
	stopLoops := make(chan struct{})
	var loops sync.WaitGroup
	sub := s.rdb.Subscribe(context.Background(), cancelChannel, workChannel)
	loops.Go(func() { s.listen(sub.Channel(), door) })
	loops.Go(func() { s.heartbeats(stopLoops) })
	loops.Go(func() { s.store.tend(stopLoops) })
	end := func() {
		close(stopLoops)
		if err := sub.Close(); err != nil {
			s.opt.Log.Debug("closing a subscription", "error", err)
		}
		loops.Wait()
		s.runner.close()
	}
	if err := srv.Start(asynq.HandlerFunc(s.handle)); err != nil {
		end()
		return fmt.Errorf("the worker cannot start: %w", err)
	}
	if s.warm != nil {
		s.warm()
	}
	s.opt.Log.Info("worker started", "pools", s.opt.Pools, "slots", s.opt.Concurrency, "child", len(s.opt.Child) > 0)

	<-ctx.Done()
	close(door.quit)
	srv.Stop()
	if !s.drained(s.opt.ShutdownTimeout) {
		close(s.draining)
		s.drained(2 * time.Second)
	} else {
		close(s.draining)
	}
	srv.Shutdown()
	close(s.released)
	end()
	s.opt.Log.Info("worker stopped")
	return nil
}

// drained waits until no job is running, or not so long; handed-back runs count as ended.
func (s *Server) drained(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		none, idle := len(s.running) == 0, s.idle
		s.mu.Unlock()
		if none {
			return true
		}
		select {
		case <-idle:
		case <-timer.C:
			return false
		}
	}
}

// Ready says whether Redis answers, so that the worker can take jobs.
func (s *Server) Ready(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	return unavailable(s.rdb.Ping(ctx).Err())
}

// listen wakes asynq when there is work, and looks after a job somebody says was cancelled.
func (s *Server) listen(messages <-chan *redis.Message, door *notifyingRedis) {
	for m := range messages {
		if m.Channel == workChannel {
			if slices.Contains(s.opt.Pools, m.Payload) {
				door.wake()
			}
			continue
		}
		for _, r := range s.runs() {
			if r.id == m.Payload {
				s.heartbeat(r)
			}
		}
	}
}

// heartbeats shows that this worker and its runs live.
func (s *Server) heartbeats(stop <-chan struct{}) {
	tick := time.NewTicker(heartbeatEvery)
	defer tick.Stop()
	shown := map[string]string{} // what stands in each pool's list
	s.register(shown)
	for {
		select {
		case <-stop:
			s.deregister(shown)
			return
		case <-tick.C:
			for _, r := range s.runs() {
				s.heartbeat(r)
			}
			s.register(shown)
			s.audit()
		}
	}
}

// audit notes that the jobs of this worker are in hand, and repairs the queues.
func (s *Server) audit() {
	ctx, done := context.WithTimeout(context.Background(), heartbeatEvery)
	defer done()
	tasks := map[string][]string{}
	for _, r := range s.runs() {
		if r.queue != "" {
			tasks[r.queue] = append(tasks[r.queue], r.task)
		}
	}
	for _, pool := range s.opt.Pools {
		for _, class := range Priorities() {
			queue := queueName(pool, class)
			if err := s.auditQueue(ctx, pool, class, tasks[queue]); err != nil {
				s.opt.Log.Debug("a queue could not be audited", "queue", queue, "error", err)
				return
			}
		}
	}
}

func (s *Server) auditQueue(ctx context.Context, pool string, class Priority, inHand []string) error {
	queue := queueName(pool, class)
	if len(inHand) > 0 {
		if err := s.queues.hold(ctx, queue, inHand); err != nil {
			return err
		}
	}
	dead, err := s.queues.audit(ctx, pool, class)
	if err != nil {
		return err
	}
	for _, task := range dead {
		if err := s.queues.revive(ctx, queue, task); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) runs() []*run {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*run, 0, len(s.running))
	for _, r := range s.running {
		list = append(list, r)
	}
	return list
}

// heartbeat says that a run lives, and stops it when it is no longer wanted.
func (s *Server) heartbeat(r *run) {
	ctx, done := context.WithTimeout(context.Background(), heartbeatEvery)
	defer done()
	keys := []string{metaKey(r.id), resultKey(r.id), heartbeatKey(r.id)}
	word, err := heartbeatScript.Run(ctx, s.rdb, keys, r.task, heartbeatTTL.Milliseconds(), r.fields["enqueued"]).Text()
	switch {
	case err != nil:
		s.opt.Log.Warn("a job's beat did not reach Redis", "job", r.id, "error", err)
	case word == "stop":
		r.end(errUnwanted)
	case word == "enough":
		r.signalStopEarly()
	case word == "lost":
		s.opt.Log.Warn("Redis has lost a running job; it is written again", "job", r.id)
		args := []any{r.task, heartbeatTTL.Milliseconds(), (3*r.timeout + jobTTLSlack).Milliseconds()}
		for field, value := range r.fields {
			args = append(args, field, value)
		}
		if err := restoreScript.Run(ctx, s.rdb, keys, args...).Err(); err != nil {
			s.opt.Log.Warn("a running job could not be written again", "job", r.id, "error", err)
		}
	}
}

// register makes this server known in each pool's list of workers: its name, slots and average run
// in ms, good until the time it is scored with.
func (s *Server) register(shown map[string]string) {
	ctx, done := context.WithTimeout(context.Background(), heartbeatEvery)
	defer done()
	now := s.opt.Now()
	for _, p := range s.opt.Pools {
		s.mu.Lock()
		entry := fmt.Sprintf("%s:%d:%.1f", s.name, s.opt.Concurrency, milliseconds(s.avgRuntime[p]))
		s.mu.Unlock()
		_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.ZRemRangeByScore(ctx, workersKey(p), "-inf", strconv.FormatInt(now.UnixMilli(), 10))
			if old := shown[p]; old != "" && old != entry {
				pipe.ZRem(ctx, workersKey(p), old)
			}
			pipe.ZAdd(ctx, workersKey(p), redis.Z{Score: float64(now.Add(heartbeatTTL).UnixMilli()), Member: entry})
			pipe.PExpire(ctx, workersKey(p), heartbeatTTL)
			return nil
		})
		if err != nil {
			s.opt.Log.Debug("a worker could not make itself known", "error", err)
			return
		}
		shown[p] = entry
	}
}

func (s *Server) deregister(shown map[string]string) {
	ctx, done := context.WithTimeout(context.Background(), heartbeatEvery)
	defer done()
	for p, entry := range shown {
		if err := s.rdb.ZRem(ctx, workersKey(p), entry).Err(); err != nil {
			return // the entry expires
		}
	}
}

// asynqLog passes asynq's remarks on. Nothing it calls fatal ends our process.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.log.Debug("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.log.Debug("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Warn(args ...any)  { l.log.Info("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.log.Warn("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Fatal(args ...any) { l.log.Error("asynq", "says", fmt.Sprint(args...)) }
