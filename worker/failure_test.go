package worker

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
	"slipstick/worker/store"
)

// startWorker starts a worker process and kills it at the end of the test.
func startWorker(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "worker", url)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = redistest.EndWithParent()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func TestWorkerKilled(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		doomed := startWorker(t, url)
		j := submit(t, c, "sleep", body(`{"ms": 1500, "trace": %q}`, trace), SubmitOptions{})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		serve(t, url)
		if err := doomed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		wantState(t, wait(t, c, j.ID, 30*time.Second), Done)
		d := time.Since(killed)
		t.Logf("result of a 1.5 s job %.1f s after its worker was killed", d.Seconds())
		if d > 13*time.Second {
			t.Errorf("the result took %v", d)
		}
		if n := traced(trace); n != 2 {
			t.Errorf("ran %d times, want 2", n)
		}
	})
}

func TestPollerRevives(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		doomed := startWorker(t, url)
		j := submit(t, c, "sleep", body(`{"ms": 500, "trace": %q}`, trace),
			SubmitOptions{Detached: true})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		if err := doomed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		serve(t, url)
		for k := 0; ; k++ { // another process polls, as GET /api/jobs/{id} does
			got, err := c.Get(context.Background(), j.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			if got.State == Done {
				break
			}
			if k > 200 {
				t.Fatalf("still %s", got.State)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func TestJobThatKillsItsWorkers(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url)
		j := submit(t, c, "echo", body(`{}`), SubmitOptions{})
		// After three runs whose workers died, the next worker fails the job.
		if err := c.opt.Redis.HSet(context.Background(), store.JobKey(j.ID), "runs",
			3).Err(); err != nil {
			t.Fatal(err)
		}
		serve(t, url)
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Failed)
		if !strings.Contains(j.Outcome.Failure, "crashed") {
			t.Errorf("failure %q", j.Outcome.Failure)
		}
	})
}

func TestRedisRestartsMidJob(t *testing.T) {
	t.Parallel()
	first := redistest.StartAt(t, 0)
	c, trace := client(t, first.URL(0)), traceFile(t)
	serve(t, first.URL(0), func(o *ServerOptions) { o.Concurrency = 1 })
	running := submit(t, c, "sleep", body(`{"ms": 4000, "trace": %q}`, trace), SubmitOptions{})
	eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
	pending := submit(t, c, "echo", body(`{"n": 3}`), SubmitOptions{})

	first.Kill()
	begun := time.Now()
	if _, err := c.Submit(context.Background(), tool(t, "echo"), body(`{"n": 4}`),
		SubmitOptions{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Submit without Redis: %v", err)
	}
	if _, err := c.Get(context.Background(), "x", ""); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Get without Redis: %v", err)
	}
	if err := c.Ready(context.Background()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Ready without Redis: %v", err)
	}
	if d := time.Since(begun); d > 2*time.Second {
		t.Errorf("three refusals took %v", d)
	}
	second := redistest.StartAt(t, first.Port) // the second lacks the data of the first
	t.Cleanup(second.Kill)

	var wg sync.WaitGroup
	for _, id := range []string{running.ID, pending.ID} {
		wg.Go(func() {
			j, err := c.Wait(context.Background(), id, "", 30*time.Second)
			if err != nil || j.State != Done {
				t.Errorf("job %s after the restart: %+v, %v", id, j, err)
			}
		})
	}
	wg.Wait()
	if n := traced(trace); n != 1 {
		t.Errorf("the running job ran %d times", n)
	}
	if err := c.Ready(context.Background()); err != nil {
		t.Error(err)
	}
	j := submit(t, c, "echo", body(`{"n": 5}`), SubmitOptions{})
	wantState(t, wait(t, c, j.ID, ample), Done)
}

func TestShutdownHandsOver(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		stop := serve(t, url)
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "sleep", body(`{"ms": 1500, "trace": %q}`, trace), SubmitOptions{})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		begun := time.Now()
		stop()
		if d := time.Since(begun); d > 3*time.Second {
			t.Errorf("the shutdown took %v", d)
		}
		if got, err := c.Get(context.Background(), j.ID, ""); err != nil || got.State != Queued {
			t.Errorf("after the shutdown: %+v, %v", got, err)
		}
		serve(t, url)
		wantState(t, wait(t, c, j.ID, ample), Done)
		// The run takes 1.5 s. The limit is below the expiry of a heartbeat.
		if d := time.Since(begun); d > 6*time.Second {
			t.Errorf("the result took %v", d)
		}
		if n := traced(trace); n != 2 {
			t.Errorf("ran %d times", n)
		}
	})
}

func TestShutdownLetsJobsEnd(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		stop := serve(t, url, func(o *ServerOptions) { o.ShutdownTimeout = 10 * time.Second })
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "sleep", body(`{"ms": 700, "trace": %q}`, trace), SubmitOptions{})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		stop()
		got, err := c.Get(context.Background(), j.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, Done)
	})
}

func TestMessagesMayBeLost(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url)
		if err := c.events.Unsubscribe(context.Background(), store.EventDone); err != nil {
			t.Fatal(err)
		}
		serve(t, url)
		begun := time.Now()
		j := submit(t, c, "echo", body(`{}`), SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Done)
		if d := time.Since(begun); d > 5*time.Second {
			t.Errorf("took %v without messages, want about a second", d)
		}
	})
}

