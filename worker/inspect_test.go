package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/worker/store"
)

// TestDeadJob verifies that a job whose runs all crash is listed with its input, and can be
// retried.
func TestDeadJob(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c, trace := client(t, url), traceFile(t)
		input := body(`{"trace": %q, "how": "panic", "times": 3}`, trace)
		j := wait(t, c, submit(t, c, "crash", input, SubmitOptions{}).ID, ample)
		wantState(t, j, Failed)
		parked, err := c.DeadJobs(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		i := -1
		for k, p := range parked {
			if p.ID == j.ID {
				i = k
			}
		}
		if i < 0 {
			t.Fatalf("the job is not among %+v", parked)
		}
		if p := parked[i]; p.Tool != "crash" || !strings.Contains(p.Input, trace) || p.How == "" ||
			time.Since(p.At) > time.Minute {
			t.Errorf("parked as %+v", p)
		}
		again, err := c.Retry(context.Background(), testCatalog(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, wait(t, c, again.ID, ample), Done)
		var notDead *NotDeadError
		if _, err := c.Retry(context.Background(), testCatalog(), again.ID); !errors.As(err,
			&notDead) || notDead.State != Done {
			t.Errorf("the retry of a finished job returns %v", err)
		}
		unknown := strings.Repeat("0", 32)
		if _, err := c.Retry(context.Background(), testCatalog(), unknown); !errors.Is(err,
			ErrJobNotFound) {
			t.Errorf("the retry of an unknown job returns %v", err)
		}
	})
}

// TestDrain verifies that Drain returns when no job is running, and that a paused pool begins no
// job before ResumeQueue.
func TestDrain(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c, trace := client(t, url), traceFile(t)
		running := submit(t, c, "sleep", body(`{"ms": 300, "trace": %q}`, trace),
			SubmitOptions{Detached: true})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		list, err := c.InFlight(context.Background(), "test", 10)
		if err != nil || len(list) != 1 || list[0].ID != running.ID || list[0].State != Running ||
			list[0].Priority != PriorityAnonymous || list[0].Runs != 1 {
			t.Errorf("in flight: %+v, %v", list, err)
		}
		for range 2 { // pausing a paused queue is no error
			if err := c.Drain(context.Background(), "test"); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := c.Get(context.Background(), running.ID, ""); err != nil ||
			got.State != Done {
			t.Errorf("drained while %+v, %v", got, err)
		}
		held := submit(t, c, "echo", body(`{"n": 5, "trace": %q}`, trace),
			SubmitOptions{Priority: PriorityPaid, Detached: true})
		if got := wait(t, c, held.ID, 300*time.Millisecond); got.State != Queued {
			t.Errorf("a held pool began a job: %+v", got)
		}
		for pool, want := range map[string]bool{"test": true, "another": false} {
			if paused, err := c.Paused(t.Context(), pool); err != nil || paused != want {
				t.Errorf("pool %s paused: %t, %v", pool, paused, err)
			}
		}
		for range 2 {
			if err := c.ResumeQueue(context.Background(), "test"); err != nil {
				t.Fatal(err)
			}
		}
		wantState(t, wait(t, c, held.ID, ample), Done)
	})
}

// TestDrainWithoutWorkers verifies that Drain does not wait for the job of a dead worker, whose
// permit asynq keeps until another worker recovers it.
func TestDrainWithoutWorkers(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		doomed := startWorker(t, url)
		submit(t, c, "sleep", body(`{"ms": 60000, "trace": %q}`, trace),
			SubmitOptions{Detached: true})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		if err := doomed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = doomed.Wait()
		// The lease of 30 s ends now. No process extends it.
		leases := "asynq:{" + store.QueueName("test", PriorityAnonymous) + "}:lease"
		permits, err := c.opt.Redis.ZRange(t.Context(), leases, 0, -1).Result()
		if err != nil || len(permits) != 1 {
			t.Fatalf("leases of %v, %v", permits, err)
		}
		if err := c.opt.Redis.ZAdd(t.Context(), leases,
			redis.Z{Score: float64(time.Now().Unix() - 1), Member: permits[0]}).Err(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), ample)
		defer cancel()
		if err := c.Drain(ctx, "test"); err != nil {
			t.Error(err)
		}
	})
}
