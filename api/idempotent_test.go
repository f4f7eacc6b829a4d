package api

import (
	"errors"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/redis/go-redis/v9"
	"github.com/valyala/fasthttp"

	"slipstick/api/idempotency"
	"slipstick/keys"
	"slipstick/worker"
)

const idempotencyHeader = `Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"`

func idempotencyStore(t *testing.T) (*idempotency.Store, *miniredis.Miniredis) {
	t.Helper()
	mini := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: mini.Addr()})
	t.Cleanup(func() { _ = rdb.Close() })
	return idempotency.New(rdb), mini
}

// TestIdempotentKey verifies that a repeated request for a key gets the same key, even from another
// process after the first process has ended. It also verifies that Redis contains no key in plain
// text.
func TestIdempotentKey(t *testing.T) {
	store, mini := idempotencyStore(t)
	records := &memoryStore{}
	process := func() *running {
		service, err := keys.NewService(t.Context(), keys.ServiceOptions{Store: records})
		if err != nil {
			t.Fatal(err)
		}
		return start(t, Options{Keys: service, Idempotency: store, Tokens: tokens{
			"alice": {Subject: "alice", Tier: keys.Developer},
			"bob":   {Subject: "bob", Tier: keys.Developer},
		}})
	}
	one, two := process(), process()
	var first, again IssuedKey
	r := one.post(t, "/api/keys", `{"label": "ci"}`, idempotencyHeader)
	r.json(t, &first)
	if r.status != 201 || first.Key == "" || r.header.Get(headerReplayed) != "" {
		t.Fatalf("%d %v %s", r.status, r.header, r.body)
	}
	if err := one.stop(); err != nil {
		t.Fatal(err)
	}
	r = two.post(t, "/api/keys", `{"label": "ci"}`, strings.ReplaceAll(idempotencyHeader, `"`, ""))
	r.json(t, &again)
	if r.status != 201 || again.Key != first.Key || r.header.Get(headerReplayed) != "true" ||
		r.header.Get("Content-Type") != "application/json" ||
		r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("again: %d %v %s", r.status, r.header, r.body)
	}
	if n := len(records.records); n != 1 {
		t.Errorf("%d keys were issued", n)
	}
	r = two.post(t, "/api/keys", `{"label": "other"}`, idempotencyHeader)
	if r.status != 422 || !strings.Contains(r.body, "idempotency-key-reused") {
		t.Errorf("another body: %d %s", r.status, r.body)
	}
	for n, subject := range []string{"alice", "bob", "alice"} {
		r = two.post(t, "/api/keys", `{"label": "ci"}`, idempotencyHeader,
			"Authorization: Bearer "+subject)
		if r.status != 201 || len(records.records) != min(2+n, 3) {
			t.Errorf("%s: %d %s, %d keys", subject, r.status, r.body, len(records.records))
		}
	}
	if r = two.post(t, "/api/keys", `{"label": "ci"}`); r.status != 201 ||
		len(records.records) != 4 {
		t.Errorf("without the header: %d, %d keys", r.status, len(records.records))
	}
	if strings.Contains(mini.Dump(), first.Key[3:]) {
		t.Error("Redis has the API key as text")
	}
	for _, bad := range []string{"short", `"a b c d e f g h i"`, strings.Repeat("x", 129),
		"zwölf-und-mehr-zeichen"} {
		r = two.post(t, "/api/keys", "", "Idempotency-Key: "+bad)
		if r.status != 400 || !strings.Contains(r.body, `"field":"Idempotency-Key"`) {
			t.Errorf("%s: %d %s", bad, r.status, r.body)
		}
	}
	r = two.post(t, "/api/keys", "", idempotencyHeader,
		"Idempotency-Key: another-key-of-16-letters")
	if r.status != 400 {
		t.Errorf("two headers: %d", r.status)
	}
}

