package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/keys/keystest"
	"slipstick/keys/quota"
	"slipstick/keys/usage"
	"slipstick/mcp"
	"slipstick/tools"
	"slipstick/worker"
)

// panickingQueue panics in Submit, or, with late set, in Wait.
type panickingQueue struct {
	*fakeQueue
	late atomic.Bool
}

func (q *panickingQueue) Submit(ctx context.Context, tool *tools.Tool, body []byte,
	s worker.SubmitOptions) (worker.Job, error) {
	if !q.late.Load() {
		panic("the secret of the queue")
	}
	return q.fakeQueue.Submit(ctx, tool, body, s)
}

func (q *panickingQueue) Wait(context.Context, string, string, time.Duration) (worker.Job, error) {
	panic("the secret of the queue")
}

// countingServer serves REST, the page and MCP with a real quota and a real usage store. left makes
// a call with an API key, "" for none, and returns the remaining calls after it. key is a free key.
// uses returns the recorded usage by outcome.
func countingServer(t *testing.T, q worker.Queue,
	limit int) (s *running, left func(key string) int, key string,
	uses func() map[keys.Outcome]int64) {
	t.Helper()
	service := keystest.NewService(t)
	book, err := usage.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "counts.db"))
	if err != nil {
		t.Fatal(err)
	}
	counts := usage.New(usage.Options{Store: book})
	t.Cleanup(func() { counts.Close(); _ = book.Close() })
	g := quota.New(quota.Options{Keys: service, Counter: counts,
		Limits: map[keys.Tier]int{keys.Anonymous: limit, keys.Free: limit}})
	if key, _, err = service.Issue(t.Context(), keys.IssueParams{Tier: keys.Free}); err != nil {
		t.Fatal(err)
	}
	log := &safeBuffer{}
	o := Options{Catalog: testCatalog(t), Queue: q, Quota: g,
		Log: slog.New(slog.NewTextHandler(log, nil))}
	agents, err := mcp.New(mcp.Options{Catalog: o.Catalog, Queue: q, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agents.Close() })
	o.MCP = agents
	s = start(t, o)
	s.log = log
	left = func(key string) int {
		t.Helper()
		var headers []string
		if key != "" {
			headers = append(headers, headerKey+": "+key)
		}
		r := s.post(t, "/api/sum", `{"numbers":[1]}`, headers...)
		m := regexp.MustCompile(`;r=(\d+);`).FindStringSubmatch(r.header.Get("RateLimit"))
		if m == nil {
			t.Fatalf("%d, no RateLimit: %v", r.status, r.header)
		}
		n := 0
		for _, d := range m[1] {
			n = 10*n + int(d-'0')
		}
		return n
	}
	uses = func() map[keys.Outcome]int64 {
		t.Helper()
		id := usage.NewID()
		if err := book.Rotate(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		list, err := book.ReadBatch(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		all := map[keys.Outcome]int64{}
		for _, u := range list {
			all[u.Outcome] += u.Calls
		}
		return all
	}
	return s, left, key, uses
}

// TestPanicIsNotCounted verifies that every interface refunds a call that panics. It also verifies
// that the response, its header and the log have the same request id.
func TestPanicIsNotCounted(t *testing.T) {
	q := &panickingQueue{fakeQueue: newFakeQueue()}
	const limit = 50
	s, left, key, uses := countingServer(t, q, limit)
	session := s.initialize(t)
	page := []string{"Sec-Fetch-Site: same-origin", headerPageToken + ": " + s.token(t)}
	agent := []string{agentAccept, headerSession + ": " + session}
	form := append([]string{"Content-Type: application/x-www-form-urlencoded"}, page[0])
	formBody := "numbers=1&_token=" + strings.TrimPrefix(page[1], headerPageToken+": ")
	type way struct {
		name, path, body string
		headers          []string
		counted          bool // a successful call of this interface is counted
	}
	json1 := `{"numbers":[1]}`
	ways := []way{
		{"REST", "/api/broken", json1, []string{asJSON}, true},
		{"REST, queued", "/api/slow_sum", json1, []string{asJSON}, true},
		{"MCP", "/mcp", toolCall("broken", json1, "p"), append(agent, asJSON), true},
		{"MCP, queued", "/mcp", toolCall("slow_sum", json1, "p"), append(agent, asJSON), true},
		{"page", "/ui/run/broken", json1, append(page, asJSON), false},
		{"page, queued", "/ui/run/slow_sum", json1, append(page, asJSON), false},
		{"form", "/t/broken", formBody, form, false},
		{"form, queued", "/t/slow_sum", formBody, form, false},
	}
	calls := 0
	for _, late := range []bool{false, true} {
		q.late.Store(late)
		for _, apiKey := range []string{"", key} {
			before := left(apiKey)
			for _, w := range ways {
				headers := w.headers
				if apiKey != "" {
					headers = append([]string{headerKey + ": " + apiKey}, headers...)
				}
				r := s.call(t, "POST", w.path, w.body, headers...)
				id := r.header.Get("X-Request-Id")
				if late && w.name == "form, queued" { // the form returns before the job has ended
					continue
				}
				if !strings.Contains(s.log.String(), "request_id="+id+" panic=") {
					t.Errorf("%s: the log holds no panic of the request %q", w.name, id)
				}
				if w.path != "/mcp" && r.status != 500 {
					t.Errorf("%s: status %d: %s", w.name, r.status, text.Truncate(r.body, 300))
				}
				if strings.Contains(r.body, "secret") {
					t.Errorf("%s: the response has the text of the panic: %s", w.name,
						text.Truncate(r.body, 300))
				}
				if !strings.Contains(r.body, id) {
					t.Errorf("%s: the response does not hold the id %q of its header: %s", w.name,
						id, text.Truncate(r.body, 300))
				}
				if w.path == "/mcp" && !strings.Contains(r.body, `"isError":true`) {
					t.Errorf("%s: %s", w.name, text.Truncate(r.body, 300))
				}
				if strings.HasPrefix(w.path, "/api") || strings.HasPrefix(w.path, "/ui") {
					checkProblem(t, r, 500, "internal")
				}
				if apiKey != "" && w.counted {
					calls++
				}
			}
			if after := left(apiKey); after != before-1 {
				t.Errorf("of %d calls %d are left after panics and one good call", before, after)
			}
		}
	}
	if got := uses(); got[keys.ServerError] != int64(calls) || got[keys.Computed] != 4 ||
		got[keys.Invalid] != 0 {
		t.Errorf("the key's usage is %v, want %d unserved and 4 computed", got, calls)
	}
}

// TestPanicOnTheLastCall verifies that a call that panics does not use up the last call of the day.
// It also verifies that such a call is rejected once the quota is exhausted.
func TestPanicOnTheLastCall(t *testing.T) {
	s, left, key, _ := countingServer(t, newFakeQueue(), 3)
	for left(key) > 1 {
	}
	if r := s.post(t, "/api/broken", `{"numbers":[1]}`, headerKey+": "+key); r.status != 500 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if n := left(key); n != 0 {
		t.Errorf("%d calls are left", n)
	}
	checkProblem(t, s.post(t, "/api/broken", `{"numbers":[1]}`, headerKey+": "+key), 429,
		"limit-reached")
}

// TestRequestIDAfterPanic verifies that the response and the log after a panic have the request id
// that the client sent.
func TestRequestIDAfterPanic(t *testing.T) {
	s := start(t, Options{})
	r := s.post(t, "/api/broken", `{"numbers":[1]}`, "X-Request-Id: my-request-77")
	var p struct {
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatal(err)
	}
	if p.RequestID != "my-request-77" || r.header.Get("X-Request-Id") != "my-request-77" ||
		!strings.Contains(s.log.String(), "request_id=my-request-77 panic=") {
		t.Errorf("%q, %q", p.RequestID, r.header.Get("X-Request-Id"))
	}
}
