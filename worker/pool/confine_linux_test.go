package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"slipstick/tools"
	"slipstick/worker/internal/workertest"
)

// attempts has the error of each operation that a confined child attempted, or "" for success.
type attempts struct {
	Env     string   `json:"env" doc:"the environment"`
	Status  string   `json:"status" doc:"/proc/self/status"`
	Names   []string `json:"names" doc:"what was tried"`
	Results []string `json:"results" doc:"and its error"`
	tools.Warnings
}

// confinedCatalog returns tools that attempt forbidden operations. It opens its files before the
// child is confined.
func confinedCatalog() *tools.Catalog {
	env, _ := os.Open("/proc/self/environ")
	status, _ := os.Open("/proc/self/status")
	define := func(name string,
		f func(context.Context, workertest.Input) (attempts, error)) *tools.Tool {
		return tools.Define(tools.Spec{
			Name: name, Title: name, Summary: name, Method: name, Sources: []string{"test"},
			Examples: []tools.Example{{In: "{}"}}, Heavy: &tools.Heavy{Pool: "test",
				Timeout: 20 * time.Second},
		}, f)
	}
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test", Tools: []*tools.Tool{
		define("pry", func(_ context.Context, i workertest.Input) (a attempts, err error) {
			var b [64 << 10]byte
			n, _ := env.ReadAt(b[:], 0)
			a.Env = string(b[:n])
			n, _ = status.ReadAt(b[:], 0)
			a.Status = string(b[:n])
			attempt := func(name string, do func() error) {
				result := ""
				if err := do(); err != nil {
					result = err.Error()
				}
				a.Names, a.Results = append(a.Names, name), append(a.Results, result)
			}
			attempt("read", func() error {
				_, err := os.ReadFile("/proc/self/cmdline")
				return err
			})
			attempt("create", func() error { return os.WriteFile(i.Trace, []byte("x"), 0o600) })
			attempt("mkdir", func() error { return os.Mkdir(i.Trace+".d", 0o700) })
			attempt("remove", func() error { return os.Remove(i.How) })
			attempt("dial", func() error {
				_, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
				return err
			})
			attempt("listen", func() error {
				_, err := net.Listen("tcp", "127.0.0.1:0")
				return err
			})
			attempt("socket", func() error {
				_, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
				return err
			})
			attempt("run", func() error { return exec.Command("/bin/true").Run() })
			attempt("exec", func() error {
				return syscall.Exec("/bin/true", []string{"true"}, nil)
			})
			return a, nil
		}),
		// Timers, threads and memory remain available.
		define("tick", func(ctx context.Context, i workertest.Input) (attempts, error) {
			done := make(chan bool)
			for range 20 {
				go func() {
					time.Sleep(10 * time.Millisecond)
					_ = make([]byte, 1<<20)
					done <- true
				}()
			}
			for range 20 {
				<-done
			}
			<-ctx.Done()
			return attempts{}, ctx.Err()
		}),
	}}}, nil)
	if err != nil {
		panic(err)
	}
	return c
}

// TestChildIsConfined verifies that a child has none of the worker's secrets, cannot open or create
// files, and gets no new privileges. It also verifies that the child still computes and observes
// its time limit.
func TestChildIsConfined(t *testing.T) {
	t.Setenv("SLIPSTICK_JWT_SECRET", "hush-hush")
	t.Setenv("GOTRACEBACK", "single") // the runtime's own variables are inherited
	var lines []string
	log := workertest.CaptureLog(&lines)
	c := New(Options{Command: []string{os.Args[0], "confined-child"}, MaxResult: 1 << 20, Log: log})
	defer c.Close()
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	created := filepath.Join(dir, "created")
	ctx, done := context.WithTimeout(context.Background(), testTimeout)
	defer done()
	o, err := c.Run(ctx, Call{"pry", fmt.Appendf(nil, `{"trace": %q, "how": %q}`, created, victim)},
		func(tools.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	var a attempts
	if err := json.Unmarshal(o.Result, &a); err != nil {
		t.Fatal(err, o)
	}
	if strings.Contains(a.Env, "hush") || !strings.Contains(a.Env, "GOTRACEBACK=single") ||
		strings.Contains(a.Env, "PATH=") {
		t.Errorf("environment %q", a.Env)
	}
	if !strings.Contains(a.Status, "NoNewPrivs:\t1") {
		t.Errorf("status:\n%s", a.Status)
	}
	version, _ := llsys.LandlockGetABIVersion()
	for i, name := range a.Names {
		// These operations need no descriptor, so only Landlock denies them.
		needsLandlock := slices.Contains([]string{"mkdir", "remove", "exec"}, name)
		if a.Results[i] == "" && (version > 0 || !needsLandlock) {
			t.Errorf("%s succeeds", name)
		}
		t.Logf("%s: %s", name, a.Results[i])
	}
	if entries, err := os.ReadDir(dir); err != nil || version > 0 && len(entries) != 1 {
		t.Errorf("files %v, %v", entries, err)
	}
	if len(lines) == 0 || !strings.Contains(strings.Join(lines, "\n"), "no_new_privs") {
		t.Errorf("log: %q", lines)
	}
	limited, end := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer end()
	if _, err := c.Run(limited, Call{"tick", []byte("{}")},
		func(tools.Progress) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}
	if n := len(lines); n != 1 && version > 0 {
		t.Errorf("the protections are logged %d times: %q", n, lines)
	}
}

// BenchmarkChildStart measures the time from the start of a child to its first response.
func BenchmarkChildStart(b *testing.B) {
	for _, how := range []string{"child", "confined-child"} {
		b.Run(how, func(b *testing.B) {
			for b.Loop() {
				c := New(Options{Command: []string{os.Args[0], how}, MaxResult: 1 << 20,
					Log: workertest.Log(b)})
				tool := map[string]string{"child": "noop", "confined-child": "pry"}[how]
				if _, err := c.Run(b.Context(), Call{tool, []byte("{}")},
					func(tools.Progress) {}); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
}
