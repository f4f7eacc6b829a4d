package e2e

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/postgres/pgtest"
)

const pathLoss = `{"freq_mhz":915,"dist_km":5}`

// startAPI starts an API process and returns it with its address.
func startAPI(t *testing.T, redis, database string, more ...string) (*process, string) {
	t.Helper()
	addr := freeAddr(t)
	p := start(t, append([]string{"api", "--redis-url", redis, "--database-url", database, "--addr",
		addr, "--jwt-secret", jwtSecret, "--log-level", "warn"}, more...)...)
	waitReady(t, "http://"+addr)
	return p, "http://" + addr
}

// caller is a client with its own connections.
type caller struct{ http.Client }

func newCaller(t *testing.T, connections int) *caller {
	tr := &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}
	t.Cleanup(tr.CloseIdleConnections)
	return &caller{http.Client{Transport: tr, Timeout: time.Minute}}
}

// call calls fspl with an optional key and returns the status and header of the response.
func (c *caller) call(base, body, key string) (status int, header http.Header, err error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, base+"/api/fspl",
		strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("X-Api-Key", key)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, nil, err
	}
	return resp.StatusCode, resp.Header, nil
}

// TestExactly200 verifies that three API processes on one Redis accept exactly 200 of 5,000
// concurrent calls of one address without a key. It also verifies that they accept exactly 5,000
// calls with a free key, and all calls with a paid key.
func TestExactly200(t *testing.T) {
	t.Parallel()
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	var bases []string
	for range 3 {
		_, base := startAPI(t, redis, database)
		bases = append(bases, base)
	}
	client := newCaller(t, 300)
	flood := func(calls int, key string) (admitted, refused int64) {
		var ok, limited atomic.Int64
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				body := pathLoss
				if i%5 == 0 {
					body = `{"freq_mhz":-1}` // counts too
				}
				status, header, err := client.call(bases[i%3], body, key)
				switch {
				case err == nil && (status == 200 || status == 400):
					ok.Add(1)
				case err == nil && status == 429 && header.Get("Retry-After") != "" &&
					strings.HasPrefix(header.Get("RateLimit"), `"day";r=0;`):
					limited.Add(1)
				default:
					t.Errorf("%d %v %v", status, header, err)
				}
			})
		}
		all.Wait()
		return ok.Load(), limited.Load()
	}
	if admitted, refused := flood(5000, ""); admitted != 200 || refused != 4800 {
		t.Errorf("admitted %d, refused %d of 5000 anonymous calls", admitted, refused)
	}
	key := newKey(t, bases[0], "").Key
	if admitted, refused := flood(5600, key); admitted != 5000 || refused != 600 {
		t.Errorf("admitted %d, refused %d of a free key's 5600 calls", admitted, refused)
	}
	if admitted, _ := flood(3000, newKey(t, bases[0], paidToken(t, "ann")).Key); admitted != 3000 {
		t.Errorf("admitted %d of a paid key's 3000 calls", admitted)
	}
}

// TestIssuanceOverProcesses verifies that an address gets five free keys per hour, over all
// processes.
func TestIssuanceOverProcesses(t *testing.T) {
	t.Parallel()
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	_, a := startAPI(t, redis, database)
	_, b := startAPI(t, redis, database)
	var issued, refused atomic.Int64
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			switch a := send(t, "POST", []string{a, b}[i%2]+"/api/keys", ""); a.status {
			case 201:
				issued.Add(1)
			case 429:
				refused.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	all.Wait()
	if issued.Load() != 5 || refused.Load() != 35 {
		t.Errorf("%d issued, %d refused", issued.Load(), refused.Load())
	}
}

// load calls one API with one key without pause until it is stopped. It counts the responses, and
// the calls without a response.
type load struct {
	key                  issued
	answered, unanswered atomic.Int64
	stop                 chan struct{}
	ended                sync.WaitGroup
}

func startLoad(t *testing.T, base string, key issued, lanes int) *load {
	l := &load{key: key, stop: make(chan struct{})}
	client := newCaller(t, lanes)
	for range lanes {
		l.ended.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				status, _, err := client.call(base, pathLoss, key.Key)
				switch {
				case err != nil:
					l.unanswered.Add(1)
					return // the process has ended
				case status == 200:
					l.answered.Add(1)
				default:
					t.Errorf("status %d", status)
					return
				}
			}
		})
	}
	return l
}

