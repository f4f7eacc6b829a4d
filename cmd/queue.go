package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/urfave/cli/v3"

	"slipstick/batch/service"
	"slipstick/tools"
	"slipstick/worker"
)

// queueAction is an operation on the queue of a deployment.
type queueAction func(ctx context.Context, cmd *cli.Command, queue *worker.Client) error

// namedAction is an operation on a job or a pool of a deployment.
type namedAction func(ctx context.Context, cmd *cli.Command, queue *worker.Client,
	name string) error

// batchAction is an operation on the batches of a deployment.
type batchAction func(ctx context.Context, cmd *cli.Command, batches *service.Service) error

// queueCommand returns the commands for the jobs of a deployment.
func queueCommand(all *tools.Catalog) *cli.Command {
	q := &queueCommands{catalog: all, pools: worker.QueuedPools(all)}
	return &cli.Command{
		Name:  "queue",
		Usage: "list, cancel and repeat the jobs of a deployment",
		Description: fmt.Sprintf(`Pools: %s.

Examples:
  slipstick queue list                  pending and running jobs
  slipstick queue inspect ID            one job
  slipstick queue cancel ID             stop a job for all its callers
  slipstick queue batches               unfinished batches
  slipstick queue cancel-batch ID       stop a batch
  slipstick queue parked                dead jobs: crashed each of three times
  slipstick queue retry ID              run a dead job again
  slipstick queue drain spice           start no job of a pool, wait for the running ones
  slipstick queue resume spice          start jobs of a pool again`, strings.Join(q.pools, ", ")),
		Commands: []*cli.Command{
			q.onQueue("list", "list the pending and running jobs", "", q.list),
			q.onQueue("inspect", "print one job", "ID", withJob(inspectJob)),
			q.onQueue("cancel", "stop a job for all its callers", "ID", withJob(cancelJob)),
			q.onBatches("batches", "list the unfinished batches", "", listBatches),
			q.onBatches("cancel-batch", "stop a batch; its rows are kept", "ID", cancelBatch),
			q.onQueue("parked", "list the dead jobs, which crashed each of three times", "",
				listParked),
			q.onQueue("retry", "run a dead job again", "ID", withJob(q.retryJob)),
			q.onQueue("drain", "start no job of a pool and wait for the running ones", "POOL",
				q.withPool(drain)),
			q.onQueue("resume", "start jobs of a pool again", "POOL", q.withPool(resumePool)),
		},
	}
}

// queueCommands creates the commands for the jobs of a deployment.
type queueCommands struct {
	catalog *tools.Catalog
	pools   []string
}

// open returns a command that calls do with the queue of a deployment.
func (q *queueCommands) open(name, usage, args string,
	do func(context.Context, *cli.Command, redis.UniversalClient, *worker.Client) error,
) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: args, Flags: settingFlags("queue"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			p, err := newProcess(cmd, "queue", q.catalog)
			if err != nil {
				return err
			}
			rdb, err := dialRedis(ctx, p.RedisURL)
			if err != nil {
				return err
			}
			defer rdb.Close()
			queue, err := worker.NewClient(worker.ClientOptions{Redis: rdb, Log: p.log})
			if err != nil {
				return err
			}
			defer queue.Close()
			return do(ctx, cmd, rdb, queue)
		},
	}
}

func (q *queueCommands) onQueue(name, usage, args string, do queueAction) *cli.Command {
	return q.open(name, usage, args, func(
		ctx context.Context, cmd *cli.Command, _ redis.UniversalClient, queue *worker.Client,
	) error {
		return do(ctx, cmd, queue)
	})
}

func (q *queueCommands) onBatches(name, usage, args string, do batchAction) *cli.Command {
	return q.open(name, usage, args, func(
		ctx context.Context, cmd *cli.Command, rdb redis.UniversalClient, queue *worker.Client,
	) error {
		batches, err := service.New(service.Options{Redis: rdb, Catalog: q.catalog, Queue: queue})
		if err != nil {
			return err
		}
		return do(ctx, cmd, batches)
	})
}

