package cmd

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/urfave/cli/v3"

	"slipstick/tools/catalog"
	"slipstick/worker"
)

// startQueue returns an embedded Redis with its URL, a queue client, and a pending job.
func startQueue(t *testing.T) (url string, rdb redis.UniversalClient, queue *worker.Client,
	job worker.Job) {
	t.Helper()
	server, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	if rdb, err = worker.Dial(server.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	if queue, err = worker.NewClient(worker.ClientOptions{Redis: rdb}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { queue.Close() })
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := all.FindQueued("spice_simulate")
	if err != nil {
		t.Fatal(err)
	}
	job, err = queue.Submit(t.Context(), tool.Tool, []byte(tool.Examples[0].In),
		worker.SubmitOptions{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	return server.URL(), rdb, queue, job
}

// TestDrainInterrupted verifies that an interrupted "queue drain" reports that the pool stays
// paused, and the command that resumes it.
func TestDrainInterrupted(t *testing.T) {
	url, rdb, queue, _ := startQueue(t)
	begun := make(chan struct{})
	permitServer := asynq.NewServerFromRedisClient(rdb, asynq.Config{
		Queues: map[string]int{"spice-anonymous": 1}, ShutdownTimeout: time.Millisecond,
		LogLevel: asynq.FatalLevel,
	})
	err := permitServer.Start(asynq.HandlerFunc(func(ctx context.Context, _ *asynq.Task) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(permitServer.Shutdown)
	<-begun
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // cancel once every queue of the pool is paused
		for _, p := range worker.Priorities() {
			key := "asynq:{spice-" + string(p) + "}:paused"
			for ctx.Err() == nil && rdb.Exists(ctx, key).Val() == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		cancel()
	}()
	var out strings.Builder
	err = newCommand(all, strings.NewReader(""), &out, &out).Run(ctx,
		[]string{"slipstick", "queue", "drain", "--redis-url", url, "spice"})
	if !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "slipstick queue resume spice") ||
		!strings.Contains(err.Error(), "spice is paused") && // while it lists the running jobs
			!strings.Contains(err.Error(), "spice stays paused") {
		t.Errorf("%v", err)
	}
	if paused, err := queue.Paused(t.Context(), "spice"); err != nil || !paused {
		t.Errorf("paused: %t, %v", paused, err)
	}
}

// pauseHook is a hook of a Redis client that calls interrupt after a number of pauses of queues.
type pauseHook struct {
	pauses    int
	interrupt func()
}

func (*pauseHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (*pauseHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h *pauseHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if strings.Contains(cmd.String(), ":paused") && cmd.Name() != "exists" {
			if h.pauses--; h.pauses == 0 {
				h.interrupt()
			}
		}
		return err
	}
}

// TestDrainInterruptedInPause verifies that an interrupted drain reports the paused pool and the
// command that resumes it. The interrupt comes while the drain pauses the queues, or right after.
func TestDrainInterruptedInPause(t *testing.T) {
	for pauses, want := range map[int]string{
		1:                        "spice may be paused; to resume: slipstick queue resume spice",
		len(worker.Priorities()): "spice is paused; to resume: slipstick queue resume spice",
	} {
		_, rdb, queue, _ := startQueue(t)
		ctx, cancel := context.WithCancel(t.Context())
		rdb.AddHook(&pauseHook{pauses, cancel})
		err := drain(ctx, &cli.Command{Writer: io.Discard}, queue, "spice")
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), want) {
			t.Errorf("interrupt after %d pauses: %v", pauses, err)
		}
		cancel()
	}
}

// TestInspect verifies that "queue inspect" prints the pool of a pending job, and leaves out what
// is unknown of a finished one.
func TestInspect(t *testing.T) {
	url, _, queue, job := startQueue(t)
	inspect := func() string {
		out, _, err := runCLI(t, "", "queue", "inspect", "--redis-url", url, job.ID)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := inspect(); !strings.Contains(out, `"pool": "spice"`) {
		t.Error(out)
	}
	if _, err := queue.Cancel(t.Context(), job.ID, ""); err != nil {
		t.Fatal(err)
	}
	out := inspect()
	if !strings.Contains(out, `"state": "cancelled"`) {
		t.Error(out)
	}
	for _, field := range []string{"pool", "class", "runs"} {
		if strings.Contains(out, `"`+field+`"`) {
			t.Errorf("%s in %s", field, out)
		}
	}
}

// TestUnknownPool verifies that the error of an unknown pool has the value and the pools.
func TestUnknownPool(t *testing.T) {
	url, _, _, _ := startQueue(t)
	_, _, err := runCLI(t, "", "queue", "drain", "--redis-url", url, "foo")
	if err == nil || !strings.Contains(err.Error(), "spice and board") ||
		!strings.Contains(err.Error(), `"foo"`) {
		t.Error(err)
	}
}

// TestRetryOfJobThatIsNotDead verifies that the message of "queue retry" has the state of the job,
// if it exists. It must also have the command that lists the jobs which can be retried.
func TestRetryOfJobThatIsNotDead(t *testing.T) {
	url, _, _, job := startQueue(t)
	const list = `"slipstick queue parked" lists the dead jobs`
	for _, c := range []struct{ id, want string }{
		{job.ID, job.ID + ": the job is queued; a retry is for dead jobs"},
		{strings.Repeat("0", 32), strings.Repeat("0", 32) + ": there is no such job"},
	} {
		_, _, err := runCLI(t, "", "queue", "retry", "--redis-url", url, c.id)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), list) {
			t.Errorf("%s: %v", c.id, err)
		}
	}
}
