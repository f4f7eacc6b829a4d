package cmd

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/urfave/cli/v3"
	"golang.org/x/sync/errgroup"

	"slipstick/api"
	"slipstick/api/idempotency"
	"slipstick/api/listener"
	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/internal/buildinfo"
	"slipstick/keys/quota"
	"slipstick/keys/ratelimit"
	"slipstick/mcp"
	"slipstick/tools"
	"slipstick/worker"
)

// This file defines the order in which the parts of a service process start and stop. A part on
// which others depend starts first and stops last:
//
//	log, Redis and key store, listener, telemetry
//	    queue client, counts, batches, MCP server, HTTP server, private listener
//	    worker
//
// Start-up ends at the first part that fails. The listener follows the stores, which most often
// fail, and precedes the parts that need the address.

// process is a running command with its settings, catalog, logger and standard output.
type process struct {
	*Config
	catalog *tools.Catalog
	log     *slog.Logger
	out     io.Writer
}

// newProcess reads the settings of a command and creates its logger.
func newProcess(cmd *cli.Command, command string, catalog *tools.Catalog) (*process, error) {
	c, err := readConfig(cmd, command)
	if err != nil {
		return nil, err
	}
	log := newLog(c, cmd.Root().ErrWriter)
	for _, v := range unknownVariables(os.Environ()) {
		log.Warn("an environment variable is ignored: there is no setting " + v)
	}
	return &process{
		Config:  c,
		catalog: catalog,
		log:     log,
		out:     cmd.Root().Writer,
	}, nil
}

// newLog returns a logger that writes to w. The Redis client also writes to this logger.
func newLog(c *Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	log := slog.New(slog.NewTextHandler(w, options))
	if c.LogFormat == "json" {
		log = slog.New(slog.NewJSONHandler(w, options))
	}
	redis.SetLogger(redisLog{log})
	return log
}

// redisLog logs the messages of go-redis at level Debug because the failed operation reports its
// own error.
type redisLog struct{ log *slog.Logger }

// Printf implements the logging interface of go-redis.
func (l redisLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, fmt.Sprintf(format, v...), "from", "redis client")
}

// runServe runs the API, a worker and an embedded Redis in one process until ctx ends.
func (p *process) runServe(ctx context.Context) error {
	kept, err := dataDir(p.Data)
	if err != nil {
		return err
	}
	auth, err := p.openAuth(ctx, p.Data)
	if err != nil {
		return err
	}
	defer auth.Close()
	listener, err := listen(ctx, "--addr", p.Addr)
	if err != nil {
		return err
	}
	store, err := worker.StartEmbedded()
	if err != nil {
		return fmt.Errorf("the embedded queue did not start: %w", err)
	}
	defer store.Stop()
	rdb, err := worker.Dial(store.URL())
	if err != nil {
		return err
	}
	defer rdb.Close()
	measured, err := newTelemetry(ctx, "serve", p.log)
	if err != nil {
		return err
	}
	defer measured.Close()
	jobs, err := p.newWorker(rdb, measured)
	if err != nil {
		return err
	}

	// The worker stops after the API because requests in progress wait for results.
	working, stopWorker := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorker()
	group, serving := errgroup.WithContext(ctx) // an error in one part stops the others
	group.Go(func() error { return jobs.Run(working) })
	group.Go(func() error {
		defer stopWorker()
		return p.serveAPI(serving, rdb, auth, p.Data, listener, measured)
	})
	printBanner(p.out, listener.Addr(), kept)
	return group.Wait()
}

// runAPI runs the API of a deployment until ctx ends.
func (p *process) runAPI(ctx context.Context) error {
	rdb, err := dialRedis(ctx, p.RedisURL)
	if err != nil {
		return err
	}
	defer rdb.Close()
	auth, err := p.openAuth(ctx, "")
	if err != nil {
		return err
	}
	defer auth.Close()
	listener, err := listen(ctx, "--addr", p.Addr)
	if err != nil {
		return err
	}
	measured, err := newTelemetry(ctx, "api", p.log)
	if err != nil {
		return err
	}
	defer measured.Close()
	p.log.Info("api started", "address", baseURL(listener.Addr()), "version", buildinfo.Version())
	return p.serveAPI(ctx, rdb, auth, "", listener, measured)
}

