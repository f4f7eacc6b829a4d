// Package workertest provides tools and loggers for the tests of packages worker, store and pool.
package workertest

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

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
