package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"

	"slipstick/tools"
	"slipstick/worker/pool"
	"slipstick/worker/store"
)

// ServerOptions configures a Server. Redis and Catalog are required.
type ServerOptions struct {
	// Redis is the Redis client. The caller closes it.
	Redis   redis.UniversalClient
	Catalog *tools.Catalog
	// Pools are the pools that the server runs. By default these are all pools of the catalog's
	// queued tools.
	Pools []string
	// Concurrency is the number of slots. Default GOMAXPROCS.
	Concurrency int
	// Child is the command line of a child process that calls RunChild. Without it jobs run in this
	// process, where an endless loop cannot be stopped and a fatal error ends the process.
	Child []string
	// ChildMemory limits the memory of a child in bytes; 0 means no limit. Values below 1 GiB are
	// raised to 1 GiB.
	ChildMemory int64
	// TaskCheckInterval is the time that asynq sleeps after it has found every queue empty. After
	// the sleep, the worker waits for a message about a new job. A message does not shorten the
	// sleep. Default 1 ms.
	TaskCheckInterval time.Duration
	// DelayedTaskCheckInterval is the interval at which asynq checks for retries. Default 1 s.
	DelayedTaskCheckInterval time.Duration
	// ResultTTL is the TTL of results. Default 10 min.
	ResultTTL time.Duration
	// MaxResultBytes limits the JSON size of a result. Default 32 MiB.
	MaxResultBytes int
	// Budgets limits the bytes in Redis.
	Budgets Budgets
	// ShutdownTimeout is the time that running jobs get at the end of Run before they are handed
	// back to the queue. Default 8 s.
	ShutdownTimeout time.Duration
	Log             *slog.Logger
	Metrics         prometheus.Registerer // nil: no metrics
	Tracer          trace.Tracer          // nil: no spans
	Now             func() time.Time
}

// Time constants and limits of workers.
const (
	maxRuns       = 3           // two retries after a crash
	storePatience = time.Minute // maximum time that a result waits for Redis
	// staleVersionPatience is how long workers requeue a job whose tool version they lack, as
	// during a rollout. Each requeue takes one to two seconds.
	staleVersionPatience = 90 * time.Second
)

// Server runs the jobs of the queue.
type Server struct {
	opt     ServerOptions
	store   *store.Store
	runner  pool.Runner
	warm    func() // starts a first child; nil if jobs run in this process
	name    string
	known   []string // queued tools, each as name, space and version
	metrics serverMetrics

	slots    chan struct{} // one element per computation that has not ended
	draining chan struct{} // closed when running jobs must be handed back
	released chan struct{} // closed when asynq has returned the permits of these jobs

	mu         sync.Mutex
	running    map[string]*run          // by task
	idle       chan struct{}            // closed and replaced when the last run ends
	avgRuntime map[string]time.Duration // moving averages of recent run times, by pool
}

// NewServer returns a Server that is not yet running. It returns an error for invalid options.
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
	var known []string
	for _, e := range append(opt.Catalog.Services(), opt.Catalog.All()...) {
		if e.Heavy == nil {
			continue
		}
		if e.Heavy.Timeout <= 0 {
			return nil, fmt.Errorf("the queued tool %s has no timeout", e.Name)
		}
		known = append(known, e.Name+" "+e.Version)
	}
	have := QueuedPools(opt.Catalog)
	if len(opt.Pools) == 0 {
		opt.Pools = have
	}
	for _, p := range opt.Pools {
		if !slices.Contains(have, p) {
			return nil, fmt.Errorf("no tool belongs to the worker pool %q; the pools are %v", p,
				have)
		}
	}
	if len(opt.Pools) == 0 {
		return nil, errors.New("the catalog has no queued tool for a worker")
	}
	orDefault(&opt.Concurrency, runtime.GOMAXPROCS(0))
	orDefault(&opt.TaskCheckInterval, time.Millisecond)
	orDefault(&opt.DelayedTaskCheckInterval, time.Second)
	orDefault(&opt.ResultTTL, DefaultResultTTL)
	orDefault(&opt.MaxResultBytes, 32<<20)
	orDefault(&opt.ShutdownTimeout, 8*time.Second)
	s := &Server{
		opt: opt, name: store.Nonce(), known: known,
		slots:    make(chan struct{}, opt.Concurrency),
		draining: make(chan struct{}), released: make(chan struct{}),
		running: map[string]*run{}, idle: make(chan struct{}),
		avgRuntime: map[string]time.Duration{},
	}
	var err error
	if s.metrics, err = newServerMetrics(s, opt.Metrics); err != nil {
		return nil, err
	}
	s.store, err = store.New(store.Options{
		Redis: opt.Redis, Log: opt.Log, Now: opt.Now, ResultTTL: opt.ResultTTL,
		Budgets: opt.Budgets, Metrics: opt.Metrics,
	})
	if err != nil {
		return nil, err
	}
	if len(opt.Child) > 0 {
		c := pool.New(pool.Options{
			Command: opt.Child, Memory: opt.ChildMemory, MaxResult: opt.MaxResultBytes,
			Log: opt.Log,
		})
		s.runner, s.warm = c, c.Warm
	} else {
		s.runner = pool.NewInProcess(opt.Catalog, opt.MaxResultBytes, opt.Log)
	}
	return s, nil
}

