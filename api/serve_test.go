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
	"regexp"
	"strings"
	"testing"
	"time"

	"slipstick/worker"
)

// TestDrain verifies that a draining server finishes its requests, reports that it is not ready,
// and accepts no connection.
func TestDrain(t *testing.T) {
	q := newFakeQueue()
	var log safeBuffer
	s := start(t, Options{Queue: q, DrainDelay: 300 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	waiting := make(chan *reply, 1)
	go func() { waiting <- s.post(t, "/api/slow_sum", `{"numbers":[1]}`) }()
	for len(q.submittedSoFar()) == 0 {
		time.Sleep(time.Millisecond)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for !s.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	r := s.call(t, "GET", "/readyz", "")
	if r.status != 503 || !r.close || !strings.Contains(r.body, `"draining":true`) {
		t.Errorf("%d %v %s", r.status, r.close, r.body)
	}
	if r := s.call(t, "GET", "/healthz", ""); r.status != 200 || !r.close {
		t.Errorf("healthz %d, connection closed %v", r.status, r.close)
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Since(began) > 5*time.Second {
			t.Fatal("connections are still taken")
		}
	}
	q.set(worker.Done, doneOutcome)
	if r := <-waiting; r.status != 200 || !r.close {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if l := log.String(); !strings.Contains(l, `"api is draining" delay=300ms`) ||
		!strings.Contains(l, `"api stopped"`) {
		t.Errorf("the log is %s", l)
	}
}

func (q *fakeQueue) submittedSoFar() []worker.SubmitOptions {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.submitted
}

func TestDrainIsBounded(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q, Drain: 200 * time.Millisecond})
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, _ = fmt.Fprintf(c, "POST /api/slow_sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	for len(q.submittedSoFar()) == 0 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	if err := s.stop(); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestStopAtOnce verifies that a context that has ended before Serve still stops the server.
func TestStopAtOnce(t *testing.T) {
	s, err := New(Options{Catalog: testCatalog(t)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still serving")
	}
}

func TestListen(t *testing.T) {
	s, err := New(Options{Catalog: testCatalog(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context(), "256.0.0.1:http"); err == nil {
		t.Error("no error for an address that cannot be")
	}
}

// TestSlowClients verifies that an incomplete request gets 408 and its connection
// closed. The log has neither method nor path, which are uncertain, and no duration, which is
// unknown.
func TestSlowClients(t *testing.T) {
	s := start(t, Options{ReadTimeout: 100 * time.Millisecond, IdleTimeout: 100 * time.Millisecond})
	for _, sent := range []string{
		"POST /api/fspl HTTP/1.1\r\nHost: x\r\nContent-Le",
		"POST /api/fspl HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
	} {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = io.WriteString(c, sent)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		checkProblem(t, &reply{res.StatusCode, res.Header, string(b), res.Close}, 408,
			"request-timeout")
		_ = c.Close()
	}
	lines := regexp.MustCompile(`(?m)^.* status=408 .*$`).FindAllString(s.log.String(), -1)
	for _, l := range lines {
		if regexp.MustCompile(`method=|path=| ms=`).MatchString(l) ||
			!strings.Contains(l, "client=127.0.0.1") {
			t.Error(l)
		}
	}
	if len(lines) != 2 {
		t.Errorf("%d lines in %s", len(lines), s.log)
	}
	// A connection without a request, and a connection that is idle after a request, are closed.
	for _, sent := range []string{"", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"} {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = io.WriteString(c, sent)
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("after %q: %v", sent, err)
		}
		_ = c.Close()
	}
}

func TestNotHTTP(t *testing.T) {
	s := start(t, Options{})
	for _, sent := range []string{"hello\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\x00\r\n\r\n",
		"POST /api/fspl HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"} {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = io.WriteString(c, sent)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%q: %v", sent, err)
			continue
		}
		b, _ := io.ReadAll(res.Body)
		checkProblem(t, &reply{res.StatusCode, res.Header, string(b), res.Close}, 400,
			"bad-request")
		_ = c.Close()
	}
}

// TestChunkedBodyTooLarge verifies that a body without a length is also cut off at the limit.
func TestChunkedBodyTooLarge(t *testing.T) {
	s := start(t, Options{BodyLimit: 10000})
	r := s.callReader(t, "POST", "/api/fspl", io.LimitReader(spaces{}, 5<<20), asJSON)
	checkProblem(t, r, 413, "body-too-large")
	r = s.callReader(t, "POST", "/api/fspl", io.MultiReader(strings.NewReader(`{"freq_mhz":1,`),
		strings.NewReader(`"dist_km":1}`)), asJSON)
	if r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestReadiness(t *testing.T) {
	q := newFakeQueue()
	gone := errors.New("dial tcp 10.0.0.7:5432: refused")
	var database error
	s := start(t, Options{Queue: q, Ready: []Check{
		{Name: "database", Ready: func(context.Context) error { return database }},
		{Name: "clock", Ready: func(context.Context) error { return nil }},
	}})
	if r := s.call(t, "GET", "/readyz", ""); r.status != 200 || r.body != `{"ready":true,"draining":false,"degraded":false,"checks":[{"name":"queue","ready":true},{"name":"database","ready":true},{"name":"clock","ready":true}]}` {
		t.Errorf("%d %s", r.status, r.body)
	}
	q.mu.Lock()
	q.readyErr = errors.New("dial tcp 10.0.0.8:6379: refused")
	q.mu.Unlock()
	if r := s.call(t, "GET", "/readyz", ""); r.status != 200 ||
		!strings.Contains(r.body, `"ready":true,"draining":false,"degraded":true`) ||
		!strings.Contains(r.body, `{"name":"queue","ready":false}`) {
		t.Errorf("synchronous tools are served without the queue: %d %s", r.status, r.body)
	}
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	database = gone
	r := s.call(t, "GET", "/readyz", "")
	if r.status != 503 || !strings.Contains(r.body, `{"name":"database","ready":false}`) ||
		!strings.Contains(r.body, `{"name":"clock","ready":true}`) ||
		strings.Contains(r.body, "10.0.0.7") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if !strings.Contains(s.log.String(), "10.0.0.7") {
		t.Error("the log does not have the reason")
	}
	if r := s.call(t, "GET", "/healthz", ""); r.status != 200 ||
		r.body != `{"status":"ok","version":"dev"}` {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestOptionalReadiness verifies that an optional check is reported and does not affect readiness.
func TestOptionalReadiness(t *testing.T) {
	s := start(t,
		Options{Ready: []Check{{Name: "postgres", Optional: true,
			Ready: func(context.Context) error {
				return errors.New("gone")
			}}}})
	if r := s.call(t, "GET", "/readyz", ""); r.status != 200 ||
		!strings.Contains(r.body, `{"name":"postgres","ready":false}`) {
		t.Errorf("%d %s", r.status, r.body)
	}
}
