package worker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
	"slipstick/tools"
	"slipstick/worker/internal/workertest"
)

// TestMain also runs as the child process and the worker process of the tests, which are the test
// binary with an argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "child":
			os.Exit(workertest.ChildMain(RunChild))
		case "worker":
			workerMain(os.Args[2], os.Args[3:]...)
		}
	}
	code := m.Run()
	shared.Kill()
	os.Exit(code)
}

func workerMain(url string, how ...string) {
	rdb, err := Dial(url)
	if err != nil {
		panic(err)
	}
	if len(how) > 0 {
		rdb.AddHook(killAtBegin{})
	}
	s, err := NewServer(ServerOptions{Redis: rdb, Catalog: testCatalog(), Child: childCommand(),
		Concurrency: 2})
	if err != nil {
		panic(err)
	}
	if err := s.Run(context.Background()); err != nil {
		panic(err)
	}
}

func childCommand() []string { return []string{os.Args[0], "child"} }

// forEachRedis runs a test on miniredis and on a redis-server.
func forEachRedis(t *testing.T, f func(t *testing.T, url string)) {
	t.Helper()
	forEachServer(t, shared.URL, f)
}

// forEachOwnRedis is forEachRedis for tests that observe channels. All databases of a server share
// its channels, so such a test must not share the server.
func forEachOwnRedis(t *testing.T, f func(t *testing.T, url string)) {
	t.Helper()
	forEachServer(t, func(t testing.TB) string { return redistest.Start(t).URL(0) }, f)
}

func forEachServer(
	t *testing.T, realRedis func(testing.TB) string, f func(t *testing.T, url string),
) {
	t.Helper()
	t.Parallel()
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		e, err := StartEmbedded()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Stop)
		f(t, e.URL())
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		f(t, realRedis(t))
	})
}

// shared is the server of all tests that need a real Redis without data.
var shared redistest.Shared

func dial(t testing.TB, url string) redis.UniversalClient {
	t.Helper()
	rdb, err := Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// client starts a client; edit changes its options.
func client(t testing.TB, url string, edit ...func(*ClientOptions)) *Client {
	t.Helper()
	opt := ClientOptions{Redis: dial(t, url), Log: testLog(t)}
	for _, e := range edit {
		e(&opt)
	}
	c, err := NewClient(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// inAMinute is the clock of a client whose requests come a minute after those of others.
func inAMinute() time.Time { return time.Now().Add(time.Minute) }

// serve starts a worker with child processes; stop shuts it down and waits.
func serve(t testing.TB, url string, edit ...func(*ServerOptions)) (stop func()) {
	t.Helper()
	opt := ServerOptions{Redis: dial(t, url), Catalog: testCatalog(), Child: childCommand(),
		Concurrency: 2, Log: testLog(t), ShutdownTimeout: 100 * time.Millisecond}
	for _, e := range edit {
		e(&opt)
	}
	s, err := NewServer(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() { end(); <-ended })
	t.Cleanup(stop)
	return stop
}

func tool(t testing.TB, name string) *tools.Tool {
	t.Helper()
	e, err := testCatalog().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e.Tool
}

func body(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }

func submit(t testing.TB, c *Client, name string, body []byte, s SubmitOptions) Job {
	t.Helper()
	j, err := c.Submit(context.Background(), tool(t, name), body, s)
	if err != nil {
		t.Fatalf("Submit %s %s: %v", name, body, err)
	}
	return j
}

func wait(t testing.TB, c *Client, id string, d time.Duration) Job {
	t.Helper()
	return waitAs(t, c, id, "", d)
}

// waitAs waits on behalf of a caller.
func waitAs(t testing.TB, c *Client, id, caller string, d time.Duration) Job {
	t.Helper()
	j, err := c.Wait(context.Background(), id, caller, d)
	if err != nil {
		t.Fatalf("Wait: %v", err)
	}
	return j
}

// inState waits until a job is in the given state and returns the job.
func inState(t testing.TB, c *Client, id string, want State) Job {
	t.Helper()
	var j Job
	eventually(t, 10*time.Second, "state "+string(want), func() bool {
		var err error
		if j, err = c.Get(context.Background(), id, ""); err != nil {
			t.Fatal(err)
		}
		return j.State == want
	})
	return j
}

func wantState(t testing.TB, j Job, want State) {
	t.Helper()
	if j.State != want {
		t.Fatalf("job is %s (%+v), want %s", j.State, j.Outcome, want)
	}
	if want.Finished() && (j.FinishedAt.IsZero() || !j.ExpiresAt.After(j.FinishedAt) ||
		j.EnqueuedAt.After(j.FinishedAt)) {
		t.Errorf("times of a finished job: enqueued %v, finished %v, expires %v", j.EnqueuedAt,
			j.FinishedAt, j.ExpiresAt)
	}
}

func testCatalog() *tools.Catalog       { return workertest.Catalog() }
func testLog(t testing.TB) *slog.Logger { return workertest.Log(t) }
func traceFile(t testing.TB) string     { return workertest.TraceFile(t) }
func traced(path string) int            { return workertest.Runs(path) }

func eventually(t testing.TB, limit time.Duration, condition string, ok func() bool) {
	t.Helper()
	workertest.Eventually(t, limit, condition, ok)
}
