package api

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/batch/service"
	"slipstick/internal/text"
	"slipstick/worker"
	"slipstick/worker/queuetest"
)

const asJSON = "Content-Type: application/json"

// TestErrors verifies the status, the problem type, the pointers and the text of the response to
// every kind of error.
func TestErrors(t *testing.T) {
	s := start(t, Options{BodyLimit: 64 << 10})
	deep := strings.Repeat("[", 100000/2)
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		kind                     string
		pointers                 []string
		want, excludes           []string
	}{
		{name: "nothing sent", method: "POST", path: "/api/fspl", headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{""}, want: []string{"empty"}},
		{name: "no content type and nothing sent", method: "POST", path: "/api/fspl",
			status: 400, kind: "invalid-input", pointers: []string{""}, want: []string{"empty"}},
		{name: "not JSON", method: "POST", path: "/api/fspl", body: `{"freq_mhz":`,
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{""},
			want: []string{"invalid JSON at byte 12"}},
		{name: "two values", method: "POST", path: "/api/fspl", body: `{} {}`,
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{""}},
		{name: "NaN", method: "POST", path: "/api/fspl", body: `{"freq_mhz":NaN,"dist_km":1}`,
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{""}, want: []string{"NaN"}},
		{name: "-Infinity", method: "POST", path: "/api/fspl",
			body: `{"freq_mhz":-Infinity,"dist_km":1}`, headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{""}, want: []string{"Infinity"}},
		{name: "NaN as a string", method: "POST", path: "/api/fspl",
			body: `{"freq_mhz":"NaN","dist_km":1}`, headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{"/freq_mhz"},
			want: []string{"freq_mhz", "a string was given"}},
		{name: "a number beyond doubles", method: "POST", path: "/api/fspl",
			body: `{"freq_mhz":1e999,"dist_km":1}`, headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{"/freq_mhz"},
			want: []string{"double"}},
		{name: "a number of 50,000 digits", method: "POST", path: "/api/fspl",
			body:    `{"freq_mhz":` + strings.Repeat("9", 50000) + `,"dist_km":1}`,
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{"/freq_mhz"},
			excludes: []string{strings.Repeat("9", 300)}},
		{name: "every faulty field is named", method: "POST", path: "/api/fspl",
			body: `{"freq_mhz":0,"dist_km":-5}`, headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{"/freq_mhz", "/dist_km"},
			want: []string{"freq_mhz: must be greater than 0, got 0",
				"dist_km: must be greater than 0, got -5"}},
		{name: "an item of a list", method: "POST", path: "/api/sum", body: `{"numbers":[1,"x"]}`,
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{"/numbers/1"},
			want: []string{`"field":"numbers[1]"`, `"value":"x"`}},
		{name: "an array", method: "POST", path: "/api/fspl", body: `[]`, headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{""},
			want: []string{"an array was given"}},
		{name: "nested too deep", method: "POST", path: "/api/fspl", body: `{"x":` + deep,
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{""},
			want: []string{"nested deeper"}},
		{name: "a long name is not echoed whole", method: "POST", path: "/api/sum",
			headers: []string{asJSON},
			body: fmt.Sprintf(`{"numbers":[1],%q:1,%q:2}`, strings.Repeat("k", 20000),
				strings.Repeat("k", 20000)),
			status: 400, kind: "invalid-input", want: []string{"more than once"},
			excludes: []string{strings.Repeat("k", 5000)}},
		{name: "not UTF-8", method: "POST", path: "/api/fspl", body: "{\"a\xff\":1}",
			headers: []string{asJSON},
			status:  400, kind: "invalid-input", pointers: []string{""}, want: []string{"UTF-8"}},
		{name: "overflow", method: "POST", path: "/api/fspl",
			body: `{"freq_mhz":1e-300,"dist_km":1e-300}`, headers: []string{asJSON},
			status: 400, kind: "invalid-input", pointers: []string{"/freq_mhz", "/dist_km"},
			want: []string{"finite"}},

		{name: "curl -d without a header", method: "POST", path: "/api/fspl",
			body:    `{"freq_mhz":1,"dist_km":1}`,
			headers: []string{"Content-Type: application/x-www-form-urlencoded"},
			status:  415, kind: "unsupported-media-type",
			want: []string{"send the header Content-Type: application/json"}},
		{name: "no content type", method: "POST", path: "/api/fspl",
			body:   `{"freq_mhz":1,"dist_km":1}`,
			status: 415, kind: "unsupported-media-type",
			want: []string{"send the header Content-Type: application/json"}},
		{name: "a form", method: "POST", path: "/api/fspl", body: "--x\r\n\r\n--x--",
			headers: []string{"Content-Type: multipart/form-data; boundary=x"},
			status:  415, kind: "unsupported-media-type"},
		{name: "text/json+x", method: "POST", path: "/api/fspl", body: `{}`,
			headers: []string{"Content-Type: text/plain+json"},
			status:  415, kind: "unsupported-media-type"},
		{name: "packed", method: "POST", path: "/api/fspl", body: `xx`,
			headers: []string{asJSON, "Content-Encoding: gzip"},
			status:  415, kind: "unsupported-media-type", want: []string{"uncompressed"}},
		{name: "too large", method: "POST", path: "/api/fspl", body: strings.Repeat(" ", 64<<10+1),
			headers: []string{asJSON},
			status:  413, kind: "body-too-large", want: []string{"65536 bytes"}},
		{name: "ten megabytes", method: "POST", path: "/api/fspl",
			body: strings.Repeat(" ", 10<<20), headers: []string{asJSON},
			status: 413, kind: "body-too-large"},
		{name: "headers too large", method: "GET", path: "/api",
			headers: []string{"X-Long: " + strings.Repeat("x", 9000)},
			status:  431, kind: "headers-too-large"},

		{name: "a misspelt tool", method: "POST", path: "/api/fslp", body: `{}`,
			headers: []string{asJSON},
			status:  404, kind: "tool-not-found", want: []string{`fslp`, "did you mean fspl?"}},
		{name: "a misspelt tool's metadata", method: "GET", path: "/api/fslp",
			status: 404, kind: "tool-not-found", want: []string{"did you mean fspl?"}},
		{name: "capitals", method: "GET", path: "/API/fspl", status: 404, kind: "not-found"},
		{name: "elsewhere", method: "GET", path: "/wp-admin/setup.php?key=sl_secret", status: 404,
			kind: "not-found", excludes: []string{"wp-admin", "sl_secret"}},
		{name: "markup in a path", method: "GET", path: "/api/%3Cscript%3E", status: 404,
			kind: "tool-not-found", excludes: []string{"<script>"}},
		{name: "no such category", method: "GET", path: "/api?category=cooking", status: 400,
			kind: "bad-request", pointers: []string{"/category"}, want: []string{"rf, test"}},
		{name: "no such kind", method: "GET", path: "/problems/none", status: 404,
			kind: "not-found"},
		{name: "the jobs as a whole", method: "GET", path: "/api/jobs", status: 404,
			kind: "tool-not-found"},

		{name: "a wrong method", method: "PUT", path: "/api/fspl", status: 405,
			kind: "method-not-allowed"},
		{name: "a wrong method for the list", method: "POST", path: "/api",
			headers: []string{asJSON}, body: "{}", status: 405, kind: "method-not-allowed"},
		{name: "a wrong method for the docs", method: "POST", path: "/api/docs",
			headers: []string{asJSON}, body: "{}", status: 405, kind: "method-not-allowed"},
		{name: "an unheard-of method", method: "BREW", path: "/api/fspl", status: 405,
			kind: "method-not-allowed"},

		{name: "a panic", method: "POST", path: "/api/broken", body: `{"numbers":[1]}`,
			headers: []string{asJSON},
			status:  500, kind: "internal", excludes: []string{"secret", "goroutine", ".go"}},
		{name: "an unexpected error", method: "POST", path: "/api/faulty", body: `{"numbers":[1]}`,
			headers: []string{asJSON},
			status:  500, kind: "internal", excludes: []string{"secret", "10.0.0.7"}},
		{name: "a queued tool without a queue", method: "POST", path: "/api/slow_sum",
			body: `{"numbers":[1]}`, headers: []string{asJSON},
			status: 503, kind: "unavailable"},
		{name: "a job without a queue", method: "GET", path: "/api/jobs/" + testJob, status: 503,
			kind: "unavailable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			r := s.call(t, c.method, c.path, c.body, c.headers...)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("took %s", took)
			}
			p := checkProblem(t, r, c.status, c.kind)
			if c.pointers != nil {
				var got []string
				for _, e := range p.Errors {
					got = append(got, e.Pointer)
				}
				if !slices.Equal(got, c.pointers) {
					t.Errorf("pointers %q, want %q", got, c.pointers)
				}
			}
			for _, w := range c.want {
				if !strings.Contains(r.body, w) && !strings.Contains(p.Detail, w) {
					t.Errorf("no %q in %s", w, r.body)
				}
			}
			for _, w := range c.excludes {
				if strings.Contains(r.body, w) {
					t.Errorf("%q in %s", text.Truncate(w, 50), text.Truncate(r.body, 500))
				}
			}
			if len(r.body) > 20000 {
				t.Errorf("a response of %d bytes", len(r.body))
			}
			if c.status == 405 && r.header.Get("Allow") == "" {
				t.Error("no Allow")
			}
			if c.status == 503 && r.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
	for _, w := range []string{"panic=\"the secret of the tool\"", "runner.go",
		"the secret address"} {
		if !strings.Contains(s.log.String(), w) {
			t.Errorf("the log does not hold %q", w)
		}
	}
	if strings.Contains(s.log.String(), "sl_secret") {
		t.Error("the log holds the query string's key")
	}
}