// runWorker runs a worker of a deployment until ctx ends. It returns when its jobs have finished or
// are back in the queue.
func (p *process) runWorker(ctx context.Context) error {
	pools := worker.QueuedPools(p.catalog)
	for i, q := range p.Queues {
		if slices.Contains(p.Queues[:i], q) {
			return usageErrorf("--queues or SLIPSTICK_QUEUES must name each pool once, got %q twice", q)
		}
		if !slices.Contains(pools, q) {
			return usageErrorf("--queues or SLIPSTICK_QUEUES must be of %s, got %q",
				strings.Join(pools, ", "), q)
		}
	}
	return p.withRedis(ctx, "worker", func(rdb redis.UniversalClient, measured *telemetry) error {
		ping := func(ctx context.Context) error { return rdb.Ping(ctx).Err() }
		dependencies := api.NewDependencyCollector(api.Check{Name: "redis", Ready: ping})
		if err := measured.registry.Register(dependencies); err != nil {
			return err
		}
		jobs, err := p.newWorker(rdb, measured)
		if err != nil {
			return err
		}
		return p.runWithAdmin(ctx, measured, ping, jobs.Run)
	})
}

// withRedis calls run with the Redis of a deployment and the telemetry of a command.
func (p *process) withRedis(ctx context.Context, command string,
	run func(redis.UniversalClient, *telemetry) error) error {
	rdb, err := dialRedis(ctx, p.RedisURL)
	if err != nil {
		return err
	}
	defer rdb.Close()
	measured, err := newTelemetry(ctx, command, p.log)
	if err != nil {
		return err
	}
	defer measured.Close()
	return run(rdb, measured)
}

// runWithAdmin runs the parts of a process until ctx ends. The private listener stops after main,
// so that it reports the readiness of a process that is draining. An error in one part stops the
// others.
func (p *process) runWithAdmin(ctx context.Context, measured *telemetry,
	ready func(context.Context) error, main func(context.Context) error,
	others ...func(context.Context) error) error {
	admin, stopAdmin := context.WithCancel(context.WithoutCancel(ctx))
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return serveAdmin(admin, p.AdminAddr, measured, ready, p.log) })
	for _, run := range others {
		group.Go(func() error { return run(running) })
	}
	group.Go(func() error {
		defer stopAdmin()
		return main(running)
	})
	return group.Wait()
}

// serveAPI serves HTTP on the listener until ctx ends and all open requests are answered. It counts
// calls in the data directory, or in Redis if dataDir is "".
func (p *process) serveAPI(
	ctx context.Context,
	rdb redis.UniversalClient,
	auth *auth,
	dataDir string,
	listener net.Listener,
	measured *telemetry,
) error {
	reads := worker.NewReadLimiter(
		worker.ReadBudgets{Total: mebibytes(p.ReadBudget), PerReader: mebibytes(p.AddressBudget)},
	)
	queue, err := worker.NewClient(worker.ClientOptions{
		Redis: rdb, MaxInFlightPerCaller: p.JobsPerCaller, Budgets: p.budgets(), Reads: reads,
		Log: p.log, Metrics: measured.registry,
	})
	if err != nil {
		return err
	}
	defer queue.Close()
	dependencies := api.NewDependencyCollector(
		api.Check{Name: "redis", Ready: queue.Ready},
		auth.check,
	)
	pools := worker.NewQueueCollector(queue, worker.QueuedPools(p.catalog))
	for _, c := range []prometheus.Collector{pools, dependencies} {
		if err := measured.registry.Register(c); err != nil {
			return err
		}
	}
	counts, err := p.openCounts(ctx, auth, dataDir, rdb, measured.registry)
	if err != nil {
		return err
	}
	defer counts.Close()
	batches, err := p.newBatches(rdb, auth, queue, counts, measured)
	if err != nil {
		return err
	}
	mcpServer, err := mcp.New(mcp.Options{
		Catalog: p.catalog, Queue: queue, Wait: p.Wait, Redis: rdb, Log: p.log,
		Version: buildinfo.Version(),
	})
	if err != nil {
		return err
	}
	defer mcpServer.Close()
	proposal := make([]byte, 32)
	_, _ = rand.Read(proposal)
	pageSecret, err := auth.store.Secret(ctx, "page", proposal)
	if err != nil {
		return fmt.Errorf("the secret of the page could not be read: %w", err)
	}
	server, err := api.New(api.Options{
		Catalog: p.catalog, Queue: queue, Batches: batches, Reads: reads, Wait: p.Wait, Log: p.log,
		Idempotency: idempotency.New(rdb), Version: buildinfo.Version(), DrainDelay: p.DrainDelay,
		Metrics: measured.registry, Tracer: measured.tracer, Keys: auth.keys,
		Tokens: auth.tokens, Ready: []api.Check{auth.check}, Quota: counts.limiter,
		IssuanceLimiter: &quota.IssuanceLimiter{Store: counts.store, Now: time.Now},
		MaxComponents:   p.maxComponents, Proxies: p.TrustedProxies, PageSecret: pageSecret,
		MCP: mcpServer, PublicURL: p.PublicURL, Origins: p.MCPOrigins, Bursts: p.bursts(),
	})
	if err != nil {
		return err
	}
	return p.runWithAdmin(ctx, measured, server.Ready,
		func(ctx context.Context) error { return server.Serve(ctx, listener) },
		func(ctx context.Context) error { batches.Run(ctx); return nil })
}