func (l *load) end() {
	close(l.stop)
	l.ended.Wait()
}

// counted returns a key's request_count from the service, or -1 if the service does not list the
// key.
func counted(t *testing.T, base, jwt, key string) (n int64) {
	t.Helper()
	var list struct {
		Keys []struct {
			Prefix string  `json:"key_prefix"`
			Count  int64   `json:"request_count"`
			Last   *string `json:"last_used_at"`
		}
	}
	a := send(t, "GET", base+"/api/keys", "", asBearer(jwt)...)
	if a.status != 200 {
		return -1
	}
	a.read(t, &list)
	for _, k := range list.Keys {
		if strings.HasPrefix(key, k.Prefix) {
			if k.Count > 0 && k.Last == nil {
				t.Error("used, but last_used_at is null")
			}
			return k.Count
		}
	}
	return -1
}

// TestMetering verifies that usage records are exact while two API processes are under load, one is
// killed, and then Postgres stops for a while. It verifies that every answered call is counted
// once. Calls without a response may be counted or not.
func TestMetering(t *testing.T) {
	t.Parallel()
	outage := 3 * time.Second
	if os.Getenv("SLIPSTICK_LONG_OUTAGE") == "1" {
		outage = 30 * time.Second
	}
	redis, pg := redisServer(t), pgtest.Start(t)
	database := pg.Database(t)
	_, survivor := startAPI(t, redis, database)
	victim, doomed := startAPI(t, redis, database)
	jwt := paidToken(t, "ann")
	const lanes = 8
	stays := startLoad(t, survivor, newKey(t, survivor, jwt), lanes)
	dies := startLoad(t, doomed, newKey(t, survivor, jwt), lanes)
	moves := newKey(t, survivor, jwt) // both processes use one key
	moves1, moves2 := startLoad(t, survivor, moves, 2), startLoad(t, doomed, moves, 2)

	time.Sleep(1500 * time.Millisecond) // several batches of usage records are exported meanwhile
	_ = victim.Process.Kill()
	<-victim.ended
	dies.end()
	moves2.end()
	pg.Stop()
	time.Sleep(outage)
	pg.Restart(t)
	time.Sleep(time.Second)
	stays.end()
	moves1.end()

	if stays.unanswered.Load() != 0 || moves1.unanswered.Load() != 0 {
		t.Error("the API that was left alone did not respond to all calls")
	}
	used := []struct {
		name, key            string
		answered, unanswered int64
	}{
		{"the key of the API that stays", stays.key.Key, stays.answered.Load(), 0},
		{"the key of the API that was killed", dies.key.Key, dies.answered.Load(),
			dies.unanswered.Load()},
		{"the key used on both", moves.Key, moves1.answered.Load() + moves2.answered.Load(),
			moves2.unanswered.Load()},
	}
	for _, u := range used {
		if u.answered < 100 {
			t.Errorf("%s: only %d calls were answered", u.name, u.answered)
		}
		eventually(t, u.name+" is counted", func() bool {
			return counted(t, survivor, jwt, u.key) >= u.answered
		})
	}
	time.Sleep(2500 * time.Millisecond) // a double count would appear by now
	for _, u := range used {
		n := counted(t, survivor, jwt, u.key)
		if n < u.answered || n > u.answered+u.unanswered {
			t.Errorf("%s: %d calls are counted, %d were answered and %d left without a response",
				u.name, n, u.answered, u.unanswered)
		}
		t.Logf("%s: %d answered, %d unanswered, %d counted", u.name, u.answered, u.unanswered, n)
	}
}

