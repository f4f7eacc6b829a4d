package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/ratelimit"
	"slipstick/worker"
)

// fakeQuota allows a fixed number of calls, and accepts the keys "good" (free) and "paid" only.
type fakeQuota struct {
	mu        sync.Mutex
	limit     int
	used      int
	callers   []keys.Caller
	committed []string
	commitErr error
}

func (g *fakeQuota) Reserve(_ context.Context, caller keys.Caller,
	calls int) (*keys.Reservation, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.callers = append(g.callers, caller)
	p := &keys.Reservation{Tier: keys.Anonymous,
		QuotaKey: "address:" + keys.PrefixKey(caller.Address), Commit: g.commit}
	switch caller.Key {
	case "", "good":
	case "paid":
		p.Tier, p.QuotaKey = keys.Agent, "key:paid"
		return p, nil
	default:
		return nil, &keys.InvalidKeyError{Reason: "the API key is not known"}
	}
	if caller.Key == "good" {
		p.Tier, p.QuotaKey = keys.Free, "key:good"
	}
	p.Allowance = keys.Allowance{Limit: g.limit, Remaining: g.limit - g.used,
		Window: 24 * time.Hour, Reset: testTime.Add(90 * time.Minute)}
	if g.used+calls > g.limit {
		return nil, &keys.LimitError{Policy: "day", Allowance: p.Allowance,
			RetryAfter: 90 * time.Minute, Reason: "your address has used its calls of today"}
	}
	g.used += calls
	p.Allowance.Remaining -= calls
	return p, nil
}

// Run executes the call before it counts the call, as quota.Limiter may do.
func (g *fakeQuota) Run(ctx context.Context, caller keys.Caller, tool string,
	call keys.CallFunc) (keys.CallResult, error) {
	if caller.Key != "" && caller.Key != "good" && caller.Key != "paid" {
		_, err := g.Reserve(ctx, caller, 1)
		return keys.CallResult{}, err
	}
	outcome, took := call(ctx)
	return keys.ReserveAndRun(ctx, g.Reserve, caller, tool,
		func(context.Context) (keys.Outcome, time.Duration) {
			return outcome, took
		})
}

func (g *fakeQuota) DailyLimit(t keys.Tier) int {
	if t.Paid() {
		return 0
	}
	return g.limit
}

func (g *fakeQuota) commit(_ context.Context, tool string, o keys.Outcome, _ time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.committed = append(g.committed, tool+" "+string(o))
	if o == keys.ServerError {
		g.used--
	}
	return g.commitErr
}

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