func TestLostTaskIsEnqueuedAgain(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url)
		j := submit(t, c, "echo", body(`{}`), SubmitOptions{})
		// This is the state after the submitting process has died between Admit and Enqueue.
		c.store.Remove(context.Background(), store.InFlightJob{
			Job: j, Task: j.ID, Pool: "test", Priority: PriorityAnonymous,
		})
		serve(t, url)
		wantState(t, wait(t, c, j.ID, ample), Done)
	})
}

// TestPermitOfADeadWorker verifies recovery from a worker that dies between receiving a permit and
// dequeuing the job. A living worker must add the missing permit long before asynq recovers the
// received one.
func TestPermitOfADeadWorker(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx, c, trace := context.Background(), client(t, url), traceFile(t)
		j := submit(t, c, "echo", body(`{"trace": %q}`, trace), SubmitOptions{})
		queue := store.QueueName("test", PriorityAnonymous)
		// These are the commands of asynq's dequeue script.
		permit, err := c.opt.Redis.RPopLPush(ctx, store.PermitsKey(queue),
			"asynq:{"+queue+"}:active").Result()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.opt.Redis.HSet(ctx, "asynq:{"+queue+"}:t:"+permit, "state",
			"active").Err(); err != nil {
			t.Fatal(err)
		}
		if err := c.opt.Redis.ZAdd(ctx, "asynq:{"+queue+"}:lease",
			redis.Z{Score: float64(time.Now().Add(30 * time.Second).Unix()),
				Member: permit}).Err(); err != nil {
			t.Fatal(err)
		}
		serve(t, url)
		wantState(t, wait(t, c, j.ID, ample), Done)
		if n := traced(trace); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

// killAtBegin is a Redis hook that kills its own process, as kill -9 does, before a job begins.
type killAtBegin struct{}

func (killAtBegin) DialHook(next redis.DialHook) redis.DialHook { return next }
func (killAtBegin) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (killAtBegin) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) > 9 && args[9] == string(store.EventProgress) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return next(ctx, cmd)
	}
}

// TestWorkerKilledBeforeItBegins verifies that a job whose worker is killed between dequeuing and
// beginning it runs once, on another worker, without a poll.
func TestWorkerKilledBeforeItBegins(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		doomed := exec.Command(os.Args[0], "worker", url, "kill-at-begin")
		doomed.SysProcAttr = redistest.EndWithParent()
		if err := doomed.Start(); err != nil {
			t.Fatal(err)
		}
		j := submit(t, c, "echo", body(`{"trace": %q}`, trace), SubmitOptions{Detached: true})
		// Without this wait, the waiter that Submit left would poll the job.
		wait(t, c, j.ID, time.Millisecond)
		if err := doomed.Wait(); err == nil {
			t.Fatal("the worker was not killed")
		}
		serve(t, url)
		serve(t, url)
		eventually(t, 2*ample, "the job to run", func() bool { return traced(trace) == 1 })
		wantState(t, wait(t, c, j.ID, ample), Done)
		slotsFree(t, c)
		if n := traced(trace); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

func TestCrashedCallerDoesNotCount(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c := client(t, url)
		j := submit(t, c, "sleep", body(`{"ms": 30000}`), SubmitOptions{})
		inState(t, c, j.ID, Running)
		// This is the expired waiter of a process that has ended.
		if err := c.opt.Redis.ZAdd(context.Background(), store.WaitersKey(j.ID),
			redis.Z{Score: 1, Member: "dead:1"}).Err(); err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(context.Background())
		leave()
		if _, err := c.Wait(ctx, j.ID, "", ample); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		got, err := c.Get(context.Background(), j.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, Cancelled)
	})
}

func TestBelievedDeadTakesItsJobBack(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, func(o *ServerOptions) { o.Concurrency = 1 })
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "sleep", body(`{"ms": 3500, "trace": %q}`, trace), SubmitOptions{})
		eventually(t, ample, "the job to begin", func() bool { return traced(trace) == 1 })
		// The heartbeat disappears while the worker lives; a poll enqueues the job again.
		if err := c.opt.Redis.Del(context.Background(),
			store.HeartbeatKey(j.ID)).Err(); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Get(context.Background(), j.ID, ""); err != nil || got.State != Queued {
			t.Fatalf("a running job without a beat: %+v, %v", got, err)
		}
		inState(t, c, j.ID, Running)
		wantState(t, wait(t, c, j.ID, ample), Done)
		slotsFree(t, c)
		if n := traced(trace); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

func TestSilentRedis(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := client(t, "redis://"+l.Addr().String())
	begun := time.Now()
	_, err = c.Submit(context.Background(), tool(t, "echo"), body(`{}`), SubmitOptions{})
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(begun); d > store.OpTimeout+time.Second {
		t.Errorf("took %v", d)
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"redis://127.0.0.1:6379/3", "rediss://u:p@localhost:6380", "unix:///run/redis.sock",
		"redis-sentinel://u:p@a:26379,b:26379/2?master=main",
		"redis-cluster://a:7000,b:7001,c:7002", "rediss-cluster://:p@a:7000",
	} {
		rdb, err := Dial(good)
		if err != nil {
			t.Errorf("%s: %v", good, err)
			continue
		}
		rdb.Close()
	}
	for _, bad := range []string{"", "http://x", "redis-sentinel://a:1", "redis-cluster://",
		"redis://:s3cret@x:port", "redis-sentinel://:s3cret@a:1/x?master=m"} {
		_, err := Dial(bad)
		if err == nil {
			t.Errorf("%q is accepted", bad)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}