// QueuedPools lists the worker pools of the catalog's queued tools, in the order of the catalog.
func QueuedPools(catalog *tools.Catalog) []string {
	var pools []string
	for _, e := range catalog.All() {
		if e.Heavy != nil && !slices.Contains(pools, e.Heavy.Pool) {
			pools = append(pools, e.Heavy.Pool)
		}
	}
	return pools
}

// Run runs jobs until ctx ends. It then begins no more jobs, lets running jobs continue for
// ShutdownTimeout and hands the remaining ones back to their queues. Run returns an error only if
// it cannot start. It may be called only once.
func (s *Server) Run(ctx context.Context) error {
	queues := map[string]int{}
	for _, p := range s.opt.Pools {
		for _, c := range Priorities() {
			queues[store.QueueName(p, c)] = c.Weight()
		}
	}
	notifying := store.NewNotifyingRedis(s.opt.Redis, slices.Collect(maps.Keys(queues)))
	srv := asynq.NewServerFromRedisClient(notifying, asynq.Config{
		Concurrency: s.opt.Concurrency, Queues: queues,
		TaskCheckInterval:        s.opt.TaskCheckInterval,
		DelayedTaskCheckInterval: s.opt.DelayedTaskCheckInterval,
		// The error is a Redis error or an unknown tool, never a crashed job.
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return time.Second },
		// Run has already waited in drained, so asynq may requeue unfinished tasks immediately.
		ShutdownTimeout: time.Millisecond,
		Logger:          asynqLog{s.opt.Log}, LogLevel: asynq.WarnLevel,
	})
	stopLoops := make(chan struct{})
	var loops sync.WaitGroup
	sub := s.store.Subscribe(context.Background(), store.EventCancel, store.EventWork)
	loops.Go(func() { s.listen(sub, notifying) })
	loops.Go(func() { s.heartbeats(stopLoops) })
	loops.Go(func() { s.store.Maintain(stopLoops) })
	end := func() {
		close(stopLoops)
		if err := sub.Close(); err != nil {
			s.opt.Log.Debug("closing a subscription", "error", err)
		}
		loops.Wait()
		s.runner.Close()
	}
	if err := srv.Start(asynq.HandlerFunc(s.handle)); err != nil {
		end()
		return fmt.Errorf("the worker cannot start: %w", err)
	}
	if s.warm != nil {
		s.warm()
	}
	s.opt.Log.Info("worker started", "pools", s.opt.Pools, "slots", s.opt.Concurrency,
		"child", len(s.opt.Child) > 0)

	<-ctx.Done()
	notifying.Stop()
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

// drained waits up to limit until no job is running, and reports whether none is. Runs that were
// handed back count as ended.
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