// checkProblem verifies the members that every problem has.
func checkProblem(t *testing.T, r *reply, status int, kind string) Problem {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, text.Truncate(r.body, 500))
	}
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q", got)
	}
	var p Problem
	r.json(t, &p)
	id := r.header.Get("X-Request-Id")
	switch {
	case p.Type != "/problems/"+kind:
		t.Errorf("type %q, want %q", p.Type, kind)
	case p.Status != status, p.Title == "", p.Detail == "":
		t.Errorf("incomplete: %+v", p)
	case id == "", p.RequestID != id, p.Instance != "urn:slipstick:request:"+id:
		t.Errorf("request id %q, in the body %q, instance %q", id, p.RequestID, p.Instance)
	case kind == "invalid-input" && len(p.Errors) == 0:
		t.Error("no field is named")
	}
	for _, h := range []string{"Server", "X-Powered-By"} {
		if r.header.Get(h) != "" {
			t.Errorf("header %s: %s", h, r.header.Get(h))
		}
	}
	if r.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Error("no nosniff")
	}
	return p
}

func TestAllow(t *testing.T) {
	s := start(t, Options{Queue: newFakeQueue()})
	for path, want := range map[string]string{
		"/api": "GET, HEAD", "/api/fspl": "GET, HEAD, POST", "/api/docs": "GET, HEAD",
		"/healthz":             "GET, HEAD",
		"/api/jobs/" + testJob: "GET, HEAD, DELETE",
	} {
		r := s.call(t, "PATCH", path, "")
		checkProblem(t, r, 405, "method-not-allowed")
		if got := r.header.Get("Allow"); got != want {
			t.Errorf("%s: Allow %q, want %q", path, got, want)
		}
	}
}

