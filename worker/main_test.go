package worker

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
)

// TestMain is also the child process and the worker process of the tests: the test binary
// started again with a word as its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "child":
			// Its tools write to files, so that runs can be counted.
			if err := runChild(context.Background(), testCatalog(), os.Stdin, os.Stdout, false); err != nil {
				os.Exit(2)
			}
			os.Exit(0)
		case "confined-child":
			if err := RunChild(context.Background(), confinedCatalog(), os.Stdin, os.Stdout); err != nil {
				os.Exit(2)
			}
			os.Exit(0)
		case "worker":
			workerMain(os.Args[2], os.Args[3:]...)
		}
	}
	code := m.Run()
	if sharedRedis != nil {
		sharedRedis.kill()
	}
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
	s, err := NewServer(ServerOptions{Redis: rdb, Catalog: testCatalog(), Child: childCommand(), Concurrency: 2})
	if err != nil {
		panic(err)
	}
	if err := s.Run(context.Background()); err != nil {
		panic(err)
	}
}

func childCommand() []string { return []string{os.Args[0], "child"} }

// in is the input of every test tool. Trace names a file that gets one byte for each run, so
// that runs in other processes can be counted.
type in struct {
	N     int    `json:"n" default:"0" doc:"a number to tell jobs apart"`
	MS    int    `json:"ms" default:"0" doc:"duration"`
	Trace string `json:"trace" default:"" doc:"file that counts the runs"`
	How   string `json:"how" default:"" doc:"way to crash"`
	Times int    `json:"times" default:"1000" doc:"runs that crash"`
}

type out struct {
	N    int    `json:"n" doc:"the number"`
	Text string `json:"text" doc:"filler"`
	tools.Warnings
}

// count notes a run and says which it is.
func (i in) count() int {
	if i.Trace == "" {
		return 1
	}
	f, err := os.OpenFile(i.Trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte("x")); err != nil {
		panic(err)
	}
	st, err := f.Stat()
	if err != nil {
		panic(err)
	}
	return int(st.Size())
}

func testTool(name string, timeout time.Duration, f func(context.Context, in) (out, error)) *tools.Tool {
	return tools.Define(tools.Spec{
		Name: name, Title: name, Summary: name, Method: name, Sources: []string{"test"}, Examples: []tools.Example{{In: "{}"}},
		Heavy: &tools.Heavy{Pool: "test", Timeout: timeout},
	}, f)
}

// bits are values that the memory bomb keeps.
var bits [][]byte

// noise is text of a number of bytes that compresses to half of them, another for each seed.
func noise(bytes, seed int) string {
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	b := make([]byte, bytes/2)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return hex.EncodeToString(b)
}

func testCatalog() *tools.Catalog {
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test", Tools: []*tools.Tool{
		testTool("echo", 10*time.Second, func(_ context.Context, i in) (out, error) {
			i.count()
			fmt.Println("a stray print must not disturb the frames")
			return out{N: i.N}, nil
		}),
		testTool("noop", 10*time.Second, func(_ context.Context, i in) (out, error) { return out{N: i.N}, nil }),
		testTool("sleep", 60*time.Second, func(ctx context.Context, i in) (out, error) {
			i.count()
			select {
			case <-time.After(time.Duration(i.MS) * time.Millisecond):
				return out{N: i.N}, nil
			case <-ctx.Done():
				return out{}, ctx.Err()
			}
		}),
		testTool("anytime", 60*time.Second, func(ctx context.Context, i in) (out, error) {
			if i.count() > 1 {
				return out{N: i.N}, nil
			}
			select {
			case <-tools.StopSignal(ctx):
				return out{N: -i.N}, nil
			case <-ctx.Done():
				return out{}, ctx.Err()
			}
		}),
		testTool("tired", 300*time.Millisecond, func(ctx context.Context, i in) (out, error) {
			i.count()
			<-ctx.Done()
			return out{}, ctx.Err()
		}),
		testTool("spin", 700*time.Millisecond, func(_ context.Context, i in) (out, error) {
			i.count()
			for n := 0; ; n++ {
				if n == -1 {
					return out{}, nil
				}
			}
		}),
		testTool("crash", 30*time.Second, func(_ context.Context, i in) (out, error) {
			if i.count() > i.Times {
				return out{N: i.N}, nil
			}
			switch i.How {
			case "exit":
				os.Exit(3)
			case "memory":
				for {
					b := make([]byte, 64<<20)
					for k := 0; k < len(b); k += 4096 {
						b[k] = 1
					}
					bits = append(bits, b)
				}
			}
			panic("as asked")
		}),
		testTool("defect", 10*time.Second, func(context.Context, in) (out, error) { return out{}, fmt.Errorf("a secret of the house") }),
		testTool("refuse", 10*time.Second, func(_ context.Context, i in) (out, error) {
			i.count()
			return out{}, tools.Invalid("n", "must be a better number")
		}),
		testTool("big", 10*time.Second, func(_ context.Context, i in) (out, error) {
			return out{N: i.N, Text: strings.Repeat("0123456789abcdef", i.N/16)}, nil
		}),
		testTool("noise", 10*time.Second, func(_ context.Context, i in) (out, error) {
			i.count()
			return out{N: i.N, Text: noise(i.N, i.Times)}, nil
		}),
		testTool("steps", 30*time.Second, func(ctx context.Context, i in) (out, error) {
			for k := range i.N {
				tools.Report(ctx, tools.Progress{Phase: "step", Percent: 100 * float64(k) / float64(i.N)})
				time.Sleep(time.Duration(i.MS) * time.Millisecond)
			}
			return out{N: i.N}, nil
		}),
	}}}, nil)
	if err != nil {
		panic(err)
	}
	return c
}