// TestWhatCounts compares the number of calls that each response costs, and its headers, with the
// table in docs/limits.md.
func TestWhatCounts(t *testing.T) {
	q := newFakeQueue()
	q.set(worker.Done, doneOutcome)
	full := newFakeQueue()
	full.submitErr = &worker.BusyError{RetryAfter: 2 * time.Second, Reason: "the queue is full"}
	rejected := newFakeQueue()
	rejected.set(worker.Rejected, worker.Outcome{})
	late := newFakeQueue()
	late.set(worker.Failed, worker.Outcome{Cause: worker.TimedOut})
	running := newFakeQueue()
	json := "Content-Type: application/json"
	for _, c := range []struct {
		name               string
		queue              worker.Queue
		method, path, body string
		headers            []string
		status, calls      int
		metered            bool
	}{
		{"computed", nil, "POST", "/api/fspl", `{"freq_mhz":1,"dist_km":1}`, []string{json},
			200, 1, true},
		{"invalid input", nil, "POST", "/api/fspl", `{"freq_mhz":-1}`, []string{json},
			400, 1, true},
		{"not JSON", nil, "POST", "/api/fspl", `{`, []string{json}, 400, 1, true},
		{"a wrong media type", nil, "POST", "/api/fspl", `x`, []string{"Content-Type: text/plain"},
			415, 1, true},
		{"a defect of the service", nil, "POST", "/api/faulty", `{"numbers":[1]}`, []string{json},
			500, 0, true},
		{"a queued tool, done", q, "POST", "/api/slow_sum", `{"numbers":[1]}`, []string{json},
			200, 1, true},
		{"a queued tool, rejected by the engine", rejected, "POST", "/api/slow_sum", `{"numbers":[1]}`,
			[]string{json}, 400, 1, true},
		{"a queued tool, accepted", running, "POST", "/api/slow_sum", `{"numbers":[1]}`,
			[]string{json, "Prefer: respond-async"}, 202, 1, true},
		{"a queued tool, out of time", late, "POST", "/api/slow_sum", `{"numbers":[1]}`,
			[]string{json}, 504, 0, true},
		{"the queue is full", full, "POST", "/api/slow_sum", `{"numbers":[1]}`, []string{json},
			503, 0, true},
		{"no such tool", nil, "POST", "/api/fslp", `{}`, []string{json}, 404, 0, false},
		{"too large a body", nil, "POST", "/api/fspl", strings.Repeat(" ", 2<<20), []string{json},
			413, 0, false},
		{"catalog", nil, "GET", "/api", "", nil, 200, 0, false},
		{"a tool's metadata", nil, "GET", "/api/fspl", "", nil, 200, 0, false},
		{"docs", nil, "GET", "/api/docs", "", nil, 200, 0, false},
		{"health", nil, "GET", "/healthz", "", nil, 200, 0, false},
		{"front page", nil, "GET", "/", "", nil, 200, 0, false},
		{"a job", q, "GET", "/api/jobs/" + testJob, "", nil, 200, 0, false},
		{"problems", nil, "GET", "/problems", "", nil, 200, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &fakeQuota{limit: 200, used: 50}
			s := start(t, Options{Quota: g, Queue: c.queue, Now: at(testTime)})
			r := s.call(t, c.method, c.path, c.body, c.headers...)
			if r.status != c.status {
				t.Fatalf("%d %s", r.status, r.body)
			}
			if g.used != 50+c.calls {
				t.Errorf("%d calls counted, want %d", g.used-50, c.calls)
			}
			policy, left := "", ""
			if c.metered {
				policy, left = `"day";q=200;w=86400`, fmt.Sprintf(`"day";r=%d;t=5400`, 150-c.calls)
			}
			if got := r.header.Get("RateLimit-Policy"); got != policy {
				t.Errorf("RateLimit-Policy %q, want %q", got, policy)
			}
			if got := r.header.Get("RateLimit"); got != left {
				t.Errorf("RateLimit %q, want %q", got, left)
			}
		})
	}
}

// TestLimitReached verifies that the detail of a 429 response names the exhausted limit and its
// headers contain the limit and its reset time. It also verifies that a rejected call is not
// counted.
func TestLimitReached(t *testing.T) {
	g := &fakeQuota{limit: 1}
	s := start(t, Options{Quota: g, Now: at(testTime)})
	s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`)
	r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`, "Origin: https://example.org")
	p := checkProblem(t, r, 429, "limit-reached")
	if !strings.Contains(p.Detail, "used its calls of today") ||
		r.header.Get("Retry-After") != "5400" ||
		r.header.Get("RateLimit") != `"day";r=0;t=5400` ||
		r.header.Get("RateLimit-Policy") != `"day";q=1;w=86400` {
		t.Errorf("%v %s", r.header, r.body)
	}
	if e := r.header.Get("Access-Control-Expose-Headers"); !strings.Contains(e,
		"RateLimit, RateLimit-Policy") || !strings.Contains(e, "Retry-After") {
		t.Errorf("a page of another origin may read only %q", e)
	}
	if len(g.committed) != 1 {
		t.Errorf("a rejected call was committed: %v", g.committed)
	}
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`, "X-Api-Key: paid"); r.status !=
		200 || r.header.Get("RateLimit") != "" {
		t.Errorf("a paid key: %d %v", r.status, r.header)
	}
}

// TestUncounted verifies that the result of a call that could not be counted is withheld.
func TestUncounted(t *testing.T) {
	s := start(t, Options{Quota: &fakeQuota{limit: 9, commitErr: errors.New("the counters are full")}})
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`); r.status < 500 ||
		strings.Contains(r.body, "fspl_db") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// behind starts a server that trusts its loopback peers as proxies.
