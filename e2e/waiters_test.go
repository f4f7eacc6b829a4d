package e2e

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/keys/postgres/pgtest"
)

var holdWaiters = flag.Int("waiters", 0, "how many requests to keep waiting at once for heavy jobs, and to print what memory they take; 0 does not")

var waitersProfile = flag.String("waiters-profile", "",
	"file for a profile of the API's heap while it holds them")

// waitersPerJob is the number of waiting requests per simulation. A queue accepts 1000 jobs, so ten
// thousand waiters share them.
const waitersPerJob = 10

// TestWaiters holds many requests that wait for a result while no worker runs, each on its own
// connection. It prints the memory and CPU time of the API, and then starts a worker. Every request
// must get its response.
func TestWaiters(t *testing.T) {
	if *holdWaiters == 0 {
		t.Skip("a measurement: make waiters")
	}
	w := holdRequests(t, *holdWaiters)
	t.Logf("%d waiting requests: %.0f MB resident, %.0f MB before; %.1f kB each; %.2f cores to keep them", *holdWaiters,
		float64(w.held)/1e6, float64(w.idle)/1e6, float64(w.held-w.idle)/1e3/float64(*holdWaiters),
		w.cores)
	t.Logf("%.0f MB on the heap, with what is not collected yet, and %.0f MB of stacks", w.heap/1e6,
		w.stacks/1e6)
	t.Logf("every one was answered; %.0f MB resident afterwards, %.0f MB at most",
		float64(w.after)/1e6, float64(w.peak)/1e6)
}

// heldRequests has the cost of waiting requests.
type heldRequests struct {
	idle, held, after, peak int64 // bytes resident
	heap, stacks            float64
	cores                   float64
}

func holdRequests(t *testing.T, n int) (w heldRequests) {
	t.Helper()
	redis, addr, admin := redisServer(t), freeAddr(t), freeAddr(t)
	api := start(t, "api", "--redis-url", redis, "--addr", addr, "--admin-addr", admin,
		"--database-url", pgtest.Start(t).Database(t),
		"--anonymous-calls", "0", "--jobs-per-caller", strconv.Itoa(n), "--wait", "10m",
		"--log-level", "error")
	waitReady(t, "http://"+addr)
	waitReady(t, "http://"+admin)
	if err := compute("http://"+addr, "fspl", map[string]any{"freq_mhz": 1, "dist_km": 1},
		&struct{}{}); err != nil {
		t.Fatal(err)
	}
	w.idle = resident(t, api, "VmRSS")

	var all sync.WaitGroup
	conns := make([]net.Conn, n)
	opening := make(chan int)
	for range 16 {
		all.Go(func() {
			for i := range opening {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Error(err)
					continue
				}
				conns[i] = c
				job := i / waitersPerJob
				body := fmt.Sprintf(
					`{"netlist":"waiter %d\nV1 in 0 10\nR1 in out 1k\nR2 out 0 %d\n.op\n.end"}`,
					job, 1000+job)
				if _, err := fmt.Fprintf(c, "POST /api/spice_simulate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		if i%250 == 0 { // thousands of simultaneous submissions would time out
			eventually(t, "the requests so far wait", func() bool {
				return submissions(t, admin) == i
			})
		}
		opening <- i
	}
	close(opening)
	all.Wait()
	defer func() {
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	}()
	if t.Failed() {
		t.FailNow()
	}
	eventually(t, "every request waits", func() bool { return submissions(t, admin) == n })
	before := processorTime(t, api)
	const watched = 10 * time.Second // the interval includes some garbage collections and polls
	time.Sleep(watched)
	w.cores = (processorTime(t, api) - before).Seconds() / watched.Seconds()
	w.held = resident(t, api, "VmRSS")
	w.heap, w.stacks = metric(t, admin, "go_memstats_heap_alloc_bytes"),
		metric(t, admin, "go_memstats_stack_inuse_bytes")
	if *waitersProfile != "" {
		saveHeap(t, admin, *waitersProfile)
	}

	start(t, "worker", "--redis-url", redis, "--log-level", "error")
	for i, c := range conns {
		all.Go(func() {
			_ = c.SetReadDeadline(time.Now().Add(3 * time.Minute))
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("waiter %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			var e struct {
				Result simulation
				Detail string // of a problem
			}
			err = json.NewDecoder(resp.Body).Decode(&e)
			r2, out := 1000+float64(i/waitersPerJob), e.Result.Vectors["v(out)"]
			if want := 10 * r2 / (1000 + r2); err != nil || resp.StatusCode != http.StatusOK ||
				len(out) != 1 || math.Abs(out[0]-want) > 1e-6*want {
				t.Errorf("waiter %d: %d %s, v(out) %v (%v), want %g V", i, resp.StatusCode,
					e.Detail, out, err, want)
			}
		})
	}
	all.Wait()
	w.after, w.peak = resident(t, api, "VmRSS"), resident(t, api, "VmHWM")
	return w
}

// saveHeap writes the heap profile of the API to a file for "go tool pprof".
func saveHeap(t *testing.T, admin, path string) {
	t.Helper()
	resp, err := http.Get("http://" + admin + "/debug/pprof/heap?gc=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// submissions returns the number of queued calls that were enqueued or that joined a job.
func submissions(t *testing.T, admin string) int {
	t.Helper()
	return int(metric(t, admin, "slipstick_job_submissions_total"))
}

// metric returns the sum of a metric over its labels, from the admin listener of a process.
func metric(t *testing.T, admin, name string) (total float64) {
	t.Helper()
	resp, err := http.Get("http://" + admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		series, value, _ := strings.Cut(lines.Text(), " ")
		if i := strings.LastIndexByte(lines.Text(), '}'); i >= 0 {
			series, value = lines.Text()[:i], strings.TrimSpace(lines.Text()[i+1:])
		}
		if series != name && !strings.HasPrefix(series, name+"{") {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	return total
}

// resident returns a field of a process's memory in bytes. VmRSS is the current size, VmHWM the
// peak.
func resident(t *testing.T, p *process, field string) int64 {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.Process.Pid), "status"))
	if err != nil {
		t.Skipf("SKIPPED: this system does not tell what memory a process has: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	t.Fatalf("no %s in %s", field, status)
	return 0
}

// processorTime returns the CPU time of a process, user and kernel.
func processorTime(t *testing.T, p *process) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.Process.Pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	// Fields 14 and 15 of proc(5) are in hundredths of a second; the second field, in parentheses,
	// may contain spaces.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
