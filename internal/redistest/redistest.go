// Package redistest starts redis-server for tests. Only tests import it.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const notInstalled = "redis-server is not in PATH (apt-get install redis-server)"

// Server is a redis-server process.
type Server struct {
	Port int
	dir  string
	cmd  *exec.Cmd
}

// Start starts a server with additional arguments on a free port, and kills it after the test. It
// skips the test if redis-server is not installed, or fails it if SLIPSTICK_REQUIRE_INTEGRATION=1.
func Start(t testing.TB, more ...string) *Server {
	t.Helper()
	s := StartAt(t, 0, more...)
	t.Cleanup(s.Kill)
	return s
}

// StartAt is like Start for a given port, or a free one if port is 0. The caller kills the server.
func StartAt(t testing.TB, port int, more ...string) *Server {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			t.Fatal(notInstalled)
		}
		t.Skip("SKIPPED, NOT PASSED: " + notInstalled)
	}
	if port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
	}
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Port: port, dir: dir}
	args := []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--dir", dir, "--databases", "256", "--daemonize", "no",
		"--logfile", filepath.Join(dir, "log")}
	s.cmd = exec.Command(path, append(args, more...)...)
	s.cmd.SysProcAttr = EndWithParent()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr()})
	defer rdb.Close()
	for until := time.Now().Add(10 * time.Second); rdb.Ping(context.Background()).Err() != nil; {
		if time.Now().After(until) {
			s.Kill()
			t.Fatal("redis-server does not respond")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return s
}

// Addr returns the address of the server.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

// URL returns the URL of a database.
func (s *Server) URL(db int64) string { return fmt.Sprintf("redis://%s/%d", s.Addr(), db) }

// Kill kills the server and deletes its files. A killed server ignores it.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// Shared is a server that the tests of a process share. TestMain kills it.
type Shared struct {
	once     sync.Once
	server   *Server
	database atomic.Int64
}

// URL returns the URL of an empty database.
func (s *Shared) URL(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.server = StartAt(t, 0) })
	if s.server == nil { // the first test was skipped
		t.Skip("SKIPPED, NOT PASSED: " + notInstalled)
	}
	return s.server.URL(s.database.Add(1))
}

// Kill kills the server if it runs.
func (s *Shared) Kill() {
	if s.server != nil {
		s.server.Kill()
	}
}