// newBatches returns the service of batches.
func (p *process) newBatches(rdb redis.UniversalClient, auth *auth, queue *worker.Client,
	counts *counts, measured *telemetry) (*service.Service, error) {
	var database service.RowDatabase
	if p.Batches.DatabaseBudget > 0 {
		database, _ = auth.store.(service.RowDatabase) // SQLite does not store rows
	}
	return service.New(service.Options{
		Redis: rdb, Catalog: p.catalog, Queue: queue, Quota: counts.limiter,
		Database: database, DatabaseBytes: mebibytes(p.Batches.DatabaseBudget),
		CallerShare: float64(p.Batches.CallerPct) / 100,
		TTL:         p.Batches.TTL, MaxRuns: p.Batches.Runs, MaxQueuedRuns: p.Batches.QueuedRuns,
		MaxUnfinished: p.Batches.PerCaller, MaxUnfinishedFree: p.Batches.PerFreeCaller,
		TotalBytes: mebibytes(p.Batches.Budget), BatchBytes: mebibytes(p.Batches.BudgetPerBatch),
		Log: p.log, Metrics: measured.registry,
	})
}

func (p *process) newWorker(
	rdb redis.UniversalClient,
	measured *telemetry,
) (*worker.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all, err := batch.WorkerCatalog(p.catalog)
	if err != nil {
		return nil, err
	}
	return worker.NewServer(worker.ServerOptions{
		Redis: rdb, Catalog: all, Pools: p.Queues, Concurrency: p.Concurrency,
		Child: []string{self, "child"}, ChildMemory: mebibytes(p.JobMemory),
		Budgets: p.budgets(), Log: p.log, Metrics: measured.registry, Tracer: measured.tracer,
	})
}

// budgets returns the memory limits in Redis. API and worker share them.
func (c *Config) budgets() worker.Budgets {
	return worker.Budgets{
		Results: mebibytes(
			c.ResultBudget,
		), ResultsPerCaller: mebibytes(c.CallerBudget), Inputs: mebibytes(c.InputBudget),
	}
}

// bursts returns the rate limits per address.
func (c *Config) bursts() api.Bursts {
	r := ratelimit.Rate{PerSecond: c.BurstRate, Size: c.BurstSize}
	if c.BurstRate <= 0 {
		r.PerSecond = -1 // no limit
	}
	return api.Bursts{Any: r}
}

func mebibytes(n int) int64 { return int64(n) << 20 }

// dialRedis connects to Redis and checks the connection.
func dialRedis(ctx context.Context, url string) (redis.UniversalClient, error) {
	if url == "" {
		return nil, usageError(
			"this command needs a Redis: give --redis-url or SLIPSTICK_REDIS_URL " +
				"(\"slipstick serve\" runs without one)",
		)
	}
	rdb, err := worker.Dial(url)
	if err != nil {
		return nil, usageErrorf("--redis-url or SLIPSTICK_REDIS_URL: %v, got %q", err,
			worker.RedactedURL(url))
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := worker.Reach(ctx, rdb, url); err != nil {
		rdb.Close()
		return nil, fmt.Errorf(
			"the Redis of --redis-url or SLIPSTICK_REDIS_URL, %s, cannot be reached: %w",
			worker.RedactedURL(url), err)
	}
	return rdb, nil
}

// listen listens on the address that a setting names.
func listen(ctx context.Context, setting, addr string) (net.Listener, error) {
	ln, err := listener.Listen(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; %s chooses another address", addr,
			err, setting)
	}
	return ln, nil
}

// dataDir creates the data directory, unless path is ":memory:". It returns the description of the
// directory for the banner.
func dataDir(path string) (string, error) {
	if path == ":memory:" {
		return "none, nothing is kept", nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf(
			"--data %s cannot be used: %w; --data :memory: keeps nothing",
			path,
			err,
		)
	}
	return path, nil
}

// printBanner prints the address of the service and two example requests.
func printBanner(out io.Writer, addr net.Addr, dataDir string) {
	base := baseURL(addr)
	const netlist = `RC low-pass\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n` +
		`.ac dec 2 159.1549 159154.9\n.end`
	fmt.Fprintf(out, `Slipstick %s is ready at %[2]s
Queued jobs and results are kept in memory; data directory: %[3]s

Try:  curl -s %[2]s/api/fspl --json '{"freq_mhz": 915, "dist_km": 5}'
      curl -s %[2]s/api/spice_simulate --json '{"netlist": "%[4]s"}'
Every tool: %[2]s/api   OpenAPI: %[2]s/api/docs   End with Ctrl-C.
`, buildinfo.Version(), base, dataDir, netlist)
}

// baseURL returns the URL of a listener for clients on the same machine.
func baseURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
