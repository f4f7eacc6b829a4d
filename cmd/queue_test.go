package cmd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

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
	tickets := asynq.NewServerFromRedisClient(rdb, asynq.Config{
		Queues: map[string]int{"spice-anonymous": 1}, ShutdownTimeout: time.Millisecond,
		LogLevel: asynq.FatalLevel,
	})
	err := tickets.Start(asynq.HandlerFunc(func(ctx context.Context, _ *asynq.Task) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tickets.Shutdown)
	<-begun
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var out strings.Builder
	err = newCommand(all, strings.NewReader(""), &out, &out).Run(ctx,
		[]string{"slipstick", "queue", "drain", "--redis-url", url, "spice"})
	if !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "slipstick queue resume spice") ||
		!strings.Contains(err.Error(), "spice stays paused") {
		t.Errorf("%v", err)
	}
	if paused, err := queue.Paused(t.Context(), "spice"); err != nil || !paused {
		t.Errorf("paused: %t, %v", paused, err)
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
// if there is one, and the command that lists the jobs which can be retried.
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