// withJob returns an action on the job whose id is the argument of the command.
func withJob(do namedAction) queueAction {
	return func(ctx context.Context, cmd *cli.Command, queue *worker.Client) error {
		if cmd.NArg() != 1 {
			return usageError("give one job id; \"slipstick queue list\" shows them")
		}
		id := cmd.Args().First()
		if err := do(ctx, cmd, queue, id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		return nil
	}
}

// withPool returns an action on the pool that the argument of the command names.
func (q *queueCommands) withPool(do namedAction) queueAction {
	return func(ctx context.Context, cmd *cli.Command, queue *worker.Client) error {
		if cmd.NArg() != 1 || !slices.Contains(q.pools, cmd.Args().First()) {
			return usageErrorf("give one of the pools %s, got %q", strings.Join(q.pools, " and "),
				strings.Join(cmd.Args().Slice(), " "))
		}
		return do(ctx, cmd, queue, cmd.Args().First())
	}
}

func cancelJob(ctx context.Context, cmd *cli.Command, queue *worker.Client, id string) error {
	job, err := queue.Cancel(ctx, id, "")
	if err == nil {
		fmt.Fprintf(cmd.Root().Writer, "%s is %s\n", id, job.State)
	}
	return err
}

func (q *queueCommands) retryJob(ctx context.Context, cmd *cli.Command, queue *worker.Client,
	id string) error {
	job, err := queue.Retry(ctx, q.catalog, id)
	var notDead *worker.NotDeadError
	if errors.As(err, &notDead) || errors.Is(err, worker.ErrJobNotFound) {
		err = fmt.Errorf("%w; \"slipstick queue parked\" lists the dead jobs", err)
	}
	if err == nil {
		fmt.Fprintf(cmd.Root().Writer, "%s is %s\n", job.ID, job.State)
	}
	return err
}

func resumePool(ctx context.Context, _ *cli.Command, queue *worker.Client, pool string) error {
	return queue.ResumeQueue(ctx, pool)
}

// drain pauses a pool and waits for its running jobs. It prints them first; at most 200 jobs of the
// pool are examined for it.
func drain(ctx context.Context, cmd *cli.Command, queue *worker.Client, pool string) error {
	out, resume := cmd.Root().Writer, "to resume: slipstick queue resume "+pool
	if err := queue.PauseQueue(ctx, pool); err != nil {
		return fmt.Errorf("%s may be paused; %s: %w", pool, resume, err)
	}
	jobs, err := queue.InFlight(ctx, pool, listed)
	if err != nil {
		return fmt.Errorf("%s is paused; %s: %w", pool, resume, err)
	}
	var running []string
	for _, j := range jobs {
		if j.State == worker.Running {
			running = append(running, j.ID)
		}
	}
	if len(running) > 0 {
		fmt.Fprintf(out, "%s is paused; waiting for the running jobs %s\n", pool,
			strings.Join(running, ", "))
	}
	if err := queue.Drain(ctx, pool); err != nil {
		return fmt.Errorf("%s stays paused, and jobs may still run; %s: %w", pool, resume, err)
	}
	fmt.Fprintf(out, "%s is paused and runs no job; %s\n", pool, resume)
	return nil
}

// listed is the maximum number of jobs per pool in a list.
const listed = 200

func (q *queueCommands) list(ctx context.Context, cmd *cli.Command, queue *worker.Client) error {
	out := cmd.Root().Writer
	for _, pool := range q.pools {
		st, err := queue.Pool(ctx, pool)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d slots", pool, st.Slots)
		for _, class := range worker.Priorities() {
			fmt.Fprintf(out, ", %d %s waiting", st.Waiting[class], class)
		}
		fmt.Fprintf(out, ", %s per job", st.Average.Round(time.Millisecond))
		paused, err := queue.Paused(ctx, pool)
		if err != nil {
			return err
		}
		if paused {
			fmt.Fprintf(out, ", paused (queue resume %s)", pool)
		}
		fmt.Fprintln(out)
		jobs, err := queue.InFlight(ctx, pool, listed)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		for _, j := range jobs {
			fmt.Fprintf(
				w,
				"  %s\t%s\t%s\t%s\t%s\t%.0f %%\t%s\n",
				j.ID,
				j.Tool,
				j.State,
				j.Priority,
				time.Since(j.EnqueuedAt).Round(time.Second),
				j.Progress.Percent,
				j.Progress.Phase,
			)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// listBatches prints a line per unfinished batch, oldest first.
func listBatches(ctx context.Context, cmd *cli.Command, batches *service.Service) error {
	all, err := batches.Unfinished(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.Root().Writer, 0, 4, 2, ' ', 0)
	for _, b := range all {
		left := "-"
		if b.EtaS != nil {
			left = time.Duration(*b.EtaS * float64(time.Second)).Round(time.Second).String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d of %d\t%d failed\t%.0f per s\tage %s\tleft %s\n",
			b.ID, b.Tool, b.Mode, b.State, b.RunsDone, b.RunsTotal, b.RunsFailed, b.RatePerS,
			time.Since(b.CreatedAt).Round(time.Second), left)
	}
	return w.Flush()
}

func cancelBatch(ctx context.Context, cmd *cli.Command, batches *service.Service) error {
	if cmd.NArg() != 1 {
		return usageError("give one batch id; \"slipstick queue batches\" shows them")
	}
	b, err := batches.Stop(ctx, cmd.Args().First())
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.Root().Writer, "%s is %s after %d of %d runs\n", b.ID, b.State, b.RunsDone,
		b.RunsTotal)
	return nil
}

func inspectJob(ctx context.Context, cmd *cli.Command, queue *worker.Client, id string) error {
	job, err := queue.Inspect(ctx, id)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(cmd.Root().Writer)
	enc.SetIndent("", "  ")
	fields := map[string]any{
		"id": job.ID, "tool": job.Tool, "version": job.Version, "state": job.State,
		"progress": job.Progress, "enqueued_at": job.EnqueuedAt,
		"failure": job.Outcome.Failure, "compute_ms": job.Outcome.ComputeMS,
	}
	if job.Pool != "" { // unknown for a finished job
		fields["pool"], fields["class"], fields["runs"] = job.Pool, job.Priority, job.Runs
	}
	return enc.Encode(fields)
}

func listParked(ctx context.Context, cmd *cli.Command, queue *worker.Client) error {
	jobs, err := queue.DeadJobs(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.Root().Writer, 0, 4, 2, ' ', 0)
	for _, j := range jobs {
		fmt.Fprintf(
			w,
			"%s\t%s %s\t%s\t%s\t%d bytes\n",
			j.ID,
			j.Tool,
			j.Version,
			j.At.UTC().Format(time.RFC3339),
			j.How,
			len(j.Input),
		)
	}
	return w.Flush()
}
