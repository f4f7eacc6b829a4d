// Package workertest provides tools, Redis servers and loggers for the tests of packages worker,
// store and pool.
package workertest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis is a redis-server process for a test.
type Redis struct {
	Port int
	dir  string
	cmd  *exec.Cmd
}

// StartRedis starts a redis-server with additional arguments. Port 0 selects a free port.
// StartRedis skips the test if redis-server is not installed.
func StartRedis(t testing.TB, port int, more ...string) *Redis {
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
	s := &Redis{Port: port, dir: dir}
	args := []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no",
		"--dir", dir, "--databases", "256", "--daemonize", "no", "--logfile",
		filepath.Join(dir, "log")}
	s.cmd = exec.Command(path, append(args, more...)...)
	s.cmd.SysProcAttr = EndWithParent()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", port)})
	defer rdb.Close()
	Eventually(t, 10*time.Second, "redis-server to answer",
		func() bool { return rdb.Ping(context.Background()).Err() == nil })
	return s
}

// URL returns the URL of a database.
func (s *Redis) URL(db int64) string { return fmt.Sprintf("redis://127.0.0.1:%d/%d", s.Port, db) }

// Kill kills the server and deletes its files.
func (s *Redis) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	os.RemoveAll(s.dir)
}

// Log returns a logger whose lines are shown if the test fails.
func Log(t testing.TB) *slog.Logger {
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

// Eventually waits until ok returns true. It fails the test after limit.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("no %[2]s within %[1]v", limit, what)
		}
	}
}

// TraceFile returns a file name for Input.Trace.
func TraceFile(t testing.TB) string { return filepath.Join(t.TempDir(), "runs") }

// Runs returns the number of runs recorded in a trace file.
func Runs(path string) int {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int(st.Size())
}

// CaptureLog returns a logger that appends its lines at level Info and above to lines.
func CaptureLog(lines *[]string) *slog.Logger {
	var mu sync.Mutex
	return slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		*lines = append(*lines, string(p))
		return len(p), nil
	}), nil))
}