// TestIdempotentJob verifies that a repeated call gets 409 during the first call, and later the
// same response without a second submission. It also verifies that problems are not stored.
func TestIdempotentJob(t *testing.T) {
	store, _ := idempotencyStore(t)
	queue := newFakeQueue()
	s := start(t, Options{Queue: queue, Idempotency: store})
	const path, body = "/api/slow_sum", `{"numbers":[1,2]}`
	submitted := func() int {
		queue.mu.Lock()
		defer queue.mu.Unlock()
		return len(queue.submitted)
	}

	queue.submitErr = errors.New("dial tcp: refused")
	if r := s.post(t, path, body, idempotencyHeader); r.status != 500 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	queue.submitErr = nil
	responses := make(chan *reply)
	go func() { responses <- s.post(t, path, body, idempotencyHeader) }()
	eventually(t, func() bool { return submitted() == 2 })
	r := s.post(t, path, body, idempotencyHeader)
	if r.status != 409 || r.header.Get("Retry-After") != "2" ||
		!strings.Contains(r.body, "request-in-progress") {
		t.Errorf("in progress: %d %s", r.status, r.body)
	}
	if r = s.post(t, path, `{"numbers":[1]}`, idempotencyHeader); r.status != 422 {
		t.Errorf("another body in progress: %d %s", r.status, r.body)
	}
	queue.set(worker.Done, worker.Outcome{Result: []byte(`{"sum":3,"warnings":[]}`)})
	first := <-responses
	r = s.post(t, path, body, idempotencyHeader)
	if first.status != 200 || r.status != 200 || r.body != first.body ||
		r.header.Get(headerReplayed) != "true" || submitted() != 2 {
		t.Errorf("%d %s, then %d %s; %d submitted", first.status, first.body, r.status, r.body,
			submitted())
	}

	queue.set(worker.Running, worker.Outcome{})
	for range 2 {
		r = s.post(t, path, body, "Idempotency-Key: respond-async-of-slow-sum",
			"Prefer: respond-async")
		if r.status != 202 || r.header.Get("Location") != "/api/jobs/"+testJob ||
			r.header.Get("Retry-After") != "2" {
			t.Errorf("asynchronous: %d %v", r.status, r.header)
		}
	}
	if submitted() != 3 {
		t.Errorf("%d submitted", submitted())
	}
	// A synchronous tool is a pure function, so the header has no effect.
	for _, body := range []string{`{"numbers":[1]}`, `{"numbers":[2]}`} {
		if r = s.post(t, "/api/sum", body, idempotencyHeader); r.status != 200 {
			t.Errorf("sum: %d %s", r.status, r.body)
		}
	}
	// Results above the limit are not stored but recomputed.
	large := `{"sum":3,"text":"` + strings.Repeat("x", idempotency.MaxResponse) + `","warnings":[]}`
	queue.set(worker.Done, worker.Outcome{Result: []byte(large)})
	for range 2 {
		r = s.post(t, path, body, "Idempotency-Key: a-large-result-of-slow-sum")
		if r.status != 200 || r.header.Get(headerReplayed) != "" {
			t.Errorf("large: %d %v", r.status, r.header)
		}
	}
}

// TestIdempotentBatch verifies that a repeated batch request returns the same batch.
func TestIdempotentBatch(t *testing.T) {
	s := startBatches(t, nil)
	s.opt.Idempotency, _ = idempotencyStore(t)
	key := s.issue(t, keys.Free)
	var ids [2]struct{ ID string }
	for i := range ids {
		r := s.post(t, "/api/batches", contractExample, key, idempotencyHeader)
		r.json(t, &ids[i])
		if r.status != 202 || r.header.Get("Location") != "/api/batches/"+ids[i].ID {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	var list BatchList
	s.call(t, "GET", "/api/batches", "", key).json(t, &list)
	if ids[0] != ids[1] || list.Count != 1 {
		t.Errorf("%v, %d batches", ids, list.Count)
	}
}

// TestIdempotencyUnavailable verifies that a request with the header is not executed while the
// store is unavailable.
func TestIdempotencyUnavailable(t *testing.T) {
	store, mini := idempotencyStore(t)
	records := &memoryStore{}
	service, err := keys.NewService(t.Context(), keys.ServiceOptions{Store: records})
	if err != nil {
		t.Fatal(err)
	}
	with := start(t, Options{Keys: service, Idempotency: store})
	mini.Close()
	for _, s := range []*running{with, start(t, Options{Keys: service})} {
		r := s.post(t, "/api/keys", "", idempotencyHeader)
		if r.status != 503 || len(records.records) != 0 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
}

// TestCompressedResponse verifies that a response with a content coding is not stored,
// because another client may not accept the coding.
func TestCompressedResponse(t *testing.T) {
	store, _ := idempotencyStore(t)
	s := start(t, Options{Idempotency: store})
	for range 2 {
		c := s.app.AcquireCtx(&fasthttp.RequestCtx{})
		request, stored, err := store.Begin(t.Context(), "caller", "key", "")
		if err != nil || stored != nil {
			t.Fatalf("%v %v", stored, err)
		}
		err = s.execute(c, request, func(c *fiber.Ctx) error {
			c.Set(fiber.HeaderContentEncoding, "gzip")
			return c.SendString("packed")
		})
		if s.app.ReleaseCtx(c); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIdempotentRoutes verifies that an Idempotency-Key of a batch cannot be used again for a key.
func TestIdempotentRoutes(t *testing.T) {
	store, _ := idempotencyStore(t)
	s := startBatches(t, nil, func(o *Options) { o.Idempotency = store })
	if r := s.post(t, "/api/batches", contractExample, idempotencyHeader); r.status != 202 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for range 2 {
		if r := s.post(t, "/api/keys", "{}", idempotencyHeader); r.status != 422 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
}