func behind(t *testing.T, o Options) *running {
	o.Proxies = networks(t, "127.0.0.0/8")
	return start(t, o)
}

func client(address string) string { return "X-Forwarded-For: " + address }

// TestForgedAddress verifies that entries of X-Forwarded-For that the client writes do not change
// its address.
func TestForgedAddress(t *testing.T) {
	for _, c := range []struct {
		proxies, header, want string
	}{
		{"", "198.51.100.1", "127.0.0.1"},
		{"127.0.0.0/8", "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		{"10.0.0.0/8", "198.51.100.1", "127.0.0.1"},
	} {
		g, o := &fakeQuota{limit: 9}, Options{}
		o.Quota = g
		if c.proxies != "" {
			o.Proxies = networks(t, c.proxies)
		}
		s := start(t, o)
		s.post(t, "/api/fspl", `{}`, client(c.header), "X-Real-Ip: 198.51.100.2",
			"Forwarded: for=198.51.100.3", "Cf-Connecting-Ip: 198.51.100.4")
		if got := g.callers[0].Address.String(); got != c.want {
			t.Errorf("proxies %q, header %q: %s, want %s", c.proxies, c.header, got, c.want)
		}
	}
}

// TestBurst verifies that an address above its rate limit is rejected on every route without being
// counted. It also verifies that other addresses, loopback addresses and paid keys are not limited.
func TestBurst(t *testing.T) {
	g := &fakeQuota{limit: 1000}
	s := behind(t, Options{Quota: g, Now: at(testTime),
		Bursts: Bursts{Any: ratelimit.Rate{PerSecond: 2, Size: 4}}})
	for _, path := range []string{"/", "/healthz", "/api", "/nowhere"} {
		if r := s.call(t, "GET", path, "", client("203.0.113.9")); r.status == 429 {
			t.Fatalf("%s: %s", path, r.body)
		}
	}
	for _, path := range []string{"/", "/healthz", "/api", "/api/docs", "/nowhere", "/ui/token"} {
		r := s.call(t, "GET", path, "", client("203.0.113.9"))
		checkProblem(t, r, 429, "limit-reached")
		if r.header.Get("Retry-After") != "1" ||
			r.header.Get("RateLimit-Policy") != `"burst";q=4;w=2` ||
			r.header.Get("RateLimit") != `"burst";r=0;t=1` {
			t.Errorf("%s: %v", path, r.header)
		}
	}
	checkProblem(t, s.post(t, "/api/fspl", `{}`, client("203.0.113.9")), 429, "limit-reached")
	if g.used != 0 {
		t.Errorf("%d calls counted", g.used)
	}
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`,
		client("203.0.113.10")); r.status != 200 {
		t.Errorf("somebody else: %d", r.status)
	}
	for range 20 {
		if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`); r.status != 200 {
			t.Fatalf("from the same machine: %d", r.status)
		}
		if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`, client("203.0.113.11"),
			"X-Api-Key: paid"); r.status != 200 {
			t.Fatalf("with a paid key: %d", r.status)
		}
	}
}

// TestQueuedBurst verifies that queued tools have a separate rate limit, from which paid keys are
// exempt.
func TestQueuedBurst(t *testing.T) {
	q := newFakeQueue()
	q.set(worker.Done, doneOutcome)
	g := &fakeQuota{limit: 1000}
	s := behind(t, Options{Quota: g, Queue: q, Now: at(testTime),
		Bursts: Bursts{Queued: ratelimit.Rate{PerSecond: 1, Size: 3}}})
	submit := func(headers ...string) *reply {
		return s.post(t, "/api/slow_sum", `{"numbers":[1]}`,
			append(headers, client("203.0.113.9"))...)
	}
	for range 3 {
		if r := submit(); r.status != 200 {
			t.Fatal(r.status, r.body)
		}
	}
	used := g.used
	checkProblem(t, submit(), 429, "limit-reached")
	checkProblem(t, submit("X-Api-Key: good"), 429, "limit-reached")
	if g.used != used {
		t.Error("a rejected call was counted")
	}
	for range 10 {
		if r := submit("X-Api-Key: paid"); r.status != 200 {
			t.Errorf("with a paid key: %d", r.status)
		}
	}
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`,
		client("203.0.113.9")); r.status != 200 {
		t.Errorf("a cheap tool: %d", r.status)
	}
}

