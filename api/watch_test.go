//go:build linux

package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipstick/worker"
)

const queuedBody = `{"numbers":[1,2]}`

func queuedRequest(headers string) string {
	return fmt.Sprintf("POST /api/slow_sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s", len(queuedBody), headers, queuedBody)
}

func dial(t *testing.T, s *running) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	return c, bufio.NewReader(c)
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, r *bufio.Reader) *reply {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &reply{res.StatusCode, res.Header, string(b), res.Close}
}

func (q *fakeQueue) awaitWaiters(t *testing.T, n int) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
		q.mu.Lock()
		have := len(q.waits)
		q.mu.Unlock()
		if have >= n {
			return
		}
	}
	t.Fatal("nobody waits")
}

// TestClientDisconnect verifies that every kind of disconnect ends the context of Queue.Wait.
func TestClientDisconnect(t *testing.T) {
	for _, c := range []struct {
		name  string
		after string // bytes sent while the server waits
		leave func(net.Conn)
	}{
		{"close", "", func(c net.Conn) { _ = c.Close() }},
		{"reset", "", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); _ = c.Close() }},
		{"half close", "", func(c net.Conn) { _ = c.(*net.TCPConn).CloseWrite() }},
		{"close behind a pipelined request", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
			func(c net.Conn) {
				_ = c.Close()
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newFakeQueue()
			s := start(t, Options{Queue: q, ReadTimeout: 300 * time.Millisecond})
			conn, _ := dial(t, s)
			send(t, conn, queuedRequest(""))
			q.awaitWaiters(t, 1)
			send(t, conn, c.after)
			// The wait is longer than the read timeout, because the request's deadline must not end
			// the watch.
			select {
			case <-q.left:
				t.Fatal("the context ended although the client is there")
			case <-time.After(400 * time.Millisecond):
			}
			c.leave(conn)
			select {
			case <-q.left:
			case <-time.After(5 * time.Second):
				t.Fatal("nobody noticed that the client left")
			}
			if err := s.stop(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(s.log.String(), "status=499") {
				t.Errorf("log: %s", s.log)
			}
		})
	}
}

// TestConnectionSurvivesTheWatch verifies that a connection remains usable after a watched request,
// even if further requests were pipelined before or during the wait.
func TestConnectionSurvivesTheWatch(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q, Wait: 150 * time.Millisecond,
		ReadTimeout: 500 * time.Millisecond, IdleTimeout: 10 * time.Second})
	conn, r := dial(t, s)
	const alive = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	for round := range 2 {
		send(t, conn, queuedRequest("X-Request-Id: first-one\r\n"))
		if got := receive(t, r); got.status != 202 ||
			got.header.Get("X-Request-Id") != "first-one" {
			t.Fatalf("round %d: %d %s", round, got.status, got.body)
		}
		time.Sleep(600 * time.Millisecond) // the idle time exceeds the read timeout
		send(t, conn, alive)
		if got := receive(t, r); got.status != 200 {
			t.Fatalf("round %d, keep-alive: %d", round, got.status)
		}
		send(t, conn, queuedRequest("")+queuedRequest("")+alive)
		q.awaitWaiters(t, 4*round+2)
		send(t, conn, queuedRequest("")[:30])
		for i, want := range []int{202, 202, 200} {
			if got := receive(t, r); got.status != want {
				t.Fatalf("round %d, pipelined %d: %d", round, i, got.status)
			}
		}
		send(t, conn, queuedRequest("")[30:])
		if got := receive(t, r); got.status != 202 {
			t.Fatalf("round %d, in two pieces: %d", round, got.status)
		}
	}
	select {
	case <-q.left:
		t.Error("a context ended although the client stayed")
	default:
	}
	q.set(worker.Done, doneOutcome)
	send(t, conn, queuedRequest(""))
	if got := receive(t, r); got.status != 200 {
		t.Errorf("%d", got.status)
	}
}

// TestPollerHangsUp verifies that the wait of GET /api/jobs/{id} also ends when the client
// disconnects.
func TestPollerHangsUp(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	conn, _ := dial(t, s)
	send(t, conn, "GET /api/jobs/"+testJob+" HTTP/1.1\r\nHost: x\r\nPrefer: wait=20\r\n\r\n")
	q.awaitWaiters(t, 1)
	_ = conn.Close()
	select {
	case <-q.left:
	case <-time.After(5 * time.Second):
		t.Fatal("nobody noticed")
	}
}

// TestHangUpWithIdempotencyKey verifies that a call repeated after a disconnect gets the response
// of the first call. It also verifies that the job is submitted and counted once.
func TestHangUpWithIdempotencyKey(t *testing.T) {
	store, _ := idempotencyStore(t)
	queue, quota := newFakeQueue(), &fakeQuota{limit: 100}
	s := start(t, Options{Queue: queue, Idempotency: store, Quota: quota})
	first, _ := dial(t, s)
	send(t, first, queuedRequest(idempotencyHeader+"\r\n"))
	queue.awaitWaiters(t, 1)
	_ = first.Close()
	select {
	case <-queue.left:
		t.Error("the call ended without a response")
	case <-time.After(200 * time.Millisecond):
	}
	queue.set(worker.Done, worker.Outcome{Result: []byte(`{"sum":3,"warnings":[]}`)})
	var r *reply
	eventually(t, func() bool {
		r = s.post(t, "/api/slow_sum", queuedBody, idempotencyHeader)
		return r.status != 409
	})
	if r.status != 200 || r.header.Get(headerReplayed) != "true" || len(queue.submitted) != 1 ||
		quota.used != 1 {
		t.Errorf("%d %v, %d submitted, %d counted", r.status, r.header,
			len(queue.submitted), quota.used)
	}
}
