package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/urfave/cli/v3"
	"golang.org/x/sync/errgroup"

	"slipstick/api"
	"slipstick/internal/buildinfo"
	"slipstick/mcp"
	"slipstick/tools"
	"slipstick/worker"
)

func addrFlag() cli.Flag {
	return &cli.StringFlag{Name: "addr", Value: ":8080", Usage: "address to listen on", Sources: cli.EnvVars("SLIPSTICK_ADDR")}
}

func waitFlag() cli.Flag {
	return &cli.DurationFlag{Name: "wait", Value: 25 * time.Second, Usage: "how long a caller is kept waiting for a heavy job before 202", Sources: cli.EnvVars("SLIPSTICK_WAIT"), Validator: atLeast(time.Millisecond)}
}

func drainDelayFlag() cli.Flag {
	return &cli.DurationFlag{Name: "drain-delay", Value: time.Second, Usage: "how long to go on serving after SIGTERM while /readyz already says no, for load balancers that need a moment", Sources: cli.EnvVars("SLIPSTICK_DRAIN_DELAY"), Validator: atLeast(time.Duration(0))}
}

func redisFlag() cli.Flag {
	return &cli.StringFlag{Name: "redis-url", Usage: "redis://[:password@]host:port[/db], rediss:// or redis-sentinel://", Sources: cli.EnvVars("SLIPSTICK_REDIS_URL")}
}

func concurrencyFlag() cli.Flag {
	return &cli.IntFlag{Name: "concurrency", Value: runtime.GOMAXPROCS(0), Usage: "heavy jobs computed at the same time", Sources: cli.EnvVars("SLIPSTICK_CONCURRENCY"), Validator: atLeast(1)}
}

func jobMemoryFlag() cli.Flag {
	return &cli.IntFlag{Name: "job-memory-mib", Value: 2048, Usage: "memory one heavy job may use; 0 does not bound it, less than 1024 is raised to it", Sources: cli.EnvVars("SLIPSTICK_JOB_MEMORY_MIB"), Validator: atLeast(0)}
}

// budgetFlags bound what is in Redis. API and worker need the same.
func budgetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "result-budget-mib", Value: 160, Usage: "memory in Redis for stored results, and at most 40 % of its maxmemory; the oldest are dropped first", Sources: cli.EnvVars("SLIPSTICK_RESULT_BUDGET_MIB"), Validator: atLeast(1)},
		&cli.IntFlag{Name: "result-budget-per-caller-mib", Value: 32, Usage: "of it for the results of one caller, and at most a quarter; a larger result goes 30 s after it was delivered", Sources: cli.EnvVars("SLIPSTICK_RESULT_BUDGET_PER_CALLER_MIB"), Validator: atLeast(1)},
		&cli.IntFlag{Name: "input-budget-mib", Value: 64, Usage: "memory in Redis for the inputs of unfinished jobs, and at most 15 % of its maxmemory", Sources: cli.EnvVars("SLIPSTICK_INPUT_BUDGET_MIB"), Validator: atLeast(1)},
	}
}

func budgets(cmd *cli.Command) worker.Budgets {
	mib := func(name string) int64 { return int64(cmd.Int(name)) << 20 }
	return worker.Budgets{Results: mib("result-budget-mib"), ResultsPerCaller: mib("result-budget-per-caller-mib"), Inputs: mib("input-budget-mib")}
}

// readFlags bound what an API holds for answers under way.
func readFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "read-budget-mib", Value: 96, Usage: "memory of this process for large answers under way", Sources: cli.EnvVars("SLIPSTICK_READ_BUDGET_MIB"), Validator: atLeast(1)},
		&cli.IntFlag{Name: "read-budget-per-address-mib", Value: 32, Usage: "of it for the answers to one address", Sources: cli.EnvVars("SLIPSTICK_READ_BUDGET_PER_ADDRESS_MIB"), Validator: atLeast(1)},
	}
}

func readAccount(cmd *cli.Command) *worker.ReadAccount {
	return worker.NewReadAccount(worker.ReadBudgets{
		Total: int64(cmd.Int("read-budget-mib")) << 20, PerReader: int64(cmd.Int("read-budget-per-address-mib")) << 20,
	})
}

func serveCommand(all *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "run everything in this process (the default)",
		Description: `Runs the API, a worker and an embedded queue. Needs no Redis and no Postgres. Queued jobs
and results live in this process's memory and are gone when it ends. API keys and their usage
are kept in a file of the data directory, or in a Postgres that is given.

Examples:
  slipstick serve
  slipstick serve --addr 127.0.0.1:9000 --data :memory:`,
		Flags: append(slices.Concat(logFlags(), limitFlags(), keyFlags(), agentFlags(), budgetFlags(), readFlags()), addrFlag(), adminFlag(), waitFlag(), concurrencyFlag(), jobMemoryFlag(),
			&cli.StringFlag{Name: "data", Value: defaultDataDir(), Usage: "directory for what is kept between runs; :memory: keeps nothing", Sources: cli.EnvVars("SLIPSTICK_DATA")},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return usageError(fmt.Sprintf("there is no command %q; \"slipstick help\" lists them", cmd.Args().First()))
			}
			return serve(ctx, cmd, all)
		},
	}
}