// TestCancelIsForCallers verifies that the id of a job does not suffice to cancel it, and that one
// of several callers cancels it only for itself.
func TestCancelIsForCallers(t *testing.T) {
	g := &fakeQuota{limit: 1000}
	first, joined := []string{client("203.0.113.9")}, []string{client("203.0.113.66"),
		"X-Api-Key: paid"}
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"a stranger", []string{client("203.0.113.66")}, 403},
		{"a stranger with a key", []string{client("203.0.113.9"), "X-Api-Key: good"}, 403},
		{"a wrong key", []string{client("203.0.113.9"), "X-Api-Key: wrong"}, 0},
		{"the submitter", first, 200},
		{"a caller that joined it", joined, 200},
	} {
		q := newFakeQueue()
		q.callers = []string{"address:203.0.113.9", "key:paid"}
		s := behind(t, Options{Quota: g, Queue: q})
		r := s.call(t, "DELETE", "/api/jobs/"+testJob, "", c.headers...)
		if c.status != 0 && r.status != c.status {
			t.Errorf("%s: %d %s", c.name, r.status, r.body)
		}
		if cancelled := strings.Contains(r.body, `"state":"cancelled"`); cancelled !=
			(c.status == 200) {
			t.Errorf("%s: %s", c.name, r.body)
		}
		if q.job.State != worker.Running {
			t.Errorf("%s: the job is %s for all", c.name, q.job.State)
		}
		if c.status == 403 {
			checkProblem(t, r, 403, "not-your-job")
		}
		if c.status == 200 {
			if r := s.call(t, "GET", "/api/jobs/"+testJob, "",
				c.headers...); !strings.Contains(r.body, `"state":"cancelled"`) {
				t.Errorf("%s is then shown %s", c.name, r.body)
			}
		}
		if r := s.call(t, "GET", "/api/jobs/"+testJob, "", client("203.0.113.77")); r.status !=
			200 || !strings.Contains(r.body, `"state":"running"`) {
			t.Errorf("reading: %d %s", r.status, r.body)
		}
	}
	q := newFakeQueue()
	q.callers = []string{"address:203.0.113.9", "key:paid"}
	s := behind(t, Options{Quota: g, Queue: q})
	s.call(t, "DELETE", "/api/jobs/"+testJob, "", first...)
	s.call(t, "DELETE", "/api/jobs/"+testJob, "", joined...)
	if q.job.State != worker.Cancelled {
		t.Errorf("without callers the job is %s", q.job.State)
	}
	if g.used != 0 {
		t.Errorf("cancelling was counted %d times", g.used)
	}
}

var browser = []string{"Sec-Fetch-Site: same-origin", "Content-Type: application/json"}

// token returns the token of a page loaded from an address.
func (r *running) token(t *testing.T, headers ...string) string {
	t.Helper()
	var response struct{ Token string }
	r.call(t, "GET", "/ui/token", "", append(headers, browser...)...).json(t, &response)
	return response.Token
}