// TestMeteringEmbedded verifies that a killed "slipstick serve" loses no answered call, and that a
// restart does not reset the daily quota.
func TestMeteringEmbedded(t *testing.T) {
	t.Parallel()
	data, addr := t.TempDir(), freeAddr(t)
	base := "http://" + addr
	args := []string{"serve", "--addr", addr, "--data", data, "--jwt-secret", jwtSecret,
		"--log-level", "warn"}
	p := start(t, args...)
	waitReady(t, base)
	jwt := paidToken(t, "ann")
	l := startLoad(t, base, newKey(t, base, jwt), 8)
	client := newCaller(t, 1)
	for range 150 {
		if status, _, err := client.call(base, pathLoss, ""); err != nil || status != 200 {
			t.Fatal(status, err)
		}
	}
	time.Sleep(1500 * time.Millisecond)
	_ = p.Process.Kill()
	<-p.ended
	l.end()

	start(t, args...)
	waitReady(t, base)
	eventually(t, "what was answered before the kill is counted", func() bool {
		return counted(t, base, jwt, l.key.Key) >= l.answered.Load()
	})
	time.Sleep(1500 * time.Millisecond)
	if n := counted(t, base, jwt, l.key.Key); n > l.answered.Load()+l.unanswered.Load() {
		t.Errorf("%d calls are counted, %d were answered and %d not", n, l.answered.Load(),
			l.unanswered.Load())
	}
	status, header, err := client.call(base, pathLoss, "")
	if err != nil || status != 200 || !strings.HasPrefix(header.Get("RateLimit"), `"day";r=49;`) {
		t.Errorf("after the restart: %d %q %v", status, header.Get("RateLimit"), err)
	}
}

// TestCountWithinSeconds verifies that request_count and last_used_at are updated within a few
// seconds, and that the usage names the tools.
func TestCountWithinSeconds(t *testing.T) {
	addr := freeAddr(t)
	base := "http://" + addr
	start(t, "serve", "--addr", addr, "--data", ":memory:", "--jwt-secret", jwtSecret)
	waitReady(t, base)
	jwt := paidToken(t, "ann")
	key := newKey(t, base, jwt).Key
	for _, body := range []string{pathLoss, pathLoss, `{"freq_mhz":-1}`} {
		send(t, "POST", base+"/api/fspl", body, "X-Api-Key", key)
	}
	began := time.Now()
	eventually(t, "three calls are counted", func() bool { return counted(t, base, jwt, key) == 3 })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("after %s", took)
	}
	a := send(t, "GET", base+"/api/keys/"+key[:keys.PrefixLength]+"/usage", "", asBearer(jwt)...)
	if a.status != 200 || !strings.Contains(a.body, "fspl") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestWithoutRedis verifies that without Redis, synchronous tools work within their limits. It also
// verifies that the usage is counted after Redis has returned.
func TestWithoutRedis(t *testing.T) {
	t.Parallel()
	at := freeAddr(t)
	redis := startRedis(t, at)
	_, base := startAPI(t, "redis://"+at, pgtest.Start(t).Database(t))
	jwt := paidToken(t, "ann")
	key := newKey(t, base, jwt).Key
	client := newCaller(t, 4)
	const before, meanwhile, after = 50, 300, 50
	many := func(n int) {
		t.Helper()
		for range n {
			if status, _, err := client.call(base, pathLoss, key); err != nil || status != 200 {
				t.Fatal(status, err)
			}
		}
	}
	many(before)
	eventually(t, "the calls before are stored", func() bool {
		return counted(t, base, jwt, key) == before
	})
	_ = redis.Process.Kill()
	<-redis.ended
	many(meanwhile)
	admitted := 0
	for range 250 {
		status, _, err := client.call(base, pathLoss, "")
		if err != nil || status != 200 && status != 429 {
			t.Fatal(status, err)
		}
		if status == 200 {
			admitted++
		}
	}
	if admitted != 200 {
		t.Errorf("one process without Redis admitted %d anonymous calls", admitted)
	}
	if a := send(t, "POST", base+"/api/keys", ""); a.status != 503 {
		t.Errorf("a free key without a limit to count it by: %d %s", a.status, a.body)
	}
	startRedis(t, at)
	many(after)
	eventually(t, "all calls are counted", func() bool {
		return counted(t, base, jwt, key) == before+meanwhile+after
	})
	eventually(t, "the day is known to Redis", func() bool {
		status, _, err := client.call(base, pathLoss, "")
		return err == nil && status == 429
	})
	if status, _, err := client.call(base, pathLoss, key); err != nil || status != 200 {
		t.Error(status, err)
	}
}
