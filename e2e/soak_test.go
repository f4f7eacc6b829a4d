package e2e

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"slipstick/keys/postgres/pgtest"
)

var soakFor = flag.Duration("soak", 0,
	"how long to load a deployment and break its parts; 0 does not")

// TestSoak loads a deployment of several processes on a real Redis and Postgres with a mix of
// calls, and breaks one part after another. It compares every response with the result of the tool
// in this process, and the usage of every key with its responses.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("a load test of minutes: make soak")
	}
	s := newSoak(t)
	before := s.memory(t)
	ctx, stop := context.WithTimeout(t.Context(), *soakFor)
	defer stop()
	var load sync.WaitGroup
	for _, c := range s.customers {
		load.Go(func() { c.run(ctx) })
	}
	for _, f := range faults() {
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(s.began.Add(time.Duration(f.at * float64(*soakFor))))):
			t.Logf("%6.1f s  %s", time.Since(s.began).Seconds(), f.name)
			f.inject(t, s)
		}
	}
	load.Wait()
	s.report(t, before, s.after)
}

// soak is a deployment under load.
type soak struct {
	began     time.Time
	redisAt   string
	redisDir  string
	redis     *process
	postgres  *pgtest.Server
	database  string
	apis      [2]string // addresses
	tally     tally
	customers []*customer
	after     map[string]int64 // memory after the faults, before the processes are replaced

	mu      sync.Mutex
	api     [2]*process
	worker  [2]*process
	outages []outage
}

// outage is an interval during which statuses of 500 and above are expected, with its cause.
type outage struct {
	from, to time.Time // zero until the outage ends
	why      string
}

// afterwards is the time for which consequences of an outage are expected. Connections are retried
// after up to 1 s, and jobs in flight are recovered after 8 s.
const afterwards = 12 * time.Second

func newSoak(t *testing.T) *soak {
	s := &soak{redisAt: freeAddr(t), redisDir: t.TempDir(), postgres: pgtest.Start(t)}
	s.database = s.postgres.Database(t)
	s.startRedis(t)
	for i := range s.apis {
		s.apis[i] = freeAddr(t)
		s.startAPI(t, i)
		s.startWorker(t, i)
	}
	for _, a := range s.apis {
		waitReady(t, "http://"+a)
	}
	expected := newExpectations(t)
	for i := range 16 {
		key := ""
		if i > 0 { // the first has no key and may make 200 calls
			key = newKey(t, "http://"+s.apis[i%2], paidToken(t, fmt.Sprintf("customer %d", i))).Key
		}
		s.customers = append(s.customers, newCustomer(i, key, s, expected))
	}
	s.began = time.Now()
	return s
}