// TestPageEndpoint verifies that the page gets the same results as the API, without quota, and that
// other clients are rejected.
func TestPageEndpoint(t *testing.T) {
	g, now := &fakeQuota{limit: 0}, testTime
	var mu sync.Mutex
	s := behind(t, Options{Quota: g, Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}})
	me := client("203.0.113.9")
	token := s.token(t, me)
	run := func(headers ...string) *reply {
		return s.call(t, "POST", "/ui/run/fspl", `{"freq_mhz":915,"dist_km":5}`, headers...)
	}
	json, same := "Content-Type: application/json", "Sec-Fetch-Site: same-origin"
	good := run(json, same, me, "X-Page-Token: "+token)
	if good.status != 200 || !strings.Contains(good.body, `"fspl_db":105.65`) {
		t.Fatal(good.status, good.body)
	}
	if len(g.callers) != 0 || good.header.Get("RateLimit") != "" {
		t.Errorf("it was counted: %v", g.callers)
	}
	for _, c := range []struct {
		name    string
		headers []string
	}{
		{"no token", []string{json, same, me}},
		{"a wrong token", []string{json, same, me, "X-Page-Token: " + strings.Repeat("A", 24)}},
		{"a token and more", []string{json, same, me, "X-Page-Token: " + token + "A"}},
		{"another address", []string{json, same, client("203.0.113.10"), "X-Page-Token: " + token}},
		{"no browser", []string{json, me, "X-Page-Token: " + token}},
		{"another site", []string{json, "Sec-Fetch-Site: cross-site", "Origin: " + s.url, me,
			"X-Page-Token: " + token}},
		{"a sibling", []string{json, "Sec-Fetch-Site: same-site", me, "X-Page-Token: " + token}},
		{"another origin", []string{json, "Origin: https://evil.example", me,
			"X-Page-Token: " + token}},
		{"the null origin", []string{json, "Origin: null", me, "X-Page-Token: " + token}},
		{"an origin by X-Forwarded-Host", []string{json, "Origin: https://evil.example",
			"X-Forwarded-Host: evil.example", me, "X-Page-Token: " + token}},
	} {
		checkProblem(t, run(c.headers...), 403, "page-only")
		_ = c.name
	}
	if r := run(json, "Origin: "+s.url, me, "X-Page-Token: "+token); r.status != 200 {
		t.Errorf("a browser without Sec-Fetch-Site: %d %s", r.status, r.body)
	}
	checkProblem(t, s.call(t, "POST", "/ui/run/fspl", `{}`, json, same, me, "X-Page-Token: "+token),
		400, "invalid-input")
	checkProblem(t, s.call(t, "POST", "/ui/run/fslp", `{}`, json, same, me, "X-Page-Token: "+token),
		404, "tool-not-found")
	checkProblem(t, s.call(t, "GET", "/ui/token", "", me), 403, "page-only")
	move := func(d time.Duration) {
		mu.Lock()
		now = testTime.Truncate(time.Hour).Add(d)
		mu.Unlock()
	}
	move(2*time.Hour - time.Nanosecond)
	if r := run(json, same, me, "X-Page-Token: "+token); r.status != 200 {
		t.Errorf("in the next hour: %d", r.status)
	}
	move(2 * time.Hour)
	checkProblem(t, run(json, same, me, "X-Page-Token: "+token), 403, "page-only")
	if r := run(json, same, me, "X-Page-Token: "+s.token(t, me)); r.status != 200 {
		t.Errorf("with a fresh token: %d", r.status)
	}
	other := behind(t, Options{Now: at(testTime)})
	if other.token(t, me) == token {
		t.Error("two servers without a common secret make the same token")
	}
}