// defaultDataDir is the user's data directory (XDG Base Directory Specification), or memory
// where there is no home.
func defaultDataDir() string {
	if d := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "slipstick")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share", "slipstick")
	}
	return ":memory:"
}

func serve(ctx context.Context, cmd *cli.Command, all *tools.Catalog) error {
	log, err := newLog(cmd)
	if err != nil {
		return err
	}
	kept, err := dataDir(cmd.String("data"))
	if err != nil {
		return err
	}
	access, err := openAccess(ctx, cmd, cmd.String("data"), log)
	if err != nil {
		return err
	}
	defer access.Close()
	listener, err := listen(ctx, cmd.String("addr"))
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
	measured, err := newInstruments(ctx, "serve", os.Getenv, log)
	if err != nil {
		return err
	}
	defer measured.end()
	jobs, err := newWorker(cmd, all, rdb, measured, log)
	if err != nil {
		return err
	}

	// The worker ends after the API, so that requests in flight still get their answers.
	working, endWork := context.WithCancel(context.WithoutCancel(ctx))
	defer endWork()
	var group errgroup.Group
	group.Go(func() error { return jobs.Run(working) })
	group.Go(func() error {
		defer endWork()
		return serveAPI(ctx, cmd, all, rdb, access, cmd.String("data"), listener, measured, log)
	})
	announce(cmd, listener.Addr(), "data directory: "+kept)
	return group.Wait()
}

// announce tells a person where the service is and what to try.
func announce(cmd *cli.Command, addr net.Addr, more string) {
	base := baseURL(addr)
	fmt.Fprintf(cmd.Root().Writer, `Slipstick %s is ready at %s
Queued jobs and results are kept in memory; %s

Try:  curl -s %s/api/fspl --json '{"freq_mhz": 915, "dist_km": 5}'
      curl -s %s/api/spice_simulate --json '{"netlist": "RC low-pass\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 2 159.1549 159154.9\n.end"}'
Every tool: %s/api   OpenAPI: %s/api/docs   End with Ctrl-C.
`, buildinfo.Version(), base, more, base, base, base, base)
}

// baseURL is how a person on this machine reaches a listener.
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

// dataDir makes the data directory and says where it is.
func dataDir(path string) (string, error) {
	if path == ":memory:" {
		return "none, nothing is kept", nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("--data %s cannot be used: %w; --data :memory: keeps nothing", path, err)
	}
	return path, nil
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	listener, err := api.NewListener(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; --addr chooses another address", addr, err)
	}
	return listener, nil
}

func apiCommand(all *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "api",
		Usage: "run the API half of a deployment",
		Description: `Serves HTTP and puts heavy jobs on the queue. Any number may share one Redis; workers take
the jobs. Refuses to start when Redis or Postgres cannot be reached.

Example:
  SLIPSTICK_REDIS_URL=redis://:secret@db:6379/0 SLIPSTICK_DATABASE_URL=postgres://slipstick:secret@db/slipstick \
  SLIPSTICK_JWT_JWKS_URL=https://login.example.com/jwks.json slipstick api --addr :8080 --log-format json`,
		Flags: append(slices.Concat(logFlags(), limitFlags(), keyFlags(), agentFlags(), budgetFlags(), readFlags()), addrFlag(), adminFlag(), waitFlag(), redisFlag(), drainDelayFlag()),
		Action: onRedis(func(ctx context.Context, cmd *cli.Command, rdb redis.UniversalClient, log *slog.Logger) error {
			access, err := openAccess(ctx, cmd, "", log)
			if err != nil {
				return err
			}
			defer access.Close()
			listener, err := listen(ctx, cmd.String("addr"))
			if err != nil {
				return err
			}
			measured, err := newInstruments(ctx, "api", os.Getenv, log)
			if err != nil {
				return err
			}
			defer measured.end()
			log.Info("api started", "address", baseURL(listener.Addr()), "version", buildinfo.Version())
			return serveAPI(ctx, cmd, all, rdb, access, "", listener, measured, log)
		}),
	}
}