func TestQueueErrors(t *testing.T) {
	for _, c := range []struct {
		name, kind    string
		submit, wait  error
		status        int
		retry, detail string
	}{
		{"busy", "busy", &worker.BusyError{RetryAfter: 2400 * time.Millisecond,
			Reason: "the queue is full"}, nil, 503, "3", "the queue is full"},
		{"limit of the caller", "too-many-requests", &worker.BusyError{OfCaller: true,
			RetryAfter: time.Second, Reason: "3 unfinished"}, nil, 429, "1", "3 unfinished"},
		{"unavailable", "unavailable", fmt.Errorf("dial 10.0.0.7: %w", worker.ErrUnavailable), nil,
			503, "5", "cannot be reached"},
		{"no database", "unavailable", fmt.Errorf("%w: %w: dial 10.0.0.7", service.ErrNoDatabase,
			worker.ErrUnavailable), nil, 503, "5", "database of batch rows"},
		{"unavailable while waiting", "unavailable", nil, worker.ErrUnavailable, 503, "5",
			"cannot be reached"},
		{"lost", "unavailable", nil, worker.ErrJobNotFound, 503, "5", "send it again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newFakeQueue()
			q.submitErr, q.waitErr = c.submit, c.wait
			s := start(t, Options{Queue: q})
			r := s.post(t, "/api/slow_sum", `{"numbers":[1]}`)
			p := checkProblem(t, r, c.status, c.kind)
			if errors.Is(c.submit, worker.ErrUnavailable) && !regexp.MustCompile(
				`request_id=`+p.RequestID+` error=.*dial 10\.0\.0\.7`).MatchString(s.log.String()) {
				t.Errorf("the log has no cause: %s", s.log)
			}
			if got := r.header.Get("Retry-After"); got != c.retry {
				t.Errorf("Retry-After %q, want %q", got, c.retry)
			}
			if !strings.Contains(p.Detail, c.detail) || strings.Contains(r.body, "10.0.0.7") {
				t.Errorf("detail %q", p.Detail)
			}
		})
	}
}

