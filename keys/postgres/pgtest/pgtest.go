// Package pgtest starts a Postgres server for tests. It creates a private cluster in a temporary
// directory on a free loopback port, and removes it when the test ends.
package pgtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running cluster.
type Server struct {
	bin, dir, addr string
	proc           *exec.Cmd
	databases      atomic.Int32
}

// Start creates and starts a cluster. If Postgres is not installed, Start skips the test, or fails
// it if SLIPSTICK_REQUIRE_INTEGRATION=1.
func Start(t testing.TB) *Server {
	t.Helper()
	bin := findBin()
	if bin == "" {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			t.Fatal("Postgres is not installed, and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
		}
		t.Skip("SKIPPED: Postgres is not installed (Debian package postgresql)")
	}
	// The user that runs Postgres may lack access to the parents of t.TempDir.
	dir, err := os.MkdirTemp("", "slipstick-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{bin: bin, dir: dir, addr: freeAddr(t)}
	t.Cleanup(func() {
		s.Stop()
		_ = os.RemoveAll(dir)
	})
	if err := changeOwner(dir); err != nil {
		t.Skipf(
			"SKIPPED: Postgres does not run as root, and there is no other user to run it as: %v",
			err)
	}
	out, err := s.command("initdb", "-D", s.data(), "-U", "slipstick", "-A", "trust", "-N",
		"--no-locale", "-E", "UTF8").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.Restart(t)
	return s
}

// findBin returns the directory of the Postgres programs, which Debian does not add to PATH.
func findBin() string {
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			if _, err := os.Stat(filepath.Join(filepath.Dir(real), "initdb")); err == nil {
				return filepath.Dir(real)
			}
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

func freeAddr(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.Env = s.dir, []string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.SysProcAttr = asOther()
	return cmd
}

// Restart restarts a stopped server at the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.addr)
	log := &strings.Builder{}
	s.proc = s.command("postgres", "-D", s.data(), "-p", port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=16MB")
	s.proc.Stdout, s.proc.Stderr = log, log
	if err := s.proc.Start(); err != nil {
		t.Fatal(err)
	}
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(
		20 * time.Millisecond) {
		if err = ping(s.url("postgres")); err == nil {
			return
		}
	}
	s.Stop()
	t.Fatalf("Postgres did not start: %v\n%s", err, log)
}

func ping(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// Stop kills the server as a crash would. Committed data is still there after Restart.
func (s *Server) Stop() {
	if s.proc == nil || s.proc.ProcessState != nil {
		return
	}
	_ = interrupt(s.proc)
	_ = s.proc.Wait()
}

func (s *Server) url(database string) string {
	return "postgres://slipstick@" + s.addr + "/" + database + "?sslmode=disable"
}

// Database creates an empty database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	c, err := pgx.Connect(t.Context(), s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.url(name)
}

// RequirePassword sets a password for the user in the URLs and makes the server require it.
func (s *Server) RequirePassword(t testing.TB, password string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	var set string // statements that set a password accept no parameters
	if err := c.QueryRow(t.Context(), "SELECT format('ALTER ROLE slipstick PASSWORD %L', $1::text)",
		password).Scan(&set); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"),
		[]byte("host all all 127.0.0.1/32 scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ping(s.url("postgres")) ==
		nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Postgres asks for no password")
		}
	}
}