func workerCommand(all *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "worker",
		Usage: "run the worker half of a deployment",
		Description: `Takes heavy jobs from the queue and computes them in child processes. Start as many as the
load asks for. Ends in order on SIGTERM: running jobs finish or go back to the queue.

Example:
  SLIPSTICK_REDIS_URL=redis://:secret@db:6379/0 slipstick worker --concurrency 4`,
		Flags: append(slices.Concat(logFlags(), budgetFlags()), adminFlag(), redisFlag(), concurrencyFlag(), jobMemoryFlag(),
			&cli.StringSliceFlag{Name: "queues", Usage: "pools to serve, such as spice; all by default", Sources: cli.EnvVars("SLIPSTICK_QUEUES")}),
		Action: onRedis(func(ctx context.Context, cmd *cli.Command, rdb redis.UniversalClient, log *slog.Logger) error {
			measured, err := newInstruments(ctx, "worker", os.Getenv, log)
			if err != nil {
				return err
			}
			defer measured.end()
			ping := func(ctx context.Context) error { return rdb.Ping(ctx).Err() }
			if err := measured.registry.Register(api.NewDependencyCollector(api.Check{Name: "redis", Ready: ping})); err != nil {
				return err
			}
			jobs, err := newWorker(cmd, all, rdb, measured, log)
			if err != nil {
				return err
			}
			admin, endAdmin := context.WithCancel(context.WithoutCancel(ctx))
			var group errgroup.Group
			group.Go(func() error {
				return serveAdmin(admin, cmd, measured, ping, log)
			})
			group.Go(func() error {
				defer endAdmin()
				return jobs.Run(ctx)
			})
			return group.Wait()
		}),
	}
}

// onRedis is the action of a command that needs the configured Redis.
func onRedis(do func(ctx context.Context, cmd *cli.Command, rdb redis.UniversalClient, log *slog.Logger) error) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		log, err := newLog(cmd)
		if err != nil {
			return err
		}
		rdb, err := dial(ctx, cmd)
		if err != nil {
			return err
		}
		defer rdb.Close()
		return do(ctx, cmd, rdb, log)
	}
}

// dial connects to the configured Redis, or says in one sentence why it cannot.
func dial(ctx context.Context, cmd *cli.Command) (redis.UniversalClient, error) {
	url := cmd.String("redis-url")
	if url == "" {
		return nil, usageError("this command needs a Redis: give --redis-url or SLIPSTICK_REDIS_URL (\"slipstick serve\" runs without one)")
	}
	rdb, err := worker.Dial(url)
	if err != nil {
		return nil, usageError("--redis-url: " + err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := worker.Reach(ctx, rdb, url); err != nil {
		rdb.Close()
		return nil, fmt.Errorf("the Redis of --redis-url or SLIPSTICK_REDIS_URL cannot be reached: %w", err)
	}
	return rdb, nil
}

func newWorker(cmd *cli.Command, all *tools.Catalog, rdb redis.UniversalClient, measured *instruments, log *slog.Logger) (*worker.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return worker.NewServer(worker.ServerOptions{
		Redis: rdb, Catalog: all, Pools: entries(cmd.StringSlice("queues")), Concurrency: cmd.Int("concurrency"),
		Child: []string{self, "child"}, ChildMemory: int64(cmd.Int("job-memory-mib")) << 20,
		Budgets: budgets(cmd), Log: log, Metrics: measured.registry, Tracer: measured.tracer,
	})
}

// serveAPI serves HTTP. Calls are counted in the data directory, or in Redis when that is "".
func serveAPI(ctx context.Context, cmd *cli.Command, all *tools.Catalog, rdb redis.UniversalClient, access *access, dataDir string, listener net.Listener, measured *instruments, log *slog.Logger) error {
	reads := readAccount(cmd)
	queue, err := worker.NewClient(worker.ClientOptions{Redis: rdb, MaxInFlightPerCaller: cmd.Int("jobs-per-caller"), Budgets: budgets(cmd), Reads: reads, Log: log, Metrics: measured.registry})
	if err != nil {
		return err
	}
	defer queue.Close()
	needs := api.NewDependencyCollector(api.Check{Name: "redis", Ready: queue.Ready}, access.check)
	for _, c := range []prometheus.Collector{worker.NewQueueCollector(queue, worker.QueuedPools(all)), needs} {
		if err := measured.registry.Register(c); err != nil {
			return err
		}
	}
	counts, err := openCounting(ctx, cmd, access, dataDir, rdb, measured.registry, log)
	if err != nil {
		return err
	}
	defer counts.Close()
	options := access.join(api.Options{
		Catalog: all, Queue: queue, Reads: reads, Wait: cmd.Duration("wait"), Log: log, Version: buildinfo.Version(),
		DrainDelay: cmd.Duration("drain-delay"), Metrics: measured.registry, Tracer: measured.tracer,
	})
	if options, err = counts.join(ctx, cmd, access, options); err != nil {
		return err
	}
	agents, err := mcp.New(mcp.Options{Catalog: all, Queue: queue, Wait: cmd.Duration("wait"), Redis: rdb, Log: log, Version: buildinfo.Version()})
	if err != nil {
		return err
	}
	defer agents.Close()
	options.MCP, options.PublicURL, options.Origins = agents, cmd.String("public-url"), entries(cmd.StringSlice("mcp-origins"))
	server, err := api.New(options)
	if err != nil {
		return err
	}
	admin, endAdmin := context.WithCancel(context.WithoutCancel(ctx))
	var group errgroup.Group
	group.Go(func() error { return serveAdmin(admin, cmd, measured, server.Ready, log) })
	group.Go(func() error {
		defer endAdmin()
		return server.Serve(ctx, listener)
	})
	return group.Wait()
}
