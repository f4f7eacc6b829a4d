package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker"
)

var doneOutcome = worker.Outcome{Result: json.RawMessage(`{"sum":3,"warnings":[]}`), ComputeMS: 2}

func TestQueuedDone(t *testing.T) {
	q := newFakeQueue()
	q.set(worker.Done, doneOutcome)
	now := testTime.Add(time.Minute) // the job ended long before this request
	s := start(t, Options{Queue: q, Now: func() time.Time { return now }})
	r := s.post(t, "/api/slow_sum", `{"numbers":[1,2]}`)
	want := `{"result":{"sum":3,"warnings":[]},"tool":"slow_sum","version":"1.0.0","computed_at":"2026-03-04T05:07:07.890Z","chain":{"feeds":[],"accepts_from":[]}}`
	if r.status != 200 || r.body != want {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.call(t, "GET", "/api/jobs/"+testJob, ""); !strings.Contains(r.body,
		`"computed_at":"2026-03-04T05:07:07.890Z"`) {
		t.Errorf("the job: %s", r.body)
	}
	if q.bodies[0] != `{"numbers":[1,2]}` ||
		q.submitted[0] != (worker.SubmitOptions{Priority: worker.PriorityAnonymous}) {
		t.Errorf("submitted %q, %+v", q.bodies, q.submitted)
	}
}

func TestQueuedDoneWhileWaiting(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	time.AfterFunc(50*time.Millisecond, func() { q.set(worker.Done, doneOutcome) })
	if r := s.post(t, "/api/slow_sum", `{"numbers":[1,2]}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if q.waits[0] != 25*time.Second {
		t.Errorf("waits %v", q.waits)
	}
}

// TestAccepted verifies the 202 response if the wait ends before the job, or if the client prefers
// not to wait.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		name    string
		prefer  []string
		waits   []time.Duration
		keep    bool
		applied string
	}{
		{"the wait is over", nil, []time.Duration{30 * time.Millisecond}, false, ""},
		{"at once", []string{"Prefer: respond-async"}, nil, true, "respond-async"},
		{"capitals and parameters", []string{`Prefer: foo; bar="baz", Respond-Async; x=1`}, nil,
			true, "respond-async"},
		{"wait, capped", []string{"Prefer: wait=100"}, []time.Duration{30 * time.Millisecond},
			false, "wait=0"},
		{"wait nothing", []string{"Prefer: wait=0"}, nil, true, "wait=0"},
		{"both in two headers", []string{"Prefer: respond-async", "Prefer: wait=10"},
			[]time.Duration{30 * time.Millisecond}, true, "respond-async, wait=0"},
		{"nonsense", []string{"Prefer: wait=soon, handling=lenient,,="},
			[]time.Duration{30 * time.Millisecond}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newFakeQueue()
			s := start(t, Options{Queue: q, Wait: 30 * time.Millisecond})
			r := s.post(t, "/api/slow_sum", `{"numbers":[1,2]}`, c.prefer...)
			if r.status != 202 || r.header.Get("Location") != "/api/jobs/"+testJob ||
				r.header.Get("Retry-After") != "2" ||
				r.header.Get("Content-Type") != "application/json" {
				t.Fatalf("%d %v", r.status, r.header)
			}
			if got := r.header.Get("Preference-Applied"); got != c.applied {
				t.Errorf("Preference-Applied %q, want %q", got, c.applied)
			}
			if !slices.Equal(q.waits, c.waits) || q.submitted[0].Detached != c.keep {
				t.Errorf("waits %v, submitted %+v", q.waits, q.submitted)
			}
			want := `{"id":"` + testJob + `","tool":"slow_sum","version":"1.0.0","state":"running","progress":{"phase":"adding","percent":12.5},` +
				`"enqueued_at":"2026-03-04T05:06:07.890Z","finished_at":null,"expires_at":null,"result":null,"problem":null,` +
				`"links":[{"rel":"self","href":"/api/jobs/` + testJob +
				`"},{"rel":"tool","href":"/api/slow_sum"}]}`
			if r.body != want {
				t.Errorf("%s\nwant %s", r.body, want)
			}
		})
	}
}

func TestPreferenceSeconds(t *testing.T) {
	q := newFakeQueue()
	q.set(worker.Done, doneOutcome)
	s := start(t, Options{Queue: q})
	if r := s.post(t, "/api/slow_sum", `{"numbers":[1]}`,
		"Prefer: wait=7"); r.header.Get("Preference-Applied") != "wait=7" {
		t.Errorf("%v", r.header)
	}
	if r := s.post(t, "/api/slow_sum", `{"numbers":[1]}`,
		"Prefer: wait=2147483647"); r.header.Get("Preference-Applied") != "wait=25" {
		t.Errorf("%v", r.header)
	}
	for prefer, want := range map[string]string{"respond-async": "", "respond-async, wait=3": "wait=3"} {
		r := s.post(t, "/api/slow_sum", `{"numbers":[1]}`, "Prefer: "+prefer)
		if got := r.header.Get("Preference-Applied"); r.status != 200 || got != want {
			t.Errorf("a stored result: %d, Preference-Applied %q, want %q", r.status, got, want)
		}
	}
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`,
		"Prefer: respond-async"); r.status != 200 || r.header.Get("Preference-Applied") != "" {
		t.Errorf("a synchronous tool: %d %v", r.status, r.header)
	}
}

// TestJobWithoutResult verifies the responses to POST and to GET of the job for each final state
// without a result.
func TestJobWithoutResult(t *testing.T) {
	for _, c := range []struct {
		name, kind, detail string
		state              worker.State
		outcome            worker.Outcome
		status             int
	}{
		{"rejected", "invalid-input", "netlist: line 3, R1 is in series with nothing",
			worker.Rejected, worker.Outcome{FieldErrors: []schema.FieldError{{Path: "netlist",
				Detail: "line 3, R1 is in series with nothing"}}}, 400},
		{"failed", "job-failed", "the computation crashed 3 times", worker.Failed,
			worker.Outcome{Failure: "the computation crashed 3 times"}, 500},
		{"out of time", "time-limit",
			"The computation was stopped because it took longer than 60 s.", worker.Failed,
			worker.Outcome{Cause: worker.TimedOut,
				Failure: "The computation was stopped because it took longer than 60 s."}, 504},
		{"no worker", "unavailable", "The job waited 10 min in the queue without a worker.",
			worker.Failed, worker.Outcome{Cause: worker.Unavailable,
				Failure: "The job waited 10 min in the queue without a worker."}, 503},
		{"cancelled", "job-cancelled", "the job was cancelled", worker.Cancelled,
			worker.Outcome{}, 409},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newFakeQueue()
			q.set(c.state, c.outcome)
			s := start(t, Options{Queue: q})
			p := checkProblem(t, s.post(t, "/api/slow_sum", `{"numbers":[1]}`), c.status, c.kind)
			if p.Detail != c.detail {
				t.Errorf("detail %q", p.Detail)
			}
			r := s.call(t, "GET", "/api/jobs/"+testJob, "")
			var j Job
			r.json(t, &j)
			if r.status != 200 || j.State != c.state || string(j.Result) != "null" ||
				j.Problem == nil || j.Problem.Type != p.Type || j.Problem.Detail != c.detail ||
				j.Problem.RequestID != r.header.Get("X-Request-Id") || j.FinishedAt == nil ||
				r.header.Get("Retry-After") != "" {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
}

func TestRejectedAtSubmit(t *testing.T) {
	q := newFakeQueue()
	q.submitErr = tools.Invalid("numbers", "is required")
	p := checkProblem(t, start(t, Options{Queue: q}).post(t, "/api/slow_sum", `{}`), 400,
		"invalid-input")
	if len(p.Errors) != 1 || p.Errors[0].Pointer != "/numbers" {
		t.Errorf("%+v", p)
	}
}

func TestJobPolling(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	path := "/api/jobs/" + testJob
	r := s.call(t, "GET", path, "")
	if r.status != 200 || r.header.Get("Retry-After") != "2" ||
		r.header.Get("Cache-Control") != "no-store" || len(q.waits) != 0 {
		t.Fatalf("%d %v", r.status, r.header)
	}
	time.AfterFunc(50*time.Millisecond, func() { q.set(worker.Done, doneOutcome) })
	r = s.call(t, "GET", path, "", "Prefer: wait=5")
	var j Job
	var e tools.Envelope
	r.json(t, &j)
	if err := json.Unmarshal(j.Result, &e); err != nil {
		t.Fatal(err)
	}
	if j.State != worker.Done || e.Tool != "slow_sum" ||
		string(e.Result) != string(doneOutcome.Result) || j.Problem != nil || *j.ExpiresAt == "" ||
		r.header.Get("Preference-Applied") != "wait=5" {
		t.Errorf("%v %s", r.header, r.body)
	}
	if r := s.call(t, "DELETE", path, ""); r.status != 200 ||
		!strings.Contains(r.body, `"state":"done"`) {
		t.Errorf("cancelling what is done: %d %s", r.status, r.body)
	}
	if r := s.call(t, "HEAD", path, ""); r.status != 200 || r.body != "" {
		t.Errorf("HEAD: %d %q", r.status, r.body)
	}
}

// TestJobEvents verifies the events of a job as clients and the page read them: its states, then
// its end.
func TestJobEvents(t *testing.T) {
	for _, jobs := range []string{"/api/jobs/", "/ui/jobs/"} {
		t.Run(jobs, func(t *testing.T) { testJobEvents(t, jobs) })
	}
}

func testJobEvents(t *testing.T, jobs string) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	path := jobs + testJob + "/events"
	go func() {
		<-q.watched
		q.set(worker.Done, doneOutcome)
	}()
	r := s.call(t, "GET", path, "")
	if r.status != 200 || r.header.Get("Content-Type") != "text/event-stream" ||
		r.header.Get("X-Accel-Buffering") != "no" ||
		!strings.Contains(r.header.Get("Cache-Control"), "no-transform") {
		t.Fatalf("%d %v", r.status, r.header)
	}
	events := strings.Split(strings.TrimSpace(r.body), "\n\n")
	first, data, _ := strings.Cut(events[0], "\ndata: ")
	var j Job
	if err := json.Unmarshal([]byte(data), &j); err != nil || first != "event: job" ||
		j.State != worker.Running || j.Progress.Percent != 12.5 {
		t.Errorf("%v, the first event is %s", err, events[0])
	}
	if last := events[len(events)-1]; last != "event: end\ndata: {}" {
		t.Errorf("the last event is %s", last)
	}
	if r := s.call(t, "GET", path, ""); r.body != "event: end\ndata: {}\n\n" {
		t.Errorf("of a finished job: %q", r.body)
	}
	if r := s.call(t, "HEAD", path, ""); r.status != 200 || r.body != "" {
		t.Errorf("HEAD: %d %q", r.status, r.body)
	}
	checkProblem(t, s.call(t, "GET", jobs+strings.Repeat("0", 32)+"/events", ""), 404,
		"job-not-found")
}

func TestJobCancel(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	waiting := make(chan *reply, 1)
	go func() { waiting <- s.post(t, "/api/slow_sum", `{"numbers":[1]}`) }()
	eventually(t, func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.waits) > 0
	})
	if r := s.call(t, "DELETE", "/api/jobs/"+testJob, ""); r.status != 200 ||
		!strings.Contains(r.body, `"state":"cancelled"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	checkProblem(t, <-waiting, 409, "job-cancelled")
}

func TestJobUnknown(t *testing.T) {
	s := start(t, Options{Queue: newFakeQueue()})
	for _, id := range []string{strings.Repeat("0", 32), "x", strings.Repeat("0", 31),
		strings.Repeat("G", 32), strings.Repeat("A", 32), strings.Repeat("0", 64)} {
		for _, method := range []string{"GET", "DELETE"} {
			checkProblem(t, s.call(t, method, "/api/jobs/"+id, ""), 404, "job-not-found")
		}
	}
}

// TestJobOfAnotherVersion verifies that a result that an earlier version of the tool computed is
// returned with that version.
func TestJobOfAnotherVersion(t *testing.T) {
	q := newFakeQueue()
	q.job.Version = "0.9.0"
	q.set(worker.Done, doneOutcome)
	s := start(t, Options{Queue: q})
	if r := s.call(t, "GET", "/api/jobs/"+testJob, ""); strings.Count(r.body,
		`"version":"0.9.0"`) != 2 {
		t.Error(r.body)
	}
	q.job.Tool = "gone"
	if r := s.call(t, "GET", "/api/jobs/"+testJob, ""); r.status != 200 ||
		!strings.Contains(r.body, `"tool":"gone","version":"0.9.0","computed_at"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestLargeResult verifies responses that are too large for the pooled buffers of fasthttp.
func TestLargeResult(t *testing.T) {
	q := newFakeQueue()
	large := `{"sum":1,"warnings":["` + strings.Repeat("x", 3*largeResult) + `"]}`
	q.set(worker.Done, worker.Outcome{Result: json.RawMessage(large)})
	now := testTime.Add(time.Minute)
	r := start(t, Options{Queue: q, Now: func() time.Time {
		return now
	}}).post(t, "/api/slow_sum", `{"numbers":[1]}`)
	var e tools.Envelope
	r.json(t, &e)
	if string(e.Result) != large || e.Tool != "slow_sum" || !e.ComputedAt.Equal(now) {
		t.Errorf("%d, %d bytes, %s", r.status, len(r.body), text.Truncate(r.body, 200))
	}
}

// paidQuota accepts every caller and uses the API key as the quota key.
type paidQuota struct{}

func (paidQuota) Reserve(_ context.Context, caller keys.Caller, _ int) (*keys.Reservation, error) {
	return &keys.Reservation{Tier: keys.Agent, QuotaKey: "key " + strings.Clone(caller.Key),
		Commit: uncounted}, nil
}

func (g paidQuota) Run(ctx context.Context, caller keys.Caller, tool string,
	call keys.CallFunc) (keys.CallResult, error) {
	return keys.ReserveAndRun(ctx, g.Reserve, caller, tool, call)
}

func (paidQuota) DailyLimit(keys.Tier) int { return 0 }

// TestAccount verifies that jobs are submitted with the quota key of the caller and the priority of
// its tier.
func TestAccount(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q, Quota: paidQuota{}})
	s.post(t, "/api/slow_sum", `{"numbers":[1]}`, "X-Api-Key: sl_1", "Prefer: respond-async")
	if got := q.submitted[0]; got != (worker.SubmitOptions{Priority: worker.PriorityPaid,
		Caller: "key sl_1", Detached: true}) {
		t.Errorf("%+v", got)
	}
}