// TestPageBounds verifies that each client prefix has its own rate limit for the page and its own
// limit of unfinished jobs.
func TestPageBounds(t *testing.T) {
	q := newFakeQueue()
	q.set(worker.Done, doneOutcome)
	s := behind(t, Options{Quota: &fakeQuota{limit: 0}, Queue: q, Now: at(testTime),
		Bursts: Bursts{Page: ratelimit.Rate{PerSecond: 1, Size: 2}}})
	run := func(address string) *reply {
		headers := append([]string{client(address)}, browser...)
		return s.call(t, "POST", "/ui/run/slow_sum", `{"numbers":[1]}`,
			append(headers, "X-Page-Token: "+s.token(t, client(address)))...)
	}
	for range 2 {
		if r := run("2001:db8::1"); r.status != 200 {
			t.Fatal(r.status, r.body)
		}
	}
	checkProblem(t, run("2001:db8::2"), 429, "limit-reached") // the same /64
	if r := run("2001:db8:0:1::1"); r.status != 200 {
		t.Errorf("somebody else: %d %s", r.status, r.body)
	}
	if sub := q.submitted[0]; sub.MaxInFlight != 2 || sub.Caller != "page:2001:db8::/64" ||
		sub.Group != "address:2001:db8::/64" || sub.Priority != worker.PriorityAnonymous {
		t.Errorf("%+v", sub)
	}
	q = newFakeQueue()
	q.callers = []string{"page:203.0.113.9", "address:203.0.113.10"}
	s = behind(t, Options{Quota: &fakeQuota{}, Queue: q})
	for _, caller := range []string{"203.0.113.10", "203.0.113.11"} {
		checkProblem(t, s.call(t, "DELETE", "/ui/jobs/"+testJob, "",
			append(browser, client(caller))...), 403, "not-your-job")
	}
	checkProblem(t, s.call(t, "DELETE", "/ui/jobs/"+testJob, "", client("203.0.113.9")), 403,
		"page-only")
	if r := s.call(t, "DELETE", "/ui/jobs/"+testJob, "",
		append(browser, client("203.0.113.9"))...); r.status != 200 || !strings.Contains(r.body,
		`"state":"cancelled"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if q.job.State != worker.Running {
		t.Errorf("the job is %s for the other caller", q.job.State)
	}
	if r := s.call(t, "GET", "/ui/jobs/"+testJob+"/events", "", client("203.0.113.9")); r.body !=
		"event: end\ndata: {}\n\n" {
		t.Errorf("events of a job that the page left: %s", r.body)
	}
}

// TestPageEnough verifies that only a same-origin page at the address of the only caller stops a
// job early.
func TestPageEnough(t *testing.T) {
	const path = "/ui/jobs/" + testJob + "/stop-early"
	q := newFakeQueue()
	q.callers = []string{"page:203.0.113.9"}
	s := behind(t, Options{Quota: &fakeQuota{}, Queue: q})
	own := append([]string{client("203.0.113.9")}, browser...)
	checkProblem(t, s.call(t, "POST", path, "", client("203.0.113.9")), 403, "page-only")
	checkProblem(t, s.call(t, "POST", path, "", append([]string{client("203.0.113.10")},
		browser...)...), 403, "not-your-job")
	unknown := "/ui/jobs/" + strings.Repeat("0", 32) + "/stop-early"
	checkProblem(t, s.call(t, "POST", unknown, "", own...), 404, "job-not-found")
	if r := s.call(t, "POST", path, "", own...); r.status != 200 ||
		!strings.Contains(r.body, `"state":"running"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	q.callers = append(q.callers, "address:203.0.113.10")
	checkProblem(t, s.call(t, "POST", path, "", own...), 403, "not-your-job")
	q.job.Tool = "fspl"
	checkProblem(t, s.call(t, "POST", path, "", own...), 400, "bad-request")
	q.job.Tool = "slow_sum"
	q.set(worker.Done, doneOutcome)
	if r := s.call(t, "POST", path, "", own...); r.status != 200 ||
		!strings.Contains(r.body, `"state":"done"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestNoSecretsInLogs verifies that no key, JWT or page token enters the log or a response, however
// the request ends.
func TestNoSecretsInLogs(t *testing.T) {
	const key, jwt = "sl_0123456789abcdef0123456789abcdef01234567",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl"
	s := start(t, Options{Quota: &fakeQuota{limit: 2}})
	token := s.token(t)
	for _, path := range []string{"/api/fspl", "/api/broken", "/api/faulty", "/api/slow_sum",
		"/api/nowhere", "/api/keys", "/api/jobs/" + testJob, "/ui/run/fspl", "/healthz"} {
		for _, method := range []string{"GET", "POST", "DELETE", "PROPFIND"} {
			for _, body := range []string{"", `{"numbers":[1]}`, "{"} {
				r := s.call(t, method, path+"?key="+key+"&token="+jwt, body, "X-Api-Key: "+key,
					"Authorization: Bearer "+jwt, "X-Page-Token: "+token,
					"Content-Type: application/json")
				for _, secret := range []string{key, jwt, token} {
					if strings.Contains(r.body, secret) ||
						strings.Contains(fmt.Sprint(r.header), secret) {
						t.Errorf("%s %s: the response holds %q: %s", method, path, secret, r.body)
					}
				}
			}
		}
	}
	if log := s.log.String(); !strings.Contains(log, "path=/api/fspl") {
		t.Error("the log is empty")
	}
	for _, secret := range []string{key, jwt, token} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestSecurityHeaders verifies that every response has the security headers, errors included.
func TestSecurityHeaders(t *testing.T) {
	s := start(t, Options{})
	for _, c := range []struct{ method, path, resource string }{
		{"GET", "/api", "cross-origin"}, {"POST", "/api/fspl", "cross-origin"},
		{"POST", "/api/broken", "cross-origin"},
		{"GET", "/nowhere", "same-origin"}, {"GET", "/healthz", "same-origin"},
		{"BREW", "/api", "cross-origin"},
	} {
		r := s.call(t, c.method, c.path, "")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Server": "",
			"Content-Security-Policy":          "default-src 'none'; frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy":     c.resource,
			"Access-Control-Allow-Credentials": "", "Set-Cookie": "",
		} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s %s: %s %q, want %q", c.method, c.path, name, got, want)
			}
		}
	}
}

// TestTooManyConnections verifies that connections above the limit get a problem, and
// that closing a connection allows another.
func TestTooManyConnections(t *testing.T) {
	s := start(t, Options{Connections: 3})
	// The test avoids net/http, whose clients report a response before the request as an error.
	open := func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		return c, bufio.NewReader(c)
	}
	read := func(from *bufio.Reader) *reply {
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return &reply{res.StatusCode, res.Header, string(body), res.Close}
	}
	get := func() (*reply, net.Conn) {
		c, from := open()
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		return read(from), c
	}
	var held []net.Conn
	for range 3 {
		r, c := get()
		if r.status != 200 {
			t.Fatal(r.status, r.body)
		}
		held = append(held, c)
	}
	_, from := open()
	r := read(from)
	checkProblem(t, r, 503, "busy")
	if r.header.Get("Retry-After") != "1" || !r.close {
		t.Errorf("%v", r.header)
	}
	for _, c := range held {
		_ = c.Close()
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if r, _ := get(); r.status == 200 {
			break
		}
		if time.Since(began) > 5*time.Second {
			t.Fatal("there is never room again")
		}
	}
}

// TestFloodIsNotLogged verifies that calls rejected by a limit are not logged at the default level.
func TestFloodIsNotLogged(t *testing.T) {
	log := &safeBuffer{}
	s := start(t, Options{Quota: &fakeQuota{}, Log: slog.New(slog.NewTextHandler(log, nil))})
	for range 50 {
		checkProblem(t, s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`), 429, "limit-reached")
	}
	if n := strings.Count(log.String(), "\n"); n != 0 {
		t.Errorf("%d lines", n)
	}
}