func (s *soak) startRedis(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.redisAt)
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("SKIPPED: redis-server is not installed (Debian package redis-server)")
	}
	s.redis = startCommand(t, exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1",
		"--save", "",
		"--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction",
		"--dir", s.redisDir))
	eventually(t, "redis listens", func() bool {
		c, err := net.Dial("tcp", s.redisAt)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (s *soak) startAPI(t *testing.T, i int) {
	p := start(t, "api", "--redis-url", "redis://"+s.redisAt, "--database-url", s.database,
		"--addr", s.apis[i], "--jwt-secret", jwtSecret, "--drain-delay", "3s",
		"--log-level", "error")
	s.mu.Lock()
	s.api[i] = p
	s.mu.Unlock()
}

func (s *soak) startWorker(t *testing.T, i int) {
	p := start(t, "worker", "--redis-url", "redis://"+s.redisAt, "--concurrency", "1",
		"--log-level", "error")
	s.mu.Lock()
	s.worker[i] = p
	s.mu.Unlock()
}

// during runs a fault as an outage.
func (s *soak) during(why string, fault func()) {
	s.mu.Lock()
	s.outages = append(s.outages, outage{from: time.Now(), why: why})
	n := len(s.outages) - 1
	s.mu.Unlock()
	fault()
	s.mu.Lock()
	s.outages[n].to = time.Now()
	s.mu.Unlock()
}

// excuse returns the outage that explains an error between two times, or "" if there is none.
func (s *soak) excuse(from, to time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range slices.Backward(s.outages) {
		if to.After(o.from) && (o.to.IsZero() || from.Before(o.to.Add(afterwards))) {
			return o.why
		}
	}
	return ""
}

// fault breaks a part at a fraction of the duration.
type fault struct {
	at     float64
	name   string
	inject func(*testing.T, *soak)
}

func faults() []fault {
	return []fault{
		{0.08, "a worker is killed", func(t *testing.T, s *soak) {
			kill(s.worker[0])
			time.Sleep(time.Second)
			s.startWorker(t, 0)
		}},
		{0.18, "an API is killed", func(t *testing.T, s *soak) {
			s.during("api killed", func() {
				kill(s.api[0])
				time.Sleep(time.Second)
				s.startAPI(t, 0)
				waitReady(t, "http://"+s.apis[0])
			})
		}},
		{0.30, "Redis restarts", func(t *testing.T, s *soak) {
			s.during("redis restart", func() {
				end(t, s.redis)
				time.Sleep(2 * time.Second)
				s.startRedis(t)
			})
		}},
		{0.48, "Postgres stops for a twelfth of the time", func(t *testing.T, s *soak) {
			s.postgres.Stop()
			time.Sleep(*soakFor / 12)
			s.postgres.Restart(t)
		}},
		{0.60, "Redis does not respond for a second and a half", func(t *testing.T, s *soak) {
			s.during("redis pause", func() {
				pauseRedis(t, s.redisAt, 1500*time.Millisecond)
				time.Sleep(1500 * time.Millisecond)
			})
		}},
		{0.65, "the clock of Redis leaps forward, twenty times", func(t *testing.T, s *soak) {
			gone := 0
			// Results, heartbeats and locks are short-lived, so each leap affects other keys.
			for range 20 {
				gone += leapClock(t, s.redisAt)
				time.Sleep(200 * time.Millisecond)
			}
			if t.Logf("          %d keys expired before their time", gone); gone == 0 {
				t.Error("nothing expired")
			}
		}},
		{0.72, "a customer sends more jobs than anybody may have", func(t *testing.T, s *soak) {
			s.flood(t)
		}},
		{0.80, "forty clients vanish while they wait", func(_ *testing.T, s *soak) { s.vanish() }},
		{0.86, "everything is replaced, one process after the other", func(t *testing.T, s *soak) {
			s.after = s.memory(t)
			for i := range s.apis {
				end(t, s.api[i])
				s.startAPI(t, i)
				waitReady(t, "http://"+s.apis[i])
			}
			for i := range s.worker {
				end(t, s.worker[i])
				s.startWorker(t, i)
			}
		}},
	}
}

func kill(p *process) {
	_ = p.Process.Kill()
	<-p.ended
}

// end stops a process as an operator does, and verifies that it exits.
func end(t *testing.T, p *process) {
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(45 * time.Second):
		t.Errorf("%v did not end within 45 s of SIGTERM", p.Args)
		kill(p)
	}
}

// pauseRedis makes Redis unresponsive for a duration.
func pauseRedis(t *testing.T, addr string, d time.Duration) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "CLIENT PAUSE %d ALL\r\n", d.Milliseconds()); err != nil {
		t.Error(err)
	}
}

// flood sends a hundred jobs at once with one key. Each must be accepted, or rejected with
// Retry-After. The load meanwhile verifies that no other key is affected.
func (s *soak) flood(t *testing.T) {
	key := newKey(t, "http://"+s.apis[0], paidToken(t, "the flood")).Key
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		refused int
	)
	for i := range 100 {
		wg.Go(func() {
			status, header, _, err := post(context.Background(), "http://"+s.apis[i%2],
				"spice_simulate", slowNetlist(fmt.Sprint("flood ", i)), "X-Api-Key", key, "Prefer",
				"respond-async")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				t.Errorf("flood: %v", err)
			case (status == http.StatusTooManyRequests ||
				status == http.StatusServiceUnavailable) && header.Get("Retry-After") != "":
				refused++
			case status != http.StatusAccepted && status != http.StatusOK:
				t.Errorf("flood: status %d", status)
			case status == http.StatusAccepted:
				// The jobs are cancelled, because the load continues and no client reads their
				// results.
				wg.Go(func() {
					req, _ := http.NewRequest(http.MethodDelete,
						"http://"+s.apis[i%2]+header.Get("Location"), nil)
					req.Header.Set("X-Api-Key", key)
					if resp, err := http.DefaultClient.Do(req); err == nil {
						resp.Body.Close()
					}
				})
			}
		})
	}
	wg.Wait()
	t.Logf("          %d of 100 jobs were refused with a time to come back", refused)
}

// vanish starts long simulations whose clients disconnect.
func (s *soak) vanish() {
	var wg sync.WaitGroup
	key := s.customers[1].key
	for i := range 40 {
		wg.Go(func() {
			ctx, leave := context.WithTimeout(context.Background(),
				time.Duration(20+10*i)*time.Millisecond)
			defer leave()
			status, _, _, err := post(ctx, "http://"+s.apis[i%2], "spice_simulate",
				slowNetlist(fmt.Sprint("vanish ", i)), "X-Api-Key", key)
			// A client that disconnects does not know whether the call was counted.
			s.customers[1].uncertain.Add(1)
			_, _ = status, err
		})
	}
	wg.Wait()
}

// memory returns the memory in bytes of the processes that no fault kills, by name.
func (s *soak) memory(t *testing.T) map[string]int64 {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]int64{"api 1": resident(t, s.api[1], "VmRSS"),
		"worker 1": resident(t, s.worker[1], "VmRSS")}
}
