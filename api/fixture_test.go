package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/rf"
	"slipstick/worker"
)

type sumIn struct {
	Numbers []float64 `json:"numbers" minItems:"1" maxItems:"1000" doc:"What to add"`
	Scale   float64   `json:"scale" gt:"0" default:"1" doc:"Factor"`
}
type sumOut struct {
	Sum float64 `json:"sum" doc:"The sum"`
	tools.Warnings
}

func sum(_ context.Context, in sumIn) (sumOut, error) {
	var out sumOut
	for _, x := range in.Numbers {
		out.Sum += x * in.Scale
	}
	return out, nil
}

func testTool(name string, queued *tools.Heavy,
	f func(context.Context, sumIn) (sumOut, error)) *tools.Tool {
	return tools.Define(tools.Spec{
		Name: name, Title: "Sum", Summary: "Adds numbers", Method: "Σ x",
		Sources: []string{"Euclid"}, Heavy: queued,
		Examples: []tools.Example{{Title: "two", In: `{"numbers":[1,2]}`, Want: `{"sum":3}`}},
	}, f)
}

func testCatalog(t testing.TB, more ...*tools.Tool) *tools.Catalog {
	t.Helper()
	c, err := tools.NewCatalog([]tools.Category{
		rf.Category(),
		{Name: "test", Title: "Test", Tools: append([]*tools.Tool{
			testTool("sum", nil, sum),
			testTool("slow_sum", &tools.Heavy{Pool: "test", Timeout: time.Minute,
				SupportsEarlyStop: true}, sum),
			testTool("broken", nil, func(context.Context, sumIn) (sumOut, error) {
				panic("the secret of the tool")
			}),
			testTool("faulty", nil, func(context.Context, sumIn) (sumOut, error) {
				return sumOut{}, errors.New("dial tcp 10.0.0.7: the secret address")
			}),
		}, more...)},
	}, nil, testTool(designsService, &tools.Heavy{Pool: "test", Timeout: time.Minute}, sum))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const testJob = "00112233445566778899aabbccddeeff"

// fakeQueue holds one job, whose state the test sets.
type fakeQueue struct {
	mu        sync.Mutex
	job       worker.Job
	changed   chan struct{}
	submitErr error
	waitErr   error
	readyErr  error
	submitted []worker.SubmitOptions
	bodies    []string
	waits     []time.Duration
	left      chan struct{} // receives a value when a waiter's context has ended
	watched   chan struct{} // receives a value when a watch has reported the job
	callers   []string      // callers of the job; nil accepts every caller
	gone      []string      // callers that left the job
	warnings  map[string][]string
}

func newFakeQueue() *fakeQueue {
	return &fakeQueue{changed: make(chan struct{}), left: make(chan struct{}, 100),
		watched: make(chan struct{}, 100), job: worker.Job{
			ID: testJob, Tool: "slow_sum", Version: "1.0.0", State: worker.Running,
			Progress: tools.Progress{Phase: "adding", Percent: 12.5}, EnqueuedAt: testTime,
		}}
}

var testTime = time.Date(2026, 3, 4, 5, 6, 7, 890e6, time.UTC)

func (q *fakeQueue) set(state worker.State, o worker.Outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.job.State, q.job.Outcome = state, o
	if state.Finished() {
		q.job.FinishedAt, q.job.ExpiresAt = testTime.Add(time.Second), testTime.Add(10*time.Minute)
	}
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *fakeQueue) Submit(_ context.Context, _ *tools.Tool, body []byte,
	s worker.SubmitOptions) (worker.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.submitted, q.bodies = append(q.submitted, s), append(q.bodies, string(body))
	return q.job, q.submitErr
}

func (q *fakeQueue) Wait(ctx context.Context, _, _ string, d time.Duration) (worker.Job, error) {
	end := time.After(d)
	q.mu.Lock()
	q.waits = append(q.waits, d)
	q.mu.Unlock()
	for {
		q.mu.Lock()
		job, changed, err := q.job, q.changed, q.waitErr
		q.mu.Unlock()
		if err != nil || job.State.Finished() {
			return job, err
		}
		select {
		case <-changed:
		case <-end:
			return job, nil
		case <-ctx.Done():
			q.left <- struct{}{}
			return job, ctx.Err()
		}
	}
}

func (q *fakeQueue) Get(_ context.Context, id, caller string) (worker.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if id != q.job.ID {
		return worker.Job{}, worker.ErrJobNotFound
	}
	job := q.job
	if slices.Contains(q.gone, caller) {
		job.State = worker.Cancelled
	}
	return job, nil
}

func (q *fakeQueue) Watch(ctx context.Context, id string, progress func(worker.Job)) error {
	for {
		q.mu.Lock()
		job, changed := q.job, q.changed
		q.mu.Unlock()
		if id != job.ID {
			return worker.ErrJobNotFound
		}
		if job.State.Finished() {
			return nil
		}
		progress(job)
		select {
		case q.watched <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (q *fakeQueue) Cancel(ctx context.Context, id, caller string) (worker.Job, error) {
	job, err := q.Get(ctx, id, caller)
	if err != nil {
		return job, err
	}
	q.mu.Lock()
	at := slices.Index(q.callers, caller)
	if q.callers != nil && at < 0 {
		q.mu.Unlock()
		return worker.Job{}, worker.ErrNotCaller
	}
	if at >= 0 {
		q.callers, q.gone = slices.Delete(q.callers, at, at+1), append(q.gone, caller)
	}
	last := len(q.callers) == 0
	q.mu.Unlock()
	if last && !job.State.Finished() {
		q.set(worker.Cancelled, worker.Outcome{})
	}
	return q.Get(ctx, id, caller)
}

func (q *fakeQueue) StopEarly(ctx context.Context, id, caller string) (bool, error) {
	job, err := q.Get(ctx, id, "")
	return err == nil && job.State == worker.Running && slices.Equal(q.callers, []string{caller}),
		err
}

func (q *fakeQueue) KeepWarnings(_ context.Context, id, caller string, warnings []string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.warnings == nil {
		q.warnings = map[string][]string{}
	}
	q.warnings[id+" "+caller] = warnings
	return nil
}

func (q *fakeQueue) Warnings(_ context.Context, id, caller string) ([]string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.warnings[id+" "+caller], nil
}

func (q *fakeQueue) Ready(context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.readyErr
}

// safeBuffer is a log for concurrent writers.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type running struct {
	*Server
	redis redis.UniversalClient // of startReal
	addr  string
	url   string
	log   *safeBuffer
	stop  func() error // stops the server and returns the error of Serve, also when called again
}

// start serves on a free port until the test ends.
func start(t testing.TB, o Options) *running {
	t.Helper()
	if o.Catalog == nil {
		o.Catalog = testCatalog(t)
	}
	log := &safeBuffer{}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	stop := sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { _ = stop() })
	return &running{Server: s, addr: ln.Addr().String(), url: "http://" + ln.Addr().String(),
		log: log, stop: stop}
}

// uncounted is the Commit function of a reservation that is not counted.
func uncounted(context.Context, string, keys.Outcome, time.Duration) error { return nil }

type reply struct {
	status int
	header http.Header
	body   string
	close  bool // the server closes the connection
}

func (r *reply) json(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
}

// call sends one request; headers are "Name: value".
func (r *running) call(t testing.TB, method, path, body string, headers ...string) *reply {
	t.Helper()
	return r.callReader(t, method, path, strings.NewReader(body), headers...)
}

func (r *running) callReader(t testing.TB, method, path string, body io.Reader,
	headers ...string) *reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	return roundTrip(t, http.DefaultTransport, req)
}

func roundTrip(t testing.TB, tr http.RoundTripper, req *http.Request) *reply {
	t.Helper()
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &reply{res.StatusCode, res.Header, string(b), res.Close}
}

func (r *running) post(t testing.TB, path, body string, headers ...string) *reply {
	t.Helper()
	return r.call(t, "POST", path, body, append([]string{"Content-Type: application/json"},
		headers...)...)
}