// TestJobLimitOfCaller verifies that a job above its caller's limit gets 429, as docs/limits.md
// says, and a job above the length of the queue 503.
func TestJobLimitOfCaller(t *testing.T) {
	q := queuetest.Client(t, worker.ClientOptions{Redis: queuetest.Redis(t),
		MaxInFlightPerCaller: 1, MaxQueueLength: 2})
	s := behind(t, Options{Queue: q, Quota: &fakeQuota{limit: 1000}})
	post := func(address string, n int) *reply {
		return s.post(t, "/api/slow_sum", fmt.Sprintf(`{"numbers":[%d]}`, n), client(address),
			"Prefer: respond-async")
	}
	for i, address := range []string{"192.0.2.1", "192.0.2.2"} {
		if r := post(address, i); r.status != 202 {
			t.Fatal(r.status, r.body)
		}
		if i == 0 {
			p := checkProblem(t, post(address, 10), 429, "too-many-requests")
			if !strings.Contains(p.Detail, "1 unfinished") {
				t.Errorf("detail %q", p.Detail)
			}
		}
	}
	checkProblem(t, post("192.0.2.3", 20), 503, "busy")
}

func TestProblemPages(t *testing.T) {
	s := start(t, Options{})
	seen := map[string]bool{}
	for _, k := range problemTypes() {
		if seen[k.name] {
			t.Errorf("%s twice", k.name)
		}
		seen[k.name] = true
		r := s.call(t, "GET", k.uri(), "")
		if r.status != 200 || !strings.Contains(r.body, k.title) {
			t.Errorf("%s: %d %s", k.name, r.status, r.body)
		}
	}
	if r := s.call(t, "GET", "/problems", ""); r.status != 200 ||
		strings.Count(r.body, `"type"`) != len(problemTypes()) {
		t.Errorf("%d %s", r.status, r.body)
	}
}