// redisServer is a real redis-server of the tests, or nil.
type redisServer struct {
	port int
	dir  string
	cmd  *exec.Cmd
}

var (
	sharedOnce  sync.Once
	sharedRedis *redisServer
	database    atomic.Int64
)

// startRedis starts a server on a free port; it skips, loudly, when there is none.
func startRedis(t testing.TB, port int, more ...string) *redisServer {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			t.Fatal("redis-server is not in PATH (apt-get install redis-server)")
		}
		t.Skip("SKIPPED, NOT PASSED: redis-server is not in PATH (apt-get install redis-server)")
	}
	if port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	dir, err := os.MkdirTemp("", "worker-redis")
	if err != nil {
		t.Fatal(err)
	}
	s := &redisServer{port: port, dir: dir}
	args := []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
		"--dir", dir, "--databases", "256", "--daemonize", "no", "--logfile", filepath.Join(dir, "log")}
	s.cmd = exec.Command(path, append(args, more...)...)
	s.cmd.SysProcAttr = withUs()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rdb, err := Dial(s.url(0))
	if err != nil {
		t.Fatal(err)
	}
	defer rdb.Close()
	eventually(t, 10*time.Second, "redis-server to answer", func() bool { return rdb.Ping(context.Background()).Err() == nil })
	return s
}

func (s *redisServer) url(db int64) string { return fmt.Sprintf("redis://127.0.0.1:%d/%d", s.port, db) }

func (s *redisServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	os.RemoveAll(s.dir)
}

// onEach runs a test on miniredis and on a real server.
func onEach(t *testing.T, f func(t *testing.T, url string)) {
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
		f(t, realURL(t))
	})
}

// realURL is a database of its own on the server all tests share.
func realURL(t testing.TB) string {
	sharedOnce.Do(func() { sharedRedis = startRedis(t, 0) })
	if sharedRedis == nil {
		t.Skip("SKIPPED, NOT PASSED: redis-server is not in PATH (apt-get install redis-server)")
	}
	return sharedRedis.url(database.Add(1))
}

func dial(t testing.TB, url string) redis.UniversalClient {
	t.Helper()
	rdb, err := Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// testLog shows the log of a failed test only.
func testLog(t testing.TB) *slog.Logger {
	var mu sync.Mutex
	var b bytes.Buffer
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if t.Failed() {
			t.Log(b.String())
		}
	})
	return slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return b.Write(p)
	}), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

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

// serve starts a worker with children; the function returned ends it and waits for that.
func serve(t testing.TB, url string, edit ...func(*ServerOptions)) (stop func()) {
	t.Helper()
	opt := ServerOptions{Redis: dial(t, url), Catalog: testCatalog(), Child: childCommand(), Concurrency: 2, Log: testLog(t), ShutdownTimeout: 100 * time.Millisecond}
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

func eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited %v in vain for %s", limit, what)
		}
	}
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

// traceFile counts the runs of a job.
func traceFile(t testing.TB) string { return filepath.Join(t.TempDir(), "runs") }

func traced(path string) int {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int(st.Size())
}

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
	j, err := c.Wait(context.Background(), id, d)
	if err != nil {
		t.Fatalf("Wait: %v", err)
	}
	return j
}

// inState waits until the job stands as wanted.
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
	if want.Finished() && (j.FinishedAt.IsZero() || !j.ExpiresAt.After(j.FinishedAt) || j.EnqueuedAt.After(j.FinishedAt)) {
		t.Errorf("times of a finished job: enqueued %v, finished %v, expires %v", j.EnqueuedAt, j.FinishedAt, j.ExpiresAt)
	}
}

// captureLog keeps the lines of a log, from Info on.
func captureLog(lines *[]string) *slog.Logger {
	var mu sync.Mutex
	return slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		*lines = append(*lines, string(p))
		return len(p), nil
	}), nil))
}