// listen wakes asynq and makes batches yield when a new permit arrives. For a job that is cancelled
// or asked to stop early, it sends a heartbeat, whose reply ends the run.
func (s *Server) listen(sub *store.Subscription, notifying *store.NotifyingRedis) {
	for e := range sub.Events() {
		if e.Kind == store.EventWork {
			queue := e.ID
			if slices.Contains(s.opt.Pools, queue) { // a client of an older version names the pool
				queue = ""
			}
			isBatch := strings.HasSuffix(queue, store.QueueName("", PriorityBatch))
			if notifying.Wake(queue) && !isBatch { // chunks do not yield to batches
				s.yieldSlots()
			}
			continue
		}
		for _, r := range s.runs() {
			if r.ID == e.ID {
				s.heartbeat(r)
			}
		}
	}
}

// heartbeats renews the entries of this worker and the heartbeats of its runs, and audits the
// queues, until stop is closed.
func (s *Server) heartbeats(stop <-chan struct{}) {
	tick := time.NewTicker(store.HeartbeatEvery)
	defer tick.Stop()
	entries := map[string]string{} // by pool
	s.register(entries)
	for {
		select {
		case <-stop:
			s.deregister(entries)
			return
		case <-tick.C:
			for _, r := range s.runs() {
				s.heartbeat(r)
			}
			s.register(entries)
			s.audit()
			s.yieldSlots() // the message about a job may have been lost
		}
	}
}

// audit renews the holds of this worker on dequeued tasks, and repairs the queues.
func (s *Server) audit() {
	ctx, cancel := context.WithTimeout(context.Background(), store.HeartbeatEvery)
	defer cancel()
	tasks := map[string][]string{}
	for _, r := range s.runs() {
		if r.Queue != "" {
			tasks[r.Queue] = append(tasks[r.Queue], r.Task)
		}
	}
	for _, name := range s.opt.Pools {
		for _, p := range Priorities() {
			queue := store.QueueName(name, p)
			var err error
			if held := tasks[queue]; len(held) > 0 {
				err = s.store.Hold(ctx, queue, held)
			}
			if err == nil {
				err = s.store.Audit(ctx, name, p)
			}
			if err != nil {
				s.opt.Log.Debug("a queue could not be audited", "queue", queue, "error", err)
				return
			}
		}
	}
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

// heartbeat renews the heartbeat of a run and obeys the reply: it ends the run, stops it early, or
// restores its lost job hash.
func (s *Server) heartbeat(r *run) {
	ctx, cancel := context.WithTimeout(context.Background(), store.HeartbeatEvery)
	defer cancel()
	verdict, err := s.store.Heartbeat(ctx, r.Run)
	switch {
	case err != nil:
		s.opt.Log.Warn("a heartbeat did not reach Redis", "job", r.ID, "error", err)
	case verdict == store.StopNow:
		r.end(errUnwanted)
	case verdict == store.StopEarly:
		r.signalStopEarly()
	case verdict == store.JobHashLost:
		s.opt.Log.Warn("Redis has lost a running job; it is written again", "job", r.ID)
		if err := s.store.Restore(ctx, r.Run, r.timeout); err != nil {
			s.opt.Log.Warn("a running job could not be written again", "job", r.ID, "error", err)
		}
	}
}

// register enters this server in the list of each pool and replaces its previous entries.
func (s *Server) register(entries map[string]string) {
	ctx, cancel := context.WithTimeout(context.Background(), store.HeartbeatEvery)
	defer cancel()
	for _, p := range s.opt.Pools {
		s.mu.Lock()
		entry := store.Worker(s.name, s.opt.Concurrency, s.avgRuntime[p])
		s.mu.Unlock()
		if err := s.store.Register(ctx, p, entry, entries[p]); err != nil {
			s.opt.Log.Debug("a worker could not be registered", "error", err)
			return
		}
		entries[p] = entry
	}
}

func (s *Server) deregister(entries map[string]string) {
	ctx, cancel := context.WithTimeout(context.Background(), store.HeartbeatEvery)
	defer cancel()
	for p, entry := range entries {
		if s.store.Deregister(ctx, p, entry) != nil {
			return // the entry expires on its own
		}
	}
}

// asynqLog logs messages of asynq one level lower. Its Fatal does not exit the process.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.log.Debug("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.log.Debug("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Warn(args ...any)  { l.log.Info("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.log.Warn("asynq", "says", fmt.Sprint(args...)) }
func (l asynqLog) Fatal(args ...any) { l.log.Error("asynq", "says", fmt.Sprint(args...)) }
