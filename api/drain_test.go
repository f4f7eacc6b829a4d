package api

import (
	"bufio"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"slipstick/worker"
)

// pair is a connection as the server has it, and the client's end.
func pair(t *testing.T) (*timedConn, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	c, err := timedListener{ln, time.Minute, 5 * time.Second, nil}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*timedConn), client
}

// TestDismissedConnection: one at rest ends, unless a request has come that was not read yet; one
// that is being read goes on.
func TestDismissedConnection(t *testing.T) {
	b := make([]byte, 10)
	t.Run("at rest", func(t *testing.T) {
		c, _ := pair(t)
		c.dismiss()
		if n, err := c.Read(b); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("with a request unread", func(t *testing.T) {
		c, client := pair(t)
		send(t, client, "abc")
		c.dismiss()
		if n, err := c.Read(b); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("in the middle of a request", func(t *testing.T) {
		c, client := pair(t)
		send(t, client, "abc")
		if n, err := c.Read(b); n != 3 || err != nil {
			t.Fatal(n, err)
		}
		c.dismiss()
		go func() {
			time.Sleep(20 * lastWord)
			_, _ = io.WriteString(client, "defg")
		}()
		if n, err := c.Read(b); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("a request that does not arrive is not the dismissal's doing", func(t *testing.T) {
		c, _ := pair(t)
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		var timeout net.Error
		if _, err := c.Read(b); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Error(err)
		}
	})
}

// TestDrainOfConnections: while the server leaves, a connection at rest is closed after the delay
// and not before, one that never asked anything too, one that asks is answered and told, and so is
// one whose request began before the stop.
func TestDrainOfConnections(t *testing.T) {
	const ask = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	q := newFakeQueue()
	s := start(t, Options{Queue: q, DrainDelay: 600 * time.Millisecond})
	silent, _ := dial(t, s)
	resting, restingReader := dial(t, s)
	asking, askingReader := dial(t, s)
	for c, r := range map[net.Conn]*bufio.Reader{resting: restingReader, asking: askingReader} {
		send(t, c, ask)
		if a := receive(t, r); a.status != 200 || a.close {
			t.Fatalf("before the stop: %d, closed %v", a.status, a.close)
		}
	}
	waiting, waitingReader := dial(t, s)
	send(t, waiting, heavyRequest(""))
	q.awaitWaiters(t, 1)

	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for !s.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	send(t, asking, ask)
	if a := receive(t, askingReader); a.status != 200 || !a.close {
		t.Errorf("an answer of the leaving server: %d, closed %v", a.status, a.close)
	}
	q.set(worker.Done, doneOutcome)
	if a := receive(t, waitingReader); a.status != 200 || !a.close {
		t.Errorf("an answer to what began before: %d, closed %v", a.status, a.close)
	}
	for name, c := range map[string]net.Conn{"resting": resting, "silent": silent} {
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("the %s connection ends with %d bytes, %v", name, n, err)
		}
		if took := time.Since(began); took < 600*time.Millisecond {
			t.Errorf("the %s connection was closed %s after the stop, before the delay was over", name, took)
		}
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
